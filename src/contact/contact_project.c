#include "contact/contact_project.h"

#include <math.h>

#include "contact/contact_mesh.h"
#include "geometry/nearest.h"

/* From the nearest point `foot` and whether p lies inside; n where p is on the surface: `fallback`. */
static void from_foot(kl_vec3 p, kl_vec3 foot, bool inside, kl_vec3 fallback, kl_offset *out)
{
    kl_vec3 d    = kl_sub(p, foot);
    double  size = kl_norm(d), sign = inside ? -1.0 : 1.0;
    out->d    = sign * size;
    out->n    = size > 1e-300 ? kl_scale(sign / size, d) : fallback;
    out->foot = foot;
}

void kl_sphere_project(const kl_solid *s, kl_vec3 p, kl_offset *out)
{
    double  rho = kl_norm(p), sign = s->inside ? -1.0 : 1.0;
    kl_vec3 e = rho > 0.0 ? kl_scale(1.0 / rho, p) : kl_vec(0, 0, -1);
    out->d    = sign * (rho - s->radius);
    out->n    = kl_scale(sign, e);
    out->foot = kl_scale(s->radius, e);
}

void kl_plane_project(const kl_solid *s, kl_vec3 p, kl_offset *out)
{
    (void)s;
    out->d    = p.z;
    out->n    = kl_vec(0, 0, 1);
    out->foot = kl_vec(p.x, p.y, 0);
}

void kl_capsule_project(const kl_solid *s, kl_vec3 p, kl_offset *out)
{
    kl_vec3 c = kl_vec(0, 0, fmin(fmax(p.z, -s->half), s->half)), d = kl_sub(p, c);
    double  rho = kl_norm(d);
    out->n      = rho > 0.0 ? kl_scale(1.0 / rho, d) : kl_vec(1, 0, 0);
    out->d      = rho - s->radius;
    out->foot   = kl_axpy(s->radius, out->n, c);
}

/* A point (x, y) of a meridian plane against the outline of a solid of revolution: n corners of a
 * convex polygon from the axis back to the axis, material on its left. */
static void outline(const double corner[][2], int n, double x, double y, double foot[2],
                    bool *inside)
{
    double best = (double)INFINITY;
    *inside     = true;
    for (int i = 0; i + 1 < n; i++) {
        const double *a = corner[i], *b = corner[i + 1];
        double        ex = b[0] - a[0], ey = b[1] - a[1], l = ex * ex + ey * ey;
        if (l == 0.0) continue;
        double t  = fmin(fmax(((x - a[0]) * ex + (y - a[1]) * ey) / l, 0.0), 1.0);
        double fx = a[0] + t * ex, fy = a[1] + t * ey, d = hypot(x - fx, y - fy);
        if (ex * (y - a[1]) - ey * (x - a[0]) < 0.0) *inside = false;
        if (d < best) best = d, foot[0] = fx, foot[1] = fy;
    }
}

static void revolve_outline(const double corner[][2], int n, kl_vec3 p, kl_offset *out)
{
    double  rho = hypot(p.x, p.y), foot[2] = {0, 0};
    kl_vec3 e = rho > 0.0 ? kl_vec(p.x / rho, p.y / rho, 0) : kl_vec(1, 0, 0);
    bool    inside;
    outline(corner, n, rho, p.z, foot, &inside);
    kl_vec3 f = kl_vec(foot[0] * e.x, foot[0] * e.y, foot[1]);
    from_foot(p, f, inside, e, out);
}

/* the wall of a hole; beyond its mouths the nearest point is on their edge */
static void hole_project(const kl_solid *s, kl_vec3 p, kl_offset *out)
{
    double  rho = hypot(p.x, p.y), z = fmin(fmax(p.z, -s->half), s->half);
    kl_vec3 e    = rho > 0.0 ? kl_vec(p.x / rho, p.y / rho, 0) : kl_vec(1, 0, 0);
    kl_vec3 foot = kl_vec(s->radius * e.x, s->radius * e.y, z);
    from_foot(p, foot, z == p.z && rho > s->radius, kl_neg(e), out);
}

void kl_cylinder_project(const kl_solid *s, kl_vec3 p, kl_offset *out)
{
    const double corner[][2] = {
        {0, -s->half}, {s->radius, -s->half}, {s->radius, s->half}, {0, s->half}};
    if (s->inside) hole_project(s, p, out);
    else revolve_outline(corner, 4, p, out);
}

