/* Nastran bulk data: materials and properties.
 *
 * Beams: I1 bends in plane 1, the local x-y plane, and is our Iz; I2 is Iy. A shear factor K that
 * is blank on PBAR means no shear flexibility; on PBEAM it means 1. The standard sections of PBARL
 * and PBEAML that are symmetric become constants here; their height DIM2 or DIM1 is along local y.
 * PARAM, WTMASS multiplies every mass. */
#include <math.h>
#include <string.h>

#include "mesh/read_nastran.h"

static const double degree = 3.14159265358979323846 / 180.0;

/* ---- materials ---- */

static void put_material(bulk *b, kl_material *m, int id)
{
    if (kl_int_map_find(&b->materials, (uint64_t)id) >= 0) {
        bulk_flaw(b, KL_FLAW_RANGE, 1, "material %d is given twice; renumber one", id);
        return;
    }
    m->name  = kl_arena_format(b->r->arena, "%d", id);
    m->place = kl_source_place(b->card->t, b->card->first);
    m->rho *= b->wtmass;
    kl_int_map_put(b->r->arena, &b->materials, (uint64_t)id, kl_mesh_add_material(b->r->mesh, m));
}

/* MAT1: MID, E, G, NU, RHO; one of E, G, NU may be missing. */
void bulk_read_mat1(bulk *b)
{
    kl_material m = {.kind = KL_ISOTROPIC};
    int         id;
    double      G;
    if (!bulk_whole(b, 1, 0, &id) || !bulk_real(b, 2, 0.0, &m.E) || !bulk_real(b, 3, 0.0, &G) ||
        !bulk_real(b, 4, 0.0, &m.nu) || !bulk_real(b, 5, 0.0, &m.rho))
        return;
    bool has_e = !bulk_empty(b, 2), has_g = !bulk_empty(b, 3), has_nu = !bulk_empty(b, 4);
    if (!has_e && has_g) m.E = 2 * (1 + m.nu) * G;
    else if (has_e && has_g && !has_nu && G > 0) m.nu = 0.5 * m.E / G - 1;
    else if (has_e && has_g && has_nu && fabs(m.E / (2 * (1 + m.nu)) - G) > 0.01 * fabs(G))
        kl_warn(b->r->diag, kl_source_place(b->card->t, b->card->first),
                "MAT1 %d: G = %g does not fit E and NU; E and NU are used", id, G);
    put_material(b, &m, id);
}

/* MAT8: MID, E1, E2, NU12, G12, G1Z, G2Z, RHO */
void bulk_read_mat8(bulk *b)
{
    kl_material m = {.kind = KL_ORTHOTROPIC};
    int         id;
    double      v[7];
    if (!bulk_whole(b, 1, 0, &id) || !bulk_reals(b, 2, 7, 0.0, v)) return;
    m.E1 = v[0], m.E2 = v[1], m.nu12 = v[2], m.G12 = v[3], m.G13 = v[4], m.G23 = v[5];
    m.rho = v[6];
    put_material(b, &m, id);
}

/* MAT2, MAT9, ...: an error only where something uses it. */
void bulk_read_mat_other(bulk *b)
{
    int id;
    kl_import_ignore(b->r, b->card->t, b->card->first, bulk_name(b));
    if (bulk_whole(b, 1, 0, &id))
        kl_int_map_put(b->r->arena, &b->unusable_materials, (uint64_t)id, 0);
}

/* The material in field i; -1 with a flaw noted. */
static int material_by_id(bulk *b, int i, int id)
{
    int m = kl_int_map_find(&b->materials, (uint64_t)id);
    if (m >= 0) return m;
    if (kl_int_map_find(&b->unusable_materials, (uint64_t)id) >= 0)
        bulk_refuse(b, i, "%s uses material %d, whose type is not supported; use MAT1 or MAT8",
                    bulk_name(b), id);
    else
        bulk_flaw(b, KL_FLAW_UNKNOWN_PROPERTY, i,
                  "%s refers to material %d, which does not exist; define it or correct the number",
                  bulk_name(b), id);
    return -1;
}

static int material_at(bulk *b, int i)
{
    int id;
    return bulk_whole(b, i, 0, &id) ? material_by_id(b, i, id) : -1;
}

/* ---- properties ---- */

