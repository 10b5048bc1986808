/* A wheelset, or one wheel, on the rails.
 *
 * Marker 0 is on the track: x along it, y to the left, z up, its origin in the middle of the track on
 * the plane of the rail tops. Marker 1 is on the wheelset in the middle of the axle, which is the spin
 * axis of its body, or the y axis of the marker where the body has none. It takes part in the spin.
 *
 * `locate` finds where the surfaces overlap, and from the curvatures there the ellipse, the elastic
 * force and Kalker's coefficients. `eval` adds what depends on velocities: damping and creepages,
 * taken from the true velocities of both bodies at the contact. With `speed` the track runs backwards
 * under the model, which so is in a frame that runs along with the vehicle. */
#include <math.h>
#include <string.h>

#include "base/rotation.h"
#include "railway/kik_piotrowski.h"
#include "railway/railway.h"
#include "railway/track_place.h"
#include "railway/wheel_rail_parts.h"

/* ---- position ---- */

static kl_vec3 mirrored(kl_vec3 a, double side) { return kl_vec(a.x, side * a.y, a.z); }

/* The normal force and an ellipse of the same area and width, from the overlap of the profiles. */
static void use_overlap(const wheel_rail *p, int k, const kl_wheel_pose *pose, const kl_touch *t,
                        kl_wheel_contact *c)
{
    kl_overlap_patch patch;
    if (!kl_kik_piotrowski(&p->one[k].online, pose, t, p->law.steel.E, &patch)) return;
    c->elastic = patch.N;
    c->energy  = 0.4 * patch.N * t->depth;
    c->b       = 0.5 * (patch.outer - patch.inner);
    c->a       = patch.area / (KL_PI * c->b);
    c->c       = kl_wheel_coefficients(&p->law, c->a / c->b, c->a, c->b);
}

void kl_wheel_rail_contact(const wheel_rail *p, const rail_frame *rail, int k,
                           const kl_wheel_pose *pose, const kl_touch *t, kl_wheel_contact *c)
{
    kl_touch out  = *t;
    double   side = side_of(k);
    out.wheel     = kl_add(rail->r, kl_mul(&rail->A, mirrored(t->wheel, side)));
    out.normal    = kl_mul(&rail->A, mirrored(t->normal, side));
    kl_wheel_contact_of(&p->law, &out, kl_axis(&rail->A, 0), c);
    c->friction = rail->friction;
    if (p->normal == KIK_PIOTROWSKI) use_overlap(p, k, pose, t, c);
}

kl_wheel_pose kl_wheel_rail_pose(const wheel_rail *p, const kl_motion *m, const rail_frame *rail,
                                 int k)
{
    double  side   = side_of(k);
    kl_vec3 center = kl_mul_t(&rail->A, kl_sub(m[1].r, rail->r));
    kl_vec3 axle   = kl_mul_t(&rail->A, kl_mul(&m[1].A, p->axle));
    return (kl_wheel_pose){.center = mirrored(kl_axpy(side * p->half_gauge, axle, center), side),
                           .axle   = mirrored(kl_scale(side, axle), side),
                           .bend_y = side * rail->bend_y,
                           .bend_z = rail->bend_z};
}

/* Has a wheel moved so little since contacts were searched that they can be followed, as in the iterations
 * of one step? A contact that begins on the way is missed only while it is less deep than NEAR: of a usual
 * penetration of 60 um that is a share of 5e-3, and of the force 4e-4. */
static bool still_near(const wheel_state *w, const kl_wheel_pose *pose)
{
    const double NEAR = 3e-7; /* [m], and the same for the axle's unit vector */
    if (!w->searched || w->n == 0) return false;
    kl_vec3 d = kl_sub(pose->center, w->at.center), e = kl_sub(pose->axle, w->at.axle);
    return kl_dot(d, d) + kl_dot(e, e) < NEAR * NEAR;
}

static void find_contacts(const wheel_rail *p, const kl_motion *m, const rail_frame *rail, int k,
                          wheel_state *w)
{
    const kl_contact_search *search = &p->one[k].search;
    kl_wheel_pose            pose   = kl_wheel_rail_pose(p, m, rail, k);
    if (still_near(w, &pose)) {
        search->follow(search->data, &pose, w->touch, w->n);
    } else {
        w->n        = search->find(search->data, &pose, p->reach, NULL, w->touch);
        w->at       = pose;
        w->searched = true;
    }
    kl_touch_shares(w->touch, w->n);
    for (int i = 0; i < w->n; i++)
        kl_wheel_rail_contact(p, rail, k, &pose, &w->touch[i], &w->contact[i]);
}