void kl_cone_project(const kl_solid *s, kl_vec3 p, kl_offset *out)
{
    const double corner[][2] = {
        {0, -s->half}, {s->radius, -s->half}, {s->tube, s->half}, {0, s->half}};
    revolve_outline(corner, 4, p, out);
}

void kl_box_project(const kl_solid *s, kl_vec3 p, kl_offset *out)
{
    double x[3] = {p.x, p.y, p.z}, h[3] = {s->size.x, s->size.y, s->size.z}, f[3], n[3] = {0};
    bool   inside = true;
    int    near   = 0;
    for (int i = 0; i < 3; i++) {
        f[i] = fmin(fmax(x[i], -h[i]), h[i]);
        if (f[i] != x[i]) inside = false;
        if (h[i] - fabs(x[i]) < h[near] - fabs(x[near])) near = i;
    }
    if (inside) f[near] = x[near] < 0.0 ? -h[near] : h[near];
    n[near] = x[near] < 0.0 ? -1.0 : 1.0;
    from_foot(p, kl_load(f), inside, kl_load(n), out);
}

void kl_torus_project(const kl_solid *s, kl_vec3 p, kl_offset *out)
{
    double  rho = hypot(p.x, p.y);
    kl_vec3 e   = rho > 0.0 ? kl_vec(p.x / rho, p.y / rho, 0) : kl_vec(1, 0, 0);
    kl_vec3 c = kl_scale(s->radius, e), d = kl_sub(p, c);
    double  l = kl_norm(d);
    out->n    = l > 0.0 ? kl_scale(1.0 / l, d) : e;
    out->d    = l - s->tube;
    out->foot = kl_axpy(s->tube, out->n, c);
}

/* The foot is x_i = a_i^2 p_i/(t + a_i^2) with sum (a_i p_i/(t + a_i^2))^2 = 1, t > -min a^2: the
 * function falls and is convex there, so that Newton from the left of the root never overshoots. */
void kl_ellipsoid_project(const kl_solid *s, kl_vec3 p, kl_offset *out)
{
    double a[3] = {s->size.x, s->size.y, s->size.z}, x[3] = {p.x, p.y, p.z}, f[3];
    int    least = a[0] <= a[1] && a[0] <= a[2] ? 0 : a[1] <= a[2] ? 1 : 2;
    double a2 = a[least] * a[least], sum = 0.0;
    for (int i = 0; i < 3; i++) sum += x[i] * x[i] / (a[i] * a[i]);
    /* leftmost start: each term alone would be 1 */
    double t = -a2 + 1e-15 * a2;
    for (int i = 0; i < 3; i++) t = fmax(t, a[i] * fabs(x[i]) - a[i] * a[i]);
    for (int k = 0; k < 60; k++) {
        double g = -1.0, dg = 0.0;
        for (int i = 0; i < 3; i++) {
            double u = a[i] * x[i] / (t + a[i] * a[i]);
            g += u * u;
            dg -= 2.0 * u * u / (t + a[i] * a[i]);
        }
        if (g <= 0.0 || dg == 0.0) break;
        double step = -g / dg;
        t += step;
        if (step <= 1e-16 * (fabs(t) + a2)) break;
    }
    double rest = 1.0;
    for (int i = 0; i < 3; i++) {
        f[i] = a[i] * a[i] * x[i] / (t + a[i] * a[i]);
        if (i != least) rest -= f[i] * f[i] / (a[i] * a[i]);
    }
    /* on the plane of the two larger axes, deep inside, the shortest axis decides */
    if (t <= -a2 * (1.0 - 1e-12)) f[least] = copysign(a[least] * sqrt(fmax(rest, 0.0)), x[least]);
    kl_vec3 foot = kl_load(f);
    kl_vec3 n = kl_unit(kl_vec(f[0] / (a[0] * a[0]), f[1] / (a[1] * a[1]), f[2] / (a[2] * a[2])));
    from_foot(p, foot, sum < 1.0, n, out);
    out->n = n;
    out->d = kl_dot(kl_sub(p, foot), n);
}

/* ---- arcs ---- */

