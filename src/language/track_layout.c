/* Tracks as plan and profile. An element of the plan is a phrase or a map:
 *
 *     straight 50 m                                       {straight: 50 m}
 *     transition 60 m bloss                               {transition: 60 m, shape: bloss}
 *     curve 300 m radius right for 200 m cant 120 mm      {curve: 300 m, turn: right,
 *                                                          length: 200 m, cant: 120 mm}
 *
 * The profile is a list of grades and vertical curves, or of the corners of the line of grades:
 *
 *     {grade: 1 %, length: 200 m}   {to: -2 %, radius: 500 m}
 *     {at: 300 m, height: 12 m, radius: 500 m} */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "language/track_parts.h"
#include "language/values.h"

/* What a curve says about itself, from a phrase or a map; NULL: not said. */
typedef struct element_text {
    const kl_node *length, *radius, *angle, *cant, *roll;
    const char    *turn, *shape;
} element_text;

/* ---- phrases ---- */

typedef struct phrase {
    kl_track_reader *r;
    const kl_node   *node;
    const char      *p; /* where we are in its text */
} phrase;

static const char *word_end(const char *p)
{
    while (isalpha((unsigned char)*p) || *p == '-') p++;
    return p;
}

static bool is_word(const char *p, const char *word)
{
    size_t n = strlen(word);
    return strncmp(p, word, n) == 0 && word_end(p) == p + n;
}

static const char *keyword_at(const char *p)
{
    static const char *const words[] = {"radius", "for", "cant", "left", "right", NULL};
    for (int i = 0; words[i]; i++)
        if (is_word(p, words[i])) return words[i];
    const char *const *shapes = kl_shape_names();
    for (int i = 0; shapes[i]; i++)
        if (is_word(p, shapes[i])) return shapes[i];
    return NULL;
}

/* The expression from here to the next keyword, as a value of its own; NULL when there is none. */
static const kl_node *take_value(phrase *q)
{
    while (*q->p == ' ') q->p++;
    const char *begin = q->p, *p = begin;
    while (*p && !((p == begin || p[-1] == ' ') && keyword_at(p))) p++;
    q->p = p;
    while (p > begin && p[-1] == ' ') p--;
    if (p == begin) return NULL;
    kl_node *n = kl_arena_array(q->r->arena, kl_node, 1);
    if (!n) return NULL;
    n->kind  = KL_SCALAR;
    n->text  = kl_arena_text_n(q->r->arena, begin, (size_t)(p - begin));
    n->place = q->node->place;
    n->place.column += (int)(begin - q->node->text);
    return n->text ? n : NULL;
}

static kl_status report_misread_phrase(const phrase *q)
{
    return kl_fail(q->r->diag, KL_E_SYNTAX, q->node->place,
                   "layout: `%s` is not understood; write `straight 50 m`, `transition 60 m` or "
                   "`curve 300 m radius left for 200 m cant 120 mm`",
                   q->node->text);
}

static kl_status read_phrase(kl_track_reader *r, const kl_node *n, kl_plan_kind *kind,
                             element_text *t)
{
    static const char *const words[] = {"straight", "curve", "transition"};
    phrase                   q       = {r, n, n->text};
    int                      which   = -1;
    for (int i = 0; i < 3; i++)
        if (is_word(q.p, words[i])) which = i;
    if (which < 0) return report_misread_phrase(&q);
    *kind = (kl_plan_kind)which;
    q.p   = word_end(q.p);

    const kl_node *first = take_value(&q);
    if (!first) return report_misread_phrase(&q);
    /* "curve 300 m ...": the first value is the radius; of the other elements it is the length. */
    *(*kind == KL_PLAN_CURVE ? &t->radius : &t->length) = first;
    while (*q.p) {
        const char *word     = keyword_at(q.p);
        q.p                  = word_end(q.p);
        const kl_node *value = take_value(&q);
        bool           bend  = *kind == KL_PLAN_CURVE;
        bool           good  = false;
        if (bend && strcmp(word, "radius") == 0) good = !value && !t->length;
        else if (bend && strcmp(word, "for") == 0) good = value && !t->length, t->length = value;
        else if (bend && strcmp(word, "cant") == 0) good = value && !t->cant, t->cant = value;
        else if (bend && (*word == 'l' || *word == 'r')) good = !value && !t->turn, t->turn = word;
        else if (*kind == KL_PLAN_TRANSITION && kl_shape_find(word))
            good = !value && !t->shape, t->shape = word;
        if (!good) return report_misread_phrase(&q);
    }
    return KL_OK;
}

