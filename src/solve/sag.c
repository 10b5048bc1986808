#include "solve/sag.h"

#include <math.h>

void kl_sag_heights(const kl_model *m, const kl_solver *x, double *z)
{
    for (int i = 1; i < m->nbody; i++) {
        kl_measures t;
        if (m->body[i].own) continue;
        m->body[i].type->measures(m->body[i].data, kl_work_cache(m, x->w, i), &t);
        z[i] = t.center.z;
    }
}

kl_status kl_sag_check(const kl_model *m, const kl_solver *x, const double *before, kl_diag *diag)
{
    const double most = 0.05, impossible = 0.5; /* preloads that fit leave millimetres [m] */
    double       deepest = 0.0;
    int          body    = 0;
    for (int i = 1; i < m->nbody; i++) {
        const kl_body *b = &m->body[i];
        kl_measures    t;
        if (b->own) continue;
        b->type->measures(b->data, kl_work_cache(m, x->w, i), &t);
        double sag = before[i] - t.center.z;
        if (sag > deepest) deepest = sag, body = i;
        if (fabs(sag) > most && sag <= impossible)
            kl_warn(diag, b->place,
                    "body '%s' %s by %.0f mm until its springs carry it: they are preloaded for "
                    "%s; set their `preload` or `load`",
                    b->name, sag > 0.0 ? "sinks" : "rises", 1e3 * fabs(sag),
                    sag > 0.0 ? "less than its weight, or too soft" : "more than its weight");
    }
    if (!(deepest > impossible)) return KL_OK;
    return kl_fail(diag, KL_E_RANGE, m->body[body].place,
                   "body '%s' is heavier than its springs can carry: it sinks by %.2f m; set their "
                   "`preload` or `load` to its weight, give stiffer springs, or check `mass` and "
                   "its unit",
                   m->body[body].name, deepest);
}
