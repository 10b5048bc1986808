/* Parts that assemblies of the matrix (assembler.h) share: what one body or one element adds. */
#ifndef KL_DYNAMICS_ASSEMBLER_PARTS_H
#define KL_DYNAMICS_ASSEMBLER_PARTS_H

#include "dynamics/assembler.h"

/* Body of marker i of an element. */
static inline int kl_body_of(const kl_model *m, const kl_element *e, int i)
{
    return m->marker[e->marker + i].body;
}

/* Numbers of the slopes of an element. */
static inline size_t kl_slopes_size(const kl_element *e)
{
    int    markers = e->type->link ? KL_LINK_MARKERS : e->nmarker;
    size_t wide = 6 * (size_t)markers, nz = (size_t)e->nz;
    return 2 * wide * wide + 3 * wide * nz + nz * nz;
}

/* Does the pattern have blocks between all bodies of an element? */
bool kl_assembler_couples(const kl_assembler *x, const kl_element *e);

void kl_add_body(const kl_model *m, kl_work *w, kl_assembler *x, int i, kl_weights c,
                 const double *a, const double *dx);

/* B and Q = stiffness d(Bv)/dx + damping B D of element marker i. */
void kl_fill_map(const kl_model *m, const kl_work *w, kl_assembler *x, int i, kl_weights c,
                 const double *dx);
/* Derivatives of an element in the scratch of `x`. */
kl_slopes kl_slopes_of(const kl_model *m, const kl_state *s, const kl_work *w, kl_assembler *x,
                       const kl_element *e, const double *lambda);
/* Adds what follows from them, maps being filled; the parts that have neither weight times `state`. */
void kl_spread_slopes(const kl_model *m, const kl_work *w, kl_assembler *x, int index, kl_weights c,
                      const kl_slopes *t, double state);
/* Rows, mass and with `tangent` the tangent of an element, maps being filled. */
void kl_add_element(const kl_model *m, const kl_state *s, kl_work *w, kl_assembler *x, int index,
                    kl_weights c, const double *lambda, const double *dx, bool tangent);

#endif
