/* Abaqus input: masses, springs, and the constraints that are RBE2 or RBE3.
 *
 *   *RIGID BODY, *COUPLING + *KINEMATIC, *KINEMATIC COUPLING, *MPC BEAM and TIE   RBE2
 *   *COUPLING + *DISTRIBUTING, *DISTRIBUTING COUPLING                             RBE3
 */
#include "mesh/read_abaqus.h"

#include <math.h>
#include <string.h>

enum { ALL = 0x3f, TRANSLATIONS = 0x7 };

/* ---- masses and springs ---- */

/* Calls `act` for every element of ELSET that is of one of the two kinds; says when others are. */
static void for_specials(inp *a, inp_card *c, int kind, int other_kind, const double *value,
                         void (*act)(inp *, inp_card *, inp_special *, const double *))
{
    const char *elset    = inp_required(a, c, "ELSET");
    kl_int_list elements = {0};
    int         wrong    = 0;
    if (elset && inp_elements(a, c->scope, c->t, c->at, elset, c->name, &elements)) {
        for (size_t i = 0; i < elements.n; i++) {
            int k = elements.v[i] % INP_KINDS;
            if (k == INP_LEFT_OUT) continue;
            if (k != kind && k != other_kind) {
                wrong++;
                continue;
            }
            inp_special *p = &a->specials[elements.v[i] / INP_KINDS];
            p->used        = true;
            act(a, c, p, value);
        }
        if (wrong)
            kl_flaw(a->r, KL_FLAW_RANGE, c->t, c->at,
                    "%s: %d elements of '%s' are of another type; give them a set of their own",
                    c->name, wrong, elset);
    }
    kl_int_list_free(&elements);
}

static bool first_numbers(inp *a, inp_card *c, int n, double *value)
{
    inp_cursor data = inp_data(c);
    inp_line   line;
    if (inp_next_line(&data, &line)) return inp_numbers(a, &line, n, 0.0, value);
    kl_flaw(a->r, KL_FLAW_SYNTAX, c->t, c->at, "%s needs a line of numbers; add it below the card",
            c->name);
    return false;
}

static void put_mass(inp *a, inp_card *c, inp_special *p, const double *v)
{
    (void)c;
    kl_mesh_add_mass(a->r->mesh, &(kl_point_mass){.id = p->id, .node = p->node[0], .mass = v[0]});
}

void inp_read_mass(inp *a, inp_card *c)
{
    double mass;
    if (first_numbers(a, c, 1, &mass)) for_specials(a, c, INP_MASS, INP_MASS, &mass, put_mass);
}

/* I11, I22, I33, I12, I13, I23 of the inertia tensor, in the axes of the instance */
static void put_rotary(inp *a, inp_card *c, inp_special *p, const double *v)
{
    kl_mat3 J = {{{v[0], v[3], v[4]}, {v[3], v[1], v[5]}, {v[4], v[5], v[2]}}};
    kl_mat3 A = a->scopes[c->scope].A, T = kl_transpose(&A);
    J = kl_matmul(&J, &T);
    J = kl_matmul(&A, &J);
    kl_mesh_add_mass(a->r->mesh, &(kl_point_mass){.id = p->id, .node = p->node[0], .J = J});
}

void inp_read_rotary(inp *a, inp_card *c)
{
    double v[6];
    if (inp_parameter_of(c, "ORIENTATION")) {
        kl_unsupported(a->r, c->t, c->at, c->name, "%s with ORIENTATION: give it in global axes",
                       c->name);
        return;
    }
    if (first_numbers(a, c, 6, v)) for_specials(a, c, INP_ROTARY, INP_ROTARY, v, put_rotary);
}

/* v: first direction, second direction, stiffness */
static void put_spring(inp *a, inp_card *c, inp_special *p, const double *v)
{
    kl_spring s         = {.id = p->id, .node = {p->node[0], p->n > 1 ? p->node[1] : -1}};
    int       direction = (int)v[0] - 1;
    if (p->kind == INP_SPRINGA) { /* along the line of its nodes: usable along an axis */
        kl_vec3 d = kl_sub(a->r->mesh->x[p->node[1]], a->r->mesh->x[p->node[0]]);
        double  l = kl_norm(d), e[3] = {fabs(d.x), fabs(d.y), fabs(d.z)};
        direction = e[0] > 0.999999 * l   ? 0
                    : e[1] > 0.999999 * l ? 1
                    : e[2] > 0.999999 * l ? 2
                                          : -1;
        if (l == 0.0) direction = -1;
    }
    if (direction < 0) {
        kl_unsupported(a->r, p->t, p->at, "SPRINGA",
                       "element %d: a SPRINGA that does not lie along x, y or z cannot be used; "
                       "model it as a spring-damper",
                       p->id);
        return;
    }
    if (c->scope > 0 && p->kind != INP_SPRINGA) {
        const kl_mat3 *A = &a->scopes[c->scope].A;
        if (fabs(A->m[0][0] + A->m[1][1] + A->m[2][2] - 3.0) > 1e-9) {
            kl_unsupported(a->r, p->t, p->at, p->kind == INP_SPRING1 ? "SPRING1" : "SPRING2",
                           "element %d: a spring in a rotated instance is not supported; define it "
                           "in global axes",
                           p->id);
            return;
        }
    }
    s.k[direction] = v[2];
    kl_mesh_add_spring(a->r->mesh, &s);
}

