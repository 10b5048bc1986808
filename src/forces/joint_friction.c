/* Friction in a joint, with sticking; usually given as `friction: {...}` of the joint.
 *
 * Slip u at the surface of the joint, in the directions that it leaves free (r = radius):
 *
 *   revolute       u = r w_z                  translational  u = v_z
 *   cylindrical    u = (r w_z, v_z)           spherical      u = r (w_x, w_y, w_z)
 *   universal      u = r w.z_i and u = r w.z_j: two bearings, each with its own friction
 *
 * The friction force T of a law (contact/friction_law.h) acts against u and does the work T.u. Its
 * normal force is N = preload + |reaction force of the joint|. The reaction is that of the last
 * accepted step, carried on with its last rate, so that N(t) errs by O(h^2). Where sticking or slipping
 * begins, that rate ends; the step after it is shortened until N changes by less than 1 %. With `torque`
 * or `force` the limit is constant instead, and r = torque/force where both act.
 *
 *   coulomb    sticks elastically over the distance y0, slips with mu N
 *   stribeck   the same, slips with mu N + (mu_s - mu) N exp(-(s/v0)^2)
 *   lugre      bristles as a state, with the curve of Stribeck
 *
 * The elastic displacement while it sticks is a history, carried on with (u_old + u)/2 dt. */
#include <math.h>
#include <string.h>

#include "contact/friction_law.h"
#include "forces/forces.h"
#include "joints/coordinate.h"
#include "model/model.h"

enum { COULOMB, STRIBECK, LUGRE };
enum { MOST = 3, BEARINGS = 2 };

/* Directions that a kind of joint leaves free, in its own axes: turns about x, y, z of the first
 * marker or about z of the second, slides along z of the first. */
typedef enum direction { TURN_X, TURN_Y, TURN_Z, TURN_SECOND, SLIDE } direction;

typedef struct freedom {
    const char *joint;
    int         n;
    direction   way[MOST];
    int         bearing[MOST]; /* directions of one bearing share its friction */
} freedom;

static const freedom freedoms[] = {
    {"revolute", 1, {TURN_Z}, {0}},
    {"translational", 1, {SLIDE}, {0}},
    {"cylindrical", 2, {TURN_Z, SLIDE}, {0, 0}},
    {"spherical", 3, {TURN_X, TURN_Y, TURN_Z}, {0, 0, 0}},
    {"universal", 2, {TURN_Z, TURN_SECOND}, {0, 1}},
};

/* history */
enum {
    TIME,
    NORMAL, /* reaction force [N] and its rate */
    NORMAL_RATE,
    SWITCHED, /* 1: sticking or slipping has just begun: the rate is unknown */
    STRAY,    /* of the step after that, a crossing: the reaction strayed too far or not */
    STATE,    /* of each bearing: 0 unknown, 1 sticks, 2 slips */
    PHASE   = STATE + BEARINGS, /* of each bearing: distance to the change of state */
    GAP     = PHASE + BEARINGS, /* of each direction: elastic displacement [m] */
    SLIP    = GAP + MOST,       /* of each direction [m/s] */
    HISTORY = SLIP + MOST
};

typedef struct joint_friction {
    int    law;
    double mu, mu_s, ratio, radius, preload, torque, force, speed, presliding, viscous;
    /* derived */
    freedom         ways;
    double          arm[MOST]; /* slip per rate of each direction [m], or 1 */
    bool            constant;  /* the normal force does not depend on the reaction */
    kl_friction_law friction;
} joint_friction;

/* Error control of the bristles. Their deflection is a displacement of the joint, but measured by the size of
 * the model it would leave the friction force uncertain by some percent, and measured by itself it asks for
 * that force to nine digits at the default tolerance: a lift of 10 m took 264 000 steps in 10 s, with position
 * errors of 1e-7 of what is allowed. With this factor the force has six digits. */
static const double BRISTLE_SCALE = 1e3; /* over the elastic displacement */

/* ---- motion ---- */

