/* The two interfaces that hold the house up: elements see markers, bodies own coordinates.
 *
 * A body turns its coordinates into the motion of markers and takes wrenches back. An element turns
 * the motion of its markers into constraints and wrenches. Neither sees the other; both are `const`
 * tables; a solver sees matrices only.
 *
 *   M(q) v' + Phi_q' lambda = g(q, v, z, u, t),   Phi(q, t) = 0,   z' = f(q, v, z, u, t)
 *
 * Increments `dx` are laid out like `v` (dr global, dpi body-fixed). Marker increments are (dr,
 * dtheta), both global, A -> exp([dtheta]) A, so the same map B carries velocities and increments.
 * A wrench is (force, moment), global, at the marker's origin. Six numbers a marker, marker after
 * marker; matrices are row-major. */
#ifndef KL_MODEL_INTERFACE_H
#define KL_MODEL_INTERFACE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/vec.h"
#include "model/attachment.h"
#include "model/placement.h"

/* ---- keys: one schema for parsing, checks, help and documentation
 * ---------------------------------------------- */

typedef enum kl_key_kind {
    KL_KEY_NUMBER,   /* double */
    KL_KEY_NUMBERS,  /* double[size], a list; one number fills it when `fill` */
    KL_KEY_AXIS,     /* kl_vec3 of unit length: x, y, z, -x, ... or [a, b, c]; zero when absent */
    KL_KEY_ROTATION, /* kl_mat3: quaternion, axis and angle, euler, cardan, two vectors */
    KL_KEY_INERTIA,  /* kl_mat3: [xx, yy, zz] or [xx, yy, zz, xy, xz, yz] */
    KL_KEY_MATRIX6,  /* double[36]: number, 3, 6 or 36 numbers (diagonal or full) */
    KL_KEY_FUNCTION, /* kl_function *: number, table, polynomial, harmonic, step, input; NULL when
                        absent */
    KL_KEY_WORD,     /* int: index into `words` */
    KL_KEY_WORDS,    /* int: set of bits, one a word of `words` */
    KL_KEY_FLAG,     /* bool */
    KL_KEY_SIGNALS,  /* kl_signals *: {name: joint.angle, ...}; needs kl_attach_signals */
    KL_KEY_TABLE,    /* kl_table *: {name: number, ...} */
    KL_KEY_CODE,     /* kl_code: text in Lua */
    KL_KEY_TEXT,     /* kl_code: an expression over channels, compiled later; text NULL: absent */
    KL_KEY_SHAPES,   /* kl_shapes: two shapes that can touch, [{sphere: 50 mm}, plane] */
    /* const T *: the data of a resource (model/resource.h) of the section that `words` names; NULL
     * when absent. `size` above 1: as many of them, in a list; one name fills it */
    KL_KEY_RESOURCE,
    KL_KEY_FILE, /* kl_file: name of a file, as seen from the file of the model that says so */
    /* kl_list: any number of numbers; empty when absent. `size` above 1: rows of as many numbers, one
     * after the other: [[1, 2], [3, 4]] */
    KL_KEY_LIST,
    /* kl_reduced: file of a reduced body, or a body file that is reduced now. `by`: "KEY WORD", with
     * that word of the key KEY the mesh itself is taken */
    KL_KEY_REDUCED,
    KL_KEY_TEXTS, /* kl_text_list: one text or a list of texts; empty when absent */
} kl_key_kind;

typedef struct kl_key {
    const char *name;
    kl_key_kind kind;
    size_t      offset; /* of the value in the type's data */
    /* SI unit of the value (of a function: of its value); "*": any; "KEY?a|b": by the choice of the
     * word key KEY above; "A over B": quotient of two of these; "A over B ^ KEY": B to the power
     * that the number key KEY above has; "a|b|c" of KL_KEY_NUMBERS: of each */
    const char *unit;
    const char
        *by; /* of a function: unit of its argument (default s); of KL_KEY_REDUCED: see there */
    const char *fallback; /* default, as written in a model; NULL: must be given; "": absent */
    const char *words;    /* choices, separated by blanks; of KL_KEY_RESOURCE: the section */
    double      min, max; /* range, both inclusive; both 0: any */
    int         size;     /* of KL_KEY_NUMBERS, KL_KEY_RESOURCE */
    const char *negative; /* (optional) what a value below zero would mean: worth a warning */
    const char *help;     /* one line */
} kl_key;

