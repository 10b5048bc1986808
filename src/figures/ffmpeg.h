/* Runs ffmpeg: pictures go in through a pipe as plain bytes, a film comes out. No shell. */
#ifndef KL_FIGURES_FFMPEG_H
#define KL_FIGURES_FFMPEG_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

typedef struct kl_ffmpeg {
    FILE *pictures; /* write R, G, B here */
    FILE *errors;
    pid_t child;
} kl_ffmpeg;

/* Starts ffmpeg; it writes `path`, an animated picture or an MP4. A failure is printed. */
bool kl_ffmpeg_start(kl_ffmpeg *m, const char *path, bool gif, int width, int height, double fps);

/* Ends the film and waits; what ffmpeg complains about is printed. */
bool kl_ffmpeg_end(kl_ffmpeg *m);

#endif