static void find_all_contacts(const wheel_rail *p, const kl_motion *m, wheel_rail_cache *c)
{
    for (int k = 0; k < 2; k++)
        if (has_side(p, k)) find_contacts(p, m, &c->rail[k], k, &c->wheel[k]);
        else c->wheel[k].n = 0;
}

/* A frame seen from marker 0, in global axes. */
static rail_frame in_space(const kl_motion *m, const kl_rail_point *at)
{
    return (rail_frame){.r      = kl_add(m->r, kl_mul(&m->A, at->r)),
                        .A      = kl_matmul(&m->A, &at->A),
                        .bend_y = at->bend_y,
                        .bend_z = at->bend_z};
}

/* About how far along the track the wheelset is, by the frame at the last accepted place: beside a bent track
 * (at y, z) the way is 1 - bend_y y - bend_z z times that of the track. */
static double place_ahead(const kl_motion *m, const wheel_rail_cache *last)
{
    kl_vec3 d     = kl_mul_t(&last->middle.A, kl_sub(m[1].r, last->middle.r));
    double  share = 1.0 - last->middle.bend_y * d.y - last->middle.bend_z * d.z;
    return last->s + d.x / fmax(share, 0.5);
}

/* Speed of the place abreast of the wheelset along the track. */
static double speed_along(const kl_motion *m, const rail_frame *middle)
{
    kl_vec3 d     = kl_mul_t(&middle->A, kl_sub(m[1].r, middle->r));
    double  share = 1.0 - middle->bend_y * d.y - middle->bend_z * d.z;
    kl_vec3 track = kl_add(m[0].v, kl_cross(m[0].w, kl_sub(m[1].r, m[0].r)));
    return kl_dot(kl_sub(m[1].v, track), kl_axis(&middle->A, 0)) / fmax(share, 0.5);
}

/* The place of the track abreast of the wheelset, from the last accepted one. */
static kl_status find_place(const wheel_rail *p, const kl_motion *m, wheel_rail_cache *c)
{
    kl_vec3       local = kl_mul_t(&m[0].A, kl_sub(m[1].r, m[0].r));
    kl_rail_point at;
    KL_TRY(kl_track_abreast(p->rails.path, local, &c->cursor, &c->s, &at));
    c->middle = in_space(&m[0], &at);
    return KL_OK;
}

/* Friction of a rail at length s, over that of the element. */
static double friction_at(const wheel_rail *p, int k, double s)
{
    double along[3] = {1.0, 0.0, 0.0};
    if (p->friction_along) kl_function_eval(p->friction_along, s, NULL, along);
    return p->one[k].friction * along[0];
}

kl_status kl_wheel_rail_rails(const wheel_rail *p, const kl_motion *m, wheel_rail_cache *c)
{
    for (int k = 0; k < 2; k++) {
        kl_rail_point at;
        KL_TRY(kl_rail_at(&p->rails, k == 0 ? 1 : -1, c->s, &c->cursor, &at));
        c->rail[k]          = in_space(&m[0], &at);
        c->rail[k].friction = friction_at(p, k, c->s);
    }
    return KL_OK;
}

/* Without a track the rails are straight along x of marker 0, and the same everywhere. */
static void straight_rails(const wheel_rail *p, const kl_motion *m, wheel_rail_cache *c)
{
    c->s       = kl_dot(kl_sub(m[1].r, m[0].r), kl_axis(&m[0].A, 0));
    c->middle  = (rail_frame){.r = kl_axpy(c->s, kl_axis(&m[0].A, 0), m[0].r), .A = m[0].A};
    c->rail[0] = c->rail[1] = c->middle;
    for (int k = 0; k < 2; k++) c->rail[k].friction = friction_at(p, k, c->s);
}

kl_status kl_wheel_rail_locate(const kl_reading *in, void *cache)
{
    const wheel_rail       *p    = in->data;
    wheel_rail_cache       *c    = cache;
    const wheel_rail_cache *last = in->accepted;
    if (p->track || p->irregularities || p->widening) {
        if (p->rails.path) kl_path_cursor_place(p->rails.path, c + 1, &c->cursor.path);
        c->s = last && last->known ? place_ahead(in->m, last) : p->s0;
        KL_TRY(find_place(p, in->m, c));
        KL_TRY(kl_wheel_rail_rails(p, in->m, c));
    } else {
        straight_rails(p, in->m, c);
    }
    c->known = true;
    find_all_contacts(p, in->m, c);
    return KL_OK;
}

