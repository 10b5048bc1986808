/* Static shape of a catenary: forces and lengths of droppers from the wanted heights of the contact
 * wire, or heights from given lengths.
 *
 * Tensions are constant, so vertical and lateral shape follow one after the other from linear
 * equations: (1) the contact wire is held at the wanted heights at its droppers; the reactions R are
 * the vertical dropper forces. (2) The messenger and the stitch wires carry these forces. (3)
 * Sideways each dropper is a spring R/dz between its ends. Lengths follow: L0 = L - F/k.
 * Given lengths and installation errors change L0; the new shape is found from this one with
 * droppers going slack. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "catenary/line.h"

/* A linear static problem with held unknowns. */
typedef struct statics {
    kl_arena  *arena;
    kl_skyline K, factor; /* all rows; held rows as the identity */
    bool      *held;
    double    *u, *f, *r; /* ndof: unknowns, loads, residual */
} statics;

static kl_status statics_open(const kl_line *line, statics *s)
{
    *s        = (statics){.arena = kl_arena_create()};
    s->K      = kl_skyline_create(s->arena, line->ndof, line->first);
    s->factor = kl_skyline_create(s->arena, line->ndof, line->first);
    s->held   = kl_arena_array(s->arena, bool, line->ndof);
    s->u      = kl_arena_array(s->arena, double, line->ndof);
    s->f      = kl_arena_array(s->arena, double, line->ndof);
    s->r      = kl_arena_array(s->arena, double, line->ndof);
    if (kl_arena_ok(s->arena)) return KL_OK;
    kl_arena_destroy(s->arena);
    return KL_E_MEMORY;
}

/* r = f - K u */
static void residual(const kl_line *line, statics *s)
{
    memset(s->r, 0, (size_t)line->ndof * sizeof *s->r);
    kl_skyline_multiply(&s->K, s->u, s->r);
    for (int i = 0; i < line->ndof; i++) s->r[i] = s->f[i] - s->r[i];
}

static kl_status factor(const kl_line *line, statics *s)
{
    memcpy(s->factor.value, s->K.value, (size_t)s->K.size * sizeof(double));
    kl_line_fix(line, s->held, &s->factor);
    return kl_skyline_factor(&s->factor, NULL);
}

/* Finds the unknowns that are not held. */
static void solve(const kl_line *line, statics *s)
{
    residual(line, s);
    for (int i = 0; i < line->ndof; i++)
        if (s->held[i]) s->r[i] = 0.0;
    kl_skyline_solve(&s->factor, s->r);
    for (int i = 0; i < line->ndof; i++) s->u[i] += s->r[i];
}

/* ---- requirements of the design ---- */

static double support_place(const kl_tension_length *p, int span, double in_span,
                            const double *at_support)
{
    double s = in_span / p->span[span];
    return at_support[span] + s * (at_support[span + 1] - at_support[span]);
}

static double wanted_height(const kl_tension_length *p, int span, double in_span)
{
    double s = in_span / p->span[span], ratio = p->span[span] / p->presag_span;
    return support_place(p, span, in_span, p->height) -
           p->presag * ratio * ratio * 4.0 * s * (1.0 - s);
}

static void hold(statics *s, int dof, double value) { s->held[dof] = true, s->u[dof] = value; }

/* Supports and ends at the design's places. */
static void hold_supports(const kl_line *line, statics *s)
{
    for (int i = 0; i < line->nsupport; i++) {
        const kl_line_support   *a   = &line->support[i];
        const kl_tension_length *p   = &line->design->part[a->part];
        const kl_line_wire      *m   = kl_line_find(line, KL_WIRE_MESSENGER, a->part);
        bool                     end = a->index == 0 || a->index == p->nspan;
        if (line->fixed[a->dof]) hold(s, a->dof, p->height[a->index]);
        if (line->per == 4) hold(s, a->dof + 2, p->stagger[a->index]);
        if (end && p->contact.clamped) hold(s, a->dof + 1, 0.0);
        if (!m) continue;
        for (int k = 0; k < m->n; k++) {
            if (fabs(m->x[k] - a->x) > 1e-6) continue;
            hold(s, m->dof[k], p->height[a->index] + p->encumbrance[a->index]);
            if (line->per == 4) hold(s, m->dof[k] + 2, p->messenger_y[a->index]);
            if (end && p->messenger.clamped) hold(s, m->dof[k] + 1, 0.0);
        }
    }
}

/* Unknowns that nothing else holds: slopes of clamped ends, hinges of registration arms. */
static void hold_rest(const kl_line *line, statics *s)
{
    for (int i = 0; i < line->ndof; i++)
        if (line->fixed[i] || *kl_skyline_at(&s->K, i, i) == 0.0) s->held[i] = true;
}

