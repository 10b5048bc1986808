/* Abaqus input: materials, orientations, and the sections that give them to elements.
 *
 * *ELASTIC, TYPE=ORTHOTROPIC gives the nine stiffnesses D of stress = D strain; its normal part is
 * inverted to E and nu (compliance S: E_i = 1/S_ii, nu_ij = -S_ji E_i).
 * Beam axes: tangent t = local x, n1 = local y, n2 = t x n1 = local z.
 * Shell axes without orientation: the global x axis on the surface, or z where x is within 0.1
 * degree of the normal (Abaqus Analysis User's Guide, Conventions). */
#include "mesh/read_abaqus.h"

#include <math.h>
#include <string.h>

static const double degree = 3.14159265358979323846 / 180.0;

/* ---- materials ---- */

void inp_read_material(inp *a, inp_card *c)
{
    const char *name = inp_required(a, c, "NAME");
    a->material      = -1;
    if (!name) return;
    if (kl_name_map_find(&a->materials, name) >= 0) {
        kl_flaw(a->r, KL_FLAW_RANGE, c->t, c->at, "the material '%s' is given twice; rename one",
                name);
        return;
    }
    kl_material m = {.name = name, .place = kl_source_place(c->t, c->at)};
    a->material   = kl_mesh_add_material(a->r->mesh, &m);
    kl_name_map_put(a->r->arena, &a->materials, name, a->material);
}

/* The material that a suboption belongs to; NULL with a flaw noted. */
static kl_material *current_material(inp *a, inp_card *c)
{
    if (a->material >= 0) return &a->r->mesh->material[a->material];
    kl_flaw(a->r, KL_FLAW_SYNTAX, c->t, c->at, "%s must follow a *MATERIAL card; move it there",
            c->name);
    return NULL;
}

/* Numbers over as many lines as they need, eight a line. What follows is for other temperatures. */
static bool material_numbers(inp *a, inp_card *c, int n, double *value)
{
    inp_cursor data = inp_data(c);
    inp_line   line;
    int        have = 0;
    while (have < n) {
        if (!inp_next_line(&data, &line)) {
            kl_flaw(a->r, KL_FLAW_COUNT, c->t, c->at,
                    "%s needs %d numbers, but %d are given; check its lines", c->name, n, have);
            return false;
        }
        inp_field field[INP_FIELDS];
        int       here = inp_split(&line, field);
        for (int i = 0; i < here && have < n; i++)
            if (!inp_number(a, &line, field[i], 0.0, &value[have++])) return false;
    }
    if (inp_next_line(&data, &line))
        kl_warn(a->r->diag, kl_source_place(line.t, line.first),
                "%s: only the values for the first temperature are used", c->name);
    return true;
}

static bool stiffnesses_to_constants(kl_material *m, const double d[9])
{
    /* Abaqus: D1111, D1122, D2222, D1133, D2233, D3333, D1212, D1313, D2323 */
    kl_mat3 D = {{{d[0], d[1], d[3]}, {d[1], d[2], d[4]}, {d[3], d[4], d[5]}}};
    if (!(kl_det(&D) > 0.0)) return false;
    kl_mat3 S = kl_inverse(&D);
    m->E1 = 1 / S.m[0][0], m->E2 = 1 / S.m[1][1], m->E3 = 1 / S.m[2][2];
    m->nu12 = -S.m[1][0] * m->E1, m->nu13 = -S.m[2][0] * m->E1, m->nu23 = -S.m[2][1] * m->E2;
    m->G12 = d[6], m->G13 = d[7], m->G23 = d[8];
    return true;
}