static void row_of(const joint_friction *p, const kl_motion *m, int k, double *row)
{
    direction way = p->ways.way[k];
    if (way == SLIDE) {
        kl_scalar x;
        kl_coordinate_eval((kl_coordinate){KL_DOT2, 2, 0}, m, 0.0, &x);
        memcpy(row, x.row, sizeof x.row);
        return;
    }
    kl_vec3 a = way == TURN_SECOND ? kl_axis(&m[1].A, 2) : kl_axis(&m[0].A, (int)way);
    memset(row, 0, 12 * sizeof *row);
    kl_store(row + 3, kl_neg(a));
    kl_store(row + 9, a);
}

static double rate_of(const double *row, const kl_motion *m)
{
    double sum = 0.0;
    for (int j = 0; j < 2; j++)
        sum += kl_dot(kl_load(row + 6 * j), m[j].v) + kl_dot(kl_load(row + 6 * j + 3), m[j].w);
    return sum;
}

/* ---- friction ---- */

/* Reaction now: carried on from the last step, by no more than half of itself. */
static double normal_of(const joint_friction *p, const kl_reading *in)
{
    const double *h = in->h;
    if (p->constant) return p->preload;
    double change = h[NORMAL_RATE] * (in->t - h[TIME]), most = 0.5 * h[NORMAL];
    return p->preload + h[NORMAL] + fmax(-most, fmin(most, change));
}

static double component(kl_vec3 a, int k) { return k == 0 ? a.x : k == 1 ? a.y : a.z; }

/* All that one bearing does: rows and slips of its directions, and its friction. */
typedef struct bearing {
    int               n, way[MOST]; /* its directions */
    double            row[MOST][12];
    double            normal;
    kl_friction_law   law; /* with the stiffness that belongs to this normal force */
    kl_friction_force f;
} bearing;

static void bearing_of(const joint_friction *p, const kl_reading *in, int which, bearing *b)
{
    double slip[MOST] = {0}, gap[MOST] = {0}, z[MOST] = {0}, dt = in->t - in->h[TIME];
    b->n = 0;
    for (int k = 0; k < p->ways.n; k++) {
        if (p->ways.bearing[k] != which) continue;
        int i     = b->n++;
        b->way[i] = k;
        row_of(p, in->m, k, b->row[i]);
        slip[i] = p->arm[k] * rate_of(b->row[i], in->m);
        gap[i]  = in->h[GAP + k] + 0.5 * dt * (in->h[SLIP + k] + slip[i]);
        if (p->law == LUGRE) z[i] = in->z[k];
        for (int c = 0; c < 12; c++) b->row[i][c] *= p->arm[k];
    }
    b->normal = normal_of(p, in);
    b->law    = p->friction;
    /* the elastic displacement at which it slips is y0 whatever the load; the damping is somewhat above
     * the critical one where the load is a weight, so that a load that begins at once is held */
    double s0    = p->friction.mu_s / p->presliding;
    b->law.k_t   = s0 * b->normal;
    b->law.c_t   = sqrt(s0) * b->normal;
    bool presses = b->normal > 0.0;
    memset(&b->f, 0, sizeof b->f);
    kl_friction_input i = {.slip   = kl_load(slip),
                           .normal = b->normal,
                           .gap    = kl_load(gap),
                           .slips  = in->h[STATE + which] == 2.0,
                           .z      = kl_load(z)};
    if (presses || p->law == LUGRE) kl_friction_eval(&b->law, &i, &b->f);
    else b->f.gap = i.gap;
}

static int bearings(const joint_friction *p)
{
    return p->ways.n > 0 ? p->ways.bearing[p->ways.n - 1] + 1 : 0;
}

