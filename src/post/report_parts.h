/* What the parts of a report share: the results as they are read, and pieces of a page. */
#ifndef KL_POST_REPORT_PARTS_H
#define KL_POST_REPORT_PARTS_H

#include "base/arena.h"
#include "base/text.h"
#include "language/doc.h"
#include "post/chart.h"
#include "post/report.h"

enum { KL_REPORT_MOST_ROWS = 200 }; /* of a table */

typedef struct kl_report {
    const kl_report_request *q;
    kl_reader               *r;
    kl_arena                *arena;
    kl_text                  page;
    const kl_node           *scene, *statistics; /* NULL when the results hold none */
    double                  *time;
    int                      rows;
} kl_report;

/* Takes up a run: its request, reader, time, scene. The page stays. */
kl_status kl_report_read(kl_report *p, const kl_report_request *q);

/* Beginning of the page, a picture of the run that is taken up, and the end: all that was added is written. */
void      kl_report_head(kl_report *p, const char *title);
void      kl_report_picture(kl_report *p);
kl_status kl_report_finish(FILE *f, const kl_report *p, kl_diag *diag);

/* JSON of the results as a tree; NULL when absent or damaged. */
const kl_node *kl_report_kept(kl_report *p, const char *name);
const char    *kl_report_text(const kl_node *map, const char *key);
double         kl_report_number(const kl_node *map, const char *key); /* NaN: none */

/* Whether the run reached its end. */
bool kl_report_complete(const kl_report *p);

/* A whole column, owned by the arena; NULL when there is none. */
double *kl_report_column(kl_report *p, int channel);
double *kl_report_named(kl_report *p, const char *object, const char *part);

/* Largest size of the finite values. */
double kl_report_largest(const double *v, int n);

void kl_report_heading(kl_report *p, const char *text);
void kl_report_cell(kl_report *p, const char *text);
void kl_report_number_cell(kl_report *p, double value);
void kl_report_short_cell(kl_report *p, double value); /* four digits */
void kl_report_rounded_cell(kl_report *p, double value, int decimals);

void kl_report_figure(kl_report *p, const kl_chart *c, const char *caption);

/* A row of a table of facts. */
__attribute__((format(printf, 3, 4))) void kl_report_fact(kl_report *p, const char *name,
                                                          const char *format, ...);

/* ---- sections ---- */

typedef struct kl_report_quality {
    double balance;       /* largest change of the energy balance over the largest energy */
    double gap, gap_turn; /* [m], [rad] */
    double speed;         /* simulated over wall time */
} kl_report_quality;

kl_report_quality kl_report_quality_of(kl_report *p);

void kl_report_cards(kl_report *p, const kl_report_quality *q);
void kl_report_limits(kl_report *p);
void kl_report_results(kl_report *p);
void kl_report_assessments(kl_report *p); /* each that suits the run: table and figures */
void kl_report_fields(kl_report *p);      /* largest stress and strain of finite elements */
void kl_report_collection(kl_report *p);  /* figures of pantographs, where the run has some */
void kl_report_wheels(kl_report *p);      /* figures of wheel forces over the track */
void kl_report_energies(kl_report *p);    /* energy by part, where something was crushed or yielded */
void kl_report_contacts(kl_report *p);    /* tables of contacts and impacts, where the run has some */
void kl_report_model(kl_report *p);
void kl_report_settings(kl_report *p);
void kl_report_run(kl_report *p, const kl_report_quality *q);
void kl_report_quality_figures(kl_report *p);
void kl_report_warnings(kl_report *p);

#endif
