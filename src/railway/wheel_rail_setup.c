/* Keys and set-up of the element `wheel-rail`. */
#include <math.h>
#include <string.h>

#include "model/groups.h"
#include "railway/creep_table.h"
#include "railway/profiles.h"
#include "railway/railway.h"
#include "railway/rolling_radius.h"
#include "railway/touch_search.h"
#include "railway/touch_table.h"
#include "railway/track_place.h"
#include "railway/wheel_rail_keys.h"
#include "railway/wheel_rail_parts.h"

static const double RUNNING_CIRCLE     = 0.07; /* from the inner face of a wheel [m], EN 13715 */
static const double USUAL_RADIUS       = 0.46; /* [m] */
static const double USUAL_BACK_TO_BACK = 1.36; /* [m] */

kl_status kl_wheel_rail_wheel_outline(const wheel_rail *p, const wheel_side *w, kl_arena *arena,
                                      kl_outline *o)
{
    if (!w->wheel) return kl_wheel_cone(p->conicity, 0.12, arena, o);
    *o = w->wheel->outline;
    return KL_OK;
}

kl_status kl_wheel_rail_rail_outline(const wheel_rail *p, const wheel_side *w, kl_arena *arena,
                                     kl_outline *o)
{
    if (!w->rail) return kl_rail_arc(p->rail_radius, 0.07, arena, o);
    *o = w->rail->outline;
    return KL_OK;
}

static bool same_search(const wheel_rail *a, const wheel_side *u, const wheel_rail *b,
                        const wheel_side *v)
{
    return u->wheel == v->wheel && u->rail == v->rail && a->online == b->online &&
           u->radius == v->radius && a->half_gauge == b->half_gauge && a->gauge == b->gauge &&
           a->inclination == b->inclination && a->conicity == b->conicity &&
           a->rail_radius == b->rail_radius && v->search.find;
}

/* The search of a wheel before this one, here or in another element, with the same profiles; NULL:
 * there is none. */
static const wheel_side *search_made(const wheel_rail *p, const wheel_side *w, const kl_setup *s)
{
    int index = s->model ? kl_model_find_element(s->model, s->name) : 0;
    if (w == &p->one[1] && same_search(p, w, p, &p->one[0])) return &p->one[0];
    for (int k = 0; k < 2 * index; k++) {
        const kl_element *e = &s->model->element[k / 2];
        const wheel_rail *q = e->data;
        if (e->type == &kl_wheel_rail && same_search(p, w, q, &q->one[k % 2]))
            return &q->one[k % 2];
    }
    return NULL;
}

/* The general search on profiles, which live in the model's arena. */
static kl_status search_profiles(const wheel_rail *p, wheel_side *w, const kl_setup *s)
{
    const wheel_side *made = search_made(p, w, s);
    if (made) {
        w->search = made->search;
        w->online = made->online;
        return KL_OK;
    }
    kl_outline     *o       = kl_arena_array(s->arena, kl_outline, 3);
    kl_rail_setting setting = {p->gauge, KL_RAIL_SETTING.gauge_depth, p->inclination};
    double          shift[2];
    if (!o) return KL_E_MEMORY;
    KL_TRY(kl_wheel_rail_wheel_outline(p, w, s->arena, &o[0]));
    KL_TRY(kl_wheel_rail_rail_outline(p, w, s->arena, &o[1]));
    KL_TRY(kl_rail_placed(&o[1], &setting, s->arena, &o[2], shift));
    KL_TRY(kl_touch_search_create(&o[0], w->radius, &o[2], shift[0], s->arena, &w->search));
    w->online = w->search;
    if (p->online) return KL_OK;
    return kl_touch_table_create(&w->online, p->half_gauge, s->arena, &w->search);
}

static kl_status check_kinds(const wheel_rail *p, const kl_setup *s)
{
    for (int k = 0; k < 2; k++) {
        const wheel_side *w   = &p->one[k];
        const char       *end = k ? "_right" : "";
        if (w->wheel && w->wheel->kind != KL_PROFILE_WHEEL)
            return kl_fail(
                s->diag, KL_E_MODEL, s->place,
                "wheel-rail '%s': `wheel%s` names a rail profile; give a wheel such as S1002",
                s->name, end);
        if (w->rail && w->rail->kind != KL_PROFILE_RAIL)
            return kl_fail(
                s->diag, KL_E_MODEL, s->place,
                "wheel-rail '%s': `rail%s` names a wheel profile; give a rail such as 60E1",
                s->name, end);
    }
    if (p->track && p->speed != 0.0)
        return kl_fail(s->diag, KL_E_MODEL, s->place,
                       "wheel-rail '%s': on a `track` the bodies themselves move along the track; "
                       "remove `speed` and give the bodies a velocity",
                       s->name);
    return KL_OK;
}

