/* Laws of a contact from its keys, stiffness from materials, checks of the start. */
#include <math.h>
#include <string.h>

#include "contact/contact_data.h"
#include "contact/material.h"

static int slots_of(const kl_pair_row *row, const kl_solid *a, const kl_solid *b)
{
    const kl_solid *other = b->kind == KL_SOLID_PLANE ? a : b;
    if (strcmp(row->way, "hole") == 0) {
        int slices = a->inside ? b->slices : a->slices;
        return slices > 0 ? slices : 2;
    }
    if (strcmp(row->way, "normal") == 0) return 1;
    if (strcmp(row->way, "convex") == 0) return kl_pair_convex_keys(a, b);
    if (strcmp(row->way, "core") == 0) {
        if (a->kind == KL_SOLID_SPHERE || b->kind == KL_SOLID_SPHERE) return 1;
        if (a->narc > 0 && a->kind == KL_SOLID_REVOLVED_ARC) return a->narc;
        if (b->narc > 0 && b->kind == KL_SOLID_REVOLVED_ARC) return b->narc;
        return row->b == KL_SOLID_MESH ? 8 : 4;
    }
    if (strcmp(row->way, "plane") == 0) {
        if (a->kind == KL_SOLID_PLANE) other = b;
        if (other->kind == KL_SOLID_CAPSULE) return 2;
        if (other->kind == KL_SOLID_TORUS) return 4;
        if (other->kind == KL_SOLID_ELLIPSOID || other->kind == KL_SOLID_REVOLVED_ARC) return 1;
        if (other->kind == KL_SOLID_CYLINDER && other->half == 0.0) return 4;
        return other->kind == KL_SOLID_MESH ? 9 : 8;
    }
    return 8;
}

/* Hertz's k belongs to f = k d^1.5 and has the unit N/m^1.5. As the stiffness of another power of d, its
 * number would mean a different force in every other system of units. */
static kl_status check_unit_of_hertz(const kl_contact_data *p, const kl_setup *s)
{
    const kl_normal_row *row = &kl_normal_laws[p->laws.normal.kind];
    double               n   = isnan(p->exponent) ? row->exponent : p->exponent;
    if (n == 1.5) return KL_OK;
    return kl_fail(
        s->diag, KL_E_MODEL, s->place,
        "contact '%s': law %s needs a `stiffness`%s; `material` gives the stiffness of Hertz's "
        "theory in N/m^1.5, for forces k d^1.5. Add for example `stiffness: 100 MN/m`, or "
        "choose `law: hunt-crossley`",
        s->name, row->name, n == 1.0 ? " in N/m" : "");
}

/* A share of A in B up to which a touch counts as a line: parallel cylinders that are skew by 1 degree. */
static const double LINE = 1e-4;

static kl_status check_line(const kl_contact_data *p, const kl_setup *s, double A, double B)
{
    const char *remedy =
        A > LINE * B       ? "these shapes touch at a point: take `law: hertz`"
        : !(B > 0.0)       ? "these shapes touch on a plane or at an edge: take `law: linear` with "
                             "`stiffness`"
        : !(p->line > 0.0) ? "give the length of the line of contact, for example `length: 20 mm`"
                           : NULL;
    if (!remedy) return KL_OK;
    return kl_fail(
        s->diag, KL_E_MODEL, s->place,
        "contact '%s': law hertz-line is for shapes that touch along a line, such as parallel "
        "cylinders or a cylinder on a plane; %s",
        s->name, remedy);
}

