/* The bodies and elements that a nonlinear body expands into; see nonlinear.h. */
#include "bodies/nonlinear.h"

#include "bodies/bodies.h"
#include "bodies/point.h"
#include "bodies/rigid.h"
#include "model/model.h"
#include "reduce/skin_modes.h"

/* Where the body is at the start: points of the mesh to global positions and velocities. */
typedef struct pose {
    kl_vec3 r, v, w;
    kl_mat3 A;
    kl_vec3 shift;
} pose;

static pose pose_of(const flexible *p)
{
    pose at = {.r = kl_load(p->position), .A = p->orientation, .shift = p->nodes->shift};
    at.v = kl_load(p->velocity), at.w = kl_load(p->omega);
    if (p->velocity_axes == 1) at.v = kl_mul(&at.A, at.v), at.w = kl_mul(&at.A, at.w);
    return at;
}

static void place_point(const pose *at, kl_vec3 x, double position[3], double velocity[3])
{
    kl_vec3 arm = kl_mul(&at->A, kl_sub(x, at->shift));
    kl_store(position, kl_add(at->r, arm));
    kl_store(velocity, kl_add(at->v, kl_cross(at->w, arm)));
}

/* ---- bodies ---- */

static kl_status add_rigid(const flexible *p, const nonlinear_part *part, const pose *at,
                           kl_body *b)
{
    const nonlinear_mesh *w      = p->nodes;
    rigid                *r      = b->data;
    kl_vec3               moment = kl_vec(0, 0, 0);
    *r                           = (rigid){.inertia_axes = kl_identity(), .inertia_about = 1};
    for (int i = 0; i < part->n; i++) {
        kl_vec3 x = w->local[part->node[i]];
        double  m = w->mass[part->node[i]], d = kl_dot(x, x);
        r->mass += m;
        moment     = kl_axpy(m, x, moment);
        kl_mat3 xx = kl_outer(x, x);
        for (int k = 0; k < 3; k++)
            for (int l = 0; l < 3; l++) r->inertia.m[k][l] += m * ((k == l ? d : 0) - xx.m[k][l]);
        for (int k = 0; k < 3; k++) r->inertia.m[k][k] += w->inertia[part->node[i]];
    }
    kl_store(r->center, kl_scale(1.0 / r->mass, moment));
    place_point(at, part->at, r->position, r->velocity);
    r->orientation = at->A;
    kl_store(r->omega, at->w);
    return KL_OK;
}

static void fill_point(const flexible *p, int node, const pose *at, kl_body *b)
{
    point *q = b->data;
    q->mass  = p->nodes->mass[node];
    place_point(at, p->nodes->mesh->x[node], q->position, q->velocity);
}

static kl_status add_parts(const flexible *p, const kl_setup *s, const pose *at, kl_model *m)
{
    const nonlinear_mesh *w = p->nodes;
    for (int i = 0; i < w->npart; i++) {
        const nonlinear_part *part = &w->part[i];
        const char           *name = kl_arena_format(s->arena, "%s.%s", s->name, part->name);
        const kl_body_type   *type = part->rigid ? &kl_rigid : &kl_point;
        kl_body              *b    = name ? kl_model_add_body(m, type, name, s->place) : NULL;
        if (!b || !b->data) return KL_E_MEMORY;
        b->hidden = true; /* its field shows it */
        if (part->rigid) KL_TRY(add_rigid(p, part, at, b));
        else fill_point(p, part->node[0], at, b);
    }
    return KL_OK;
}

static kl_status add_nodes(const flexible *p, const kl_setup *s, const pose *at, kl_model *m)
{
    nonlinear_mesh *w    = p->nodes;
    int             next = w->npart;
    for (int i = 0; i < w->mesh->nnode; i++) {
        if (w->body[i] >= 0 || !(w->mass[i] > 0.0)) continue;
        const char         *name = kl_arena_format(s->arena, "%s.%d", s->name, w->mesh->node_id[i]);
        const kl_body_type *type = w->inertia[i] > 0.0 ? &kl_rigid : &kl_point;
        kl_body            *b    = name ? kl_model_add_body(m, type, name, s->place) : NULL;
        if (!b || !b->data) return KL_E_MEMORY;
        b->quiet = b->hidden = true;
        w->body[i]           = next++;
        nonlinear_part alone = {.at = w->mesh->x[i], .n = 1, .node = &i};
        if (type == &kl_rigid) KL_TRY(add_rigid(p, &alone, at, b));
        else fill_point(p, i, at, b);
    }
    return KL_OK;
}

/* in the order of NONLINEAR_ENERGY.. */
static const kl_output field_values[NONLINEAR_VALUES] = {
    {"energy_density", "J/m3", "elastic energy and plastic work per volume"},
    {"mises", "Pa", "equivalent stress of von Mises; of shells the larger of both faces"},
    {"plastic_strain", "1", "accumulated plastic strain"}};

