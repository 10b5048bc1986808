/* klingel fe: from a mesh to a reduced flexible body. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "algebra/dense.h"
#include "cli/advise.h"
#include "cli/commands.h"
#include "figures/mode_figure.h"
#include "language/body.h"
#include "reduce/kbody_file.h"
#include "terminal/options.h"

typedef struct view {
    bool        quiet, terminal;
    const char *stage;
    double      started, shown;
    bool        drawn;
} view;

static double wall_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* one line that is drawn over itself on a terminal, one line a stage elsewhere */
static bool progress(void *context, const char *stage, double done)
{
    view *v = context;
    if (v->quiet) return true;
    bool fresh = !v->stage || strcmp(v->stage, stage) != 0;
    if (!v->terminal) {
        if (fresh) fprintf(stderr, "%s ...\n", stage);
        v->stage = stage;
        return true;
    }
    double t = wall_clock();
    if (!fresh && t - v->shown < 0.1 && done < 1) return true;
    int filled = (int)(30 * done);
    fprintf(stderr, "\r%-9s [%.*s%*s] %3.0f %%  %.1f s ", stage, filled,
            "##############################", 30 - filled, "", 100 * done, t - v->started);
    fflush(stderr);
    v->stage = stage, v->shown = t, v->drawn = true;
    return true;
}

static void end_progress(view *v)
{
    if (v->drawn) fprintf(stderr, "\r%70s\r", "");
}

/* ---- what is printed ---- */

static void print_csv(const kl_kbody *b)
{
    printf("mode,frequency_hz\n");
    for (int j = 0; j < b->nmode; j++) printf("%d,%.10g\n", j + 1, b->frequency[j]);
}

static void print_mass(const kl_kbody *b)
{
    kl_vec3 c = kl_kbody_centre(b);
    kl_mat3 J = kl_kbody_central_inertia(b);
    double  p[3];
    kl_symmetric_eigenvalues(&J, p);
    printf("mass               %.9g kg\n", b->inertia.m);
    printf("centre of mass     %.6g  %.6g  %.6g m\n", c.x, c.y, c.z);
    printf("inertia about it   xx %.6g  yy %.6g  zz %.6g  xy %.6g  xz %.6g  yz %.6g kg m2\n",
           J.m[0][0], J.m[1][1], J.m[2][2], J.m[0][1], J.m[0][2], J.m[1][2]);
    printf("principal moments  %.6g  %.6g  %.6g kg m2\n", p[0], p[1], p[2]);
}

static void print_modes(const kl_kbody *b, bool plain)
{
    double sum[6];
    printf("\nmode  frequency   residual   effective mass [%% of the body's]: x      y      z     "
           "rx     ry     rz\n");
    bool    overlap = !kl_kbody_is_orthogonal(b);
    kl_mat3 J       = kl_kbody_central_inertia(b);
    /* The effective masses of all modes add up to the mass and to the moments of inertia about the
     * centre of mass, if the modes are orthogonal and complete. */
    double whole[6] = {b->inertia.m, b->inertia.m, b->inertia.m, J.m[0][0], J.m[1][1], J.m[2][2]};
    for (int j = 0; j < b->nmode; j++) {
        double L[6], effective[6];
        kl_kbody_participation(b, j, L, effective);
        printf("%4d %10.6g Hz %9.1e %29s", j + 1, b->frequency[j], b->residual[j], "");
        for (int k = 0; k < 6; k++) {
            printf(" %6.2f", whole[k] > 0 ? 100 * effective[k] / whole[k] : 0);
        }
        printf("\n");
    }
    if (kl_kbody_effective_mass(b, sum) != KL_OK) return;
    printf("%57s", overlap ? "together" : "sum");
    for (int k = 0; k < 6; k++) printf(" %6.2f", whole[k] > 0 ? 100 * sum[k] / whole[k] : 0);
    printf("\n");
    if (!plain && strcmp(b->reference, "principal-axis") == 0)
        printf("(frequencies and residuals of the free body; in principal axes its modes are "
               "coupled by mass, so\n"
               "effective masses overlap and do not add up to 100 %%)\n");
    else if (overlap)
        printf("(plain Craig-Bampton vectors are not orthogonal: effective masses overlap, and "
               "frequencies\n"
               "and residuals are Rayleigh quotients of each vector alone)\n");
    if (strcmp(b->reference, "mean-axis") == 0 && !overlap)
        printf("(with mean axes the deformation has no momentum, so effective masses are zero by "
               "definition)\n");
}

