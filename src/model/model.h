/* The frozen model: names resolved, everything numbered, const from then on.
 *
 * All arrays live in the model's arena. Elements own consecutive markers, so that what an element
 * reads is contiguous. */
#ifndef KL_MODEL_MODEL_H
#define KL_MODEL_MODEL_H

#include "base/arena.h"
#include "base/names.h"
#include "base/units.h"
#include "model/drawn.h"
#include "model/interface.h"
#include "model/resource.h"

typedef struct kl_body {
    const char         *name;
    kl_place            place;
    const kl_body_type *type;
    void               *data;
    int                 q, nq, v, nv; /* where its coordinates and velocities stand */
    const kl_group     *group;        /* of which kind they are: see model/groups.h */
    int                 M;            /* where its nv x nv mass matrix stands */
    unsigned char       ngroup;
    bool                hidden : 1; /* not to be drawn */
    bool                made : 1;   /* by the program, not by the model file: a virtual body */
    bool                own : 1;    /* coordinates of an element: no channels, no place in space */
    bool                steady : 1; /* it spins, and nothing on it shows its spin angle */
    bool                node : 1;   /* one of the bodies of a compound */
    bool      quiet : 1; /* so many of its kind that it has no channels and is not drawn */
    size_t    cache;     /* where its cache stands */
    unsigned  ncache;    /* its size [bytes] */
    int       nshape;
    kl_drawn *shape; /* how to draw it; none: found from inertia and joints */
} kl_body;

typedef struct kl_element {
    const char            *name;
    kl_place               place;
    const kl_element_type *type;
    void                  *data;
    bool                   joint;           /* listed under `joints` */
    bool                   made;            /* by the program, not by the model file */
    bool                   quiet;           /* so many of its kind that it has no channels */
    bool                   path_dependent;  /* kl_element_size.path_dependent */
    int                    marker, nmarker; /* its markers */
    int                    phi, nphi;       /* its constraints */
    int                    rows;            /* where its nphi x 6 nmarker rows stand */
    int                    z, nz, h, nh;
    int                    event, nevent; /* its crossings */
    int                    cache, ncache; /* where its cache stands, its size [bytes] */
    int                    nkept;         /* bytes of it that are kept with an accepted step */
    int                    of[2];         /* joints whose frames its pairs share, or -1 */
    double                 turn;          /* angle of its pair at the start, to the turn [rad] */
} kl_element;

/* An entry of `bodies` that represents many bodies and elements: a beam, a mesh of finite elements
 * with large deformations (kl_body_type.expand). */
typedef struct kl_compound {
    const char         *name;
    kl_place            place;
    const kl_body_type *type;
    void               *data;
    int                 body, nbody;       /* its bodies, one after the other */
    int                 element, nelement; /* its elements, one after the other */
} kl_compound;

/* A frame that a body names under `markers`. */
typedef struct kl_named {
    const char *name;
    const char
        *on; /* marker of a flexible body's file that it is fixed to, or `frame`; "": the nearest.
                       NULL: it comes with that file itself */
    int  body, node; /* of kl_marker */
    kl_vec3 r;       /* in the body */
    kl_mat3 A;
} kl_named;

/* A point of a body, or an expression over channels: what a model file asks for under `outputs`. */
typedef struct kl_wanted {
    const char *name;
    kl_place    place;
    int         marker;   /* of a point */
    const char *quantity; /* "position.x", ...; NULL for an expression */
    const char *expression;
    kl_quantity limit; /* of its largest size; NaN: none */
    const char *rule;  /* where the limit comes from; NULL: not said */
    double lowpass; /* [Hz]: of an expression that names an output; filtered after a run. 0: no */
} kl_wanted;

/* A named number from outside: API, coupling, controllers. */
typedef struct kl_input {
    const char *name, *unit;
    kl_dim      dim;
    double      value; /* at the start */
} kl_input;

/* A parameter as the model was built with it; expressions over channels may use it. */
typedef struct kl_parameter {
    const char *name;
    kl_quantity value;
} kl_parameter;

/* A text about a place of the model file, for example a joint that the modes of a body cannot follow. */
typedef struct kl_located_text {
    kl_place    place;
    const char *text;
} kl_located_text;

/* A coordinate of a joint, or its rate, that the model is to start with. */
typedef struct kl_joint_start {
    int         joint;    /* index of the element */
    int         quantity; /* known to who reads it */
    const char *name;     /* "angle", "speed" */
    bool        rate, fixed;
    double      value;
    kl_place    place;
} kl_joint_start;

typedef enum kl_integrator_kind {
    KL_AUTO, /* Runge-Kutta or generalized-alpha, as suits */
    KL_GENERALIZED_ALPHA,
    KL_NEWMARK,
    KL_HHT,
    KL_RUNGE_KUTTA,
    KL_GEAR,
    KL_LOAD_STEPS,
    KL_ARC_LENGTH,
    KL_CENTRAL_DIFFERENCES,
} kl_integrator_kind;

/* Which equations Gear's method solves: index 1 with points projected onto the constraints, or with
 * Baumgarte's terms, or stabilised index 2 (Gear, Gupta, Leimkuhler). */