/* ---- forces ---- */

void kl_wheel_rail_force(const wheel_rail *p, const kl_wheel_law *law, const kl_motion *m,
                         const kl_wheel_contact *c, kl_wheel_force *f)
{
    kl_vec3 d = kl_sub(m[1].r, m[0].r), w = kl_sub(m[1].w, m[0].w);
    kl_vec3 centre = kl_sub(kl_sub(m[1].v, m[0].v), kl_cross(m[0].w, d));
    centre         = kl_axpy(p->speed, c->x, centre);
    kl_vec3 wheel  = kl_add(centre, kl_cross(w, kl_sub(c->point, m[1].r)));
    kl_wheel_force_at(law, c, wheel, w, kl_dot(centre, c->x), f);
}

/* Adds force and moment at `at` (from the marker) to a wrench. */
static void add_wrench(double *wrench, kl_vec3 at, kl_vec3 force, kl_vec3 moment, double sign)
{
    kl_vec3 total = kl_add(moment, kl_cross(at, force));
    kl_store(wrench, kl_axpy(sign, force, kl_load(wrench)));
    kl_store(wrench + 3, kl_axpy(sign, total, kl_load(wrench + 3)));
}

void kl_wheel_rail_add(const kl_motion *m, kl_vec3 point, const kl_wheel_force *f,
                       double wrench[12])
{
    add_wrench(wrench, kl_sub(point, m[0].r), f->force, f->moment, -1.0);
    add_wrench(wrench + 6, kl_sub(point, m[1].r), f->force, f->moment, 1.0);
}

static void add_forces(const wheel_rail *p, const kl_motion *m, const wheel_rail_cache *c,
                       kl_writing *out)
{
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < c->wheel[k].n; i++) {
            const kl_wheel_contact *at = &c->wheel[k].contact[i];
            kl_wheel_force          f;
            kl_wheel_rail_force(p, &p->law, m, at, &f);
            kl_wheel_rail_add(m, at->point, &f, out->wrench);
            out->loss += f.loss;
            /* the track may run; and elastic work comes back, though not as that of a potential:
             * the stiffness of Hertz changes with the place of contact */
            out->supply -= p->speed * kl_dot(f.force, at->x) + at->share * at->elastic * f.approach;
        }
}

static kl_status wheel_rail_eval(const kl_reading *in, kl_writing *out)
{
    add_forces(in->data, in->m, in->cache, out);
    return KL_OK;
}

/* The place along the track, as a function with a zero at each corner. A step that went over a corner would miss
 * what the wheels do there: they follow the rail within its rounding, and accelerations are small again at its
 * end. */
static void wheel_rail_crossings(const kl_reading *in, kl_crossing *out)
{
    const double            close = 1e-5; /* [m] */
    const wheel_rail       *p     = in->data;
    const wheel_rail_cache *c     = in->cache;
    double                  slope, value = kl_track_corners_value(&p->corners, c->s, &slope);
    out[0] = (kl_crossing){.value     = value,
                           .rate      = slope * speed_along(in->m, &c->middle),
                           .tolerance = close,
                           .kind      = p->corners.sharp ? KL_CROSSING_JUMP : KL_CROSSING_KINK};
}

const kl_element_type kl_wheel_rail = {
    .name     = "wheel-rail",
    .help     = "a wheelset on the rails: contact search, Hertz, creep forces",
    .equation = "N = k d^1.5 (1 + c d'), Fx = -mu N f(G a b xi/(mu N), ...) by the creep law",
    .example =
        "rails: {type: wheel-rail, between: [ground, wheelset], at: [[0, 0, 0], [0, 0, 0.46]], "
        "radius: 0.46, conicity: 0.05, rail_radius: 0.3, speed: 20 m/s}",
    .keys             = kl_wheel_rail_keys,
    .outputs          = kl_wheel_rail_outputs,
    .attach           = &kl_attach_pair,
    .rolls            = 1u << 1,
    .velocities_relax = true,
    .data_size        = sizeof(wheel_rail),
    .setup            = kl_wheel_rail_elastic_setup,
    .locate           = kl_wheel_rail_locate,
    .eval             = wheel_rail_eval,
    .tangent          = kl_wheel_rail_tangent,
    .crossings        = wheel_rail_crossings,
    .output           = kl_wheel_rail_output,
    .watch            = kl_wheel_rail_watch};