void inp_read_elastic(inp *a, inp_card *c)
{
    kl_material *m    = current_material(a, c);
    const char  *type = inp_parameter_of(c, "TYPE");
    double       v[9] = {0};
    if (!m) return;
    if (!type || kl_same_word(type, "ISO") || kl_same_word(type, "ISOTROPIC")) {
        if (!material_numbers(a, c, 1, v)) return;
        inp_cursor data = inp_data(c);
        inp_line   line;
        if (inp_next_line(&data, &line)) inp_numbers(a, &line, 2, 0.0, v);
        m->kind = KL_ISOTROPIC;
        m->E = v[0], m->nu = v[1];
        return;
    }
    m->kind = KL_ORTHOTROPIC;
    if (kl_same_word(type, "ENGINEERING CONSTANTS") || kl_same_word(type, "ENGINEERINGCONSTANTS")) {
        if (!material_numbers(a, c, 9, v)) return;
        m->E1 = v[0], m->E2 = v[1], m->E3 = v[2], m->nu12 = v[3], m->nu13 = v[4], m->nu23 = v[5];
        m->G12 = v[6], m->G13 = v[7], m->G23 = v[8];
    } else if (kl_same_word(type, "ORTHO") || kl_same_word(type, "ORTHOTROPIC")) {
        if (material_numbers(a, c, 9, v) && !stiffnesses_to_constants(m, v))
            kl_flaw(a->r, KL_FLAW_RANGE, c->t, c->at,
                    "%s: the stiffnesses of material '%s' are not positive definite; check their "
                    "values and their order",
                    c->name, m->name);
    } else if (kl_same_word(type, "LAMINA")) {
        if (!material_numbers(a, c, 6, v)) return;
        m->E1 = v[0], m->E2 = v[1], m->nu12 = v[2], m->G12 = v[3], m->G13 = v[4], m->G23 = v[5];
    } else {
        kl_unsupported(a->r, c->t, c->at, c->name,
                       "*ELASTIC, TYPE=%s cannot be used; give ISOTROPIC, ENGINEERING CONSTANTS, "
                       "ORTHOTROPIC or LAMINA",
                       type);
    }
}

void inp_read_density(inp *a, inp_card *c)
{
    kl_material *m = current_material(a, c);
    if (m) material_numbers(a, c, 1, &m->rho);
}

/* ---- orientations ---- */

void inp_read_orientation(inp *a, inp_card *c)
{
    const char *name = inp_required(a, c, "NAME");
    inp_cursor  data = inp_data(c);
    inp_line    line;
    double      v[9], w[2] = {1, 0};
    if (!name || !inp_next_line(&data, &line) || !inp_numbers(a, &line, 9, 0.0, v)) return;
    inp_orientation o = {.axes = kl_identity(), .about = 1};
    o.rectangular     = !inp_parameter_of(c, "SYSTEM") || inp_has(c, "SYSTEM", "RECTANGULAR");
    if (inp_parameter_of(c, "DEFINITION") && !inp_has(c, "DEFINITION", "COORDINATES"))
        o.rectangular = false; /* by nodes: refused when used */
    kl_vec3 origin = kl_load(v + 6), x = kl_sub(kl_load(v), origin),
            y = kl_sub(kl_load(v + 3), origin);
    kl_vec3 z = kl_cross(x, y);
    if (o.rectangular && kl_norm(z) == 0.0) {
        kl_flaw(a->r, KL_FLAW_RANGE, line.t, line.first,
                "orientation '%s': its points lie on one line; move the second point off it", name);
        return;
    }
    if (o.rectangular) {
        x = kl_unit(x), z = kl_unit(z);
        o.axes = kl_from_axes(x, kl_cross(z, x), z);
    }
    if (inp_next_line(&data, &line) && inp_numbers(a, &line, 2, 0.0, w)) {
        o.has_second = true;
        o.about      = w[0] == 2.0 ? 2 : w[0] == 3.0 ? 3 : 1;
        /* turn the two others about that axis */
        int     i = o.about % 3, k = (o.about + 1) % 3;
        double  s = sin(w[1] * degree), co = cos(w[1] * degree);
        kl_vec3 axis[3] = {kl_axis(&o.axes, 0), kl_axis(&o.axes, 1), kl_axis(&o.axes, 2)};
        kl_vec3 p       = kl_axpy(s, axis[k], kl_scale(co, axis[i]));
        kl_vec3 q       = kl_axpy(-s, axis[i], kl_scale(co, axis[k]));
        axis[i] = p, axis[k] = q;
        o.axes = kl_from_axes(axis[0], axis[1], axis[2]);
    }
    inp_orientation *slot = kl_arena_grow(a->r->arena, (void **)&a->orientation, a->norientation,
                                          &a->orientation_cap, sizeof *slot);
    if (!slot) return;
    *slot = o;
    kl_name_map_put(a->r->arena, &a->orientations, name, a->norientation++);
}

