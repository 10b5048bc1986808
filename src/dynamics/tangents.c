#include "dynamics/tangents.h"

#include <string.h>

kl_tangents *kl_tangents_create(const kl_model *m)
{
    kl_arena    *a  = kl_arena_create();
    kl_tangents *t  = kl_arena_array(a, kl_tangents, 1);
    size_t       nv = (size_t)m->nv, nz = (size_t)m->nz, nlam = (size_t)m->nlam;
    if (!t) {
        kl_arena_destroy(a);
        return NULL;
    }
    *t       = (kl_tangents){.arena = a, .nv = m->nv, .nz = m->nz, .nlam = m->nlam};
    t->M     = kl_arena_array(a, double, nv *nv + 1);
    t->K     = kl_arena_array(a, double, nv *nv + 1);
    t->C     = kl_arena_array(a, double, nv *nv + 1);
    t->J     = kl_arena_array(a, double, nlam *nv + 1);
    t->rz    = kl_arena_array(a, double, nv *nz + 1);
    t->zx    = kl_arena_array(a, double, nz *nv + 1);
    t->zv    = kl_arena_array(a, double, nz *nv + 1);
    t->zz    = kl_arena_array(a, double, nz *nz + 1);
    t->parts = kl_assembler_create(m, KL_COUPLED_BY_CONSTRAINTS);
    if (!kl_arena_ok(a) || !t->parts) {
        kl_assembler_destroy(t->parts);
        kl_arena_destroy(a);
        return NULL;
    }
    return t;
}

void kl_tangents_destroy(kl_tangents *t)
{
    if (!t) return;
    kl_assembler_destroy(t->parts);
    kl_arena_destroy(t->arena); /* the object itself lives in it */
}

/* to (nrow x ncol, row-major) = sign times the block of the assembled matrix with its corner at
 * (row, column) */
static void read_block(const kl_assembler *x, int row, int nrow, int column, int ncol, double sign,
                       double *to)
{
    const kl_pattern *p = &x->p;
    memset(to, 0, (size_t)nrow * (size_t)ncol * sizeof *to);
    for (int c = 0; c < ncol; c++)
        for (int i = p->start[column + c]; i < p->start[column + c + 1]; i++) {
            int r = p->row[i] - row;
            if (r < 0 || r >= nrow) continue;
            to[(size_t)r * (size_t)ncol + (size_t)c] = sign * x->values[i];
        }
}

void kl_tangents_eval(const kl_model *m, const kl_state *s, kl_work *w, const double *a,
                      const double *lambda, kl_tangents *t)
{
    if (!kl_assembler_covers(m, s, w, t->parts)) {
        kl_assembler *fresh = kl_assembler_renew(m, s, w, t->parts);
        if (fresh) kl_assembler_destroy(t->parts), t->parts = fresh;
    }
    kl_assembler *x  = t->parts;
    int           nv = m->nv, nz = m->nz;
    kl_assemble_matrix(m, s, w, x, (kl_weights){.mass = 1.0}, a, lambda, NULL);
    read_block(x, 0, nv, 0, nv, 1.0, t->M);
    read_block(x, nv + nz, m->nlam, 0, nv, 1.0, t->J);

    /* the lower rows are those of -f */
    kl_assemble_matrix(m, s, w, x, (kl_weights){.stiffness = 1.0}, a, lambda, NULL);
    read_block(x, 0, nv, 0, nv, 1.0, t->K);
    read_block(x, 0, nv, nv, nz, 1.0, t->rz);
    read_block(x, nv, nz, 0, nv, -1.0, t->zx);
    read_block(x, nv, nz, nv, nz, -1.0, t->zz);
    kl_assemble_matrix(m, s, w, x, (kl_weights){.damping = 1.0}, a, lambda, NULL);
    read_block(x, 0, nv, 0, nv, 1.0, t->C);
    read_block(x, nv, nz, 0, nv, -1.0, t->zv);
}

void kl_tangents_rows(const kl_model *m, const kl_work *w, kl_tangents *t)
{
    kl_assemble_rows(m, w, t->parts);
    read_block(t->parts, m->nv + m->nz, m->nlam, 0, m->nv, 1.0, t->J);
}
