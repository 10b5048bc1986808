/* klingel check: reads a model, assembles it and says what it is: bodies, joints, degrees of freedom, free
 * motions and redundant constraints in words. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "beams/beam_section.h"
#include "catalogue.h"
#include "catenary/catenary.h"
#include "catenary/elements.h"
#include "cli/check_vehicle.h"
#include "cli/commands.h"
#include "cli/model_options.h"
#include "dynamics/channels.h"
#include "joints/worn.h"
#include "model/groups.h"
#include "reference/write_model.h"
#include "solve/mobility.h"
#include "solve/simulation.h"
#include "solve/static_start.h"
#include "terminal/options.h"

static void print_bodies(const kl_model *m, const kl_solver *x)
{
    double mass = 0.0;
    int    n = kl_model_bodies(m), shown = 0;
    printf("%d %s\n", n, n == 1 ? "body" : "bodies");
    for (int i = 1; i < m->nbody; i++) {
        const kl_body *b = &m->body[i];
        kl_measures    t;
        /* Klingel added this body for an attachment or an expanded entry; the user does not know
         * it. */
        if (b->own) continue;
        b->type->measures(b->data, kl_work_cache(m, x->w, i), &t);
        mass += t.mass;
        if (shown++ < 30)
            printf("  %-16s %-6s %10.6g kg   centre of mass at %9.4g %9.4g %9.4g m\n", b->name,
                   b->type->name, t.mass, t.center.x, t.center.y, t.center.z);
    }
    if (n > 30) printf("  ... and %d more\n", n - 30);
    printf("  total mass %.6g kg\n", mass);
}

static bool belongs_to_section(const kl_element *e, const kl_element_section *section)
{
    const kl_element_section *own = kl_section_of(e->type);
    return (own ? own : &kl_element_sections[e->joint ? 0 : 1]) == section;
}

/* Sections that are seldom used are named only where they have entries. */
static void print_elements(const kl_model *m, const kl_element_section *section)
{
    int n = 0, rows = 0;
    for (int i = 0; i < m->nelement; i++)
        if (belongs_to_section(&m->element[i], section)) n++, rows += m->element[i].nphi;
    if (n == 0 && section->types != kl_joint_types && section->types != kl_force_types) return;
    printf("%d %.*s", n, (int)strlen(section->section) - (n == 1), section->section);
    if (section->joints) printf(", %d constraints", rows);
    printf("\n");
    int shown = 0;
    for (int i = 0; i < m->nelement; i++) {
        const kl_element *e = &m->element[i];
        if (!belongs_to_section(e, section) || shown++ >= 30) continue;
        printf("  %-16s %-24s ", e->name, e->type->name);
        for (int k = 0; k < e->nmarker && k < 4; k++)
            if (!m->body[m->marker[e->marker + k].body].own)
                printf("%s%s", k ? " - " : "", m->body[m->marker[e->marker + k].body].name);
        if (section->joints) printf("   %d constraint%s", e->nphi, e->nphi == 1 ? "" : "s");
        printf("\n");
    }
    if (n > 30) printf("  ... and %d more\n", n - 30);
}

/* Constants of the cross sections of beams, which may have been computed from a shape. */
static void print_sections(const kl_model *m)
{
    for (int i = 0; i < m->nresource; i++) {
        if (m->resource[i]->type != &kl_beam_sections || m->resource[i]->failed) continue;
        const kl_beam_section *s = m->resource[i]->data;
        if (s->shape == KL_SECTION_STIFFNESS) continue;
        printf(
            "section %s: area %.5g m2, Iy %.5g m4, Iz %.5g m4, J %.5g m4, shear factors %.4g and "
            "%.4g",
            m->resource[i]->name, s->area, s->Iy, s->Iz, s->J, s->shear[0], s->shear[1]);
        if (fabs(s->Iyz) > 1e-9 * s->Iy) printf(", Iyz %.5g m4", s->Iyz);
        const double *at = s->shear_center, noise = 1e-6 * sqrt(s->area); /* of its computation */
        if (hypot(at[0], at[1]) > noise)
            printf(", shear centre at [%.5g, %.5g] m from the centroid",
                   fabs(at[0]) > noise ? at[0] : 0.0, fabs(at[1]) > noise ? at[1] : 0.0);
        printf("\n");
    }
}

