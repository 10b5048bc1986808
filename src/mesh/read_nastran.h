/* Nastran bulk data: what the parts of its reader share. Private to read_nastran*.c.
 *
 * A card is a name and fields; it goes on over continuation lines. Fields are 8 columns wide
 * (small), 16 (large, name with *), or between commas (free). Cards are in any order, so the file
 * is first cut into cards, and these are then done in phases: coordinate systems and grid points,
 * materials, properties, elements, the rest. */
#ifndef KL_MESH_READ_NASTRAN_H
#define KL_MESH_READ_NASTRAN_H

#include "mesh/id_map.h"
#include "mesh/read_import.h"

typedef struct bulk_field {
    const char *first, *last; /* without blanks; empty when equal */
    const char *at;           /* its place in the file */
} bulk_field;

typedef struct bulk_card {
    const struct bulk_kind *kind; /* NULL: not known */
    kl_source              *t;
    const char             *first, *last; /* all its lines */
} bulk_card;

typedef enum frame_kind { RECTANGULAR, CYLINDRICAL, SPHERICAL } frame_kind;

typedef struct bulk_frame {
    int              id, reference; /* system its points are given in */
    frame_kind       kind;
    bool             by_grids; /* CORD1x: the points are grid points */
    int              grid[3];
    kl_vec3          point[3]; /* origin, on the z axis, in the x-z plane */
    kl_vec3          origin;   /* global, once resolved */
    kl_mat3          axes;
    int              state; /* 0 to do, 1 being done, 2 done, 3 failed */
    const bulk_card *card;
} bulk_frame;

typedef struct bulk_grid {
    int              id, frame, moves; /* CP and CD */
    kl_vec3          x;                /* as given, then global */
    int              state;
    const bulk_card *card;
} bulk_grid;

/* A property card and what came of it. */
typedef struct bulk_property {
    int id, property; /* index in the mesh */
    int set;          /* element set pid-ID */
} bulk_property;

typedef struct bulk {
    kl_import     *r;
    bulk_card     *cards;
    int            ncard, card_cap;
    bulk_field    *field; /* of the card at hand: field[1] is the first after the name */
    int            nfield, field_cap;
    bulk_card     *card; /* at hand */
    bulk_frame    *frames;
    int            nframe, frame_cap;
    kl_int_map     frame_map;
    bulk_grid     *grids; /* in the order of the mesh's nodes, once put there */
    int            ngrid, grid_cap;
    kl_id_map      grid_map;
    int            default_frame, default_moves; /* GRDSET */
    kl_int_map     materials, unusable_materials;
    bulk_property *properties;
    int            nproperty, property_cap;
    kl_int_map     property_map;
    kl_int_map     springs; /* PELAS id -> index of spring_k */
    double (*spring_k)[6];
    int        nspring, spring_cap;
    kl_int_map offset_map; /* grid point and offset -> tie of the node there */
    kl_int_map derived;    /* shells with offset or own thickness -> property */
    double     wtmass;
    bool       begun, ended; /* BEGIN BULK, ENDDATA */
    int        next_id;      /* for nodes and elements made here: above all in the file */
} bulk;

typedef void bulk_reader(bulk *b);

typedef struct bulk_kind {
    const char  *name;
    int          phase;
    bulk_reader *read;
    const char  *advice; /* of a structural card that cannot be used */
} bulk_kind;

const bulk_kind *bulk_kind_of(const char *name, size_t n);

/* ---- cards and fields (read_nastran_card.c) ---- */

void bulk_cut(bulk *b, kl_source *t);
void bulk_open(bulk *b, bulk_card *c); /* fills b->field */
/* Field i (from 1) of the card at hand. Beyond the end: empty. */
bulk_field bulk_at(const bulk *b, int i);
bool       bulk_empty(const bulk *b, int i);
bool       bulk_is(const bulk *b, int i, const char *word);
/* Values with defaults for empty fields; false with a flaw noted. */
bool bulk_whole(bulk *b, int i, int otherwise, int *value);
bool bulk_real(bulk *b, int i, double otherwise, double *value);
bool bulk_reals(bulk *b, int i, int n, double otherwise, double *value);
bool bulk_is_whole(const bulk *b, int i, long long *value);
bool bulk_is_real(const bulk *b, int i); /* has a point or an exponent */
/* Directions such as 123456 as bits. */
bool bulk_directions(bulk *b, int i, unsigned *bits);
/* Numbers of nodes or elements from field i on, until the end or a word; returns the field after.
 * Of a THRU, with BY perhaps, those that exist. */
int  bulk_list(bulk *b, int i, bool elements, kl_int_list *out);
void bulk_flaw(bulk *b, kl_flaw_kind kind, int i, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void bulk_refuse(bulk *b, int i, const char *format, ...) __attribute__((format(printf, 3, 4)));
const char *bulk_name(const bulk *b); /* of the card at hand */

/* ---- coordinate systems and grid points (read_nastran_frame.c) ---- */

bulk_reader bulk_read_frame, bulk_read_grid, bulk_read_grdset;
void        bulk_put_grids(bulk *b); /* resolves all and puts the nodes */
/* Axes of system `id` at global point x (for cylinders: radial, tangential, axial). False: flaw. */
bool bulk_axes(bulk *b, int id, kl_vec3 x, kl_mat3 *axes);
/* A point given in system `id`. */
bool bulk_point(bulk *b, int id, kl_vec3 x, kl_vec3 *global);
/* Axes in which the unknowns of a node are counted (CD). */
bool bulk_node_axes(bulk *b, int node, kl_mat3 *axes);
int  bulk_node(bulk *b, int i); /* the node that field i names; -1 with a flaw */
int  bulk_node_by_id(bulk *b, int i, long long id);

/* ---- materials and properties (read_nastran_property.c) ---- */

bulk_reader bulk_read_mat1, bulk_read_mat8, bulk_read_mat_other;
bulk_reader bulk_read_psolid, bulk_read_pshell, bulk_read_pcomp, bulk_read_pcompg;
bulk_reader bulk_read_pbar, bulk_read_pbarl, bulk_read_pbeam, bulk_read_pbeaml, bulk_read_pelas,
    bulk_read_pbush;
const bulk_property *bulk_property_at(bulk *b, int i, int otherwise, kl_property_kind kind);
/* The property with the shell moved by `offset` and of another thickness (0: its own). */
int bulk_moved_shell(bulk *b, int property, double offset, double thickness);

/* ---- elements (read_nastran_element.c), masses, springs, ties (read_nastran_tie.c) ---- */

bulk_reader bulk_read_ctetra, bulk_read_chexa, bulk_read_cpenta, bulk_read_cquad4, bulk_read_ctria3,
    bulk_read_cbar;
bulk_reader bulk_read_conm2, bulk_read_celas1, bulk_read_celas2, bulk_read_cbush;
bulk_reader bulk_read_rbe2, bulk_read_rbe3, bulk_read_rbar;
bulk_reader bulk_read_set1, bulk_read_set3, bulk_read_aset, bulk_read_param;

#endif