typedef enum kl_formulation { KL_PROJECTION, KL_BAUMGARTE, KL_STABILIZED } kl_formulation;

/* Where a run starts: as given, at rest in the equilibrium near it (then with the velocities
 * given), or in the steady motion that the velocities belong to. */
typedef enum kl_start_kind { KL_START_GIVEN, KL_START_EQUILIBRIUM, KL_START_STEADY } kl_start_kind;

/* Accelerations and reactions of a row within a step: solved for, so that they satisfy the equations of
 * motion at the row, or interpolated between the ends of the step. */
typedef enum kl_row_kind { KL_ROWS_SOLVED, KL_ROWS_INTERPOLATED } kl_row_kind;

/* How to run: the `run` and `integrator` sections, as data of their own key tables. */
typedef struct kl_settings {
    double       end, every;           /* [s] */
    int          start;                /* kl_start_kind */
    int          rows;                 /* kl_row_kind */
    int          integrator;           /* kl_integrator_kind */
    double       tolerance;            /* local error over length or radian */
    double       accuracy;             /* the same by what a run adds up to; NAN: not given */
    double       step;                 /* fixed step [s]; NaN: adaptive */
    double       max_step, first_step; /* [s]; NaN: found */
    double       spectral_radius;      /* at infinite frequency: 1 keeps, 0 kills */
    double       beta, gamma;          /* of newmark; not > 0: from the spectral radius */
    double       length;               /* size of the mechanism [m]; NaN: found */
    kl_text_list record;               /* patterns of names of channels; none: the usual ones */
    kl_code      stop_when;   /* ends a run when it becomes true; text NULL: nothing does */
    int          formulation; /* kl_formulation, of gear */
    double       baumgarte;   /* of formulation baumgarte [1/s]; NaN: found */
    kl_code      control;     /* of arc-length: the input that is the unknown load */
    double       load_step; /* of arc-length: change of that input per unit of time at the start */
    double       penetration; /* [m, rad]: how far beyond a crossing a step may end; NaN: found */
} kl_settings;

typedef struct kl_model {
    kl_arena      *arena;
    struct kl_lua *lua; /* functions of the user; calls are safe from several threads */
    const char    *title, *file;
    kl_vec3        gravity;
    kl_settings    settings;

    kl_body        *body;
    kl_element     *element;
    kl_marker      *marker;
    kl_input       *input;
    kl_wanted      *wanted;
    kl_named       *named;
    kl_parameter   *parameter;
    kl_joint_start *start;
    int             nstart;
    kl_resource   **resource; /* tracks, surfaces, ...: in the order of the catalogue */
    int             nresource, cap_resource;
    kl_names        resource_names; /* "section/name" */
    int             nstarted;       /* bodies that have their numbers */
    int             nbody, nelement, nmarker, ninput, nwanted, nnamed, nparameter;
    kl_compound    *compound;
    int             ncompound;
    int nmarker_elements; /* the first ones belong to elements, the others to wanted points */
    int nlock;            /* joints added to hold what others lock (prepare/locks.h) */
    kl_located_text
        *unfollowed; /* joints that no mode of a body can follow, though they lock nothing */
    int  nunfollowed;

    int     nq, nv, nlam, nz, nh;
    int     nevent;      /* crossings of all elements */
    double  interval;    /* smallest of those at which elements step on their own [s]; 0: none */
    int     nrows, nM;   /* numbers in all rows, in all mass matrices */
    size_t  cache_bytes; /* of all bodies */
    size_t  element_cache_bytes; /* of all elements */
    bool    reads_reactions;     /* an element has kl_element_type.reads_reaction */
    bool    states_relax;        /* every element with states has kl_element_type.states_relax */
    bool    velocities_relax;    /* an element has kl_element_type.velocities_relax */
    bool    commits;             /* an element has history or keeps its cache with accepted steps */
    double  length;              /* size of the mechanism [m] */
    double *unit;            /* nv: what of each coordinate counts as one length or one radian */
    double *weight;          /* nv: what assembly pays for moving a coordinate, squared;
                                 NULL: (length/unit)^2 */
    struct kl_kbody **kbody; /* reduced bodies, owned */
    const char      **kbody_path;
    int               nkbody;

    double         t0;      /* time at the start [s] */
    bool           saved;   /* the start is a state that a run left */
    double        *q0, *v0; /* as given, before assembly */
    double        *z0, *h0;
    double        *z_scale;         /* nz: a size below which a state does not matter */
    unsigned char *held_q, *held_v; /* nv each: initial values that assembly must keep */
} kl_model;

/* What a restart needs. One block of memory; `x` is all of q, v, z, h, u in one. Inputs are polynomials
 * of time: u has ninput coefficients of each degree up to KL_INPUT_DEGREE, then the ninput times that
 * they count from. kl_inputs_at gives their values. */
enum { KL_INPUT_DEGREE = 3, KL_INPUT_NUMBERS = KL_INPUT_DEGREE + 2, KL_INPUT_VALUES = 3 };
typedef struct kl_state {
    double  t;
    double *q, *v, *z, *h, *u;
    double *x;
    int     n; /* numbers in x */
} kl_state;

