/* Abaqus and CalculiX input files: cutting into cards, parts and instances, nodes and elements.
 *
 * Facts of the format: Abaqus Keywords Reference Guide; CalculiX CrunchiX user's manual (which
 * leaves out blanks inside keywords, as is done here). The node orders are the canonical ones
 * (mesh.h).
 *
 * An instance is placed by a shift and then a turn about an axis. When several instances use the
 * same numbers, those of later ones are raised; a note says by how much.
 */
#include "mesh/read_abaqus.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PLACING, NODES, ELEMENTS, SETS, SURFACES, MATERIALS, SECTIONS, REST, PHASES };
enum { MOST_ROUNDS = 64, MOST_ELEMENT_NODES = 20, FULL_LINE = 15 };

static const double degree = 3.14159265358979323846 / 180.0;

/* ---- keywords ---- */

static inp_reader place_instance, read_system, read_node, read_element;

static const char flat[] = "write the mesh with all nodes and elements listed";
static const char connect[] =
    "connect the meshes by common nodes, or use *COUPLING or *MPC, BEAM instead";
static const char solids[] = "use solids, shells (S3, S4) or beams (B31)";

/* clang-format off */
static const inp_keyword keywords[] = {
    {"INSTANCE", PLACING, place_instance, NULL},
    {"NODE", NODES, read_node, NULL},
    {"SYSTEM", NODES, read_system, NULL},
    {"ELEMENT", ELEMENTS, read_element, NULL},
    {"NSET", SETS, inp_read_nset, NULL},
    {"ELSET", SETS, inp_read_elset, NULL},
    {"SURFACE", SURFACES, inp_read_surface, NULL},
    {"MATERIAL", MATERIALS, inp_read_material, NULL},
    {"ELASTIC", MATERIALS, inp_read_elastic, NULL},
    {"DENSITY", MATERIALS, inp_read_density, NULL},
    {"ORIENTATION", MATERIALS, inp_read_orientation, NULL},
    {"SOLIDSECTION", SECTIONS, inp_read_solid_section, NULL},
    {"SHELLSECTION", SECTIONS, inp_read_shell_section, NULL},
    {"SHELLGENERALSECTION", SECTIONS, inp_read_shell_section, NULL},
    {"BEAMSECTION", SECTIONS, inp_read_beam_section, NULL},
    {"BEAMGENERALSECTION", SECTIONS, inp_read_beam_section, NULL},
    {"MASS", REST, inp_read_mass, NULL},
    {"ROTARYINERTIA", REST, inp_read_rotary, NULL},
    {"SPRING", REST, inp_read_spring, NULL},
    {"MPC", REST, inp_read_mpc, NULL},
    {"RIGIDBODY", REST, inp_read_rigid_body, NULL},
    {"COUPLING", REST, inp_read_coupling, NULL},
    {"KINEMATIC", REST, inp_read_lone_coupling, NULL}, /* else read by *COUPLING */
    {"DISTRIBUTING", REST, inp_read_lone_coupling, NULL},
    {"KINEMATICCOUPLING", REST, inp_read_kinematic_coupling, NULL},
    {"DISTRIBUTINGCOUPLING", REST, inp_read_distributing_coupling, NULL},
    /* of these nothing is needed */
    {"HEADING", PLACING, NULL, NULL},
    {"ENDASSEMBLY", PLACING, NULL, NULL},
    {"ASSEMBLY", PLACING, NULL, NULL},
    /* structural, and not to be used */
    {"NGEN", PLACING, NULL, flat},
    {"NFILL", PLACING, NULL, flat},
    {"NCOPY", PLACING, NULL, flat},
    {"NMAP", PLACING, NULL, flat},
    {"ELGEN", PLACING, NULL, flat},
    {"ELCOPY", PLACING, NULL, flat},
    {"TIE", PLACING, NULL, connect},
    {"EQUATION", PLACING, NULL, connect},
    {"EMBEDDEDELEMENT", PLACING, NULL, connect},
    {"SHELLTOSOLIDCOUPLING", PLACING, NULL, connect},
    {"CONNECTORSECTION", PLACING, NULL, "model it as a joint"},
    {"NONSTRUCTURALMASS", PLACING, NULL, "use *MASS elements or a larger *DENSITY"},
    {"MEMBRANESECTION", PLACING, NULL, solids},
    {"GASKETSECTION", PLACING, NULL, solids},
    {"COHESIVESECTION", PLACING, NULL, solids},
    {"USERELEMENT", PLACING, NULL, solids},
    {"MATRIXINPUT", PLACING, NULL, "give the matrices in Matrix Market form"},
    {"SUBMODEL", PLACING, NULL, flat},
    {"NODALTHICKNESS", PLACING, NULL, "give *SHELL SECTION one thickness"},
};
/* clang-format on */

