#include "solve/integrator.h"
#include "model/groups.h"
#include "script/lua.h"

#include <math.h>

/* No less than `largest`. */
static double body_norm(const kl_model *m, const kl_body *b, const double *dx, double largest)
{
    const double *d = dx + b->v, *unit = m->unit + b->v;
    for (int k = 0; k < b->nv; k++) {
        if (fabs(d[k]) <= largest * unit[k]) continue; /* false for a value that is not a number */
        if (isnan(d[k])) return HUGE_VAL;
        largest = fabs(d[k]) / unit[k];
    }
    return largest;
}

double kl_body_increment_norm(const kl_model *m, int body, const double *dx)
{
    return body_norm(m, &m->body[body], dx, 0.0);
}

double kl_increment_norm(const kl_model *m, const double *dx, int *which)
{
    double largest = 0.0;
    for (int i = 0; i < m->nbody && largest < HUGE_VAL; i++) {
        double larger = body_norm(m, &m->body[i], dx, largest);
        if (larger > largest && which) *which = i;
        largest = larger;
    }
    return largest;
}

double kl_state_scale(const kl_model *m, int k, double largest)
{
    return fmax(largest, m->z_scale[k]);
}

double kl_fastest_turn(const kl_model *m, const double *v)
{
    double fastest = 0.0;
    for (int k = 0; k < m->nbody; k++) fastest = fmax(fastest, kl_body_turn_rate(&m->body[k], v));
    return fastest;
}

/* What the bend of the parabola through the last three values adds to the trapezoidal rule. */
static double bend_integral(double p0, double p1, double h, double before, double h0)
{
    double bend = h0 > 0.0 ? ((p1 - p0) / h - (p0 - before) / h0) / (h + h0) : 0.0;
    return -bend * h * h * h / 6.0;
}

void kl_count_energy(const kl_solver *x, double h, kl_powers *power, kl_statistics *count)
{
    const kl_model *m      = x->model;
    double          now[2] = {0.0, 0.0}, *sum[2] = {&count->lost, &count->supplied};
    now[0] = kl_eval_loss(m, x->w);
    for (int i = 0; i < m->nelement; i++) now[1] += x->w->supply[i];
    for (int k = 0; k < m->nlam; k++) now[1] += x->lambda[k] * x->w->phi_t[k];
    /* a step that is far longer than the one before would carry its bend too far */
    double h0 = h < 4.0 * power->h ? power->h : 0.0;
    for (int k = 0; k < 2 && power->begun; k++) {
        double flat = 0.5 * h * (power->now[k] + now[k]),
               bend = bend_integral(power->now[k], now[k], h, power->before[k], h0);
        *sum[k] += flat + bend;
        if (k > 0) continue;
        power->lost  = flat + bend;
        power->rough = h0 > 0.0 ? fabs(bend) : h / 6.0 * fabs(now[0] - power->now[0]);
    }
    for (int k = 0; k < 2; k++) {
        power->before[k] = power->now[k];
        power->now[k]    = now[k];
    }
    power->h     = power->begun ? h : 0.0;
    power->begun = true;
}

/* Masses so unequal that the motion of a light body is lost in rounding errors of the matrix. */
static void note_unequal_masses(const kl_solver *x, kl_diag *diag)
{
    const kl_model *m     = x->model;
    const double    ratio = 1e9;
    int             light = -1, heavy = -1;
    double          least = HUGE_VAL, most = 0.0;
    for (int i = 1; i < m->nbody; i++) {
        const kl_body *b    = &m->body[i];
        double         mass = kl_body_moves(b) ? x->w->M[b->M] : 0.0;
        if (mass > 0.0 && mass < least) least = mass, light = i;
        if (mass > most) most = mass, heavy = i;
    }
    if (light < 0 || most < ratio * least) return;
    kl_note(diag, m->body[light].place,
            "the masses of '%s' (%.3g kg) and '%s' (%.3g kg) differ by a factor of %.1g: if joints "
            "determine the motion of the light body, give it `mass: 0`",
            m->body[light].name, least, m->body[heavy].name, most, most / least);
}

/* The element whose constraints move in time, and how fast [1/s]: lengths over the model's length. -1:
 * none does. */