/* Weight of wires and of masses. */
static void add_weight(const kl_line *line, double *f)
{
    double g = line->design->gravity;
    for (int i = 0; i < line->nwire; i++) {
        const kl_line_wire *w = &line->wire[i];
        for (int e = 0; e + 1 < w->n; e++) {
            double l = w->x[e + 1] - w->x[e], q = -w->data.mass * g * l;
            f[w->dof[e]] += q / 2.0, f[w->dof[e] + 1] += q * l / 12.0;
            f[w->dof[e + 1]] += q / 2.0, f[w->dof[e + 1] + 1] -= q * l / 12.0;
        }
    }
    for (int i = 0; i < line->nmass; i++)
        if (line->mass[i].weighs) f[line->mass[i].dof] -= line->mass[i].m * g;
}

/* ---- heights given ---- */

static kl_status refuse_pushing(const kl_line *line, const kl_line_dropper *d, int number,
                                double reaction, kl_diag *diag)
{
    const kl_tension_length *p = &line->design->part[d->part];
    return kl_fail(diag, KL_E_MODEL, p->dropper_place,
                   "catenary '%s': the dropper at x = %g m (number %d of span %d) would need a "
                   "compressive force of %.3g N to hold the contact wire at height %.4g m; use a "
                   "smaller `presag`, droppers farther apart, or other `heights`",
                   line->design->name, d->x, number, d->span + 1, -reaction,
                   wanted_height(p, d->span, d->in_span));
}

/* Vertical: reactions into d->force, both wires into u. */
static kl_status vertical_shape(kl_line *line, statics *s, kl_diag *diag)
{
    kl_line_add_stiffness(line, (kl_stiffness_parts){0}, &s->K);
    hold_supports(line, s);
    hold_rest(line, s);
    for (int i = 0; i < line->ndropper; i++) {
        const kl_line_dropper *d = &line->dropper[i];
        hold(s, d->lower, wanted_height(&line->design->part[d->part], d->span, d->in_span));
    }
    add_weight(line, s->f);
    KL_TRY(factor(line, s));
    solve(line, s);
    residual(line, s);
    kl_status status = KL_OK;
    for (int i = 0; i < line->ndropper; i++) {
        kl_line_dropper *d = &line->dropper[i];
        int              n = line->design->part[d->part].dropper.npos;
        d->force           = -s->r[d->lower]; /* what must be added to the load */
        if (d->force < 0.0 && status == KL_OK)
            status = refuse_pushing(line, d, n ? i % n + 1 : 0, d->force, diag);
    }
    KL_TRY(status);
    for (int i = 0; i < line->ndropper; i++) s->f[line->dropper[i].upper] -= line->dropper[i].force;
    solve(line, s);
    return KL_OK;
}

/* Lateral: droppers as springs R/dz. Clamps and wires are in K already. */
static kl_status lateral_shape(kl_line *line, statics *s)
{
    if (line->per < 4) return KL_OK;
    for (int i = 0; i < line->ndropper; i++) {
        const kl_line_dropper *d = &line->dropper[i];
        double                 k = d->force / (s->u[d->upper] - s->u[d->lower]);
        int                    a = d->upper + 2, b = d->lower + 2;
        *kl_skyline_at(&s->K, a, a) += k;
        *kl_skyline_at(&s->K, b, b) += k;
        *kl_skyline_at(&s->K, a > b ? a : b, a > b ? b : a) -= k;
    }
    KL_TRY(factor(line, s));
    solve(line, s);
    return KL_OK;
}

/* Direction, length and stretch of each dropper at the present place, for its force. */
static void set_droppers(kl_line *line)
{
    for (int i = 0; i < line->ndropper; i++) {
        kl_line_dropper *d  = &line->dropper[i];
        double           dz = line->place[d->upper] - line->place[d->lower], dy = 0.0;
        if (line->per == 4) dy = line->place[d->upper + 2] - line->place[d->lower + 2];
        double length = hypot(dy, dz);
        d->ny = dy / length, d->nz = dz / length;
        d->lateral = d->force / length;
    }
}

static double present_length(const kl_line *line, const kl_line_dropper *d)
{
    double dz = line->place[d->upper] - line->place[d->lower], dy = 0.0;
    if (line->per == 4) dy = line->place[d->upper + 2] - line->place[d->lower + 2];
    return hypot(dy, dz);
}

