/* Motions in words: "crank turns about z with rod and slider following". Shared by constraint
 * analysis and modes. */
#ifndef KL_SOLVE_MOTION_TEXT_H
#define KL_SOLVE_MOTION_TEXT_H

#include "dynamics/work.h"

/* A growing line of text in an arena. */
typedef struct kl_line {
    kl_arena *arena;
    char     *text;
    size_t    used, room;
} kl_line;

void kl_line_add(kl_line *l, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* How much body `b` moves in the increments dx (nv, all bodies): the largest of translation over
 * the model's length, rotation in radian, and elastic coordinates as they are. */
double kl_motion_amount(const kl_model *m, const double *dx, int b);

/* "x", "z" or "(0.6, 0, 0.8)"; the sign is dropped. */
void kl_line_axis(kl_line *l, kl_vec3 a);

/* "turns about z", "moves along x", "turns about z and moves along it", "deforms". `w` has been
 * evaluated. */
void kl_line_motion(kl_line *l, const kl_model *m, const kl_work *w, const double *dx, int body);

/* The whole sentence: the leader and how it moves, then who follows, at most four by name. What
 * moves less than `least` of the most is left out. */
const char *kl_motion_text(kl_arena *arena, const kl_model *m, const kl_work *w, const double *dx,
                           int leader, double least);

/* "a", "a and b", "a, b and c", "a, b, c, d and 7 more"; joints and forces by index. */
void kl_line_elements(kl_line *l, const kl_model *m, const int *element, int n);

#endif