/* Waves along overhead contact lines, and how fast pantographs run against them. */
static void print_catenaries(const kl_model *m)
{
    for (int i = 0; i < m->nresource; i++) {
        if (m->resource[i]->type != &kl_catenaries || m->resource[i]->failed) continue;
        const kl_catenary *c = m->resource[i]->data;
        kl_wave_figures    f = kl_catenary_waves(c, 0.0);
        printf(
            "catenary %s: %d tension length%s, %d nodes, wave speed of the contact wire %.4g m/s",
            m->resource[i]->name, c->design.npart, c->design.npart == 1 ? "" : "s",
            c->line->ndof / c->line->per, f.contact);
        if (isfinite(f.messenger))
            printf(", of the messenger %.4g m/s, reflection at droppers %.3f", f.messenger,
                   f.reflection);
        printf("\n");
    }
    for (int i = 0; i < m->nelement; i++) {
        const kl_catenary *c;
        double             speed;
        if (m->element[i].type != &kl_pantograph_force) continue;
        kl_pantograph_of(m->element[i].data, &c, &speed);
        if (isnan(speed)) continue;
        kl_wave_figures f = kl_catenary_waves(c, speed);
        printf("  %s at %.4g m/s: %.0f %% of the wave speed, Doppler factor %.3f, amplification "
               "%.3f\n",
               m->element[i].name, speed, 100.0 * speed / f.contact, f.doppler, f.gain);
    }
}

/* What the clearance of worn joints leaves free. */
static void print_worn(const kl_model *m)
{
    for (int i = 0; i < m->nelement; i++) {
        const kl_element *e = &m->element[i];
        if (!kl_is_worn(e->type)) continue;
        kl_text t = {0};
        kl_worn_describe(e->type, e->data, &t);
        printf("  clearance of %s: %s\n", e->name, t.data ? t.data : "");
        kl_text_free(&t);
    }
}

/* Is motion i a translation or rotation of one body alone? */
static bool is_single(const kl_model *m, const kl_free_motion *motion)
{
    const char *name = m->body[motion->body].name, *text = motion->text;
    size_t      n = strlen(name);
    return strncmp(text, name, n) == 0 && !strchr(text + n, ',') && !strstr(text + n, " with ") &&
           (strncmp(text + n, " moves along ", 13) == 0 ||
            strncmp(text + n, " turns about ", 13) == 0);
}

/* A body that nothing holds has six such motions. */
static bool moves_freely(const kl_model *m, const kl_mobility *b, int body)
{
    int n = 0;
    for (int i = 0; i < b->nmotion; i++)
        n += b->motion[i].body == body && is_single(m, &b->motion[i]);
    return n == 6;
}

/* Free motions; bodies that no joint holds share one line. */
static void print_motions(const kl_model *m, const kl_mobility *b)
{
    int n = 0;
    for (int i = 1; i < m->nbody; i++)
        if (moves_freely(m, b, i)) printf("%s%s", n++ ? ", " : "  free: ", m->body[i].name);
    if (n) printf(n == 1 ? " in all six directions\n" : " in all six directions each\n");
    for (int i = 0; i < b->nmotion; i++)
        if (!moves_freely(m, b, b->motion[i].body)) printf("  free: %s\n", b->motion[i].text);
}

static void print_mobility(const kl_model *m, const kl_mobility *b)
{
    printf("%d degree%s of freedom (%d velocities, %d constraints of rank %d)\n", b->mobility,
           b->mobility == 1 ? "" : "s", b->nv, b->nlam, b->rank);
    print_motions(m, b);
    if (b->redundant)
        printf("%d redundant constraint%s\n", b->redundant, b->redundant == 1 ? "" : "s");
    for (int i = 0; i < b->nrepeat && i < 12; i++) printf("  %s\n", b->repeat[i].text);
    if (b->nrepeat > 12) printf("  ... and %d more\n", b->nrepeat - 12);
    if (b->singular_text) printf("  %s\n", b->singular_text);
    if (b->locked_text) printf("  %s\n", b->locked_text);
    if (b->undetermined) printf("  reactions that are not unique: %s\n", b->undetermined);
    if (b->undetermined && b->redundant)
        printf(
            "  the model runs; for unique reactions replace one of these joints by one with fewer "
            "constraints,\n  for example spherical, cylindrical, point-on-line or "
            "point-on-plane\n");
}

