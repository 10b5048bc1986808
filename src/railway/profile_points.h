/* Points of a measured or listed wheel or rail profile become an outline: axes, units and order are
 * recognised or taken as declared, mistakes are named, and a smooth curve is laid through. */
#ifndef KL_RAILWAY_PROFILE_POINTS_H
#define KL_RAILWAY_PROFILE_POINTS_H

#include "railway/outline.h"
#include "store/profile_file.h"

typedef enum kl_profile_kind { KL_PROFILE_WHEEL, KL_PROFILE_RAIL } kl_profile_kind;

/* Directions of the file's coordinates. OUT: towards the field side; AUTO: recognised. */
typedef enum kl_axis_sense { KL_AXIS_AUTO, KL_AXIS_OUT, KL_AXIS_IN } kl_axis_sense;
typedef enum kl_height_sense { KL_HEIGHT_AUTO, KL_HEIGHT_UP, KL_HEIGHT_DOWN } kl_height_sense;

typedef struct kl_profile_options {
    kl_axis_sense   y;
    kl_height_sense z;
    double          unit;      /* metres a unit; 0: from the file or recognised */
    double          smoothing; /* largest deviation [m]; 0: from the noise of the points */
} kl_profile_options;

/* What was recognised, for people. */
typedef struct kl_profile_report {
    const char *axes;      /* "y towards the field side, z up" and so on */
    double      unit;      /* metres a unit */
    bool        reversed;  /* points were listed from the field side to the track side */
    double      noise;     /* of the points [m] */
    double      deviation; /* largest distance of a point from the smooth curve [m] */
    double      origin[2]; /* y and z of the file's points at the outline's origin [m] */
    int         npoint;
} kl_profile_report;

/* "out-up", "in-down", ...: both senses in one word. False when there is no such word. */
bool kl_profile_axes_parse(const char *word, kl_profile_options *options);

/* Mistakes are errors with file and line in `diag`. */
kl_status kl_outline_from_points(const kl_profile_points *p, kl_profile_kind kind,
                                 const kl_profile_options *options, kl_arena *arena, kl_diag *diag,
                                 kl_outline *out, kl_profile_report *report);

#endif
