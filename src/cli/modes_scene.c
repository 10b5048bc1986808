/* What `klingel view` needs to show linear modes: positions of bodies, how each mode moves and, where
 * they are flexible, deforms them; by a small step along each shape. */
#include "cli/modes_scene.h"

#include <stdlib.h>
#include <string.h>

#include "base/rotation.h"
#include "cli/view_skins.h"
#include "model/groups.h"
#include "results/modes_file.h"
#include "results/scene.h"

typedef struct watch {
    const kl_analysis *a;
    kl_state          *base;
    double            *y, *dx;
    int               *channel; /* nbody x 7 */
    double            *pose;    /* nbody x 7: of one sample */
    kl_arena          *arena;
    kl_modes_skin     *skin; /* of flexible bodies */
    int               *of;   /* whose */
    double           **modal;
    int                nskin;
} watch;

/* ---- flexible bodies ---- */

/* The surface of a body as bytes, four a number. */
static kl_status pack_skin(watch *w, const kl_skin *skin, int body)
{
    kl_modes_skin *out   = &w->skin[w->nskin];
    kl_text        head  = {0};
    size_t         size  = 0;
    unsigned char *bytes = kl_skin_pack(skin, &head, &size);
    int           *words = kl_arena_array(w->arena, int, size / sizeof(int) + 1);
    const char    *text  = head.data ? kl_arena_text(w->arena, head.data) : NULL;
    bool           good  = bytes && words && text && !head.failed;
    if (good) {
        memcpy(words, bytes, size);
        *out              = (kl_modes_skin){.head = text, .words = words, .n = skin->kept};
        out->nword        = (int)((size + sizeof(int) - 1) / sizeof(int));
        w->of[w->nskin++] = body;
    }
    free(bytes);
    kl_text_free(&head);
    return good ? KL_OK : KL_E_MEMORY;
}

/* Room for the modal coordinates of each body with a surface: the state itself, then the real and
 * imaginary parts of every mode, so that the page can draw w(t) = w0 + Re(shape exp(i omega t)). */
static kl_status take_skins(watch *w, int nmode)
{
    const kl_model *m = w->a->l.model;
    w->skin           = kl_arena_array(w->arena, kl_modes_skin, m->nbody + 1);
    w->of             = kl_arena_array(w->arena, int, m->nbody + 1);
    w->modal          = kl_arena_array(w->arena, double *, m->nbody + 1);
    if (!w->skin || !w->of || !w->modal) return KL_E_MEMORY;
    for (int i = 0; i < m->nbody && w->nskin < KL_MOST_SKINS; i++) {
        kl_modal_body p;
        if (!kl_model_modal(m, i, &p) || p.file->body->skin.nnode < 1 || p.n < 1) continue;
        kl_skin skin = kl_skin_plan(m->body[i].name, p.file->body, p.mode, p.rigid, p.n);
        KL_TRY(pack_skin(w, &skin, i));
        kl_modes_skin *one   = &w->skin[w->nskin - 1];
        double        *modal = kl_arena_array(w->arena, double, (1 + 2 * nmode) * one->n);
        if (!modal) return KL_E_MEMORY;
        one->modal = w->modal[w->nskin - 1] = modal;
    }
    return KL_OK;
}

/* Row r of the modal coordinates: where it was linearised, or the last increment over its size. */
static void keep_modal(const watch *w, int r, double size)
{
    const kl_model *m = w->a->l.model;
    for (int k = 0; k < w->nskin; k++) {
        kl_group modes = kl_body_group(&m->body[w->of[k]], KL_MODAL);
        double  *to    = w->modal[k] + (size_t)r * (size_t)w->skin[k].n;
        for (int j = 0; j < w->skin[k].n; j++)
            to[j] = r == 0 ? w->base->q[modes.q + j] : w->dx[modes.v + j] / size;
    }
}

/* ---- positions of bodies ---- */

static const char *const pose_parts[7] = {"position.x",    "position.y",    "position.z",
                                          "orientation.0", "orientation.1", "orientation.2",
                                          "orientation.3"};

static void find_channels(const watch *w)
{
    const kl_model    *m = w->a->l.model;
    const kl_channels *c = w->a->s->channels;
    char               name[512];
    for (int i = 0; i < m->nbody; i++)
        for (int k = 0; k < 7; k++) {
            snprintf(name, sizeof name, "%.480s.%s", m->body[i].name, pose_parts[k]);
            w->channel[7 * i + k] = kl_channels_find(c, name);
        }
}