/* The named orientation; NULL with a flaw noted. */
static const inp_orientation *orientation_of(inp *a, inp_card *c, const char *name)
{
    int i = kl_name_map_find(&a->orientations, name);
    if (i < 0) {
        kl_flaw(a->r, KL_FLAW_UNKNOWN_NAME, c->t, c->at,
                "there is no orientation '%s'; define it with *ORIENTATION", name);
        return NULL;
    }
    if (!a->orientation[i].rectangular) {
        kl_unsupported(a->r, c->t, c->at, "*ORIENTATION",
                       "orientation '%s': only rectangular systems given by coordinates can be "
                       "used; give SYSTEM=RECTANGULAR, DEFINITION=COORDINATES",
                       name);
        return NULL;
    }
    return &a->orientation[i];
}

/* ---- giving a property to the elements of a set ---- */

static int material_of(inp *a, inp_card *c, const char *name)
{
    int m = kl_name_map_find(&a->materials, name);
    if (m >= 0) return m;
    const char **names = kl_arena_array(a->r->arena, const char *, a->r->mesh->nmaterial + 1);
    for (int i = 0; names && i < a->r->mesh->nmaterial; i++)
        names[i] = a->r->mesh->material[i].name;
    const char *near = names ? kl_nearest(name, names) : NULL;
    kl_flaw(a->r, KL_FLAW_UNKNOWN_PROPERTY, c->t, c->at,
            "%s refers to the material '%s', which does not exist%s%s%s", c->name, name,
            near ? "; is it '" : "", near ? near : "", near ? "'?" : "");
    return -1;
}

/* Puts property `p` on all elements of ELSET of the given dimension; returns them in `out`. */
static bool assign(inp *a, inp_card *c, kl_property *p, int dimension, kl_int_list *out)
{
    static const char *const kinds[] = {"points", "beams", "shells", "solids"};
    const char              *elset   = inp_required(a, c, "ELSET");
    if (!elset || !inp_elements(a, c->scope, c->t, c->at, elset, c->name, out)) return false;
    size_t kept = 0; /* what is left out needs no section */
    for (size_t i = 0; i < out->n; i++)
        if (out->v[i] % INP_KINDS != INP_LEFT_OUT) out->v[kept++] = out->v[i];
    out->n    = kept;
    p->name   = elset;
    p->place  = kl_source_place(c->t, c->at);
    int index = kl_mesh_add_property(a->r->mesh, p), twice = 0, wrong = 0;
    if (index < 0) {
        a->r->status = KL_E_MEMORY;
        return false;
    }
    for (size_t i = 0; i < out->n; i++) {
        int kind = out->v[i] % INP_KINDS;
        if (kind >= KL_SHAPE_COUNT || kl_shape_info_of((kl_shape)kind)->dimension != dimension) {
            wrong++;
            continue;
        }
        int *of = &a->r->mesh->block[kind].property[out->v[i] / INP_KINDS];
        twice += *of >= 0 && *of != index;
        *of = index;
    }
    if (wrong)
        kl_flaw(a->r, KL_FLAW_RANGE, c->t, c->at, "%s is for %s, but %d elements of '%s' are not",
                c->name, kinds[dimension], wrong, elset);
    if (twice)
        kl_warn(a->r->diag, p->place,
                "%s: %d elements of '%s' already had a section; this section replaces it", c->name,
                twice, elset);
    return wrong == 0;
}

