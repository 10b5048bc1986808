/* Nodes, droppers, supports and arms of a design, numbered by x. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "catenary/line.h"

static const double SAME = 1e-6; /* stations nearer than this are one [m] */

/* Places that need a node, of one wire. */
typedef struct stations {
    double *x;
    int     n;
} stations;

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* x of support i of a tension length */
static double support_x(const kl_tension_length *p, int i)
{
    double x = p->start;
    for (int k = 0; k < i; k++) x += p->span[k];
    return x;
}

static double dropper_in_span(const kl_tension_length *p, int span, int k)
{
    return p->dropper.position[k] * p->span[span] / p->dropper.span;
}

/* Index of the interior support whose stitch wire reaches x, or -1. */
static int stitch_over(const kl_tension_length *p, double x)
{
    if (p->stitch.wire.tension <= 0.0) return -1;
    for (int i = 1; i < p->nspan; i++)
        if (fabs(x - support_x(p, i)) < p->stitch.half - SAME) return i;
    return -1;
}

/* ---- nodes of wires ---- */

static int elements_between(double from, double to, double longest)
{
    int n = (int)ceil((to - from) / longest - 1e-9);
    return n > 1 ? n : 1;
}

/* Sorts stations and fills the gaps between them with equal elements. */
static void set_nodes(kl_line *line, kl_line_wire *w, stations *s)
{
    double longest = line->design->element;
    qsort(s->x, (size_t)s->n, sizeof *s->x, ascending);
    int unique = 1, count = 1;
    for (int i = 1; i < s->n; i++)
        if (s->x[i] - s->x[unique - 1] > SAME) s->x[unique++] = s->x[i];
    for (int i = 1; i < unique; i++) count += elements_between(s->x[i - 1], s->x[i], longest);
    w->x       = kl_arena_array(line->arena, double, count);
    w->dof     = kl_arena_array(line->arena, int, count);
    w->tension = kl_arena_array(line->arena, double, count);
    if (!kl_arena_ok(line->arena)) return;
    for (int i = 1; i < unique; i++) {
        int n = elements_between(s->x[i - 1], s->x[i], longest);
        for (int k = 0; k < n; k++) w->x[w->n++] = s->x[i - 1] + (s->x[i] - s->x[i - 1]) * k / n;
    }
    w->x[w->n++] = s->x[unique - 1];
    for (int i = 0; i + 1 < w->n; i++) w->tension[i] = w->data.tension;
}

static kl_line_wire *add_wire(kl_line *line, kl_wire_kind kind, int part, const kl_wire_data *data)
{
    kl_line_wire *w = &line->wire[line->nwire++];
    *w              = (kl_line_wire){.kind = kind, .part = part, .data = *data};
    return w;
}

static void add_contact(kl_line *line, int part, stations *s)
{
    const kl_tension_length *p    = &line->design->part[part];
    kl_wire_data             worn = p->contact;
    double                   left = 1.0 - line->design->wear;
    worn.mass *= left, worn.bending *= left * left; /* I of a full section: area squared */
    kl_line_wire *w = add_wire(line, KL_WIRE_CONTACT, part, &worn);
    s->n            = 0;
    for (int i = 0; i <= p->nspan; i++) s->x[s->n++] = support_x(p, i);
    for (int i = 0; i < p->nspan && !p->single; i++)
        for (int k = 0; k < p->dropper.npos; k++)
            s->x[s->n++] = support_x(p, i) + dropper_in_span(p, i, k);
    for (int i = 0; i < p->nlump; i++) s->x[s->n++] = p->lump_x[i];
    set_nodes(line, w, s);
}

static void add_messenger(kl_line *line, int part, stations *s)
{
    const kl_tension_length *p = &line->design->part[part];
    kl_line_wire            *w = add_wire(line, KL_WIRE_MESSENGER, part, &p->messenger);
    s->n                       = 0;
    for (int i = 0; i <= p->nspan; i++) s->x[s->n++] = support_x(p, i);
    for (int i = 0; i < p->nspan; i++)
        for (int k = 0; k < p->dropper.npos; k++) {
            double x = support_x(p, i) + dropper_in_span(p, i, k);
            if (stitch_over(p, x) < 0) s->x[s->n++] = x;
        }
    for (int i = 1; i < p->nspan && p->stitch.wire.tension > 0.0; i++) {
        s->x[s->n++] = support_x(p, i) - p->stitch.half;
        s->x[s->n++] = support_x(p, i) + p->stitch.half;
    }
    set_nodes(line, w, s);
    /* horizontal equilibrium at the clamps: the stitch wire takes its share of the tension */
    for (int i = 0; i + 1 < w->n; i++)
        if (stitch_over(p, 0.5 * (w->x[i] + w->x[i + 1])) >= 0)
            w->tension[i] -= p->stitch.wire.tension;
}

