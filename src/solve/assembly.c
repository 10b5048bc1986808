/* Initial assembly: positions, then velocities, brought onto the constraints. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/groups.h"
#include "solve/solver.h"

/* Largest constraint in units of the model: lengths over its length, angles as they are. */
static double gap(const kl_solver *x, const double *phi)
{
    const kl_model *m     = x->model;
    double          worst = 0.0;
    for (int i = 0; i < m->nelement; i++) {
        const kl_element *e = &m->element[i];
        for (int k = 0; k < e->nphi; k++) {
            double v = fabs(phi[e->phi + k]) / (kl_eval_is_length(m, x->w, e, k) ? m->length : 1.0);
            if (!(v <= worst)) worst = v;
        }
    }
    return worst;
}

/* Thin rods have almost no inertia about their axis. Positions are guesses, so that such a rotation
 * counts as that of a body with this radius of gyration, in lengths of the model. */
static const double gyration = 0.02;

/* One Newton step of the projection, shortened until the gap falls. Returns the new gap, or the old
 * one when none does. */
static kl_status projection_step(kl_solver *x, double *q_old, double *dx, double *worst)
{
    const kl_model *m = x->model;
    kl_eval_inertia(m, x->w);
    KL_TRY(kl_matrix_factor_inertia(m, x->w, x->mass, gyration, m->held_q));
    memset(x->y, 0, (size_t)(m->nv + m->nz) * sizeof(double));
    for (int k = 0; k < m->nlam; k++) x->y[m->nv + m->nz + k] = -x->w->phi[k];
    KL_TRY(kl_matrix_solve(x->mass, x->y));

    /* no body moves by more than a third of the mechanism or half a radian at once */
    double largest = 0.0;
    for (int i = 0; i < m->nbody; i++)
        for (int k = m->body[i].v; k < m->body[i].v + m->body[i].nv; k++) {
            bool   length = kl_group_traits_of(kl_body_group_at(&m->body[i], k).kind)->length;
            double d      = fabs(x->y[k]) / m->unit[k];
            largest       = fmax(largest, d / (length ? 0.33 : 0.5));
        }
    double factor = largest > 1.0 ? 1.0 / largest : 1.0;
    memcpy(q_old, x->s->q, (size_t)m->nq * sizeof(double));
    for (int try = 0; try < 12; try++, factor *= 0.5) {
        for (int i = 0; i < m->nv; i++) dx[i] = factor * x->y[i];
        kl_model_advance(m, q_old, dx, x->s->q);
        kl_eval_motion(m, x->s, x->w);
        if (kl_eval_elements(m, x->s, x->w) != KL_OK) continue;
        double now = gap(x, x->w->phi);
        if (now < *worst) {
            *worst = now;
            return KL_OK;
        }
    }
    memcpy(x->s->q, q_old, (size_t)m->nq * sizeof(double));
    kl_eval_motion(m, x->s, x->w);
    (void)kl_eval_elements(m, x->s, x->w);
    return KL_E_ASSEMBLY;
}

static void name_gaps(kl_solver *x, kl_diag *diag)
{
    const kl_model *m = x->model;
    for (int i = 0; i < m->nelement; i++) {
        const kl_element *e      = &m->element[i];
        double            length = 0.0, angle = 0.0;
        for (int k = 0; k < e->nphi; k++) {
            double *sum = kl_eval_is_length(m, x->w, e, k) ? &length : &angle;
            *sum        = hypot(*sum, x->w->phi[e->phi + k]);
        }
        if (length / m->length < 1e-8 && angle < 1e-8) continue;
        kl_fail(diag, KL_E_ASSEMBLY, e->place,
                "%s '%s' does not close: %.4g mm and %.4g deg apart in the nearest assembly found; "
                "check the positions of its bodies and the joints and drivers that contradict it, "
                "or remove a value from `fixed`",
                e->type->name, e->name, 1e3 * length, angle * 180.0 / KL_PI);
    }
    if (!kl_diag_failed(diag))
        kl_fail(diag, KL_E_ASSEMBLY, KL_NOWHERE,
                "the joints do not close from these initial positions");
}