static void put_property(bulk *b, kl_property *p, int id)
{
    if (kl_int_map_find(&b->property_map, (uint64_t)id) >= 0) {
        bulk_flaw(b, KL_FLAW_RANGE, 1, "property %d is given twice; renumber one", id);
        return;
    }
    p->name  = kl_arena_format(b->r->arena, "%d", id);
    p->place = kl_source_place(b->card->t, b->card->first);
    p->nsm *= b->wtmass;
    bulk_property *slot  = kl_arena_grow(b->r->arena, (void **)&b->properties, b->nproperty,
                                         &b->property_cap, sizeof *slot);
    int            index = slot ? kl_mesh_add_property(b->r->mesh, p) : -1;
    if (index < 0) {
        b->r->status = KL_E_MEMORY;
        return;
    }
    *slot = (bulk_property){id, index, -1};
    kl_int_map_put(b->r->arena, &b->property_map, (uint64_t)id, b->nproperty++);
}

const bulk_property *bulk_property_at(bulk *b, int i, int otherwise, kl_property_kind kind)
{
    static const char *const wanted[] = {"PSOLID", "PSHELL or PCOMP", "PSHELL or PCOMP",
                                         "PBAR, PBARL, PBEAM or PBEAML"};
    int                      id;
    if (!bulk_whole(b, i, otherwise, &id)) return NULL;
    int at = kl_int_map_find(&b->property_map, (uint64_t)id);
    if (at < 0) {
        bulk_flaw(
            b, KL_FLAW_UNKNOWN_PROPERTY, i,
            "%s %d refers to property %d, which does not exist; define it or correct the number",
            bulk_name(b), otherwise, id);
        return NULL;
    }
    bulk_property   *p     = &b->properties[at];
    kl_property_kind given = b->r->mesh->property[p->property].kind;
    if (given == KL_LAMINATE && kind == KL_SHELL) given = KL_SHELL;
    if (given != kind) {
        bulk_flaw(b, KL_FLAW_RANGE, i, "%s %d needs a %s, but property %d is not one", bulk_name(b),
                  otherwise, wanted[kind], id);
        return NULL;
    }
    if (p->set < 0) {
        const char *name = kl_arena_format(b->r->arena, "pid-%d", id);
        p->set           = name ? kl_mesh_set(b->r->mesh, KL_ELEMENT_SET, name) : -1;
    }
    return p;
}

void bulk_read_psolid(bulk *b)
{
    kl_property p = {.kind = KL_SOLID, .bottom = NAN};
    int         id, frame;
    if (!bulk_whole(b, 1, 0, &id)) return;
    p.material = material_at(b, 2);
    /* CORDM: 0 and blank are the basic system, -1 the element's own, which isotropy does not need
     */
    if (!bulk_whole(b, 3, 0, &frame)) return;
    bool orthotropic = p.material >= 0 && b->r->mesh->material[p.material].kind == KL_ORTHOTROPIC;
    if (orthotropic && frame > 0) p.has_axes = bulk_axes(b, frame, kl_vec(0, 0, 0), &p.axes);
    if (orthotropic && frame < 0) bulk_refuse(b, 3, "PSOLID %d: give CORDM of a system", id);
    put_property(b, &p, id);
}

/* PSHELL: PID, MID1, T, MID2, 12I/T3, MID3, TS/T, NSM */
void bulk_read_pshell(bulk *b)
{
    kl_property p = {.kind = KL_SHELL, .bottom = NAN};
    int         id, mid2, mid1;
    double      bending, shear;
    if (!bulk_whole(b, 1, 0, &id) || !bulk_real(b, 3, 0.0, &p.thickness) ||
        !bulk_whole(b, 2, 0, &mid1) || !bulk_whole(b, 4, 0, &mid2) ||
        !bulk_real(b, 5, 1.0, &bending) || !bulk_real(b, 7, 0.833333, &shear) ||
        !bulk_real(b, 8, 0.0, &p.nsm))
        return;
    kl_place place = kl_source_place(b->card->t, b->card->first);
    p.material     = material_by_id(b, 2, mid1 ? mid1 : mid2);
    if (mid2 == 0 || mid1 == 0)
        kl_warn(b->r->diag, place,
                "PSHELL %d is a %s only; it is used as a shell with membrane and bending stiffness",
                id, mid1 ? "membrane" : "plate");
    if ((mid1 && mid2 && mid2 != mid1 && mid2 != -1) || fabs(bending - 1.0) > 1e-6)
        bulk_refuse(b, 4,
                    "PSHELL %d: separate bending properties (MID2, 12I/T3) are not supported; give "
                    "MID2 = MID1 and 12I/T3 = 1",
                    id);
    if (fabs(shear - 0.833333) > 1e-3)
        kl_warn(b->r->diag, place, "PSHELL %d: TS/T = %g is ignored; 5/6 is used", id, shear);
    put_property(b, &p, id);
}

/* ---- laminates ---- */

typedef struct plies {
    kl_ply *ply;
    int     n, cap;
} plies;

