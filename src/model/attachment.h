/* Ways in which a model file names the markers of an element: `between` two bodies, `on` one, `of` a
 * joint, and so on.
 *
 * A way is a `const` table, and an element type points at the one it uses. A new way is one file in
 * language/ (attach_set.c is a short example; language/attach.h has the functions for it) and one
 * line at the end of this header. */
#ifndef KL_MODEL_ATTACHMENT_H
#define KL_MODEL_ATTACHMENT_H

#include "base/diag.h"

struct kl_attaching; /* language/attach.h */
struct kl_text;
struct kl_model;
struct kl_element;

/* A key in words, where no kl_key describes it: for help pages and the schema. Lists end with a
 * NULL name. */
typedef struct kl_word_key {
    const char *name, *kind, *unit, *fallback, *help; /* fallback NULL: must be given */
} kl_word_key;

typedef struct kl_attachment_kind {
    const char *name;
    /* Keys that name markers. `kind` is "body", "bodies", "two bodies", "joint", "two joints", "point",
     * "axis", ...: examples are made from it. NULL: the keys of the type name them */
    const kl_word_key *keys;
    /* adds the markers of the element that was added last */
    kl_status (*attach)(struct kl_attaching *a);
    /* (optional) refuses what can be written down but makes no sense */
    kl_status (*check)(struct kl_attaching *a);
    /* (optional) the same in a model written in full: lines that name the markers */
    void (*write)(struct kl_text *t, const struct kl_model *m, const struct kl_element *e);
    /* whose force and torque are channels: 0: of the second marker or the only one, none where there
     * are more; k: of the k-th marker; -1: of none */
    int  loaded;
    bool nodes; /* of every second marker, by the name of its body */
    /* as tests write it, with the bodies a, b, c and the joints j1 (of a and b), j2 (of b and c). NULL:
     * rigid bodies are not enough for it, and its elements have tests of their own */
    const char *sample;
} kl_attachment_kind;

extern const kl_attachment_kind kl_attach_pair;    /* between: [a, b], at, axis */
extern const kl_attachment_kind kl_attach_bodies;  /* between: [a, b]: the axes of the bodies */
extern const kl_attachment_kind kl_attach_one;     /* on: a, at, axis */
extern const kl_attachment_kind kl_attach_joint;   /* of: joint, or a pair: the same markers */
extern const kl_attachment_kind kl_attach_joints;  /* joints: [j1, j2]: four markers */
extern const kl_attachment_kind kl_attach_set;     /* pilot: a, nodes: [b, c, ...] */
extern const kl_attachment_kind kl_attach_signals; /* a pair for each that KL_KEY_SIGNALS name */
extern const kl_attachment_kind kl_attach_groups;  /* between: [group, group] */
extern const kl_attachment_kind kl_attach_row;     /* body: a, nodes: [b, c, ...] */
extern const kl_attachment_kind kl_attach_skin;    /* between: [a, b]: all nodes of b's skin */
extern const kl_attachment_kind kl_attach_follow;  /* body: a, at, on: b: carrier, follower, and the
                                                      element's own coordinates */

#endif
