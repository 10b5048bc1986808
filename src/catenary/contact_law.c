#include "catenary/contact_law.h"

#include <math.h>

/* A contact that begins slower than this would make the damping term endless [m/s]. */
static const double SLOWEST = 0.01;

double kl_strip_secant(const kl_strip_law *law)
{
    return law->stiffness * pow(1e-3, law->exponent - 1.0);
}

double kl_strip_force(const kl_strip_law *law, double depth, double rate, double impact)
{
    if (depth <= 0.0) return 0.0;
    double elastic =
        law->exponent == 1.0 ? law->stiffness * depth : law->stiffness * pow(depth, law->exponent);
    if (law->restitution >= 1.0 || impact <= 0.0) return elastic; /* no impact, no loss */
    double loss = 0.75 * (1.0 - law->restitution * law->restitution);
    return fmax(0.0, elastic * (1.0 + loss * rate / fmax(impact, SLOWEST)));
}

double kl_strip_solve(const kl_strip_law *law, double depth, double rate, double slope, double G,
                      double impact)
{
    if (depth <= 0.0) return 0.0;
    if (law->exponent == 1.0 && (law->restitution >= 1.0 || impact <= 0.0))
        return law->stiffness * depth / (1.0 + law->stiffness * G);
    /* F - force(depth - G F) grows with F: from negative at 0 to positive where the depth ends */
    double lo = 0.0, hi = G > 0.0 ? depth / G : kl_strip_force(law, depth, rate, impact);
    if (G <= 0.0) return hi;
    for (int i = 0; i < 200 && hi - lo > 1e-13 * hi; i++) {
        double F    = 0.5 * (lo + hi);
        double miss = F - kl_strip_force(law, depth - G * F, rate - slope * G * F, impact);
        if (miss > 0.0) hi = F;
        else lo = F;
    }
    return 0.5 * (lo + hi);
}