static void print_markers(const kl_kbody *b)
{
    if (b->nmarker == 0) return;
    printf("\nmarker            node      position [m]                         frame\n");
    for (int i = 0; i < b->nmarker; i++) {
        const kl_kbody_marker *m         = &b->marker[i];
        char                   frame[64] = "rotations of the node";
        if (m->kind == KL_MARKER_TRIAD)
            snprintf(frame, sizeof frame, "nodes %d, %d, %d", m->triad_id[0], m->triad_id[1],
                     m->triad_id[2]);
        printf("%-15s %6d      %10.6g %10.6g %10.6g     %s\n", m->name, m->node_id, m->position.x,
               m->position.y, m->position.z, frame);
    }
}

static void print_effort(const kl_reduce_report *r, double seconds)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    printf("\nmesh               %d nodes, %d elements, %d unknowns; entries K %.3g, M %.3g\n",
           r->nnode, r->nelement, r->ndof, r->entries_K, r->entries_M);
    printf("basis              %d eigenmodes (%d rigid body modes removed), %d static, %d user; %d "
           "linearly dependent removed; condition %.2e\n",
           r->neigen, r->nrigid, r->nstatic, r->nuser, r->ndropped, r->condition);
    printf("eigenmodes         %d solves in %d calls, shift %.4g rad2/s2, largest residual %.1e\n",
           r->nsolve, r->nblock, r->sigma, r->largest_residual);
    if (r->counted > 0)
        printf("count              the first %d eigenmodes are complete (Sturm sequence check)\n",
               r->counted);
    printf("factor             %.3g entries, %.0f MB\n", r->factor_entries, 1e-6 * r->factor_bytes);
    printf("time               assembly %.2f, factor %.2f, modes %.2f, statics and basis %.2f, "
           "invariants %.2f, all %.2f s\n",
           r->seconds_assembly, r->seconds_factor, r->seconds_modes, r->seconds_statics,
           r->seconds_invariants, seconds);
    printf("memory             %.0f MB (peak)\n", (double)u.ru_maxrss / 1024);
}

typedef struct fe_request {
    const char *input, *output, *figure;
    bool        csv, report, quiet;
    int         threads;
} fe_request;

static kl_status draw(const kl_kbody *b, const char *figure, kl_diag *diag)
{
    kl_place at = {figure, 0, 0};
    if (b->skin.nnode == 0)
        return kl_fail(
            diag, KL_E_MODEL, at,
            "the body has no surface to draw, because it comes from matrices or has `skin: no`");
    return kl_mode_figure(b, figure) ? KL_OK : KL_E_FILE; /* the reason is printed */
}

static int reduce(const fe_request *q)
{
    kl_diag *diag = kl_diag_create();
    view     v    = {.quiet = q->quiet, .terminal = isatty(STDERR_FILENO), .started = wall_clock()};
    kl_body_file     file = {0};
    kl_kbody        *body = NULL;
    kl_reduce_report effort;
    kl_blas_threads(1);
    progress(&v, "reading", 0);
    kl_status status = q->output ? kl_kbody_check_name(q->output, diag) : KL_OK;
    if (status == KL_OK) status = kl_body_file_read(q->input, &file, diag);
    if (status == KL_OK) {
        file.recipe.progress = progress, file.recipe.context = &v;
        file.recipe.threads = q->threads;
        status = kl_reduce(file.mesh, file.has_matrices ? &file.system : NULL, &file.recipe, &body,
                           &effort, diag);
    }
    end_progress(&v);
    if (status == KL_OK && q->output) status = kl_kbody_write(body, q->output, diag);
    bool written = status == KL_OK && q->output; /* a figure may fail yet */
    if (status == KL_OK && q->figure) status = draw(body, q->figure, diag);
    kl_print_diag(diag, status == KL_OK || written ? NULL : "no body was written");
    if (status == KL_OK && q->csv) print_csv(body);
    if (status == KL_OK && q->report) {
        print_mass(body);
        print_modes(body, file.recipe.plain);
        print_markers(body);
        print_effort(&effort, wall_clock() - v.started);
    }
    kl_kbody_destroy(body);
    kl_body_file_free(&file);
    kl_diag_destroy(diag);
    return kl_exit_code(status);
}

