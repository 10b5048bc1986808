/* Keys that the elements on wheel and rail share: rows of a table of keys of `wheel_rail`. */
#ifndef KL_RAILWAY_WHEEL_RAIL_KEYS_H
#define KL_RAILWAY_WHEEL_RAIL_KEYS_H

#include "railway/wheel_rail_parts.h"

// clang-format off
#define KL_WHEEL_RAIL_NUMBER(key_, field_, unit_, fallback_, min_, max_, help_)                    \
    {.name = key_, .kind = KL_KEY_NUMBER, .offset = offsetof(wheel_rail, field_), .unit = unit_,   \
     .fallback = fallback_, .min = min_, .max = max_, .help = help_}

#define KL_WHEEL_RAIL_PROFILE(key_, help_)                                                         \
    {.name = #key_, .kind = KL_KEY_RESOURCE, .offset = offsetof(wheel_rail, key_),                 \
     .words = "profiles", .fallback = "", .help = help_}

#define KL_WHEEL_RAIL_WHEELS                                                                       \
    KL_WHEEL_RAIL_NUMBER("radius", radius, "m", "", 0.05, 2.0,                                     \
        "wheel radius at the running circle; default: radius of the wheelset, or 0.46 m"),         \
    KL_WHEEL_RAIL_NUMBER("back_to_back", back_to_back, "m", "", 0.1, 4.0,                          \
        "distance of the inner faces of the wheels; the running circles are 70 mm further out. "   \
        "Default: value of the wheelset, or 1.36 m"),                                              \
    KL_WHEEL_RAIL_NUMBER("half_gauge", half_gauge, "m", "", 0.1, 2.0,                              \
        "half the distance of the running circles, instead of back_to_back"),                      \
    KL_WHEEL_RAIL_PROFILE(wheel,                                                                   \
        "profile of the wheels: S1002 or one named under `profiles`; default: profile of "         \
        "the wheelset, or a cone"),                                                                \
    KL_WHEEL_RAIL_NUMBER("conicity", conicity, "1", "0.05", -1.0, 1.0,                             \
        "tangent of the cone angle of a conical wheel; positive: the radius falls outward"),       \
    KL_WHEEL_RAIL_PROFILE(rail,                                                                    \
        "profile of the rails: \"60E1\", UIC60 or one named under `profiles`; default: an "        \
        "arc. A cone on an arc touches at the running circle when centred")

#define KL_WHEEL_RAIL_TRACK                                                                        \
    KL_WHEEL_RAIL_NUMBER("gauge", gauge, "m", "1.435", 0.1, 4.0,                                   \
        "track gauge: distance between the rail heads, 14 mm below their tops"),                   \
    KL_WHEEL_RAIL_NUMBER("inclination", inclination, "1", "0.025", -1.0, 1.0,                      \
        "tangent of the angle by which the rails lean inward: 1/40"),                              \
    KL_WHEEL_RAIL_NUMBER("rail_radius", rail_radius, "m", "0.3", 0.0, 10.0,                        \
        "radius of the rail head; 0: a knife edge")

#define KL_WHEEL_RAIL_SPEED                                                                        \
    KL_WHEEL_RAIL_NUMBER("speed", speed, "m/s", "0", 0.0, 0.0,                                     \
        "running speed, added to the motion of the bodies: the model is described in a frame "     \
        "that moves along the track"),                                                             \
    KL_WHEEL_RAIL_NUMBER("speed_floor", speed_floor, "m/s", "0.01", 1e-6, 10.0,                    \
        "rolling speed below which creepages are reduced, so that forces are defined at rest")
// clang-format on

#endif