const inp_keyword *inp_keyword_of(const char *name)
{
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
        if (strcmp(keywords[i].name, name) == 0) return &keywords[i];
    return NULL;
}

/* ---- instances, nodes ---- */

/* x -> turn about the line from p to q by `angle`, after the shift: Rodrigues' formula */
static void place_instance(inp *a, inp_card *c)
{
    inp_scope *s    = &a->scopes[c->scope];
    inp_cursor data = inp_data(c);
    inp_line   line;
    double     v[7];
    if (!inp_next_line(&data, &line) || !inp_numbers(a, &line, 3, 0.0, v)) return;
    s->b = kl_load(v);
    if (!inp_next_line(&data, &line) || !inp_numbers(a, &line, 7, 0.0, v)) return;
    kl_vec3 p = kl_load(v), axis = kl_sub(kl_load(v + 3), p);
    if (kl_norm(axis) == 0.0) {
        kl_flaw(a->r, KL_FLAW_RANGE, line.t, line.first,
                "instance '%s': the two points of the axis are the same; give two different points",
                s->name);
        return;
    }
    axis       = kl_unit(axis);
    kl_mat3 cr = kl_skew(axis), cr2 = kl_matmul(&cr, &cr), one = kl_identity();
    double  turn = v[6] * degree;
    s->A         = kl_mat_axpy(sin(turn), &cr, &one);
    s->A         = kl_mat_axpy(1.0 - cos(turn), &cr2, &s->A);
    s->b         = kl_add(p, kl_mul(&s->A, kl_sub(s->b, p)));
}

/* *SYSTEM: origin, a point on the first axis; then a point in the plane of the first two. */
static void read_system(inp *a, inp_card *c)
{
    inp_scope *s    = &a->scopes[c->scope];
    inp_cursor data = inp_data(c);
    inp_line   line;
    double     v[6], w[3] = {0, 0, 0};
    s->system = kl_identity();
    s->origin = kl_vec(0, 0, 0);
    if (!inp_next_line(&data, &line) || !inp_numbers(a, &line, 6, 0.0, v)) return;
    kl_vec3 origin = kl_load(v), x = kl_sub(kl_load(v + 3), origin), y;
    s->origin = origin;
    if (kl_norm(x) == 0.0) return; /* only shifted */
    if (inp_next_line(&data, &line)) {
        if (!inp_numbers(a, &line, 3, 0.0, w)) return;
        y = kl_sub(kl_load(w), origin);
    } else {
        y = kl_cross(kl_vec(0, 0, 1), x);
    }
    kl_vec3 z = kl_cross(x, y);
    if (kl_norm(z) == 0.0) {
        kl_flaw(a->r, KL_FLAW_RANGE, c->t, c->at,
                "*SYSTEM: its three points lie on one line; move the third point off it");
        return;
    }
    x = kl_unit(x), z = kl_unit(z);
    s->system = kl_from_axes(x, kl_cross(z, x), z);
}

/* Coordinates of *NODE, SYSTEM=: rectangular, cylindrical, spherical; angles in degrees. */
static kl_vec3 to_rectangular(char system, kl_vec3 x)
{
    double t = x.y * degree, p = x.z * degree;
    if (system == 'C') return kl_vec(x.x * cos(t), x.x * sin(t), x.z);
    if (system == 'S') return kl_vec(x.x * cos(t) * cos(p), x.x * sin(t) * cos(p), x.x * sin(p));
    return x;
}

static kl_vec3 to_global(const inp_scope *s, kl_vec3 x)
{
    x = kl_add(s->origin, kl_mul(&s->system, x));
    return kl_add(s->b, kl_mul(&s->A, x));
}

/* The data of a card, or of the file that its INPUT names. */
static inp_cursor data_of(inp *a, inp_card *c)
{
    const char *path = inp_parameter_of(c, "INPUT");
    kl_source  *t    = path ? kl_import_include(a->r, path, c->t, c->at) : NULL;
    inp_range  *r    = t ? kl_arena_array(a->r->arena, inp_range, 1) : NULL;
    if (!r) return inp_data(c);
    *r = (inp_range){c->data, t, t->data, t->end};
    return (inp_cursor){r, t->data};
}

