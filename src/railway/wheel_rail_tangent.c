/* Derivatives of the forces of a wheel-rail element.
 *
 * By position: contacts are followed to positions nearby without a search, for central differences of
 * the forces. By velocity: the creep law is replaced by its slopes at each contact. */
#include <math.h>
#include <string.h>

#include "base/rotation.h"
#include "railway/pair_slopes.h"
#include "railway/wheel_rail_parts.h"

typedef struct motions {
    kl_vec3 d[6]; /* directions in which marker 1 moves: three translations, three rotations */
} motions;

/* The largest penetration at a position [m]. */
static double deepest(const wheel_rail_cache *c)
{
    double most = 1e-6;
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < c->wheel[k].n; i++) most = fmax(most, c->wheel[k].contact[i].depth);
    return most;
}

/* Marker 1 moved, or its velocity changed, along or about (turn) the vector e. */
static kl_motion perturbed(const kl_motion *m, kl_vec3 e, bool turn, bool moved)
{
    kl_motion n = *m;
    if (!moved && !turn) n.v = kl_add(n.v, e);
    if (!moved && turn) n.w = kl_add(n.w, e);
    if (moved && !turn) n.r = kl_add(n.r, e);
    if (moved && turn) {
        kl_mat3 R = kl_rotation_exp(e);
        n.A       = kl_matmul(&R, &n.A);
    }
    return n;
}

/* Six directions in which marker 1 moves: along the track axes; about the axle and across it. */
static void directions(const kl_reading *in, kl_vec3 d[6])
{
    const wheel_rail       *p = in->data;
    const wheel_rail_cache *c = in->cache;
    kl_vec3                 x = kl_axis(&c->middle.A, 0), axle = kl_mul(&in->m[1].A, p->axle);
    for (int j = 0; j < 3; j++) d[j] = kl_axis(&c->middle.A, j);
    d[3] = axle;
    d[4] = kl_unit(kl_axpy(-kl_dot(x, axle), axle, x));
    d[5] = kl_cross(d[3], d[4]);
}

/* The two directions in which nothing about the contact changes: along the track, where only the arm
 * at marker 0 grows, and about the axle. */
static bool known_column(const kl_motion *m, kl_vec3 x, const double *wrench, int j,
                         double column[12])
{
    /* a track that turns makes a speed of every distance */
    if ((j != 0 || kl_norm(m[0].w) > 0.0) && j != 3) return false;
    memset(column, 0, 12 * sizeof *column);
    if (j == 0) kl_store(column + 3, kl_cross(x, kl_load(wrench)));
    return true;
}

static void wrench_of(const kl_reading *in, double wrench[12])
{
    const wheel_rail       *p = in->data;
    const wheel_rail_cache *c = in->cache;
    memset(wrench, 0, 12 * sizeof *wrench);
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < c->wheel[k].n; i++) {
            kl_wheel_force f;
            kl_wheel_rail_force(p, &p->law, in->m, &c->wheel[k].contact[i], &f);
            kl_wheel_rail_add(in->m, c->wheel[k].contact[i].point, &f, wrench);
        }
}

/* D = sum of column e' over the directions e. */
static void spread(double D[12][6], int j, kl_vec3 direction, const double column[12])
{
    double e[3];
    kl_store(e, direction);
    for (int i = 0; i < 12; i++)
        for (int k = 0; k < 3; k++) D[i][(j < 3 ? 0 : 3) + k] += column[i] * e[k];
}

/* ---- by position ---- */

/* Adds sign times the wrenches of wheel k after marker 1 moved. `c` has the rails. */
static void add_wheel(const kl_reading *in, const wheel_rail_cache *c, const kl_motion *m, int k,
                      double sign, double wrench[12])
{
    const wheel_rail  *p    = in->data;
    const wheel_state *w    = &c->wheel[k];
    kl_wheel_pose      pose = kl_wheel_rail_pose(p, m, &c->rail[k], k);
    kl_touch           touch[KL_TOUCH_MOST];
    double             sum[12] = {0};
    memcpy(touch, w->touch, (size_t)w->n * sizeof *touch);
    p->one[k].search.follow(p->one[k].search.data, &pose, touch, w->n);
    kl_touch_shares(touch, w->n);
    for (int i = 0; i < w->n; i++) {
        kl_wheel_contact contact;
        kl_wheel_force   f;
        kl_wheel_rail_contact(p, &c->rail[k], k, &pose, &touch[i], &contact);
        kl_wheel_rail_force(p, &p->law, m, &contact, &f);
        kl_wheel_rail_add(m, contact.point, &f, sum);
    }
    for (int i = 0; i < 12; i++) wrench[i] += sign * sum[i];
}

/* One column: wrenches over a motion of marker 1 along or about `e`; the step is small against a
 * penetration. */
