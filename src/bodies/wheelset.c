/* Data of a wheelset: y points along the axle to the left, the reference point is in its middle. The wheels
 * roll forward for a positive rate about y: omega_y = rolling/radius. */
#include "bodies/wheelset.h"

#include <math.h>

#include "bodies/spinning.h"

kl_status wheelset_setup(void *data, const kl_setup *s, kl_body_size *size)
{
    wheelset *p        = data;
    p->rigid.spin_axis = kl_vec(0.0, 1.0, 0.0);
    if (p->rolling != 0.0) {
        double  rate = p->rolling / p->wheels.radius;
        kl_vec3 axle = kl_axis(&p->rigid.orientation, 1), om = kl_load(p->rigid.omega);
        if (p->rigid.velocity_axes == 1) axle = kl_vec(0.0, 1.0, 0.0);
        kl_store(p->rigid.omega, kl_axpy(rate, axle, om));
    }
    return spinning_setup(&p->rigid, s, size);
}

const kl_wheels *wheelset_wheels(const void *data) { return &((const wheelset *)data)->wheels; }

int wheelset_markers(const void *data, kl_builtin_marker *out)
{
    const wheelset *p = data;
    out[0]            = (kl_builtin_marker){"centre", kl_vec(0.0, 0.0, 0.0), false};
    out[1]            = (kl_builtin_marker){"left", kl_vec(0.0, p->box, 0.0), false};
    out[2]            = (kl_builtin_marker){"right", kl_vec(0.0, -p->box, 0.0), false};
    return 3;
}

#define LENGTH(key_, field_, fallback_, min_, max_, help_)                                         \
    {                                                                                              \
        .name = key_, .kind = KL_KEY_NUMBER, .offset = offsetof(wheelset, field_), .unit = "m",    \
        .fallback = fallback_, .min = min_, .max = max_, .help = help_                             \
    }
#define PROFILE(key_, field_, help_)                                                               \
    {                                                                                              \
        .name = key_, .kind = KL_KEY_RESOURCE, .offset = offsetof(wheelset, field_),               \
        .words = "profiles", .fallback = "", .help = help_                                         \
    }

const kl_key kl_wheelset_keys[] = {
    KL_RIGID_KEYS,
    LENGTH("radius", wheels.radius, "0.46", 0.05, 2.0, "wheel radius at the running circle"),
    LENGTH("radius_right", wheels.radius_right, "", 0.05, 2.0,
           "radius of the right wheel, if it differs from `radius`"),
    LENGTH("back_to_back", wheels.back_to_back, "1.36", 0.1, 4.0,
           "distance of the inner faces of the wheels; the running circles are 70 mm further out"),
    LENGTH("box", box, "1", 0.0, 3.0,
           "lateral position of the axle boxes: the markers `left` and `right`, which do not spin, "
           "are at y = box and y = -box"),
    PROFILE("wheel", wheels.wheel,
            "profile of the wheels: S1002 or one named under `profiles`; default: cones"),
    PROFILE("wheel_right", wheels.wheel_right,
            "profile of the right wheel, if it differs from `wheel`"),
    {.name     = "rolling",
     .kind     = KL_KEY_NUMBER,
     .offset   = offsetof(wheelset, rolling),
     .unit     = "m/s",
     .fallback = "0",
     .help = "initial rolling speed: adds rolling/radius to omega about the axle; it does not move "
             "the body, so give `velocity` the same speed"},
    {0}};