static bool turns_without_inertia(const kl_model *m, const kl_solver *x, int i)
{
    const kl_body *b = &m->body[i];
    const double  *M = x->w->M + b->M;
    kl_group       g = kl_body_group(b, KL_ROTATION);
    double         J = 0.0;
    for (int k = g.v - b->v; k < g.v - b->v + g.nv; k++) J += M[k * (b->nv + 1)];
    return g.nv > 0 && !kl_body_deforms(b) && M[0] != 0.0 && J == 0.0;
}

static bool same_entry(const kl_body *a, const kl_body *b)
{
    return a->place.line == b->place.line && a->place.column == b->place.column &&
           a->place.file == b->place.file;
}

/* A body that has mass but no inertia at all has an undetermined rotation: the inertia was probably
 * forgotten. One warning for all nodes of a beam. */
static void warn_of_no_inertia(const kl_model *m, const kl_solver *x, kl_diag *diag)
{
    for (int i = 1, last = 0; i < m->nbody; i++) {
        const kl_body *b = &m->body[i];
        if (!turns_without_inertia(m, x, i)) continue;
        if (last == 0 || !same_entry(b, &m->body[last]))
            kl_warn(
                diag, b->place,
                "body '%s' has mass but no inertia; give `inertia` (of a beam: in its section), or "
                "make it a point mass with `type: point`",
                b->name);
        last = i;
    }
}

/* What `klingel run` would stop at; statics may well do without a mass. */
static void warn_of_undetermined(kl_solver *x, kl_diag *diag)
{
    const kl_model *m = x->model;
    if (m->nbody <= 1 && m->nelement == 0)
        kl_warn(diag, (kl_place){.file = m->file},
                "the model has no bodies; define them under `bodies:`");
    if (kl_diag_count(diag, KL_WARNING) > 0 ||
        kl_solve_acceleration(x, x->a, x->lambda, NULL) != KL_E_SINGULAR)
        return;
    int         column = kl_lu_bad_column(kl_matrix_lu(x->mass));
    const char *name   = column >= 0 ? kl_solver_unknown(m, column) : "?";
    int         body   = kl_model_find_body(m, name);
    kl_warn(diag, body >= 0 ? m->body[body].place : (kl_place){.file = m->file},
            "'%s' has a free motion without inertia, so the model cannot be run; give it a mass "
            "and an inertia, make it `type: point`, or add the missing joint",
            name);
}

static kl_status check_model(const kl_model *m, kl_diag *diag)
{
    kl_channels *channels = NULL;
    kl_solver   *x        = NULL;
    kl_mobility *b        = NULL;
    kl_status    status = kl_channels_create(m, diag, &channels); /* expressions under `outputs` */
    if (status == KL_OK) status = kl_solver_create(m, &x);
    if (status == KL_OK) status = kl_assemble_start(x, diag);
    if (status == KL_OK) status = kl_mobility_find(x, diag, &b);
    if (status == KL_OK) status = kl_eval(m, x->s, x->w);
    if (status == KL_OK) {
        kl_drift d = kl_solver_drift(x);
        printf("%s: %s\n", m->file, *m->title ? m->title : "(no title)");
        print_bodies(m, x);
        for (const kl_element_section *e = kl_element_sections; e->section; e++)
            print_elements(m, e);
        print_sections(m);
        print_catenaries(m);
        printf("assembled; largest constraint error %.2g m, %.2g rad\n", d.position, d.rotation);
        print_mobility(m, b);
        print_worn(m);
        printf("size %.4g m; gravity %g %g %g m/s2; simulated time %g s, output every %g s\n",
               m->length, m->gravity.x, m->gravity.y, m->gravity.z, m->settings.end,
               m->settings.every);
        kl_mobility_describe_incompatible(m, b, diag);
        if (!kl_is_quasi_static(m)) {
            warn_of_no_inertia(m, x, diag);
            warn_of_undetermined(x, diag);
        }
        if (status == KL_OK) status = kl_check_vehicle(m, diag);
    }
    kl_mobility_destroy(b);
    kl_solver_destroy(x);
    kl_channels_destroy(channels);
    return status;
}