static kl_status check_branches(kl_solver *x, kl_diag *diag)
{
    const kl_model *m = x->model;
    for (int i = 0; i < m->nelement; i++) {
        const kl_element *e  = &m->element[i];
        kl_reading        in = kl_reading_of(m, x->s, x->w, e);
        if (e->type->upright && !e->type->upright(&in))
            kl_fail(diag, KL_E_ASSEMBLY, e->place,
                    "%s '%s' closes only with its axes in opposite directions; rotate the initial "
                    "orientation of one of its bodies by 180 deg",
                    e->type->name, e->name);
    }
    return kl_diag_failed(diag) ? KL_E_ASSEMBLY : KL_OK;
}

/* Notes how far each body was moved, if that matters. */
static void note_moves(const kl_solver *x, kl_diag *diag)
{
    const kl_model *m        = x->model;
    const double    smallest = 1e-6;
    for (int i = 0; i < m->nbody; i++) {
        const kl_body *b = &m->body[i];
        if (b->nq < 3) continue;
        kl_vec3 from, r;
        kl_mat3 A_from, A;
        kl_model_pose(m, i, &from, &A_from);
        kl_marker origin = {.body = i, .A = kl_identity()};
        kl_motion now;
        kl_body_motion(b, x->w->cache + b->cache, &origin, &now);
        r = now.r, A = now.A;
        double moved = kl_norm(kl_sub(r, from)), trace = 0.0;
        for (int j = 0; j < 3; j++) trace += kl_dot(kl_axis(&A, j), kl_axis(&A_from, j));
        double turned = acos(fmin(1.0, fmax(-1.0, 0.5 * (trace - 1.0))));
        if (moved > smallest * m->length || turned > 10.0 * smallest)
            kl_note(diag, b->place, "assembly moved '%s' by %.4g mm and %.4g deg", b->name,
                    1e3 * moved, turned * 180.0 / KL_PI);
    }
}

/* Turns and moves what is not held a little, each body another way, the same in every run; `only`,
 * unless NULL, says which coordinates. */
static void perturb(kl_solver *x, int which, const bool *only, double *dx)
{
    const kl_model *m    = x->model;
    const double    size = 0.02 * (1 + which); /* rad, and lengths of the model */
    unsigned        seed = 12345u + 777u * (unsigned)which;
    for (int i = 0; i < m->nv; i++) {
        seed      = seed * 1664525u + 1013904223u; /* Knuth's linear congruence */
        bool held = (m->held_q && m->held_q[i]) || (only && !only[i]);
        dx[i]     = held ? 0.0 : size * m->unit[i] * ((double)(seed >> 8) / 8388608.0 - 1.0);
    }
    kl_model_advance(m, x->s->q, dx, x->s->q);
    kl_eval_motion(m, x->s, x->w);
    (void)kl_eval_elements(m, x->s, x->w);
}

/* Marks the coordinates that turn bodies of elements whose axes point against each other. */
static bool turned_bodies(kl_solver *x, bool *turns)
{
    const kl_model *m     = x->model;
    bool            found = false;
    memset(turns, 0, (size_t)m->nv * sizeof *turns);
    for (int i = 0; i < m->nelement; i++) {
        const kl_element *e  = &m->element[i];
        kl_reading        in = kl_reading_of(m, x->s, x->w, e);
        if (!e->type->upright || e->type->upright(&in)) continue;
        found = true;
        for (int j = 0; j < e->nmarker; j++) {
            const kl_body *b = &m->body[m->marker[e->marker + j].body];
            for (int k = 3; k < 6 && k < b->nv; k++) turns[b->v + k] = true;
        }
    }
    return found;
}

/* A body that stands across (90 deg) is as near to either branch: Newton may take the wrong one.
 * Turned a little from where it started, it may take the right one; else all stays as it is. */