/* The builder. Ground is body 0 from the start. Adding returns the object (valid until the next is
 * added) or NULL when out of memory. Names are copied; data come zeroed, to be filled by the caller
 * through the type's keys. */
kl_model *kl_model_create(void);
kl_body *kl_model_add_body(kl_model *m, const kl_body_type *type, const char *name, kl_place place);
kl_element *kl_model_add_element(kl_model *m, const kl_element_type *type, const char *name,
                                 kl_place place, bool joint);
/* Where the value of a key is in the data of a body; NULL: it has no such key. */
void *kl_body_value(kl_body *b, const char *key);
/* Appends a marker, given in the body, to the last element (or to the wanted points, once all
 * elements are there). */
kl_status       kl_model_add_marker(kl_model *m, int body, const kl_marker *local);
kl_input       *kl_model_add_input(kl_model *m, const char *name);
kl_wanted      *kl_model_add_wanted(kl_model *m, const char *name, kl_place place);
kl_named       *kl_model_add_named(kl_model *m, const char *name, int body);
kl_joint_start *kl_model_add_start(kl_model *m);

/* Compounds: the entry, its bodies, and (after kl_model_start_bodies) its elements. */
kl_compound *kl_model_add_compound(kl_model *m, const kl_body_type *type, const char *name,
                                   kl_place place);
kl_status    kl_model_expand(kl_model *m, int compound, kl_diag *diag);
kl_status    kl_model_connect(kl_model *m, kl_diag *diag);
int          kl_model_find_compound(const kl_model *m, const char *name); /* -1 */
/* The body of a compound that takes a marker at the point r, global; -1: refused, and reported. */
int kl_model_holder(const kl_model *m, int compound, kl_vec3 r, kl_place place, kl_diag *diag);

/* Calls end(what) when the model is destroyed: for open files. KL_E_MEMORY: it was called now. */
kl_status kl_model_at_end(kl_model *m, void (*end)(void *what), void *what);

/* After all bodies: asks each type for its size and start values. After that kl_model_pose works.
 * May be called again when further bodies were added. */
kl_status kl_model_start_bodies(kl_model *m, kl_diag *diag);
/* One more body after that, with these data: coordinates of an element's own. */
kl_body *kl_model_add_own(kl_model *m, const kl_body_type *type, const char *name, kl_place place,
                          const void *data);
/* The motion of a marker, both stages; `c` is the cache of its body. */
void kl_body_motion(const kl_body *b, const void *c, const kl_marker *k, kl_motion *out);
/* The motion of a marker as its body is at the start. */
void kl_model_motion(const kl_model *m, const kl_marker *k, kl_motion *out);
/* Mass and the like of a body in its initial position; false: out of memory. */
bool kl_model_measures(const kl_model *m, int body, kl_measures *out);
/* q_new = q (+) dx, body by body; q_new may be q. */
void kl_model_advance(const kl_model *m, const double *q, const double *dx, double *q_new);
/* Where a body's frame is at the start. */
void kl_model_pose(const kl_model *m, int body, kl_vec3 *r, kl_mat3 *A);
/* After all elements: numbers everything. */
kl_status kl_model_freeze(kl_model *m, kl_diag *diag);

/* `length` of the settings, or the largest extent over all markers and body frames at the start, or
 * of a body that has one: the size that tolerances refer to. Not `attached`: markers are left out
 * where their body has not yet taken them. */
double kl_model_extent(const kl_model *m, bool attached);
void   kl_model_destroy(kl_model *m);

int kl_model_bodies(const kl_model *m); /* how many, without ground and what elements own */
/* Keeps a reduced body for as long as the model lives; false: out of memory, it is still the
 * caller's. */
bool kl_model_own_kbody(kl_model *m, struct kl_kbody *body, const char *path);

/* The finite elements that a body was reduced from; false: it has none, or they could not be read. */
bool kl_model_modal(const kl_model *m, int body, kl_modal_body *out);
int  kl_model_find_body(const kl_model *m, const char *name);    /* -1 */
int  kl_model_find_element(const kl_model *m, const char *name); /* -1 */
int  kl_model_find_input(const kl_model *m, const char *name);   /* -1 */
int  kl_model_find_named(const kl_model *m, const char *name);   /* "body.marker"; -1 */

kl_state *kl_state_create(const kl_model *m); /* start values as given; NULL when out of memory */
void      kl_state_copy(kl_state *to, const kl_state *from);
/* From its time on the input is c[0] + c[1] dt + c[2] dt^2 + ..., n coefficients, at most
 * KL_INPUT_DEGREE + 1. */
void kl_state_set_input(const kl_model *m, kl_state *s, int input, const double *c, int n);
/* Values of all inputs at the time of the state, then their rates, then their second derivatives:
 * KL_INPUT_VALUES times ninput. */
void kl_inputs_at(const kl_model *m, const kl_state *s, double *values);
void kl_state_destroy(kl_state *s);

#endif