static kl_status refuse_messenger_below(const kl_line *line, const statics *s, kl_diag *diag)
{
    const double least = 0.02; /* [m] a dropper with two clamps cannot be shorter */
    for (int i = 0; i < line->ndropper; i++) {
        const kl_line_dropper *d  = &line->dropper[i];
        double                 dz = s->u[d->upper] - s->u[d->lower];
        if (dz > least) continue;
        return kl_fail(
            diag, KL_E_MODEL, line->design->part[d->part].dropper_place,
            "catenary '%s': there is no room for the dropper at x = %g m in span %d: the messenger "
            "would be %.3g m %s the contact wire; increase `encumbrance` or `messenger_tension`",
            line->design->name, d->x, d->span + 1, fabs(dz), dz < 0.0 ? "below" : "above");
    }
    return KL_OK;
}

static kl_status shape_from_heights(kl_line *line, statics *s, kl_diag *diag)
{
    KL_TRY(vertical_shape(line, s, diag));
    KL_TRY(refuse_messenger_below(line, s, diag));
    KL_TRY(lateral_shape(line, s));
    memcpy(line->place, s->u, (size_t)line->ndof * sizeof *s->u);
    set_droppers(line);
    for (int i = 0; i < line->ndropper; i++) {
        kl_line_dropper *d = &line->dropper[i];
        d->force /= d->nz; /* so far its vertical part */
        d->lateral /= d->nz;
        d->rest   = d->force / d->k;
        d->length = present_length(line, d) - d->rest;
    }
    return KL_OK;
}

/* ---- lengths given, installation errors ---- */

/* A number of the standard normal distribution from a small generator of its own (xorshift64*,
 * Vigna 2016; sum of twelve), so that a seed means the same everywhere. */
static double normal(unsigned long long *state)
{
    double sum = -6.0;
    for (int k = 0; k < 12; k++) {
        *state ^= *state >> 12, *state ^= *state << 25, *state ^= *state >> 27;
        sum += (double)((*state * 2685821657736338717ULL) >> 11) / 9007199254740992.0;
    }
    return sum;
}

/* New unstretched lengths; true when any differs from the design's. */
static bool set_lengths(kl_line *line)
{
    const kl_catenary_design *design  = line->design;
    unsigned long long        state   = 88172645463325252ULL + 7919ULL * design->seed;
    bool                      changed = design->dropper_error > 0.0;
    for (int i = 0; i < line->ndropper; i++) {
        kl_line_dropper       *d = &line->dropper[i];
        const kl_dropper_data *p = &design->part[d->part].dropper;
        if (p->length) d->length = p->length[i % p->npos], changed = true;
        if (design->dropper_error > 0.0) d->length += design->dropper_error * normal(&state);
        d->rest = present_length(line, d) - d->length;
    }
    return changed;
}

/* Moves to the equilibrium for the present lengths, with directions taken anew a few times. */
static kl_status settle(kl_line *line, statics *s, kl_diag *diag)
{
    for (int pass = 0; pass < 20; pass++) {
        double moved = 0.0;
        memset(s->f, 0, (size_t)line->ndof * sizeof *s->f);
        if (kl_line_deflect(line, s->f, s->u) != KL_OK)
            return kl_fail(diag, KL_E_SINGULAR, line->design->place,
                           "catenary '%s': no static shape was found for these dropper lengths; "
                           "compare them with those that `klingel catenary droppers` prints",
                           line->design->name);
        for (int i = 0; i < line->ndof; i++) {
            line->place[i] += s->u[i];
            moved = fmax(moved, fabs(s->u[i]));
        }
        for (int i = 0; i < line->ndropper; i++) {
            kl_line_dropper *d = &line->dropper[i];
            d->rest            = present_length(line, d) - d->length;
            d->force           = fmax(0.0, d->k * d->rest);
        }
        set_droppers(line);
        if (moved < 1e-9) return KL_OK;
    }
    return KL_OK;
}

static kl_status shape_from_lengths(kl_line *line, statics *s, kl_diag *diag)
{
    if (!set_lengths(line)) return KL_OK;
    KL_TRY(settle(line, s, diag));
    int slack = 0;
    for (int i = 0; i < line->ndropper; i++) slack += line->dropper[i].rest < 0.0;
    if (slack == line->ndropper)
        return kl_fail(
            diag, KL_E_MODEL, line->design->place,
            "catenary '%s': all droppers are slack, so their lengths do not fit; compare "
            "them with those that `klingel catenary droppers` prints without `dropper_lengths`",
            line->design->name);
    if (slack > 0)
        kl_warn(diag, line->design->place, "catenary '%s': %d of %d droppers are slack at rest",
                line->design->name, slack, line->ndropper);
    return KL_OK;
}

