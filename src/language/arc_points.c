#include "language/arc_points.h"

#include <math.h>

static double radius_to(double x[3][2], int point)
{
    return hypot(x[point][0] - x[0][0], x[point][1] - x[0][1]);
}

static double difference(const kl_arc_radii *r)
{
    return r->first > 0.0 ? fabs(r->last - r->first) / r->first : 0.0;
}

/* Printed tables are rounded: the two radii may differ (6e-6 in Craveiro Neto's table 6.4). */
kl_status kl_arc_from_points(kl_diag *diag, kl_place place, const char *what, double x[3][2],
                             kl_arc2 *out, kl_arc_radii *worst)
{
    const double allowed = 1e-4;
    kl_arc_radii r       = {place, radius_to(x, 1), radius_to(x, 2)};
    if (kl_arc2_make(x[0], x[1], x[2], allowed, out) != KL_OK)
        return kl_fail(diag, KL_E_RANGE, place,
                       "%s: first and last are %.9g and %.9g m from the center; both must lie on "
                       "the arc (a difference of %g of the radius is allowed)",
                       what, r.first, r.last, allowed);
    if (difference(&r) > difference(worst)) *worst = r;
    return KL_OK;
}

void kl_arc_note_radii(kl_diag *diag, const char *what, const kl_arc_radii *worst)
{
    const double rounding = 1e-7;
    if (difference(worst) > rounding)
        kl_note(diag, worst->place,
                "%s: first and last are %.9g and %.9g m from the center; the mean radius is used",
                what, worst->first, worst->last);
}
