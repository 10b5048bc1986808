/* The entry `type: beam` and its elements. */
#ifndef KL_BEAMS_BEAM_H
#define KL_BEAMS_BEAM_H

#include "beams/beam_line.h"
#include "beams/beam_section.h"
#include "beams/beam_strain.h"
#include "beams/fibres.h"
#include "geometry/named.h"
#include "model/interface.h"

extern const kl_body_type    kl_beam;
extern const kl_element_type kl_beam_element;

/* What all elements of a beam share; data of the entry. */
typedef struct kl_beam_data {
    double                        from[3], to[3], through[3];
    const kl_named_track         *track;
    kl_vec3                       z_axis;
    const kl_beam_section        *section;
    const kl_structural_material *material;
    double                        elements, element_nodes;
    kl_table                     *stations;
    double                        velocity[3], omega[3];
    double                        pretension, damping; /* [N], [s] */
    double                        load[3];             /* [N/m] */
    int                           mass_matrix;         /* 0 lumped, 1 consistent */
    struct kl_function           *load_factor;
    /* derived */
    kl_beam_line line;
    kl_beam_law  law;
    kl_fibres   *fibres; /* of a material that yields; else NULL */
    double      *s;      /* arc length of each node */
    int          nnode;
} kl_beam_data;

/* Data of one element. */
typedef struct kl_beam_piece {
    const kl_beam_data *beam;
    kl_beam_rule        rule;
    double              rest[KL_BEAM_POINTS][6];             /* strains without stress */
    double              mass[KL_BEAM_NODES * KL_BEAM_NODES]; /* consistent less lumped [kg] */
} kl_beam_piece;

#endif
