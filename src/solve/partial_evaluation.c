/* Most iterations serve a few bodies, as wheels at a flange: the linear equations were solved, so where a body
 * has settled, by the measure that ends the iteration, its residual is zero to first order, and its elements
 * are not evaluated again. */
#include "solve/partial_evaluation.h"

#include <math.h>
#include <string.h>

bool kl_partial_create(kl_partial *p, const kl_model *m, kl_arena *arena, bool used)
{
    *p = (kl_partial){.used      = used,
                      .unseen    = kl_arena_array(arena, double, m->nbody + 1),
                      .unsettled = kl_arena_array(arena, unsigned char, m->nbody + 1),
                      .settled   = kl_arena_array(arena, unsigned char, m->nlam + 1),
                      .slow      = kl_arena_array(arena, unsigned char, m->nbody + 1)};
    return p->unseen && p->unsettled && p->settled && p->slow;
}

void kl_partial_note(kl_partial *p, const kl_model *m, const double *y, double share)
{
    for (int b = 0; p->used && b < m->nbody; b++)
        p->unseen[b] += share * kl_body_increment_norm(m, b, y);
}

/* The next change of a body is about `speed` times what its elements have not seen yet. True: all bodies have to
 * be evaluated again. */
static bool find_unsettled(kl_partial *p, const kl_model *m, const kl_iterate *at)
{
    enum { LATE = 2 };
    double next = at->speed < 0.9 ? at->speed / (1.0 - at->speed) : HUGE_VAL;
    int    n    = 0;
    for (int b = 0; b < m->nbody; b++) {
        p->unsettled[b] = m->body[b].nv > 0 && !(next * p->unseen[b] < at->limit);
        n += p->unsettled[b] || m->body[b].nv == 0;
        if (at->iteration < LATE) p->slow[b] = false;
        else p->slow[b] |= p->unsettled[b];
    }
    return n == m->nbody;
}

/* The linear equations hold for elements that were not evaluated: z' is as they have it, and constraints are met. */
static void keep_linear(kl_partial *p, const kl_model *m, const double *z_dot, kl_work *w)
{
    for (int k = 0; m->nz + m->nlam > 0 && k < m->nelement; k++) {
        const kl_element *e = &m->element[k];
        if (e->nz == 0 && e->nphi == 0) continue;
        bool settled = !kl_element_is_in(m, e, p->unsettled);
        memset(p->settled + e->phi, settled, (size_t)e->nphi);
        if (settled) memcpy(w->z_dot + e->z, z_dot + e->z, (size_t)e->nz * sizeof(double));
    }
}

static void count_part(kl_partial *p, const kl_model *m, int n, kl_statistics *count)
{
    p->evaluated += n / (double)m->nelement;
    if (p->evaluated < 1.0) return;
    p->evaluated -= 1.0;
    count->evaluations++;
}

kl_status kl_partial_evaluate(kl_partial *p, kl_solver *x, const kl_iterate *at,
                              kl_statistics *count)
{
    const kl_model *m = x->model;
    int             n = 0;
    if (at->iteration == 0 || at->all || !p->used || find_unsettled(p, m, at)) {
        memset(p->unseen, 0, (size_t)m->nbody * sizeof(double));
        memset(p->settled, 0, (size_t)m->nlam);
        count->evaluations++;
        KL_TRY(kl_eval(m, at->s, x->w));
        /* its total wrenches go into the matrix too */
        kl_eval_residual(m, x->w, at->a, at->lambda, x->y);
        return KL_OK;
    }
    kl_status status = kl_eval_part(m, at->s, x->w, p->unsettled, &n);
    count_part(p, m, n, count);
    KL_TRY(status);
    keep_linear(p, m, at->z_dot, x->w);
    for (int b = 0; b < m->nbody; b++)
        if (p->unsettled[b]) p->unseen[b] = 0.0;
    kl_eval_part_residual(m, x->w, p->unsettled, at->a, at->lambda, x->y);
    return KL_OK;
}