/* A quantity of a joint, body, marker or named input, as an element measures or sets it. */
typedef struct kl_signal {
    const char *name;   /* that the element calls it by */
    const char *text;   /* as written: "hinge.angle" */
    const char *what;   /* "angle", "position.x": the element knows what that is */
    bool        body;   /* of a body or marker (against ground), not of a joint */
    int         joint;  /* index of that joint, or -1 */
    int         marker; /* first of its pair among the element's markers; -1: an input */
    int         input;  /* index of a named input, or -1 */
    kl_place    place;
} kl_signal;

typedef struct kl_signals {
    kl_signal *item;
    int        n;
} kl_signals;

typedef struct kl_table {
    const char **name;
    double      *value;
    int          n;
} kl_table;

typedef struct kl_code {
    const char  *text;
    kl_place     place;    /* of its first line */
    const char **constant; /* parameters that it may use, NULL-terminated */
    double      *value;
} kl_code;

typedef struct kl_file {
    const char *name; /* as the model writes it; NULL: absent */
    const char *path; /* to open it by */
    kl_place    place;
} kl_file;

/* Shapes of a contact (contact/contact_shape.h), one for each of its two markers. */
typedef struct kl_shapes {
    struct kl_solid *item;
    int              n;
} kl_shapes;

typedef struct kl_list {
    double *value;
    int     n;
} kl_list;

typedef struct kl_text_list {
    const char **item;
    kl_place    *place;
    int          n;
} kl_text_list;

/* A flexible body that finite elements were reduced to (reduce/kbody.h); lives as long as the model. */
typedef struct kl_reduced {
    const struct kl_kbody *body;
    const char            *file; /* as the model names it */
    const char            *text; /* as a model file writes it with parameters set; NULL: the name */
    int                    mirror; /* 1, 2, 3: `body` is its mirror image, this axis turned round */
    /* of a key with `by` "KEY WORD", where the entry says so: the mesh and what the body file asks
     * for, in the place of `body` */
    struct kl_mesh         *mesh;
    const struct kl_recipe *recipe;
} kl_reduced;

/* What a body made of reduced finite elements shows of them: for skins, stress and advice on modes. */
typedef struct kl_modal_body {
    const kl_reduced *file;
    int               n;      /* modes in use; 0: the body is rigid now */
    const int        *mode;   /* n: which of the file's; -1: a rigid motion, behind the others */
    int               nrigid; /* how many of the n are rigid motions */
    /* n x 6 or NULL: rigid motion that the chosen reference adds to each mode of the file: shift of
     * the centre of mass, turn about it */
    const double *rigid;
    double        mass; /* [kg] */
    /* S-N curve of its material or detail; range NaN: none, others NaN: not given */
    double sn_range, sn_cycles, sn_slope, sn_knee, sn_slope_after, ultimate;
    int    mean_stress; /* kl_mean_rule */
} kl_modal_body;

/* What can be recorded of a type, with its unit. */
typedef struct kl_output {
    const char *name, *unit, *help;
} kl_output;

/* Where and how a type is set up: names for messages. */
typedef struct kl_setup {
    const char    *name;   /* of the object */
    kl_place       place;  /* in the model file */
    const void    *traits; /* of the type: distinguishes types that share their functions */
    kl_diag       *diag;
    kl_arena      *arena; /* of the model */
    struct kl_lua *lua;   /* functions of the model's user */
    /* of elements: */
    const struct kl_model *model;   /* bodies stand, elements above are set up; of `attach` too */
    double                 turn[2]; /* [rad] angle of each pair at the start, to the turn: where a
                                       history that counts turns begins */
    const double          *u;       /* named inputs at the start */
} kl_setup;

/* ---- motion ---------------------------------------------------------------------------------- */