static void add_stitches(kl_line *line, int part, stations *s)
{
    const kl_tension_length *p = &line->design->part[part];
    for (int i = 1; i < p->nspan && p->stitch.wire.tension > 0.0; i++) {
        kl_line_wire *w = add_wire(line, KL_WIRE_STITCH, part, &p->stitch.wire);
        s->n            = 0;
        s->x[s->n++]    = support_x(p, i) - p->stitch.half;
        s->x[s->n++]    = support_x(p, i) + p->stitch.half;
        for (int j = i - 1; j <= i; j++)
            for (int k = 0; k < p->dropper.npos; k++) {
                double x = support_x(p, j) + dropper_in_span(p, j, k);
                if (stitch_over(p, x) == i) s->x[s->n++] = x;
            }
        set_nodes(line, w, s);
    }
}

/* ---- numbering ---- */

typedef struct numbered {
    double x;
    int    wire, node; /* wire -1: a registration arm, node: which */
} numbered;

static int by_place(const void *a, const void *b)
{
    const numbered *p = a, *q = b;
    if (p->x != q->x) return p->x < q->x ? -1 : 1;
    return p->wire != q->wire ? p->wire - q->wire : p->node - q->node;
}

/* Interior supports of all tension lengths that have registration arms. */
static int count_registrations(const kl_catenary_design *d)
{
    int n = 0;
    for (int i = 0; i < d->npart; i++)
        if (d->part[i].registration.present && d->part[i].arm.present) n += d->part[i].nspan - 1;
    return n;
}

/* Numbers all nodes by x; `registration` receives the dof of each registration arm. */
static kl_status number_nodes(kl_line *line, int *registration)
{
    int n = count_registrations(line->design), m = 0;
    for (int w = 0; w < line->nwire; w++) n += line->wire[w].n;
    numbered *list = malloc((size_t)n * sizeof *list);
    if (!list) return KL_E_MEMORY;
    for (int w = 0; w < line->nwire; w++)
        for (int i = 0; i < line->wire[w].n; i++) list[m++] = (numbered){line->wire[w].x[i], w, i};
    for (int i = 0, k = 0; i < line->design->npart; i++) {
        const kl_tension_length *p = &line->design->part[i];
        for (int s = 1; s < p->nspan && p->registration.present && p->arm.present; s++)
            list[m++] = (numbered){support_x(p, s), -1, k++};
    }
    qsort(list, (size_t)n, sizeof *list, by_place);
    for (int i = 0; i < n; i++) {
        int dof = i * line->per;
        if (list[i].wire < 0) registration[list[i].node] = dof;
        else line->wire[list[i].wire].dof[list[i].node] = dof;
    }
    line->ndof = n * line->per;
    free(list);
    return KL_OK;
}

static int node_near(const kl_line_wire *w, double x)
{
    int lo = 0, hi = w->n - 1;
    while (hi - lo > 1) {
        int mid = (lo + hi) / 2;
        if (w->x[mid] <= x) lo = mid;
        else hi = mid;
    }
    return fabs(w->x[lo] - x) <= fabs(w->x[hi] - x) ? lo : hi;
}

static int dof_near(const kl_line_wire *w, double x) { return w->dof[node_near(w, x)]; }

/* ---- droppers, supports, arms ---- */

static const kl_line_wire *stitch_at(const kl_line *line, int part, double x)
{
    for (int i = 0; i < line->nwire; i++) {
        const kl_line_wire *w = &line->wire[i];
        if (w->kind == KL_WIRE_STITCH && w->part == part && x > w->x[0] - SAME &&
            x < w->x[w->n - 1] + SAME)
            return w;
    }
    return NULL;
}

static void add_mass(kl_line *line, int dof, double m, bool weighs)
{
    if (m > 0.0) line->mass[line->nmass++] = (kl_line_mass){dof, m, weighs};
}

static void add_spring(kl_line *line, int dof, int other, double k, kl_spring_kind kind)
{
    if (k > 0.0) line->spring[line->nspring++] = (kl_line_spring){dof, other, k, kind};
}

