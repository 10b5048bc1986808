/* A wheelset, or one wheel, on the rails.
 *
 * Marker 0 is on the track: x along it, y to the left, z up, its origin in the middle of the track on
 * the plane of the rail tops. Marker 1 is on the wheelset in the middle of the axle; y is the axle.
 * Wheels are surfaces of revolution, so it does not matter whether the marker spins with them.
 *
 * `locate` finds where the surfaces overlap, and from the curvatures there the ellipse, the elastic
 * force and Kalker's coefficients. `eval` adds what depends on velocities: damping and creepages,
 * taken from the true velocities of both bodies at the contact. With `speed` the track runs backwards
 * under the model, which so stands in a frame that runs along with the vehicle. */
#include <math.h>
#include <string.h>

#include "base/rotation.h"
#include "railway/cone_on_arc.h"
#include "railway/profiles.h"
#include "railway/railway.h"
#include "railway/touch_search.h"
#include "railway/wheel_force.h"

typedef enum wheel_sides { BOTH, LEFT, RIGHT } wheel_sides;

typedef struct wheel_rail {
    /* keys */
    int    side, creep, wheel, rail;
    double radius, back_to_back, half_gauge, conicity, rail_radius, gauge, inclination;
    double friction, friction_ratio, friction_decay;
    double f11, f22, f23, f33;
    double E, nu, stiffness, damping, speed, speed_floor, kA, kS, grid;
    /* from setup */
    kl_cone_on_arc    cone;
    kl_contact_search search;
    kl_wheel_law      law;
} wheel_rail;

/* One wheel at one position; contacts are in global axes. */
typedef struct wheel_state {
    int              n;
    double           gap; /* between wheel and rail where there is no contact; 0 else [m] */
    kl_wheel_contact contact[KL_TOUCH_MOST];
} wheel_state;

typedef struct wheel_rail_cache {
    wheel_state wheel[2]; /* left, right */
} wheel_rail_cache;

static const double SIDE[2]     = {1.0, -1.0}; /* outward is y times this */
static const double LIFT_MARGIN = 0.05;        /* distances up to this are reported as lift [m] */

static bool has_side(const wheel_rail *p, int k) { return p->side == BOTH || p->side - LEFT == k; }

/* ---- position ---- */

static kl_vec3 mirrored(kl_vec3 a, double side) { return kl_vec(a.x, side * a.y, a.z); }

/* A contact found in side axes, in global axes. */
static void turn_out(const kl_motion *track, double side, kl_touch *t)
{
    kl_vec3 *point[2] = {&t->wheel, &t->rail};
    for (int i = 0; i < 2; i++)
        *point[i] = kl_add(track->r, kl_mul(&track->A, mirrored(*point[i], side)));
    t->normal = kl_mul(&track->A, mirrored(t->normal, side));
}

static void find_contacts(const wheel_rail *p, const kl_motion *m, int k, wheel_state *w)
{
    double        side   = SIDE[k];
    kl_vec3       center = kl_mul_t(&m[0].A, kl_sub(m[1].r, m[0].r));
    kl_vec3       axle   = kl_mul_t(&m[0].A, kl_axis(&m[1].A, 1));
    kl_wheel_pose pose   = {.center = mirrored(kl_axpy(side * p->half_gauge, axle, center), side),
                            .axle   = mirrored(kl_scale(side, axle), side)};
    kl_touch      touch[KL_TOUCH_MOST];
    int           n = p->search.find(p->search.data, &pose, LIFT_MARGIN, NULL, touch);
    w->n            = 0;
    w->gap          = LIFT_MARGIN;
    for (int i = 0; i < n; i++) {
        w->gap = fmin(w->gap, fmax(0.0, -touch[i].depth));
        if (!(touch[i].depth > 0.0)) continue;
        turn_out(&m[0], side, &touch[i]);
        kl_wheel_contact_of(&p->law, &touch[i], kl_axis(&m[0].A, 0), &w->contact[w->n++]);
    }
}

