#include "railway/rolling_radius.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>

/* The wheel of one side in its side axes; `sign` +1 right, -1 left. */
static kl_wheel_pose wheel_pose(const kl_wheelset_on_track *w, int sign, double y, double z,
                                double yaw, double roll)
{
    /* axle to the right, in axes forward, right, up */
    kl_vec3 a = {-sin(yaw), cos(yaw) * cos(roll), cos(yaw) * sin(roll)};
    return (kl_wheel_pose){
        .center = {sign * w->half * a.x, sign * y + w->half * a.y, z + sign * w->half * a.z},
        .axle   = {sign * a.x, a.y, sign * a.z}};
}

/* Deepest contact, or the nearest place: surfaces may be up to 60 mm apart. */
static bool deepest(const kl_contact_search *search, const kl_wheel_pose *pose, kl_touch *out)
{
    kl_touch touch[KL_TOUCH_MOST];
    int      n = 0, best = 0;
    for (double margin = 1e-4; n == 0 && margin < 0.2; margin *= 25.0)
        n = search->find(search->data, pose, margin, NULL, touch);
    for (int k = 1; k < n; k++)
        if (touch[k].depth > touch[best].depth) best = k;
    if (n > 0) *out = touch[best];
    return n > 0;
}

/* How depth changes when the wheelset rises (by dz) and rolls (by droll). */
static void depth_rates(const kl_touch *t, int sign, double y, double z, double out[2])
{
    double arm_y = t->wheel.y - sign * y, arm_z = t->wheel.z - z;
    out[0] = -t->normal.z;
    out[1] = sign * (t->normal.y * arm_z - t->normal.z * arm_y);
}

bool kl_wheelset_rest(const kl_wheelset_on_track *w, double y, double yaw, kl_rolling_state *state)
{
    enum { MOST = 200 };
    double r0 = 0.5 * (w->side[0]->radius + w->side[1]->radius);
    double z = state->height + r0, roll = state->roll, best = INFINITY;
    for (int k = 0; k < MOST; k++) {
        double rate[2][2], d[2];
        for (int i = 0; i < 2; i++) {
            int           sign = i == KL_RIGHT ? 1 : -1;
            kl_wheel_pose pose = wheel_pose(w, sign, y, z, yaw, roll);
            if (!deepest(w->side[i], &pose, &state->touch[i])) return false;
            d[i] = state->touch[i].depth;
            depth_rates(&state->touch[i], sign, y, z, rate[i]);
        }
        double error = fmax(fabs(d[0]), fabs(d[1]));
        if (error < 1e-10) break;
        if (k == MOST - 1 && error > 1e-7) return false;
        /* at a jump from one contact to another whole steps may swing to and fro: halve them */
        double whole = k > 20 && error > 0.5 * best ? 0.5 : 1.0;
        best         = fmin(best, error);
        double det   = rate[0][0] * rate[1][1] - rate[0][1] * rate[1][0];
        if (fabs(det) < 1e-6) return false;
        double dz    = -(d[0] * rate[1][1] - d[1] * rate[0][1]) / det;
        double droll = -(rate[0][0] * d[1] - rate[1][0] * d[0]) / det;
        double limit = fmax(1.0, fmax(fabs(dz) / 5e-3, fabs(droll) / 5e-3));
        z += whole * dz / limit, roll += whole * droll / limit;
        if (fabs(roll) > 0.2) return false;
    }
    state->y = y, state->roll = roll, state->height = z - r0;
    state->delta_r = state->touch[KL_RIGHT].radius - state->touch[KL_LEFT].radius;
    return true;
}

/* Rolling radius of one wheel that is set down alone, without roll. */
static double level_radius(const kl_wheelset_on_track *w, int i, double y)
{
    int      sign = i == KL_RIGHT ? 1 : -1;
    double   z    = w->side[i]->radius;
    kl_touch t;
    for (int k = 0; k < 100; k++) {
        kl_wheel_pose pose = wheel_pose(w, sign, y, z, 0.0, 0.0);
        if (!deepest(w->side[i], &pose, &t)) return NAN;
        if (fabs(t.depth) < 1e-10) break;
        z += t.depth / fmax(t.normal.z, 0.05);
    }
    return t.radius;
}

void kl_wheelset_scan(const kl_wheelset_on_track *w, double most, int n, kl_rolling_state *state)
{
    int mid = n / 2;
    for (int way = -1; way <= 1; way += 2) {
        kl_rolling_state now = {0};
        for (int i = mid; i >= 0 && i < n; i += way) {
            double y = most * (i - mid) / mid;
            if (!kl_wheelset_rest(w, y, 0.0, &now)) now.delta_r = NAN;
            now.y             = y;
            now.delta_r_level = level_radius(w, KL_RIGHT, y) - level_radius(w, KL_LEFT, y);
            state[i]          = now;
        }
    }
}

double kl_wheelset_clearance(const kl_wheelset_on_track *w, double gauge)
{
    return gauge - 2.0 * w->half - w->side[KL_RIGHT]->flange_face - w->side[KL_LEFT]->flange_face;
}

kl_fit kl_wheelset_fit(const kl_wheelset_on_track *w, double gauge, const kl_rolling_state *middle,
                       char text[KL_FIT_TEXT])
{
    const double low = -0.02, high = 0.008, edge = 0.058; /* [m]: wheels are 60 mm wide outward */
    /* a track of 1470 mm (EN 13848-5) under wheels worn to 1410 mm between the flange faces (EN
     * 15313) */
    const double widest = 0.060, tight = 0.002;
    double       clearance = kl_wheelset_clearance(w, gauge);
    if (!isfinite(middle->delta_r))
        snprintf(text, KL_FIT_TEXT, "there is no position in which both wheels rest on the rails");
    else if (middle->height <= low)
        snprintf(text, KL_FIT_TEXT, "the wheels fall between the rails");
    else if (clearance < 0.0)
        snprintf(text, KL_FIT_TEXT, "the flanges overlap the rails by %.1f mm", -1e3 * clearance);
    else if (middle->height >= high)
        snprintf(text, KL_FIT_TEXT, "both wheels rest on their flanges");
    else if (middle->touch[KL_RIGHT].wheel_u > edge && middle->touch[KL_LEFT].wheel_u > edge)
        snprintf(text, KL_FIT_TEXT, "the rails are under the outer edges of the wheels");
    else if (clearance > widest)
        snprintf(
            text, KL_FIT_TEXT,
            "the clearance of both flanges together is %.1f mm, more than worn wheels have on the "
            "widest track (%.0f mm)",
            1e3 * clearance, 1e3 * widest);
    else if (clearance < tight) {
        snprintf(text, KL_FIT_TEXT, "the clearance of both flanges together is only %.1f mm",
                 1e3 * clearance);
        return KL_FIT_TIGHT;
    } else return KL_FITS;
    return KL_FITS_NOT;
}