static void add_droppers(kl_line *line, int part)
{
    const kl_tension_length *p         = &line->design->part[part];
    const kl_line_wire      *contact   = kl_line_find(line, KL_WIRE_CONTACT, part);
    const kl_line_wire      *messenger = kl_line_find(line, KL_WIRE_MESSENGER, part);
    for (int i = 0; i < p->nspan; i++)
        for (int k = 0; k < p->dropper.npos; k++) {
            double              in = dropper_in_span(p, i, k), x = support_x(p, i) + in;
            const kl_line_wire *over = stitch_over(p, x) < 0 ? messenger : stitch_at(line, part, x);
            kl_line_dropper     d    = {.part    = part,
                                        .span    = i,
                                        .x       = x,
                                        .in_span = in,
                                        .upper   = dof_near(over, x),
                                        .lower   = dof_near(contact, x),
                                        .k       = p->dropper.stiffness};
            line->dropper[line->ndropper++] = d;
            add_mass(line, d.lower, p->dropper.contact_clamp, true);
            add_mass(line, d.upper, p->dropper.messenger_clamp, true);
        }
}

static void fix(kl_line *line, int dof, bool slope)
{
    for (int k = 0; k < line->per; k += 2) {
        line->fixed[dof + k] = true;
        if (slope) line->fixed[dof + k + 1] = true;
    }
}

static void hold_ends(kl_line *line, const kl_line_wire *w)
{
    if (w->kind == KL_WIRE_STITCH) return;
    fix(line, w->dof[0], w->data.clamped);
    fix(line, w->dof[w->n - 1], w->data.clamped);
}

/* Steady arm at an interior support; `hinge` is the registration arm's number or -1. */
static void add_arm(kl_line *line, const kl_tension_length *p, int contact, int hinge)
{
    if (!p->arm.present) {
        if (line->per == 4) line->fixed[contact + 2] = true; /* held sideways all the same */
        return;
    }
    add_mass(line, contact, p->arm.mass, false);
    add_spring(line, contact, hinge, p->arm.vertical, KL_SPRING_ARM);
    if (line->per == 4) add_spring(line, contact + 2, -1, p->arm.lateral, KL_SPRING_SUPPORT);
    if (hinge < 0) return;
    add_mass(line, hinge, p->registration.mass, false);
    add_spring(line, hinge, -1, p->registration.vertical, KL_SPRING_ARM);
    line->fixed[hinge + 1] = true;
    for (int k = 2; k < line->per; k++) line->fixed[hinge + k] = true;
}

static void add_supports(kl_line *line, int part, const int *registration, int *nreg)
{
    const kl_tension_length *p         = &line->design->part[part];
    const kl_line_wire      *contact   = kl_line_find(line, KL_WIRE_CONTACT, part);
    const kl_line_wire      *messenger = kl_line_find(line, KL_WIRE_MESSENGER, part);
    for (int i = 0; i <= p->nspan; i++) {
        double x                        = support_x(p, i);
        int    c                        = dof_near(contact, x);
        bool   inside                   = i > 0 && i < p->nspan;
        line->support[line->nsupport++] = (kl_line_support){part, i, x, c};
        if (p->single && inside) fix(line, c, false);
        if (!p->single && inside)
            add_arm(line, p, c,
                    p->registration.present && p->arm.present ? registration[(*nreg)++] : -1);
        if (!messenger || !inside) continue;
        int m = dof_near(messenger, x);
        if (p->support_stiffness > 0.0) {
            add_spring(line, m, -1, p->support_stiffness, KL_SPRING_SUPPORT);
            if (line->per == 4) line->fixed[m + 2] = true;
        } else fix(line, m, false);
    }
}

/* A stitch wire hangs from the messenger at both ends: a clamp is far stiffer than any wire. */
static void add_clamps(kl_line *line)
{
    const double stiff = 1e8; /* [N/m] */
    for (int i = 0; i < line->nwire; i++) {
        const kl_line_wire *w = &line->wire[i];
        if (w->kind != KL_WIRE_STITCH) continue;
        const kl_line_wire *m = kl_line_find(line, KL_WIRE_MESSENGER, w->part);
        for (int end = 0; end < 2; end++) {
            int node = end ? w->n - 1 : 0, other = dof_near(m, w->x[node]);
            for (int k = 0; k < line->per; k += 2)
                add_spring(line, w->dof[node] + k, other + k, stiff, KL_SPRING_CLAMP);
        }
    }
}

/* ---- profile ---- */