/* The wheels of the body of marker 1, if it is a wheelset; NULL: it is not. */
static const kl_wheels *wheels_of(const kl_setup *s)
{
    int index = s->model ? kl_model_find_element(s->model, s->name) : -1;
    if (index < 0) return NULL;
    const kl_marker *k = &s->model->marker[s->model->element[index].marker + 1];
    const kl_body   *b = &s->model->body[k->body];
    return b->type->wheels ? b->type->wheels(b->data) : NULL;
}

/* What the element does not say of the wheels the wheelset says. */
static void take_wheels(wheel_rail *p, const kl_setup *s)
{
    const kl_wheels *w = wheels_of(s);
    if (w) {
        if (!p->wheel) p->wheel = w->wheel;
        if (!p->wheel_right) p->wheel_right = w->wheel_right;
        if (isnan(p->radius)) p->radius = w->radius;
        if (isnan(p->radius_right)) p->radius_right = w->radius_right;
        if (isnan(p->back_to_back)) p->back_to_back = w->back_to_back;
    }
    if (isnan(p->radius)) p->radius = USUAL_RADIUS;
    if (isnan(p->back_to_back)) p->back_to_back = USUAL_BACK_TO_BACK;
}

/* What is not given for the right side is as on the left. */
static void fill_sides(wheel_rail *p)
{
    p->one[0] = p->one[1] =
        (wheel_side){.wheel = p->wheel, .rail = p->rail, .radius = p->radius, .friction = 1.0};
    wheel_side *right = &p->one[1];
    if (p->wheel_right) right->wheel = p->wheel_right;
    if (p->rail_right) right->rail = p->rail_right;
    if (p->radius_right > 0.0) right->radius = p->radius_right;
    if (p->friction_right >= 0.0 && p->friction > 0.0)
        right->friction = p->friction_right / p->friction;
}

/* Hunt and Crossley's form N = N_e (1 + c d'); c of Lankarani and Nikravesh (1990) is
 * 3 (1 - e^2)/(4 v) for a restitution e after an impact at the speed v. */
static void choose_damping(const wheel_rail *p, kl_wheel_law *law)
{
    double e = p->restitution;
    if (p->damping_law == PROPORTIONAL) return;
    law->damping = 0.0;
    if (p->damping_law == KELVIN_VOIGT) law->constant = p->damping_constant;
    else law->damping = 0.75 * (1.0 - e * e) / p->impact_speed;
}

static kl_status make_search(wheel_rail *p, const kl_setup *s)
{
    take_wheels(p, s);
    fill_sides(p);
    KL_TRY(check_kinds(p, s));
    if (isnan(p->half_gauge)) p->half_gauge = 0.5 * p->back_to_back + RUNNING_CIRCLE;
    for (int k = 0; k < 2; k++) {
        wheel_side *w = &p->one[k];
        if (w->wheel || w->rail) {
            KL_TRY(search_profiles(p, w, s));
            continue;
        }
        w->cone   = kl_cone_on_arc_place(p->conicity, w->radius, p->rail_radius, p->half_gauge);
        w->search = kl_cone_on_arc_search(&w->cone);
    }
    return KL_OK;
}