/* What a body shows of one of its markers. Global axes. */
typedef struct kl_motion {
    kl_vec3 r;       /* position [m] */
    kl_mat3 A;       /* marker axes to global [-] */
    kl_vec3 v, w;    /* velocity [m/s], angular velocity [rad/s] */
    kl_vec3 a0, al0; /* accelerations that remain at v' = 0 [m/s2, rad/s2] */
    bool    spins;   /* its z axis is the spin axis of its body: x and y go round, perhaps fast */
    double  turned;  /* if so, their angle of spin [rad]; else 0. Both written with r and A */
} kl_motion;

enum {
    KL_MARKER_CONDITIONS = -1,
    KL_MARKER_FRAME      = -2, /* the frame of the body itself */
    KL_MARKER_UNSPUN     = -3, /* on a body that spins: does not take part in the spin */
    /* from here on down: node KL_MARKER_SKIN - node of the body's skin. It shows where that node is;
     * its axes are those of the body, and it takes forces only */
    KL_MARKER_SKIN = -16,
};

/* A frame fixed on a body: origin and axes in the body frame of the undeformed body. */
typedef struct kl_marker {
    int     body;
    kl_vec3 r;
    kl_mat3 A;
    int     node; /* a body type may note here what it attached the marker to; 0: nothing,
                     KL_MARKER_CONDITIONS: the frame that shows its reference conditions,
                     KL_MARKER_UNSPUN: axes that do not spin, up to KL_MARKER_SKIN: the skin */
} kl_marker;

/* Totals of a body, global axes, angular momentum about the global origin. */
typedef struct kl_measures {
    double  mass;    /* [kg] */
    kl_vec3 center;  /* [m] */
    kl_vec3 p, L;    /* [kg m/s], [kg m2/s] */
    double  kinetic; /* [J] */
} kl_measures;

/* ---- bodies ---------------------------------------------------------------------------------- */

/* What a part of a body's coordinates is (model/groups.h). */
typedef enum kl_group_kind {
    KL_TRANSLATION, /* a position: 3 velocities [m/s], global axes */
    KL_ROTATION,    /* an orientation: 3 velocities [rad/s], in the axes that `axes` gives */
    KL_MODAL,       /* modal coordinates */
    KL_SCALARS,     /* lengths that belong to an element: along a track, on a surface [m] */
} kl_group_kind;

/* Consecutive coordinates and velocities of one kind; the first of each counts within the body. */
typedef struct kl_group {
    kl_group_kind kind;
    int           q, nq, v, nv;
} kl_group;

enum { KL_MOST_GROUPS = 4 };

typedef struct kl_body_size {
    int      nq, nv; /* sums over the groups */
    size_t   cache;  /* bytes; 0: the type's cache_size */
    kl_group group[KL_MOST_GROUPS];
    int      ngroup;
} kl_body_size;

/* Appends a group; empty ones are left out. */
static inline void kl_size_add(kl_body_size *s, kl_group_kind kind, int nq, int nv)
{
    if (nq == 0) return;
    s->group[s->ngroup++] = (kl_group){kind, s->nq, nq, s->nv, nv};
    s->nq += nq;
    s->nv += nv;
}

/* The wheels of a wheelset: left, right. */
typedef struct kl_wheels {
    double radius, radius_right; /* at the running circles [m]; NaN: as left */
    double back_to_back;         /* of the inner faces [m] */
    const struct kl_named_profile *wheel, *wheel_right; /* NULL: not given; as left */
} kl_wheels;

/* A marker that a type of body brings along, fixed in the body or, without `spins`, in axes that do
 * not take part in its spin. */
enum { KL_BUILTIN_MARKERS = 4 };
typedef struct kl_builtin_marker {
    const char *name;
    kl_vec3     r; /* in the body [m] */
    bool        spins;
} kl_builtin_marker;

/* Axes that a body's rotational velocities are given in. */
typedef struct kl_axes {
    kl_mat3 A; /* these axes to global [-] */
    kl_vec3 w; /* how fast they turn, global [rad/s] */
} kl_axes;