static kl_status joint_friction_eval(const kl_reading *in, kl_writing *out)
{
    const joint_friction *p = in->data;
    for (int which = 0; which < bearings(p); which++) {
        bearing b;
        double  work = 0.0;
        bearing_of(p, in, which, &b);
        for (int i = 0; i < b.n; i++) {
            double f = component(b.f.f, i);
            for (int c = 0; c < 12; c++) out->wrench[c] += f * b.row[i][c];
            if (p->law == LUGRE) out->z_dot[b.way[i]] = component(b.f.z_dot, i);
            /* the elastic displacement belongs to the normal force: nothing is kept when it goes, so
             * no energy is stored. What the elastic return gives back counts as supplied */
            work -= f * rate_of(b.row[i], in->m);
        }
        if (work >= 0.0) out->loss += work;
        else out->supply -= work;
    }
    return KL_OK;
}

/* D = d(row')/d(increment) of a direction, times scale: K += scale D. Of a turn the row is -+a, and a turns with the
 * marker that carries it, da = dtheta x a. */
static void add_row_slope(const joint_friction *p, const kl_motion *m, int k, double scale,
                          double *K)
{
    static const kl_coordinate slide = {KL_DOT2, 2, 0};
    direction                  way   = p->ways.way[k];
    if (way == SLIDE) {
        kl_coordinate_curvature(slide, m, scale, K);
        return;
    }
    int     at = way == TURN_SECOND ? 9 : 3;
    kl_vec3 a  = kl_axis(&m[at / 9].A, way == TURN_SECOND ? 2 : (int)way);
    for (int c = 0; c < 3; c++) {
        double e[3] = {0}, da[3];
        e[c]        = scale;
        kl_store(da, kl_cross(kl_load(e), a));
        for (int r = 0; r < 3; r++) {
            K[(3 + r) * 12 + at + c] -= da[r];
            K[(9 + r) * 12 + at + c] += da[r];
        }
    }
}

/* d(rate)/d(increment) = D' V */
static void rate_slope_of(const joint_friction *p, const kl_motion *m, int k, double scale,
                          double *slope)
{
    double D[144] = {0}, V[12];
    add_row_slope(p, m, k, scale, D);
    for (int j = 0; j < 2; j++) {
        kl_store(V + 6 * j, m[j].v);
        kl_store(V + 6 * j + 3, m[j].w);
    }
    for (int c = 0; c < 12; c++) {
        slope[c] = 0.0;
        for (int r = 0; r < 12; r++) slope[c] += V[r] * D[r * 12 + c];
    }
}

/* w = r' f(u, g), u = r V, g = g0 + (u0 + u) dt/2, of each bearing:
 *
 *   dw/dV = r' F r,   dw/dq = r' F d(r V)/dq + f dr'/dq,   F = df/du + dt/2 df/dg
 *
 * Differences would not do: just before it slips they would see the force fall from static to sliding
 * friction. */
static void joint_friction_tangent(const kl_reading *in, const double *lambda, kl_slopes *out)
{
    (void)lambda;
    const joint_friction *p  = in->data;
    double                dt = in->t - in->h[TIME], slope[12];
    int                   nz = p->law == LUGRE ? p->ways.n : 0;
    for (int which = 0; which < bearings(p); which++) {
        bearing b;
        bearing_of(p, in, which, &b);
        kl_mat3 F = b.f.by_slip;
        if (p->law != LUGRE) F = kl_mat_axpy(0.5 * dt, &b.f.by_state, &F);
        for (int j = 0; j < b.n; j++) {
            int k = b.way[j];
            add_row_slope(p, in->m, k, p->arm[k] * component(b.f.f, j), out->K);
            rate_slope_of(p, in->m, k, p->arm[k], slope);
            for (int i = 0; i < b.n; i++) {
                int z = b.way[i];
                kl_add_outer(F.m[i][j], b.row[i], slope, out->K);
                kl_add_outer(F.m[i][j], b.row[i], b.row[j], out->C);
                if (p->law != LUGRE) continue;
                for (int c = 0; c < 12; c++) {
                    out->wz[c * nz + k] += b.row[i][c] * b.f.by_state.m[i][j];
                    out->zk[z * 12 + c] += b.f.z_by_slip.m[i][j] * slope[c];
                    out->zc[z * 12 + c] += b.f.z_by_slip.m[i][j] * b.row[j][c];
                }
                out->zz[z * nz + k] += b.f.z_by_z.m[i][j];
            }
        }
    }
}