/* Stiffness from the materials and the curvatures of the gap, A x^2 + B y^2 [1/m]. */
kl_status kl_contact_hertz(kl_contact_data *p, const kl_setup *s, double A, double B)
{
    kl_normal_kind kind = p->laws.normal.kind;
    if (p->material == 0 || !isnan(p->k) || kind == KL_NORMAL_TABLE) return KL_OK;
    if (kind != KL_NORMAL_HERTZ_LINE) KL_TRY(check_unit_of_hertz(p, s));
    const kl_material_pair *pair = &kl_material_pairs[p->material - 1];
    const kl_material      *a = kl_material_find(pair->a), *b = kl_material_find(pair->b);
    double                  compliance =
        kl_hertz_compliance(a->young, a->poisson) + kl_hertz_compliance(b->young, b->poisson);
    kl_normal_law *law = &p->laws.normal;
    p->speed_limit     = fmin(kl_hertz_speed_limit(a->young, a->density),
                              kl_hertz_speed_limit(b->young, b->density));
    law->compliance    = compliance;
    if (law->kind == KL_NORMAL_HERTZ_LINE) {
        law->length = p->line;
        law->radius = 0.5 / B;
        return check_line(p, s, A, B);
    }
    if (!(A > 1e-9 * B) || !(B > 0.0))
        return kl_fail(s->diag, KL_E_MODEL, s->place,
                       "contact '%s': these shapes touch along a line or on a plane, for which the "
                       "theory of Hertz gives no stiffness; give `stiffness`, or `law: hertz-line` "
                       "for parallel cylinders",
                       s->name);
    law->k = kl_hertz_stiffness(A, B, compliance);
    return KL_OK;
}

/* Law auto: no law that dissipates without a restitution that the user gave. */
static kl_normal_kind law_of(const kl_contact_data *p)
{
    if (p->law != KL_NORMAL_AUTO) return (kl_normal_kind)p->law;
    return isnan(p->e) ? KL_NORMAL_HERTZ : KL_NORMAL_HUNT_CROSSLEY;
}

void kl_contact_fill(kl_contact_data *p)
{
    const kl_material_pair *pair = p->material > 0 ? &kl_material_pairs[p->material - 1] : NULL;
    kl_normal_law          *n    = &p->laws.normal;
    kl_friction_law        *f    = &p->laws.friction;
    *n                           = (kl_normal_law){.kind        = law_of(p),
                                                   .k           = p->k,
                                                   .n           = isnan(p->exponent) ? 0.0 : p->exponent,
                                                   .c           = kl_normal_laws[law_of(p)].viscous ? p->c : 0.0,
                                                   .restitution = isnan(p->e) ? 1.0 : p->e,
                                                   .v0          = p->v0,
                                                   .speed_floor = p->floor,
                                                   .rate_limit  = p->rate_limit,
                                                   .exact       = p->exact,
                                                   .table       = {.f = p->force}};
    double mu_d                  = !isnan(p->mu) ? p->mu : pair ? pair->mu_d : 0.0;
    double mu_s  = !isnan(p->mu_s) ? p->mu_s : isnan(p->mu) && pair ? pair->mu_s : mu_d;
    *f           = (kl_friction_law){.kind     = (kl_friction_kind)p->friction,
                                     .mu_s     = mu_s,
                                     .mu_d     = mu_d,
                                     .v0       = isnan(p->stribeck_speed) ? 0.0 : p->stribeck_speed,
                                     .v1       = isnan(p->full_speed) ? 0.0 : p->full_speed,
                                     .xi       = p->xi,
                                     .viscous  = p->viscous,
                                     .k_t      = p->k_t,
                                     .c_t      = p->c_t,
                                     .s0       = p->s0,
                                     .s1       = isnan(p->s1) ? 0.0 : p->s1,
                                     .rolling  = p->rolling,
                                     .spinning = p->spinning};
    p->laws.acts = p->point;
}

/* Of the force of a law that one of `ends` of a line of contact carries: hertz-line is the law of the whole line,
 * others are laws of one point. */
double kl_contact_share(const kl_contact_data *p, int ends)
{
    return p->laws.normal.kind == KL_NORMAL_HERTZ_LINE ? 1.0 / ends : 1.0;
}