/* Message of an element or body after an accepted step, or about a run that cannot continue. */
typedef struct kl_notice {
    bool failed;    /* given: the next step failed; what costs time may be looked at now */
    int  count;     /* number of occurrences so far: reported when it grows */
    bool stop;      /* the run ends here */
    bool is_note;   /* normal behaviour: reported as a note, not as a warning */
    char text[320]; /* continues the text "at t = 1.2 s 'name' " */
} kl_notice;

typedef enum kl_implied_part {
    KL_IMPLIED_CONDITIONS =
        1, /* a fixed joint between its marker KL_MARKER_CONDITIONS and the ground */
    KL_IMPLIED_VIRTUAL      = 2, /* elements on massless bodies that are fixed to its markers */
    KL_IMPLIED_STATIC_START = 4, /* modal coordinates start where nothing accelerates them */
} kl_implied_part;

/* A kind of body: the only code that knows coordinates. `c` is its cache for the current state.
 * Entries marked (optional) may be NULL. */
typedef struct kl_body_type {
    const char   *name, *help;
    const char   *example; /* a line of model file */
    const kl_key *keys;
    size_t        data_size, cache_size;
    bool          stiff_axes; /* its axes never turn, so that no joint or torque can use them */
    /* (optional) With the word `choice_word` of the key `choice_key` another table serves the entry, of
     * the same name, keys and data */
    const char                *choice_key, *choice_word;
    const struct kl_body_type *chosen;
    /* (optional) the table that serves a body with these data, of the same name and keys */
    const struct kl_body_type *(*variant)(const void *data);
    /* carries data read in the axes of a part of the model to where the part stands */
    void (*place)(void *data, const kl_placement *p);
    kl_status (*setup)(void *data, const kl_setup *s, kl_body_size *size);
    /* (optional) takes a marker in; may note a node or refuse */
    kl_status (*attach)(void *data, const kl_setup *s, kl_marker *marker);
    /* initial coordinates from the data; the bits of `held` (one a velocity) mark fixed values; the others
     * are guesses */
    void (*start)(const void *data, double *q, double *v, unsigned char *held_position,
                  unsigned char *held_velocity);

    void (*position)(const void *data, const double *q, void *c);
    void (*velocity)(const void *data, const double *v, void *c);
    /* (optional) of both what the motion of markers needs, without what inertia and measures need: for rows */
    void (*motion)(const void *data, const double *q, const double *v, void *c);
    void (*advance)(const void *data, const double *q, const double *dx,
                    double *q_new); /* q (+) dx */
    /* (optional) q' that belongs to v; without it q' = v. Linear in v, defined for any q near
     * the body's own manifold */
    void (*rate)(const void *data, const double *q, const double *v, double *q_dot);
    /* with it: the v that gives q', the best one where none does */
    void (*speed)(const void *data, const double *q, const double *q_dot, double *v);
    /* (optional) brings q back onto the body's own manifold, such as Euler parameters to length 1
     */
    void (*settle)(const void *data, double *q);
    /* (optional) Euler parameters of the body frame as a continuous function of q; without it those
     * among its coordinates, or found from its axes */
    void (*orientation)(const void *data, const double *q, double p[4]);
    /* (optional) D = d(dx)/d(increment at q (+) dx): what a further small increment adds to dx.
     * Each of the n vectors of nv numbers at x, one after the other, becomes D times it, or D'
     * times it. Without it D = I */
    void (*carry)(const void *data, const double *dx, bool transposed, double *x, int n);

    /* Motion of a marker in two stages. `pose`: r and A; reads what `position` left in the cache.
     * `twist`: v, w, a0, al0; `velocity` has been called too, and m->r, m->A are there */
    void (*pose)(const void *data, const void *c, const kl_marker *marker, kl_motion *m);
    void (*twist)(const void *data, const void *c, const kl_marker *marker, kl_motion *m);
    void (*map)(const void *data, const void *c, const kl_marker *marker, double *B); /* 6 x nv */
    void (*map_rate)(const void *data, const void *c, const kl_marker *marker,
                     double *W); /* d(B v)/dx, 6 x nv */
    void (*pull)(const void *data, const void *c, const kl_marker *marker, const double wrench[6],
                 double *g); /* g += B' wrench */
    void (*add_geometric)(const void *data, const void *c, const kl_marker *marker,
                          const double wrench[6], double *K); /* K += d(B' wrench)/dx, nv x nv */

    /* (optional) axes of its rotational velocities; without it those of the body frame */
    kl_axes (*axes)(const void *data, const void *c);
    /* (optional) with axes that do not follow its rotation about one of them: that axis, in them;
     * `round`: its inertia looks the same whatever the spin angle */
    kl_vec3 (*spin)(const void *data, bool *round);

    void (*inertia)(const void *data, const void *c, double *M,
                    double *s); /* M v' = s + ...; nv x nv, nv */
    /* (optional) K = d(M a - s)/dx, C = d(M a - s)/dv at fixed a */
    void (*inertia_tangent)(const void *data, const void *c, const double *a, double *K, double *C);
    /* (optional) elastic and damping forces: g +=, and with K, C not NULL their derivatives: K +=,
     * C += */
    void (*own_force)(const void *data, const void *c, double *g, double *K, double *C);
    double (*own_energy)(const void *data, const void *c); /* (optional) stored */
    double (*own_loss)(const void *data, const void *c);   /* (optional) dissipated power [W] */
    /* (optional) what else the model must hold for this body: a set of kl_implied_part */
    unsigned (*implied_parts)(const void *data);
    /* (optional) modal coordinates that it would have if it were not rigid now; they read zero */
    int (*locked_modes)(const void *data);
    /* (optional) the finite elements that it was reduced from */
    void (*modal)(const void *data, kl_modal_body *out);
    double (*reach)(const void *data); /* (optional) size [m] that its markers need not show */
    /* (optional) what of each velocity coordinate counts as one length of the model or one radian;
     * without it: the model's length for lengths, else 1. And what assembly pays for moving it:
     * (length/unit)^2 unless the body says otherwise */
    void (*units)(const void *data, double length, double *unit, double *weight);
    void (*measures)(const void *data, const void *c, kl_measures *m);
    const kl_output
        *outputs; /* (optional) what else can be recorded of it; ends with a NULL name */
    void (*output)(const void *data, const void *c, double *values); /* with it: their values */
    /* (optional) looked at after an accepted step and when a step failed: coordinates or velocities at
     * which its description ends */
    void (*watch)(const void *data, const double *q, const double *v, kl_notice *notice);

    /* (optional) its wheels, for elements that roll them on rails */
    const kl_wheels *(*wheels)(const void *data);
    /* (optional) markers that every body of this type has unless the model names one so; returns how
     * many, at most KL_BUILTIN_MARKERS */
    int (*markers)(const void *data, kl_builtin_marker *out);

    /* (optional) An entry of this type represents many bodies and elements, such as a beam or a mesh
     * of finite elements with large deformations. It is no body itself but a kl_compound of the
     * model, and of the functions above it needs `place` alone. `expand` adds its bodies, `connect`
     * its elements once all bodies have their places. Both use the functions of model/model.h; their
     * names begin with s->name and a dot. */
    kl_status (*expand)(void *data, const kl_setup *s, struct kl_model *m);
    kl_status (*connect)(void *data, const kl_setup *s, struct kl_model *m);
    /* with these (optional): the body of the compound that takes a marker at the point r [m], global,
     * where the model names the entry alone; -1: refused, and reported. Without it the nearest one */
    int (*holder)(const void *data, const kl_setup *s, const struct kl_model *m, kl_vec3 r);
    /* with these (optional): its points, recorded together as a field. Without it the bodies */
    const struct kl_field *(*shape)(const void *data);
} kl_body_type;

