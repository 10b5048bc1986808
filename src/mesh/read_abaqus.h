/* Abaqus and CalculiX input: what the parts of its reader share. Private to read_abaqus*.c.
 *
 * A file is a list of cards: a line *KEYWORD, PARAMETER=value, ... and the data lines under it.
 * Cards may be in almost any order, so the file is first cut into cards (following *INCLUDE and
 * copying the cards of a part for each of its instances), and then they are done in phases: nodes,
 * elements, sets, surfaces, materials, sections, the rest.
 */
#ifndef KL_MESH_READ_ABAQUS_H
#define KL_MESH_READ_ABAQUS_H

#include "mesh/read_import.h"

enum { INP_FIELDS = 32 }; /* of a line; Abaqus allows 16 */

/* A piece of a card's data lines: one file may end and another go on within a card. */
typedef struct inp_range {
    struct inp_range *next;
    kl_source        *t;
    const char       *first, *last;
} inp_range;

typedef struct inp_parameter {
    struct inp_parameter *next;
    const char           *name;  /* capitals, without blanks: REFNODE */
    const char           *value; /* as written, without quotes; NULL: a flag */
} inp_parameter;

typedef struct inp_card {
    const struct inp_keyword *keyword; /* NULL: not known */
    kl_source                *t;
    const char               *at;   /* the keyword line */
    const char               *key;  /* capitals without blanks: SOLIDSECTION */
    const char               *name; /* "*SOLID SECTION" for messages */
    inp_parameter            *parameters;
    inp_range                *data, *data_end;
    int                       scope;
    bool                      done;
} inp_card;

/* Where numbers and set names are looked up: the model itself (0) or an instance of a part. */
typedef struct inp_scope {
    const char *name;
    kl_mat3     A; /* rotation and shift of the instance: A x + b */
    kl_vec3     b;
    int         node_offset, element_offset; /* added to the numbers of the file */
    int         node_most, element_most;     /* largest number of the file here */
    kl_mat3     system;                      /* *SYSTEM: axes and origin of the nodes that follow */
    kl_vec3     origin;
    kl_name_map nsets, elsets, surfaces; /* name -> index of inp.sets */
} inp_scope;

/* Elements are named by index * INP_KINDS + shape; those below are no kl_shape. */
enum {
    INP_MASS = KL_SHAPE_COUNT,
    INP_ROTARY,
    INP_SPRING1,
    INP_SPRING2,
    INP_SPRINGA,
    INP_RIGID,
    INP_DISTRIBUTING,
    INP_LEFT_OUT, /* carries nothing here; its nodes are kept for the sets that name it */
    INP_KINDS = 32
};

typedef struct inp_special {
    int         kind, id, n, *node; /* in the arena */
    kl_source  *t;
    const char *at;
    bool        used; /* by a *MASS, *SPRING, ... */
} inp_special;

/* A set: node indices, element handles, or for surfaces pairs of element handle and face. */
typedef struct inp_set {
    const char *name;
    kl_set_kind kind;
    int         scope;
    bool        internal; /* Abaqus's own; not handed on */
    bool        of_nodes; /* a surface of nodes */
    kl_int_list items;
} inp_set;

typedef struct inp_orientation {
    kl_mat3 axes;
    bool    rectangular, has_second;
    int     about; /* 1 to 3: the axis nearest to a shell's normal */
} inp_orientation;

typedef struct inp {
    kl_import       *r;
    inp_card        *cards;
    int              ncard, card_cap;
    inp_scope       *scopes;
    int              nscope, scope_cap;
    inp_special     *specials;
    int              nspecial, special_cap;
    kl_int_map       special_map; /* element number (with offset) -> special */
    inp_set         *sets;
    int              nset, set_cap;
    kl_name_map      materials, orientations; /* names -> kl_mesh.material, orientation */
    inp_orientation *orientation;
    int              norientation, orientation_cap;
    int              material;   /* *MATERIAL whose suboptions follow; -1 */
    int              nplane;     /* plane elements left out ... */
    const inp_card  *plane;      /* ... and the first of their cards */
    bool             last_round; /* of sets that name sets: what is missing now is missing */
} inp;

