/* Units and dimensions: "1.22 MN/m" as 1.22e6 with the dimension of a stiffness.
 *
 * Six base dimensions; angle is one of them, so Hz (1/s) does not fit rad/s, and N m (a torque)
 * differs from N m/rad (a torsional stiffness). One kindness: a surplus of rad may be dropped
 * (r*omega is m rad/s and fits m/s; J*omega^2 fits N m), except where that would turn an angle into
 * a pure number or rad/s into Hz. rad is never added silently.
 *
 * A unit is a chain of symbols: a space multiplies, `/` divides by the next symbol, a power stands
 * behind its symbol (m2, m^2, s^-1, m^1.5), `1/s` and `J/(kg K)` are fine. `J/kg K` is refused
 * since it is read in two ways.
 */
#ifndef KL_BASE_UNITS_H
#define KL_BASE_UNITS_H

#include <stdbool.h>
#include <stddef.h>

enum {
    KL_DIM_LENGTH,
    KL_DIM_MASS,
    KL_DIM_TIME,
    KL_DIM_ANGLE,
    KL_DIM_CURRENT,
    KL_DIM_TEMPERATURE,
    KL_NDIM
};

/* Powers counted in HALVES, since Hertz contact has N/m^1.5: a length is e[KL_DIM_LENGTH] = 2.
 * Rather than fill it by hand, call kl_dim_of("N/m"). All zero: a pure number. */
typedef struct kl_dim {
    signed char e[KL_NDIM];
} kl_dim;

/* A number in SI units; bare: written without a unit, so it takes the unit of whoever asks. */
typedef struct kl_quantity {
    double value;
    kl_dim dim;
    bool   bare;
} kl_quantity;

/* The unit `text` ("N m/rad", "km/h", "kg m2", "m/s2", "%", "" or "1") as SI factor and dimension.
 * False when it is not a unit; outputs are then untouched. Either output may be NULL. */
bool kl_unit_parse(const char *text, double *factor, kl_dim *dim);

/* Dimension of a unit known to be good, such as one in a table of keys; a pure number otherwise. */
kl_dim kl_dim_of(const char *text);

/* The SI unit of a dimension, in derived units where there is a usual form ("N/m", "N m/rad",
 * "rad/s", "kg m2"), otherwise in base units; "" for a pure number. Reads back with kl_unit_parse.
 */
void kl_unit_format(kl_dim dim, char *text, size_t size);
enum { KL_UNIT_TEXT = 96 }; /* room enough for any formatted unit */

/* "a force", "a stiffness", "a length", "a number", ... or NULL where there is no usual word. */
const char *kl_dim_word(kl_dim dim);

bool kl_dim_equal(kl_dim a, kl_dim b);
bool kl_dim_pure(kl_dim a); /* no dimension at all */
/* Is `have` accepted where `want` is required? An angle may be given without rad. */
bool kl_dim_fits(kl_dim have, kl_dim want);
/* The same for a quantity; a bare number fits all. */
bool kl_quantity_fits(kl_quantity q, kl_dim want);
/* How to mend a misfit that is a matter of rad alone ("multiply by 1 rad"), or NULL. */
const char *kl_dim_hint(kl_dim have, kl_dim want);

/* a + n b, for products (n = 1) and quotients (n = -1). False when a power leaves its range. */
bool kl_dim_combine(kl_dim a, kl_dim b, int n, kl_dim *out);
/* a^p. False when a power comes out that is not a multiple of one half, or out of range. */
bool kl_dim_power(kl_dim a, double p, kl_dim *out);

/* The longest chain of unit symbols at the start of `text`, as an expression reads it behind a
 * number. Sets *used to the bytes taken. `/` counts only with no space around it. */
typedef enum kl_unit_scan_result {
    KL_UNIT_NONE,      /* there is no unit here */
    KL_UNIT_FOUND,     /* outputs set */
    KL_UNIT_AMBIGUOUS, /* a product behind a `/`, as in J/kg K; *used points at the second */
    KL_UNIT_POWER, /* a power that is no multiple of one half, or too high; *used points at it */
} kl_unit_scan_result;
kl_unit_scan_result kl_unit_scan(const char *text, size_t *used, double *factor, kl_dim *dim);

/* The unit symbols with their usual prefixes, NULL-terminated, for suggestions. */
const char *const *kl_unit_names(void);

#endif
