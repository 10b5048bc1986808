#include "catenary/pantograph.h"

#include <complex.h>
#include <math.h>
#include <string.h>

#include "base/vec.h"

enum { N = KL_PANTOGRAPH_MASSES };

/* ---- matrices of the chain ---- */

static void add_links(const kl_pantograph *p, const double *value, double factor, double A[N][N])
{
    for (int i = 0; i < p->n; i++) {
        double k = factor * value[i];
        A[i][i] += k;
        if (i + 1 == p->n) continue; /* the last one is on the base */
        A[i + 1][i + 1] += k;
        A[i][i + 1] -= k, A[i + 1][i] -= k;
    }
}

/* Gauss-Jordan; A is symmetric and positive definite. */
static void invert(int n, double A[N][N], double inverse[N][N])
{
    memset(inverse, 0, sizeof(double[N][N]));
    for (int i = 0; i < n; i++) inverse[i][i] = 1.0;
    for (int k = 0; k < n; k++) {
        double pivot = A[k][k];
        for (int j = 0; j < n; j++) A[k][j] /= pivot, inverse[k][j] /= pivot;
        for (int i = 0; i < n; i++) {
            double factor = A[i][k];
            if (i == k) continue;
            for (int j = 0; j < n; j++)
                A[i][j] -= factor * A[k][j], inverse[i][j] -= factor * inverse[k][j];
        }
    }
}

void kl_pantograph_prepare(const kl_pantograph *p, double dt, kl_pantograph_stepper *s)
{
    double A[N][N] = {0};
    *s             = (kl_pantograph_stepper){.of = p, .dt = dt};
    for (int i = 0; i < p->n; i++) A[i][i] = p->mass[i];
    add_links(p, p->damping, 0.5 * dt, A);
    add_links(p, p->stiffness, 0.25 * dt * dt, A);
    invert(p->n, A, s->inverse);
}

/* ---- a step ---- */

/* Dry friction with a short slope through zero, so that it holds nearly still. */
static double dry_friction(double force, double speed)
{
    const double slow = 1e-3; /* [m/s] */
    return force * tanh(speed / slow);
}

/* Forces on the masses at displacement d and velocity v. */
static void chain_forces(const kl_pantograph *p, const kl_pantograph_load *load, const double *d,
                         const double *v, double *f)
{
    for (int i = 0; i < p->n; i++) f[i] = 0.0;
    for (int i = 0; i < p->n; i++) {
        bool   last  = i + 1 == p->n;
        double gap   = d[i] - (last ? load->base : d[i + 1]);
        double speed = v[i] - (last ? load->base_speed : v[i + 1]);
        double pull  = p->stiffness[i] * gap + p->damping[i] * speed;
        if (p->friction[i] != 0.0) pull += dry_friction(p->friction[i], speed);
        f[i] -= pull;
        if (!last) f[i + 1] += pull;
    }
    f[0] += load->lift;
    f[p->n - 1] += load->uplift;
}

void kl_pantograph_free_step(const kl_pantograph_stepper *s, const kl_pantograph_load *load,
                             double *state)
{
    const kl_pantograph *p = s->of;
    double              *d = state, *v = d + N, *a = v + N, dt = s->dt, f[N];
    for (int i = 0; i < p->n; i++) {
        d[i] += dt * v[i] + 0.25 * dt * dt * a[i];
        v[i] += 0.5 * dt * a[i];
    }
    chain_forces(p, load, d, v, f);
    for (int i = 0; i < p->n; i++) {
        a[i] = 0.0;
        for (int j = 0; j < p->n; j++) a[i] += s->inverse[i][j] * f[j];
    }
    for (int i = 0; i < p->n; i++) d[i] += 0.25 * dt * dt * a[i];
}

double kl_pantograph_influence(const kl_pantograph_stepper *s)
{
    return 0.25 * s->dt * s->dt * s->inverse[0][0];
}

void kl_pantograph_finish(const kl_pantograph_stepper *s, double force, double *state)
{
    double *d = state, *v = d + N, *a = v + N, dt = s->dt;
    for (int i = 0; i < s->of->n; i++) {
        double change = -force * s->inverse[i][0];
        a[i] += change;
        d[i] += 0.25 * dt * dt * change;
        v[i] += 0.5 * dt * a[i];
    }
}

/* ---- at rest, test bench ---- */

double kl_pantograph_rest_uplift(const kl_pantograph *p, double u, double force, double *state)
{
    memset(state, 0, KL_PANTOGRAPH_STATE * sizeof *state);
    for (int i = 0; i < p->n; i++) {
        state[i] = u;
        if (i + 1 < p->n) u += force / p->stiffness[i];
    }
    return force + p->stiffness[p->n - 1] * state[p->n - 1];
}

void kl_pantograph_response(const kl_pantograph *p, double frequency, double *amplitude,
                            double *phase)
{
    double               w    = 2.0 * KL_PI * frequency;
    const double complex unit = (double complex)I; /* clang has no CMPLX */
    double complex       link, below;              /* dynamic stiffness of what is below a mass */
    below = p->stiffness[p->n - 1] + unit * w * p->damping[p->n - 1];
    for (int i = p->n - 1; i > 0; i--) {
        double complex sum = below - w * w * p->mass[i];
        link               = p->stiffness[i - 1] + unit * w * p->damping[i - 1];
        below              = link * sum / (link + sum);
    }
    double complex u = 1.0 / (below - w * w * p->mass[0]);
    *amplitude       = cabs(u);
    *phase           = carg(u);
}
