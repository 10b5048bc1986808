/* A wheelset, or one wheel, on the rails.
 *
 * Marker 0 is on the track: x along it, y to the left, z up, its origin in the middle of the track on
 * the plane of the rail tops. Marker 1 is on the wheelset in the middle of the axle, which is the spin
 * axis of its body, or the y axis of the marker where the body has none. Wheels are surfaces of revolution, so it does not matter whether the marker spins with them.
 *
 * `locate` finds where the surfaces overlap, and from the curvatures there the ellipse, the elastic
 * force and Kalker's coefficients. `eval` adds what depends on velocities: damping and creepages,
 * taken from the true velocities of both bodies at the contact. With `speed` the track runs backwards
 * under the model, which so stands in a frame that runs along with the vehicle. */
#include <math.h>
#include <string.h>

#include "base/rotation.h"
#include "railway/railway.h"
#include "railway/wheel_rail_parts.h"

/* ---- position ---- */

static kl_vec3 mirrored(kl_vec3 a, double side) { return kl_vec(a.x, side * a.y, a.z); }

/* A contact found in side axes, in global axes. */
static void turn_out(const rail_frame *rail, double side, kl_touch *t)
{
    kl_vec3 *point[2] = {&t->wheel, &t->rail};
    for (int i = 0; i < 2; i++)
        *point[i] = kl_add(rail->r, kl_mul(&rail->A, mirrored(*point[i], side)));
    t->normal = kl_mul(&rail->A, mirrored(t->normal, side));
}

kl_wheel_pose kl_wheel_rail_pose(const wheel_rail *p, const kl_motion *m, const rail_frame *rail,
                                 int k)
{
    double  side   = side_of(k);
    kl_vec3 center = kl_mul_t(&rail->A, kl_sub(m[1].r, rail->r));
    kl_vec3 axle   = kl_mul_t(&rail->A, kl_mul(&m[1].A, p->axle));
    return (kl_wheel_pose){.center = mirrored(kl_axpy(side * p->half_gauge, axle, center), side),
                           .axle   = mirrored(kl_scale(side, axle), side),
                           .bend_y = side * rail->bend_y,
                           .bend_z = rail->bend_z};
}

static void find_contacts(const wheel_rail *p, const kl_motion *m, const rail_frame *rail, int k,
                          wheel_state *w)
{
    kl_wheel_pose pose = kl_wheel_rail_pose(p, m, rail, k);
    kl_touch      touch[KL_TOUCH_MOST];
    int           n = p->search.find(p->search.data, &pose, 0.0, NULL, touch);
    w->n            = 0;
    for (int i = 0; i < n; i++) {
        if (!(touch[i].depth > 0.0)) continue;
        turn_out(rail, side_of(k), &touch[i]);
        kl_wheel_contact_of(&p->law, &touch[i], kl_axis(&rail->A, 0), &w->contact[w->n++]);
    }
}

static void find_all_contacts(const wheel_rail *p, const kl_motion *m, wheel_rail_cache *c)
{
    for (int k = 0; k < 2; k++)
        if (has_side(p, k)) find_contacts(p, m, &c->rail[k], k, &c->wheel[k]);
        else c->wheel[k].n = 0;
}

/* A frame seen from marker 0, in global axes. */
static rail_frame in_space(const kl_motion *m, const kl_rail_point *at)
{
    return (rail_frame){.r      = kl_add(m->r, kl_mul(&m->A, at->r)),
                        .A      = kl_matmul(&m->A, &at->A),
                        .bend_y = at->bend_y,
                        .bend_z = at->bend_z};
}

/* The place of the track abreast of the wheelset: (r1 - r(s)).x(s) = 0, from the last accepted one. */
static kl_status find_place(const wheel_rail *p, const kl_motion *m, wheel_rail_cache *c)
{
    const kl_rails middle = {.path = p->rails.path};
    kl_vec3        local  = kl_mul_t(&m[0].A, kl_sub(m[1].r, m[0].r));
    kl_rail_point  at;
    for (int pass = 0; pass < 20; pass++) {
        KL_TRY(kl_rail_at(&middle, 1, c->s, &c->cursor, &at));
        kl_vec3 x    = kl_axis(&at.A, 0);
        double  step = kl_dot(kl_sub(local, at.r), x);
        c->s += step;
        if (fabs(step) < 1e-11 * (1.0 + fabs(c->s))) break;
    }
    c->middle = in_space(&m[0], &at);
    return KL_OK;
}

static kl_status find_rails(const wheel_rail *p, const kl_motion *m, wheel_rail_cache *c)
{
    for (int k = 0; k < 2; k++) {
        kl_rail_point at;
        KL_TRY(kl_rail_at(&p->rails, k == 0 ? 1 : -1, c->s, &c->cursor, &at));
        c->rail[k] = in_space(&m[0], &at);
    }
    return KL_OK;
}

