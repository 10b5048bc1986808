/* What the files of the element `wheel-rail` share. */
#ifndef KL_RAILWAY_WHEEL_RAIL_PARTS_H
#define KL_RAILWAY_WHEEL_RAIL_PARTS_H

#include "geometry/named.h"
#include "model/interface.h"
#include "railway/cone_on_arc.h"
#include "railway/irregularity_resource.h"
#include "railway/profile_resource.h"
#include "railway/rails.h"
#include "railway/track_corners.h"
#include "railway/wheel_force.h"
#include "script/function.h"

typedef enum wheel_sides { BOTH, LEFT, RIGHT } wheel_sides;
typedef enum normal_law { HERTZ, KIK_PIOTROWSKI } normal_law;
typedef enum damping_law { PROPORTIONAL, KELVIN_VOIGT, LANKARANI_NIKRAVESH } damping_law;

/* One wheel on its rail. */
typedef struct wheel_side {
    const kl_named_profile *wheel, *rail; /* NULL: a cone, an arc */
    double                  radius;
    double                  friction; /* over that of the element */
    kl_cone_on_arc          cone;
    kl_contact_search       search;
    kl_contact_search       online; /* the same without a table, for strips of the overlap */
} wheel_side;

typedef struct wheel_rail {
    /* keys */
    int                          side, creep, online, normal, damping_law;
    const kl_named_profile      *wheel, *rail, *wheel_right, *rail_right; /* NULL: not given */
    const kl_named_track        *track;          /* NULL: straight along x of marker 0 */
    const kl_named_irregularity *irregularities; /* NULL: none */
    double                       damping_constant, restitution, impact_speed;
    double                       radius_right, friction_right; /* NaN: as on the left */
    kl_function *widening, *friction_along; /* over the length along the track; NULL: none */
    double       radius, back_to_back, half_gauge, conicity, rail_radius, gauge, inclination;
    double       friction, friction_ratio, friction_decay;
    double       f11, f22, f23, f33;
    double       E, nu, stiffness, damping, speed, speed_floor, kA, kS, grid;
    /* from setup */
    bool    starts_deep; /* a wheel is pressed into its rail at the start by more than its load */
    double  reach;       /* distance within which contacts are found [m]; 0: overlaps only */
    kl_vec3 axle;        /* direction of the axle in the axes of marker 1, to the left */
    wheel_side       one[2]; /* left, right */
    kl_wheel_law     law;
    kl_rails         rails;
    double           s0;      /* length along the track at the start [m] */
    kl_vec3          origin;  /* marker 0 at the start, where the track begins, global [m] */
    kl_track_corners corners; /* of the track */
} wheel_rail;

/* One wheel at one position. */
typedef struct wheel_state {
    int              n;
    bool             searched; /* for contacts, when it stood at `at`; false in a cache of zeros */
    kl_wheel_pose    at;
    kl_touch         touch[KL_TOUCH_MOST];   /* in side axes */
    kl_wheel_contact contact[KL_TOUCH_MOST]; /* in global axes */
} wheel_state;

/* A frame of the track or of one rail, in global axes. */
typedef struct rail_frame {
    kl_vec3 r;
    kl_mat3 A;              /* forward, left, up */
    double  bend_y, bend_z; /* curvature to the left and up [1/m] */
    double  friction;       /* of this rail here, over that of the element */
} rail_frame;

typedef struct wheel_rail_cache {
    bool        known; /* false in a cache of zeros */
    double      s;     /* length along the track [m] */
    double      beyond;
    rail_frame  middle, rail[2]; /* of the track; left, right */
    wheel_state wheel[2];        /* left, right */
    /* not kept with an accepted step: places computed last; the window of a long table lies behind */
    kl_rails_cursor cursor;
} wheel_rail_cache;

static inline bool has_side(const wheel_rail *p, int k)
{
    return p->side == BOTH || p->side - LEFT == k;
}

/* Outward is y of the track times this. */
static inline double side_of(int k) { return k == 0 ? 1.0 : -1.0; }

/* The pose of wheel k against its rail, in side axes. */
kl_wheel_pose kl_wheel_rail_pose(const wheel_rail *p, const kl_motion *m, const rail_frame *rail,
                                 int k);

/* The frames of both rails at c->s. */
kl_status kl_wheel_rail_rails(const wheel_rail *p, const kl_motion *m, wheel_rail_cache *c);

/* A touch in side axes becomes a contact in global axes. */
void kl_wheel_rail_contact(const wheel_rail *p, const rail_frame *rail, int k,
                           const kl_wheel_pose *pose, const kl_touch *t, kl_wheel_contact *c);

/* Force at one contact, from the velocities of the wheel against the rail there. `law` is p->law, or a
 * linearisation of it. */
void kl_wheel_rail_force(const wheel_rail *p, const kl_wheel_law *law, const kl_motion *m,
                         const kl_wheel_contact *c, kl_wheel_force *f);

/* Adds a force at a contact to the wrenches at both markers. */
void kl_wheel_rail_add(const kl_motion *m, kl_vec3 point, const kl_wheel_force *f,
                       double wrench[12]);

/* The outline of the wheel or rail of one side, in its own axes: its profile, or a cone, an arc. */
kl_status kl_wheel_rail_wheel_outline(const wheel_rail *p, const wheel_side *w, kl_arena *arena,
                                      kl_outline *out);
kl_status kl_wheel_rail_rail_outline(const wheel_rail *p, const wheel_side *w, kl_arena *arena,
                                     kl_outline *out);

kl_status kl_wheel_rail_setup(void *data, const kl_setup *s, const kl_motion *m, int nmarker,
                              kl_element_size *size);
/* The same for elastic contact, which does not bring the wheelset onto its rails: it must start on them. */
kl_status kl_wheel_rail_elastic_setup(void *data, const kl_setup *s, const kl_motion *m,
                                      int nmarker, kl_element_size *size);
kl_status kl_wheel_rail_locate(const kl_reading *in, void *cache);
void      kl_wheel_rail_output(const kl_reading *in, const double *lambda, double *values);
void      kl_wheel_rail_tangent(const kl_reading *in, const double *lambda, kl_slopes *out);
void      kl_wheel_rail_watch(const kl_reading *in, kl_notice *notice);

extern const kl_key    kl_wheel_rail_keys[];
extern const kl_output kl_wheel_rail_outputs[];

#endif