/* ---- history ---- */

/* Values of the crossing STRAY: the rate is in use; the first step without it is short enough, which
 * passes the zero by an allowed amount; it is too long. */
static const double IN_USE = 0.9, SHORT_ENOUGH = -0.5, TOO_LONG = -2.0;
static const double STRAYS_BY = 0.01; /* of the normal force */

static void joint_friction_crossings(const kl_reading *in, kl_crossing *out)
{
    const joint_friction *p = in->data;
    for (int which = 0; which < bearings(p); which++) {
        double state = p->law == LUGRE ? 0.0 : in->h[STATE + which]; /* states need no events */
        bool   jumps = state == 2.0 && p->law == COULOMB && p->friction.mu_s > p->friction.mu_d;
        out[which]   = (kl_crossing){.value     = state == 0.0 ? (double)NAN : in->h[PHASE + which],
                                     .rate      = (double)NAN,
                                     .tolerance = 1.0,
                                     .kind      = jumps ? KL_CROSSING_JUMP : KL_CROSSING_KINK};
    }
    if (!p->constant)
        out[bearings(p)] = (kl_crossing){.value     = in->h[STRAY] == 0.0 ? IN_USE : in->h[STRAY],
                                         .rate      = (double)NAN,
                                         .tolerance = 1.0,
                                         .kind      = KL_CROSSING_SWITCH};
}

static void joint_friction_commit(const kl_reading *in, double *h)
{
    const joint_friction *p        = in->data;
    double                dt       = in->t - in->h[TIME];
    bool                  switched = false;
    for (int which = 0; which < bearings(p); which++) {
        bearing b;
        bearing_of(p, in, which, &b);
        bool slid = in->h[STATE + which] == 2.0;
        switched |= slid != b.f.slips;
        /* the elastic displacement at the limit does not depend on N, so that a change of N is none */
        if (p->law != LUGRE)
            h[PHASE + which] = kl_friction_phase(&b.law, &b.f, b.normal, b.normal, slid, dt);
        h[STATE + which] = b.f.slips ? 2.0 : 1.0;
        for (int i = 0; i < b.n; i++) {
            h[GAP + b.way[i]]  = component(b.f.gap, i);
            h[SLIP + b.way[i]] = rate_of(b.row[i], in->m);
        }
    }
    h[TIME] = in->t;
    if (p->constant || !in->reaction) return;
    double normal = kl_norm(kl_load(in->reaction + 6));
    bool   strays = fabs(normal - in->h[NORMAL]) > STRAYS_BY * (p->preload + normal);
    h[STRAY]      = in->h[SWITCHED] == 0.0 ? IN_USE : strays ? TOO_LONG : SHORT_ENOUGH;
    h[SWITCHED]   = switched;
    /* over tiny steps the errors of reactions would give any rate. While friction reverses, the reaction
     * follows it quickly; that rate ends where sticking or slipping begins */
    bool changes   = dt > 0.0 && !switched && fabs(normal - h[NORMAL]) > 1e-6 * normal;
    h[NORMAL_RATE] = changes ? (normal - h[NORMAL]) / dt : 0.0;
    h[NORMAL]      = normal;
}

static void joint_friction_output(const kl_reading *in, const double *lambda, double *values)
{
    (void)lambda;
    const joint_friction *p    = in->data;
    double                size = 0.0, slip = 0.0;
    bool                  slips = false;
    for (int which = 0; which < bearings(p); which++) {
        bearing b;
        bearing_of(p, in, which, &b);
        size = hypot(size, kl_norm(b.f.f));
        for (int i = 0; i < b.n; i++) slip = hypot(slip, rate_of(b.row[i], in->m));
        slips |= b.f.slips;
    }
    values[0] = normal_of(p, in);
    values[1] = size;
    values[2] = slip;
    values[3] = slips ? 0.0 : 1.0;
}

/* ---- setup ---- */