/* Wheels with flanges on both sides: do they rest on the rails? */
static kl_status check_fit(const wheel_rail *p, const kl_setup *s)
{
    kl_wheelset_on_track w     = {.half = p->half_gauge};
    kl_rolling_state     state = {0};
    for (int k = 0; k < 2; k++) {
        if (!(p->one[k].search.flange_height > 5e-3) || !p->one[k].online.find) return KL_OK;
        w.side[k == 0 ? KL_LEFT : KL_RIGHT] = &p->one[k].online;
    }
    if (!kl_wheelset_rest(&w, 0.0, 0.0, &state)) state.delta_r = (double)NAN;
    char   why[KL_FIT_TEXT];
    kl_fit fit = kl_wheelset_fit(&w, p->gauge, &state, why);
    if (fit == KL_FIT_TIGHT)
        kl_warn(s->diag, s->place,
                "wheel-rail '%s': with running circles %.1f mm apart and gauge %.1f mm %s; check "
                "`gauge` and `back_to_back`",
                s->name, 2e3 * p->half_gauge, 1e3 * p->gauge, why);
    if (fit != KL_FITS_NOT) return KL_OK;
    return kl_fail(s->diag, KL_E_RANGE, s->place,
                   "wheel-rail '%s': the wheelset does not fit the track: with running circles "
                   "%.1f mm apart and gauge %.1f mm %s; change `gauge` or `back_to_back`",
                   s->name, 2e3 * p->half_gauge, 1e3 * p->gauge, why);
}

static bool same_line(const wheel_rail *p, const wheel_rail *q)
{
    return (p->track && p->track == q->track) ||
           (!p->track && !q->track && p->irregularities && p->irregularities == q->irregularities);
}

/* Marker 0 is where the track begins: all wheelsets on a track need it at the same point, else each would
 * run on a track of its own. */
static kl_status check_beginning(wheel_rail *p, const kl_setup *s, const kl_motion *m)
{
    const double near  = 1e-6; /* [m] */
    int          index = s->model ? kl_model_find_element(s->model, s->name) : 0;
    p->origin          = m[0].r;
    for (int k = 0; k < index; k++) {
        const kl_element *e = &s->model->element[k];
        const wheel_rail *q = e->data;
        if (e->type != &kl_wheel_rail || !same_line(p, q)) continue;
        kl_vec3 d = kl_sub(p->origin, q->origin);
        if (kl_norm(d) < near) continue;
        return kl_fail(
            s->diag, KL_E_MODEL, s->place,
            "wheel-rail '%s': its first marker is at [%.6g, %.6g, %.6g] m, but the first marker of "
            "'%s' on the same %s is at [%.6g, %.6g, %.6g] m; the track begins at the first marker, "
            "so use the same one for all, for example `ground.origin`",
            s->name, p->origin.x, p->origin.y, p->origin.z, e->name,
            p->track ? "track" : "irregularities", q->origin.x, q->origin.y, q->origin.z);
    }
    if (p->track && kl_norm(p->origin) > near)
        kl_warn(s->diag, s->place,
                "wheel-rail '%s': the track begins at the first marker, [%.6g, %.6g, %.6g] m, not "
                "at the origin of its own coordinates; use `ground.origin` as the first marker "
                "unless the track is meant to be moved",
                s->name, p->origin.x, p->origin.y, p->origin.z);
    return KL_OK;
}

/* A forgotten place of the second marker is that of the first: the axle would lie on the rails. */
static kl_status check_height(const wheel_rail *p, const kl_setup *s, double height)
{
    if (!(height < 0.5 * p->radius)) return KL_OK;
    return kl_fail(
        s->diag, KL_E_RANGE, s->place,
        "wheel-rail '%s': the middle of the axle is %.0f mm above the rails, but the "
        "wheels have a radius of %.0f mm; write `ground.origin` as the first marker (`ground` "
        "alone is placed where the second one is), and as the second one a marker in the "
        "middle of the axle at the height of the radius, for example `wheelset.centre`",
        s->name, 1e3 * height + 0.0, 1e3 * p->radius);
}

/* Has a wheelset above it the same irregularities? One message says enough for all of a vehicle. */
static bool shares_irregularities(const wheel_rail *p, const kl_setup *s)
{
    int index = s->model ? kl_model_find_element(s->model, s->name) : 0;
    for (int k = 0; k < index; k++) {
        const kl_element *e = &s->model->element[k];
        if (e->type == &kl_wheel_rail &&
            ((const wheel_rail *)e->data)->irregularities == p->irregularities)
            return true;
    }
    return false;
}

