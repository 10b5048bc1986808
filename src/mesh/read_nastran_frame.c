/* Nastran bulk data: coordinate systems and grid points.
 *
 * A system is given by three points (origin A, B on its z axis, C in its x-z half plane) in another
 * system (CORD2x) or by three grid points (CORD1x), which are themselves given in some system: the
 * chain is followed from its end, and a circle is an error. Cylindrical: r, theta [degree], z;
 * spherical: r, theta from z, phi [degree]. */
#include <math.h>
#include <string.h>

#include "mesh/read_nastran.h"

enum { TO_DO, DOING, DONE, FAILED, DEEPEST = 500 };

static const double degree = 3.14159265358979323846 / 180.0;

/* ---- reading ---- */

static void put_frame(bulk *b, const bulk_frame *f)
{
    if (f->id < 1) {
        bulk_flaw(b, KL_FLAW_ID, 1, "%s: number %d must be positive", bulk_name(b), f->id);
        return;
    }
    if (kl_int_map_find(&b->frame_map, (uint64_t)f->id) >= 0) {
        bulk_flaw(b, KL_FLAW_RANGE, 1, "coordinate system %d is given twice; renumber one", f->id);
        return;
    }
    bulk_frame *slot =
        kl_arena_grow(b->r->arena, (void **)&b->frames, b->nframe, &b->frame_cap, sizeof *slot);
    if (!slot) return;
    *slot = *f;
    kl_int_map_put(b->r->arena, &b->frame_map, (uint64_t)f->id, b->nframe++);
}

/* CORD1x holds two systems in a card, CORD2x one. */
void bulk_read_frame(bulk *b)
{
    const char *name = bulk_name(b);
    frame_kind  kind = name[5] == 'C' ? CYLINDRICAL : name[5] == 'S' ? SPHERICAL : RECTANGULAR;
    bulk_frame  f    = {.kind = kind, .card = b->card};
    if (name[4] == '1') {
        f.by_grids = true;
        for (int i = 1; i < b->nfield; i += 4) {
            if (!bulk_whole(b, i, 0, &f.id)) return;
            for (int k = 0; k < 3; k++)
                if (!bulk_whole(b, i + 1 + k, 0, &f.grid[k])) return;
            put_frame(b, &f);
        }
        return;
    }
    double v[9];
    if (!bulk_whole(b, 1, 0, &f.id) || !bulk_whole(b, 2, 0, &f.reference) ||
        !bulk_reals(b, 3, 9, 0.0, v))
        return;
    for (int k = 0; k < 3; k++) f.point[k] = kl_load(v + 3 * k);
    put_frame(b, &f);
}

void bulk_read_grdset(bulk *b)
{
    bulk_whole(b, 2, 0, &b->default_frame);
    bulk_whole(b, 6, 0, &b->default_moves);
}

void bulk_read_grid(bulk *b)
{
    bulk_grid g    = {.card = b->card};
    double    v[3] = {0};
    if (!bulk_whole(b, 1, 0, &g.id)) return;
    /* what else is wrong is reported once, not again by all that refers to the point */
    if (!bulk_whole(b, 2, b->default_frame, &g.frame)) g.frame = 0;
    if (!bulk_reals(b, 3, 3, 0.0, v)) v[0] = v[1] = v[2] = 0.0;
    if (!bulk_whole(b, 6, b->default_moves, &g.moves)) g.moves = 0;
    if (g.id < 1) {
        bulk_flaw(b, KL_FLAW_ID, 1, "GRID number %d must be positive", g.id);
        return;
    }
    g.x       = kl_load(v);
    int known = kl_id_map_find(&b->grid_map, g.id);
    if (known >= 0) {
        const bulk_grid *k = &b->grids[known];
        if (k->frame != g.frame || kl_norm(kl_sub(k->x, g.x)) > 0.0)
            bulk_flaw(b, KL_FLAW_DUPLICATE_NODE, 1,
                      "GRID %d is given twice, at (%g, %g, %g) and (%g, %g, %g); renumber one",
                      g.id, k->x.x, k->x.y, k->x.z, g.x.x, g.x.y, g.x.z);
        return;
    }
    if (!bulk_empty(b, 7)) kl_import_ignore(b->r, b->card->t, b->card->first, "GRID, field PS");
    bulk_grid *slot =
        kl_arena_grow(b->r->arena, (void **)&b->grids, b->ngrid, &b->grid_cap, sizeof *slot);
    if (!slot) return;
    *slot = g;
    if (g.id >= b->next_id) b->next_id = g.id;
    if (!kl_id_map_put(&b->grid_map, g.id, b->ngrid++)) b->r->status = KL_E_MEMORY;
}