static const freedom *freedom_of(const kl_setup *s, const joint_friction *p)
{
    int         index = kl_model_find_element(s->model, s->name);
    int         of    = index >= 0 ? s->model->element[index].of[0] : -1;
    const char *joint = of >= 0          ? s->model->element[of].type->name
                        : p->force > 0.0 ? "translational"
                                         : "revolute";
    for (size_t i = 0; i < sizeof freedoms / sizeof *freedoms; i++)
        if (strcmp(freedoms[i].joint, joint) == 0) return &freedoms[i];
    kl_fail(
        s->diag, KL_E_MODEL, s->place,
        "'%s': friction belongs to revolute, translational, cylindrical, spherical and universal "
        "joints, not to a %s; give it to another joint of the mechanism",
        s->name, joint);
    return NULL;
}

/* Constant limits: slip in rad or m, the limit itself as the normal force, mu = 1. */
static kl_status constant_limit(joint_friction *p, const kl_setup *s)
{
    int kept    = 0;
    p->constant = true;
    p->preload  = p->force > 0.0 ? p->force : p->torque;
    for (int k = 0; k < p->ways.n; k++) {
        bool   slides = p->ways.way[k] == SLIDE;
        double limit  = slides ? p->force : p->torque;
        if (!(limit > 0.0)) continue;
        p->ways.way[kept]     = p->ways.way[k];
        p->ways.bearing[kept] = p->ways.bearing[k];
        p->arm[kept++]        = limit / p->preload;
    }
    p->ways.n = kept;
    if (kept > 0) return KL_OK;
    return kl_fail(s->diag, KL_E_MODEL, s->place,
                   "'%s': give `torque` for a joint that turns and `force` for one that slides, or "
                   "`mu` and `radius`",
                   s->name);
}

static kl_status load_limit(joint_friction *p, const kl_setup *s)
{
    if (isnan(p->mu))
        return kl_fail(s->diag, KL_E_MODEL, s->place,
                       "'%s': give the coefficient of friction `mu`, or a constant `torque` or "
                       "`force`",
                       s->name);
    for (int k = 0; k < p->ways.n; k++) {
        bool slides = p->ways.way[k] == SLIDE;
        if (!slides && !(p->radius > 0.0))
            return kl_fail(s->diag, KL_E_MODEL, s->place,
                           "'%s': friction of a rotation needs the radius of the pin or ball: "
                           "`radius: 10 mm`, or a constant `torque`",
                           s->name);
        p->arm[k] = slides ? 1.0 : p->radius;
    }
    return KL_OK;
}

static kl_status joint_friction_setup(void *data, const kl_setup *s, const kl_motion *m,
                                      int nmarker, kl_element_size *size)
{
    (void)m, (void)nmarker;
    joint_friction *p    = data;
    const freedom  *ways = freedom_of(s, p);
    if (!ways) return KL_E_MODEL;
    p->ways = *ways;
    KL_TRY(p->torque > 0.0 || p->force > 0.0 ? constant_limit(p, s) : load_limit(p, s));
    double mu   = p->constant ? 1.0 : p->mu;
    double mu_s = !isnan(p->mu_s) && !p->constant ? p->mu_s : p->ratio * mu;
    if (mu_s < mu)
        return kl_fail(s->diag, KL_E_RANGE, s->place,
                       "'%s': mu_static (%g) must not be smaller than mu (%g)", s->name, mu_s, mu);
    p->friction =
        (kl_friction_law){.kind    = p->law == LUGRE ? KL_FRICTION_LUGRE : KL_FRICTION_STICK_SLIP,
                          .mu_d    = mu,
                          .mu_s    = mu_s,
                          .v0      = p->law == COULOMB ? 0.0 : p->speed,
                          .viscous = p->viscous,
                          .s0      = mu_s / p->presliding};
    kl_friction_law_init(&p->friction);
    size->nh     = HISTORY;
    size->nz     = p->law == LUGRE ? p->ways.n : 0;
    size->nevent = bearings(p) + !p->constant;
    return KL_OK;
}

