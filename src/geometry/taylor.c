#include "geometry/taylor.h"

#include <math.h>

/* Are the last two terms too small to matter at offset x, even in the fourth derivative? Term n
 * adds n^4 |c_n| x^(n-4) to it; x^-3 is the size that a curve of a stretch x long may have. */
static bool converged(const kl_series *r, double x)
{
    for (int axis = 0; axis < 3; axis++)
        for (int n = KL_SERIES - 2; n < KL_SERIES; n++) {
            double term = pow(n, 4.0) * fabs(r[axis].c[n]) * pow(x, n);
            if (!(term <= 1e-13 * x)) return false;
        }
    return true;
}

/* Highest power whose coefficient is worth keeping. */
static int degree_of(const kl_series *r, double x)
{
    double reach = 0.0, power = 1.0;
    for (int n = 1; n < KL_SERIES; n++) {
        power *= x;
        for (int axis = 0; axis < 3; axis++)
            if (fabs(r[axis].c[n]) * power > 0.0) reach = n;
    }
    return reach < 1 ? 1 : (int)reach;
}

kl_status kl_taylor_lay(const kl_taylor *type, void *context, kl_arena *arena, kl_curve *curve,
                        double u_end, int source, bool unit_speed, kl_place place, kl_diag *diag)
{
    const int halvings = 60;
    int       most     = curve->most > 0 ? curve->most : 1000000;
    bool      first    = true;
    double    step     = u_end - curve->u_end; /* the last one doubled is tried first */
    while (curve->u_end < u_end) {
        kl_series r[KL_TAYLOR_WIDTH];
        double    a = curve->u_end, b = fmin(u_end, a + step);
        type->series(context, a, b, r);
        for (int i = 0; i < halvings && !converged(r, 0.5 * (b - a)); i++) {
            b = a + 0.5 * (b - a);
            type->series(context, a, b, r);
        }
        if (curve->npiece >= most || !(b > a) || (u_end - a) / (b - a) > 10.0 * most)
            return kl_fail(diag, KL_E_RANGE, place,
                           "this part has too large a curvature for its length (more than %d "
                           "pieces); check its length and curvature",
                           most);
        double  mid    = 0.5 * (a + b);
        int     degree = degree_of(r, 0.5 * (b - a));
        kl_vec3 coef[KL_SERIES];
        for (int n = 0; n < KL_SERIES; n++) coef[n] = kl_vec(r[0].c[n], r[1].c[n], r[2].c[n]);
        KL_TRY(kl_curve_add(curve, arena, b, mid, coef, degree, source, unit_speed));
        curve->piece[curve->npiece - 1].smooth = !first;
        type->advance(context, r, 0.5 * (b - a));
        first = false;
        step  = 2.0 * (b - a);
    }
    return KL_OK;
}
