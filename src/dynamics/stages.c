/* The stages of one evaluation, in the order of the physics:
 *
 *   position   bodies -> r, A of the markers -> `locate` of elements      reads t, q
 *   velocity   bodies -> v, w, a0, al0 of the markers                      reads v
 *   elements   constraints, rows, wrenches, z'                             reads z, h, u
 *   inertia    M, s of the bodies
 *
 * Each stage remembers the numbers that it read and runs again only when one of them changed, so a
 * caller asks for the stage that it needs and does not care what was evaluated before. */
#include <string.h>

#include "dynamics/work.h"

/* bits of w->done; LOCATED: the position stage of all elements */
enum { POSITION = 1, VELOCITY = 2, ELEMENTS = 4, INERTIA = 8, LOCATED = 16 };

/* Notes the n numbers at x as seen. True: they were the same before. */
static bool same(double *seen, const double *x, int n)
{
    size_t bytes = (size_t)n * sizeof *x;
    if (memcmp(seen, x, bytes) == 0) return true;
    memcpy(seen, x, bytes);
    return false;
}

void kl_work_invalidate(const kl_model *m, kl_work *w)
{
    w->done = 0;
    memset(w->element_cache, 0, m->element_cache_bytes);
    memset(w->accepted, 0, m->element_cache_bytes);
}

static inline kl_reading reading_of(const kl_state *s, const kl_work *w, const kl_element *e)
{
    return (kl_reading){.t        = s->t,
                        .m        = w->motion + e->marker,
                        .z        = s->z + e->z,
                        .h        = s->h + e->h,
                        .u        = w->u,
                        .data     = e->data,
                        .nmarker  = e->nmarker,
                        .cache    = e->ncache ? w->element_cache + e->cache : NULL,
                        .accepted = e->ncache ? w->accepted + e->cache : NULL};
}

kl_reading kl_reading_of(const kl_model *m, const kl_state *s, const kl_work *w,
                         const kl_element *e)
{
    (void)m;
    return reading_of(s, w, e);
}

static kl_status locate_element(const kl_state *s, kl_work *w, const kl_element *e)
{
    if (!e->type->locate) return KL_OK;
    kl_reading in = reading_of(s, w, e);
    KL_TRY(e->type->locate(&in, w->element_cache + e->cache));
    if (e->type->asleep) memset(w->quiet + e->marker, e->type->asleep(&in), (size_t)e->nmarker);
    return KL_OK;
}

/* Does the end of a step read more of it than where its next search may start? */
static bool remembers(const kl_element *e) { return e->nh > 0 || e->nevent > 0; }

/* `some`: only those that remember. */
static kl_status locate_elements(const kl_model *m, const kl_state *s, kl_work *w, bool some)
{
    for (int i = 0; m->element_cache_bytes > 0 && i < m->nelement; i++) {
        if (some && !remembers(&m->element[i])) continue;
        kl_status status = locate_element(s, w, &m->element[i]);
        if (status == KL_OK) continue;
        w->culprit = i;
        return status;
    }
    return KL_OK;
}

/* Positions of all bodies and markers. True: they were known. */
static bool move_bodies(const kl_model *m, const kl_state *s, kl_work *w)
{
    if (m->ninput > 0) kl_inputs_at(m, s, w->u);
    bool unchanged = same(w->seen, s->q, m->nq) && w->t == s->t;
    if (unchanged && (w->done & POSITION)) return true;
    w->t    = s->t;
    w->done = POSITION;
    for (int i = 0; i < m->nbody; i++) {
        const kl_body *b = &m->body[i];
        b->type->position(b->data, s->q + b->q, w->cache + b->cache);
    }
    for (int i = 0; i < m->nmarker; i++) {
        const kl_marker *k = &m->marker[i];
        const kl_body   *b = &m->body[k->body];
        b->type->pose(b->data, w->cache + b->cache, k, &w->motion[i]);
    }
    return false;
}

kl_status kl_eval_position(const kl_model *m, const kl_state *s, kl_work *w)
{
    if (move_bodies(m, s, w) && (w->done & LOCATED)) return w->located;
    w->located = locate_elements(m, s, w, false);
    w->done    = POSITION | LOCATED; /* who is asleep may have changed, and velocities with it */
    return w->located;
}