static bool arc_holds(const kl_arc2 *arc, double angle)
{
    double low = fmin(arc->theta[0], arc->theta[1]), high = fmax(arc->theta[0], arc->theta[1]);
    double turn = angle - low;
    turn -= 2.0 * KL_PI * floor(turn / (2.0 * KL_PI));
    return turn <= high - low + 1e-9 || turn >= 2.0 * KL_PI - 1e-9; /* joints belong to both */
}

/* Foot of (x, y) on the arc; true: within it, false: one of its ends. */
static bool arc_foot(const kl_arc2 *arc, double x, double y, double foot[2])
{
    double vx = x - arc->c[0], vy = y - arc->c[1], rho = hypot(vx, vy), best = (double)INFINITY;
    if (rho > 0.0 && arc_holds(arc, atan2(vy, vx))) {
        foot[0] = arc->c[0] + arc->radius * vx / rho, foot[1] = arc->c[1] + arc->radius * vy / rho;
        return true;
    }
    for (int k = 0; k < 2; k++) {
        double ex = arc->c[0] + arc->radius * cos(arc->theta[k]),
               ey = arc->c[1] + arc->radius * sin(arc->theta[k]), d = hypot(x - ex, y - ey);
        if (d < best) best = d, foot[0] = ex, foot[1] = ey;
    }
    return false;
}

static bool arc_inside(const kl_solid *s, double x, double y)
{
    return s->side * (hypot(x - s->arc.c[0], y - s->arc.c[1]) - s->arc.radius) < 0.0;
}

static void extruded_one(const kl_solid *s, kl_vec3 p, kl_offset *out)
{
    double  f[2], low = fmin(s->z[0], s->z[1]), high = fmax(s->z[0], s->z[1]);
    bool    within = arc_foot(&s->arc, p.x, p.y, f);
    double  z      = fmin(fmax(p.z, low), high);
    kl_vec3 out_n =
        kl_unit(kl_vec(s->side * (f[0] - s->arc.c[0]), s->side * (f[1] - s->arc.c[1]), 0));
    from_foot(p, kl_vec(f[0], f[1], z), within && z == p.z && arc_inside(s, p.x, p.y), out_n, out);
}

static void revolved_one(const kl_solid *s, kl_vec3 p, kl_offset *out)
{
    double  rho    = hypot(p.x, p.z), f[2];
    kl_vec3 e      = rho > 0.0 ? kl_vec(p.x / rho, 0, p.z / rho) : kl_vec(1, 0, 0);
    bool    within = arc_foot(&s->arc, rho, p.y, f);
    kl_vec3 foot   = kl_vec(f[0] * e.x, f[1], f[0] * e.z);
    double  nx = s->side * (f[0] - s->arc.c[0]), ny = s->side * (f[1] - s->arc.c[1]);
    kl_vec3 out_n = kl_unit(kl_vec(nx * e.x, ny, nx * e.z));
    from_foot(p, foot, within && arc_inside(s, rho, p.y), out_n, out);
}

/* The arc of a chain that is nearest; at equal distance the one that the foot lies within. */
static void nearest_arc(void (*one)(const kl_solid *s, kl_vec3 p, kl_offset *out),
                        const kl_solid *s, kl_vec3 p, kl_offset *out)
{
    kl_offset best = {.d = (double)INFINITY};
    if (s->narc == 0) {
        one(s, p, out);
        return;
    }
    for (int i = 0; i < s->narc; i++) {
        kl_solid  arc = *s;
        kl_offset try = {0};
        arc.arc = s->arcs[i], arc.side = s->sides[i];
        one(&arc, p, &try);
        try.part = i;
        if (fabs(try.d) < fabs(best.d) - 1e-14) best = try;
    }
    *out = best;
}

void kl_extruded_project(const kl_solid *s, kl_vec3 p, kl_offset *out)
{
    nearest_arc(extruded_one, s, p, out);
}

void kl_revolved_project(const kl_solid *s, kl_vec3 p, kl_offset *out)
{
    nearest_arc(revolved_one, s, p, out);
}

