#include "contact/contact_shape.h"

#include <math.h>
#include <string.h>

#include "contact/contact_mesh.h"
#include "contact/contact_project.h"

/* ---- support points and flat parts ---- */

static double sign_of(double x) { return x < 0.0 ? -1.0 : 1.0; }

static kl_vec3 sphere_support(const kl_solid *s, kl_vec3 n) { return kl_scale(s->radius, n); }

/* Farthest point of a circle of radius r in the plane z; in the middle when n is along z. */
static kl_vec3 rim(double r, double z, kl_vec3 n)
{
    double across = sqrt(n.x * n.x + n.y * n.y);
    return across > 0.0 ? kl_vec(r * n.x / across, r * n.y / across, z) : kl_vec(r, 0.0, z);
}

static kl_vec3 cylinder_support(const kl_solid *s, kl_vec3 n)
{
    return rim(s->radius, sign_of(n.z) * s->half, n);
}

static kl_vec3 capsule_support(const kl_solid *s, kl_vec3 n)
{
    return kl_axpy(s->radius, n, kl_vec(0.0, 0.0, sign_of(n.z) * s->half));
}

static kl_vec3 box_support(const kl_solid *s, kl_vec3 n)
{
    return kl_vec(sign_of(n.x) * s->size.x, sign_of(n.y) * s->size.y, sign_of(n.z) * s->size.z);
}

static kl_vec3 cone_support(const kl_solid *s, kl_vec3 n)
{
    kl_vec3 a = rim(s->radius, -s->half, n), b = rim(s->tube, s->half, n);
    return kl_dot(n, a) > kl_dot(n, b) ? a : b;
}

static kl_vec3 ellipsoid_support(const kl_solid *s, kl_vec3 n)
{
    kl_vec3 a = s->size, m = kl_vec(a.x * a.x * n.x, a.y * a.y * n.y, a.z * a.z * n.z);
    return kl_scale(1.0 / sqrt(kl_dot(m, n)), m);
}

static kl_vec3 torus_support(const kl_solid *s, kl_vec3 n)
{
    return kl_axpy(s->tube, n, rim(s->radius, 0.0, n));
}

static kl_vec3 mesh_support(const kl_solid *s, kl_vec3 n) { return kl_hull_support(s->mesh, n); }

/* How far from the exact direction a face still counts as facing [rad]. */
static const double FACING = 0.1;

static int box_face(const kl_solid *s, kl_vec3 n, kl_vec3 *corner)
{
    const double d[3] = {n.x, n.y, n.z}, h[3] = {s->size.x, s->size.y, s->size.z};
    bool         free[3];
    int          count = 1, out = 0;
    for (int i = 0; i < 3; i++) count *= (free[i] = fabs(d[i]) < FACING) ? 2 : 1;
    if (count == 8) count = 4;
    for (int k = 0; k < count; k++) {
        double p[3];
        int    bit = k ^ (k >> 1); /* Gray code: corners in order round the face */
        for (int i = 0; i < 3; i++) {
            p[i] = free[i] ? (bit & 1 ? h[i] : -h[i]) : sign_of(d[i]) * h[i];
            if (free[i]) bit >>= 1;
        }
        corner[out++] = kl_load(p);
    }
    return out;
}

double kl_rim_phase(kl_vec3 n)
{
    /* twice the increment of the differences in contact.c: they see points that do not turn */
    static const double LEVEL = 2e-6;
    return hypot(n.x, n.y) > LEVEL * fabs(n.z) ? atan2(n.y, n.x) : 0.0;
}

/* Corners of a disc, the farthest along n first. */
static int disc_face(double r, double z, kl_vec3 n, kl_vec3 *corner)
{
    double phase = kl_rim_phase(n);
    for (int k = 0; k < KL_FACE_POINTS; k++) {
        double a  = phase + 2.0 * KL_PI * k / KL_FACE_POINTS;
        corner[k] = kl_vec(r * cos(a), r * sin(a), z);
    }
    return KL_FACE_POINTS;
}

