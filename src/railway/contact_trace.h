/* The trace of a wheel on a rail, as the ways to search along it share it (touch_search.h has the
 * theory): points of the wheel that may touch, their penetration, and the contact made of one. */
#ifndef KL_RAILWAY_CONTACT_TRACE_H
#define KL_RAILWAY_CONTACT_TRACE_H

#include <math.h>

#include "railway/distance_grid.h"
#include "railway/wheel_rail.h"

/* One joint of the wheel's outline, ready for the trace. */
typedef struct kl_trace_joint {
    double u, r;   /* along the axle from the taping line, from the axle [m] */
    double nu, nr; /* outward normal of the surface along the axle and away from it */
    double slope;  /* nu/nr; 0 on a face square to the axle */
} kl_trace_joint;

/* BLOCK pieces of the wheel that are left out together when they are far from the rail. */
typedef struct kl_trace_block {
    int    first, last; /* joints */
    double bend;        /* largest curvature [1/m], at least 0 */
} kl_trace_block;

enum { KL_RAIL_BLOCK = 8 };

/* Least and largest curvature of a piece [1/m]. */
typedef struct kl_trace_bend {
    double low, high;
} kl_trace_bend;

typedef struct kl_trace_data {
    const kl_outline *wheel, *rail;
    double            r0, rail_shift;
    double flange_u, tip_u; /* where the flange and its back begin, towards the track [m] */
    int    njoint, nblock;
    kl_trace_joint  *joint; /* njoint */
    kl_trace_block  *block;
    kl_distance_grid grid;
    bool             by_table;    /* penetrations on the way to a contact from the grid */
    double          *rail_block;  /* the same of KL_RAIL_BLOCK pieces and their neighbours */
    double           rail_convex; /* largest curvature of the rail where it is convex [1/m] */
    kl_trace_bend   *wheel_bend, *rail_bend;     /* of each piece */
    unsigned char   *wheel_corner, *rail_corner; /* does the tangent jump where a piece begins? */
} kl_trace_data;

/* The wheel's position and axes as the trace needs them. */
typedef struct kl_trace_stand {
    kl_vec3 c, a;   /* point of the axle, its direction */
    kl_vec3 b1, b2; /* square to the axle: forward, down */
    double  yaw;    /* tangent of the yaw angle */
    double  q;      /* x component of b1 */
} kl_trace_stand;

/* A point of the trace with the wheel's normal there, which has no x component. */
typedef struct kl_trace_point {
    double y, z, ny, nz;
    double sin, cos; /* of the lead angle; cos = 0: this circle has no such point */
} kl_trace_point;

/* What is known at one place of the wheel's outline. */
typedef struct kl_trace_node {
    double           w;    /* piece + t */
    double           d;    /* penetration [m] */
    double           f;    /* its rate by length along the trace: zero at a contact */
    kl_outline_place foot; /* nearest place of the rail */
    kl_trace_point   p;
} kl_trace_node;

/* The contacts of one position while they are being found. */
typedef struct kl_trace_found {
    const kl_trace_data *f;
    const kl_wheel_pose *pose;
    kl_trace_stand       s;
    double               margin;
    kl_touch            *touch;
    int                  n;
} kl_trace_found;

kl_trace_stand kl_trace_stand_of(const kl_wheel_pose *pose);

static inline void kl_trace_point_at(const kl_trace_stand *w, const kl_trace_joint *j,
                                     kl_trace_point *p)
{
    double sin = -j->slope * w->yaw, rest = 1.0 - sin * sin;
    /* a face square to the axle is touched all round when there is no yaw */
    if (j->nr == 0.0) rest = w->yaw == 0.0;
    double cos = rest > 0.0 ? sqrt(rest) : 0.0;
    if (!(rest > 0.0)) sin = 0.0;
    double ey = sin * w->b1.y + cos * w->b2.y, ez = sin * w->b1.z + cos * w->b2.z;
    p->sin = sin, p->cos = cos;
    p->y  = w->c.y + j->u * w->a.y + j->r * ey;
    p->z  = w->c.z + j->u * w->a.z + j->r * ez;
    p->ny = j->nu * w->a.y + j->nr * ey;
    p->nz = j->nu * w->a.z + j->nr * ez;
}

static inline kl_trace_point kl_trace_at(const kl_trace_stand *w, const kl_trace_joint *j)
{
    kl_trace_point p;
    kl_trace_point_at(w, j, &p);
    return p;
}

/* The place on the wheel at w = piece + t. */
static inline kl_outline_place kl_trace_place(const kl_trace_data *f, double w)
{
    int i = w >= f->wheel->n ? f->wheel->n - 1 : (int)w;
    return (kl_outline_place){i, w - i};
}