/* Velocities, positions being known. */
static void move_on(const kl_model *m, const kl_state *s, kl_work *w)
{
    bool unchanged = same(w->seen + m->nq, s->v, m->nv);
    if (unchanged && (w->done & VELOCITY)) return;
    w->done &= POSITION | LOCATED;
    for (int i = 0; i < m->nbody; i++) {
        const kl_body *b = &m->body[i];
        b->type->velocity(b->data, s->v + b->v, w->cache + b->cache);
    }
    for (int i = 0; i < m->nmarker; i++) {
        const kl_marker *k = &m->marker[i];
        const kl_body   *b = &m->body[k->body];
        if (!w->quiet[i]) b->type->twist(b->data, w->cache + b->cache, k, &w->motion[i]);
    }
    w->done |= VELOCITY;
}

kl_status kl_eval_motion(const kl_model *m, const kl_state *s, kl_work *w)
{
    kl_status status = kl_eval_position(m, s, w);
    move_on(m, s, w);
    return status;
}

static kl_status eval_motion_near(const kl_model *m, const kl_state *s, kl_work *w)
{
    bool      known  = move_bodies(m, s, w);
    kl_status status = known ? KL_OK : locate_elements(m, s, w, true);
    move_on(m, s, w);
    return status;
}

kl_status kl_eval_committed(const kl_model *m, const kl_state *s, kl_work *w)
{
    bool unchanged = (w->done & POSITION) && (w->done & VELOCITY) && w->t == s->t &&
                     memcmp(w->seen, s->q, (size_t)m->nq * sizeof(double)) == 0 &&
                     memcmp(w->seen + m->nq, s->v, (size_t)m->nv * sizeof(double)) == 0;
    return unchanged ? KL_OK : kl_eval_motion(m, s, w);
}

/* A number that is not finite is not zero times zero: one pass without branches, with sums that do not wait
 * for each other. */
static bool all_finite(const double *x, int n)
{
    double sum[4] = {0}, rest = 0.0;
    int    i = 0;
    for (; i + 4 <= n; i += 4)
        for (int k = 0; k < 4; k++) sum[k] += 0.0 * x[i + k];
    for (; i < n; i++) rest += 0.0 * x[i];
    return sum[0] + sum[1] + sum[2] + sum[3] + rest == 0.0;
}

static kl_status eval_element(const kl_model *m, const kl_state *s, kl_work *w, int i)
{
    const kl_element *e   = &m->element[i];
    kl_reading        in  = reading_of(s, w, e);
    kl_writing        out = {.phi    = w->phi + e->phi,
                             .phi_t  = w->phi_t + e->phi,
                             .rows   = w->rows + e->rows,
                             .bias   = w->bias + e->phi,
                             .wrench = w->wrench + 6 * (size_t)e->marker,
                             .z_dot  = w->z_dot + e->z};
    KL_TRY(e->type->eval(&in, &out));
    w->energy[i] = out.energy;
    w->loss[i]   = out.loss;
    w->spent[i]  = out.spent;
    w->supply[i] = out.supply;
    return KL_OK;
}

static kl_status check_element(const kl_model *m, const kl_work *w, int i)
{
    const kl_element *e = &m->element[i];
    return all_finite(w->phi + e->phi, e->nphi) &&
                   all_finite(w->wrench + 6 * (size_t)e->marker, 6 * e->nmarker)
               ? KL_OK
               : KL_E_NAN;
}

/* An element writes only what is not zero; its wrenches are cleared with those of all others. */
static void clear_constraints(const kl_model *m, kl_work *w, int i)
{
    const kl_element *e    = &m->element[i];
    size_t            wide = 6 * (size_t)e->nmarker * sizeof(double);
    if (e->nphi == 0) return;
    memset(w->phi_t + e->phi, 0, (size_t)e->nphi * sizeof(double));
    memset(w->bias + e->phi, 0, (size_t)e->nphi * sizeof(double));
    memset(w->rows + e->rows, 0, (size_t)e->nphi * wide);
}