/* ---- elements -------------------------------------------------------------------------------- */

/* What an element reads: its markers and its own numbers, never a body. */
typedef struct kl_reading {
    double           t;
    const kl_motion *m; /* one a marker */
    const double    *z; /* own first-order states */
    const double    *h; /* own history, as committed with the last accepted step */
    const double    *u; /* all named inputs */
    const void      *data;
    int              nmarker;
    const void      *cache;    /* own cache: what `locate` found at this position; NULL: none */
    const void      *accepted; /* the cache of the last accepted step; all zero: there is none */
    /* in `commit`: what the joint that it is attached to (`of`) does to its markers, 6 numbers each;
     * NULL: there is none */
    const double *reaction;
} kl_reading;

/* What it writes, in marker space. All arrays come zeroed. Pointers may be NULL: not wanted now. */
typedef struct kl_writing {
    double *phi, *phi_t; /* constraints; their partial time derivative */
    double *rows;        /* phi' = rows V + phi_t; nphi x 6 nmarker */
    double *bias;        /* phi'' = rows V' + bias */
    double *wrench;      /* applied at the markers */
    double *z_dot;
    double  energy; /* stored [J] */
    double  loss;   /* dissipated power [W] */
    double  spent;  /* dissipated since the start by yielding, known from its history [J] */
    double  supply; /* power from outside: actuators, applied loads [W] */
} kl_writing;