static int driver_of(const kl_solver *x, double *rate)
{
    const kl_model *m     = x->model;
    int             which = -1;
    *rate                 = 0.0;
    for (int i = 0; i < m->nelement; i++)
        for (int k = 0; k < m->element[i].nphi; k++) {
            bool   length = kl_eval_is_length(m, x->w, &m->element[i], k);
            double here   = fabs(x->w->phi_t[m->element[i].phi + k]) / (length ? m->length : 1.0);
            if (here > *rate) *rate = here, which = i;
        }
    return which;
}

bool kl_dead_point(const kl_solver *x, kl_diag *diag)
{
    const kl_model *m      = x->model;
    const double unlimited = 1e3; /* times the rate of the driver: no mechanism is geared so high */
    double       rate;
    int          fastest = 0, driver = driver_of(x, &rate);
    if (driver < 0 || !(kl_increment_norm(m, x->s->v, &fastest) > unlimited * rate)) return false;
    kl_fail(
        diag, KL_E_STEP, m->element[driver].place,
        "stopped at t = %.9g s: the mechanism reaches a dead point; driver '%s' cannot continue, "
        "because '%s' would need an infinite velocity. Reduce the range of the driver, or change "
        "a length; `klingel kinematics` shows the motion up to this point",
        x->s->t, m->element[driver].name, m->body[fastest].name);
    return true;
}

/* An element that says, when asked after a failed step, that its description ends here: the reason. */
static const kl_element *element_that_stops(const kl_solver *x, kl_notice *notice)
{
    const kl_model *m = x->model;
    for (int i = 0; i < m->nelement; i++) {
        const kl_element *e = &m->element[i];
        if (!e->type->watch) continue;
        kl_reading in = kl_reading_of(m, x->s, x->w, e);
        *notice       = (kl_notice){.failed = true};
        e->type->watch(&in, notice);
        if (notice->stop) return e;
    }
    return NULL;
}

bool kl_stopped_by_element(const kl_solver *x, kl_diag *diag)
{
    kl_notice         notice;
    const kl_element *spent = element_that_stops(x, &notice);
    if (!spent) return false;
    kl_fail(diag, KL_E_STEP, spent->place, "stopped at t = %.9g s: '%s' %s", x->s->t, spent->name,
            notice.text);
    return true;
}

kl_status kl_step_failed(kl_solver *x, double h, const kl_statistics *count, const char *why,
                         kl_diag *diag)
{
    const kl_model *m       = x->model;
    int             culprit = x->w->culprit; /* of the last attempt */
    bool            known   = count->limiting >= 0 && count->limiting < m->nbody;
    const char     *name    = known          ? m->body[count->limiting].name
                              : culprit >= 0 ? m->element[culprit].name
                              : m->nbody > 1 ? m->body[1].name
                                             : "the model";
    (void)kl_eval(m, x->s, x->w);
    if (kl_dead_point(x, diag)) return KL_E_STEP;
    kl_energy e = kl_eval_energy(m, x->w, x->lambda);
    kl_drift  d = kl_solver_drift(x);
    note_unequal_masses(x, diag);
    for (int i = 0; i < m->nunfollowed; i++)
        kl_note(diag, m->unfollowed[i].place,
                "%s; if they are in line, this is a singular position", m->unfollowed[i].text);
    if (kl_stopped_by_element(x, diag)) return KL_E_STEP;
    if (kl_lua_failure(m->lua)) kl_fail(diag, KL_E_STEP, KL_NOWHERE, "%s", kl_lua_failure(m->lua));
    if (culprit >= 0)
        kl_note(diag, m->element[culprit].place,
                "%s '%s' could not be evaluated in the last attempt%s%s",
                m->element[culprit].type->name, m->element[culprit].name,
                m->element[culprit].type->limit ? ": " : "",
                m->element[culprit].type->limit ? m->element[culprit].type->limit : "");
    return kl_fail(diag, KL_E_STEP, KL_NOWHERE,
                   "stopped at t = %.9g s: %s with a step size of %.3g s; the motion of '%s' "
                   "limits the step. Energy: kinetic %.6g J, potential %.6g J, dissipated %.6g J, "
                   "supplied %.6g J; constraint error %.3g m, %.3g rad. Plot '%s' just before this "
                   "time; reduce sudden changes there (stiff springs, stops, tables with corners), "
                   "or try a smaller `tolerance` or `spectral_radius` under `integrator:`",
                   x->s->t, why, h, name, e.kinetic, e.potential, count->lost + e.spent,
                   count->supplied, d.position, d.rotation, name);
}