/* Blanks, then a number, blanks, and a comma or the end of the line. */
static const char *next_coordinate(inp *a, const inp_line *line, const char *p, double *x)
{
    while (p < line->last && kl_is_blank(*p)) p++;
    if (p < line->last && *p != ',') {
        const char *q = kl_scan_number(p, line->last, x);
        while (q && q < line->last && kl_is_blank(*q)) q++;
        if (!q || (q < line->last && *q != ',')) {
            const char *comma = memchr(p, ',', (size_t)(line->last - p));
            kl_flaw(a->r, KL_FLAW_NUMBER, line->t, p, "'%s' is not a number",
                    kl_quote(a->r, p, comma ? comma : line->last));
            return NULL;
        }
        p = q;
    }
    return p < line->last ? p + 1 : p;
}

static void read_node(inp *a, inp_card *c)
{
    inp_scope  *s    = &a->scopes[c->scope];
    const char *name = inp_parameter_of(c, "NSET"), *system = inp_parameter_of(c, "SYSTEM");
    int         set  = name && *name ? inp_set_of(a, KL_NODE_SET, c->scope, name) : -1;
    char        kind = system ? kl_upper(*system) : 'R';
    inp_cursor  data = data_of(a, c);
    inp_line    line;
    while (inp_next_line(&data, &line)) {
        double      v[4] = {0, 0, 0, 0};
        const char *p    = line.first;
        for (int i = 0; p && i < 4; i++) p = next_coordinate(a, &line, p, &v[i]);
        if (!p) continue;
        if (!(v[0] >= 1 && v[0] <= INT_MAX && v[0] == floor(v[0]))) {
            kl_flaw(a->r, KL_FLAW_ID, line.t, line.first,
                    "node number %g: must be a whole number between 1 and %d", v[0], INT_MAX);
            continue;
        }
        int id = (int)v[0];
        if (id > s->node_most && id <= INT_MAX - s->node_offset) s->node_most = id;
        kl_vec3 x    = to_global(s, to_rectangular(kind, kl_load(v + 1)));
        int     node = kl_import_node(a->r, line.t, line.first, (long long)id + s->node_offset, x);
        if (node >= 0 && set >= 0) kl_int_list_push(a->r, &a->sets[set].items, node);
    }
}

/* ---- elements ---- */

/* Names of elements: a base, then letters that only say how it is integrated or coupled. */
static const struct {
    const char *base;
    int         kind, nnode;
    const char *letters;
} element_types[] = {
    {"C3D4", KL_TET4, 4, "HTPE"},
    {"C3D10", KL_TET10, 10, "HMSTPEI"},
    {"C3D8", KL_HEX8, 8, "RHITPE"},
    {"C3D20", KL_HEX20, 20, "RHITPE"},
    {"C3D6", KL_WEDGE6, 6, "RHTPE"},
    {"C3D15", KL_WEDGE15, 15, "RHTPE"},
    {"S3", KL_TRI3, 3, "RST"},
    {"STRI3", KL_TRI3, 3, ""},
    {"S4", KL_QUAD4, 4, "RSWT5"},
    {"B31", KL_BEAM2, 2, "RH"},
    {"B33", KL_BEAM2, 2, "H"},
    {"PIPE31", KL_BEAM2, 2, "H"},
    {"MASS", INP_MASS, 1, ""},
    {"ROTARYI", INP_ROTARY, 1, ""},
    {"SPRING1", INP_SPRING1, 1, ""},
    {"SPRING2", INP_SPRING2, 2, ""},
    {"SPRINGA", INP_SPRINGA, 2, ""},
    {"R3D3", INP_RIGID, 3, ""},
    {"R3D4", INP_RIGID, 4, ""},
    {"RB3D2", INP_RIGID, 2, ""},
    {"DCOUP3D", INP_DISTRIBUTING, 1, ""},
};

static int element_type_of(const char *name)
{
    for (size_t i = 0; i < sizeof element_types / sizeof *element_types; i++) {
        size_t n = strlen(element_types[i].base);
        size_t k = 0;
        while (k < n && kl_upper(name[k]) == element_types[i].base[k]) k++;
        if (k < n) continue;
        while (name[k] && strchr(element_types[i].letters, kl_upper(name[k]))) k++;
        if (!name[k]) return (int)i;
    }
    return -1;
}