static bool add_ply(bulk *b, plies *list, kl_ply ply)
{
    kl_ply *slot =
        kl_arena_grow(b->r->arena, (void **)&list->ply, list->n, &list->cap, sizeof *slot);
    if (!slot) return false;
    *slot = ply;
    list->n++;
    return true;
}

/* Head of PCOMP and PCOMPG, and the end of both: symmetric stacking, bottom, into the mesh. */
static void put_laminate(bulk *b, plies *list)
{
    kl_property p = {.kind = KL_LAMINATE, .material = -1};
    int         id;
    if (!bulk_whole(b, 1, 0, &id) || !bulk_real(b, 2, NAN, &p.bottom) ||
        !bulk_real(b, 3, 0.0, &p.nsm))
        return;
    if (bulk_is(b, 8, "SYM")) {
        for (int i = list->n - 1; i >= 0; i--)
            if (!add_ply(b, list, list->ply[i])) return;
    } else if (!bulk_empty(b, 8)) {
        bulk_refuse(b, 8, "%s %d: only LAM = SYM or blank can be used; list all plies",
                    bulk_name(b), id);
    }
    if (list->n == 0) {
        bulk_flaw(b, KL_FLAW_SYNTAX, 1,
                  "%s %d has no plies; give material, thickness and angle of each ply",
                  bulk_name(b), id);
        return;
    }
    p.nply = list->n;
    p.ply  = list->ply;
    for (int i = 0; i < p.nply; i++) p.thickness += p.ply[i].thickness;
    put_property(b, &p, id);
}

/* PCOMP: from field 9 on MID, T, THETA, SOUT; a blank MID or T repeats the one before. */
void bulk_read_pcomp(bulk *b)
{
    plies  list = {0};
    kl_ply last = {-1, 0.0, 0.0};
    for (int i = 9; i < b->nfield; i += 4) {
        bool any = false;
        for (int k = 0; k < 4; k++) any = any || !bulk_empty(b, i + k);
        if (!any) continue;
        if (!bulk_empty(b, i)) last.material = material_at(b, i);
        if (!bulk_real(b, i + 1, last.thickness, &last.thickness) ||
            !bulk_real(b, i + 2, 0.0, &last.angle))
            return;
        last.angle *= degree;
        if (!add_ply(b, &list, last)) return;
    }
    put_laminate(b, &list);
}

/* PCOMPG: from field 9 on a line each: number, MID, T, THETA, SOUT */
void bulk_read_pcompg(bulk *b)
{
    plies list = {0};
    for (int i = 9; i < b->nfield; i += 8) {
        kl_ply ply = {.material = material_at(b, i + 1)};
        if (!bulk_real(b, i + 2, 0.0, &ply.thickness) || !bulk_real(b, i + 3, 0.0, &ply.angle))
            return;
        ply.angle *= degree;
        if (!add_ply(b, &list, ply)) return;
    }
    put_laminate(b, &list);
}

/* Shells with ZOFFS or own thickness: one property for each distinct pair, a laminate of one ply.
 */
int bulk_moved_shell(bulk *b, int property, double offset, double thickness)
{
    const kl_property *from = &b->r->mesh->property[property];
    if (offset == 0.0 && (thickness == 0.0 || thickness == from->thickness)) return property;
    double   own[2] = {offset, thickness};
    uint64_t bits[2], key = (uint64_t)property;
    memcpy(bits, own, sizeof bits);
    for (int i = 0; i < 2; i++) key = (key ^ bits[i]) * UINT64_C(0x9e3779b97f4a7c15);
    int known = kl_int_map_find(&b->derived, key);
    if (known >= 0) return known;

    kl_property p     = *from;
    kl_ply      whole = {p.material, thickness > 0.0 ? thickness : p.thickness, 0.0};
    if (p.kind == KL_SHELL) {
        p.kind      = KL_LAMINATE;
        p.nply      = 1;
        p.ply       = &whole;
        p.thickness = whole.thickness;
    }
    double bottom = isnan(p.bottom) ? -0.5 * p.thickness : p.bottom;
    p.bottom      = bottom + offset;
    p.name        = kl_arena_format(b->r->arena, "%s, moved by %g", from->name, offset);
    int made      = kl_mesh_add_property(b->r->mesh, &p);
    if (made < 0) b->r->status = KL_E_MEMORY;
    else kl_int_map_put(b->r->arena, &b->derived, key, made);
    return made;
}

/* ---- beams ---- */

static void stress_points(kl_property *p, const double v[8])
{
    for (int i = 0; i < 4; i++) p->stress_y[i] = v[2 * i], p->stress_z[i] = v[2 * i + 1];
}

