/* How an entry of a model file names its markers, and the functions for a new way to do so
 * (model/attachment.h). */
#ifndef KL_LANGUAGE_ATTACH_H
#define KL_LANGUAGE_ATTACH_H

#include "language/values.h"

/* Keys that an element of this type may have beside those of its type; NULL-terminated. Returns how
 * many. */
int kl_attach_keys(const kl_element_type *type, const char **names, int most);

/* Reads the `markers` of a body, which may be absent. */
kl_status kl_attach_markers(kl_scope *s, kl_model *m, const kl_entry *body, int index);
/* The markers that the reduced body of a body brings. */
kl_status kl_attach_reduced(kl_model *m, int index, kl_diag *diag);
/* Adds the markers of the last element of the model. */
kl_status kl_attach_element(kl_scope *s, kl_model *m, const kl_entry *e,
                            const kl_element_type *type, void *data);
/* What `name` is called outside the part being read: of a body, joint or force, or in `others`;
 * NULL: nothing has it. */
const char *kl_attach_whole_name(const kl_scope *s, const kl_model *m, const char *name,
                                 const kl_names *others);

/* The line of the `when` that left the name out, or the part it is in, or 0. */
int kl_attach_dropped(const kl_scope *s, const char *name);

/* Index of a named input as seen from the part, or -1. */
int kl_attach_input(const kl_scope *s, const kl_model *m, const char *name);

/* What an element may say about its place, for help pages; NULL: nothing. */
const kl_word_key *kl_attach_help(const kl_element_type *type);

/* ---- for a way to attach: what attach functions are given and call ---- */

typedef struct kl_attaching {
    kl_scope              *s;
    kl_model              *m; /* the element is its last one */
    const kl_entry        *e; /* kl_entry_get(a->e, "between") */
    const kl_element_type *type;
    void                  *data;  /* of the element, its keys are read */
    bool                   axial; /* its axis is that of a turn (kl_element_type.axial) */
} kl_attaching;

/* A frame in space, or already on a body (named marker). */
typedef struct kl_body_frame {
    int body;
    int compound; /* 1 + index of the compound that is named instead of one of its bodies; 0: none */
    bool    named;
    kl_vec3 r;       /* global */
    kl_mat3 A;       /* global */
    kl_vec3 local_r; /* of a named marker: in the body, kept to the bit */
    kl_mat3 local_A;
    int     node;
    bool    turned; /* of a named marker: the element gave its axes */
} kl_body_frame;

/* "crank.pin": a marker that the body crank names; "crank": the body alone, not named, without r. A
 * name that is not there is reported with a suggestion. */
kl_status kl_attach_find_frame(kl_attaching *a, const kl_node *where, kl_body_frame *f);
/* Reads `at`, `axis`, `x_axis` for one frame or a pair: `at` and `axis` may be lists of two. A named
 * marker keeps its place. */
kl_status kl_attach_place_frames(kl_attaching *a, kl_body_frame f[2], int n);
/* Appends the marker. `axial`: in a mirrored part the axis of a named marker turns round. */
kl_status kl_attach_add_frame(kl_attaching *a, const kl_body_frame *f, bool axial);
/* Appends the two markers of a joint above; its index in *found. */
kl_status kl_attach_copy_joint(kl_attaching *a, const kl_node *where, int *found);
/* Appends the marker of the element's own coordinates (kl_element_type.own); it comes last. */
kl_status kl_attach_own(kl_attaching *a);
/* Tells "joint 'x': what"; returns KL_E_MODEL. */
kl_status kl_attach_missing(kl_attaching *a, const char *what);
/* Error for a beam where one of its nodes must be named; the message gives the names of its ends. */
kl_status kl_attach_refuse_compound(kl_scope *s, const kl_model *m, const kl_node *where,
                                    const kl_body_frame *f);
/* A check for most ways: a body whose axes never turn takes no torque and guides nothing. */
kl_status kl_attach_check_axes(kl_attaching *a);

/* "crank.m3": how marker i is called in a model written in full. */
enum { KL_MARKER_NAME = 300 };
const char *kl_attach_marker_name(const kl_model *m, int i, char text[KL_MARKER_NAME]);

/* ---- names ---- */

/* Index of a body by name, or -1 after telling with a suggestion. */
int kl_attach_body(kl_scope *s, const kl_model *m, const kl_node *where, const char *name);
/* The body that `of` names, "crank", and its reference point; or a marker of it, "crank.pin". */
kl_status kl_attach_point(kl_scope *s, const kl_model *m, const kl_node *of, int *body,
                          kl_marker *at);

#endif
