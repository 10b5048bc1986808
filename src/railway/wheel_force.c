#include "railway/wheel_force.h"

#include <math.h>

static const double RAMP = 5e-6; /* penetration from which on a constant damper acts fully [m] */

kl_kalker kl_wheel_coefficients(const kl_wheel_law *law, double a_over_b, double a, double b)
{
    kl_kalker c = kl_kalker_of(a_over_b, law->steel.nu),
              g = kl_kalker_from(&law->given, a, b, law->steel.G);
    if (!isnan(g.c11)) c.c11 = g.c11;
    if (!isnan(g.c22)) c.c22 = g.c22;
    if (!isnan(g.c23)) c.c23 = g.c23;
    if (!isnan(g.c33)) c.c33 = g.c33;
    return c;
}

void kl_wheel_contact_of(const kl_wheel_law *law, const kl_touch *t, kl_vec3 x, kl_wheel_contact *c)
{
    double   By = fmax(t->By_wide != 0.0 ? t->By_wide : t->By, law->flattest), E = law->steel.E;
    kl_hertz h =
        law->hertz ? kl_hertz_by_table(law->hertz, t->Ax, By, E) : kl_hertz_of(t->Ax, By, E);
    double root = sqrt(fmax(t->depth, 0.0));
    c->point    = t->wheel;
    c->x        = x;
    c->n        = t->normal;
    c->depth    = t->depth;
    c->share    = t->share;
    c->friction = 1.0;
    c->elastic  = h.stiffness * t->depth * root;
    c->energy   = 0.4 * c->elastic * t->depth;
    if (law->stiffness > 0.0) {
        /* the ellipse is that of Hertz at the same load */
        c->elastic = law->stiffness * t->depth;
        c->energy  = 0.5 * c->elastic * t->depth;
        root       = sqrt(kl_hertz_depth(&h, c->elastic));
    }
    c->a       = h.a1 * root;
    c->b       = h.b1 * root;
    c->c       = kl_wheel_coefficients(law, h.a1 / h.b1, c->a, c->b);
    c->wheel_u = t->wheel_u;
    c->rail_u  = t->rail_u;
    c->radius  = t->radius;
    c->region  = t->region;
}

void kl_wheel_force_at(const kl_wheel_law *law, const kl_wheel_contact *c, kl_vec3 v, kl_vec3 w,
                       double forward, kl_wheel_force *out)
{
    /* the patch travels along rail and wheel at the mean of both surface speeds; the axes of the
     * patch point where it goes */
    double  along = kl_dot(v, c->x), rolling = forward - 0.5 * along;
    double  sign = rolling < 0.0 ? -1.0 : 1.0, V = kl_hypot(rolling, law->speed_floor);
    kl_vec3 ex = kl_scale(sign, c->x), ey = kl_cross(c->n, ex);
    double  slip_x = sign * along, slip_y = kl_dot(v, ey), spin = kl_dot(w, c->n);
    double  approach = -kl_dot(v, c->n), F[3];
    out->approach    = approach;

    /* a constant damper begins with the contact: over the first micrometres of penetration */
    double dashpot = law->constant * approach * fmin(1.0, c->depth / RAMP);
    out->N         = fmax(0.0, c->elastic * (1.0 + law->damping * approach) + dashpot);
    out->mu        = c->friction * kl_friction_at(&law->friction, kl_hypot(slip_x, slip_y));
    out->xi = slip_x / V, out->eta = slip_y / V, out->phi = spin / V;
    kl_patch patch = {c->a, c->b, out->N, out->mu, law->steel.G, c->c};
    F[0] = F[1] = F[2] = 0.0;
    out->slip          = 0.0;
    if (out->N * out->mu > 0.0)
        kl_creep_force(law->creep, &law->options, &patch, (double[]){out->xi, out->eta, out->phi},
                       F, &out->slip);
    out->N *= c->share;
    for (int k = 0; k < 3; k++) F[k] *= c->share;
    out->Fx = F[0], out->Fy = F[1], out->Mz = F[2];
    out->force  = kl_add(kl_scale(out->N, c->n), kl_add(kl_scale(F[0], ex), kl_scale(F[1], ey)));
    out->moment = kl_scale(F[2], c->n);
    out->wear   = fabs(F[0] * out->xi + F[1] * out->eta + F[2] * out->phi);
    out->loss =
        (out->N - c->share * c->elastic) * approach - (F[0] * slip_x + F[1] * slip_y + F[2] * spin);
}
