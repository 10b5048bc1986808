/* Joints that no mode can follow, as text: the joint, the directions, and the motion that is locked. */
#include <math.h>
#include <string.h>

#include "solve/mode_compatibility_set.h"
#include "solve/motion_text.h"

enum { MOST_LISTED = 3 }; /* sets in a message */

static const double small = 0.02; /* of the largest load of a set: not listed */

/* What a set does to the body, joint by joint. */
typedef struct loads {
    int      n;
    int     *element;        /* n */
    kl_vec3 *force, *moment; /* n: at the body, global; moments over the model's length */
    double   most;           /* largest of them */
} loads;

static bool add_up(const kl_compatibility_search *k, const double *y, loads *l)
{
    const kl_compatibility_rows *r      = &k->r;
    double                       length = k->x->model->length;
    *l                                  = (loads){0};
    l->element                          = kl_arena_array(k->a, int, r->n + 1);
    l->force                            = kl_arena_array(k->a, kl_vec3, r->n + 1);
    l->moment                           = kl_arena_array(k->a, kl_vec3, r->n + 1);
    if (!kl_arena_ok(k->a)) return false;
    for (int i = 0; i < r->n; i++) {
        if (l->n == 0 || l->element[l->n - 1] != r->element[i]) l->element[l->n++] = r->element[i];
        int j        = l->n - 1;
        l->force[j]  = kl_axpy(y[i] * r->scale[i], r->force[i], l->force[j]);
        l->moment[j] = kl_axpy(y[i] * r->scale[i] / length, r->moment[i], l->moment[j]);
    }
    for (int j = 0; j < l->n; j++)
        l->most = fmax(l->most, fmax(kl_norm(l->force[j]), kl_norm(l->moment[j])));
    return true;
}

/* "to stretch it", "to twist it", "to bend it": of what pulls and turns between two points */
static const char *purpose_of(const kl_compatibility_search *k, const double *y)
{
    const kl_compatibility_rows *r    = &k->r;
    int                          p[2] = {-1, -1};
    kl_vec3                      F = {0}, M = {0}; /* on the first */
    for (int i = 0; i < r->n; i++) {
        if (fabs(y[i]) < small) continue;
        int which = p[0] < 0 || p[0] == r->point[i] ? 0 : 1;
        if (which == 1 && p[1] >= 0 && p[1] != r->point[i]) return "to deform it";
        p[which] = r->point[i];
        if (which == 1) continue;
        F = kl_axpy(y[i] * r->scale[i], r->force[i], F);
        M = kl_axpy(y[i] * r->scale[i], r->moment[i], M);
    }
    if (p[1] < 0) return "to deform it";
    kl_vec3 d   = kl_sub(r->at[p[1]], r->at[p[0]]);
    double  arm = kl_norm(d), pull = arm * kl_norm(F), turn = kl_norm(M), most = fmax(pull, turn);
    bool    along = kl_norm(kl_cross(d, F)) < small * most;
    if (!(arm > 0.0)) return "to deform it";
    if (along && turn < small * most) return "to stretch it";
    if (pull < small * most && kl_norm(kl_cross(d, M)) < small * most * arm) return "to twist it";
    return "to bend it";
}

/* "joint L along x and about y against joint R along x" */
static void describe_set(const kl_compatibility_search *k, const double *y, kl_line *line,
                         kl_incompatibility *f)
{
    const kl_model *m = k->x->model;
    loads           l;
    int             listed = 0;
    if (!add_up(k, y, &l)) return;
    for (int j = 0; j < l.n; j++) {
        const kl_element *e     = &m->element[l.element[j]];
        bool              force = kl_norm(l.force[j]) > small * l.most;
        bool              turn  = kl_norm(l.moment[j]) > small * l.most;
        if (!force && !turn) continue;
        kl_line_add(line, "%sjoint %s ",
                    listed == 0   ? ""
                    : listed == 1 ? " against "
                                  : " and ",
                    e->name);
        if (force) kl_line_add(line, "along "), kl_line_axis(line, l.force[j]);
        if (force && turn) kl_line_add(line, " and ");
        if (turn) kl_line_add(line, "about "), kl_line_axis(line, l.moment[j]);
        f->place = e->place;
        listed++;
    }
    const char *what = purpose_of(k, y);
    f->stretch |= strcmp(what, "to stretch it") == 0;
    kl_line_add(line, " (%s)", what);
}

void kl_incompatibility_describe(const kl_compatibility_search *k, const bool *mark, bool yes,
                                 kl_incompatibility *f)
{
    kl_line l      = {.arena = k->a};
    int     listed = 0, more = 0;
    kl_line_add(&l, "no mode of '%s' can follow ", k->x->model->body[k->body].name);
    for (int s = 0; s < k->nset; s++) {
        if (mark[s] != yes) continue;
        if (listed == MOST_LISTED) {
            more++;
            continue;
        }
        if (listed++ > 0) kl_line_add(&l, ", nor ");
        describe_set(k, k->Y + (size_t)s * (size_t)k->r.n, &l, f);
    }
    if (more > 0) kl_line_add(&l, ", nor %d more such set%s", more, more == 1 ? "" : "s");
    f->text = l.text;
}

void kl_incompatibility_describe_lock(const kl_compatibility_search *k, kl_incompatibility *f)
{
    const kl_model *m    = k->x->model;
    kl_line         l    = {.arena = k->a};
    int             rest = f->locked - f->naxis;
    if (f->locked == 0) return;
    kl_line_add(&l, "This locks ");
    if (f->naxis > 0) kl_line_add(&l, "the rotation of '%s' about ", m->body[f->body].name);
    for (int i = 0; i < f->naxis; i++) {
        if (i) kl_line_add(&l, i == f->naxis - 1 ? " and " : ", ");
        kl_line_axis(&l, f->axis[i]);
    }
    if (rest > 0)
        kl_line_add(&l, "%s%d bending shape%s", f->naxis ? " and " : "", rest,
                    rest == 1 ? "" : "s");
    kl_line_add(&l, ", which the real body can perform");
    if (rest > 0 && f->stretch)
        kl_line_add(
            &l,
            ": bending would shorten the distance between its ends, but its modes cannot stretch");
    kl_line_add(&l, ". The constraints of these joints are dependent in every position (a "
                    "permanent singular position), so no finite reaction force can hold it");
    f->locks = l.text;
}