/* ---- maps ---- */

static kl_status read_map(kl_track_reader *r, const kl_node *n, kl_plan_kind *kind, element_text *t)
{
    static const char *const straight[] = {"straight", "roll", NULL};
    static const char *const curve[] = {"curve", "length", "angle", "turn", "cant", "roll", NULL};
    static const char *const transition[] = {"transition", "shape", NULL};
    static const char *const turns[]      = {"left", "right", NULL};
    const kl_node           *s = kl_node_get(n, "straight"), *c = kl_node_get(n, "curve"),
                  *v = kl_node_get(n, "transition");
    if ((s != NULL) + (c != NULL) + (v != NULL) != 1)
        return kl_fail(
            r->diag, KL_E_MODEL, n->place,
            "layout: an element is one of {straight: 50 m}, {transition: 60 m} and {curve: "
            "300 m, length: 200 m}");
    *kind = s ? KL_PLAN_STRAIGHT : c ? KL_PLAN_CURVE : KL_PLAN_TRANSITION;
    if (!kl_track_keys(r, n, "the layout", s ? straight : c ? curve : transition))
        return KL_E_MODEL;
    t->radius = c;
    t->length = c ? kl_node_get(n, "length") : s ? s : v;
    t->angle  = kl_node_get(n, "angle");
    t->cant   = kl_node_get(n, "cant");
    t->roll   = kl_node_get(n, "roll");
    kl_track_word(r, n, "turn", turns, &t->turn);
    kl_track_word(r, n, "shape", kl_shape_names(), &t->shape);
    return KL_OK;
}

/* ---- one element of the plan ---- */

static kl_status read_curve(kl_track_reader *r, const kl_node *n, const element_text *t,
                            double base, kl_plan_element *e)
{
    double radius = 0.0, angle = 0.0;
    KL_TRY(kl_scope_number(r->s, t->radius, "radius", "m", &radius));
    if (radius == 0.0)
        return kl_fail(r->diag, KL_E_RANGE, t->radius->place,
                       "the radius of a curve is zero; give a radius such as 300 m");
    e->curvature = (t->turn && *t->turn == 'r' ? -1.0 : 1.0) / radius;
    if (!t->length == !t->angle)
        return kl_fail(r->diag, KL_E_MODEL, n->place, "a curve needs either a length or an angle");
    if (t->length) KL_TRY(kl_scope_number(r->s, t->length, "length", "m", &e->length));
    if (t->angle) {
        KL_TRY(kl_scope_number(r->s, t->angle, "angle", "rad", &angle));
        e->length = fabs(radius) * angle;
    }
    if (t->cant && t->roll)
        return kl_fail(r->diag, KL_E_MODEL, t->roll->place, "give cant or roll, not both");
    if (t->cant) { /* positive: the outer rail is higher */
        KL_TRY(kl_track_cant(r, t->cant, base, &angle));
        e->roll = e->curvature > 0.0 ? -angle : angle;
    }
    return KL_OK;
}

static kl_status read_element(kl_track_reader *r, const kl_node *n, double base, kl_plan_element *e)
{
    element_text t = {0};
    e->place       = n->place;
    if (n->kind == KL_LIST)
        return kl_fail(r->diag, KL_E_MODEL, n->place,
                       "layout: an element is a phrase such as `straight 50 m`, or a map");
    KL_TRY(n->kind == KL_SCALAR ? read_phrase(r, n, &e->kind, &t) : read_map(r, n, &e->kind, &t));
    if (t.shape) e->shape = kl_shape_find(t.shape);
    if (t.roll) KL_TRY(kl_scope_number(r->s, t.roll, "roll", "rad", &e->roll));
    if (e->kind == KL_PLAN_CURVE) return read_curve(r, n, &t, base, e);
    return kl_scope_number(r->s, t.length, "length", "m", &e->length);
}

/* ---- the profile ---- */

/* A slope: a plain number is the tangent, an angle its own. */
static kl_status read_slope(kl_track_reader *r, const kl_node *n, const char *what, double *slope)
{
    kl_diag *diag    = r->s->diag;
    double   angle   = 0.0;
    r->s->diag       = NULL;
    kl_status plain  = kl_scope_number(r->s, n, what, "1", slope);
    kl_status turned = plain == KL_OK ? plain : kl_scope_number(r->s, n, what, "rad", &angle);
    r->s->diag       = diag;
    if (plain == KL_OK) return KL_OK;
    if (turned == KL_OK) {
        *slope = tan(angle);
        return KL_OK;
    }
    KL_TRY(kl_scope_number(r->s, n, what, "*", slope));
    return kl_fail(diag, KL_E_MODEL, n->place,
                   "%s is `%s`; give a grade such as 1.5 %% or an angle such as -30 deg", what,
                   n->text);
}

