/* What a step of the locomotive costs, by part: examples/locomotive at 70 km/h with a rigid front frame, and with a flexible one (30 modes) whose
 * springs and motors act on markers or on virtual bodies. Processor time of one thread.
 *   bench-locomotive [NAME=VALUE...]    further parameters of the model, for example mesh=frame-fine.msh */
#include <string.h>

#include "bench.h"
#include "dynamics/matrix.h"

enum { TIMES = 400, MOST_SETS = 16 };

/* The state moves by rounding between evaluations, so that no stage takes over what it knows. */
static double seconds_of(bench_job *j,
                         kl_status (*stage)(const kl_model *m, const kl_state *s, kl_work *w))
{
    kl_solver *x     = j->s->solver;
    double     start = bench_now();
    for (int i = 0; i < TIMES; i++) {
        x->s->q[0] += i % 2 ? 1e-12 : -1e-12;
        if (stage(j->model, x->s, x->w) != KL_OK) exit(1);
    }
    return (bench_now() - start) / TIMES;
}

/* without tangents the matrix has mass and constraints alone, and the same pattern */
static double seconds_of_matrix(bench_job *j, double h, bool tangents)
{
    kl_solver *x = j->s->solver;
    kl_weights c = {
        .mass = 4.0 / (h * h), .stiffness = tangents, .damping = tangents ? 2.0 / h : 0.0};
    double start = bench_now();
    for (int i = 0; i < TIMES; i++)
        if (kl_matrix_factor(j->model, x->s, x->w, x->matrix, c, x->a, x->lambda, NULL) != KL_OK)
            exit(1);
    return (bench_now() - start) / TIMES;
}

static double seconds_of_solve(bench_job *j)
{
    kl_solver *x     = j->s->solver;
    double     start = bench_now();
    for (int i = 0; i < TIMES; i++) (void)kl_matrix_solve(x->matrix, x->y);
    return (bench_now() - start) / TIMES;
}

static void bench(const kl_override *set, int n, const char *title)
{
    kl_diag   *d      = kl_diag_create();
    kl_source *source = NULL;
    kl_source_read(KL_SOURCE_DIR "/examples/locomotive/model.yaml", d, &source);
    bench_job j = bench_load(d, source, set, n, NULL, NULL);
    (void)bench_run(&j, 1.0); /* irregularities have their full size */
    kl_statistics before = j.s->count, now;
    double        start  = bench_now();
    while (j.s->solver->s->t < 2.0)
        if (kl_simulation_step(j.s, 2.0, j.diag) != KL_OK) bench_stop(j.diag);
    double seconds     = bench_now() - start;
    now                = j.s->count;
    double steps       = (double)(now.steps - before.steps),
           evaluations = (double)(now.evaluations - before.evaluations);
    double iterations  = (double)(now.iterations - before.iterations),
           matrices    = (double)(now.factorizations - before.factorizations);
    double position = seconds_of(&j, kl_eval_position), motion = seconds_of(&j, kl_eval_motion);
    double elements = seconds_of(&j, kl_eval_elements), all = seconds_of(&j, kl_eval);
    double factors = seconds_of_matrix(&j, 1.0 / steps, false),
           matrix = seconds_of_matrix(&j, 1.0 / steps, true), solve = seconds_of_solve(&j);
    printf("%s: %d unknowns, %d constraints\n", title, j.model->nv + j.model->nz, j.model->nlam);
    printf("  a simulated second: %.2f s of processor time, %.0f steps of %.0f us, %.0f rejected, "
           "%.2f evaluations, %.2f matrices a step\n",
           seconds, steps, 1e6 * seconds / steps, (double)(now.rejected - before.rejected),
           evaluations / steps, matrices / steps);
    printf("  one evaluation %.1f us: positions and wheel contacts %.1f, velocities %.1f, forces "
           "and joints %.1f, inertia %.1f\n",
           1e6 * all, 1e6 * position, 1e6 * (motion - position), 1e6 * (elements - motion),
           1e6 * (all - elements));
    printf("  one matrix %.1f us: tangents of forces %.1f, mass, rows and factors %.1f; one solve "
           "%.1f us\n",
           1e6 * matrix, 1e6 * (matrix - factors), 1e6 * factors, 1e6 * solve);
    int solves = j.model->nlam > 0 ? 2 : 1;
    printf(
        "  of a step: evaluations %.0f us, matrices %.0f us, solves %.0f us, remainder %.0f us\n",
        1e6 * all * evaluations / steps, 1e6 * matrix * matrices / steps,
        1e6 * solves * solve * iterations / steps,
        1e6 * (seconds - all * evaluations - matrix * matrices - solves * solve * iterations) /
            steps);
    bench_release(&j);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *title, *frame, *attach;
    } kind[] = {{"rigid frame", "rigid", "marker"},
                {"flexible frame, markers", "flexible", "marker"},
                {"flexible frame, virtual bodies", "flexible", "virtual-body"}};
    for (int k = 0; k < 3; k++) {
        kl_override set[MOST_SETS] = {{.name = "frame", .text = kind[k].frame},
                                      {.name = "attach", .text = kind[k].attach}};
        int         n              = 2;
        for (int i = 1; i < argc && n < MOST_SETS; i++) {
            char *equals = strchr(argv[i], '=');
            if (!equals) continue;
            char *name = strndup(argv[i], (size_t)(equals - argv[i]));
            set[n++]   = (kl_override){.name = name, .text = equals + 1};
        }
        bench(set, n, kind[k].title);
    }
    return 0;
}