/* The first element whose numbers are not all finite. */
static kl_status check_all(const kl_model *m, kl_work *w)
{
    if (all_finite(w->phi, m->nlam) && all_finite(w->wrench, 6 * m->nmarker_elements)) return KL_OK;
    for (int i = 0; i < m->nelement; i++) {
        if (check_element(m, w, i) == KL_OK) continue;
        w->culprit = i;
        return KL_E_NAN;
    }
    return KL_OK;
}

/* An element that is asleep has no forces. */
static kl_status eval_awake(const kl_model *m, const kl_state *s, kl_work *w, int i)
{
    clear_constraints(m, w, i);
    if (!m->element[i].type->asleep || !w->quiet[m->element[i].marker])
        return eval_element(m, s, w, i);
    w->energy[i] = w->loss[i] = w->spent[i] = w->supply[i] = 0.0;
    return KL_OK;
}

static kl_status eval_all(const kl_model *m, const kl_state *s, kl_work *w)
{
    memset(w->wrench, 0, 6 * (size_t)m->nmarker_elements * sizeof *w->wrench);
    for (int i = 0; i < m->nelement; i++) {
        kl_status status = eval_awake(m, s, w, i);
        if (status == KL_OK) continue;
        w->culprit = i;
        return status;
    }
    w->culprit = -1;
    return check_all(m, w);
}

kl_status kl_eval_elements(const kl_model *m, const kl_state *s, kl_work *w)
{
    KL_TRY(kl_eval_motion(m, s, w));
    bool unchanged =
        same(w->seen + m->nq + m->nv, s->z, m->nz + m->nh + KL_INPUT_NUMBERS * m->ninput);
    if (unchanged && (w->done & ELEMENTS)) return w->evaluated;
    w->evaluated = eval_all(m, s, w);
    w->done |= ELEMENTS;
    return w->evaluated;
}

void kl_eval_inertia(const kl_model *m, kl_work *w)
{
    if (w->done & INERTIA) return;
    for (int i = 0; i < m->nbody; i++) {
        const kl_body *b = &m->body[i];
        b->type->inertia(b->data, w->cache + b->cache, w->M + b->M, w->s + b->v);
    }
    w->done |= INERTIA;
}

kl_status kl_eval(const kl_model *m, const kl_state *s, kl_work *w)
{
    KL_TRY(kl_eval_elements(m, s, w));
    kl_eval_inertia(m, w);
    return KL_OK;
}

/* Position and velocity of one marker. */
static void move_marker(const kl_model *m, kl_work *w, int i)
{
    const kl_marker *k = &m->marker[i];
    const kl_body   *b = &m->body[k->body];
    b->type->pose(b->data, w->cache + b->cache, k, &w->motion[i]);
    b->type->twist(b->data, w->cache + b->cache, k, &w->motion[i]);
}

static void clear_wrenches(kl_work *w, const kl_element *e)
{
    memset(w->wrench + 6 * (size_t)e->marker, 0, 6 * (size_t)e->nmarker * sizeof *w->wrench);
}

/* All stages of one element. */
static kl_status eval_alone(const kl_model *m, const kl_state *s, kl_work *w, int i)
{
    const kl_element *e = &m->element[i];
    for (int k = 0; k < e->nmarker; k++) move_marker(m, w, e->marker + k);
    if (e->type->locate) {
        kl_reading in = reading_of(s, w, e);
        KL_TRY(e->type->locate(&in, w->element_cache + e->cache));
    }
    clear_wrenches(w, e);
    clear_constraints(m, w, i);
    KL_TRY(eval_element(m, s, w, i));
    return check_element(m, w, i);
}

bool kl_element_is_in(const kl_model *m, const kl_element *e, const unsigned char *part)
{
    for (int k = 0; k < e->nmarker; k++)
        if (part[m->marker[e->marker + k].body]) return true;
    return false;
}

/* Motion and inertia of the bodies of a part, and motion of those that share elements with them. */
static void move_part(const kl_model *m, const kl_state *s, kl_work *w, const unsigned char *part)
{
    memset(w->near, 0, (size_t)m->nbody);
    for (int i = 0; i < m->nelement; i++) {
        const kl_element *e = &m->element[i];
        if (!kl_element_is_in(m, e, part)) continue;
        for (int k = 0; k < e->nmarker; k++) w->near[m->marker[e->marker + k].body] = 1;
    }
    for (int i = 0; i < m->nbody; i++) {
        const kl_body *b     = &m->body[i];
        void          *cache = w->cache + b->cache;
        if (!part[i] && !w->near[i]) continue;
        b->type->position(b->data, s->q + b->q, cache);
        b->type->velocity(b->data, s->v + b->v, cache);
        if (part[i]) b->type->inertia(b->data, cache, w->M + b->M, w->s + b->v);
    }
}

