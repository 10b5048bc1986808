/* The rigid mechanisms and their references, and how a run is compared with one. */
#ifndef KL_TESTS_VERIFY_MECHANISMS_H
#define KL_TESTS_VERIFY_MECHANISMS_H

#include "unit/build_model.h"
#include "unit/csv_table.h"

#include "solve/simulation.h"

typedef struct mechanism {
    const char *example, *reference, *set; /* set: NAME=VALUE or NULL */
    double      size;                      /* [m] */
    const char *positions;                 /* columns that are positions, each between blanks */
    double      tight;                     /* tolerance for 1e-6 */
    int         integrator;                /* that reaches it */
} mechanism;

static const mechanism mechanisms[] = {
    {"simple-pendulum", "A01_simple_pendulum", NULL, 1.0, " x_m y_m ", 3e-12, KL_GENERALIZED_ALPHA},
    {"n-four-bar", "A02_nfourbar_N2", NULL, 1.0, " B0x_m B0y_m ", 1e-10, KL_RUNGE_KUTTA},
    {"andrews-squeezer", "A03_andrews_daetestset", NULL, 0.07, " Fx_m Fy_m ", 1e-11,
     KL_GENERALIZED_ALPHA},
    {"bricard", "A04_bricard", NULL, 1.0, " P3x_m P3y_m P3z_m ", 3e-11, KL_GENERALIZED_ALPHA},
    {"flyball-governor", "A05_flyball_governor", NULL, 1.0, " s_m ", 3e-11, KL_GENERALIZED_ALPHA},
    {"spatial-slider-crank", "spatial_slider_crank", NULL, 0.3, " slider_x_m ", 3e-12,
     KL_GENERALIZED_ALPHA},
    {"double-pendulum", "double_pendulum_bars", NULL, 0.552, " N2x N2y N3x N3y N5x N5y N6x N6y ",
     3e-11, KL_GENERALIZED_ALPHA},
    {"spinning-top", "spinning_top_bary_17p45deg", NULL, 1.0, " Gx_m Gy_m Gz_m ", 1e-12,
     KL_GENERALIZED_ALPHA},
    {"spinning-top", "spinning_top_fixedpoint_17p45deg", "about=reference", 1.0, " Gx_m Gy_m Gz_m ",
     1e-12, KL_GENERALIZED_ALPHA},
    {"spinning-top", "spinning_top_bary_17p45deg", "at_tip=0", 1.0, " Gx_m Gy_m Gz_m ", 1e-12,
     KL_GENERALIZED_ALPHA},
};

/* Compares each row as it comes. */
typedef struct comparison {
    const mechanism *m;
    const table     *t;
    kl_simulation   *s;
    int              channel[64], row;
    double           worst, energy0, energy, drift;
    const char      *worst_name;
} comparison;

static inline kl_status compare_row(void *context, double time, const double *values)
{
    comparison *c = context;
    if (c->row >= c->t->rows) fail_msg("%s: more rows than the reference has", c->m->example);
    assert_close(time, table_at(c->t, c->row, 0), 1e-12);
    for (int k = 1; k < c->t->columns; k++) {
        char name[80];
        snprintf(name, sizeof name, " %s ", c->t->names[k]);
        if (!strstr(c->m->positions, name)) continue;
        double e = fabs(values[c->channel[k]] - table_at(c->t, c->row, k)) / c->m->size;
        if (!(e <= c->worst)) c->worst = e, c->worst_name = c->t->names[k];
    }
    double balance = values[kl_channels_find(c->s->channels, "energy.balance")];
    if (c->row == 0) c->energy0 = balance;
    c->energy = fmax(c->energy, fabs(balance - c->energy0));
    c->drift  = fmax(c->drift, values[kl_channels_find(c->s->channels, "drift.position")]);
    c->row++;
    return KL_OK;
}

/* How to run: tolerance 0 means all as the model says. */
typedef struct method {
    const char *name;
    int         integrator, formulation;
    double      tolerance;
} method;

/* Largest error of a position over the mechanism's size. Statistics in *count unless NULL. */
static inline double worst_error_with(const mechanism *m, method with, kl_statistics *count)
{
    char     path[1024];
    kl_diag *diag = kl_diag_create();
    built    b    = {.diag = diag};
    snprintf(path, sizeof path, KL_SOURCE_DIR "/tests/data/reference/%s.csv", m->reference);
    table t = table_read(path);
    snprintf(path, sizeof path, KL_SOURCE_DIR "/examples/%s/model.yaml", m->example);
    char        name[64] = "";
    kl_override set      = {.name = name};
    if (m->set) {
        snprintf(name, sizeof name, "%.*s", (int)strcspn(m->set, "="), m->set);
        set.text = strchr(m->set, '=') + 1;
    }
    kl_simulation *s      = NULL;
    kl_status      status = kl_source_read(path, diag, &b.source);
    if (status == KL_OK) status = kl_source_build(b.source, &set, m->set != NULL, diag, &b.model);
    if (status == KL_OK && with.tolerance > 0) {
        b.model->settings.tolerance   = with.tolerance;
        b.model->settings.integrator  = with.integrator;
        b.model->settings.formulation = with.formulation;
    }
    if (status == KL_OK) status = kl_simulation_create(b.model, diag, &s);
    if (status != KL_OK) {
        print_messages(diag);
        fail_msg("%s cannot be built", m->example);
    }
    comparison c = {.m = m, .t = &t, .s = s, .worst_name = "?"};
    for (int k = 1; k < t.columns; k++) {
        c.channel[k] = kl_channels_find(s->channels, t.names[k]);
        if (c.channel[k] < 0) fail_msg("%s has no channel '%s'", m->example, t.names[k]);
    }
    kl_sink sink = {.context = &c, .row = compare_row};
    status = kl_simulation_run(s, b.model->settings.end, b.model->settings.every, &sink, diag);
    if (status != KL_OK) {
        print_messages(diag);
        fail_msg("%s stopped", m->example);
    }
    assert_int_equal(c.row, t.rows);
    if (count) *count = s->count;
    print_message("%-22s %-16s %s tolerance %.0e: position error %.1e of its size (%s), energy "
                  "%.1e J, gap %.0e m, %ld steps\n",
                  m->example, m->set ? m->set : "", with.name, b.model->settings.tolerance, c.worst,
                  c.worst_name, c.energy, c.drift, s->count.steps);
    kl_simulation_destroy(s);
    table_free(&t);
    built_free(&b);
    return c.worst;
}

/* With the default settings, or (tolerance > 0) with other ones. */
static inline double worst_error(const mechanism *m, double tolerance, int integrator)
{
    return worst_error_with(m, (method){"", integrator, KL_PROJECTION, tolerance}, NULL);
}

#endif