static kl_status joint_friction_start(const kl_reading *in, const kl_setup *s,
                                      kl_element_start *out)
{
    const joint_friction *p = in->data;
    (void)s;
    /* bristles as they are in steady slip */
    double slip[MOST] = {0}, size = 0.0, row[12];
    for (int i = 0; i < out->nz; i++) {
        row_of(p, in->m, i, row);
        slip[i] = p->arm[i] * rate_of(row, in->m);
        size    = hypot(size, slip[i]);
    }
    const kl_friction_law *f     = &p->friction;
    double                 x     = size / f->v0;
    double                 level = f->mu_d + (f->mu_s - f->mu_d) * exp(-x * x);
    for (int i = 0; i < out->nz; i++) {
        out->scale[i] = BRISTLE_SCALE * p->presliding;
        if (size > 0.0) out->z[i] = level / f->s0 * slip[i] / size;
    }
    return KL_OK;
}

#define NUMBER(key_, field_, unit_, fallback_, min_, help_)                                        \
    {                                                                                              \
        .name = key_, .kind = KL_KEY_NUMBER, .offset = offsetof(joint_friction, field_),           \
        .unit = unit_, .fallback = fallback_, .min = min_, .max = 1e300, .help = help_             \
    }

static const kl_key joint_friction_keys[] = {
    {.name     = "law",
     .kind     = KL_KEY_WORD,
     .offset   = offsetof(joint_friction, law),
     .words    = "coulomb stribeck lugre",
     .fallback = "coulomb",
     .help     = "friction law; all of them include sticking"},
    NUMBER("mu", mu, "1", "", 0.0, "coefficient of sliding friction"),
    NUMBER("mu_static", mu_s, "1", "", 0.0,
           "coefficient of static friction (default: static_ratio times mu)"),
    NUMBER("static_ratio", ratio, "1", "1", 1.0, "ratio of static to sliding friction"),
    NUMBER("radius", radius, "m", "0", 0.0,
           "radius of the pin or ball; needed if the joint rotates"),
    NUMBER("preload", preload, "N", "0", 0.0,
           "normal force in addition to the reaction of the joint"),
    NUMBER("torque", torque, "N m", "0", 0.0,
           "constant friction torque, instead of mu and the reaction"),
    NUMBER("force", force, "N", "0", 0.0,
           "constant friction force, instead of mu and the reaction"),
    NUMBER("stribeck_speed", speed, "m/s", "0.1", 1e-12,
           "slip speed at which static friction has fallen to sliding friction (with `torque`: "
           "rad/s)"),
    NUMBER("presliding", presliding, "m", "1e-5", 1e-15,
           "elastic displacement before it slips, at the surface (with `torque`: rad)"),
    NUMBER("viscous", viscous, "s/m", "0", 0.0,
           "increase of the coefficient of friction per slip speed"),
    {0}};

static const kl_output joint_friction_outputs[] = {
    {"normal", "N", "normal force, or the constant limit"},
    {"friction", "N", "size of the friction force at the surface (with `torque`: N m)"},
    {"slip", "m/s", "slip speed at the surface (with `torque`: rad/s)"},
    {"sticks", "1", "1 while it sticks, 0 while it slips"},
    {0}};

const kl_element_type kl_joint_friction = {
    .name      = "joint-friction",
    .help      = "friction in a joint, with sticking; usually given as `friction` of the joint",
    .equation  = "T = -mu N u/|u| while it slips, N = preload + |reaction|",
    .example   = "drag: {type: joint-friction, of: hinge, mu: 0.1, radius: 10 mm}",
    .keys      = joint_friction_keys,
    .outputs   = joint_friction_outputs,
    .attach    = &kl_attach_joint,
    .data_size = sizeof(joint_friction),
    .reads_reaction = true,
    .setup          = joint_friction_setup,
    .start          = joint_friction_start,
    .eval           = joint_friction_eval,
    .tangent        = joint_friction_tangent,
    .crossings      = joint_friction_crossings,
    .commit         = joint_friction_commit,
    .output         = joint_friction_output};