typedef void inp_reader(inp *a, inp_card *c);

typedef struct inp_keyword {
    const char *name;  /* capitals, without blanks */
    int         phase; /* see read_abaqus.c */
    inp_reader *read;
    const char *advice; /* of a structural card that cannot be used */
} inp_keyword;

const inp_keyword *inp_keyword_of(const char *key); /* or NULL */

/* ---- cards, lines and fields (read_abaqus_cut.c) ---- */

void inp_cut(inp *a, kl_source *t); /* fills cards and scopes */

typedef struct inp_cursor {
    const inp_range *range;
    const char      *p;
} inp_cursor;

typedef struct inp_line {
    kl_source  *t;
    const char *first, *last; /* without blanks at the ends */
} inp_line;

typedef struct inp_field {
    const char *first, *last; /* without blanks; empty when first == last */
} inp_field;

inp_cursor inp_data(const inp_card *c);
bool       inp_next_line(inp_cursor *c, inp_line *line);
/* Fields between commas; *n of at most INP_FIELDS. An empty last field does not count. */
int inp_split(const inp_line *line, inp_field field[INP_FIELDS]);
/* The number in a field; `otherwise` when it is empty. False with a flaw noted. */
bool inp_number(inp *a, const inp_line *line, inp_field f, double otherwise, double *value);
/* Reads up to n numbers of a line; missing ones become `otherwise`. */
bool        inp_numbers(inp *a, const inp_line *line, int n, double otherwise, double *value);
const char *inp_word(inp *a, inp_field f); /* without quotes, in the arena */
bool        inp_whole(inp_field f, long long *value);
/* Value of a parameter: NULL when absent, "" when given as a flag. */
const char *inp_parameter_of(const inp_card *c, const char *name);
bool        inp_has(const inp_card *c, const char *name, const char *value);
/* The same, with a flaw noted when it is missing. */
const char *inp_required(inp *a, inp_card *c, const char *name);

/* ---- sets (read_abaqus_set.c) ---- */

int inp_set_of(inp *a, kl_set_kind kind, int scope, const char *name); /* made when new */
int inp_find_set(const inp *a, kl_set_kind kind, int scope, const char *name);
/* Appends the nodes that `word` names (a number, a set, or instance.number) to `out`. False with a
 * flaw noted by `who`. */
bool inp_nodes(inp *a, int scope, kl_source *t, const char *at, const char *word, const char *who,
               kl_int_list *out);
bool inp_elements(inp *a, int scope, kl_source *t, const char *at, const char *word,
                  const char *who, kl_int_list *out);
/* One node, by number or by a set that holds one; -1 with a flaw noted. */
int inp_node(inp *a, int scope, kl_source *t, const char *at, const char *word, const char *who);
int inp_element_of(const inp *a, int scope, long long id); /* handle, or -1 */
/* Nodes of an element by handle. */
int inp_element_nodes(const inp *a, int handle, const int **node);
/* Nodes of a named surface, each once. */
bool inp_surface_nodes(inp *a, int scope, kl_source *t, const char *at, const char *name,
                       kl_int_list *out);
void inp_sort_unique(kl_int_list *list);
void inp_copy_sets_to_mesh(inp *a); /* into the mesh */

inp_reader inp_read_nset, inp_read_elset, inp_read_surface;
/* ---- materials and sections (read_abaqus_section.c) ---- */
inp_reader inp_read_material, inp_read_elastic, inp_read_density, inp_read_orientation;
inp_reader inp_read_solid_section, inp_read_shell_section, inp_read_beam_section;
/* ---- masses, springs, ties (read_abaqus_tie.c) ---- */
inp_reader inp_read_mass, inp_read_rotary, inp_read_spring;
inp_reader inp_read_mpc, inp_read_rigid_body, inp_read_coupling, inp_read_lone_coupling,
    inp_read_kinematic_coupling, inp_read_distributing_coupling;
void inp_check_specials(inp *a); /* those that no card gave a value */

#endif
