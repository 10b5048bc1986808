#include "solve/integrator.h"
#include "script/lua.h"

#include <math.h>

double kl_increment_norm(const kl_model *m, const double *dx, int *which)
{
    double largest = 0.0, scale = 1.0 / m->length;
    for (int i = 0; i < m->nbody; i++) {
        const kl_body *b = &m->body[i];
        for (int k = 0; k < b->nv; k++) {
            double d = fabs(dx[b->v + k]) * (k < 3 ? scale : 1.0);
            if (d <= largest) continue;
            largest = d;
            if (which) *which = i;
        }
        /* not a number must not hide behind a comparison */
        for (int k = 0; k < b->nv; k++)
            if (isnan(dx[b->v + k])) {
                if (which) *which = i;
                return INFINITY;
            }
    }
    return largest;
}

void kl_count_energy(const kl_solver *x, double h, double power[2], kl_statistics *count)
{
    const kl_model *m    = x->model;
    double          loss = 0.0, supply = 0.0;
    for (int i = 0; i < m->nelement; i++) loss += x->w->loss[i], supply += x->w->supply[i];
    for (int k = 0; k < m->nlam; k++) supply += x->lambda[k] * x->w->phi_t[k];
    count->lost += 0.5 * h * (power[0] + loss);
    count->supplied += 0.5 * h * (power[1] + supply);
    power[0] = loss;
    power[1] = supply;
}

kl_status kl_step_failed(kl_solver *x, double h, const kl_statistics *count, const char *why,
                         kl_diag *diag)
{
    const kl_model *m = x->model;
    const char     *name =
        count->limiting >= 0 && count->limiting < m->nbody ? m->body[count->limiting].name : "?";
    (void)kl_eval(m, x->s, x->w);
    kl_energy e = kl_eval_energy(m, x->w, x->lambda);
    kl_drift  d = kl_solver_drift(x);
    if (kl_lua_failure(m->lua)) kl_fail(diag, KL_E_STEP, KL_NOWHERE, "%s", kl_lua_failure(m->lua));
    if (x->w->culprit >= 0)
        kl_note(diag, m->element[x->w->culprit].place,
                "'%s' could not be evaluated in the last attempt", m->element[x->w->culprit].name);
    return kl_fail(diag, KL_E_STEP, KL_NOWHERE,
                   "stopped at t = %.9g s: %s with a step of %.3g s; the motion of '%s' limits it. "
                   "Energy: kinetic %.6g J, "
                   "potential %.6g J, lost %.6g J, supplied %.6g J; constraint gap %.3g m, %.3g "
                   "rad. Try: look at '%s' just "
                   "before this time; soften what changes there at once (stiffness, stops, tables "
                   "with corners); a smaller "
                   "`integrator: {tolerance: }` or a smaller `spectral_radius`",
                   x->s->t, why, h, name, e.kinetic, e.potential, count->lost, count->supplied,
                   d.position, d.rotation, name);
}