static int cylinder_face(const kl_solid *s, kl_vec3 n, kl_vec3 *corner)
{
    if (hypot(n.x, n.y) < FACING) return disc_face(s->radius, sign_of(n.z) * s->half, n, corner);
    if (fabs(n.z) < FACING) {
        corner[0] = rim(s->radius, -s->half, n), corner[1] = rim(s->radius, s->half, n);
        return 2;
    }
    corner[0] = cylinder_support(s, n);
    return 1;
}

static int cone_face(const kl_solid *s, kl_vec3 n, kl_vec3 *corner)
{
    if (hypot(n.x, n.y) < FACING && (n.z < 0.0 || s->tube > 0.0))
        return disc_face(n.z < 0.0 ? s->radius : s->tube, sign_of(n.z) * s->half, n, corner);
    corner[0] = rim(s->radius, -s->half, n), corner[1] = rim(s->tube, s->half, n);
    double gap = fabs(kl_dot(n, kl_sub(corner[0], corner[1])));
    if (gap < FACING * kl_norm(kl_sub(corner[0], corner[1]))) return 2;
    corner[0] = cone_support(s, n);
    return 1;
}

static int capsule_face(const kl_solid *s, kl_vec3 n, kl_vec3 *corner)
{
    corner[0] = capsule_support(s, n);
    if (fabs(n.z) >= FACING || s->half == 0.0) return 1;
    corner[0] = kl_axpy(s->radius, n, kl_vec(0, 0, -s->half));
    corner[1] = kl_axpy(s->radius, n, kl_vec(0, 0, s->half));
    return 2;
}

static int mesh_face(const kl_solid *s, kl_vec3 n, kl_vec3 *corner)
{
    return kl_hull_face(s->mesh, n, FACING, corner);
}

/* ---- bounds ---- */

static void round_bounds(const kl_solid *s, kl_vec3 *centre, kl_vec3 *half)
{
    *centre = (kl_vec3){0};
    *half   = kl_vec(s->radius, s->radius, s->radius);
}

static void infinite_bounds(const kl_solid *s, kl_vec3 *centre, kl_vec3 *half)
{
    (void)s;
    *centre = (kl_vec3){0};
    *half   = kl_vec((double)INFINITY, (double)INFINITY, (double)INFINITY);
}

static void cylinder_bounds(const kl_solid *s, kl_vec3 *centre, kl_vec3 *half)
{
    *centre = (kl_vec3){0};
    *half   = kl_vec(s->radius, s->radius, s->half);
}

static void capsule_bounds(const kl_solid *s, kl_vec3 *centre, kl_vec3 *half)
{
    *centre = (kl_vec3){0};
    *half   = kl_vec(s->radius, s->radius, s->half + s->radius);
}

static void box_bounds(const kl_solid *s, kl_vec3 *centre, kl_vec3 *half)
{
    *centre = (kl_vec3){0};
    *half   = s->size;
}

static void cone_bounds(const kl_solid *s, kl_vec3 *centre, kl_vec3 *half)
{
    double r = fmax(s->radius, s->tube);
    *centre  = (kl_vec3){0};
    *half    = kl_vec(r, r, s->half);
}

static void torus_bounds(const kl_solid *s, kl_vec3 *centre, kl_vec3 *half)
{
    double r = s->radius + s->tube;
    *centre  = (kl_vec3){0};
    *half    = kl_vec(r, r, s->tube);
}

static const kl_arc2 *arc_at(const kl_solid *s, int i) { return s->narc ? &s->arcs[i] : &s->arc; }

static void revolved_bounds(const kl_solid *s, kl_vec3 *centre, kl_vec3 *half)
{
    double r = 0.0, low = (double)INFINITY, high = -(double)INFINITY, x[2], y[2];
    for (int i = 0; i < (s->narc ? s->narc : 1); i++) {
        kl_arc_box(arc_at(s, i), x, y);
        r   = fmax(r, fmax(fabs(x[0]), fabs(x[1])));
        low = fmin(low, y[0]), high = fmax(high, y[1]);
    }
    *centre = kl_vec(0.0, 0.5 * (low + high), 0.0);
    *half   = kl_vec(r, 0.5 * (high - low), r);
}