/* PBAR: PID, MID, A, I1, I2, J, NSM, -; C1 ... F2; K1, K2, I12 */
void bulk_read_pbar(bulk *b)
{
    kl_property p = {.kind = KL_BEAM, .bottom = NAN};
    int         id;
    double      point[8];
    if (!bulk_whole(b, 1, 0, &id) || !bulk_real(b, 3, 0.0, &p.area) ||
        !bulk_real(b, 4, 0.0, &p.Iz) || !bulk_real(b, 5, 0.0, &p.Iy) ||
        !bulk_real(b, 6, 0.0, &p.J) || !bulk_real(b, 7, 0.0, &p.nsm) ||
        !bulk_reals(b, 9, 8, 0.0, point) || !bulk_real(b, 17, 0.0, &p.ky) ||
        !bulk_real(b, 18, 0.0, &p.kz) || !bulk_real(b, 19, 0.0, &p.Iyz))
        return;
    p.material = material_at(b, 2);
    stress_points(&p, point);
    put_property(b, &p, id);
}

static void turn_section(kl_property *p)
{
    double swap;
#define SWAP(a, b) (swap = (a), (a) = (b), (b) = swap)
    SWAP(p->Iy, p->Iz);
    SWAP(p->ky, p->kz);
    for (int i = 0; i < 4; i++) SWAP(p->stress_y[i], p->stress_z[i]);
#undef SWAP
}

static bool fill_rod(kl_property *p, const double *d)
{
    kl_section_circle(p, d[0]);
    return d[0] > 0;
}

static bool fill_tube(kl_property *p, const double *d)
{
    if (d[1] <= 0.0) kl_section_circle(p, d[0]);
    else kl_section_tube(p, d[0], d[0] - d[1]);
    return d[0] > d[1] && d[1] >= 0;
}

static bool fill_tube2(kl_property *p, const double *d)
{
    kl_section_tube(p, d[0], d[1]);
    return d[0] > 0 && d[1] > 0 && d[1] <= d[0];
}

static bool fill_bar(kl_property *p, const double *d)
{
    kl_section_rectangle(p, d[1], d[0]);
    return d[0] > 0 && d[1] > 0;
}

static bool fill_box(kl_property *p, const double *d)
{
    kl_section_box(p, d[1], d[0], d[2], d[3]);
    return d[2] > 0 && d[3] > 0 && 2 * d[2] < d[1] && 2 * d[3] < d[0];
}

static bool fill_i(kl_property *p, const double *d)
{
    kl_section_i(p, d[0], d[1], d[4], d[3]);
    turn_section(p);
    return d[1] == d[2] && d[4] == d[5] && d[0] > 2 * d[4] && d[4] > 0 && d[3] > 0 && d[1] >= d[3];
}

static bool fill_i1(kl_property *p, const double *d)
{
    double flange = 0.5 * (d[3] - d[2]);
    kl_section_i(p, d[3], d[0] + d[1], flange, d[1]);
    turn_section(p);
    return flange > 0 && d[0] > 0 && d[1] > 0 && d[2] > 0;
}

static const struct {
    const char *name;
    int         n;
    bool (*fill)(kl_property *p, const double *d);
} sections[] = {{"ROD", 1, fill_rod}, {"TUBE", 2, fill_tube}, {"TUBE2", 2, fill_tube2},
                {"BAR", 2, fill_bar}, {"BOX", 4, fill_box},   {"I", 6, fill_i},
                {"I1", 4, fill_i1}};

/* PBARL and PBEAML: PID, MID, GROUP, TYPE, -; DIM1 ... DIMn, NSM; then stations (PBEAML) */
static void standard_section(bulk *b)
{
    kl_property p = {.kind = KL_BEAM, .bottom = NAN};
    int         id;
    double      d[6];
    size_t      k = 0, n = sizeof sections / sizeof *sections;
    bulk_field  type = bulk_at(b, 4);
    if (!bulk_whole(b, 1, 0, &id)) return;
    while (k < n && !bulk_is(b, 4, sections[k].name)) k++;
    if (k == n) {
        bulk_refuse(b, 4, "%s %d: a section '%s' cannot be used; give its constants on PBAR",
                    bulk_name(b), id, kl_quote(b->r, type.first, type.last));
        return;
    }
    int dims = sections[k].n;
    if (!bulk_reals(b, 9, dims, 0.0, d) || !bulk_real(b, 9 + dims, 0.0, &p.nsm)) return;
    if (!sections[k].fill(&p, d)) {
        bulk_refuse(b, 9,
                    "%s %d: the dimensions of its %s cannot be used (not fitting, or not "
                    "symmetric)",
                    bulk_name(b), id, sections[k].name);
        return;
    }
    for (int i = 0; i < dims; i++) { /* the station at end B repeats end A, or is left out */
        double other;
        int    at = 9 + dims + 3 + i;
        if (bulk_empty(b, at)) continue;
        if (!bulk_real(b, at, d[i], &other)) return;
        if (fabs(other - d[i]) > 1e-6 * fabs(d[i])) {
            bulk_refuse(b, at, "%s %d is tapered; divide it into pieces of constant section",
                        bulk_name(b), id);
            return;
        }
    }
    p.material = material_at(b, 2);
    put_property(b, &p, id);
}