static kl_status eval_in_part(const kl_model *m, const kl_state *s, kl_work *w, int i)
{
    const kl_element *e = &m->element[i];
    for (int k = 0; k < e->nmarker; k++) move_marker(m, w, e->marker + k);
    KL_TRY(locate_element(s, w, e));
    clear_wrenches(w, e);
    KL_TRY(eval_awake(m, s, w, i));
    return check_element(m, w, i);
}

kl_status kl_eval_part(const kl_model *m, const kl_state *s, kl_work *w, const unsigned char *part,
                       int *count)
{
    w->done = 0;
    *count  = 0;
    move_part(m, s, w, part);
    for (int i = 0; i < m->nelement; i++) {
        const kl_element *e = &m->element[i];
        if (!kl_element_is_in(m, e, part)) continue;
        kl_status status = eval_in_part(m, s, w, i);
        (*count)++;
        if (status == KL_OK) continue;
        w->culprit = i;
        return status;
    }
    return KL_OK;
}

kl_status kl_eval_flagged(const kl_model *m, const kl_state *s, kl_work *w,
                          const unsigned char *which, bool measures)
{
    w->done = 0;
    if (m->ninput > 0) kl_inputs_at(m, s, w->u);
    for (int i = 0; i < m->nbody; i++) {
        const kl_body *b = &m->body[i];
        if (b->type->motion && !measures) {
            b->type->motion(b->data, s->q + b->q, s->v + b->v, w->cache + b->cache);
            continue;
        }
        b->type->position(b->data, s->q + b->q, w->cache + b->cache);
        b->type->velocity(b->data, s->v + b->v, w->cache + b->cache);
    }
    for (int i = m->nmarker_elements; i < m->nmarker; i++) move_marker(m, w, i);
    for (int i = 0; i < m->nelement; i++) {
        kl_status status = which[i] ? eval_alone(m, s, w, i) : KL_OK;
        if (status == KL_OK) continue;
        w->culprit = i;
        return status;
    }
    return KL_OK;
}

void kl_accept_caches(const kl_model *m, kl_work *w)
{
    for (int i = 0; m->element_cache_bytes > 0 && i < m->nelement; i++) {
        const kl_element *e = &m->element[i];
        memcpy(w->accepted + e->cache, w->element_cache + e->cache, (size_t)e->nkept);
    }
}

/* At the motion last evaluated. */
static void commit(const kl_model *m, const kl_state *s, kl_work *w, double *h_new)
{
    kl_accept_caches(m, w);
    for (int i = 0; i < m->nelement; i++) {
        const kl_element *e = &m->element[i];
        if (!e->type->commit || e->nh == 0) continue;
        kl_reading in = reading_of(s, w, e);
        if (e->type->reads_reaction && e->of[0] >= 0)
            in.reaction = w->total + 6 * (size_t)m->element[e->of[0]].marker;
        /* h_new may be the history that the element reads: it is replaced as a whole */
        size_t size = (size_t)e->nh * sizeof(double);
        memcpy(w->fresh, in.h, size);
        e->type->commit(&in, w->fresh);
        memcpy(h_new + e->h, w->fresh, size);
    }
}

void kl_commit_history(const kl_model *m, const kl_state *s, kl_work *w, double *h_new)
{
    memmove(h_new, s->h, (size_t)m->nh * sizeof(double));
    if (!m->commits) return;
    /* without history only the caches are kept, and they belong to the position */
    kl_status status = (m->nh > 0 ? kl_eval_motion : kl_eval_position)(m, s, w);
    if (status == KL_OK) commit(m, s, w, h_new);
}

void kl_commit_history_near(const kl_model *m, const kl_state *s, kl_work *w, double *h_new)
{
    memmove(h_new, s->h, (size_t)m->nh * sizeof(double));
    if (m->commits && eval_motion_near(m, s, w) == KL_OK) commit(m, s, w, h_new);
}