static void extruded_bounds(const kl_solid *s, kl_vec3 *centre, kl_vec3 *half)
{
    kl_vec3 low  = {(double)INFINITY, (double)INFINITY, fmin(s->z[0], s->z[1])},
            high = {-(double)INFINITY, -(double)INFINITY, fmax(s->z[0], s->z[1])};
    double x[2], y[2];
    for (int i = 0; i < (s->narc ? s->narc : 1); i++) {
        kl_arc_box(arc_at(s, i), x, y);
        low.x = fmin(low.x, x[0]), low.y = fmin(low.y, y[0]);
        high.x = fmax(high.x, x[1]), high.y = fmax(high.y, y[1]);
    }
    *centre = kl_scale(0.5, kl_add(low, high));
    *half   = kl_scale(0.5, kl_sub(high, low));
}

static void surface_bounds(const kl_solid *s, kl_vec3 *centre, kl_vec3 *half)
{
    kl_surface_cursor cursor = {0};
    kl_surface_point  p;
    const kl_surface *f   = s->surface;
    kl_vec3           low = {0}, high = {0};
    for (int i = 0; i <= 16; i++)
        for (int j = 0; j <= 16; j++) {
            double u = f->u[0] + (f->u[1] - f->u[0]) * i / 16.0,
                   v = f->v[0] + (f->v[1] - f->v[0]) * j / 16.0;
            if (kl_surface_eval(f, u, v, &cursor, &p) != KL_OK) continue;
            if (i + j == 0) low = high = p.r;
            low  = kl_vec(fmin(low.x, p.r.x), fmin(low.y, p.r.y), fmin(low.z, p.r.z));
            high = kl_vec(fmax(high.x, p.r.x), fmax(high.y, p.r.y), fmax(high.z, p.r.z));
        }
    *centre = kl_scale(0.5, kl_add(low, high));
    *half   = kl_scale(0.6, kl_sub(high, low)); /* what bulges between the net's points */
}

static void mesh_bounds(const kl_solid *s, kl_vec3 *centre, kl_vec3 *half)
{
    kl_hull_bounds(s->mesh, centre, half);
}

/* ---- curvature ---- */

static void sphere_curvature(const kl_solid *s, kl_vec3 p, double k[2], kl_vec3 *direction)
{
    k[0] = k[1] = (s->inside ? -1.0 : 1.0) / s->radius;
    *direction  = kl_normal_to(kl_unit(p));
}

static void flat_curvature(const kl_solid *s, kl_vec3 p, double k[2], kl_vec3 *direction)
{
    (void)s, (void)p;
    k[0] = k[1] = 0.0;
    *direction  = kl_vec(1, 0, 0);
}

static void cylinder_curvature(const kl_solid *s, kl_vec3 p, double k[2], kl_vec3 *direction)
{
    double rho = hypot(p.x, p.y);
    k[0]       = rho > 0.0 ? (s->inside ? -1.0 : 1.0) / s->radius : 0.0;
    k[1]       = 0.0;
    *direction = rho > 0.0 ? kl_vec(-p.y / rho, p.x / rho, 0.0) : kl_vec(1, 0, 0);
}

/* b^2 = (x/a^2)^2 + ...: support distance 1/b; curvatures are roots of a quadratic (Gauss, mean) */
static void ellipsoid_curvature(const kl_solid *s, kl_vec3 p, double k[2], kl_vec3 *direction)
{
    kl_vec3 a = s->size, g = kl_vec(p.x / (a.x * a.x), p.y / (a.y * a.y), p.z / (a.z * a.z));
    double  b = kl_norm(g);
    kl_vec3 n = kl_scale(1.0 / b, g), t = kl_normal_to(n), c = kl_cross(n, t);
    kl_vec3 D   = kl_vec(1 / (a.x * a.x), 1 / (a.y * a.y), 1 / (a.z * a.z));
    double  tt  = (D.x * t.x * t.x + D.y * t.y * t.y + D.z * t.z * t.z) / b,
           cc   = (D.x * c.x * c.x + D.y * c.y * c.y + D.z * c.z * c.z) / b,
           tc   = (D.x * t.x * c.x + D.y * t.y * c.y + D.z * t.z * c.z) / b;
    double mean = 0.5 * (tt + cc), root = hypot(0.5 * (tt - cc), tc),
           turn = 0.5 * atan2(2.0 * tc, tt - cc);
    k[0] = mean + root, k[1] = mean - root;
    *direction = kl_axpy(sin(turn), c, kl_scale(cos(turn), t));
}

