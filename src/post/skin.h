/* The surface of a flexible body on its way into a page: nodes, triangles, and how each mode moves
 * the nodes (and stresses them), as 16 bit numbers of a scale for each mode.
 *
 * The bytes of a block, little endian: positions float32 (nnode x 3), triangles uint32 (3 a
 * triangle), lines uint32 (2 a line), damage float32 (a node) where it is known, then for each mode x, y, z of all nodes as int16, then, where
 * there is stress, for each mode its six components (xx yy zz xy yz zx) of all nodes as int16. A
 * value is its number times the mode's scale. */
#ifndef KL_POST_SKIN_H
#define KL_POST_SKIN_H

#include "base/text.h"
#include "klingel/status.h"
#include "reduce/kbody.h"

typedef struct kl_skin {
    const char     *body; /* name in the scene */
    const kl_kbody *of;
    const int      *mode;    /* n: which of the file's modes, -1: none; NULL: all */
    const double   *rigid;   /* n x 6 or NULL: rigid motion added to each, as in kl_modal_run */
    int             n;       /* modes */
    int             kept;    /* modes that fit a page, from the first */
    bool            stress;  /* von Mises can be shown */
    bool            no_room; /* stress was left out to save space */
    const float    *damage;  /* nnode: fatigue damage of the run, or NULL */
    double          span;    /* time in which it came about [s] */
} kl_skin;

/* Decides what fits: 48 MB a skin. `mode` may be NULL: all modes; `rigid` too. */
kl_skin kl_skin_plan(const char *body, const kl_kbody *of, const int *mode, const double *rigid,
                     int n);

/* How mode j moves a node, in body axes. */
kl_vec3 kl_skin_mode_at(const kl_skin *s, int node, int j);

/* The bytes, to be freed; adds its entry of the head ({"body": ..., ...}) to `head`. NULL when out
 * of memory. */
unsigned char *kl_skin_pack(const kl_skin *s, kl_text *head, size_t *size);

#endif