/* Surface and corners of the elements, as points of the field; `on`: of each node. */
static kl_status add_surface(flexible *p, const kl_setup *s, const int *on)
{
    nonlinear_mesh *w = p->nodes;
    kl_kbody_skin   skin;
    int            *node = NULL, n = 0;
    KL_TRY(kl_skin_find(w->mesh, s->arena, &skin, &node));
    for (int i = 0; i < 3 * skin.ntriangle; i++) skin.triangle[i] = on[node[skin.triangle[i]]];
    for (int k = 0; k < KL_SHAPE_COUNT; k++)
        n += w->mesh->block[k].n * kl_shape_info_of((kl_shape)k)->nnode;
    w->corner = kl_arena_array(s->arena, int, n + 1);
    if (!w->corner) return KL_E_MEMORY;
    w->point           = on;
    w->field.ntriangle = skin.ntriangle, w->field.triangle = skin.triangle;
    w->field.nvalue = NONLINEAR_VALUES, w->field.value = field_values;
    w->field.corner = w->corner;
    return KL_OK;
}

/* The field: all nodes that elements use, in the initial position. */
static kl_status make_field(flexible *p, const kl_setup *s, const pose *at, double every)
{
    nonlinear_mesh *w    = p->nodes;
    size_t          n    = (size_t)w->mesh->nnode + 1;
    int            *body = kl_arena_array(s->arena, int, n), count = 0;
    double         *place = kl_arena_array(s->arena, double, 3 * n);
    double         *local = kl_arena_array(s->arena, double, 3 * n), unused[3];
    int            *on    = kl_arena_array(s->arena, int, n);
    if (!kl_arena_ok(s->arena)) return KL_E_MEMORY;
    for (int i = 0; i < w->mesh->nnode; i++) {
        if (w->body[i] < 0) continue;
        body[count] = w->body[i];
        on[i]       = count;
        kl_store(local + 3 * count, w->local[i]);
        place_point(at, w->mesh->x[i], place + 3 * count++, unused);
    }
    w->field = (kl_field){
        .npoint = count, .width = 3, .point = place, .body = body, .local = local, .every = every};
    return add_surface(p, s, on);
}

/* Initial deformations are those of modes. */
static kl_status check_start(const flexible *p, const kl_setup *s)
{
    const char *key = p->start                    ? "start: static"
                      : p->deformation.n > 0      ? "deformation"
                      : p->deformation_rate.n > 0 ? "deformation_rate"
                                                  : NULL;
    if (!key) return KL_OK;
    return kl_fail(s->diag, KL_E_MODEL, s->place,
                   "body '%s': `%s` applies to modal bodies; a nonlinear body starts undeformed. "
                   "Remove it; to start where the loads are in equilibrium write `run: {start: "
                   "equilibrium}`",
                   s->name, key);
}

static kl_status nonlinear_expand(void *data, const kl_setup *s, kl_model *m)
{
    flexible *p = data;
    if (!p->file.mesh) return KL_E_MODEL; /* already reported */
    if (p->file.mirror != 0)
        return kl_fail(s->diag, KL_E_MODEL, s->place,
                       "body '%s': a nonlinear body cannot be mirrored; mirror its mesh", s->name);
    KL_TRY(flexible_check_damping(p, s));
    KL_TRY(check_start(p, s));
    if (p->damping > 0.0)
        kl_note(s->diag, s->place,
                "body '%s': `damping` is a ratio of modes, which a nonlinear body does not have; "
                "write `rayleigh: [a, b]`",
                s->name);
    KL_TRY(nonlinear_mesh_take(p, s));
    pose at = pose_of(p);
    KL_TRY(add_parts(p, s, &at, m));
    KL_TRY(add_nodes(p, s, &at, m));
    return make_field(p, s, &at, m->settings.every);
}

/* ---- elements ---- */

/* Do all nodes belong to one rigid part? Then nothing deforms. */
static bool is_rigid(const nonlinear_mesh *w, const int *node, int n)
{
    int part = w->body[node[0]];
    for (int a = 1; a < n; a++)
        if (w->body[node[a]] != part) return false;
    return true;
}

/* Reference shape of the element, in the data of a new element of the model. */
static kl_status fill_solid(const flexible *p, const kl_fe_element *e, const kl_setup *s,
                            void *data)
{
    nonlinear_solid *solid = data;
    return kl_large_solid_init(e, &p->nodes->law[e->property->material], s->arena, &solid->s);
}

static kl_status fill_shell(const flexible *p, const kl_fe_element *e, const kl_setup *s,
                            void *data)
{
    (void)p, (void)s;
    return kl_large_shell_init(e, &((nonlinear_shell *)data)->s);
}