/* Without a track the rails are straight along x of marker 0, and the same everywhere. */
static void straight_rails(const kl_motion *m, wheel_rail_cache *c)
{
    c->s       = kl_dot(kl_sub(m[1].r, m[0].r), kl_axis(&m[0].A, 0));
    c->middle  = (rail_frame){.r = m[0].r, .A = m[0].A};
    c->rail[0] = c->rail[1] = c->middle;
}

static kl_status wheel_rail_locate(const kl_reading *in, void *cache)
{
    const wheel_rail       *p    = in->data;
    wheel_rail_cache       *c    = cache;
    const wheel_rail_cache *last = in->accepted;
    if (p->track || p->irregularities) {
        if (p->rails.path) kl_path_cursor_place(p->rails.path, c + 1, &c->cursor.path);
        c->s = last && last->known ? last->s : p->s0;
        KL_TRY(find_place(p, in->m, c));
        KL_TRY(find_rails(p, in->m, c));
    } else {
        straight_rails(in->m, c);
    }
    c->known = true;
    find_all_contacts(p, in->m, c);
    return KL_OK;
}

/* ---- forces ---- */

void kl_wheel_rail_force(const wheel_rail *p, const kl_motion *m, const kl_wheel_contact *c,
                         kl_wheel_force *f)
{
    kl_vec3 d = kl_sub(m[1].r, m[0].r), w = kl_sub(m[1].w, m[0].w);
    kl_vec3 centre = kl_sub(kl_sub(m[1].v, m[0].v), kl_cross(m[0].w, d));
    centre         = kl_axpy(p->speed, c->x, centre);
    kl_vec3 wheel  = kl_add(centre, kl_cross(w, kl_sub(c->point, m[1].r)));
    kl_wheel_force_at(&p->law, c, wheel, w, kl_dot(centre, c->x), f);
}

/* Adds force and moment at `at` (from the marker) to a wrench. */
static void add_wrench(double *wrench, kl_vec3 at, kl_vec3 force, kl_vec3 moment, double sign)
{
    kl_vec3 total = kl_add(moment, kl_cross(at, force));
    kl_store(wrench, kl_axpy(sign, force, kl_load(wrench)));
    kl_store(wrench + 3, kl_axpy(sign, total, kl_load(wrench + 3)));
}

static void add_forces(const wheel_rail *p, const kl_motion *m, const wheel_rail_cache *c,
                       kl_writing *out)
{
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < c->wheel[k].n; i++) {
            const kl_wheel_contact *at = &c->wheel[k].contact[i];
            kl_wheel_force          f;
            kl_wheel_rail_force(p, m, at, &f);
            add_wrench(out->wrench, kl_sub(at->point, m[0].r), f.force, f.moment, -1.0);
            add_wrench(out->wrench + 6, kl_sub(at->point, m[1].r), f.force, f.moment, 1.0);
            out->loss += f.loss;
            /* the track may run; and elastic work comes back, though not as that of a potential:
             * the stiffness of Hertz changes with the place of contact */
            out->supply -=
                p->speed * kl_dot(f.force, at->x) + c->wheel[k].contact[i].elastic * f.approach;
        }
}

static kl_status wheel_rail_eval(const kl_reading *in, kl_writing *out)
{
    add_forces(in->data, in->m, in->cache, out);
    return KL_OK;
}

/* ---- tangent ---- */

/* Wrenches at both markers for a motion of marker 1 that differs; `c` is scratch, or found already. */
static void wrench_at(const kl_reading *in, const kl_motion *m, wheel_rail_cache *c, bool moved,
                      double wrench[12])
{
    kl_writing out = {.wrench = wrench};
    memset(wrench, 0, 12 * sizeof *wrench);
    if (moved) find_all_contacts(in->data, m, c); /* the rails stay: their bend is slight */
    add_forces(in->data, m, c, &out);
}

/* The largest penetration at a position [m]. */
static double deepest(const wheel_rail_cache *c)
{
    double most = 1e-6;
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < c->wheel[k].n; i++) most = fmax(most, c->wheel[k].contact[i].depth);
    return most;
}