void inp_read_solid_section(inp *a, inp_card *c)
{
    kl_property p        = {.kind = KL_SOLID, .material = -1, .bottom = NAN};
    const char *material = inp_parameter_of(c, "MATERIAL"), *o = inp_parameter_of(c, "ORIENTATION");
    if (inp_parameter_of(c, "COMPOSITE")) {
        kl_unsupported(a->r, c->t, c->at, c->name,
                       "layered solids cannot be used; use *SHELL SECTION, COMPOSITE");
        return;
    }
    if (!material) {
        inp_required(a, c, "MATERIAL");
        return;
    }
    p.material                  = material_of(a, c, material);
    const inp_orientation *axes = o ? orientation_of(a, c, o) : NULL;
    kl_mat3                turn = a->scopes[c->scope].A;
    p.has_axes                  = axes != NULL || (c->scope > 0 && !o);
    p.axes                      = axes ? kl_matmul(&turn, &axes->axes) : turn;
    kl_int_list elements        = {0};
    assign(a, c, &p, 3, &elements);
    kl_int_list_free(&elements);
}

/* ---- shells ---- */

/* The direction that projected on a shell is its first material axis. */
static kl_vec3 first_axis(const inp_orientation *o, const kl_mat3 *turn, kl_vec3 normal)
{
    kl_vec3 d;
    if (o) { /* the axis after the one near the normal; CalculiX, without a second line: the first
              */
        d = kl_axis(&o->axes, o->has_second ? o->about % 3 : 0);
        return kl_mul(turn, d);
    }
    d = kl_mul(turn, kl_vec(1, 0, 0));
    return fabs(kl_dot(d, normal)) > cos(0.1 * degree) ? kl_mul(turn, kl_vec(0, 0, 1)) : d;
}

static void set_angles(inp *a, inp_card *c, const inp_orientation *o, const kl_int_list *elements)
{
    kl_mesh *m = a->r->mesh;
    for (size_t i = 0; i < elements->n; i++) {
        kl_shape shape = (kl_shape)(elements->v[i] % INP_KINDS);
        int      index = elements->v[i] / INP_KINDS;
        kl_vec3  d     = first_axis(o, &a->scopes[c->scope].A, kl_shell_normal(m, shape, index));
        m->block[shape].angle[index] = kl_shell_angle(m, shape, index, d);
    }
}

/* One ply: thickness, points of integration (not needed), material, angle or orientation. */
static bool read_ply(inp *a, inp_card *c, const inp_line *line, kl_ply *ply,
                     const char **orientation)
{
    inp_field f[INP_FIELDS];
    inp_split(line, f);
    if (!inp_number(a, line, f[0], 0.0, &ply->thickness)) return false;
    if (f[2].first == f[2].last) {
        kl_flaw(a->r, KL_FLAW_SYNTAX, line->t, line->first,
                "a ply needs: thickness, (points), material, angle");
        return false;
    }
    ply->material   = material_of(a, c, inp_word(a, f[2]));
    const char *end = kl_scan_number(f[3].first, f[3].last, &ply->angle);
    ply->angle *= degree;
    if (f[3].first == f[3].last) ply->angle = 0.0;
    else if (end != f[3].last) { /* a name: its own axes */ *orientation = inp_word(a, f[3]);
        ply->angle                                                       = 0.0;
    }
    return true;
}

/* Distance from the nodes to the bottom: the nodes lie OFFSET thicknesses above the middle. */
static bool shell_bottom(inp *a, inp_card *c, kl_property *p)
{
    const char *given  = inp_parameter_of(c, "OFFSET");
    double      offset = 0.0;
    p->bottom          = NAN;
    if (!given) return true;
    if (kl_same_word(given, "SPOS")) offset = 0.5;
    else if (kl_same_word(given, "SNEG")) offset = -0.5;
    else {
        const char *end = given + strlen(given);
        if (kl_scan_number(given, end, &offset) != end || !isfinite(offset)) {
            kl_unsupported(a->r, c->t, c->at, c->name, "OFFSET=%s cannot be used; give a number",
                           given);
            return false;
        }
    }
    if (offset != 0.0) p->bottom = -(0.5 + offset) * p->thickness;
    return true;
}

