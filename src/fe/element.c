/* The table of elements, and gathering one from a mesh. */
#include "fe/element.h"

#include <string.h>

static const kl_fe_type solid = {
    3, kl_solid_stiffness, kl_solid_mass, kl_solid_strain, kl_solid_geometric, NULL};
static const kl_fe_type shell = {
    6, kl_shell_stiffness, kl_shell_mass, kl_shell_strain, kl_shell_geometric, kl_shell_masses};
static const kl_fe_type beam = {
    6, kl_beam_stiffness, kl_beam_mass, kl_beam_strain, kl_beam_geometric, kl_beam_masses};

static const kl_fe_type *const types[4] = {NULL, &beam, &shell, &solid}; /* by dimension */

const kl_fe_type *kl_fe_type_of(kl_shape shape)
{
    return types[kl_shape_info_of(shape)->dimension];
}

void kl_fe_rules_init(kl_fe_rules *rules, kl_shape shape)
{
    if (kl_shape_info_of(shape)->dimension < 3) return;
    kl_rule_init(&rules->stiffness, shape, KL_RULE_STIFFNESS);
    kl_rule_init(&rules->mass, shape, KL_RULE_MASS);
    const kl_rule *q     = &rules->mass;
    int            nnode = kl_shape_info_of(shape)->nnode;
    rules->volume        = 0.0;
    memset(rules->NN, 0, sizeof rules->NN);
    for (int p = 0; p < q->n; p++) {
        rules->volume += q->weight[p];
        for (int a = 0; a < nnode; a++)
            for (int b = 0; b < nnode; b++)
                rules->NN[a][b] += q->weight[p] * q->N[p][a] * q->N[p][b];
    }
}

void kl_fe_gather(const kl_mesh *m, kl_shape shape, int index, kl_fe_element *e)
{
    const kl_block *b     = &m->block[shape];
    int             nnode = kl_shape_info_of(shape)->nnode;
    e->shape              = shape;
    e->id                 = b->id[index];
    for (int i = 0; i < nnode; i++)
        e->x[i] = m->x[b->node[(size_t)index * (size_t)nnode + (size_t)i]];
    e->property    = &m->property[b->property[index]];
    e->material    = m->material;
    e->angle       = b->angle ? b->angle[index] : 0.0;
    e->orientation = b->orientation ? b->orientation[index] : kl_vec(0, 0, 0);
}

void kl_geometric_clear(kl_geometric_point *p)
{
    p->nfield = p->nterm = 0;
    memset(p->field, 0, sizeof p->field);
}

kl_geometric_term *kl_geometric_add(kl_geometric_point *p, int a, int b, double factor)
{
    kl_geometric_term *t = &p->term[p->nterm++];
    *t                   = (kl_geometric_term){.npair = 1, .a = {a}, .b = {b}, .factor = {factor}};
    return t;
}
