/* A force law F(x), a function of a displacement, with its corners and its work. */
#ifndef KL_SCRIPT_CHARACTERISTIC_H
#define KL_SCRIPT_CHARACTERISTIC_H

#include "script/function.h"

typedef struct kl_characteristic {
    const kl_function *f;
    const double      *corner; /* ascending */
    int                ncorner;
} kl_characteristic;

/* `f` is borrowed. False when out of memory. */
bool kl_characteristic_init(kl_characteristic *c, kl_arena *a, const kl_function *f);
/* Integral of F from 0 to x: exact to rounding for tables and polynomials up to the ninth degree. */
double kl_characteristic_work(const kl_characteristic *c, double x, const double *u);

#endif
