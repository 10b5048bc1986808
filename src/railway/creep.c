/* The laws of creep that are formulas: linear, heuristic, Polach; and what all laws share. */
#include "railway/creep.h"

#include <math.h>
#include <string.h>

#include "base/vec.h"
#include "railway/creep_laws.h"
#include "railway/creep_table.h"

/* ---- linear (Kalker 1967) ---- */

static void linear(const kl_creep_options *o, const kl_creep_input *in, kl_creep_output *out)
{
    (void)o;
    const double *u = in->u;
    out->f[0]       = -in->c.c11 * u[0];
    out->f[1]       = -(in->c.c22 * u[1] + in->c.c23 * u[2]);
    out->f[2]       = in->c.c23 * u[1] - in->c.c33 * u[2];
    out->slip       = 0.0;
}

/* ---- heuristic (Shen, Hedrick, Elkins 1983; without spin Vermeulen and Johnson 1964) ---- */

/* The linear force of size e mu N is reduced to (e - e^2/3 + e^3/27) mu N, at e = 3 all of it
 * slides. The moment is reduced by the same factor. */
static void heuristic(const kl_creep_options *o, const kl_creep_input *in, kl_creep_output *out)
{
    linear(o, in, out);
    double e      = kl_hypot(out->f[0], out->f[1]);
    double factor = e < 3.0 ? 1.0 - e / 3.0 + e * e / 27.0 : 1.0 / e;
    for (int k = 0; k < 3; k++) out->f[k] *= factor;
    /* the adhesion area of Vermeulen and Johnson has the share (1 - F/(mu N))^(2/3) */
    out->slip = 1.0 - cbrt(pow(fmax(0.0, 1.0 - fmin(e, 3.0) * factor), 2.0));
}

/* ---- Polach (1999; with kA and kS 2005) ---- */

/* Force over the spin, Polach's K_M (never positive). */
static double spin_force(double e)
{
    double d = (e * e - 1.0) / (e * e + 1.0), s = 1.0 - d * d;
    return e * (d * d * d / 3.0 - d * d / 2.0 + 1.0 / 6.0) - s * sqrt(s) / 3.0;
}

static void polach(const kl_creep_options *o, const kl_creep_input *in, kl_creep_output *out)
{
    const double *u    = in->u;
    double        root = sqrt(in->a_over_b);
    /* lateral creepage with that of the spin at the edge of the patch, if it adds */
    double uyc = u[1] + u[2] * root;
    if (fabs(uyc) < fabs(u[1])) uyc = u[1];
    double s = kl_hypot(u[0], uyc), plane = kl_hypot(u[0], u[1]);
    *out = (kl_creep_output){.slip = (double)NAN};
    if (s == 0.0) return;
    /* without creepage in the plane only spin is left, and the force along the plane is zero */
    double cj = plane > 0.0 ? kl_hypot(in->c.c11 * u[0], in->c.c22 * u[1]) / plane : 0.0;
    double e  = KL_PI / 4.0 * cj * s;
    double F  = 2.0 / KL_PI * (o->kA * e / (1.0 + o->kA * o->kA * e * e) + atan(o->kS * e));
    double K  = 1.0 + 6.3 * (1.0 - exp(-in->a_over_b));
    double es = 8.0 / root * in->c.c23 * fabs(uyc) / (3.0 * K);
    out->f[0] = -F * u[0] / s;
    out->f[1] = -F * u[1] / s + 9.0 / 16.0 * spin_force(es) * K * u[2] * root / s;
}

/* ---- all ---- */

const kl_creep_law kl_creep_laws[] = {
    {"linear", "Kalker's linear theory: no limit by friction", linear},
    {"heuristic", "linear theory, limited by friction after Shen, Hedrick and Elkins", heuristic},
    {"polach", "Polach 1999, and 2005 with kA, kS: fast, weak under spin", polach},
    {"fastsim", "Kalker's simplified theory on a grid of strips", kl_fastsim},
    {"table", "interpolated in a table of strips that fastsim computed with a very fine grid",
     kl_creep_by_table},
    {0}};

const kl_creep_law *kl_creep_law_find(const char *name)
{
    for (const kl_creep_law *l = kl_creep_laws; l->name; l++)
        if (strcmp(l->name, name) == 0) return l;
    return NULL;
}

kl_creep_options kl_creep_defaults(void)
{
    return (kl_creep_options){.kA = 1.0, .kS = 1.0, .strips = 10, .cells = 10};
}

void kl_creep_slopes(const kl_creep_law *law, const kl_creep_options *o, const kl_creep_input *in,
                     double slopes[9])
{
    double size = fmax(fabs(in->u[0]), fmax(fabs(in->u[1]), fabs(in->u[2])));
    double h    = 1e-4 * fmax(size, 1e-2); /* friction limits the force at u of about 1 */
    for (int j = 0; j < 3; j++) {
        kl_creep_input  at = *in;
        kl_creep_output up, down;
        at.u[j] = in->u[j] + h;
        law->force(o, &at, &up);
        at.u[j] = in->u[j] - h;
        law->force(o, &at, &down);
        for (int i = 0; i < 3; i++) slopes[3 * i + j] = (up.f[i] - down.f[i]) / (2.0 * h);
    }
}

void kl_creep_linearise(const kl_creep_law *law, const kl_creep_options *o,
                        const kl_creep_input *in, kl_creep_about *out)
{
    kl_creep_output at;
    law->force(o, in, &at);
    memcpy(out->u, in->u, sizeof out->u);
    memcpy(out->f, at.f, sizeof out->f);
    kl_creep_slopes(law, o, in, out->slopes);
}

static void tangent(const kl_creep_options *o, const kl_creep_input *in, kl_creep_output *out)
{
    const kl_creep_about *k = o->about;
    out->slip               = 0.0;
    for (int i = 0; i < 3; i++) {
        out->f[i] = k->f[i];
        for (int j = 0; j < 3; j++) out->f[i] += k->slopes[3 * i + j] * (in->u[j] - k->u[j]);
    }
}

const kl_creep_law kl_creep_tangent = {"tangent", "a law about one place", tangent};

double kl_friction_at(const kl_friction *f, double slip_velocity)
{
    return f->mu0 * ((1.0 - f->A) * exp(-f->B * slip_velocity) + f->A);
}

kl_kalker kl_kalker_from(const kl_creep_coefficients *f, double a, double b, double G)
{
    double c = sqrt(a * b), unit = G * a * b;
    return (kl_kalker){f->f11 / unit, f->f22 / unit, f->f23 / (unit * c), f->f33 / (unit * c * c)};
}

kl_creep_input kl_creep_input_of(const kl_patch *p, const double creepage[3])
{
    double c = sqrt(p->a * p->b), unit = p->G * p->a * p->b / (p->mu * p->N);
    return (kl_creep_input){
        p->a / p->b, {unit * creepage[0], unit * creepage[1], unit * c * creepage[2]}, p->c};
}

void kl_creep_force(const kl_creep_law *law, const kl_creep_options *o, const kl_patch *p,
                    const double creepage[3], double force[3], double *slip)
{
    double          c = sqrt(p->a * p->b), limit = p->mu * p->N;
    kl_creep_input  in = kl_creep_input_of(p, creepage);
    kl_creep_output out;
    law->force(o, &in, &out);
    force[0] = limit * out.f[0];
    force[1] = limit * out.f[1];
    force[2] = limit * c * out.f[2];
    if (slip) *slip = out.slip;
}
