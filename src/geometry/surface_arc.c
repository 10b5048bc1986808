/* Arcs extruded between two nodes and arcs revolved about a node: Craveiro Neto (2020), eq. 5.1 to
 * 5.5, with all derivatives. */
#include <math.h>

#include "geometry/surface.h"

static const double PI = 3.14159265358979323846;

kl_status kl_arc2_make(const double c[2], const double first[2], const double last[2],
                       double tolerance, kl_arc2 *out)
{
    double r0 = hypot(first[0] - c[0], first[1] - c[1]), r1 = hypot(last[0] - c[0], last[1] - c[1]);
    if (!(r0 > 0.0) || !isfinite(r0) || !(fabs(r1 - r0) <= tolerance * r0)) return KL_E_RANGE;
    double a = atan2(first[1] - c[1], first[0] - c[0]), b = atan2(last[1] - c[1], last[0] - c[0]);
    double turn = b - a;
    turn -= 2.0 * PI * round(turn / (2.0 * PI));
    *out = (kl_arc2){{c[0], c[1]}, 0.5 * (r0 + r1), {a, a + turn}};
    return KL_OK;
}

void kl_extruded_arc_eval(const kl_arc2 *arc, const kl_pose node[2], double zeta, double theta,
                          kl_surface_point *out)
{
    double  c = arc->radius * cos(theta), s = arc->radius * sin(theta);
    kl_vec3 f = kl_vec(c + arc->c[0], s + arc->c[1], 0), f1 = kl_vec(-s, c, 0),
            f2 = kl_vec(-c, -s, 0);
    kl_vec3 end[2], d1[2], d2[2];
    for (int i = 0; i < 2; i++) {
        end[i] = kl_add(node[i].r, kl_mul(&node[i].A, f));
        d1[i]  = kl_mul(&node[i].A, f1);
        d2[i]  = kl_mul(&node[i].A, f2);
    }
    double h1 = 0.5 * (1.0 - zeta), h2 = 0.5 * (1.0 + zeta);
    out->r   = kl_axpy(h2, end[1], kl_scale(h1, end[0]));
    out->ru  = kl_scale(0.5, kl_sub(end[1], end[0]));
    out->rv  = kl_axpy(h2, d1[1], kl_scale(h1, d1[0]));
    out->ruu = (kl_vec3){0};
    out->ruv = kl_scale(0.5, kl_sub(d1[1], d1[0]));
    out->rvv = kl_axpy(h2, d2[1], kl_scale(h1, d2[0]));
}

void kl_revolved_arc_eval(const kl_arc2 *arc, double x_factor, double z_factor, const kl_pose *node,
                          double phi, double theta, kl_surface_point *out)
{
    double c = arc->radius * cos(theta), s = arc->radius * sin(theta), R = c + arc->c[0];
    double x = x_factor * cos(phi), z = -z_factor * sin(phi);    /* of the revolved radius 1 */
    double x1 = -x_factor * sin(phi), z1 = -z_factor * cos(phi); /* by phi */

    out->r   = kl_add(node->r, kl_mul(&node->A, kl_vec(R * x, s + arc->c[1], R * z)));
    out->ru  = kl_mul(&node->A, kl_vec(R * x1, 0, R * z1));
    out->rv  = kl_mul(&node->A, kl_vec(-s * x, c, -s * z));
    out->ruu = kl_mul(&node->A, kl_vec(-R * x, 0, -R * z));
    out->ruv = kl_mul(&node->A, kl_vec(-s * x1, 0, -s * z1));
    out->rvv = kl_mul(&node->A, kl_vec(-c * x, -s, -c * z));
}

typedef struct arc_surface {
    kl_arc2 arc;
    double  x_factor, z_factor;
    kl_pose node[2];
} arc_surface;

static kl_status extruded_eval(const void *data, double u, double v, kl_surface_cursor *cursor,
                               kl_surface_point *out)
{
    const arc_surface *s = data;
    (void)cursor;
    kl_extruded_arc_eval(&s->arc, s->node, u, v, out);
    return KL_OK;
}

static kl_status revolved_eval(const void *data, double u, double v, kl_surface_cursor *cursor,
                               kl_surface_point *out)
{
    const arc_surface *s = data;
    (void)cursor;
    kl_revolved_arc_eval(&s->arc, s->x_factor, s->z_factor, &s->node[0], u, v, out);
    return KL_OK;
}

static const kl_surface_type extruded_type = {"extruded-arc", extruded_eval, NULL, NULL};
static const kl_surface_type revolved_type = {"revolved-arc", revolved_eval, NULL, NULL};

static kl_status make(const kl_surface_type *type, const arc_surface *data, kl_arena *arena,
                      kl_surface **out)
{
    arc_surface *kept = kl_arena_array(arena, arc_surface, 1);
    kl_surface  *s    = kl_arena_array(arena, kl_surface, 1);
    if (!kl_arena_ok(arena)) return KL_E_MEMORY;
    *kept   = *data;
    s->type = type, s->data = kept, s->pose.A = kl_identity();
    s->v[0] = fmin(data->arc.theta[0], data->arc.theta[1]);
    s->v[1] = fmax(data->arc.theta[0], data->arc.theta[1]);
    *out    = s;
    return KL_OK;
}

kl_status kl_surface_extruded_arc(const kl_arc2 *arc, const kl_pose node[2], kl_arena *arena,
                                  kl_surface **out)
{
    arc_surface data = {.arc = *arc, .node = {node[0], node[1]}};
    KL_TRY(make(&extruded_type, &data, arena, out));
    (*out)->u[0] = -1.0, (*out)->u[1] = 1.0;
    return KL_OK;
}

kl_status kl_surface_revolved_arc(const kl_arc2 *arc, double x_factor, double z_factor,
                                  kl_pose node, kl_arena *arena, kl_surface **out)
{
    arc_surface data = {
        .arc = *arc, .x_factor = x_factor, .z_factor = z_factor, .node = {node, node}};
    KL_TRY(make(&revolved_type, &data, arena, out));
    (*out)->u[1] = 2.0 * PI, (*out)->closed_u = true;
    return KL_OK;
}