void inp_read_spring(inp *a, inp_card *c)
{
    /* the first line names directions, and is blank for SPRINGA; blank lines are not seen here */
    inp_cursor data = inp_data(c);
    inp_line   line[2];
    int        n    = 0;
    double     v[3] = {0, 0, 0}, stiffness;
    while (n < 2 && inp_next_line(&data, &line[n])) n++;
    if (inp_parameter_of(c, "NONLINEAR") || inp_parameter_of(c, "ORIENTATION")) {
        kl_unsupported(
            a->r, c->t, c->at, c->name,
            "only linear springs in global axes can be used; model it as a force of the model");
        return;
    }
    if (n == 0) {
        kl_flaw(a->r, KL_FLAW_SYNTAX, c->t, c->at,
                "%s needs its directions and its stiffness; give them in the lines below the card",
                c->name);
        return;
    }
    if (n == 2 && !inp_numbers(a, &line[0], 2, 0.0, v)) return;
    if (!inp_numbers(a, &line[n - 1], 1, 0.0, &stiffness)) return;
    v[2] = stiffness;
    if (n == 1) {
        for_specials(a, c, INP_SPRINGA, INP_SPRINGA, v, put_spring);
        return;
    }
    bool two = v[1] != 0.0;
    if (v[0] < 1 || v[0] > 6 || v[0] != floor(v[0]) || (two && v[0] != v[1])) {
        kl_unsupported(a->r, line[0].t, line[0].first, c->name,
                       "%s: directions %g, %g: give the same direction 1 to 6 for both ends",
                       c->name, v[0], v[1]);
        return;
    }
    for_specials(a, c, INP_SPRING1, INP_SPRING2, v, put_spring);
}

/* An element without its value would be a spring or mass of nothing. */
void inp_check_specials(inp *a)
{
    static const char *const value[INP_KINDS] = {[INP_MASS]         = "*MASS",
                                                 [INP_ROTARY]       = "*ROTARY INERTIA",
                                                 [INP_SPRING1]      = "*SPRING",
                                                 [INP_SPRING2]      = "*SPRING",
                                                 [INP_SPRINGA]      = "*SPRING",
                                                 [INP_RIGID]        = "*RIGID BODY",
                                                 [INP_DISTRIBUTING] = "*DISTRIBUTING COUPLING"};
    for (int i = 0; i < a->nspecial; i++) {
        const inp_special *p = &a->specials[i];
        if (!p->used)
            kl_flaw(a->r, KL_FLAW_UNKNOWN_PROPERTY, p->t, p->at,
                    "element %d has no %s card that gives it a value; add the card for its set",
                    p->id, value[p->kind]);
    }
}

/* ---- ties ---- */

/* Adds a tie of `nodes` (sorted here, reference taken out) to `reference`. */
static void put_tie(inp *a, inp_card *c, kl_tie_kind kind, int reference, unsigned components,
                    kl_int_list *nodes, double *weight)
{
    size_t kept = 0;
    if (!weight) inp_sort_unique(nodes);
    for (size_t i = 0; i < nodes->n; i++) {
        if (nodes->v[i] == reference) continue;
        if (weight) weight[kept] = weight[i];
        nodes->v[kept++] = nodes->v[i];
    }
    if (kept == 0) {
        kl_flaw(a->r, KL_FLAW_RANGE, c->t, c->at,
                "%s connects no nodes; give nodes in the lines below the card", c->name);
        return;
    }
    kl_tie t = {.id         = a->r->mesh->ntie + 1,
                .kind       = kind,
                .reference  = reference,
                .components = components,
                .n          = (int)kept,
                .node       = nodes->v,
                .weight     = weight};
    if (kl_mesh_add_tie(a->r->mesh, &t) < 0) a->r->status = KL_E_MEMORY;
}