static kl_status read_grade(kl_track_reader *r, const kl_node *n, kl_grade_element *g)
{
    static const char *const constant[] = {"grade", "length", NULL};
    static const char *const bend[]     = {"to", "radius", "length", "shape", "ramp", NULL};
    static const char *const shapes[]   = {"parabola", "circle", NULL};
    const kl_node           *grade = kl_node_get(n, "grade"), *to = kl_node_get(n, "to");
    const char              *word = "circle";
    g->place                      = n->place;
    if (n->kind != KL_MAP || !grade == !to)
        return kl_fail(
            r->diag, KL_E_MODEL, n->place,
            "profile: an element is {grade: 1 %%, length: 200 m}, {to: -2 %%, radius: 500 m} "
            "or {at: 300 m, height: 12 m, radius: 500 m}");
    if (!kl_track_keys(r, n, "the profile", grade ? constant : bend)) return KL_E_MODEL;
    KL_TRY(read_slope(r, grade ? grade : to, grade ? "grade" : "to", &g->slope));
    kl_track_number(r, n, "length", "m", &g->length);
    kl_track_number(r, n, "radius", "m", &g->radius);
    kl_track_number(r, n, "ramp", "m", &g->ramp);
    if (grade) return KL_OK;
    bool ramped = kl_node_get(n, "ramp") != NULL;
    /* Only the curvature of a parabola, z'' in plan, can grow linearly over the ramp. */
    if (ramped) word = "parabola";
    kl_track_word(r, n, "shape", shapes, &word);
    g->kind = *word == 'p' ? KL_GRADE_PARABOLA : KL_GRADE_CIRCLE;
    if (ramped && g->kind == KL_GRADE_CIRCLE)
        return kl_fail(r->diag, KL_E_MODEL, n->place,
                       "profile: ramps need a parabola; remove `shape: circle`");
    return KL_OK;
}

typedef struct corner {
    double   at, height, radius, length;
    kl_place place;
} corner;

static kl_status read_corner(kl_track_reader *r, const kl_node *n, corner *c)
{
    static const char *const keys[] = {"at", "height", "radius", "length", NULL};
    c->place                        = n->place;
    if (!kl_track_keys(r, n, "the profile", keys)) return KL_E_MODEL;
    if (!kl_node_get(n, "at") || !kl_node_get(n, "height"))
        return kl_fail(r->diag, KL_E_MODEL, n->place, "profile: a corner needs `at` and `height`");
    kl_track_number(r, n, "at", "m", &c->at);
    kl_track_number(r, n, "height", "m", &c->height);
    kl_track_number(r, n, "radius", "m", &c->radius);
    kl_track_number(r, n, "length", "m", &c->length);
    return KL_OK;
}

/* Corners of the line of grades become grades with parabolas between: a parabola of length
 * R |g1 - g0| reaches half of it to either side of its corner. */
static kl_status corners_to_grades(kl_track_reader *r, const corner *c, int n, kl_grade_element *g,
                                   int *count)
{
    double done = c[0].at; /* how far we are laid */
    *count      = 0;
    if (c[0].at != 0.0)
        return kl_fail(r->diag, KL_E_RANGE, c[0].place, "profile: the first corner must be at 0 m");
    for (int i = 0; i + 1 < n; i++) {
        if (!(c[i + 1].at > c[i].at))
            return kl_fail(
                r->diag, KL_E_RANGE, c[i + 1].place,
                "profile: this corner at %g m must come after the previous corner at %g m",
                c[i + 1].at, c[i].at);
        double slope = (c[i + 1].height - c[i].height) / (c[i + 1].at - c[i].at), next = slope,
               half = 0;
        if (i + 2 < n && c[i + 2].at > c[i + 1].at)
            next = (c[i + 2].height - c[i + 1].height) / (c[i + 2].at - c[i + 1].at);
        double length =
            c[i + 1].length > 0.0 ? c[i + 1].length : c[i + 1].radius * fabs(next - slope);
        half       = next == slope ? 0.0 : 0.5 * length;
        double end = c[i + 1].at - half;
        if (end < done - 1e-9)
            return kl_fail(r->diag, KL_E_RANGE, c[i + 1].place,
                           "profile: this vertical curve and the previous one overlap by %g m; use "
                           "a smaller radius",
                           done - end);
        if (end > done)
            g[(*count)++] = (kl_grade_element){.kind   = KL_GRADE_CONSTANT,
                                               .length = end - done,
                                               .slope  = slope,
                                               .place  = c[i].place};
        if (half > 0.0)
            g[(*count)++] = (kl_grade_element){.kind   = KL_GRADE_PARABOLA,
                                               .length = 2.0 * half,
                                               .slope  = next,
                                               .place  = c[i + 1].place};
        done = fmax(done, end) + 2.0 * half;
    }
    return KL_OK;
}