static int run_advise(const fe_request *q, const kl_advice_request *a)
{
    if (q->output || q->csv || q->report || q->figure)
        return kl_usage_error(
            &kl_command_fe,
            "--advise writes no body; do not combine it with -o, --csv, --report or --figure");
    if (!(isnan(a->frequency) || a->frequency > 0.0) || !(a->error > 0.0))
        return kl_usage_error(&kl_command_fe, "--frequency and --error must be positive");
    kl_blas_threads(1);
    return kl_advise(a);
}

static int run_fe(int argc, char **argv)
{
    fe_request      q         = {0};
    bool            advise    = false;
    kl_texts        set       = {0};
    double          frequency = (double)NAN, error = 0.01;
    const kl_option options[] = {
        {"output", 'o', "BODY.kbody", KL_OPTION_TEXT, &q.output, "reduced body file to write"},
        {"csv", 0, NULL, KL_OPTION_FLAG, &q.csv,
         "print mode,frequency_hz without rigid body modes"},
        {"report", 0, NULL, KL_OPTION_FLAG, &q.report,
         "print mass, modes, effective masses, markers, cost"},
        {"figure", 0, "FILE", KL_OPTION_TEXT, &q.figure, "draw the first six modes (.png or .svg)"},
        {"advise", 0, NULL, KL_OPTION_FLAG, &advise,
         "propose modes for the flexible bodies of a model"},
        {"frequency", 0, "HZ", KL_OPTION_NUMBER, &frequency,
         "with --advise: highest excitation frequency [Hz]"},
        {"error", 0, "E", KL_OPTION_NUMBER, &error,
         "with --advise: error of the response (default 0.01)"},
        {"set", 's', "NAME=VALUE", KL_OPTION_TEXTS, &set,
         "with --advise: set a parameter (may be repeated)"},
        {"threads", 0, "N", KL_OPTION_COUNT, &q.threads,
         "threads of the factorisation (default 1)"},
        {"quiet", 'q', NULL, KL_OPTION_FLAG, &q.quiet, "no progress"},
        {0},
    };
    kl_arguments rest;
    int          code = kl_options_parse(&kl_command_fe, options, argc, argv, &rest);
    if (code == KL_OPTIONS_OK && rest.n != 1)
        code = kl_usage_error(&kl_command_fe, advise ? "give one model" : "give one body file");
    if (code == KL_OPTIONS_OK && advise)
        code = run_advise(&q, &(kl_advice_request){.model     = rest.items[0],
                                                   .set       = &set,
                                                   .frequency = frequency,
                                                   .error     = error,
                                                   .threads   = q.threads});
    else if (code == KL_OPTIONS_OK && set.n > 0)
        code = kl_usage_error(
            &kl_command_fe,
            "--set applies only with --advise; edit the body file to change its parameters");
    else if (code == KL_OPTIONS_OK && !q.output && !q.csv && !q.report && !q.figure)
        code = kl_usage_error(&kl_command_fe,
                              "give at least one of -o BODY.kbody, --csv, --report, --figure");
    else if (code == KL_OPTIONS_OK) {
        q.input = rest.items[0];
        code    = reduce(&q);
    }
    kl_texts_free(&set);
    return code;
}

const kl_command kl_command_fe = {
    .name      = "fe",
    .arguments = "BODY.yaml -o BODY.kbody",
    .summary   = "reduce a finite element mesh to a flexible body",
    .run       = run_fe,
    .help      = "The body file names a mesh (Gmsh, Abaqus, Nastran) or matrices, materials and\n"
                 "markers, such as {mesh: rod.msh, material: {E: 210 GPa, nu: 0.3, density: 7800}}\n"
                 "--advise proposes the modes that the bodies of a model need.\n"
                 "\n"
                 "  klingel fe rod.yaml -o rod.kbody --report\n"
                 "  klingel fe --advise model.yaml --frequency 100\n",
};
