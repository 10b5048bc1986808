#include "language/other_names.h"

#include <stddef.h>
#include <strings.h>

static const char *const names[][2] = {
    {"hinge", "revolute"},
    {"friction", "joint-friction"},
    {"limits", "bump-stop"},
    {"clearance", "worn-revolute"},
    {"pin", "revolute"},
    {"pivot", "revolute"},
    {"rotational", "revolute"},
    {"bearing", "revolute"},
    {"prismatic", "translational"},
    {"slider", "translational"},
    {"slide", "translational"},
    {"linear", "translational"},
    {"ball", "spherical"},
    {"spheric", "spherical"},
    {"ball-joint", "spherical"},
    {"cardan", "universal"},
    {"hooke", "universal"},
    {"u-joint", "universal"},
    {"weld", "fixed"},
    {"lock", "fixed"},
    {"clamp", "fixed"},
    {"sleeve", "cylindrical"},
    {"plane", "planar"},
    {"helical", "screw"},
    {"rod", "distance"},
    {"link", "distance"},
    {"inline", "point-on-line"},
    {"inplane", "point-on-plane"},
    {"gear", "coupler"},
    {"belt", "coupler"},
    {"rack-and-pinion", "coupler"},
    {"motor", "driver"},
    {"motion", "driver"},
    {"actuator", "driver"},
    {"spider", "rigid-set"},
    {"rbe2", "rigid-set"},
    {"spring", "spring-damper"},
    {"damper", "spring-damper"},
    {"sda", "spring-damper"},
    {"torsion-spring", "rotational-spring-damper"},
    {"torsional-spring", "rotational-spring-damper"},
    {"rotational-spring", "rotational-spring-damper"},
    {"maxwell", "series-spring-damper"},
    {"bush", "bushing"},
    {"mount", "bushing"},
    {"stop", "bump-stop"},
    {"bumpstop", "bump-stop"},
    {"buffer", "bump-stop"},
    {"moment", "torque"},
    {"load", "force"},
    {"script", "controller"},
    {"lua", "controller"},
    {"pid", "controller"},
    {"mass", "point"},
    {"point-mass", "point"},
    {"particle", "point"},
    {"body", "rigid"},
};

const char *kl_other_name(const char *word)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcasecmp(names[i][0], word) == 0) return names[i][1];
    return NULL;
}