/* Materials have no restitution: a law that needs one asks for it. */
static kl_status check_restitution(const kl_contact_data *p, const kl_setup *s)
{
    const kl_normal_row *law = &kl_normal_laws[p->laws.normal.kind];
    const char          *elastic =
        kl_normal_laws[law->exponent == 1.0 ? KL_NORMAL_LINEAR : KL_NORMAL_HERTZ].name;
    if (law->rebounds && isnan(p->e))
        return kl_fail(
            s->diag, KL_E_MODEL, s->place,
            "contact '%s': law %s needs `restitution`, which materials do not give; add the "
            "measured value, for example `restitution: 0.8`, or take `law: %s` if "
            "impacts lose no energy",
            s->name, law->name, elastic);
    if (!law->rebounds && !isnan(p->e))
        kl_warn(s->diag, s->place,
                "contact '%s': `restitution` has no effect with law %s; take for example "
                "`law: hunt-crossley` with `exact: true`",
                s->name, law->name);
    if (p->law == KL_NORMAL_AUTO && isnan(p->e) && p->material > 0)
        kl_warn(s->diag, s->place,
                "contact '%s': impacts lose no energy, because materials give no restitution; add "
                "the measured value, for example `restitution: 0.8`, or `law: hertz` if this is "
                "intended",
                s->name);
    return KL_OK;
}

/* Keys that another law would use: the run differs from what the model seems to say. */
static void warn_of_unused_keys(const kl_contact_data *p, const kl_setup *s)
{
    const kl_normal_row *law = &kl_normal_laws[p->laws.normal.kind];
    if (!law->factor && p->exact)
        kl_warn(s->diag, s->place,
                "contact '%s': `exact` has no effect with law %s; it belongs to hunt-crossley, "
                "lankarani-nikravesh and flores",
                s->name, law->name);
    if (!law->viscous && p->c > 0.0)
        kl_warn(s->diag, s->place,
                "contact '%s': `damping` has no effect with law %s; it belongs to linear and table",
                s->name, law->name);
}

kl_status kl_contact_check(kl_contact_data *p, const kl_setup *s)
{
    kl_normal_law   *n = &p->laws.normal;
    kl_friction_law *f = &p->laws.friction;
    if (n->kind == KL_NORMAL_TABLE && !n->table.f)
        return kl_fail(s->diag, KL_E_MODEL, s->place,
                       "contact '%s': law table needs `force: {table: [[0, 0], [1 mm, 5 kN]]}`",
                       s->name);
    if (n->kind == KL_NORMAL_HERTZ_LINE && !(n->compliance > 0.0))
        return kl_fail(s->diag, KL_E_MODEL, s->place,
                       "contact '%s': law hertz-line needs a `material` and no `stiffness`",
                       s->name);
    if (n->kind != KL_NORMAL_TABLE && n->kind != KL_NORMAL_HERTZ_LINE && !(n->k > 0.0))
        return kl_fail(
            s->diag, KL_E_MODEL, s->place,
            "contact '%s': give a positive `stiffness`, or a `material` such as steel-steel",
            s->name);
    if (n->kind == KL_NORMAL_TABLE && !kl_characteristic_init(&n->table, s->arena, n->table.f))
        return KL_E_MEMORY;
    KL_TRY(check_restitution(p, s));
    kl_normal_law_init(n);
    kl_friction_law_init(f);
    warn_of_unused_keys(p, s);
    p->rebound =
        kl_normal_laws[n->kind].hysteresis ? kl_hysteresis_delivered(n->beta) : n->restitution;
    if (isinf(n->beta))
        return kl_fail(s->diag, KL_E_RANGE, s->place,
                       "contact '%s': %s needs a positive `restitution`", s->name,
                       kl_normal_laws[n->kind].name);
    if (n->kind == KL_NORMAL_INDENTATION && !(n->restitution >= 0.01 && n->restitution < 1.0))
        return kl_fail(
            s->diag, KL_E_RANGE, s->place,
            "contact '%s': law indentation needs `restitution` from 0.01 to below 1, for "
            "example 0.05, which returns 0.25 %% of the energy",
            s->name);
    if (f->kind == KL_FRICTION_NONE && (p->mu > 0.0 || p->mu_s > 0.0))
        kl_warn(s->diag, s->place,
                "contact '%s': `mu` has no effect without a friction law; add for example "
                "`friction: stick-slip`",
                s->name);
    if (f->kind != KL_FRICTION_NONE && p->material == 0 && isnan(p->mu) && isnan(p->mu_s))
        kl_warn(s->diag, s->place,
                "contact '%s': `friction` has no effect without a coefficient; add the measured "
                "one, for example `mu: 0.3`, or a `material`",
                s->name);
    if (f->mu_s < f->mu_d)
        return kl_fail(s->diag, KL_E_RANGE, s->place,
                       "contact '%s': mu_static (%g) must not be smaller than mu (%g)", s->name,
                       f->mu_s, f->mu_d);
    if (f->kind == KL_FRICTION_STICK_SLIP && !(f->k_t > 0.0)) {
        /* as stiff as the normal direction at a depth of a millionth of a metre */
        f->k_t = kl_normal_eval(n, 1e-6, 0.0, 0.0).by_depth;
    }
    if (f->kind == KL_FRICTION_RAMP && !(f->v1 > f->v0))
        return kl_fail(
            s->diag, KL_E_RANGE, s->place,
            "contact '%s': `friction: ramp` needs a `full_speed` larger than `stribeck_speed`",
            s->name);
    return KL_OK;
}