/* ---- resolving ---- */

static kl_vec3 to_rectangular(frame_kind kind, kl_vec3 x)
{
    double t = x.y * degree, p = x.z * degree;
    if (kind == CYLINDRICAL) return kl_vec(x.x * cos(t), x.x * sin(t), x.z);
    if (kind == SPHERICAL)
        return kl_vec(x.x * sin(t) * cos(p), x.x * sin(t) * sin(p), x.x * cos(t));
    return x;
}

static bool resolve_frame(bulk *b, int index, int depth);

static bool frame_point(bulk *b, int id, kl_vec3 x, kl_vec3 *global, const bulk_card *card,
                        int depth)
{
    *global = x;
    if (id == 0) return true;
    int i = id > 0 ? kl_int_map_find(&b->frame_map, (uint64_t)id) : -1;
    if (i < 0) {
        kl_flaw(b->r, KL_FLAW_UNKNOWN_NAME, card->t, card->first,
                "coordinate system %d does not exist; define it with CORD2R or correct the number",
                id);
        return false;
    }
    if (!resolve_frame(b, i, depth)) return false;
    const bulk_frame *f = &b->frames[i];
    *global             = kl_add(f->origin, kl_mul(&f->axes, to_rectangular(f->kind, x)));
    return true;
}

static bool resolve_grid(bulk *b, int index, int depth)
{
    bulk_grid *g = &b->grids[index];
    if (g->state >= DONE) return g->state == DONE;
    kl_vec3 x;
    bool    ok = frame_point(b, g->frame, g->x, &x, g->card, depth + 1);
    g->x       = ok ? x : g->x;
    g->state   = ok ? DONE : FAILED;
    return ok;
}

static bool frame_points(bulk *b, bulk_frame *f, kl_vec3 p[3], int depth)
{
    for (int k = 0; k < 3; k++) {
        if (!f->by_grids) {
            if (!frame_point(b, f->reference, f->point[k], &p[k], f->card, depth + 1)) return false;
            continue;
        }
        int g = f->grid[k] > 0 ? kl_id_map_find(&b->grid_map, f->grid[k]) : -1;
        if (g < 0) {
            kl_flaw(b->r, KL_FLAW_UNKNOWN_NODE, f->card->t, f->card->first,
                    "coordinate system %d refers to GRID %d, which does not exist; define it or "
                    "correct the number",
                    f->id, f->grid[k]);
            return false;
        }
        if (!resolve_grid(b, g, depth + 1)) return false;
        p[k] = b->grids[g].x;
    }
    return true;
}

static bool resolve_frame(bulk *b, int index, int depth)
{
    bulk_frame *f = &b->frames[index];
    if (f->state >= DONE) return f->state == DONE;
    if (f->state == DOING || depth > DEEPEST) {
        kl_flaw(b->r, KL_FLAW_RANGE, f->card->t, f->card->first,
                "coordinate system %d depends on itself; refer one of the systems in the cycle to "
                "system 0",
                f->id);
        f->state = FAILED;
        return false;
    }
    kl_vec3 p[3];
    f->state = DOING;
    bool ok  = frame_points(b, f, p, depth);
    if (ok) {
        kl_vec3 z = kl_sub(p[1], p[0]), y = kl_cross(z, kl_sub(p[2], p[0]));
        ok = kl_norm(y) > 0.0;
        if (!ok)
            kl_flaw(b->r, KL_FLAW_RANGE, f->card->t, f->card->first,
                    "coordinate system %d: its three points lie on one line; move the third point "
                    "off it",
                    f->id);
        z = kl_unit(z), y = kl_unit(y);
        f->origin = p[0];
        f->axes   = kl_from_axes(kl_cross(y, z), y, z);
    }
    f->state = ok ? DONE : FAILED;
    return ok;
}

