/* Laws that every path obeys, checked by differences. */
#ifndef KL_TESTS_PATH_LAWS_H
#define KL_TESTS_PATH_LAWS_H

#include "geometry/arc.h"
#include "geometry/frame.h"
#include "geometry/path.h"
#include "geometry/piecewise_scalar.h"
#include "unit/test.h"

static inline kl_path_point path_at(const kl_path *path, double s)
{
    kl_path_cursor cursor = {0};
    kl_path_point  p;
    assert_int_equal(kl_path_eval(path, s, &cursor, &p), KL_OK);
    return p;
}

static inline double vec_error(kl_vec3 a, kl_vec3 b) { return kl_norm(kl_sub(a, b)); }

/* (f(s+h) - f(s-h))/2h with one step of Richardson: error h^4 */
static inline kl_vec3 slope(kl_vec3 far_low, kl_vec3 low, kl_vec3 high, kl_vec3 far_high, double h)
{
    kl_vec3 near = kl_scale(1.0 / (2.0 * h), kl_sub(high, low));
    kl_vec3 far  = kl_scale(1.0 / (4.0 * h), kl_sub(far_high, far_low));
    return kl_axpy(-1.0 / 3.0, far, kl_scale(4.0 / 3.0, near));
}

/* r' = t, r'' = dt, r''' = ddt, A orthonormal, A' = [kappa] A, kappa' and kappa'', at a place away
 * from joints. */
static inline void assert_path_rates(const kl_path *path, double s, double h, double tolerance)
{
    kl_path_point p     = path_at(path, s), q[4];
    double        at[4] = {-2 * h, -h, h, 2 * h};
    for (int i = 0; i < 4; i++) q[i] = path_at(path, s + at[i]);
#define SLOPE(field) slope(q[0].field, q[1].field, q[2].field, q[3].field, h)
    assert_close(vec_error(SLOPE(r), p.t), 0.0, tolerance);
    assert_close(vec_error(SLOPE(t), p.dt), 0.0, tolerance);
    assert_close(vec_error(SLOPE(dt), p.ddt), 0.0, tolerance);
    assert_close(vec_error(SLOPE(kappa), p.dkappa), 0.0, tolerance);
    assert_close(vec_error(SLOPE(dkappa), p.ddkappa), 0.0, tolerance);
#undef SLOPE
    for (int i = 0; i < 3; i++) {
        kl_vec3 d = slope(kl_axis(&q[0].A, i), kl_axis(&q[1].A, i), kl_axis(&q[2].A, i),
                          kl_axis(&q[3].A, i), h);
        assert_close(vec_error(d, kl_path_axis_d1(&p, i)), 0.0, tolerance);
        for (int j = 0; j < 3; j++)
            assert_close(kl_dot(kl_axis(&p.A, i), kl_axis(&p.A, j)), i == j, 1e-12);
    }
    assert_close(kl_det(&p.A), 1.0, 1e-12);
}

/* The same, and the first axis is the tangent. */
static inline void assert_path_laws(const kl_path *path, double s, double h, double tolerance)
{
    kl_path_point p = path_at(path, s);
    assert_path_rates(path, s, h, tolerance);
    assert_close(vec_error(kl_axis(&p.A, 0), p.t), 0.0, 1e-12);
}

/* Curve, length, frame and roll in one go. */
static inline kl_path *make_path(const kl_curve *curve, kl_frame_settings set, kl_piecewise *roll,
                                 kl_arena *arena)
{
    kl_arc   *arc   = NULL;
    kl_frame *frame = NULL;
    kl_path  *path  = NULL;
    kl_diag  *diag  = kl_diag_create();
    assert_int_equal(kl_arc_build(curve, 1e-10, arena, diag, &arc), KL_OK);
    assert_int_equal(kl_frame_build(arc, &set, arena, diag, &frame), KL_OK);
    if (roll) kl_piecewise_map(roll, kl_arc_length_at, arc);
    assert_int_equal(kl_path_exact(arc, frame, roll, arena, &path), KL_OK);
    kl_diag_destroy(diag);
    return path;
}

#endif