/* Numbers of one element over as many lines as they need: a line that ends in a comma, or that is
 * full, goes on. The first is the element's. Returns how many there were, or -1. */
static int element_numbers(inp *a, inp_cursor *data, inp_line *line, int wanted, long long *number)
{
    int n = 0;
    for (;;) {
        const char *p    = line->first;
        int         here = 0;
        while (p < line->last) {
            while (p < line->last && kl_is_blank(*p)) p++;
            if (p == line->last) break;
            long long   v;
            const char *q = kl_scan_integer(p, line->last, &v);
            while (q && q < line->last && kl_is_blank(*q)) q++;
            if (!q || (q < line->last && *q != ',')) {
                const char *comma = memchr(p, ',', (size_t)(line->last - p));
                kl_flaw(a->r, KL_FLAW_NUMBER, line->t, p,
                        "'%s' is not the number of a node; give a number or the name of a set",
                        kl_quote(a->r, p, comma ? comma : line->last));
                return -1;
            }
            if (n < wanted) number[n++] = v;
            here++;
            p = q < line->last ? q + 1 : q;
        }
        bool goes_on = line->last[-1] == ',' || here >= FULL_LINE;
        if (n >= wanted || !goes_on || !inp_next_line(data, line)) return n;
    }
}

static int scope_node(inp *a, const inp_scope *s, const inp_line *line, long long id, long long who)
{
    if (id >= 1 && id <= s->node_most) {
        int node = kl_mesh_find_node(a->r->mesh, (int)id + s->node_offset);
        if (node >= 0) return node;
    }
    kl_flaw(
        a->r, KL_FLAW_UNKNOWN_NODE, line->t, line->first,
        "element %lld refers to node %lld, which does not exist; check that the file is complete",
        who, id);
    return -1;
}

static int add_special(inp *a, const inp_line *line, int kind, int id, int n, const int *node)
{
    if (kl_int_map_find(&a->special_map, (uint64_t)id) >= 0 ||
        kl_mesh_find_element(a->r->mesh, id, &(kl_element_ref){0})) {
        kl_flaw(a->r, KL_FLAW_DUPLICATE_ELEMENT, line->t, line->first,
                "element %d is given twice; renumber one", id);
        return -1;
    }
    inp_special *p =
        kl_arena_grow(a->r->arena, (void **)&a->specials, a->nspecial, &a->special_cap, sizeof *p);
    if (!p || !kl_int_map_put(a->r->arena, &a->special_map, (uint64_t)id, a->nspecial)) return -1;
    *p = (inp_special){.kind = kind,
                       .id   = id,
                       .n    = n,
                       .node = kl_arena_array(a->r->arena, int, n + 1),
                       .used = kind == INP_LEFT_OUT,
                       .t    = line->t,
                       .at   = line->first};
    if (!p->node) return -1;
    for (int i = 0; i < n; i++) p->node[i] = node[i];
    return a->nspecial++;
}

/* One element into the mesh; its handle, or -1. A third node of a beam orients its section. */
static int put_element(inp *a, inp_scope *s, const inp_line *line, int type,
                       const long long *number, int n)
{
    int       node[MOST_ELEMENT_NODES + 1], kind = element_types[type].kind;
    long long id = number[0];
    bool      ok = true;
    if (id < 1 || id > INT_MAX - s->element_offset) {
        kl_flaw(a->r, KL_FLAW_ID, line->t, line->first,
                "element number %lld: must be between 1 and %d", id, INT_MAX);
        return -1;
    }
    for (int i = 1; i < n; i++) {
        node[i - 1] = scope_node(a, s, line, number[i], id);
        ok          = ok && node[i - 1] >= 0;
    }
    if (id > s->element_most) s->element_most = (int)id;
    if (!ok) return -1;
    int index, mesh_id = (int)id + s->element_offset;
    if (kind >= KL_SHAPE_COUNT) index = add_special(a, line, kind, mesh_id, n - 1, node);
    else index = kl_import_element(a->r, line->t, line->first, (kl_shape)kind, mesh_id, -1, node);
    if (index < 0) return -1;
    if (kind == KL_BEAM2 && n > 3)
        a->r->mesh->block[KL_BEAM2].orientation[index] =
            kl_sub(a->r->mesh->x[node[2]], a->r->mesh->x[node[0]]);
    return index * INP_KINDS + kind;
}

/* The nodes of elements that are not used, as far as they are there: a set that names such elements
 * is then a set of nodes. Returns how many elements there were. */
