/* What a viewer needs to show linear modes, beside the linear model in its HDF5 file: scene, where
 * bodies stand, and how each mode moves them. Layout: docs/analyses.md.
 *
 *   scene/json      text: the scene (scene.h)
 *   scene/bodies    names, nbody
 *   scene/base      nbody x 7: position, Euler parameters where it was linearised
 *   scene/motion    nmode x nbody x 12: velocity and turning of a body for a mode of size one, real
 *                   parts (3 + 3), then imaginary ones; global axes
 *   scene/tracks    lines that bodies follow (drawn_lines.h)
 *   scene/skins     nskin: what each surface of a flexible body holds, JSON (post/skin.h)
 *   scene/skin<k>   its bytes, four a number
 *   scene/modal<k>  (1 + 2 nmode) x n: its modal coordinates where it was linearised, then real and
 *                   imaginary parts for each mode of size one */
#ifndef KL_RESULTS_MODES_FILE_H
#define KL_RESULTS_MODES_FILE_H

#include "base/arena.h"
#include "base/diag.h"
#include "results/drawn_lines.h"

/* The surface of a flexible body and how the modes deform it. */
typedef struct kl_modes_skin {
    const char   *head;
    const int    *words;
    int           nword, n;
    const double *modal; /* (1 + 2 nmode) x n */
} kl_modes_skin;

typedef struct kl_modes_scene {
    const char        *title, *json;
    int                nbody, nmode;
    const char *const *body;
    const double      *base;   /* nbody x 7 */
    const double      *motion; /* nmode x nbody x 12 */
    kl_modes_skin     *skin;
    int                nskin;
    const kl_model    *model; /* when written: its lines are kept */
    /* only when read */
    const kl_track_points *track;
    int                    ntrack;
    const double      *eigenvalue; /* nmode x 4: real, imaginary, frequency [Hz], damping ratio */
    const char *const *text;       /* nmode: in words; NULL: none */
} kl_modes_scene;

/* True when the file is a linear model of ours. */
bool kl_modes_file(const char *path);

/* Adds to the file that kl_linear_write made. */
kl_status kl_modes_scene_add(const char *path, const kl_modes_scene *s, kl_diag *diag);
kl_status kl_modes_scene_read(const char *path, kl_arena *arena, kl_diag *diag,
                              kl_modes_scene *out);

#endif