static kl_status wheel_rail_locate(const kl_reading *in, void *cache)
{
    const wheel_rail *p = in->data;
    wheel_rail_cache *c = cache;
    for (int k = 0; k < 2; k++)
        if (has_side(p, k)) find_contacts(p, in->m, k, &c->wheel[k]);
        else c->wheel[k].n = 0;
    return KL_OK;
}

/* ---- forces ---- */

/* Force at one contact, from the velocities of the wheel against the rail there. */
static void force_at(const wheel_rail *p, const kl_motion *m, const kl_wheel_contact *c,
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
            force_at(p, m, at, &f);
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
    kl_reading at  = *in;
    kl_writing out = {.wrench = wrench};
    memset(wrench, 0, 12 * sizeof *wrench);
    at.m = m;
    if (moved) wheel_rail_locate(&at, c);
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

/* Derivatives by position (moved) or velocity of marker 1, 12 x 6, central differences. The steps are
 * small against a penetration and against the speed of slip: their error is below 1e-6. */
static void by_wheel(const kl_reading *in, bool moved, double D[12][6])
{
    const wheel_rail *p  = in->data;
    wheel_rail_cache  c  = *(const wheel_rail_cache *)in->cache;
    double            V  = fabs(kl_dot(in->m[1].v, kl_axis(&in->m[0].A, 0)) + p->speed);
    double            dv = 1e-5 * fmax(V, p->speed_floor), dr = fmax(2e-5 * deepest(&c), 2e-9);
    double            step[2] = {moved ? dr : dv, (moved ? dr : dv) / p->half_gauge};
    for (int j = 0; j < 6; j++) {
        double    h = step[j / 3], e[3] = {0}, w[2][12];
        kl_motion m[2] = {in->m[0], in->m[1]};
        for (int sign = 0; sign < 2; sign++) {
            e[j % 3] = sign ? -h : h;
            m[1]     = in->m[1];
            if (!moved && j < 3) m[1].v = kl_add(m[1].v, kl_load(e));
            if (!moved && j >= 3) m[1].w = kl_add(m[1].w, kl_load(e));
            if (moved && j < 3) m[1].r = kl_add(m[1].r, kl_load(e));
            if (moved && j >= 3) {
                kl_mat3 R = kl_rotation_exp(kl_load(e));
                m[1].A    = kl_matmul(&R, &m[1].A);
            }
            wrench_at(in, m, &c, moved, w[sign]);
        }
        for (int i = 0; i < 12; i++) D[i][j] = (w[0][i] - w[1][i]) / (2.0 * h);
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
    by_wheel(in, true, K);
    by_wheel(in, false, C);
    wrench_at(in, m, &c, false, w);
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

/* ---- outputs ---- */

/* Of one wheel, in this order. */
enum { Q, Y, YQ, N, XI, ETA, PHI, A, B, WEAR, SLIP, ANGLE, WHEEL_U, RAIL_U, PATCHES, LIFT, NWHEEL };
enum { SHIFT, YAW, RUNNING_SPEED, NCOMMON };

static void wheel_output(const kl_reading *in, int k, double *v)
{
    const wheel_state *w    = &((const wheel_rail_cache *)in->cache)->wheel[k];
    kl_vec3            up   = kl_axis(&in->m[0].A, 2);
    kl_vec3            left = kl_axis(&in->m[0].A, 1);
    double             most = 0.0;
    memset(v, 0, NWHEEL * sizeof *v);
    v[PATCHES] = w->n;
    v[LIFT]    = w->gap;
    for (int i = 0; i < w->n; i++) {
        const kl_wheel_contact *c = &w->contact[i];
        kl_wheel_force          f;
        force_at(in->data, in->m, c, &f);
        v[Q] += kl_dot(f.force, up);
        v[Y] -= SIDE[k] * kl_dot(f.force, left);
        v[N] += f.N;
        v[WEAR] += f.wear;
        if (f.N <= most) continue;
        /* the rest is that of the patch with the largest load */
        most  = f.N;
        v[XI] = f.xi, v[ETA] = f.eta, v[PHI] = f.phi, v[SLIP] = f.slip;
        v[A] = c->a, v[B] = c->b, v[WHEEL_U] = c->wheel_u, v[RAIL_U] = c->rail_u;
        v[ANGLE] = atan2(-SIDE[k] * kl_dot(c->n, left), kl_dot(c->n, up));
    }
    v[YQ] = v[Q] != 0.0 ? v[Y] / v[Q] : 0.0;
}

static void wheel_rail_output(const kl_reading *in, const double *lambda, double *values)
{
    (void)lambda;
    const wheel_rail *p = in->data;
    const kl_motion  *m = in->m;
    kl_vec3 d = kl_sub(m[1].r, m[0].r), ex = kl_axis(&m[0].A, 0), ey = kl_axis(&m[0].A, 1);
    kl_vec3 v = kl_sub(kl_sub(m[1].v, m[0].v), kl_cross(m[0].w, d)), axle = kl_axis(&m[1].A, 1);
    values[SHIFT]         = kl_dot(d, ey);
    values[YAW]           = atan2(-kl_dot(axle, ex), kl_dot(axle, ey));
    values[RUNNING_SPEED] = kl_dot(v, ex) + p->speed;
    for (int k = 0; k < 2; k++) wheel_output(in, k, values + NCOMMON + k * NWHEEL);
}

#define WHEEL_OUTPUTS(side)                                                                        \
    {"Q_" side, "N", "vertical force of the " side " wheel on the rail"},                          \
        {"Y_" side, "N", "lateral force of the " side " wheel on the rail, outward"},              \
        {"YQ_" side, "1", "Y over Q of the " side " wheel"},                                       \
        {"N_" side, "N", "normal forces of the " side " wheel, added"},                            \
        {"xi_" side, "1", "longitudinal creepage at the patch with the largest load"},             \
        {"eta_" side, "1", "lateral creepage there"}, {"phi_" side, "1/m", "spin creepage there"}, \
        {"a_" side, "m", "semi-axis of the patch along the rail"},                                 \
        {"b_" side, "m", "semi-axis across"},                                                      \
        {"wear_" side, "N", "wear number T gamma: energy dissipated for each metre rolled"},       \
        {"slip_" side, "1", "share of the patch that slips; the law linear gives 0"},              \
        {"angle_" side, "rad", "contact angle against the track plane"},                           \
        {"wheel_u_" side, "m", "contact point on the wheel: outward from the running circle"},     \
        {"rail_u_" side, "m", "contact point on the rail: outward in its own profile"},            \
        {"patches_" side, "1", "number of contact patches"},                                       \
    {                                                                                              \
        "lift_" side, "m", "distance of the " side " wheel from its rail; 0 in contact"            \
    }

static const kl_output wheel_rail_outputs[] = {
    {"shift", "m", "lateral position of the wheelset in the track, to the left"},
    {"yaw", "rad", "yaw of the axle against the track"},
    {"running_speed", "m/s", "speed along the track"},
    WHEEL_OUTPUTS("left"),
    WHEEL_OUTPUTS("right"),
    {0}};

/* ---- set-up ---- */

enum { WHEEL_CONE, WHEEL_S1002 };
enum { RAIL_ARC, RAIL_60E1, RAIL_UIC60 };
static const double RUNNING_CIRCLE = 0.07; /* from the inner face of a wheel [m], EN 13715 */

static kl_status wheel_outline(const wheel_rail *p, kl_arena *arena, kl_outline *o)
{
    return p->wheel == WHEEL_CONE ? kl_wheel_cone(p->conicity, 0.12, arena, o)
                                  : kl_wheel_s1002(arena, o);
}

static kl_status rail_outline(const wheel_rail *p, kl_arena *arena, kl_outline *o)
{
    if (p->rail == RAIL_ARC) return kl_rail_arc(p->rail_radius, 0.07, arena, o);
    return kl_rail_from_head(p->rail == RAIL_60E1 ? &kl_rail_60e1 : &kl_rail_uic60, arena, o);
}

/* The general search on profiles, which live in the model's arena. */
static kl_status search_profiles(wheel_rail *p, const kl_setup *s)
{
    kl_outline     *o       = kl_arena_array(s->arena, kl_outline, 3);
    kl_rail_setting setting = {p->gauge, KL_RAIL_SETTING.gauge_depth, p->inclination};
    double          shift[2];
    if (!o) return KL_E_MEMORY;
    KL_TRY(wheel_outline(p, s->arena, &o[0]));
    KL_TRY(rail_outline(p, s->arena, &o[1]));
    KL_TRY(kl_rail_placed(&o[1], &setting, s->arena, &o[2], shift));
    return kl_touch_search_create(&o[0], p->radius, &o[2], shift[0], s->arena, &p->search);
}

static kl_status make_search(wheel_rail *p, const kl_setup *s)
{
    if (isnan(p->half_gauge)) p->half_gauge = 0.5 * p->back_to_back + RUNNING_CIRCLE;
    if (p->wheel != WHEEL_CONE || p->rail != RAIL_ARC) return search_profiles(p, s);
    p->cone   = kl_cone_on_arc_place(p->conicity, p->radius, p->rail_radius, p->half_gauge);
    p->search = kl_cone_on_arc_search(&p->cone);
    return KL_OK;
}

static kl_status wheel_rail_setup(void *data, const kl_setup *s, const kl_motion *m, int nmarker,
                                  kl_element_size *size)
{
    (void)m, (void)nmarker;
    wheel_rail *p = data;
    KL_TRY(make_search(p, s));
    p->law                = (kl_wheel_law){.creep       = &kl_creep_laws[p->creep],
                                           .options     = kl_creep_defaults(),
                                           .friction    = {p->friction, p->friction_ratio, p->friction_decay},
                                           .steel       = kl_elastic_same(p->E, p->nu),
                                           .given       = {p->f11, p->f22, p->f23, p->f33},
                                           .stiffness   = isnan(p->stiffness) ? 0.0 : p->stiffness,
                                           .damping     = p->damping,
                                           .speed_floor = p->speed_floor,
                                           .flattest    = 0.1};
    p->law.options.kA     = p->kA;
    p->law.options.kS     = p->kS;
    p->law.options.strips = p->law.options.cells = (int)p->grid;
    size->cache                                  = sizeof(wheel_rail_cache);
    return KL_OK;
}

#define NUMBER(key_, field_, unit_, fallback_, min_, max_, help_)                                  \
    {                                                                                              \
        .name = key_, .kind = KL_KEY_NUMBER, .offset = offsetof(wheel_rail, field_),               \
        .unit = unit_, .fallback = fallback_, .min = min_, .max = max_, .help = help_              \
    }

static const kl_key wheel_rail_keys[] = {
    {.name     = "side",
     .kind     = KL_KEY_WORD,
     .offset   = offsetof(wheel_rail, side),
     .words    = "both left right",
     .fallback = "both",
     .help     = "which wheels: a wheelset has both, a wheel that rotates independently is one"},
    NUMBER("radius", radius, "m", "0.46", 0.05, 2.0, "wheel radius at the running circle"),
    NUMBER("back_to_back", back_to_back, "m", "1.36", 0.1, 4.0,
           "distance of the inner faces of the wheels; the running circles are 70 mm further out"),
    NUMBER("half_gauge", half_gauge, "m", "", 0.1, 2.0,
           "half the distance of the running circles, instead of back_to_back"),
    {.name     = "wheel",
     .kind     = KL_KEY_WORD,
     .offset   = offsetof(wheel_rail, wheel),
     .words    = "cone S1002",
     .fallback = "cone",
     .help     = "profile of the wheels"},
    NUMBER("conicity", conicity, "1", "0.05", -1.0, 1.0,
           "tangent of the cone angle of a wheel `cone`; positive: the radius falls outward"),
    {.name     = "rail",
     .kind     = KL_KEY_WORD,
     .offset   = offsetof(wheel_rail, rail),
     .words    = "arc 60E1 UIC60",
     .fallback = "arc",
     .help = "profile of the rails; a cone on an arc touches at the running circle when centred"},
    NUMBER("gauge", gauge, "m", "1.435", 0.1, 4.0, "distance of the rails, 14 mm below their tops"),
    NUMBER("inclination", inclination, "1", "0.025", -1.0, 1.0,
           "tangent of the angle by which the rails lean inward: 1/40"),
    NUMBER("rail_radius", rail_radius, "m", "0.3", 0.0, 10.0,
           "radius of the rail head; 0: a knife edge"),
    {.name     = "creep",
     .kind     = KL_KEY_WORD,
     .offset   = offsetof(wheel_rail, creep),
     .words    = "linear heuristic polach fastsim",
     .fallback = "fastsim",
     .help     = "law of the creep force"},
    NUMBER("grid", grid, "1", "10", 1.0, 100.0, "strips and cells a strip of fastsim"),
    NUMBER("kA", kA, "1", "1", 0.0, 1.0, "polach: factor in the area of adhesion"),
    NUMBER("kS", kS, "1", "1", 0.0, 1.0, "polach: factor in the area of slip"),
    NUMBER("friction", friction, "1", "0.3", 0.0, 10.0, "friction coefficient at small slip"),
    NUMBER("friction_ratio", friction_ratio, "1", "1", 0.0, 1.0,
           "friction at large slip velocity over friction at small slip"),
    NUMBER("friction_decay", friction_decay, "s/m", "0", 0.0, 100.0,
           "how fast friction falls with the slip velocity (B of Polach 2005)"),
    NUMBER("f11", f11, "N", "", 0.0, 1e300, "longitudinal creep coefficient instead of Kalker's"),
    NUMBER("f22", f22, "N", "", 0.0, 1e300, "lateral creep coefficient instead of Kalker's"),
    NUMBER("f23", f23, "N m", "", -1e300, 1e300, "spin creep coefficient instead of Kalker's"),
    NUMBER("f33", f33, "N m2", "", 0.0, 1e300, "spin moment coefficient instead of Kalker's"),
    NUMBER("young", E, "Pa", "210e9", 1.0, 1e300, "Young's modulus of wheel and rail"),
    NUMBER("poisson", nu, "1", "0.28", 0.0, 0.5, "Poisson's ratio of wheel and rail"),
    NUMBER("stiffness", stiffness, "N/m", "", 0.0, 1e300,
           "constant normal stiffness of a contact instead of Hertz"),
    NUMBER("damping", damping, "s/m", "1", 0.0, 100.0,
           "normal force over elastic force is 1 + damping times the approach speed"),
    NUMBER(
        "speed", speed, "m/s", "0", 0.0, 0.0,
        "running speed, added to the motion of the bodies: the model stands in a frame that runs "
        "along"),
    NUMBER("speed_floor", speed_floor, "m/s", "0.01", 1e-6, 10.0,
           "below this rolling speed creepages fade, so that forces are defined at rest"),
    {0}};

const kl_element_type kl_wheel_rail = {
    .name     = "wheel-rail",
    .help     = "a wheelset on the rails: contact search, Hertz, creep forces",
    .equation = "N = k d^1.5 (1 + c d'), Fx = -mu N f(G a b xi/(mu N), ...) by the creep law",
    .example =
        "rails: {type: wheel-rail, between: [ground, wheelset], at: [[0, 0, 0], [0, 0, 0.46]], "
        "radius: 0.46, conicity: 0.05, rail_radius: 0.3, speed: 20 m/s}",
    .keys      = wheel_rail_keys,
    .outputs   = wheel_rail_outputs,
    .attach    = &kl_attach_pair,
    .data_size = sizeof(wheel_rail),
    .setup     = wheel_rail_setup,
    .locate    = wheel_rail_locate,
    .eval      = wheel_rail_eval,
    .tangent   = wheel_rail_tangent,
    .output    = wheel_rail_output};
