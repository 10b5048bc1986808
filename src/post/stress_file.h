/* Stress for other programs: CSV, HDF5 (layout: docs/guide/stress.md) and VTK, of one or several
 * reduced bodies. Three kinds: what was worst at each point, what happened at chosen points, and
 * what was everywhere at chosen times. All in the floating frame of each body, SI units. Written as
 * it is computed: memory does not grow with points times rows. */
#ifndef KL_POST_STRESS_FILE_H
#define KL_POST_STRESS_FILE_H

#include <stdio.h>

#include "base/text.h"
#include "post/skin_points.h"
#include "post/stress.h"
#include "store/h5.h"

typedef struct kl_stress_body {
    const char        *name;
    kl_modal_run       run;
    kl_stress_measure  measure;
    const kl_sn_curve *curve; /* NULL: no damage */
    kl_hot_spot       *spot;  /* run.body->stress.n, by point; NULL: not asked for */
    kl_skin_points     skin;
} kl_stress_body;

/* A place whose history is asked for; what it has not is -1 or NULL. */
typedef struct kl_stress_site {
    const kl_stress_body  *body;
    const char            *name; /* "rod.tip" */
    int                    point, node;
    const kl_kbody_marker *marker;
} kl_stress_site;

/* What is asked for: `nsite` places, or fields at `nrow` rows, or, without either, the worst. */
typedef struct kl_stress_request {
    const kl_stress_body *body;
    int                   nbody;
    const kl_stress_site *site;
    int                   nsite;
    const int            *row;
    int                   nrow;
} kl_stress_request;

kl_status kl_stress_write_csv(FILE *f, const kl_stress_request *q);
bool      kl_stress_write_h5(kl_h5 *f, const kl_stress_request *q);
/* One body as PolyData: the worst (`row` -1) or a field. */
kl_status kl_stress_write_vtp(FILE *f, const kl_stress_body *b, int row);

/* The hot spots as a section of a report. */
kl_status kl_stress_section(kl_text *page, const kl_stress_body *b, int n);

/* Numbers at a place: displacement (3), strain (6), stress (6), von Mises; NaN where unknown. */
enum { KL_SAMPLE_STRAIN = 3, KL_SAMPLE_STRESS = 9, KL_SAMPLE_VON_MISES = 15, KL_SAMPLE = 16 };
extern const char *const kl_sample_names[KL_SAMPLE];
void kl_stress_sample_point(const kl_stress_body *b, int point, int row, double *sample);
void kl_stress_sample_site(const kl_stress_site *s, int row, double *sample);
bool kl_stress_site_has(const kl_stress_site *s, int column);

#endif