kl_status kl_line_shape(kl_line *line, kl_diag *diag)
{
    statics s;
    KL_TRY(statics_open(line, &s));
    kl_status status = shape_from_heights(line, &s, diag);
    if (status == KL_OK) status = shape_from_lengths(line, &s, diag);
    kl_arena_destroy(s.arena);
    return status;
}

/* ---- deflection from rest ---- */

/* Loads that droppers add beside those at rest: taut ones what their stretch at rest lacks, slack
 * ones their whole force. */
static void add_dropper_loads(const kl_line *line, const bool *slack, double *f)
{
    for (int i = 0; i < line->ndropper; i++) {
        const kl_line_dropper *d = &line->dropper[i];
        double change = (slack[i] ? 0.0 : d->k * d->rest) - d->force; /* of tension at d = 0 */
        f[d->upper] -= change * d->nz, f[d->lower] += change * d->nz;
        if (line->per < 4) continue;
        f[d->upper + 2] -= change * d->ny, f[d->lower + 2] += change * d->ny;
    }
}

static double stretch(const kl_line *line, const kl_line_dropper *d, const double *u)
{
    double e = d->nz * (u[d->upper] - u[d->lower]);
    if (line->per == 4) e += d->ny * (u[d->upper + 2] - u[d->lower + 2]);
    return e;
}

/* Which droppers are slack at u; the number that changed. */
static int update_slack(const kl_line *line, const double *u, bool *slack)
{
    int changed = 0;
    for (int i = 0; i < line->ndropper; i++) {
        bool now = line->dropper[i].rest + stretch(line, &line->dropper[i], u) < 0.0;
        changed += now != slack[i];
        slack[i] = now;
    }
    return changed;
}

kl_status kl_line_deflect(const kl_line *line, const double *f, double *d)
{
    enum { MOST = 100 };
    statics s;
    KL_TRY(statics_open(line, &s));
    bool     *slack  = kl_arena_array(s.arena, bool, line->ndropper + 1);
    kl_status status = slack ? KL_OK : KL_E_MEMORY;
    for (int i = 0; i < line->ndropper && slack; i++) slack[i] = line->dropper[i].rest < 0.0;
    int changed = 1;
    for (int pass = 0; pass < MOST && changed && status == KL_OK; pass++) {
        memset(s.K.value, 0, (size_t)s.K.size * sizeof(double));
        kl_line_add_stiffness(
            line, (kl_stiffness_parts){.springs = true, .droppers = true, .slack = slack}, &s.K);
        for (int i = 0; i < line->ndof; i++)
            s.held[i] = line->fixed[i] || *kl_skyline_at(&s.K, i, i) == 0.0;
        memcpy(s.f, f, (size_t)line->ndof * sizeof *f);
        add_dropper_loads(line, slack, s.f);
        memset(s.u, 0, (size_t)line->ndof * sizeof *s.u);
        status = factor(line, &s);
        if (status == KL_OK) solve(line, &s);
        if (status == KL_OK) changed = update_slack(line, s.u, slack);
    }
    if (status == KL_OK && changed) status = KL_E_SINGULAR;
    if (status == KL_OK) memcpy(d, s.u, (size_t)line->ndof * sizeof *d);
    kl_arena_destroy(s.arena);
    return status;
}

/* The contact wire that is lowest at x, which a pantograph meets first. */
static const kl_line_wire *lowest_at(const kl_line *line, double x, kl_wire_point *p)
{
    const kl_line_wire *found = NULL;
    double              least = HUGE_VAL;
    for (int i = 0; i < line->nwire; i++) {
        kl_wire_point here;
        if (line->wire[i].kind != KL_WIRE_CONTACT || !kl_wire_at(&line->wire[i], x, &here))
            continue;
        double z = kl_wire_value(&here, line->place, 0);
        if (z < least) least = z, found = &line->wire[i], *p = here;
    }
    return found;
}

kl_status kl_line_uplift(const kl_line *line, double x, double force, double *uplift)
{
    kl_wire_point p;
    *uplift = NAN;
    if (!lowest_at(line, x, &p)) return KL_OK;
    double *f = calloc((size_t)line->ndof * 2, sizeof *f);
    if (!f) return KL_E_MEMORY;
    for (int k = 0; k < 4; k++) f[p.dof[k / 2] + k % 2] += force * p.N[k];
    kl_status status = kl_line_deflect(line, f, f + line->ndof);
    if (status == KL_OK) *uplift = kl_wire_value(&p, f + line->ndof, 0);
    free(f);
    return status;
}