static void reach(int *first, int per, int a, int b)
{
    int lo = a < b ? a : b, hi = a < b ? b : a;
    for (int k = 0; k < per; k++)
        if (first[hi + k] > lo) first[hi + k] = lo;
}

static void set_profile(kl_line *line)
{
    int per = line->per;
    for (int i = 0; i < line->ndof; i++) line->first[i] = i - i % per;
    for (int w = 0; w < line->nwire; w++)
        for (int i = 0; i + 1 < line->wire[w].n; i++)
            reach(line->first, per, line->wire[w].dof[i], line->wire[w].dof[i + 1]);
    for (int i = 0; i < line->ndropper; i++)
        reach(line->first, per, line->dropper[i].upper, line->dropper[i].lower);
    for (int i = 0; i < line->nspring; i++) {
        const kl_line_spring *s = &line->spring[i];
        if (s->other >= 0)
            reach(line->first, per, s->dof - s->dof % per, s->other - s->other % per);
    }
}

/* ---- all together ---- */

static bool lateral(const kl_catenary_design *d)
{
    for (int i = 0; i < d->npart; i++)
        for (int k = 0; k <= d->part[i].nspan; k++)
            if (d->part[i].stagger[k] != 0.0 || d->part[i].messenger_y[k] != 0.0) return true;
    return false;
}

/* Space for everything that grows with the number of supports and droppers. */
static void take_lists(kl_line *line, stations *s)
{
    int wires = 0, droppers = 0, supports = 0, lumps = 0, most = 0;
    for (int i = 0; i < line->design->npart; i++) {
        const kl_tension_length *p    = &line->design->part[i];
        int                      mine = p->nspan * p->dropper.npos;
        wires += 2 + p->nspan;
        droppers += mine;
        supports += p->nspan + 1;
        lumps += p->nlump;
        if (mine + p->nlump + 4 * p->nspan + 4 > most) most = mine + p->nlump + 4 * p->nspan + 4;
    }
    line->wire    = kl_arena_array(line->arena, kl_line_wire, wires);
    line->dropper = kl_arena_array(line->arena, kl_line_dropper, droppers + 1);
    line->support = kl_arena_array(line->arena, kl_line_support, supports);
    line->mass    = kl_arena_array(line->arena, kl_line_mass, 2 * droppers + 2 * supports + lumps);
    line->spring  = kl_arena_array(line->arena, kl_line_spring, 4 * supports + 4 * wires);
    s->x          = kl_arena_array(line->arena, double, most);
}

static void find_ends(kl_line *line)
{
    line->x0 = HUGE_VAL, line->x1 = -HUGE_VAL;
    for (int i = 0; i < line->nwire; i++) {
        line->x0 = fmin(line->x0, line->wire[i].x[0]);
        line->x1 = fmax(line->x1, line->wire[i].x[line->wire[i].n - 1]);
    }
}

kl_status kl_line_mesh(kl_line *line, kl_diag *diag)
{
    (void)diag;
    const kl_catenary_design *d = line->design;
    stations                  s = {0};
    line->per                   = lateral(d) ? 4 : 2;
    take_lists(line, &s);
    int *registration = kl_arena_array(line->arena, int, count_registrations(d) + 1);
    if (!kl_arena_ok(line->arena)) return KL_E_MEMORY;
    for (int i = 0; i < d->npart; i++) {
        add_contact(line, i, &s);
        if (d->part[i].single) continue;
        add_messenger(line, i, &s);
        add_stitches(line, i, &s);
    }
    if (!kl_arena_ok(line->arena)) return KL_E_MEMORY;
    KL_TRY(number_nodes(line, registration));
    line->fixed = kl_arena_array(line->arena, bool, line->ndof);
    line->first = kl_arena_array(line->arena, int, line->ndof);
    line->place = kl_arena_array(line->arena, double, line->ndof);
    if (!kl_arena_ok(line->arena)) return KL_E_MEMORY;
    int nreg = 0;
    for (int i = 0; i < d->npart; i++) {
        if (!d->part[i].single) add_droppers(line, i);
        add_supports(line, i, registration, &nreg);
        const kl_line_wire *contact = kl_line_find(line, KL_WIRE_CONTACT, i);
        for (int k = 0; k < d->part[i].nlump; k++)
            add_mass(line, dof_near(contact, d->part[i].lump_x[k]), d->part[i].lump_mass[k], true);
    }
    for (int i = 0; i < line->nwire; i++) hold_ends(line, &line->wire[i]);
    add_clamps(line);
    set_profile(line);
    find_ends(line);
    return KL_OK;
}