static int keep_nodes(inp *a, inp_card *c, int set)
{
    inp_scope *s    = &a->scopes[c->scope];
    inp_cursor data = data_of(a, c);
    inp_line   line;
    int        count = 0;
    while (inp_next_line(&data, &line)) {
        int       node[MOST_ELEMENT_NODES], n = 0;
        long long id    = 0, number;
        inp_line  first = line;
        for (bool goes_on = true; goes_on;) {
            inp_field field[INP_FIELDS];
            int       nfield = inp_split(&line, field);
            for (int i = 0; i < nfield; i++) {
                if (!inp_whole(field[i], &number) || number < 1 || number > INT_MAX) continue;
                int known = id == 0 || number > s->node_most
                                ? -1
                                : kl_mesh_find_node(a->r->mesh, (int)number + s->node_offset);
                if (id == 0) id = number;
                else if (known >= 0 && n < MOST_ELEMENT_NODES) node[n++] = known;
            }
            goes_on = (line.last[-1] == ',' || nfield > FULL_LINE) && inp_next_line(&data, &line);
        }
        if (id < 1 || id > INT_MAX - s->element_offset) continue;
        if (id > s->element_most) s->element_most = (int)id;
        int index = add_special(a, &first, INP_LEFT_OUT, (int)id + s->element_offset, n, node);
        if (index >= 0 && set >= 0)
            kl_int_list_push(a->r, &a->sets[set].items, index * INP_KINDS + INP_LEFT_OUT);
        count++;
    }
    return count;
}

/* Plane stress, plane strain, axial symmetry: CPS, CPE, CAX. Gmsh writes surfaces of a solid so. */
static bool is_plane(const char *type)
{
    char        head[4] = {0};
    const char *end     = memchr(type, '\0', 3);
    for (int i = 0; i < 3 && !end; i++) head[i] = kl_upper(type[i]);
    return strcmp(head, "CPS") == 0 || strcmp(head, "CPE") == 0 || strcmp(head, "CAX") == 0;
}

static void refuse_type(inp *a, const inp_card *c, const char *type)
{
    const char *what = kl_arena_format(a->r->arena, "*ELEMENT, TYPE=%.20s", type);
    if (what)
        kl_unsupported(a->r, c->t, c->at, what,
                       "elements of type %s are not supported; use C3D4, C3D6, C3D8, C3D10, C3D15, "
                       "C3D20, S3, S4 or B31",
                       type);
}

static void leave_elements_out(inp *a, inp_card *c, const char *type, int set)
{
    bool damper = kl_upper(type[0]) == 'D' && kl_upper(type[1]) == 'A'; /* DASHPOT: no K, no M */
    bool plane  = is_plane(type);
    int  count  = keep_nodes(a, c, set);
    if (plane) {
        if (a->nplane == 0) a->plane = c;
        a->nplane += count;
    } else if (damper) {
        kl_import_ignore(a->r, c->t, c->at,
                         kl_arena_format(a->r->arena, "*ELEMENT, TYPE=%.20s", type));
    } else {
        int times = a->r->options->lenient && count > 1 ? count : 1; /* listed with their count */
        for (int i = 0; i < times; i++) refuse_type(a, c, type);
    }
}

/* Beside solids plane elements mark surfaces; alone they are a structure that is not known. */
static void judge_plane(inp *a)
{
    bool beside = false;
    if (a->nplane == 0) return;
    for (int s = 0; s < KL_SHAPE_COUNT; s++)
        beside =
            beside || (kl_shape_info_of((kl_shape)s)->dimension == 3 && a->r->mesh->block[s].n);
    const char *type = inp_parameter_of(a->plane, "TYPE");
    if (beside)
        kl_note(a->r->diag, kl_source_place(a->plane->t, a->plane->at),
                "%d plane elements (%s) on surfaces of solids are ignored; their element sets are "
                "used as node sets",
                a->nplane, type);
    else refuse_type(a, a->plane, type);
}