static bool read_plies(inp *a, inp_card *c, kl_property *p, const char **orientation)
{
    inp_cursor data = inp_data(c);
    inp_line   line;
    int        cap = 0;
    while (inp_next_line(&data, &line)) {
        kl_ply *slot = kl_arena_grow(a->r->arena, (void **)&p->ply, p->nply, &cap, sizeof *slot);
        if (!slot || !read_ply(a, c, &line, slot, orientation)) return false;
        p->thickness += slot->thickness;
        p->nply++;
    }
    if (p->nply == 0)
        kl_flaw(a->r, KL_FLAW_SYNTAX, c->t, c->at,
                "%s, COMPOSITE has no plies; give one line for each ply", c->name);
    return p->nply > 0;
}

void inp_read_shell_section(inp *a, inp_card *c)
{
    kl_property p           = {.kind = KL_SHELL, .material = -1, .bottom = NAN};
    const char *material    = inp_parameter_of(c, "MATERIAL");
    const char *orientation = inp_parameter_of(c, "ORIENTATION");
    kl_int_list elements    = {0};
    if (inp_parameter_of(c, "COMPOSITE")) {
        p.kind = KL_LAMINATE;
        if (!read_plies(a, c, &p, &orientation)) return;
    } else {
        inp_cursor data = inp_data(c);
        inp_line   line;
        if (!material) {
            inp_required(a, c, "MATERIAL");
            return;
        }
        p.material = material_of(a, c, material);
        if (!inp_next_line(&data, &line)) {
            kl_flaw(a->r, KL_FLAW_SYNTAX, c->t, c->at,
                    "%s needs a line with the thickness; add it below the card", c->name);
            return;
        }
        if (!inp_numbers(a, &line, 1, 0.0, &p.thickness)) return;
    }
    if (!shell_bottom(a, c, &p)) return;
    kl_ply whole = {p.material, p.thickness, 0.0};
    if (p.kind == KL_SHELL && !isnan(p.bottom)) { /* shifted: a laminate of one ply */
        p.kind = KL_LAMINATE;
        p.nply = 1;
        p.ply  = &whole;
    }
    const inp_orientation *o =
        orientation && *orientation ? orientation_of(a, c, orientation) : NULL;
    if (assign(a, c, &p, 2, &elements)) set_angles(a, c, o, &elements);
    kl_int_list_free(&elements);
}

/* ---- beams ---- */

typedef struct beam_section {
    const char *name;
    int         n; /* numbers */
    bool (*fill)(kl_property *p, const double *v);
} beam_section;

static bool fill_rectangle(kl_property *p, const double *v)
{
    kl_section_rectangle(p, v[0], v[1]);
    return v[0] > 0 && v[1] > 0;
}

static bool fill_circle(kl_property *p, const double *v)
{
    kl_section_circle(p, v[0]);
    return v[0] > 0;
}

static bool fill_pipe(kl_property *p, const double *v)
{
    kl_section_tube(p, v[0], v[1]);
    return v[0] > 0 && v[1] > 0 && v[1] <= v[0];
}

static bool fill_box(kl_property *p, const double *v)
{
    if (v[2] != v[4] || v[3] != v[5]) return false; /* the centroid would leave the nodes */
    kl_section_box(p, v[0], v[1], v[2], v[3]);
    return v[2] > 0 && v[3] > 0 && 2 * v[2] < v[0] && 2 * v[3] < v[1];
}