static int print_text(kl_text *t)
{
    char *text = kl_text_finish(t);
    if (!text) return kl_exit_code(KL_E_MEMORY);
    fputs(text, stdout);
    free(text);
    return KL_EXIT_OK;
}

static bool has_files(const kl_model *m)
{
    for (int i = 0; i < m->nbody; i++)
        for (const kl_key *k = m->body[i].type->keys; k && k->name; k++)
            if (k->kind == KL_KEY_REDUCED) return true;
    return false;
}

static int write_full(const kl_model *m, const char *path)
{
    kl_text t = {0};
    if (m->nresource > 0 || has_files(m))
        kl_text_add(&t,
                    "# from %s; file names are relative to its folder, so keep this file there\n",
                    path);
    kl_write_model(&t, m);
    return print_text(&t);
}

/* The second model is read with the same --set as the first. */
static int compare(const kl_model *a, const char *path, const kl_texts *set, kl_diag *diag)
{
    kl_loaded other;
    kl_texts  none = {0};
    int       code = kl_loaded_open(&kl_command_check, path, set ? set : &none, diag, &other);
    if (code != KL_EXIT_OK) return code;
    kl_text t = {0};
    int     n = kl_model_diff(&t, a, other.model);
    code      = print_text(&t);
    printf(n ? "%d difference%s\n" : "no difference\n", n, n == 1 ? "" : "s");
    kl_loaded_close(&other);
    return code;
}

static int check(int argc, char **argv)
{
    kl_texts        set  = {0};
    bool            full = false, diff = false;
    const kl_option options[] = {
        {"full", 0, NULL, KL_OPTION_FLAG, &full, "print the complete model with all defaults"},
        {"diff", 0, NULL, KL_OPTION_FLAG, &diff, "print the differences between two models"},
        {"set", 's', "NAME=VALUE", KL_OPTION_TEXTS, &set, "set a parameter (may be repeated)"},
        {0},
    };
    kl_arguments rest;
    int code = kl_options_parse(&kl_command_check, options, argc, argv, &rest), want = diff ? 2 : 1;
    if (code == KL_OPTIONS_OK && full && diff)
        code = kl_usage_error(&kl_command_check, "give --full or --diff, not both");
    if (code == KL_OPTIONS_OK && rest.n != want)
        code = kl_usage_error(&kl_command_check,
                              diff     ? "--diff needs two model files"
                              : rest.n ? "give one model file"
                                       : "the model is missing; name its file, such as model.yaml");
    if (code != KL_OPTIONS_OK) {
        kl_texts_free(&set);
        return code;
    }
    kl_loaded l;
    kl_diag  *diag = kl_diag_create();
    code           = kl_loaded_open(&kl_command_check, rest.items[0], &set, diag, &l);
    if (code == KL_EXIT_OK && full) code = write_full(l.model, rest.items[0]);
    else if (code == KL_EXIT_OK && diff) code = compare(l.model, rest.items[1], &set, diag);
    else if (code == KL_EXIT_OK) code = kl_exit_code(check_model(l.model, diag));
    kl_print_diag(diag, NULL);
    kl_loaded_close(&l);
    kl_diag_destroy(diag);
    kl_texts_free(&set);
    return code;
}

const kl_command kl_command_check = {
    .name      = "check",
    .arguments = "MODEL.yaml [OTHER.yaml]",
    .summary   = "check a model; print its bodies, joints and degrees of freedom",
    .run       = check,
    .help      = "  klingel check examples/bricard/model.yaml\n"
                 "  klingel check --full model.yaml > full.yaml\n"
                 "  klingel check --diff old.yaml new.yaml\n"};
