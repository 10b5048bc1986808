/* klingel export of motion: bodies with their shapes, for programs that show them. */
#ifndef KL_CLI_EXPORT_MOTION_H
#define KL_CLI_EXPORT_MOTION_H

#include "post/motion_file.h"
#include "terminal/result_files.h"

typedef struct kl_motion_request {
    const char *file, *output;
    kl_frames   frames;
    double      speed;       /* seconds of motion in a second of film; 0: chosen */
    bool        every_given; /* else long series are thinned, which is said */
} kl_motion_request;

/* True when the name ends in .pvd, .glb, .mp4 or .gif. */
bool kl_motion_file(const char *name);

/* Writes it; exit code. */
int kl_motion_export(kl_motion_request *q, kl_diag *diag);

#endif