/* l, h, b1, b2, t1, t2, t3: node above the bottom, height, widths, flanges, web */
static bool fill_i(kl_property *p, const double *v)
{
    bool symmetric = v[2] == v[3] && v[4] == v[5] && fabs(v[0] - 0.5 * v[1]) <= 1e-6 * v[1];
    kl_section_i(p, v[1], v[2], v[4], v[6]);
    return symmetric && v[1] > 2 * v[4] && v[2] >= v[6] && v[6] > 0 && v[4] > 0;
}

/* A, I11, I12, I22, J */
static bool fill_general(kl_property *p, const double *v)
{
    p->area = v[0], p->Iy = v[1], p->Iyz = v[2], p->Iz = v[3], p->J = v[4];
    return v[0] > 0 && v[1] > 0 && v[3] > 0;
}

static const beam_section beam_sections[] = {
    {"RECT", 2, fill_rectangle}, {"CIRC", 1, fill_circle}, {"PIPE", 2, fill_pipe},
    {"BOX", 6, fill_box},        {"I", 7, fill_i},         {"GENERAL", 5, fill_general},
};

/* *BEAM GENERAL SECTION gives E and G in its third line, the density as a parameter. */
static int general_material(inp *a, inp_card *c, inp_cursor *data)
{
    inp_line    line;
    double      v[2];
    const char *density = inp_parameter_of(c, "DENSITY");
    if (!inp_next_line(data, &line) || !inp_numbers(a, &line, 2, 0.0, v)) return -1;
    kl_material m = {.kind = KL_ISOTROPIC, .E = v[0], .place = kl_source_place(c->t, c->at)};
    m.nu          = v[1] > 0.0 ? 0.5 * v[0] / v[1] - 1.0 : 0.0;
    m.name        = inp_parameter_of(c, "ELSET");
    if (density) kl_scan_number(density, density + strlen(density), &m.rho);
    return kl_mesh_add_material(a->r->mesh, &m);
}

void inp_read_beam_section(inp *a, inp_card *c)
{
    kl_property p    = {.kind = KL_BEAM, .material = -1, .bottom = NAN};
    const char *name = inp_parameter_of(c, "SECTION"), *material = inp_parameter_of(c, "MATERIAL");
    inp_cursor  data = inp_data(c);
    inp_line    line;
    double      v[7] = {0}, n1[3] = {0, 0, -1};
    size_t      k = 0, n = sizeof beam_sections / sizeof *beam_sections;
    if (!name && strncmp(c->key, "BEAMGENERAL", 11) == 0) name = "GENERAL";
    while (name && k < n && !kl_same_word(name, beam_sections[k].name)) k++;
    if (!name || k == n) {
        kl_unsupported(a->r, c->t, c->at, c->name,
                       "%s: SECTION=%s cannot be used; give RECT, CIRC, PIPE, BOX, I or "
                       "*BEAM GENERAL SECTION with its constants",
                       c->name, name ? name : "(missing)");
        return;
    }
    if (!inp_next_line(&data, &line) || !inp_numbers(a, &line, beam_sections[k].n, 0.0, v)) return;
    if (!beam_sections[k].fill(&p, v)) {
        kl_unsupported(
            a->r, line.t, line.first, c->name,
            "%s, SECTION=%s: these dimensions cannot be used (not positive, not fitting, "
            "or not symmetric about the nodes)",
            c->name, name);
        return;
    }
    bool given = inp_next_line(&data, &line), is_round = p.Iy == p.Iz && p.Iyz == 0.0;
    if (given && !inp_numbers(a, &line, 3, 0.0, n1)) return;
    /* a round section needs no direction: then any will do, also for a beam along the default one
     */
    if (given || !is_round) p.orientation = kl_mul(&a->scopes[c->scope].A, kl_load(n1));
    if (material) p.material = material_of(a, c, material);
    else p.material = general_material(a, c, &data);
    if (p.material < 0 && !material)
        kl_flaw(a->r, KL_FLAW_UNKNOWN_PROPERTY, c->t, c->at, "%s needs MATERIAL=", c->name);
    kl_int_list elements = {0};
    assign(a, c, &p, 1, &elements);
    kl_int_list_free(&elements);
}