static void read_element(inp *a, inp_card *c)
{
    inp_scope  *s    = &a->scopes[c->scope];
    const char *type = inp_required(a, c, "TYPE"), *name = inp_parameter_of(c, "ELSET");
    if (!type) return;
    int t   = element_type_of(type);
    int set = name && *name ? inp_set_of(a, KL_ELEMENT_SET, c->scope, name) : -1;
    if (t < 0) {
        leave_elements_out(a, c, type, set);
        return;
    }
    int        wanted = element_types[t].nnode + 1;
    inp_cursor data   = data_of(a, c);
    inp_line   line, first;
    while (inp_next_line(&data, &line)) {
        long long number[MOST_ELEMENT_NODES + 2];
        first = line;
        /* a beam may name a third node */
        int most = element_types[t].kind == KL_BEAM2 ? wanted + 1 : wanted;
        int n    = element_numbers(a, &data, &line, most, number);
        if (n < 0) continue;
        if (n < wanted) {
            kl_flaw(
                a->r, KL_FLAW_COUNT, first.t, first.first,
                "an element of type %s has %d nodes, but %d are given; check its line and the type",
                type, wanted - 1, n > 0 ? n - 1 : 0);
            continue;
        }
        int handle = put_element(a, s, &first, t, number, n);
        if (handle >= 0 && set >= 0) kl_int_list_push(a->r, &a->sets[set].items, handle);
    }
}

/* ---- the phases ---- */

static void list_unknown(inp *a)
{
    for (int i = 0; i < a->ncard; i++) {
        inp_card *c = &a->cards[i];
        if (c->scope < 0) continue; /* of a part: its copies count */
        if (!c->keyword) kl_import_ignore(a->r, c->t, c->at, c->name);
        else if (c->keyword->advice)
            kl_unsupported(a->r, c->t, c->at, c->name, "%s cannot be used here; %s", c->name,
                           c->keyword->advice);
    }
}

static void run_phase(inp *a, int phase, int scope)
{
    for (int i = 0; i < a->ncard; i++) {
        inp_card *c = &a->cards[i];
        if (c->scope < 0 || (scope >= 0 && c->scope != scope) || c->done || !c->keyword) continue;
        if (c->keyword->phase != phase || !c->keyword->read) continue;
        c->done = true; /* a card that has to wait says so by clearing it */
        c->keyword->read(a, c);
    }
}

/* Instances first, so that they keep their numbers; reference points of the assembly after. */
static void number_and_read(inp *a, int s)
{
    inp_scope     *scope = &a->scopes[s];
    const kl_mesh *m     = a->r->mesh;
    for (int i = 0; i < s || (s == 0 && i < a->nscope); i++) {
        const inp_scope *other = &a->scopes[i];
        if (i == s || (s > 0 && i == 0)) continue;
        int node    = other->node_offset + other->node_most;
        int element = other->element_offset + other->element_most;
        if (node > scope->node_offset) scope->node_offset = node;
        if (element > scope->element_offset) scope->element_offset = element;
    }
    int nnode = m->nnode;
    run_phase(a, NODES, s);
    run_phase(a, ELEMENTS, s);
    if (scope->node_offset > 0 && m->nnode > nnode)
        kl_note(a->r->diag, (kl_place){m->source, 0, 0},
                "%s%s%s: node numbers are increased by %d and element numbers by %d to make them "
                "unique",
                s ? "instance '" : "the assembly's own nodes", scope->name, s ? "'" : "",
                scope->node_offset, scope->element_offset);
}

/* Sets may name sets that come later: those wait for the next round. */
static void read_sets(inp *a)
{
    int waiting = INT_MAX;
    for (int round = 0; round < MOST_ROUNDS; round++) {
        run_phase(a, SETS, -1);
        int unresolved = 0;
        for (int i = 0; i < a->ncard; i++) {
            const inp_card *c = &a->cards[i];
            unresolved += c->scope >= 0 && c->keyword && c->keyword->phase == SETS && !c->done;
        }
        if (unresolved == 0) return;
        if (unresolved == waiting) break;
        waiting = unresolved;
    }
    a->last_round = true;
    run_phase(a, SETS, -1);
}

void kl_read_abaqus(kl_import *r, kl_source *t)
{
    inp a = {.r = r, .material = -1};
    inp_cut(&a, t);
    if (kl_arena_ok(r->arena)) {
        list_unknown(&a);
        run_phase(&a, PLACING, -1);
        for (int s = 1; s < a.nscope; s++) number_and_read(&a, s);
        number_and_read(&a, 0);
        read_sets(&a);
        for (int phase = SURFACES; phase < PHASES; phase++) run_phase(&a, phase, -1);
        judge_plane(&a);
        inp_check_specials(&a);
        inp_copy_sets_to_mesh(&a);
    }
    for (int i = 0; i < a.nset; i++) kl_int_list_free(&a.sets[i].items);
}
