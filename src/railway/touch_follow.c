/* What is known of the contacts of a wheel beside their places: the valleys between them, from which
 * follows how they share the force; and how they move with the wheel. */
#include <math.h>

#include "railway/contact_trace.h"

/* Overlap in between, over the smaller penetration, below which neighbours are patches of their own:
 * a contact reaches about as far as the surfaces overlap by half their deepest penetration (0.45 after
 * Kik and Piotrowski 1996). */
static const double APART = 0.45;

static kl_outline_place place_of(const kl_outline *o, double w)
{
    int i = w >= o->n ? o->n - 1 : w < 0.0 ? 0 : (int)w;
    return (kl_outline_place){i, w - i};
}

/* ---- shares ---- */

/* 0 where the overlap reaches as deep in between as at the shallower contact, 1 where they are apart. */
static double apart(double valley, double shallower)
{
    double x = (1.0 - valley / shallower) / (1.0 - APART);
    if (!(x < 1.0)) return 1.0;
    return x <= 0.0 ? 0.0 : x * x * (3.0 - 2.0 * x);
}

/* Share of `a` beside `b` alone: of one force in the ratio of the squares by which they rise above the
 * valley, of two as far as they are apart. */
static double beside(const kl_touch *a, const kl_touch *b, double valley)
{
    double t = apart(valley, fmin(a->depth, b->depth));
    double x = fmax(a->depth - valley, 0.0), y = fmax(b->depth - valley, 0.0);
    if (t >= 1.0) return 1.0;
    return x + y > 0.0 ? t + (1.0 - t) * x * x / (x * x + y * y) : 0.5;
}

/* 0 for a contact about to vanish in a valley beside it, 1 for all others: it must not change a third one
 * then. */
static double lasting(const kl_touch *touch, int n, int k)
{
    double valley = 0.0;
    if (k > 0) valley = touch[k - 1].next.depth;
    if (k < n - 1) valley = fmax(valley, touch[k].next.depth);
    double x = (1.0 - valley / touch[k].depth) / 0.1;
    return x >= 1.0 ? 1.0 : x <= 0.0 ? 0.0 : x * x * (3.0 - 2.0 * x);
}

/* The lowest valley between contacts i < j. */
static double lowest(const kl_touch *touch, int i, int j)
{
    double valley = touch[i].next.depth;
    for (int k = i + 1; k < j; k++) valley = fmin(valley, touch[k].next.depth);
    return valley;
}

void kl_touch_shares(kl_touch *touch, int n)
{
    for (int i = 0; i < n; i++) touch[i].share = 1.0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            if (i == j || !(touch[i].depth > 0.0 && touch[j].depth > 0.0)) continue;
            double valley = i < j ? lowest(touch, i, j) : lowest(touch, j, i);
            if (valley <= 0.0) continue;
            bool   next   = i - j == 1 || j - i == 1;
            double counts = next ? 1.0 : lasting(touch, n, j);
            touch[i].share *= 1.0 - counts * (1.0 - beside(&touch[i], &touch[j], valley));
        }
}

/* ---- valleys ---- */

/* A place between contacts, by the table of distances where there is one: f of the table passes through
 * zero at its own minimum. */
static kl_trace_node looked_at(const kl_trace_data *f, const kl_trace_stand *s, double w,
                               kl_outline_place foot)
{
    kl_trace_joint j = kl_trace_joint_at(f, kl_trace_place(f, w));
    kl_trace_node  n = {.w = w, .foot = foot, .p = kl_trace_at(s, &j)};
    kl_trace_look(f, &n);
    return n;
}

/* From n towards the minimum of d, where f rises through zero; `low` and `high` enclose it. There d is f^2
 * over twice the curvature lower: 1e-13 m behind a rate of ENOUGH. */
static kl_trace_node descend(const kl_trace_data *f, const kl_trace_stand *s, kl_trace_node n,
                             double low, double high)
{
    const double  ENOUGH = 1e-6;
    kl_trace_node last   = n;
    for (int k = 0; k < 40 && fabs(n.f) > ENOUGH && high - low > 1e-7; k++) {
        if (n.f < 0.0) low = n.w;
        else high = n.w;
        double slope = (n.f - last.f) / (n.w - last.w), w = n.w - n.f / slope;
        if (!(w > low && w < high)) w = 0.5 * (low + high);
        last = n;
        n    = looked_at(f, s, w, n.foot);
    }
    return n;
}

static void set_valley(const kl_trace_data *f, const kl_wheel_pose *pose, kl_touch *a,
                       const kl_touch *b)
{
    double         x = 0.5 * (a->wheel.x + b->wheel.x), least = fmin(a->depth, b->depth);
    kl_trace_stand s   = kl_trace_bent(pose) ? kl_trace_section(pose, x) : kl_trace_stand_of(pose);
    double         at  = a->next.w > a->w && a->next.w < b->w ? a->next.w : 0.5 * (a->w + b->w);
    double         far = a->next.foot > 0.0 ? a->next.foot : 0.5 * (a->foot + b->foot);
    a->next            = (kl_touch_valley){0};
    if (!(least > 0.0) || b->w - a->w > 100.0) return;
    kl_trace_node n = looked_at(f, &s, at, place_of(f->rail, far));
    if (n.d < APART * least) return;
    n       = descend(f, &s, n, a->w, b->w);
    a->next = (kl_touch_valley){n.d, n.w, n.foot.i + n.foot.t};
}

void kl_trace_valleys(const kl_trace_data *f, const kl_wheel_pose *pose, kl_touch *touch, int n)
{
    for (int k = 0; k < n; k++) {
        if (k < n - 1) set_valley(f, pose, &touch[k], &touch[k + 1]);
        else touch[k].next = (kl_touch_valley){0};
    }
}

/* ---- following ---- */

kl_touch kl_trace_edge(const kl_trace_data *f, const kl_trace_stand *s, const kl_trace_node *n)
{
    kl_trace_joint   j = kl_trace_joint_at(f, kl_trace_place(f, n->w));
    kl_touch         t = kl_trace_touch(f, s, n, &j);
    kl_outline_point r = kl_outline_at(f->rail, n->foot);
    t.Ax               = 0.5 * fmax(j.nr, 1e-3) / j.r;
    t.By               = 0.5 * (1.0 / 0.002 - r.curvature); /* as if rounded with 2 mm */
    return t;
}

static void follow_one(const kl_trace_data *f, const kl_wheel_pose *pose, kl_touch *t)
{
    bool           bent = kl_trace_bent(pose);
    kl_trace_stand s    = bent ? kl_trace_section(pose, t->wheel.x) : kl_trace_stand_of(pose);
    kl_trace_node  n    = {.w = t->w, .foot = place_of(f->rail, t->foot)};
    kl_touch       moved;
    if (t->w <= 0.0 || t->w >= f->wheel->n) {
        n  = kl_trace_node_at(f, &s, t->w, n.foot);
        *t = kl_trace_edge(f, &s, &n);
        return;
    }
    if (!kl_trace_newton(f, &s, pose, &n))
        n = kl_trace_node_at(f, &s, t->w, place_of(f->rail, t->foot));
    if (kl_trace_contact(f, pose, &s, &n, t->wheel.x, &moved)) *t = moved;
}

void kl_trace_follow(const void *data, const kl_wheel_pose *pose, kl_touch *touch, int n)
{
    for (int k = 0; k < n; k++) {
        kl_touch_valley next = touch[k].next;
        follow_one(data, pose, &touch[k]);
        touch[k].next = next;
    }
    kl_trace_valleys(data, pose, touch, n);
}