static void turn_upright(kl_solver *x, const double *start, double closed, double exact,
                         kl_arena *scratch)
{
    enum { MOST = 60, TURNS = 8 };
    const kl_model *m     = x->model;
    bool           *turns = kl_arena_array(scratch, bool, m->nv + 1);
    double         *q_old = kl_arena_array(scratch, double, m->nq + 1),
           *dx            = kl_arena_array(scratch, double, m->nv + 1),
           *found         = kl_arena_array(scratch, double, m->nq + 1);
    if (!kl_arena_ok(scratch) || !turned_bodies(x, turns)) return;
    memcpy(found, x->s->q, (size_t)m->nq * sizeof *found);
    for (int turn = 0; turn < TURNS; turn++) {
        memcpy(x->s->q, start, (size_t)m->nq * sizeof *start);
        perturb(x, turn, turns, dx);
        double worst = gap(x, x->w->phi);
        for (int pass = 0; pass < MOST && worst > exact; pass++)
            if (projection_step(x, q_old, dx, &worst) != KL_OK) break;
        if (worst <= closed && !turned_bodies(x, turns)) return;
        memcpy(x->s->q, found, (size_t)m->nq * sizeof *found);
        (void)kl_eval(m, x->s, x->w);
        (void)turned_bodies(x, turns);
    }
}

static kl_status assemble_position(kl_solver *x, kl_diag *diag)
{
    enum { MOST = 60, NUDGES = 4 };
    const kl_model *m      = x->model;
    kl_status       status = kl_eval(m, x->s, x->w);
    if (status != KL_OK) return kl_solver_evaluation_failed(x, status, diag);

    double    worst = gap(x, x->w->phi), first = worst;
    kl_arena *scratch = kl_arena_create();
    double   *q_old   = kl_arena_array(scratch, double, m->nq + 1);
    double   *dx      = kl_arena_array(scratch, double, m->nv + 1);
    double   *start   = kl_arena_array(scratch, double, m->nq + 1);
    kl_state *kept    = kl_state_create(m);
    if (!kl_arena_ok(scratch) || !kept) {
        kl_arena_destroy(scratch);
        kl_state_destroy(kept);
        return KL_E_MEMORY;
    }
    const double closed = 1e-10, exact = 1e-14;
    memcpy(start, x->s->q, (size_t)m->nq * sizeof *start);
    for (int pass = 0; pass < MOST && worst > exact; pass++)
        if (projection_step(x, q_old, dx, &worst) != KL_OK) break;
    /* collinear links can fold to either side: a small perturbation chooses one */
    kl_drift left    = kl_solver_drift(x);
    bool     in_line = !(worst <= closed) && left.rotation <= 0.1 * left.position / m->length;
    for (int try = 0; try < NUDGES && in_line && !(worst <= closed); try++) {
        double stuck = worst;
        kl_state_copy(kept, x->s);
        perturb(x, try, NULL, dx);
        worst = gap(x, x->w->phi);
        for (int pass = 0; pass < MOST && worst > exact; pass++)
            if (projection_step(x, q_old, dx, &worst) != KL_OK) break;
        if (worst <= closed) {
            kl_note(diag, KL_NOWHERE,
                    "links are in line, so assembly had to choose a side for them to fold to; "
                    "start on the intended side");
            break;
        }
        kl_state_copy(x->s, kept);
        (void)kl_eval(m, x->s, x->w);
        worst = stuck;
    }
    if (worst <= closed) turn_upright(x, start, closed, exact, scratch);
    kl_arena_destroy(scratch);
    kl_state_destroy(kept);
    if (!(worst <= closed)) {
        name_gaps(x, diag);
        return KL_E_ASSEMBLY;
    }
    /* history (turns) begins where assembly ends */
    kl_commit_history(m, x->s, x->w, x->s->h);
    KL_TRY(check_branches(x, diag));
    if (first > 1e-6) note_moves(x, diag);
    return KL_OK;
}

/* How much assembly changed the velocity of a body. */
typedef struct speed_change {
    int    body;
    double given; /* speed before, m/s, rotation times the model's length */
    double v, w;  /* change [m/s], [rad/s] */
    double v_now; /* speed now [m/s] */
    double w_now; /* [rad/s] */
} speed_change;