void bulk_put_grids(bulk *b)
{
    for (int i = 0; i < b->nframe; i++) resolve_frame(b, i, 0);
    for (int i = 0; i < b->ngrid; i++) {
        bulk_grid *g = &b->grids[i];
        /* a failure is reported; the node is added nevertheless, so that it is not reported as missing too */
        resolve_grid(b, i, 0);
        kl_import_node(b->r, g->card->t, g->card->first, g->id, g->x);
    }
}

/* ---- asking ---- */

bool bulk_point(bulk *b, int id, kl_vec3 x, kl_vec3 *global)
{
    return frame_point(b, id, x, global, b->card, 0);
}

bool bulk_axes(bulk *b, int id, kl_vec3 x, kl_mat3 *axes)
{
    kl_vec3 origin;
    *axes = kl_identity();
    if (!bulk_point(b, id, kl_vec(0, 0, 0), &origin)) return false; /* says when it is missing */
    if (id == 0) return true;
    const bulk_frame *f = &b->frames[kl_int_map_find(&b->frame_map, (uint64_t)id)];
    *axes               = f->axes;
    if (f->kind == RECTANGULAR) return true;

    /* radial direction at x; on the axis itself the system's x axis */
    kl_vec3 d = kl_mul_t(&f->axes, kl_sub(x, f->origin));
    double  r = hypot(d.x, d.y), c = r > 0 ? d.x / r : 1.0, s = r > 0 ? d.y / r : 0.0;
    kl_mat3 local = {{{c, -s, 0}, {s, c, 0}, {0, 0, 1}}}; /* r, theta, z */
    if (f->kind == SPHERICAL) {
        double R = hypot(r, d.z), ct = R > 0 ? d.z / R : 1.0, st = R > 0 ? r / R : 0.0;
        local = (kl_mat3){{{st * c, ct * c, -s}, {st * s, ct * s, c}, {ct, -st, 0}}};
    }
    *axes = kl_matmul(&f->axes, &local);
    return true;
}

bool bulk_node_axes(bulk *b, int node, kl_mat3 *axes)
{
    int g = kl_id_map_find(&b->grid_map, b->r->mesh->node_id[node]);
    *axes = kl_identity();
    if (g < 0 || b->grids[g].moves == 0) return true;
    if (b->grids[g].moves < 0) { /* a fluid point: no directions */
        bulk_refuse(b, 0, "GRID %d with CD = -1 is a fluid point; remove fluid points and elements",
                    b->grids[g].id);
        return false;
    }
    return bulk_axes(b, b->grids[g].moves, b->grids[g].x, axes);
}

int bulk_node_by_id(bulk *b, int i, long long id)
{
    int node = id >= 1 && id <= 0x7fffffff ? kl_mesh_find_node(b->r->mesh, (int)id) : -1;
    if (node >= 0) return node;
    long long own = 0;
    if (!bulk_is_whole(b, 1, &own)) own = 0;
    bulk_flaw(b, KL_FLAW_UNKNOWN_NODE, i,
              "%s %lld refers to GRID %lld, which does not exist; define it or correct the number",
              bulk_name(b), own, id);
    return -1;
}

int bulk_node(bulk *b, int i)
{
    int id;
    return bulk_whole(b, i, 0, &id) ? bulk_node_by_id(b, i, id) : -1;
}
