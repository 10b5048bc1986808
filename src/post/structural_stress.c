#include "post/structural_stress.h"

#include <math.h>
#include <stdlib.h>

#include "base/vec.h"
#include "post/skin_points.h"

kl_weld_rule kl_weld_rule_of(const kl_weld *w)
{
    double t = w->thickness;
    if (t > 0.0) return (kl_weld_rule){2, {0.4 * t, 1.0 * t}, {1.67, -0.67}, 0.4 * t};
    return (kl_weld_rule){3, {4e-3, 8e-3, 12e-3}, {3.0, -3.0, 1.0}, 4e-3};
}

/* The point of a triangle next to p, as shares of its corners (Ericson 2005, section 5.1.5). */
static void nearest_in(kl_vec3 p, const kl_vec3 x[3], double share[3])
{
    kl_vec3 ab = kl_sub(x[1], x[0]), ac = kl_sub(x[2], x[0]), ap = kl_sub(p, x[0]),
            bp = kl_sub(p, x[1]), cp = kl_sub(p, x[2]);
    double d1 = kl_dot(ab, ap), d2 = kl_dot(ac, ap), d3 = kl_dot(ab, bp), d4 = kl_dot(ac, bp),
           d5 = kl_dot(ab, cp), d6 = kl_dot(ac, cp);
    double va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2, v = 0.0, w = 0.0;
    if (d1 <= 0.0 && d2 <= 0.0) v = w = 0.0;
    else if (d3 >= 0.0 && d4 <= d3) v = 1.0;
    else if (d6 >= 0.0 && d5 <= d6) w = 1.0;
    else if (vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0) v = d1 / (d1 - d3);
    else if (vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0) w = d2 / (d2 - d6);
    else if (va <= 0.0 && d4 >= d3 && d5 >= d6) w = (d4 - d3) / (d4 - d3 + d5 - d6), v = 1.0 - w;
    else v = vb / (va + vb + vc), w = vc / (va + vb + vc);
    share[0] = 1.0 - v - w, share[1] = v, share[2] = w;
}

static void read_at(const kl_kbody *b, const kl_skin_points *points, kl_vec3 place,
                    kl_weld_reading *out)
{
    out->away = HUGE_VAL;
    for (int t = 0; t < b->skin.ntriangle; t++) {
        const int *corner = b->skin.triangle + 3 * t;
        kl_vec3    x[3];
        double     share[3];
        bool       known = true;
        for (int i = 0; i < 3; i++) {
            x[i]  = b->skin.x[corner[i]];
            known = known && points->first[corner[i]] >= 0;
        }
        if (!known) continue;
        nearest_in(place, x, share);
        kl_vec3 at = kl_vec(0, 0, 0);
        for (int i = 0; i < 3; i++) at = kl_add(at, kl_scale(share[i], x[i]));
        double away = kl_norm(kl_sub(at, place));
        if (away >= out->away) continue;
        out->away = away, out->edge = 0.0;
        for (int i = 0; i < 3; i++) {
            out->point[i] = points->first[corner[i]], out->share[i] = share[i];
            out->edge = fmax(out->edge, kl_norm(kl_sub(x[i], x[(i + 1) % 3])));
        }
    }
}

kl_status kl_weld_readings(const kl_kbody *b, const kl_weld *w,
                           kl_weld_reading reading[KL_WELD_MOST])
{
    kl_skin_points points = {0};
    if (!kl_skin_points_find(b, true, &points)) return KL_E_MEMORY;
    kl_vec3 normal    = kl_load(w->normal);
    normal            = kl_scale(1.0 / kl_norm(normal), normal);
    kl_weld_rule rule = kl_weld_rule_of(w);
    for (int k = 0; k < rule.n; k++)
        read_at(b, &points, kl_axpy(rule.place[k], normal, kl_load(w->toe)), &reading[k]);
    kl_skin_points_free(&points);
    return isfinite(reading[0].away) ? KL_OK : KL_E_RANGE;
}

/* n' S n of a stress xx yy zz xy yz zx */
static double normal_stress(const double s[6], kl_vec3 n)
{
    return s[0] * n.x * n.x + s[1] * n.y * n.y + s[2] * n.z * n.z +
           2.0 * (s[3] * n.x * n.y + s[4] * n.y * n.z + s[5] * n.z * n.x);
}

kl_status kl_weld_history(const kl_modal_run *r, const kl_weld *w,
                          const kl_weld_reading reading[KL_WELD_MOST], double *s)
{
    double *stress = malloc(((size_t)r->rows + 1) * 6 * sizeof *stress);
    if (!stress) return KL_E_MEMORY;
    kl_vec3 n = kl_load(w->normal);
    n         = kl_scale(1.0 / kl_norm(n), n);
    for (int i = 0; i < r->rows; i++) s[i] = 0.0;
    kl_weld_rule rule = kl_weld_rule_of(w);
    for (int k = 0; k < rule.n; k++)
        for (int c = 0; c < 3; c++) {
            kl_stress_history(r, reading[k].point[c], stress);
            for (int i = 0; i < r->rows; i++)
                s[i] += rule.share[k] * reading[k].share[c] * normal_stress(stress + 6 * i, n);
        }
    free(stress);
    return KL_OK;
}