static speed_change speed_change_of(const kl_solver *x, int i, const double *before)
{
    const kl_model *m     = x->model;
    const kl_body  *b     = &m->body[i];
    kl_group        moves = kl_body_group(b, KL_TRANSLATION), turns = kl_body_group(b, KL_ROTATION);
    speed_change    c = {.body = i};
    if (moves.nv) {
        kl_vec3 v0 = kl_load(before + moves.v), v = kl_load(x->s->v + moves.v);
        c.given = kl_norm(v0), c.v = kl_norm(kl_sub(v, v0)), c.v_now = kl_norm(v);
    }
    if (turns.nv) {
        kl_vec3 w0 = kl_load(before + turns.v), w = kl_load(x->s->v + turns.v);
        c.given += m->length * kl_norm(w0), c.w = kl_norm(kl_sub(w, w0)), c.w_now = kl_norm(w);
    }
    return c;
}

/* Do other weights than inertia lead to other velocities? Then the joints and drivers leave a
 * choice. The state is as before afterwards. */
static bool inertia_decided(kl_solver *x, const double *before, double *now)
{
    const kl_model *m = x->model;
    size_t          n = (size_t)m->nv * sizeof(double);
    memcpy(now, x->s->v, n);
    memcpy(x->s->v, before, n);
    double apart = 0.0, size = 0.0;
    if (kl_eval(m, x->s, x->w) == KL_OK &&
        kl_matrix_factor_projection(m, x->w, x->mass, m->held_v) == KL_OK) {
        kl_eval_rate(m, x->w, x->rate);
        memset(x->y, 0, (size_t)(m->nv + m->nz) * sizeof(double));
        for (int k = 0; k < m->nlam; k++) x->y[m->nv + m->nz + k] = -x->rate[k];
        bool solved = kl_matrix_solve_exact(x->mass, x->y) == KL_OK;
        for (int i = 0; solved && i < m->nbody; i++)
            for (int k = m->body[i].v; !m->body[i].own && k < m->body[i].v + m->body[i].nv; k++) {
                double change = now[k] - before[k];
                apart         = fmax(apart, fabs(change - x->y[k]) / m->unit[k]);
                size          = fmax(size, fabs(change) / m->unit[k]);
            }
    }
    memcpy(x->s->v, now, n);
    (void)kl_eval(m, x->s, x->w);
    return apart > 1e-4 * size;
}

/* Was the body at rest, and is now faster than a millionth of the model's length a second? */
static bool set_in_motion(const kl_model *m, const speed_change *c)
{
    const kl_body *b = &m->body[c->body];
    return !b->made && !b->own && c->given == 0.0 && c->v + m->length * c->w > 1e-6 * m->length;
}

/* Bodies given at rest that joints and drivers set in motion, where inertia decided how: the ones
 * that changed most, in one note. */
static void note_choice(const kl_solver *x, const double *before, kl_diag *diag)
{
    enum { MOST = 3 };
    const kl_model *m          = x->model;
    speed_change    most[MOST] = {0};
    int             n          = 0;
    for (int i = 0; i < m->nbody; i++) {
        speed_change c    = speed_change_of(x, i, before);
        double       size = c.v + m->length * c.w;
        if (!set_in_motion(m, &c)) continue;
        int at = n < MOST ? n : MOST;
        while (at > 0 && size > most[at - 1].v + m->length * most[at - 1].w) at--;
        for (int k = MOST - 1; k > at; k--) most[k] = most[k - 1];
        if (at < MOST) most[at] = c;
        n++;
    }
    if (n == 0) return;
    char text[400] = "";
    int  used      = 0;
    for (int k = 0; k < n && k < MOST; k++) {
        int more = snprintf(text + used, sizeof text - (size_t)used,
                            "%s'%s' starts with %.4g m/s and %.4g rad/s", k == 0 ? "" : ", ",
                            m->body[most[k].body].name, most[k].v_now, most[k].w_now);
        if (more < 0 || used + more >= (int)sizeof text) break;
        used += more;
    }
    kl_note(diag, m->body[most[0].body].place,
            "the joints and drivers set bodies in motion that were given at rest, and do not "
            "determine all velocities; assembly chose the change of least kinetic energy: "
            "%s%s; to choose otherwise give `velocity` or `omega` of a body and keep it "
            "with `fixed`",
            text, n > MOST ? ", others change less" : "");
}