static kl_status read_profile(kl_track_reader *r, const kl_node *n, kl_layout *in)
{
    if (n->kind != KL_LIST || n->size < 1)
        return kl_fail(
            r->diag, KL_E_MODEL, n->place,
            "profile is a list: [{grade: 0, length: 50 m}, {to: -30 deg, radius: 40 m}]");
    kl_grade_element *g       = kl_arena_array(r->arena, kl_grade_element, 2 * n->size);
    corner           *c       = kl_arena_array(r->arena, corner, n->size);
    bool              corners = kl_node_get(n->first, "at") != NULL;
    kl_status         worst   = KL_OK;
    int               i       = 0;
    if (!kl_arena_ok(r->arena)) return KL_E_MEMORY;
    for (const kl_node *e = n->first; e; e = e->next, i++) {
        kl_status s = corners ? read_corner(r, e, &c[i]) : read_grade(r, e, &g[i]);
        if (s != KL_OK) worst = s;
    }
    if (worst != KL_OK || kl_diag_failed(r->diag)) return KL_E_MODEL;
    in->grade = g, in->ngrade = n->size;
    if (!corners) return KL_OK;
    /* The profile is given by heights at intersection points of grades; the first one fixes the
     * datum. */
    in->start.z += c[0].height;
    return corners_to_grades(r, c, n->size, g, &in->ngrade);
}

static void read_start(kl_track_reader *r, kl_layout *in)
{
    static const char *const keys[] = {"position", "heading", NULL};
    const kl_node           *n      = kl_node_get(r->node, "start");
    if (!n || !kl_track_keys(r, n, "start", keys)) return;
    const kl_node *position = kl_node_get(n, "position");
    if (position) kl_value_vec3(r->s, position, "position", "m", &in->start);
    kl_track_number(r, n, "heading", "rad", &in->heading);
}

kl_status kl_track_layout(kl_track_reader *r)
{
    const kl_node *n = kl_node_get(r->node, "layout"), *profile = kl_node_get(r->node, "profile");
    double         base = 1.5; /* between the circles of contact, standard gauge */
    if (n->kind != KL_LIST)
        return kl_fail(r->diag, KL_E_MODEL, n->place,
                       "layout is %s; give a list: [straight 50 m, transition 60 m, ...]",
                       kl_node_kind_word(n->kind));
    kl_layout        in   = {.nplan = n->size, .most = r->options->most, .place = n->place};
    kl_plan_element *plan = kl_arena_array(r->arena, kl_plan_element, n->size + 1);
    r->roll               = kl_arena_array(r->arena, kl_piecewise, 1);
    if (!kl_arena_ok(r->arena)) return KL_E_MEMORY;
    kl_track_number(r, r->node, "cant_base", "m", &base);
    if (!(base > 0.0))
        return kl_fail(r->diag, KL_E_RANGE, n->place, "cant_base is %g m; it must be positive",
                       base);
    kl_status worst = KL_OK;
    int       i     = 0;
    for (const kl_node *c = n->first; c; c = c->next, i++) {
        kl_status s = read_element(r, c, base, &plan[i]);
        if (s != KL_OK) worst = s;
    }
    read_start(r, &in);
    in.plan = plan;
    if (profile) KL_TRY(read_profile(r, profile, &in));
    if (worst != KL_OK) return worst;
    if (kl_diag_failed(r->diag)) return KL_E_MODEL;
    KL_TRY(kl_layout_build(&in, r->arena, r->diag, &r->curve, r->roll));

    /* a track without any cant may still be given a roll of its own */
    bool canted = false;
    for (i = 0; i < in.nplan; i++) canted = canted || plan[i].roll != 0.0;
    if (!canted) r->roll = NULL;
    r->what = kl_arena_format(r->arena, "layout of %d elements", in.nplan);
    return r->what ? KL_OK : KL_E_MEMORY;
}