static void torus_curvature(const kl_solid *s, kl_vec3 p, double k[2], kl_vec3 *direction)
{
    double rho = hypot(p.x, p.y), x = rho - s->radius, r = s->tube;
    k[0]       = r > 0.0 ? 1.0 / r : 1e9; /* a thin ring: sharp */
    k[1]       = r > 0.0 && rho > 0.0 ? x / r / rho : 1.0 / s->radius;
    *direction = rho > 0.0 && r > 0.0 ? kl_unit(kl_vec(-p.z * p.x / rho, -p.z * p.y / rho, x))
                                      : kl_vec(0, 0, 1);
}

static void revolved_curvature(const kl_solid *s, kl_vec3 p, double k[2], kl_vec3 *direction)
{
    double rho = hypot(p.x, p.z), x = rho - s->arc.c[0], y = p.y - s->arc.c[1], r = s->arc.radius;
    k[0]       = s->side / r;
    k[1]       = rho > 0.0 ? s->side * x / r / rho : s->side / r;
    *direction = rho > 0.0 ? kl_unit(kl_vec(-y * p.x / rho, x, -y * p.z / rho)) : kl_vec(1, 0, 0);
}

static void extruded_curvature(const kl_solid *s, kl_vec3 p, double k[2], kl_vec3 *direction)
{
    double x = p.x - s->arc.c[0], y = p.y - s->arc.c[1];
    k[0] = s->side / s->arc.radius, k[1] = 0.0;
    *direction = kl_unit(kl_vec(-y, x, 0.0));
}

/* ---- the table ---- */

const char *const kl_solid_words = "sphere plane cylinder capsule box cone ellipsoid torus "
                                   "revolved-arc extruded-arc surface mesh";

const kl_solid_type kl_solid_types[KL_SOLID_KINDS] = {
    [KL_SOLID_SPHERE]   = {"sphere", "ball of `radius`, or a bowl when `inside`", true,
                           kl_sphere_project, sphere_support, NULL, round_bounds, sphere_curvature},
    [KL_SOLID_PLANE]    = {"plane", "half space below z = 0", false, kl_plane_project, NULL, NULL,
                           infinite_bounds, flat_curvature},
    [KL_SOLID_CYLINDER] = {"cylinder", "`radius` and `length` along z, or a hole when `inside`",
                           true, kl_cylinder_project, cylinder_support, cylinder_face,
                           cylinder_bounds, cylinder_curvature},
    [KL_SOLID_CAPSULE]  = {"capsule", "`radius` and `length` between the centres of its ends", true,
                           kl_capsule_project, capsule_support, capsule_face, capsule_bounds,
                           cylinder_curvature},
    [KL_SOLID_BOX]      = {"box", "edges `size` along x, y, z", true, kl_box_project, box_support,
                           box_face, box_bounds, flat_curvature},
    [KL_SOLID_CONE]     = {"cone", "`radius` at -length/2, `tube` at length/2 along z", true,
                           kl_cone_project, cone_support, cone_face, cone_bounds, cylinder_curvature},
    [KL_SOLID_ELLIPSOID]    = {"ellipsoid", "semi-axes `size` along x, y, z", true,
                               kl_ellipsoid_project, ellipsoid_support, NULL, box_bounds,
                               ellipsoid_curvature},
    [KL_SOLID_TORUS]        = {"torus", "`radius` about z, `tube`; 0 is a thin ring", false,
                               kl_torus_project, torus_support, NULL, torus_bounds, torus_curvature},
    [KL_SOLID_REVOLVED_ARC] = {"revolved-arc", "arc in the x-y plane, revolved about y", false,
                               kl_revolved_project, NULL, NULL, revolved_bounds,
                               revolved_curvature},
    [KL_SOLID_EXTRUDED_ARC] = {"extruded-arc", "arc in the x-y plane, extruded along z", false,
                               kl_extruded_project, NULL, NULL, extruded_bounds,
                               extruded_curvature},
    [KL_SOLID_SURFACE] = {"surface", "one of `surfaces:`", false, kl_surface_project, NULL, NULL,
                          surface_bounds, NULL},
    [KL_SOLID_MESH]    = {"mesh", "closed mesh of triangles", false, kl_mesh_project, mesh_support,
                          mesh_face, mesh_bounds, flat_curvature},
    [KL_SOLID_SKIN] = {"skin", "surface of a flexible body as it deforms", false, NULL, NULL, NULL,
                       infinite_bounds, NULL},
};