static kl_status check_start(const kl_contact_data *p, const kl_setup *s, const kl_pair *q,
                             const kl_spot *t)
{
    double reach = isinf(p->reach) ? fmax(q->a->radius, q->b->radius) : p->reach;
    if (t->gap > -0.2 * reach) return KL_OK;
    return kl_fail(s->diag, KL_E_MODEL, s->place,
                   "contact '%s': the shapes penetrate each other by %.4g m where their bodies are "
                   "described (before assembly and `start`); move the second body by this distance "
                   "along [%.3g, %.3g, %.3g], or the first one back",
                   s->name, -t->gap, t->n.x + 0.0, t->n.y + 0.0, t->n.z + 0.0);
}

kl_status kl_contact_setup(void *data, const kl_setup *s, const kl_motion *m, int nmarker,
                           kl_element_size *size)
{
    kl_contact_data *p       = data;
    bool             swapped = false;
    (void)nmarker;
    if (p->shapes.n != 2) return KL_E_MODEL; /* already reported */
    const kl_solid    *a = &p->shapes.item[0], *b = &p->shapes.item[1];
    const kl_pair_row *row = kl_pair_row_of(a, b, &swapped);
    if (!row)
        return kl_fail(s->diag, KL_E_MODEL, s->place,
                       "contact '%s': the pair %s%s and %s%s is not supported; "
                       "docs/theory/contact.md lists the supported pairs",
                       s->name, a->inside ? "hollow " : "", kl_solid_types[a->kind].name,
                       b->inside ? "hollow " : "", kl_solid_types[b->kind].name);
    p->slots       = slots_of(row, a, b);
    p->numbered    = kl_pair_numbers_places(a, b);
    p->speed_limit = (double)INFINITY;
    p->chain       = a->narc + b->narc > 0;
    kl_vec3 middle;
    p->reach   = fmin(kl_contact_reach(a, &middle), kl_contact_reach(b, &middle));
    kl_pair  q = kl_contact_pair(p, m);
    kl_spots spots;
    kl_pair_find(&q, NULL, &spots);
    const kl_spot *t = kl_spots_nearest(&spots);
    kl_contact_fill(p);
    int slices = a->slices > 0 ? a->slices : b->slices;
    p->laws.share =
        slices > 0 && strcmp(row->way, "hole") == 0 ? 1.0 / slices : kl_contact_share(p, 2);
    double A = 0.0, B = 0.0;
    if (t) kl_pair_curvature(&q, t, &A, &B);
    if (t) KL_TRY(kl_contact_hertz(p, s, A, B));
    KL_TRY(kl_contact_check(p, s));
    if (t) KL_TRY(check_start(p, s, &q, t));
    kl_contact_sizes(p, size);
    return KL_OK;
}

void kl_contact_sizes(const kl_contact_data *p, kl_element_size *size)
{
    size->nh             = KL_CONTACT_HEAD + p->slots * kl_contact_point_size(p);
    size->nz             = p->laws.friction.kind == KL_FRICTION_LUGRE ? 3 * p->slots : 0;
    size->nevent         = kl_contact_events(p);
    size->cache          = sizeof(kl_contact_found);
    size->path_dependent = kl_contact_remembers_path(p);
}
