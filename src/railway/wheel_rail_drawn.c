#include "railway/wheel_rail_drawn.h"

#include <math.h>

#include "railway/profiles.h"
#include "railway/wheel_rail_parts.h"

/* Points at equal distances along an outline. */
static int sample(const kl_outline *o, double points[KL_WHEEL_DRAWN_POINTS][2])
{
    for (int i = 0; i < KL_WHEEL_DRAWN_POINTS; i++) {
        double           s = kl_outline_length(o) * i / (KL_WHEEL_DRAWN_POINTS - 1);
        kl_outline_point p = kl_outline_at(o, kl_outline_find(o, s));
        points[i][0]       = p.y;
        points[i][1]       = p.z;
    }
    return KL_WHEEL_DRAWN_POINTS;
}

/* A cone on an arc has no profiles: the part of both about the contact that is as wide as a wheel and
 * a rail head. The contact in the middle position lies at y = half, asin((half - yc)/R) from the top. */
static kl_status cone_on_arc(const wheel_side *w, double half, kl_arena *arena, kl_outline *wheel,
                             kl_outline *rail)
{
    const kl_cone_on_arc *c = &w->cone;
    double                R = c->rail_radius;
    if (!(R > 0.0)) return KL_E_RANGE;                             /* a knife edge */
    double angle = acos(fmax(-1.0, fmin(1.0, (half - c->y) / R))); /* from the y axis */
    double reach = fmin(0.035 / R, 0.8);
    KL_TRY(kl_wheel_cone(c->conicity, 0.13, arena, wheel));
    kl_outline_begin(rail, arena);
    kl_outline_arc(rail, c->y, c->z, R, angle + reach, angle - reach);
    return kl_outline_end(rail);
}

static kl_status outlines(const wheel_rail *p, const wheel_side *w, kl_arena *arena,
                          kl_outline *wheel, kl_outline *rail)
{
    kl_rail_setting setting = {p->gauge, KL_RAIL_SETTING.gauge_depth, p->inclination};
    kl_outline      own;
    if (!w->wheel && !w->rail) return cone_on_arc(w, p->half_gauge, arena, wheel, rail);
    KL_TRY(kl_wheel_rail_wheel_outline(p, w, arena, wheel));
    KL_TRY(kl_wheel_rail_rail_outline(p, w, arena, &own));
    return kl_rail_placed(&own, &setting, arena, rail, NULL);
}

bool kl_wheel_rail_drawn(const void *data, int k, kl_wheel_drawn *out)
{
    const wheel_rail *p = data;
    const wheel_side *w = &p->one[k];
    kl_outline        wheel, rail;
    kl_arena         *arena = kl_arena_create();
    bool good = arena && has_side(p, k) && outlines(p, w, arena, &wheel, &rail) == KL_OK;
    if (good) {
        *out        = (kl_wheel_drawn){.radius = w->radius, .half = p->half_gauge};
        out->nwheel = sample(&wheel, out->wheel);
        out->nrail  = sample(&rail, out->rail);
    }
    kl_arena_destroy(arena);
    return good;
}

double kl_wheel_rail_straight_gauge(const void *data)
{
    const wheel_rail *p = data;
    return p->track ? 0.0 : p->gauge;
}