static bool positive(double x) { return x > 0.0 && isfinite(x); }

static const char *size_fault(kl_vec3 size, const char *text)
{
    return positive(size.x) && positive(size.y) && positive(size.z) ? NULL : text;
}

const char *kl_solid_fault(const kl_solid *s)
{
    switch (s->kind) {
    case KL_SOLID_SKIN:
    case KL_SOLID_PLANE: return NULL;
    case KL_SOLID_BOX:
        return size_fault(
            s->size, "a box needs three positive edge lengths, for example {box: [0.2, 0.1, 0.1]}");
    case KL_SOLID_ELLIPSOID:
        return size_fault(s->size, "an ellipsoid needs three positive semi-axes, for example "
                                   "{ellipsoid: [0.2, 0.1, 0.1]}");
    case KL_SOLID_SURFACE: return s->surface ? NULL : "`surface` must name one of `surfaces:`";
    case KL_SOLID_MESH: return s->mesh ? NULL : "`mesh` must name an STL or OBJ file";
    case KL_SOLID_REVOLVED_ARC:
    case KL_SOLID_EXTRUDED_ARC:
        return positive(s->arc.radius) ? NULL : "an arc needs a positive `radius`";
    default: break;
    }
    if (!positive(s->radius)) return "its radius must be positive";
    if (s->kind == KL_SOLID_TORUS && !(s->tube >= 0.0))
        return "`tube` of a torus must not be negative";
    bool long_one =
        s->kind == KL_SOLID_CYLINDER || s->kind == KL_SOLID_CONE || s->kind == KL_SOLID_CAPSULE;
    if (long_one && !(s->half >= 0.0)) return "its `length` must not be negative";
    return NULL;
}

void kl_solid_project(const kl_solid *s, kl_vec3 p, kl_offset *out)
{
    kl_solid_types[s->kind].project(s, p, out);
}

kl_vec3 kl_solid_support(const kl_solid *s, kl_vec3 n)
{
    return kl_solid_types[s->kind].support(s, n);
}

void kl_solid_bounds(const kl_solid *s, const kl_pose *pose, kl_vec3 *low, kl_vec3 *high)
{
    kl_vec3        c, h, spread;
    const kl_mat3 *A = &pose->A;
    kl_solid_types[s->kind].bounds(s, &c, &h);
    if (isinf(h.x)) {
        *high = h;
        *low  = kl_neg(h);
        return;
    }
    c      = kl_add(pose->r, kl_mul(A, c));
    spread = kl_vec(fabs(A->m[0][0]) * h.x + fabs(A->m[0][1]) * h.y + fabs(A->m[0][2]) * h.z,
                    fabs(A->m[1][0]) * h.x + fabs(A->m[1][1]) * h.y + fabs(A->m[1][2]) * h.z,
                    fabs(A->m[2][0]) * h.x + fabs(A->m[2][1]) * h.y + fabs(A->m[2][2]) * h.z);
    *low   = kl_sub(c, spread);
    *high  = kl_add(c, spread);
}