/* Irregularities that no wheel meets, or that do not move with the rails under a vehicle. */
static kl_status check_irregularities(const wheel_rail *p, const kl_setup *s, const kl_motion *m)
{
    double first, last, reach = p->s0;
    if (!p->irregularities) return KL_OK;
    if (p->speed != 0.0 && shares_irregularities(p, s)) return KL_E_MODEL;
    if (p->speed != 0.0)
        return kl_fail(s->diag, KL_E_MODEL, s->place,
                       "wheel-rail '%s': irregularities do not move with the rails under the "
                       "wheels (`speed`); let the vehicle travel along the track instead "
                       "(`travel` of the vehicle templates), or remove `irregularities`",
                       s->name);
    if (s->model) reach += fmax(kl_norm(m[1].v) * s->model->settings.end, 100.0);
    if (!kl_irregularity_extent(p->irregularities->irregularity, &first, &last)) return KL_OK;
    if (p->s0 <= last && reach >= first) return KL_OK;
    if (!shares_irregularities(p, s))
        kl_warn(s->diag, s->place,
                "wheel-rail '%s': the irregularities lie from %.6g to %.6g m along the track, but "
                "the wheelset starts at %.6g m and does not meet them; place their first row with "
                "`begin`, for example `begin: %.6g m`",
                s->name, first, last, p->s0, ceil(p->s0 + 20.0));
    return KL_OK;
}

/* Where on the track the wheelset starts. */
static kl_status find_start(wheel_rail *p, const kl_setup *s, const kl_motion *m)
{
    p->rails =
        (kl_rails){.path         = p->track ? p->track->path : NULL,
                   .irregularity = p->irregularities ? p->irregularities->irregularity : NULL,
                   .widening     = p->widening};
    kl_vec3 local = kl_mul_t(&m[0].A, kl_sub(m[1].r, m[0].r));
    p->s0         = local.x;
    if (p->rails.path) KL_TRY(kl_track_place_find(p->rails.path, local, s->arena, &p->s0));
    else KL_TRY(check_height(p, s, local.z));
    KL_TRY(check_irregularities(p, s, m));
    return kl_track_place_check(p->rails.path, local, p->s0, s);
}

/* The spin axis of the body of marker 1, or else the y axis of that marker; to the left. */
static kl_vec3 axle_of(const kl_setup *s, const kl_motion *m)
{
    int     index = s->model ? kl_model_find_element(s->model, s->name) : -1;
    kl_vec3 axle  = kl_vec(0.0, 1.0, 0.0);
    if (index >= 0) {
        const kl_marker *k    = &s->model->marker[s->model->element[index].marker + 1];
        kl_vec3          spin = kl_body_spin(&s->model->body[k->body]);
        if (kl_norm(spin) > 0.0) axle = kl_mul_t(&k->A, spin);
    }
    double left = kl_dot(kl_mul(&m[1].A, axle), kl_axis(&m[0].A, 1));
    return left < 0.0 ? kl_neg(axle) : axle;
}

/* The table of creep forces, one for all wheelsets of a model. */
static kl_status find_creep_table(wheel_rail *p, const kl_setup *s)
{
    int index = s->model ? kl_model_find_element(s->model, s->name) : 0;
    for (int k = 0; k < index && !p->law.options.table; k++) {
        const kl_element *e = &s->model->element[k];
        if (e->type == &kl_wheel_rail)
            p->law.options.table = ((const wheel_rail *)e->data)->law.options.table;
    }
    if (!p->law.options.table) p->law.options.table = kl_creep_table_create(s->arena);
    return p->law.options.table ? KL_OK : KL_E_MEMORY;
}

/* ---- position at the start ---- */

/* The deepest place of wheel k on its rail, at the wheelset raised by `up`; `force`: elastic. */
static double deepest(const wheel_rail *p, const kl_motion *m, const wheel_rail_cache *c, int k,
                      double up, double margin, kl_vec3 *normal, double *force)
{
    kl_touch      touch[KL_TOUCH_MOST];
    kl_wheel_pose pose = kl_wheel_rail_pose(p, m, &c->rail[k], k);
    double        most = -margin;
    pose.center.z += up;
    int n  = p->one[k].search.find(p->one[k].search.data, &pose, margin, NULL, touch);
    *force = 0.0;
    for (int i = 0; i < n; i++) {
        if (touch[i].depth <= most) continue;
        kl_wheel_contact at;
        kl_wheel_rail_contact(p, &c->rail[k], k, &pose, &touch[i], &at);
        most = touch[i].depth, *normal = touch[i].normal, *force = at.elastic;
    }
    return most;
}