void bulk_read_pbarl(bulk *b) { standard_section(b); }
void bulk_read_pbeaml(bulk *b) { standard_section(b); }

/* Stations of PBEAM from field `i` on: SO, X/XB, A, I1, I2, I12, J, NSM, and a line of points after
 * SO = YES. Returns the field after them; -1 when one differs from end A. */
static int skip_stations(bulk *b, int i, const double first[5])
{
    while (bulk_is(b, i, "YES") || bulk_is(b, i, "YESA") || bulk_is(b, i, "NO")) {
        for (int k = 0; k < 5; k++) {
            double v;
            if (!bulk_real(b, i + 2 + k, first[k], &v)) return -1;
            if (fabs(v - first[k]) <= 1e-6 * fabs(first[k])) continue;
            bulk_refuse(b, i + 2 + k, "%s is tapered; divide it into pieces of constant section",
                        bulk_name(b));
            return -1;
        }
        i += bulk_is(b, i, "YES") ? 16 : 8;
    }
    return i;
}

/* PBEAM: PID, MID, A, I1, I2, I12, J, NSM; C1 ... F2; stations; K1, K2, ...; M1A ... N2B */
void bulk_read_pbeam(bulk *b)
{
    kl_property p = {.kind = KL_BEAM, .bottom = NAN};
    int         id, i          = 9;
    double      v[6], point[8] = {0}, shift[4];
    if (!bulk_whole(b, 1, 0, &id) || !bulk_reals(b, 3, 6, 0.0, v)) return;
    bool station = bulk_is(b, i, "YES") || bulk_is(b, i, "YESA") || bulk_is(b, i, "NO");
    if (!station) {
        if (!bulk_reals(b, i, 8, 0.0, point)) return;
        i += 8;
    }
    i = skip_stations(b, i, v);
    if (i < 0 || !bulk_real(b, i, 1.0, &p.ky) || !bulk_real(b, i + 1, 1.0, &p.kz) ||
        !bulk_reals(b, i + 12, 4, 0.0, shift))
        return;
    for (int k = 0; k < 4; k++)
        if (shift[k] != 0.0) {
            bulk_refuse(b, i + 12 + k,
                        "PBEAM %d: a neutral axis that differs from the shear centre (N1, N2) is "
                        "not supported; use shells or solids for this part",
                        id);
            return;
        }
    p.area = v[0], p.Iz = v[1], p.Iy = v[2], p.Iyz = v[3], p.J = v[4], p.nsm = v[5];
    p.material = material_at(b, 2);
    stress_points(&p, point);
    put_property(b, &p, id);
}

/* ---- springs ---- */

static void put_spring(bulk *b, int id, const double k[6])
{
    double(*slot)[6] =
        kl_arena_grow(b->r->arena, (void **)&b->spring_k, b->nspring, &b->spring_cap, sizeof *slot);
    if (!slot) return;
    memcpy(slot, k, sizeof *slot);
    kl_int_map_put(b->r->arena, &b->springs, (uint64_t)id, b->nspring++);
}

/* PELAS: two of PID, K, GE, S */
void bulk_read_pelas(bulk *b)
{
    for (int i = 1; i < b->nfield; i += 4) {
        int    id;
        double k[6] = {0};
        if (bulk_empty(b, i)) continue;
        if (!bulk_whole(b, i, 0, &id) || !bulk_real(b, i + 1, 0.0, &k[0])) return;
        put_spring(b, id, k);
    }
}

/* PBUSH: PID, K, K1 ... K6, and lines of B, GE, RCV that do not matter here */
void bulk_read_pbush(bulk *b)
{
    int    id;
    double k[6] = {0};
    if (!bulk_whole(b, 1, 0, &id)) return;
    for (int i = 2; i < b->nfield; i += 8)
        if (bulk_is(b, i, "K") && !bulk_reals(b, i + 1, 6, 0.0, k)) return;
    put_spring(b, id, k);
}