/* Derivatives of w = wrench - rows' lambda and of z' by marker increments (K), marker velocities
 * (C) and z. */
typedef struct kl_slopes {
    double *K, *C;   /* 6 nmarker x 6 nmarker */
    double *wz;      /* 6 nmarker x nz */
    double *zk, *zc; /* nz x 6 nmarker */
    double *zz;      /* nz x nz */
} kl_slopes;

typedef struct kl_element_size {
    int nphi, nz, nh;
    int nevent; /* crossings */
    /* Its forces depend on its history, which changes at ends of steps and not at crossings alone, as with
     * material that yields or a contact that slips or leaves an indentation. A long explicit step across
     * an impact would miss most of it */
    bool path_dependent;

    /* Bytes of its cache, which `locate` fills. Each thread has one, and beside it that of the last
     * accepted step. Both are zero at the start and after a checkpoint */
    size_t cache;
    /* [s] It steps on its own with this interval: no step of the model goes beyond the next
     * multiple, counted from the start. 0: it does not */
    double interval;
    size_t buffer; /* of these the last ones are not kept with an accepted step: rows of a table */
} kl_element_size;

typedef enum kl_crossing_unit { KL_CROSSING_M, KL_CROSSING_RAD, KL_CROSSING_S } kl_crossing_unit;

/* What changes at a crossing, and therefore what the integrator has to do there. */
typedef enum kl_crossing_kind {
    /* Another branch of the law applies; forces have continuous slopes, as where a contact force d^2
     * begins. The integrator continues */
    KL_CROSSING_SWITCH,
    /* Forces are continuous, their slopes are not, as at a corner of a table or where a linear stop
     * begins; or slopes begin with infinite curvature, as those of Hertz's contact force d^1.5. The
     * integrator continues, but extrapolates nothing across */
    KL_CROSSING_KINK,
    /* Forces are discontinuous: accelerations are solved for again and the integrator restarts. The
     * step ends beyond the zero, so that `commit` and `watch` see it passed */
    KL_CROSSING_JUMP,
} kl_crossing_kind;

/* Where an element starts. All numbers come zeroed. */
typedef struct kl_element_start {
    int     nz, nh;
    double *z; /* its states */
    /* of each state: a size below which it does not matter, in its own unit. Errors are measured
     * against the largest value so far, but no less than this. Comes as a millionth */
    double *scale;
    double *h; /* its history */
} kl_element_start;

/* A number whose zero is a place where the equations of an element change: contact begins or ends,
 * a table has a corner. A step ends there, within `tolerance` of the zero on either side (just
 * before it where possible, so that no step mixes both laws), or beyond it where forces jump. */
typedef struct kl_crossing {
    double           value;     /* in `unit`; NaN: there is no such place now */
    double           rate;      /* its time derivative; NaN: unknown, the zero is bisected for */
    double           tolerance; /* in `unit`; 0: that of the run (`penetration`) */
    kl_crossing_unit unit;
    kl_crossing_kind kind;
    bool             mild; /* steps may go over it where that is exact enough: the element has no
                            * memory of having passed it */
} kl_crossing;