static void position_column(const kl_reading *in, kl_vec3 e, bool turn, double column[12])
{
    const wheel_rail       *p = in->data;
    const wheel_rail_cache *c = in->cache;
    double                  h = fmax(3e-6 * deepest(c), 2e-9) / (turn ? p->half_gauge : 1.0);
    memset(column, 0, 12 * sizeof *column);
    for (int sign = -1; sign <= 1; sign += 2) {
        kl_motion m[2] = {in->m[0], perturbed(&in->m[1], kl_scale(sign * h, e), turn, true)};
        for (int k = 0; k < 2; k++)
            if (c->wheel[k].n > 0) add_wheel(in, c, m, k, sign, column);
    }
    for (int i = 0; i < 12; i++) column[i] /= 2.0 * h;
}

/* Do rails without a track, or their friction, differ from place to place? */
static bool varies(const wheel_rail *p)
{
    return !p->rails.path && (p->irregularities || p->widening || p->friction_along);
}

/* The column of a motion along such rails, which are then those of a place nearby. In all other
 * directions, and on a track, whose bend is slight, the rails stay. */
static void forward_column(const kl_reading *in, kl_vec3 e, double column[12])
{
    const wheel_rail *p = in->data;
    wheel_rail_cache  c = *(const wheel_rail_cache *)in->cache;
    double            s = c.s, h = fmax(3e-6 * deepest(&c), 2e-9);
    memset(column, 0, 12 * sizeof *column);
    for (int sign = -1; sign <= 1; sign += 2) {
        kl_motion m[2] = {in->m[0], perturbed(&in->m[1], kl_scale(sign * h, e), false, true)};
        c.s            = s + sign * h;
        (void)kl_wheel_rail_rails(p, m, &c);
        for (int k = 0; k < 2; k++)
            if (c.wheel[k].n > 0) add_wheel(in, &c, m, k, sign, column);
    }
    for (int i = 0; i < 12; i++) column[i] /= 2.0 * h;
}

static void by_position(const kl_reading *in, const motions *s, const double *wrench,
                        double D[12][6])
{
    memset(D, 0, 72 * sizeof(double));
    for (int j = 0; j < 6; j++) {
        double column[12];
        if (j == 0 && varies(in->data)) forward_column(in, s->d[0], column);
        else if (!known_column(in->m, s->d[0], wrench, j, column))
            position_column(in, s->d[j], j >= 3, column);
        spread(D, j, s->d[j], column);
    }
}

/* ---- by velocity ---- */

/* The law about the velocities of now at one contact. */
static kl_wheel_law linearised(const wheel_rail *p, const kl_wheel_contact *c,
                               const kl_wheel_force *f, kl_creep_about *about)
{
    kl_wheel_law   law   = p->law;
    kl_patch       patch = {c->a, c->b, f->N / c->share, f->mu, law.steel.G, c->c};
    kl_creep_input in    = kl_creep_input_of(&patch, (double[]){f->xi, f->eta, f->phi});
    kl_creep_linearise(law.creep, &law.options, &in, about);
    law.creep         = &kl_creep_tangent;
    law.options.about = about;
    return law;
}

/* Adds the derivatives of one contact's force by velocities along the directions. */
static void contact_columns(const kl_reading *in, const motions *s, const kl_wheel_contact *c,
                            double h, double column[6][12])
{
    const wheel_rail *p = in->data;
    kl_creep_about    about;
    kl_wheel_force    f;
    kl_wheel_rail_force(p, &p->law, in->m, c, &f);
    /* without friction only the damping is left, which is linear */
    kl_wheel_law law = f.N * f.mu > 0.0 ? linearised(p, c, &f, &about) : p->law;
    for (int j = 0; j < 6; j++) {
        double sum[2][12] = {{0}}, step = j < 3 ? h : h / p->half_gauge;
        for (int k = 0; k < 2; k++) {
            kl_vec3   e    = kl_scale(k ? step : -step, s->d[j]);
            kl_motion m[2] = {in->m[0], perturbed(&in->m[1], e, j >= 3, false)};
            kl_wheel_rail_force(p, &law, m, c, &f);
            kl_wheel_rail_add(m, c->point, &f, sum[k]);
        }
        for (int i = 0; i < 12; i++) column[j][i] += (sum[1][i] - sum[0][i]) / (2.0 * step);
    }
}

static void by_velocity(const kl_reading *in, const motions *s, double D[12][6])
{
    const wheel_rail       *p             = in->data;
    const wheel_rail_cache *c             = in->cache;
    double                  column[6][12] = {{0}};
    double                  V = fabs(kl_dot(in->m[1].v, kl_axis(&c->middle.A, 0)) + p->speed);
    double                  h = 1e-5 * fmax(V, p->speed_floor);
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < c->wheel[k].n; i++)
            contact_columns(in, s, &c->wheel[k].contact[i], h, column);
    memset(D, 0, 72 * sizeof(double));
    for (int j = 0; j < 6; j++) spread(D, j, s->d[j], column[j]);
}

/* ---- both ---- */

void kl_wheel_rail_tangent(const kl_reading *in, const double *lambda, kl_slopes *out)
{
    (void)lambda;
    double  K[12][6], C[12][6], w[12];
    motions s;
    wrench_of(in, w);
    directions(in, s.d);
    by_position(in, &s, w, K);
    by_velocity(in, &s, C);
    kl_pair_slopes(in->m, w, K, C, out);
}