void kl_arc_box(const kl_arc2 *arc, double x[2], double y[2])
{
    for (int k = 0; k < 2; k++) {
        double ex = arc->c[0] + arc->radius * cos(arc->theta[k]),
               ey = arc->c[1] + arc->radius * sin(arc->theta[k]);
        x[0] = k ? fmin(x[0], ex) : ex, x[1] = k ? fmax(x[1], ex) : ex;
        y[0] = k ? fmin(y[0], ey) : ey, y[1] = k ? fmax(y[1], ey) : ey;
    }
    if (arc_holds(arc, 0.0)) x[1] = arc->c[0] + arc->radius;
    if (arc_holds(arc, KL_PI)) x[0] = arc->c[0] - arc->radius;
    if (arc_holds(arc, 0.5 * KL_PI)) y[1] = arc->c[1] + arc->radius;
    if (arc_holds(arc, -0.5 * KL_PI)) y[0] = arc->c[1] - arc->radius;
}

/* ---- general surfaces ---- */

static void hold(const kl_surface *f, double *u, double *v)
{
    if (!f->closed_u) *u = fmin(fmax(*u, f->u[0]), f->u[1]);
    if (!f->closed_v) *v = fmin(fmax(*v, f->v[0]), f->v[1]);
}

static bool held(const double range[2], bool closed, double x, double slope)
{
    return !closed && ((x <= range[0] && slope > 0.0) || (x >= range[1] && slope < 0.0));
}

/* Newton on (p - r).r_u = (p - r).r_v = 0 with a step that shortens until |p - r| falls. */
static bool polish(const kl_surface *f, kl_vec3 p, kl_surface_cursor *cursor, double uv[2],
                   kl_surface_point *at)
{
    if (kl_surface_eval(f, uv[0], uv[1], cursor, at) != KL_OK) return false;
    for (int k = 0; k < 30; k++) {
        kl_vec3 d  = kl_sub(p, at->r);
        double  gu = -kl_dot(d, at->ru), gv = -kl_dot(d, at->rv), now = kl_dot(d, d);
        double  E = kl_dot(at->ru, at->ru), F = kl_dot(at->ru, at->rv), G = kl_dot(at->rv, at->rv);
        double  a = E - kl_dot(d, at->ruu), b = F - kl_dot(d, at->ruv), c = G - kl_dot(d, at->rvv);
        if (!(a > 0.0) || !(a * c - b * b > 1e-12 * E * G)) a = E, b = F, c = G; /* Gauss-Newton */
        double det = a * c - b * b, du = -(c * gu - b * gv) / det, dv = -(a * gv - b * gu) / det;
        /* at an edge that the point lies beyond, only the other parameter moves */
        if (held(f->u, f->closed_u, uv[0], gu)) du = 0.0, dv = -gv / c;
        if (held(f->v, f->closed_v, uv[1], gv)) du = du == 0.0 ? 0.0 : -gu / a, dv = 0.0;
        if (!isfinite(du) || !isfinite(dv)) return false;
        double cut = 1.0, u = 0, v = 0;
        for (int j = 0; j < 20; j++, cut *= 0.5) {
            kl_surface_point next;
            u = uv[0] + cut * du, v = uv[1] + cut * dv;
            hold(f, &u, &v);
            if (kl_surface_eval(f, u, v, cursor, &next) != KL_OK) continue;
            kl_vec3 e = kl_sub(p, next.r);
            if (kl_dot(e, e) > now * (1.0 + 1e-14)) continue;
            *at = next;
            break;
        }
        double moved = hypot((u - uv[0]) * sqrt(E), (v - uv[1]) * sqrt(G));
        uv[0] = u, uv[1] = v;
        if (moved <= 1e-13 * (1.0 + sqrt(now))) return true;
    }
    return true;
}

void kl_surface_project(const kl_solid *s, kl_vec3 p, kl_offset *out)
{
    const kl_surface *f      = s->surface;
    kl_surface_cursor cursor = {0};
    kl_surface_point  at;
    if (!out->warm && kl_surface_nearest(f, p, &cursor, out->uv) != KL_OK)
        out->uv[0] = 0.5 * (f->u[0] + f->u[1]), out->uv[1] = 0.5 * (f->v[0] + f->v[1]);
    polish(f, p, &cursor, out->uv, &at);
    kl_vec3 n = kl_unit(kl_cross(at.ru, at.rv)), d = kl_sub(p, at.r);
    if (f->flip) n = kl_neg(n);
    out->warm = true;
    from_foot(p, at.r, kl_dot(d, n) < 0.0, n, out);
}

void kl_mesh_project(const kl_solid *s, kl_vec3 p, kl_offset *out)
{
    kl_hull_project(s->mesh, p, out);
}