/* Lines of `first, last` direction from field `from` on; without any: all. */
static bool read_directions(inp *a, const inp_line *line, inp_field first, inp_field last,
                            unsigned *components)
{
    double lo, hi;
    if (!inp_number(a, line, first, 1, &lo) || !inp_number(a, line, last, lo, &hi)) return false;
    if (lo < 1 || hi > 6 || lo > hi) {
        kl_flaw(a->r, KL_FLAW_RANGE, line->t, line->first, "directions %g to %g: must be 1 to 6",
                lo, hi);
        return false;
    }
    for (int i = (int)lo; i <= (int)hi; i++) *components |= 1u << (i - 1);
    return true;
}

void inp_read_rigid_body(inp *a, inp_card *c)
{
    static const struct {
        const char *parameter;
        bool        elements;
        unsigned    components;
    } kinds[]        = {{"NSET", false, ALL},
                        {"TIENSET", false, ALL},
                        {"PINNSET", false, TRANSLATIONS},
                        {"ELSET", true, ALL}};
    const char *word = inp_required(a, c, "REFNODE");
    int         ref  = word ? inp_node(a, c->scope, c->t, c->at, word, c->name) : -1;
    bool        any  = false;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const char *set   = inp_parameter_of(c, kinds[i].parameter);
        kl_int_list items = {0}, nodes = {0};
        if (!set) continue;
        any = true;
        if (kinds[i].elements) inp_elements(a, c->scope, c->t, c->at, set, c->name, &items);
        else inp_nodes(a, c->scope, c->t, c->at, set, c->name, &nodes);
        for (size_t k = 0; k < items.n; k++) {
            const int *node;
            int        n = inp_element_nodes(a, items.v[k], &node);
            for (int j = 0; j < n; j++) kl_int_list_push(a->r, &nodes, node[j]);
            if (items.v[k] % INP_KINDS == INP_RIGID)
                a->specials[items.v[k] / INP_KINDS].used = true;
        }
        if (ref >= 0 && nodes.n > 0) put_tie(a, c, KL_RBE2, ref, kinds[i].components, &nodes, NULL);
        kl_int_list_free(&items);
        kl_int_list_free(&nodes);
    }
    if (!any)
        kl_flaw(a->r, KL_FLAW_SYNTAX, c->t, c->at,
                "%s needs NSET=, TIE NSET=, PIN NSET= or ELSET=", c->name);
}

/* *COUPLING names reference and surface; the card after it says how they are coupled. */
void inp_read_coupling(inp *a, inp_card *c)
{
    const char *word = inp_required(a, c, "REFNODE"), *surface = inp_required(a, c, "SURFACE");
    inp_card   *how       = c + 1 < a->cards + a->ncard ? c + 1 : NULL;
    bool        kinematic = how && strcmp(how->key, "KINEMATIC") == 0;
    bool        spread    = how && strcmp(how->key, "DISTRIBUTING") == 0;
    if (!kinematic && !spread) {
        kl_flaw(a->r, KL_FLAW_SYNTAX, c->t, c->at,
                "after *COUPLING comes *KINEMATIC or *DISTRIBUTING, with its directions");
        return;
    }
    how->done = true;
    if (!word || !surface) return;
    if (inp_parameter_of(c, "ORIENTATION")) {
        kl_unsupported(a->r, c->t, c->at, c->name, "%s with ORIENTATION: couple in global axes",
                       c->name);
        return;
    }
    unsigned   components = 0;
    inp_cursor data       = inp_data(how);
    inp_line   line;
    while (inp_next_line(&data, &line)) {
        inp_field f[INP_FIELDS];
        inp_split(&line, f);
        if (!read_directions(a, &line, f[0], f[1], &components)) return;
    }
    kl_int_list nodes = {0};
    int         ref   = inp_node(a, c->scope, c->t, c->at, word, c->name);
    if (inp_surface_nodes(a, c->scope, c->t, c->at, surface, &nodes) && ref >= 0)
        put_tie(a, c, kinematic ? KL_RBE2 : KL_RBE3, ref, components ? components : ALL, &nodes,
                NULL);
    kl_int_list_free(&nodes);
}

void inp_read_lone_coupling(inp *a, inp_card *c)
{
    kl_flaw(a->r, KL_FLAW_SYNTAX, c->t, c->at, "%s must follow a *COUPLING card; move it there",
            c->name);
}