/* Start values of an element's own coordinates. */
typedef struct kl_own_start {
    double x[3], v[3];
    bool   held_x, held_v; /* assembly must keep them */

    /* where the follower belongs then, if the model does not fix it: a place given by its length
     * along a track may be far from where the body is written */
    bool    brings, turns;
    kl_vec3 r;
    kl_mat3 A;
    kl_vec3 w; /* with `turns`: angular velocity that belongs to v, for a body that is given none */
} kl_own_start;

/* Many points of an element whose motion is recorded as one array, not as thousands of channels: the
 * wires of a catenary. */
typedef struct kl_field {
    int npoint, nline, nlink;
    int width; /* numbers a point: 1 (or 0) how far it rises, 3 its displacement */
    const int
        *body; /* npoint: of a compound, which of its bodies carries the point; NULL: in order */
    const double *local; /* npoint x 3: with `body`, where on it [m] */
    const double *point; /* npoint x 3: at rest, global [m] */
    const int    *line;  /* nline: how many points each line joins, in order */
    const int    *link;  /* nlink x 2: further pairs of points: droppers */
    double        every; /* time between two records [s] */
    /* of a compound of finite elements (optional): its surface, and values at its points, which its
     * elements give (kl_element_type.point_values) and which are averaged where elements meet */
    int              ntriangle, nvalue;
    const int       *triangle; /* ntriangle x 3: points */
    const kl_output *value;    /* nvalue: name, unit, help */
    const int *corner; /* points of the markers of its elements, one element after the other */
} kl_field;

enum { KL_FIELD_VALUES = 4 }; /* most values of a point */

/* Markers of an element that act on each other now. */
enum { KL_LINK_MARKERS = 4, KL_MOST_LINKS = 1024 };
typedef struct kl_link {
    int n, marker[KL_LINK_MARKERS]; /* counted within the element */
} kl_link;