/* Positions of bodies a little way (`size`) along a real shape, NULL: at the base. */
static kl_status sample_pose(const watch *w, const double *shape, double size, kl_diag *diag)
{
    const kl_model *m = w->a->l.model;
    kl_solver      *x = w->a->s->solver;
    const double   *values;
    kl_state_copy(x->s, w->base);
    if (shape) {
        for (int i = 0; i < m->nv; i++) w->y[i] = size * shape[i];
        kl_eval_motion(m, w->base, x->w);
        kl_linear_increment(m, x->w, w->y, w->dx);
        kl_model_advance(m, w->base->q, w->dx, x->s->q);
    }
    KL_TRY(kl_simulation_sample(w->a->s, diag, &values));
    for (int i = 0; i < 7 * m->nbody; i++)
        w->pose[i] = w->channel[i] >= 0 ? values[w->channel[i]] : i % 7 == 3;
    return KL_OK;
}

/* Velocity and turning of all bodies for a shape of size one, by a small step along it. */
static kl_status find_motion(const watch *w, const double *shape, int row, const double *base,
                             double *motion, kl_diag *diag)
{
    const double size = 1e-5;
    KL_TRY(sample_pose(w, shape, size, diag));
    keep_modal(w, row, size);
    for (int i = 0; i < w->a->l.model->nbody; i++) {
        const double *p = w->pose + 7 * i, *q = base + 7 * i;
        kl_mat3       A = kl_quat_matrix(p + 3), A0 = kl_quat_matrix(q + 3), t = kl_transpose(&A0);
        kl_mat3       turn = kl_matmul(&A, &t);
        kl_store(motion + 12 * i, kl_scale(1.0 / size, kl_sub(kl_load(p), kl_load(q))));
        kl_store(motion + 12 * i + 3, kl_scale(1.0 / size, kl_rotation_log(&turn)));
    }
    return KL_OK;
}

static kl_status watch_modes(const watch *w, const kl_spectrum *s, double *base, double *motion,
                             kl_diag *diag)
{
    size_t nbody = (size_t)w->a->l.model->nbody;
    find_channels(w);
    KL_TRY(sample_pose(w, NULL, 0.0, diag));
    memcpy(base, w->pose, 7 * nbody * sizeof *base);
    keep_modal(w, 0, 1.0);
    for (int i = 0; i < s->n; i++)
        for (int part = 0; part < 2; part++)
            KL_TRY(find_motion(w, s->mode[i].shape[part], 1 + 2 * i + part, base,
                               motion + 12 * nbody * (size_t)i + 6 * (size_t)part, diag));
    return KL_OK;
}

kl_status kl_modes_scene_of(const kl_analysis *a, const kl_spectrum *s, const char *path,
                            kl_diag *diag)
{
    const kl_model *m      = a->l.model;
    kl_arena       *arena  = kl_arena_create();
    char           *scene  = kl_scene_json(m);
    double         *base   = arena ? kl_arena_array(arena, double, 7 * m->nbody) : NULL;
    double         *motion = arena ? kl_arena_array(arena, double, 12 * m->nbody * s->n + 1) : NULL;
    const char    **names  = arena ? kl_arena_array(arena, const char *, m->nbody) : NULL;
    watch           w      = {.a = a, .base = kl_state_create(m), .arena = arena};
    kl_status       status = KL_E_MEMORY;
    if (scene && names && motion && w.base) {
        w.y       = kl_arena_array(arena, double, m->nv + 1);
        w.dx      = kl_arena_array(arena, double, m->nv + 1);
        w.channel = kl_arena_array(arena, int, 7 * m->nbody);
        w.pose    = kl_arena_array(arena, double, 7 * m->nbody);
        for (int i = 0; i < m->nbody; i++) names[i] = m->body[i].name;
        /* modes are drawn by moving the solver's state along each shape; it is put back afterwards */
        kl_state_copy(w.base, a->s->solver->s);
        status = kl_arena_ok(arena) ? take_skins(&w, s->n) : KL_E_MEMORY;
        if (status == KL_OK) status = watch_modes(&w, s, base, motion, diag);
        kl_state_copy(a->s->solver->s, w.base);
    }
    kl_modes_scene out = {.title  = m->title,
                          .json   = scene,
                          .nbody  = m->nbody,
                          .nmode  = s->n,
                          .body   = names,
                          .base   = base,
                          .motion = motion,
                          .skin   = w.skin,
                          .nskin  = w.nskin,
                          .model  = m};
    if (status == KL_OK) status = kl_modes_scene_add(path, &out, diag);
    kl_state_destroy(w.base);
    free(scene);
    kl_arena_destroy(arena);
    return status;
}