/* lines of: node or set, first, last direction */
void inp_read_kinematic_coupling(inp *a, inp_card *c)
{
    const char *word = inp_required(a, c, "REFNODE");
    int         ref  = word ? inp_node(a, c->scope, c->t, c->at, word, c->name) : -1;
    inp_cursor  data = inp_data(c);
    inp_line    line;
    while (ref >= 0 && inp_next_line(&data, &line)) {
        inp_field f[INP_FIELDS];
        inp_split(&line, f);
        kl_int_list nodes      = {0};
        unsigned    components = 0;
        bool        given      = f[1].first < f[1].last;
        if (inp_nodes(a, c->scope, line.t, f[0].first, inp_word(a, f[0]), c->name, &nodes) &&
            (!given || read_directions(a, &line, f[1], f[2], &components)))
            put_tie(a, c, KL_RBE2, ref, given ? components : ALL, &nodes, NULL);
        kl_int_list_free(&nodes);
    }
}

/* lines of: node or set, weight; the reference is the node of its one DCOUP3D element */
void inp_read_distributing_coupling(inp *a, inp_card *c)
{
    const char *elset    = inp_required(a, c, "ELSET");
    kl_int_list elements = {0}, nodes = {0};
    double     *weight = NULL;
    int         cap    = 0;
    inp_cursor  data   = inp_data(c);
    inp_line    line;
    if (!elset || !inp_elements(a, c->scope, c->t, c->at, elset, c->name, &elements)) return;
    while (inp_next_line(&data, &line)) {
        inp_field f[INP_FIELDS];
        double    w;
        inp_split(&line, f);
        size_t before = nodes.n;
        if (!inp_number(a, &line, f[1], 1.0, &w)) continue;
        inp_nodes(a, c->scope, line.t, f[0].first, inp_word(a, f[0]), c->name, &nodes);
        for (size_t i = before; i < nodes.n; i++) {
            double *slot = kl_arena_grow(a->r->arena, (void **)&weight, (int)i, &cap, sizeof *slot);
            if (slot) *slot = w;
        }
    }
    bool one = elements.n == 1 && elements.v[0] % INP_KINDS == INP_DISTRIBUTING;
    if (one && kl_arena_ok(a->r->arena)) {
        inp_special *p = &a->specials[elements.v[0] / INP_KINDS];
        p->used        = true;
        put_tie(a, c, KL_RBE3, p->node[0], ALL, &nodes, weight);
    } else {
        kl_flaw(a->r, KL_FLAW_RANGE, c->t, c->at,
                "%s: '%s' must contain one element of type DCOUP3D; give a set with this element",
                c->name, elset);
    }
    kl_int_list_free(&elements);
    kl_int_list_free(&nodes);
}

/* One line: type, dependent node or set, reference node. */
static void mpc_line(inp *a, inp_card *c, const inp_line *line)
{
    inp_field f[INP_FIELDS];
    inp_split(line, f);
    const char *type = inp_word(a, f[0]);
    bool        beam = kl_same_word(type, "BEAM"), tie = kl_same_word(type, "TIE"),
         pin = kl_same_word(type, "PIN");
    if (!beam && !tie && !pin) {
        kl_unsupported(a->r, line->t, line->first,
                       kl_arena_format(a->r->arena, "*MPC, %.20s", type),
                       "*MPC of type %s cannot be used; use BEAM, TIE or PIN", type);
        return;
    }
    kl_int_list nodes = {0};
    int         ref   = inp_node(a, c->scope, line->t, f[2].first, inp_word(a, f[2]), c->name);
    bool ok = inp_nodes(a, c->scope, line->t, f[1].first, inp_word(a, f[1]), c->name, &nodes);
    for (size_t i = 0; ok && ref >= 0 && !beam && i < nodes.n; i++) {
        kl_vec3 d = kl_sub(a->r->mesh->x[nodes.v[i]], a->r->mesh->x[ref]);
        if (kl_norm(d) <= 1e-9 * kl_mesh_size(a->r->mesh)) continue;
        kl_unsupported(a->r, line->t, line->first, "*MPC",
                       "*MPC, %s between nodes at different positions; use BEAM", type);
        ok = false;
    }
    if (ok && ref >= 0) put_tie(a, c, KL_RBE2, ref, pin ? TRANSLATIONS : ALL, &nodes, NULL);
    kl_int_list_free(&nodes);
}

void inp_read_mpc(inp *a, inp_card *c)
{
    inp_cursor data = inp_data(c);
    inp_line   line;
    while (inp_next_line(&data, &line)) mpc_line(a, c, &line);
}