/* How much the velocity of each body was changed. */
static void note_speeds(kl_solver *x, const double *before, double *now, kl_diag *diag)
{
    const kl_model *m        = x->model;
    const double    smallest = 1e-6, rounding = 1e-12 * m->length;
    bool            started = false;
    for (int i = 0; i < m->nbody; i++) {
        const kl_body *b = &m->body[i];
        speed_change   c = speed_change_of(x, i, before);
        started |= set_in_motion(m, &c);
        if (!kl_body_moves(b) || kl_body_deforms(b)) continue;
        if (c.v + c.w * m->length <= fmax(smallest * c.given, rounding)) continue;
        if (!(c.given > 0.0)) continue;
        kl_note(diag, b->place, "assembly changed the velocity of '%s' by %.4g m/s and %.4g rad/s",
                b->name, c.v, c.w);
    }
    if (started && inertia_decided(x, before, now)) note_choice(x, before, diag);
}

kl_status kl_assemble_velocity(kl_solver *x, kl_diag *diag)
{
    const kl_model *m      = x->model;
    kl_status       status = kl_eval(m, x->s, x->w);
    if (status != KL_OK) return kl_solver_evaluation_failed(x, status, diag);
    kl_eval_rate(m, x->w, x->rate);
    double before = gap(x, x->rate), size = 0.0;
    for (int i = 0; i < m->nv; i++) size = fmax(size, fabs(x->s->v[i]));
    if (before == 0.0) return KL_OK;
    if (kl_matrix_factor_inertia(m, x->w, x->mass, 0.0, m->held_v) != KL_OK)
        return kl_solver_singular(x, diag);
    memset(x->y, 0, (size_t)(m->nv + m->nz) * sizeof(double));
    for (int k = 0; k < m->nlam; k++) x->y[m->nv + m->nz + k] = -x->rate[k];
    if (kl_matrix_solve_exact(x->mass, x->y) != KL_OK) return kl_solver_singular(x, diag);
    for (int i = 0; i < m->nv; i++) x->s->v[i] += x->y[i];

    kl_eval_motion(m, x->s, x->w);
    (void)kl_eval_elements(m, x->s, x->w);
    kl_eval_rate(m, x->w, x->rate);
    double after = gap(x, x->rate);
    if (after <= 1e-9 * fmax(1.0, fmax(before, size))) return KL_OK;
    for (int i = 0; i < m->nelement; i++) {
        const kl_element *e     = &m->element[i];
        double            worst = 0.0;
        for (int k = 0; k < e->nphi; k++) worst = fmax(worst, fabs(x->rate[e->phi + k]));
        if (worst > 0.1 * after)
            kl_fail(diag, KL_E_ASSEMBLY, e->place,
                    "%s '%s': the initial velocities violate this joint by %.4g m/s (or rad/s); "
                    "check for drivers that contradict it, or remove a velocity from `fixed`",
                    e->type->name, e->name, worst);
    }
    return KL_E_ASSEMBLY;
}

kl_status kl_assemble(kl_solver *x, kl_diag *diag)
{
    const kl_model *m = x->model;
    KL_TRY(assemble_position(x, diag));
    kl_arena *scratch = kl_arena_create();
    double   *before  = kl_arena_array(scratch, double, 2 * (size_t)m->nv + 1);
    kl_status status  = KL_E_MEMORY;
    if (before) {
        memcpy(before, x->s->v, (size_t)m->nv * sizeof *before);
        status = kl_assemble_velocity(x, diag);
        if (status == KL_OK) note_speeds(x, before, before + m->nv, diag);
    }
    kl_arena_destroy(scratch);
    return status;
}
