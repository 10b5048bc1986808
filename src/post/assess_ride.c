/* Accelerations of riders of a roller coaster against limits by duration (post/ride.h). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "post/assess_domains.h"
#include "post/ride.h"

/* The n-th point NAME whose channels NAMEx, NAMEy, NAMEz are accelerometer readings of a seat. */
static const char *seat(const kl_assess_input *in, int n)
{
    const char *object;
    for (int i = 0; (object = kl_assess_object(in, "x", i)); i++) {
        if (kl_assess_named(object, "floor_")) continue; /* of a rail vehicle: comfort */
        char name[512];
        snprintf(name, sizeof name, "%sx", object);
        const kl_channel_info *c = kl_reader_channel(in->reader, kl_reader_find(in->reader, name));
        if (!kl_ride_is_reading(c->description, 'x') || strstr(object, "head")) continue;
        if (!kl_assess_has(in, object, "y") || !kl_assess_has(in, object, "z")) continue;
        if (n-- == 0) return object;
    }
    return NULL;
}

static bool ride_suits(const kl_assess_input *in) { return seat(in, 0) != NULL; }

static kl_status ride_run(const kl_assess_input *in, kl_assessment *out)
{
    const char *object;
    if (!kl_assess_rate_suffices(in, "ride", 20.0)) return KL_E_RANGE;
    for (int i = 0; (object = seat(in, i)); i++) {
        const double *a[3] = {kl_assess_column(in, object, "x", "m/s2"),
                              kl_assess_column(in, object, "y", "m/s2"),
                              kl_assess_column(in, object, "z", "m/s2")};
        kl_ride       ride;
        if (!a[0] || !a[1] || !a[2]) return KL_E_FILE;
        KL_TRY(kl_ride_assess(a, in->rows, 1.0 / in->rate, in->arena, &ride));
        for (int w = 0; w < KL_NRIDE; w++) {
            const kl_ride_limit   *l     = &kl_ride_limits[w];
            const kl_ride_verdict *v     = &ride.way[w];
            double                 limit = v->share > 0.0 ? kl_ride_level(l, v->duration) : l->g[0];
            kl_assess_add(out, (double)NAN, v->share > 0.0 ? v->level : v->peak, "g", limit,
                          "%s.%.3s", object, l->name);
        }
    }
    return KL_OK;
}

const kl_assess_domain kl_assess_ride = {
    .name = "ride",
    .help =
        "accelerations of riders, following ASTM F2291 and EN 13814; needs outputs of the "
        "quantities accelerometer.x, accelerometer.y, accelerometer.z named NAMEx, NAMEy, NAMEz",
    .suits = ride_suits,
    .run   = ride_run,
};