/* A kind of joint, force or contact. */
typedef struct kl_element_type {
    const char      *name, *help;
    const char      *equation; /* one line, for help pages */
    const char      *example;  /* a line of model file */
    const kl_key    *keys;
    const kl_output *outputs; /* ended by a NULL name; beside force and torque, which all have */
    const kl_attachment_kind *attach; /* how a model file names its markers */
    /* is its axis that of a turn, which a mirror points the other way than an arrow? NULL: no; "":
     * yes; else the word key that says so with `angle` */
    const char *axial;
    /* (optional) of a joint: the coordinates that it holds, in words: angle, displacement, x, y, z,
     * distance. Nothing can drive them */
    const char *holds;
    /* it has constraints and never a wrench: iteration matrices may leave out the small tangent that
     * its reactions add between two bodies */
    bool only_constrains;
    bool reads_reaction; /* its `commit` reads the reaction of the joint that it is attached to */
    /* its states approach an equilibrium that the positions determine, so that their errors die out. Those
     * of friction do not: slip to and fro in the size of the error adds up to creep */
    bool states_relax;
    /* its forces grow with the velocities of the bodies that it guides, as creep forces of wheels on rails
     * do, so that errors of velocities die out */
    bool     velocities_relax;
    unsigned turns; /* bit k: marker k (of each pair) must be able to turn with its body */
    /* bit k: marker k takes part in the spin of its body, even if the model names one that does not:
     * a wheel rolls, and its forces drive the spin */
    unsigned    rolls;
    size_t      data_size;
    const void *traits; /* handed to setup */
    /* with an attachment that adds them (kl_attach_follow): how many scalar coordinates of its own it has
     * (arc length, parameters of a surface), 1 to 3. They are those of a massless body, whose marker comes
     * last: r holds their values, v their rates, and the rows' first columns of that marker belong to them */
    int own;
    /* with `own`: where they start, given the other markers at the start */
    kl_status (*begin)(void *data, const kl_setup *s, const kl_motion *m, kl_own_start *start);
    /* (optional) makes the data those of the mirror image: y of the marker axes changes its sign */
    void (*mirror)(void *data);
    /* (optional) the angle that it will set its pair to at the start [rad], NaN when none: whoever
     * counts turns of the same joint begins there */
    double (*turn)(const void *data, const double *u);
    /* `m`: the markers as assembled so far, for lengths and angles at the start */
    kl_status (*setup)(void *data, const kl_setup *s, const kl_motion *m, int nmarker,
                       kl_element_size *size);
    /* (optional) start values of its states and its history; without it they are zero. `in` is at
     * the start, its cache located. s->model->length is known */
    kl_status (*start)(const kl_reading *in, const kl_setup *s, kl_element_start *out);
    /* (optional) The position stage: reads r and A of its markers, t and `accepted`, nothing else,
     * and leaves in the cache whatever follows from them: the nearest points of two surfaces, the
     * point of a track. It runs once for each new position; eval, tangent, crossings, commit,
     * output and watch read in->cache. A search starts from `accepted`. What an earlier call left
     * in the cache may only save time (rows of a table in memory): the result must be the same
     * whatever it holds. KL_RETRY: come back with a shorter step */
    kl_status (*locate)(const kl_reading *in, void *cache);
    /* (optional) After `locate`: it does nothing at this position, whatever the velocities, which need not
     * be evaluated for its markers. Then `eval` is not called. For contacts of bodies that are far apart */
    bool (*asleep)(const kl_reading *in);
    kl_status (*eval)(const kl_reading *in,
                      kl_writing       *out); /* KL_RETRY: come back with a shorter step */
    /* (optional) Mass that couples its markers: nmarker x nmarker numbers m_ij [kg], symmetric and
     * constant. The kinetic energy sum m_ij v_i.v_j / 2 adds to those of the bodies: consistent mass
     * of a finite element, less the mass that its bodies carry. NULL: none */
    const double *(*mass)(const void *data);
    const char *limit;     /* (optional) what it means when that does not help, and the way out */
    const char *switching; /* (optional) what to do where its forces chatter between two values */
    const char *too_stiff; /* (optional) what to do where its stiffness keeps steps very short */
    /* (optional) all that is not NULL in `out`; without it differences are taken */
    void (*tangent)(const kl_reading *in, const double *lambda, kl_slopes *out);
    /* (optional, instead of it) of an element without constraints and states, whose forces follow from
     * the positions and velocities of its markers alone and that applies no moments: d force/d position,
     * (3 nmarker)^2 by rows. For finite elements, of which there are many */
    void (*stiffness)(const kl_reading *in, double *K);
    /* (optional, beside it) d force/d velocity, of the same size; false: there is no damping */
    bool (*damping)(const kl_reading *in, double *C);
    /* (optional) Of an element with many markers of which few act on each other at a time (groups of
     * bodies that may touch): link k that acts now; false: there are no more. Its markers are coupled
     * in the matrix only while they are linked, and instead of `tangent` the tangent of each link is
     * asked for, over its own markers: K and C are 6 n x 6 n */
    bool (*link)(const kl_reading *in, int k, kl_link *out);
    void (*link_tangent)(const kl_reading *in, int k, kl_slopes *out);
    /* with nevent: its crossings, in order; all motion is known, nothing else */
    void (*crossings)(const kl_reading *in, kl_crossing *out);
    /* (optional) new history when a step is accepted; h_new comes as a copy of h */
    void (*commit)(const kl_reading *in, double *h_new);
    /* (optional) instead of `outputs`, where they differ from object to object */
    const kl_output *(*describe)(const void *data);
    /* (optional) values of `outputs`, in order */
    void (*output)(const kl_reading *in, const double *lambda, double *values);
    /* (optional) its field, and the values at this state: how far each point rises [m], what each
     * link pulls [N] */
    const kl_field *(*field)(const void *data);
    void (*field_values)(const kl_reading *in, double *rise, double *pull);
    /* (optional) values of the compound's field at its markers, one marker after the other */
    void (*point_values)(const kl_reading *in, double *values);
    /* (optional) after an accepted step, its history committed */
    void (*watch)(const kl_reading *in, kl_notice *notice);
    /* (optional) false when the constraints hold but on the wrong branch, such as axes turned round
     */
    bool (*upright)(const kl_reading *in);
} kl_element_type;

#endif