/* By how much to raise the wheelset until no wheel is deeper than `usual`. */
static double raise_by(const wheel_rail *p, const kl_motion *m, const wheel_rail_cache *c,
                       double usual)
{
    double up = 0.0, force;
    for (int pass = 0; pass < 20; pass++) {
        double most = 0.0;
        for (int k = 0; k < 2; k++) {
            kl_vec3 n     = {0.0, 0.0, 1.0};
            double  depth = has_side(p, k) ? deepest(p, m, c, k, up, 0.0, &n, &force) : 0.0;
            most          = fmax(most, (depth - usual) / fmax(n.z, 0.1));
        }
        if (most < 1e-6) break;
        up += most;
    }
    return up;
}

/* One note says enough for all wheelsets of a vehicle. */
static bool noted_before(const kl_setup *s)
{
    int index = s->model ? kl_model_find_element(s->model, s->name) : 0;
    for (int k = 0; k < index; k++) {
        const kl_element *e = &s->model->element[k];
        if (e->type == &kl_wheel_rail && ((const wheel_rail *)e->data)->starts_deep) return true;
    }
    return false;
}

/* How a wheelset starts on its rails. Steel on steel of Hertz yields about 0.1 mm under the load of a wheel and 2 mm
 * under a hundred times as much: N = k d^1.5, k = 1e11 N/m^1.5 for a wheel of usual size; depths are in proportion
 * to the radius. */
static kl_status check_position(wheel_rail *p, const kl_setup *s, const kl_motion *m,
                                const wheel_rail_cache *c)
{
    const double usual = 2e-4 * p->radius, much = 4e-4 * p->radius, most = 5e-3 * p->radius,
                 far = 0.05;
    double height    = kl_dot(kl_sub(m[1].r, c->middle.r), kl_axis(&c->middle.A, 2));
    double depth[2] = {-far, -far}, force[2] = {0.0, 0.0};
    if (p->stiffness > 0.0) return KL_OK; /* chosen soft for a purpose */
    for (int k = 0; k < 2; k++) {
        kl_vec3 n;
        if (has_side(p, k)) depth[k] = deepest(p, m, c, k, 0.0, far, &n, &force[k]);
    }
    int         side = depth[1] > depth[0];
    double      deep = depth[side], other = depth[1 - side];
    const char *which = side ? "right" : "left";
    if (deep > most)
        return kl_fail(
            s->diag, KL_E_MODEL, s->place,
            "wheel-rail '%s': the %s wheel starts %.3g mm deep in its rail, where no load "
            "of a vehicle can press it; place the middle of the axle %.5f m above the "
            "rails (now %.5f m); off the track centre keep it within the flange clearance",
            s->name, which, 1e3 * deep, height + raise_by(p, m, c, usual), height);
    /* both wheels alike lift the wheelset a little; one alone tips it */
    p->starts_deep = deep > (other > 0.5 * deep ? 1.5 : 1.0) * much;
    if (p->starts_deep && !noted_before(s))
        kl_note(
            s->diag, s->place,
            "wheel-rail '%s': the %s wheel starts %.2g mm deep in its rail, which presses it with "
            "%.3g kN; for a start without this impact place the middle of the axle %.5f m above "
            "the rails (now %.5f m)",
            s->name, which, 1e3 * deep, 1e-3 * force[side], height + raise_by(p, m, c, usual),
            height);
    if (deep < -0.01 * p->radius)
        kl_note(s->diag, s->place,
                "wheel-rail '%s': the wheels start %s%.3g mm away from the rails and fall on them; "
                "the middle of the axle is %.5g m above the rails, the radius is %.5g m",
                s->name, deep <= -far ? "more than " : "", -1e3 * deep, height, p->radius);
    return KL_OK;
}

static kl_status check_start(wheel_rail *p, const kl_setup *s, const kl_motion *m, size_t cache)
{
    char      *c  = kl_arena_array(s->arena, char, cache);
    kl_reading in = {.data = p, .m = m};
    if (!c) return KL_E_MEMORY;
    if (kl_wheel_rail_locate(&in, c) != KL_OK) return KL_OK; /* the run says why */
    return check_position(p, s, m, (const void *)c);
}

