#include "materials/uniaxial.h"

#include <math.h>

/* The centre of the elastic range after the plastic strain ep, its slope and its stored energy. */
static double back_stress(const kl_structural_material *m, double ep, double *slope, double *energy)
{
    double zero, at;
    *slope = *energy = 0.0;
    if (m->hardening != KL_HARDENING_KINEMATIC) return 0.0;
    if (!m->curve) {
        *slope  = m->plastic_modulus;
        *energy = 0.5 * m->plastic_modulus * ep * ep;
        return m->plastic_modulus * ep;
    }
    at      = kl_material_yield(m, fabs(ep), slope) - kl_material_yield(m, 0.0, &zero);
    *energy = 0.5 * at * fabs(ep);
    return copysign(at, ep);
}

static double range_of(const kl_structural_material *m, double p, double *slope)
{
    if (m->hardening == KL_HARDENING_ISOTROPIC) return kl_material_yield(m, p, slope);
    double first = kl_material_yield(m, 0.0, slope);
    *slope       = 0.0;
    return first;
}

/* The plastic increment d >= 0 with  s (E (e - ep - s d) - back(ep + s d)) = Y(p + d).  The left side
 * falls and the right side does not: Newton's method, exact in one step for straight curves. */
static double increment(const kl_structural_material *m, double strain, const kl_fibre_memory *b,
                        double s, double *hardening)
{
    enum { MOST = 40 };
    double d = 0.0, low = 0.0, high = HUGE_VAL;
    for (int pass = 0; pass < MOST; pass++) {
        double ep = b->plastic + s * d, h1, h2, unused;
        double f  = s * (m->E * (strain - ep) - back_stress(m, ep, &h1, &unused)) -
                   range_of(m, b->accumulated + d, &h2);
        *hardening  = h1 + h2;
        double next = d + f / (m->E + *hardening);
        if (f > 0.0) low = d;
        else high = d;
        if (!(next >= low && next <= high)) next = isfinite(high) ? 0.5 * (low + high) : low;
        if (fabs(next - d) <= 1e-15 * (1.0 + fabs(strain)) * 1e-3) return next;
        d = next;
    }
    return d;
}

/* Integral of the yield stress over a plastic increment: with the stored energy the whole work. */
static double plastic_work(const kl_structural_material *m, double p, double by)
{
    const double g = 0.5 / sqrt(3.0);
    double       unused;
    if (!(by > 0.0)) return 0.0;
    return 0.5 * by *
           (range_of(m, p + by * (0.5 - g), &unused) + range_of(m, p + by * (0.5 + g), &unused));
}

kl_fibre_state kl_fibre_stress(const kl_structural_material *m, double strain,
                               const kl_fibre_memory *before)
{
    kl_fibre_state f = {.now = *before, .slope = m->E};
    double         h, unused, energy, old;
    double         trial = m->E * (strain - before->plastic);
    double         from  = trial - back_stress(m, before->plastic, &h, &old);
    if (fabs(from) > range_of(m, before->accumulated, &unused)) {
        double s = from > 0.0 ? 1.0 : -1.0, hardening = 0.0;
        double d = increment(m, strain, before, s, &hardening);
        f.now.plastic += s * d;
        f.now.accumulated += d;
        f.slope = m->E * hardening / (m->E + hardening);
    }
    f.now.stress = m->E * (strain - f.now.plastic);
    (void)back_stress(m, f.now.plastic, &h, &energy);
    f.stored = 0.5 * m->E * (strain - f.now.plastic) * (strain - f.now.plastic) + energy;
    f.spent  = plastic_work(m, before->accumulated, f.now.accumulated - before->accumulated);
    return f;
}