static kl_status fill_piece(const flexible *p, const kl_fe_element *e, const kl_fe_rules *rules,
                            const kl_setup *s, nonlinear_piece *piece)
{
    int    n = kl_shape_info_of(e->shape)->nnode;
    double unused[KL_LARGE_NODES];
    piece->id        = e->id;
    piece->reference = *e;
    memcpy(piece->rayleigh, p->rayleigh, sizeof piece->rayleigh);
    KL_TRY(nonlinear_lump(e, rules, piece->mass, unused));
    if (p->mass_matrix == 0) return KL_OK;
    piece->beyond = kl_arena_array(s->arena, double, n *n);
    if (!piece->beyond) return KL_E_MEMORY;
    KL_TRY(nonlinear_consistent(e, rules, piece->beyond));
    for (int a = 0; a < n; a++) piece->beyond[a * n + a] -= piece->mass[a];
    return KL_OK;
}

static kl_status add_element(const flexible *p, const kl_setup *s, kl_model *m, int first,
                             kl_shape shape, int index, const kl_fe_rules *rules)
{
    nonlinear_mesh        *w     = p->nodes;
    int                    n     = kl_shape_info_of(shape)->nnode;
    const int             *node  = w->mesh->block[shape].node + (size_t)index * (size_t)n;
    bool                   shell = nonlinear_is_shell(shape);
    const kl_element_type *type  = shell ? &kl_nonlinear_shell : &kl_nonlinear_solid;
    kl_fe_element          e;
    if (is_rigid(w, node, n)) return KL_OK;
    kl_fe_gather(w->mesh, shape, index, &e);
    const char *name    = kl_arena_format(s->arena, "%s.element%d", s->name, e.id);
    kl_element *element = name ? kl_model_add_element(m, type, name, s->place, false) : NULL;
    if (!element || !element->data) return KL_E_MEMORY;
    element->quiet   = true;
    element->nmarker = n;
    kl_status status = (shell ? fill_shell : fill_solid)(p, &e, s, element->data);
    if (status == KL_OK) status = fill_piece(p, &e, rules, s, element->data);
    if (status == KL_E_MODEL)
        return kl_fail(
            s->diag, status, s->place,
            "body '%s': element %d of %s is inside out, at least at a corner or an edge; "
            "correct its nodes in the mesh%s",
            s->name, e.id, w->mesh->source,
            shape == KL_TET10 ? ", or place its mid-side nodes in the middle of its edges" : "");
    for (int a = 0; status == KL_OK && a < n; a++) {
        w->corner[w->ncorner++] = w->point[node[a]];
        kl_marker at            = {.r = w->local[node[a]], .A = kl_identity()};
        status                  = kl_model_add_marker(m, first + w->body[node[a]], &at);
    }
    return status;
}

static kl_status nonlinear_connect(void *data, const kl_setup *s, kl_model *m)
{
    const flexible *p     = data;
    int             first = m->compound[kl_model_find_compound(m, s->name)].body;
    for (int shape = 0; p->nodes && shape < KL_SHAPE_COUNT; shape++) {
        const kl_block *b = &p->nodes->mesh->block[shape];
        kl_fe_rules     rules;
        if (b->n > 0 && !nonlinear_is_shell((kl_shape)shape))
            kl_fe_rules_init(&rules, (kl_shape)shape);
        for (int i = 0; i < b->n; i++)
            KL_TRY(add_element(p, s, m, first, (kl_shape)shape, i, &rules));
    }
    return KL_OK;
}

/* A marker at a point goes to the nearest named part; without one, to the nearest node. */
static int nonlinear_holder(const void *data, const kl_setup *s, const kl_model *m, kl_vec3 r)
{
    const flexible    *p = data;
    const kl_compound *c = &m->compound[kl_model_find_compound(m, s->name)];
    int                n = p->nodes->npart > 0 ? p->nodes->npart : c->nbody, best = -1;
    double             near = HUGE_VAL;
    for (int i = 0; i < n; i++) {
        kl_vec3 at;
        kl_mat3 A;
        kl_model_pose(m, c->body + i, &at, &A);
        double d = kl_norm(kl_sub(r, at));
        if (d < near) near = d, best = c->body + i;
    }
    return best;
}

static const kl_field *nonlinear_shape(const void *data)
{
    return &((const flexible *)data)->nodes->field;
}

const kl_body_type kl_nonlinear = {.name      = "flexible",
                                   .help      = "flexible body with large deformations",
                                   .keys      = kl_flexible_keys,
                                   .data_size = sizeof(flexible),
                                   .place     = flexible_place,
                                   .expand    = nonlinear_expand,
                                   .connect   = nonlinear_connect,
                                   .holder    = nonlinear_holder,
                                   .shape     = nonlinear_shape};