/* All wheels share one table, which is without scale: those of a train would not stay in the processor's cache. */
static const kl_hertz_table *hertz_table(const kl_setup *s)
{
    int index = s->model ? kl_model_find_element(s->model, s->name) : 0;
    for (int k = 0; k < index; k++) {
        const kl_element *e = &s->model->element[k];
        const wheel_rail *q = e->data;
        if (e->type == &kl_wheel_rail && q->law.hertz) return q->law.hertz;
    }
    kl_hertz_table *hertz = kl_arena_array(s->arena, kl_hertz_table, 1);
    if (hertz) kl_hertz_table_fill(hertz);
    return hertz;
}

kl_status kl_wheel_rail_setup(void *data, const kl_setup *s, const kl_motion *m, int nmarker,
                              kl_element_size *size)
{
    (void)nmarker;
    wheel_rail *p = data;
    KL_TRY(make_search(p, s));
    KL_TRY(check_fit(p, s));
    KL_TRY(check_beginning(p, s, m));
    KL_TRY(find_start(p, s, m));
    p->axle                     = axle_of(s, m);
    p->law                      = (kl_wheel_law){.creep       = &kl_creep_laws[p->creep],
                                                 .options     = kl_creep_defaults(),
                                                 .friction    = {p->friction, p->friction_ratio, p->friction_decay},
                                                 .steel       = kl_elastic_same(p->E, p->nu),
                                                 .given       = {p->f11, p->f22, p->f23, p->f33},
                                                 .stiffness   = isnan(p->stiffness) ? 0.0 : p->stiffness,
                                                 .damping     = p->damping,
                                                 .speed_floor = p->speed_floor,
                                                 .flattest    = 0.1};
    const kl_hertz_table *hertz = hertz_table(s);
    if (!hertz) return KL_E_MEMORY;
    choose_damping(p, &p->law);
    if (p->law.creep->force == kl_creep_by_table) KL_TRY(find_creep_table(p, s));
    p->law.hertz          = hertz;
    p->law.options.kA     = p->kA;
    p->law.options.kS     = p->kS;
    p->law.options.strips = p->law.options.cells = (int)p->grid;
    size_t window = p->rails.path ? kl_path_window_bytes(p->rails.path) : 0;
    size->buffer  = sizeof(wheel_rail_cache) - offsetof(wheel_rail_cache, cursor) + window;
    size->cache   = sizeof(wheel_rail_cache) + window;
    return KL_OK;
}

kl_status kl_wheel_rail_elastic_setup(void *data, const kl_setup *s, const kl_motion *m,
                                      int nmarker, kl_element_size *size)
{
    wheel_rail *p = data;
    KL_TRY(kl_wheel_rail_setup(data, s, m, nmarker, size));
    if (p->track)
        KL_TRY(kl_track_corners_find(p->rails.path, p->half_gauge, s->arena, &p->corners));
    size->nevent = p->corners.n > 0;
    return check_start(data, s, m, size->cache);
}

#define NUMBER KL_WHEEL_RAIL_NUMBER

