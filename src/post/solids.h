/* The bodies of a result as triangles, and where they are in every row: what exports of motion
 * (VTK, glTF, film) share. Shapes come from the model; a body without any is drawn as bars from its
 * centre of mass to the points that joints and forces hold. */
#ifndef KL_POST_SOLIDS_H
#define KL_POST_SOLIDS_H

#include "base/arena.h"
#include "base/vec.h"
#include "post/skin.h"
#include "results/results.h"

typedef struct kl_solid {
    const char    *name;
    unsigned char  color[3];
    kl_vec3       *vertex;   /* nvertex, body axes [m] */
    int           *triangle; /* 3 ntriangle */
    unsigned char *ink;      /* 3 ntriangle: colours of its own shapes */
    int            nvertex, ntriangle;
    int            channel[7]; /* position, Euler parameters; -1: is at rest */
    const float   *mode;       /* nmode x nvertex x 3: how modes of a flexible body move them */
    const int     *modal;      /* nmode: channels of its modal coordinates */
    int            nmode;
    const struct kl_field_points *field; /* its points move the vertices; NULL: none */
    int                           first; /* of its displacements in a row, behind the channels */
    double radius; /* of a tube about the lines of the field; 0: its surface */
} kl_solid;

typedef struct kl_solids {
    kl_solid *list;
    int       n, nvertex, ntriangle; /* bodies; all of them together */
    double    length;                /* of the model [m] */
    kl_vec3   up;                    /* against gravity */
} kl_solids;

/* Reads the scene that is kept in the results. KL_E_NAME with a message when there is none. */
kl_status kl_solids_read(kl_reader *r, const char *file, kl_arena *arena, kl_diag *diag,
                         kl_solids *out);

/* Gives flexible bodies their surfaces, which deform with the modal coordinates of the results. */
kl_status kl_solids_wear(kl_solids *s, const kl_reader *r, const kl_skin *skins, int n,
                         kl_arena *arena);

/* Adds the tracks of the results, which are at rest. */
kl_status kl_solids_add_tracks(kl_solids *s, kl_reader *r, kl_arena *arena);

/* Adds beams and nonlinear bodies, which deform with a field of the results. */
kl_status kl_solids_add_fields(kl_solids *s, kl_reader *r, kl_arena *arena);

/* Numbers of a row of kl_frames_row: all channels, and the values of the fields behind them, which
 * kl_solids_field_row reads at a time. */
int       kl_solids_row_size(kl_reader *r);
kl_status kl_solids_field_row(kl_reader *r, double t, double *row);

/* Where a body is in a row of values of its channels (only those that are not -1 are looked at;
 * `row` holds all channels of the result). */
void kl_solid_pose(const kl_solid *s, const double *row, kl_vec3 *r, double p[4]);

/* How far a vertex is moved by the deformation, in body axes (global axes for a field). */
kl_vec3 kl_solid_deformation(const kl_solid *s, const double *row, int vertex);

/* Places in space of all vertices of a body. */
void kl_solid_place(const kl_solid *s, const double *row, kl_vec3 *x);

/* The same two of a body with a field; without a row: at rest. */
kl_vec3 kl_solid_field_displacement(const kl_solid *s, const double *row, int vertex);
void    kl_solid_field_place(const kl_solid *s, const double *row, kl_vec3 *x);

#endif
