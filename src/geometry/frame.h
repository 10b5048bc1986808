/* Moving frames along a curve: axes t (forward), y (the papers' n), z (b), with z = t x y, and the
 * rate kappa by which they turn with length: A' = [kappa] A.
 *
 *   level            y horizontal: y = up x t/|up x t|. The railway's frame. Undefined where the
 *                    track is vertical.
 *   frenet           y = t'/|t'|. Undefined on a straight, flips at an inflection.
 *   minimal-rotation no turn about t: kappa . t = 0 (Bishop 1975).
 *
 * The first two tell y only up to its sign, and nothing where they are singular. Both are carried
 * over there: on stretches that are too steep (or too straight) the frame of least rotation takes
 * over, plus an angle about t that meets the frame behind it with two continuous derivatives; the
 * sign of y is the one that needs less turning. So a level frame goes upside down through a loop,
 * and a Frenet frame keeps its side through an inflection. */
#ifndef KL_GEOMETRY_FRAME_H
#define KL_GEOMETRY_FRAME_H

#include "geometry/arc.h"

typedef enum kl_frame_kind {
    KL_FRAME_LEVEL,
    KL_FRAME_FRENET,
    KL_FRAME_MINIMAL_ROTATION,
    KL_NFRAME
} kl_frame_kind;

const char *const *kl_frame_names(void); /* in the order of the kinds, NULL-terminated */
bool               kl_frame_find(const char *name, kl_frame_kind *kind);

/* Axes and their rate with two derivatives by length, all in global axes. */
typedef struct kl_frame_point {
    kl_mat3 A;
    kl_vec3 kappa, dkappa, ddkappa;
} kl_frame_point;

typedef struct kl_frame_settings {
    kl_frame_kind kind;
    /* Which way is up at the start, for a frame of least rotation or a steep or straight start;
     * zero: z. */
    kl_vec3 up;
    /* level: the slope angle [rad] above which the track is too steep; 0: 60 degrees.
     * frenet: the curvature [1/m] below which it is too straight; 0: 1/1000 of the largest. */
    double limit;
} kl_frame_settings;

typedef struct kl_frame kl_frame;

/* Walks along the curve once, finds the singular stretches and prepares them. */
kl_status kl_frame_build(const kl_arc *arc, const kl_frame_settings *settings, kl_arena *arena,
                         kl_diag *diag, kl_frame **out);

/* Derivatives of r by s that eval needs: 4, for Frenet 5. */
int kl_frame_order(const kl_frame *frame);

/* At s with the derivatives d of r there. `hint`: two numbers kept between calls. */
void kl_frame_eval(const kl_frame *frame, double s, int side, const kl_vec3 *d, int hint[2],
                   kl_frame_point *out);

/* The lengths at which one way of finding the frame hands over to the next; returns their number.
 */
int    kl_frame_joints(const kl_frame *frame);
double kl_frame_joint(const kl_frame *frame, int i);

/* Turns the frame `p` about its forward axis by the angle f[0] with derivatives f[1..3] by length;
 * d: derivatives of r. */
void kl_frame_roll(kl_frame_point *p, const kl_vec3 *d, const double f[4]);

#endif