const kl_key kl_wheel_rail_keys[] = {
    {.name     = "side",
     .kind     = KL_KEY_WORD,
     .offset   = offsetof(wheel_rail, side),
     .words    = "both left right",
     .fallback = "both",
     .help = "wheels of the body: both for a wheelset, left or right for an independently rotating "
             "wheel"},
    KL_WHEEL_RAIL_WHEELS,
    KL_WHEEL_RAIL_PROFILE(wheel_right, "profile of the right wheel, if it differs from `wheel`"),
    KL_WHEEL_RAIL_PROFILE(rail_right, "profile of the right rail, if it differs from `rail`"),
    NUMBER("radius_right", radius_right, "m", "", 0.05, 2.0,
           "radius of the right wheel, if it differs from `radius`"),
    {.name     = "widening",
     .kind     = KL_KEY_FUNCTION,
     .offset   = offsetof(wheel_rail, widening),
     .unit     = "m",
     .by       = "m",
     .fallback = "",
     .help     = "gauge widening: a number, or a table over the length along the track"},
    {.name     = "friction_along",
     .kind     = KL_KEY_FUNCTION,
     .offset   = offsetof(wheel_rail, friction_along),
     .unit     = "1",
     .by       = "m",
     .fallback = "",
     .help     = "factor of the friction coefficients: a table over the length along the track"},
    NUMBER("friction_right", friction_right, "1", "", 0.0, 10.0,
           "friction coefficient on the right rail, if it differs from `friction`"),
    {.name     = "search",
     .kind     = KL_KEY_WORD,
     .offset   = offsetof(wheel_rail, online),
     .words    = "table online",
     .fallback = "table",
     .help = "search of the contact points: from a table computed at the start of the run, or a "
             "full search each time, which finds the same points and is three times slower"},
    {.name     = "track",
     .kind     = KL_KEY_RESOURCE,
     .offset   = offsetof(wheel_rail, track),
     .words    = "tracks",
     .fallback = "",
     .help     = "the track named under `tracks`; default: straight along x of the first marker"},
    {.name     = "irregularities",
     .kind     = KL_KEY_RESOURCE,
     .offset   = offsetof(wheel_rail, irregularities),
     .words    = "irregularities",
     .fallback = "",
     .help     = "irregularities of the rails, a name under `irregularities`"},
    KL_WHEEL_RAIL_TRACK,
    {.name     = "creep",
     .kind     = KL_KEY_WORD,
     .offset   = offsetof(wheel_rail, creep),
     .words    = "linear heuristic polach fastsim table",
     .fallback = "fastsim",
     .help = "law of the creep force; table: interpolated in a table that fastsim computed with a "
             "very fine grid"},
    NUMBER("grid", grid, "1", "10", 1.0, 100.0,
           "number of strips of fastsim, and of cells per strip"),
    NUMBER("kA", kA, "1", "1", 0.0, 1.0, "polach: reduction factor in the adhesion area"),
    NUMBER("kS", kS, "1", "1", 0.0, 1.0, "polach: reduction factor in the slip area"),
    NUMBER("friction", friction, "1", "0.3", 0.0, 10.0, "friction coefficient at small slip"),
    NUMBER("friction_ratio", friction_ratio, "1", "1", 0.0, 1.0,
           "ratio of friction at large slip velocity to friction at small slip"),
    NUMBER("friction_decay", friction_decay, "s/m", "0", 0.0, 10.0,
           "decrease of friction with slip velocity (B of Polach 2005)"),
    NUMBER("f11", f11, "N", "", 0.0, 1e300, "longitudinal creep coefficient instead of Kalker's"),
    NUMBER("f22", f22, "N", "", 0.0, 1e300, "lateral creep coefficient instead of Kalker's"),
    NUMBER("f23", f23, "N m", "", -1e300, 1e300, "spin creep coefficient instead of Kalker's"),
    NUMBER("f33", f33, "N m2", "", 0.0, 1e300, "spin moment coefficient instead of Kalker's"),
    NUMBER("young", E, "Pa", "210e9", 1.0, 1e300, "Young's modulus of wheel and rail"),
    NUMBER("poisson", nu, "1", "0.28", 0.0, 0.5, "Poisson's ratio of wheel and rail"),
    NUMBER("stiffness", stiffness, "N/m", "", 0.0, 1e300,
           "constant normal stiffness of a contact instead of Hertz"),
    NUMBER("damping", damping, "s/m", "1", 0.0, 10.0,
           "c of N = k d^1.5 (1 + c d'), with the approach speed d'"),
    {.name     = "normal",
     .kind     = KL_KEY_WORD,
     .offset   = offsetof(wheel_rail, normal),
     .words    = "hertz kik-piotrowski",
     .fallback = "hertz",
     .help = "normal force: ellipses of Hertz, or patches from the overlap of the profiles, for "
             "conformal and worn pairs; slower"},
    {.name     = "damping_law",
     .kind     = KL_KEY_WORD,
     .offset   = offsetof(wheel_rail, damping_law),
     .words    = "proportional kelvin-voigt lankarani-nikravesh",
     .fallback = "proportional",
     .help     = "damping of the contact: by `damping`; by `damping_constant`; or by `restitution` "
                 "after an impact at `impact_speed`"},
    NUMBER("damping_constant", damping_constant, "N s/m", "0", 0.0, 1e300,
           "kelvin-voigt: damping force over approach speed, from 5 micrometres of penetration on"),
    NUMBER("restitution", restitution, "1", "0.5", 0.0, 1.0,
           "lankarani-nikravesh: coefficient of restitution"),
    NUMBER("impact_speed", impact_speed, "m/s", "0.1", 1e-6, 1e300,
           "lankarani-nikravesh: approach speed at which the restitution holds"),
    KL_WHEEL_RAIL_SPEED,
    {0}};