/* Marker 1 moved, or its velocity changed, along or about (turn) the vector e. */
static kl_motion nudged(const kl_motion *m, kl_vec3 e, bool turn, bool moved)
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
static void directions(const wheel_rail *p, const kl_motion *m, const kl_mat3 *track, kl_vec3 d[6])
{
    kl_vec3 x = kl_axis(track, 0), axle = kl_mul(&m[1].A, p->axle);
    for (int j = 0; j < 3; j++) d[j] = kl_axis(track, j);
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

/* Derivatives by position (moved) or velocity of marker 1, 12 x 6, central differences. The steps are
 * small against a penetration and against the speed of slip: their error is below 1e-6. */
static void by_wheel(const kl_reading *in, const double *wrench, bool moved, double D[12][6])
{
    const wheel_rail *p  = in->data;
    wheel_rail_cache  c  = *(const wheel_rail_cache *)in->cache;
    double            V  = fabs(kl_dot(in->m[1].v, kl_axis(&c.middle.A, 0)) + p->speed);
    double            dv = 1e-5 * fmax(V, p->speed_floor);
    double            dr = moved ? fmax(1e-5 * deepest(&c), 2e-9) : dv;
    kl_vec3           d[6];
    directions(p, in->m, &c.middle.A, d);
    memset(D, 0, 72 * sizeof(double));
    for (int j = 0; j < 6; j++) {
        double    h    = j < 3 ? dr : dr / p->half_gauge, w[2][12], column[12], e[3];
        kl_motion m[2] = {in->m[0], in->m[1]};
        if (!(moved && known_column(in->m, d[0], wrench, j, column))) {
            for (int sign = 0; sign < 2; sign++) {
                m[1] = nudged(&in->m[1], kl_scale(sign ? -h : h, d[j]), j >= 3, moved);
                wrench_at(in, m, &c, moved, w[sign]);
            }
            for (int i = 0; i < 12; i++) column[i] = (w[0][i] - w[1][i]) / (2.0 * h);
        }
        kl_store(e, d[j]);
        for (int i = 0; i < 12; i++)
            for (int k = 0; k < 3; k++) D[i][(j < 3 ? 0 : 3) + k] += column[i] * e[k];
    }
}

/* Columns of marker 0 follow from those of marker 1: if both move together as one body, with their
 * velocities, the wrenches turn with them. For velocities, a translation or rotation in common leaves
 * the slip as it is; the moment arms stand. */
static void wheel_rail_tangent(const kl_reading *in, const double *lambda, kl_slopes *out)
{
    (void)lambda;
    const kl_motion *m = in->m;
    double           K[12][6], C[12][6], w[12];
    kl_vec3          d = kl_sub(m[1].r, m[0].r);
    wheel_rail_cache c = *(const wheel_rail_cache *)in->cache;
    wrench_at(in, m, &c, false, w);
    by_wheel(in, w, true, K);
    by_wheel(in, w, false, C);
    for (int j = 0; j < 3; j++) {
        double e[3]  = {0};
        e[j]         = 1.0;
        kl_vec3 axis = kl_load(e), arm = kl_cross(axis, d);
        kl_vec3 v1 = kl_cross(axis, m[1].v), w1 = kl_cross(axis, m[1].w);
        kl_vec3 v0 = kl_cross(axis, m[0].v), w0 = kl_cross(axis, m[0].w);
        double  a[3], dv[3], dw[3];
        kl_store(a, arm);
        /* marker 1 as the frame of marker 0 sees it: velocity v1 - v0 - w0 x d, rate w1 - w0 */
        kl_store(dv, kl_sub(kl_sub(v1, v0), kl_cross(w0, d)));
        kl_store(dw, kl_sub(w1, w0));
        for (int i = 0; i < 12; i++) {
            kl_vec3 turned = kl_cross(axis, kl_load(w + 3 * (i / 3)));
            double  t[3], k = -K[i][3 + j], cc = -C[i][3 + j];
            kl_store(t, turned);
            for (int q = 0; q < 3; q++) {
                k -= K[i][q] * a[q] + C[i][q] * dv[q] + C[i][3 + q] * dw[q];
                cc -= C[i][q] * a[q];
            }
            out->K[i * 12 + 3 + j] += k + t[i % 3];
            out->C[i * 12 + 3 + j] += cc;
            out->C[i * 12 + j] -= C[i][j];
            out->C[i * 12 + 6 + j] += C[i][j];
            out->C[i * 12 + 9 + j] += C[i][3 + j];
            out->K[i * 12 + j] -= K[i][j];
            out->K[i * 12 + 6 + j] += K[i][j];
            out->K[i * 12 + 9 + j] += K[i][3 + j];
        }
    }
}

const kl_element_type kl_wheel_rail = {
    .name     = "wheel-rail",
    .help     = "a wheelset on the rails: contact search, Hertz, creep forces",
    .equation = "N = k d^1.5 (1 + c d'), Fx = -mu N f(G a b xi/(mu N), ...) by the creep law",
    .example =
        "rails: {type: wheel-rail, between: [ground, wheelset], at: [[0, 0, 0], [0, 0, 0.46]], "
        "radius: 0.46, conicity: 0.05, rail_radius: 0.3, speed: 20 m/s}",
    .keys      = kl_wheel_rail_keys,
    .outputs   = kl_wheel_rail_outputs,
    .attach    = &kl_attach_pair,
    .data_size = sizeof(wheel_rail),
    .setup     = kl_wheel_rail_setup,
    .locate    = wheel_rail_locate,
    .eval      = wheel_rail_eval,
    .tangent   = wheel_rail_tangent,
    .output    = kl_wheel_rail_output,
    .watch     = kl_wheel_rail_watch};
