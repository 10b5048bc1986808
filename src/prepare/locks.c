#include "prepare/locks.h"

#include <math.h>

#include "joints/joints.h"
#include "model/groups.h"
#include "solve/mode_compatibility.h"

/* axes with this z, in those of a body that stands as A */
static kl_mat3 axes_with(kl_vec3 z, const kl_mat3 *A)
{
    kl_vec3 n = fabs(z.x) < 0.6 ? kl_vec(1, 0, 0) : kl_vec(0, 1, 0), x = kl_cross(n, z);
    x         = kl_scale(1.0 / kl_norm(x), x);
    kl_vec3 y = kl_cross(z, x);
    kl_mat3 G = {{{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}}}, At = kl_transpose(A);
    return kl_matmul(&At, &G);
}

static kl_mat3 axes_of(const kl_solver *x, int body)
{
    const kl_body *b  = &x->model->body[body];
    kl_marker      at = {.body = body, .A = kl_identity(), .node = KL_MARKER_FRAME};
    kl_motion      m;
    kl_body_motion(b, x->w->cache + b->cache, &at, &m);
    return m.A;
}

/* The turn about an axis: an axis u of the partner and v of the frame, both across it, stay at
 * right angles. Of two turns v is the axis that the frame may still turn about, of one u, so that it
 * can go all the way round. */
static kl_lock lock_of(const kl_solver *x, const kl_incompatibility *f, int i)
{
    kl_mat3 one = kl_identity(), across = axes_with(f->axis[i], &one);
    kl_mat3 P = axes_of(x, f->partner), B = axes_of(x, f->body);
    kl_vec3 u = kl_axis(&across, 0), v = kl_axis(&across, 1);
    if (f->naxis == 2) {
        v = kl_unit(kl_cross(f->axis[0], f->axis[1]));
        u = kl_cross(f->axis[i], v);
    }
    kl_vec3 spin = kl_axpy(-kl_dot(f->axis[i], f->spin), f->axis[i], f->spin);
    if (f->naxis == 1 && kl_norm(spin) > 1e-6) {
        u = kl_unit(spin);
        v = kl_cross(f->axis[i], u);
    }
    kl_lock l = {.body = f->body, .partner = f->partner, .place = f->place};
    l.on      = (kl_marker){.A = axes_with(u, &P)};
    l.frame   = (kl_marker){.A = axes_with(v, &B), .node = KL_MARKER_FRAME};
    return l;
}

static kl_status take(const kl_solver *x, const kl_incompatibility *f, kl_diag *diag,
                      kl_locks *locks)
{
    static const char *const remedy =
        "Add modes that move there (more `modes`, or `statics: attachment` with these markers as "
        "`interfaces` in the body file), fix the reference frame at these markers (`reference` in "
        "the body file), or release one of these directions (a roller instead of a pin)";
    if (f->locked == 0) {
        locks->loose[locks->nloose++] = (kl_located_text){.place = f->place, .text = f->text};
        return KL_OK;
    }
    if (f->naxis < f->locked)
        return kl_fail(diag, KL_E_MODEL, f->place, "%s. %s, so the model cannot be computed. %s",
                       f->text, f->locks, remedy);
    kl_warn(diag, f->place,
            "%s. %s: Klingel added a joint that holds this rotation at its initial value. The "
            "results may be wrong. %s",
            f->text, f->locks, remedy);
    for (int i = 0; i < f->naxis; i++) locks->item[locks->n++] = lock_of(x, f, i);
    return KL_OK;
}

kl_status kl_locks_find(const kl_model *m, kl_diag *diag, kl_locks *locks)
{
    kl_solver          *x     = NULL;
    kl_diag            *quiet = NULL;
    kl_incompatibility *list  = NULL;
    int                 n = 0, flexible = 0;
    *locks = (kl_locks){0};
    for (int i = 0; i < m->nbody; i++) flexible += kl_body_deforms(&m->body[i]);
    if (flexible == 0 || m->nlam < 2) return KL_OK;
    quiet            = kl_diag_create(); /* the later assembly reports what does not assemble */
    locks->arena     = kl_arena_create();
    kl_status status = quiet && locks->arena ? kl_solver_create(m, &x) : KL_E_MEMORY;
    if (status == KL_OK && kl_assemble(x, quiet) == KL_OK)
        status = kl_incompatibility_find(x, locks->arena, &list, &n);
    locks->item  = kl_arena_array(locks->arena, kl_lock, 3 * n + 1);
    locks->loose = kl_arena_array(locks->arena, kl_located_text, n + 1);
    if (status == KL_OK && !(locks->item && locks->loose)) status = KL_E_MEMORY;
    for (int i = 0; status == KL_OK && i < n; i++) status = take(x, &list[i], diag, locks);
    kl_solver_destroy(x);
    kl_diag_destroy(quiet);
    return status;
}

kl_status kl_locks_store(kl_model *m, const kl_locks *locks)
{
    m->unfollowed  = kl_arena_array(m->arena, kl_located_text, locks->nloose + 1);
    m->nunfollowed = 0;
    if (!m->unfollowed) return KL_E_MEMORY;
    for (int i = 0; i < locks->nloose; i++) {
        const char *text = kl_arena_text(m->arena, locks->loose[i].text);
        if (!text) return KL_E_MEMORY;
        m->unfollowed[m->nunfollowed++] =
            (kl_located_text){.place = locks->loose[i].place, .text = text};
    }
    return KL_OK;
}

kl_status kl_locks_add(kl_model *m, const kl_locks *locks)
{
    for (int i = 0; locks && i < locks->n; i++) {
        const kl_lock *l    = &locks->item[i];
        const char    *name = kl_arena_format(m->arena, "%s.lock_%d", m->body[l->body].name, i + 1);
        kl_element    *e =
            name ? kl_model_add_element(m, &kl_perpendicular, name, l->place, true) : NULL;
        if (!e || !e->data) return KL_E_MEMORY;
        KL_TRY(kl_model_add_marker(m, l->partner, &l->on));
        KL_TRY(kl_model_add_marker(m, l->body, &l->frame));
        m->element[m->nelement - 1].nmarker = 2;
        m->element[m->nelement - 1].made    = true;
        m->nlock++;
    }
    return KL_OK;
}