static inline kl_trace_joint kl_trace_joint_of(const kl_trace_data *f, const kl_outline_point *o)
{
    return (kl_trace_joint){.u     = o->y,
                            .r     = f->r0 - o->z,
                            .nu    = o->tz,
                            .nr    = o->ty > 0.0 ? o->ty : 0.0,
                            .slope = o->ty > 0.0 ? o->tz / o->ty : 0.0};
}

static inline kl_trace_joint kl_trace_joint_at(const kl_trace_data *f, kl_outline_place p)
{
    kl_outline_point o = kl_outline_at(f->wheel, p);
    return kl_trace_joint_of(f, &o);
}

/* Nearest place of the rail, penetration and its rate; n->foot is the start. */
void kl_trace_measure(const kl_trace_data *f, kl_trace_node *n);

/* The same from the grid with f->by_table, where that is good enough. */
static inline void kl_trace_look(const kl_trace_data *f, kl_trace_node *n)
{
    double ny, nz;
    int    piece;
    if (!f->by_table || !kl_distance_near(&f->grid, n->p.y, n->p.z, &n->d, &ny, &nz, &piece)) {
        kl_trace_measure(f, n);
        return;
    }
    n->foot = (kl_outline_place){piece, 0.5};
    n->f    = ny * n->p.nz - nz * n->p.ny;
}

kl_trace_node kl_trace_node_at(const kl_trace_data *f, const kl_trace_stand *s, double w,
                               kl_outline_place foot);

/* Root of f between a (f > 0) and b (f <= 0), which may come from the grid; the root is exact. */
kl_trace_node kl_trace_root(const kl_trace_data *f, const kl_trace_stand *s, kl_trace_node a,
                            kl_trace_node b);

/* Curvatures of the gap at a place where the tangents agree; false where the surfaces do not part. */
bool kl_trace_curvatures(const kl_trace_data *f, const kl_trace_stand *s, const kl_trace_node *n,
                         const kl_wheel_pose *pose, kl_touch *t);

/* Newton's method for a contact from the places n->w and n->foot; false: none is near, and n is
 * somewhere on the way. */
bool kl_trace_newton(const kl_trace_data *f, const kl_trace_stand *s, const kl_wheel_pose *pose,
                     kl_trace_node *n);

/* The contact at a root, without curvatures. */
kl_touch kl_trace_touch(const kl_trace_data *f, const kl_trace_stand *s, const kl_trace_node *n,
                        const kl_trace_joint *j);

/* The wheel as seen from the rail's section at `x` of the pose's axes: there a bent rail is a prism. */
kl_trace_stand kl_trace_section(const kl_wheel_pose *pose, double x);

/* x of a point of the trace [m]. */
static inline double kl_trace_x(const kl_trace_stand *s, const kl_trace_joint *j,
                                const kl_trace_point *p)
{
    return s->c.x + j->u * s->a.x + j->r * p->sin * s->q;
}

static inline bool kl_trace_bent(const kl_wheel_pose *pose)
{
    return pose->bend_y != 0.0 || pose->bend_z != 0.0;
}

/* A contact at node n of the section at x, in the axes of the pose; false where the surfaces do not
 * part. */
bool kl_trace_contact(const kl_trace_data *f, const kl_wheel_pose *pose, const kl_trace_stand *s,
                      const kl_trace_node *n, double x, kl_touch *t);

/* A contact at an end of the wheel's outline. */
kl_touch kl_trace_edge(const kl_trace_data *f, const kl_trace_stand *s, const kl_trace_node *n);

/* The valleys between the contacts of one wheel, found anew. */
void kl_trace_valleys(const kl_trace_data *f, const kl_wheel_pose *pose, kl_touch *touch, int n);

/* kl_contact_search.follow of searches on outlines; `data` is kl_trace_data. */
void kl_trace_follow(const void *data, const kl_wheel_pose *pose, kl_touch *touch, int n);

/* Adds a contact to those found, sorted by wheel_u; of too many the shallowest is lost. */
void kl_trace_keep(kl_trace_found *q, const kl_touch *t);

/* Finds all contacts between two joints of the wheel. */
void kl_touch_find_between(kl_trace_found *q, int first, int last);

/* Makes a contact of a root, if the surfaces part there, and keeps it. */
void kl_trace_accept(kl_trace_found *q, kl_trace_node n);

/* The same of a root that was found in the section `s` at x. */
void kl_trace_accept_near(kl_trace_found *q, kl_trace_node n, kl_trace_stand s, double x);

#endif
