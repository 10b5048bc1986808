/* What a flexible body costs in a run does not depend on the mesh that it was reduced from: a pendulum with 8 modes, from about 1 000
 * and from about 100 000 tetrahedra. And what a step of one such body costs. Processor times of one thread, best of some runs that take
 * turns; compare ratios. */
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"

/* A bar of 1 x 0.1 x 0.05 m cut into cubes, each into six tetrahedra about its diagonal. */
static void write_mesh(const char *folder, const char *name, int nx, int ny, int nz)
{
    static const int order[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    char             path[1100];
    int              element = 0;
    snprintf(path, sizeof path, "%s/%s.inp", folder, name);
    FILE *f = fopen(path, "w");
    if (!f) exit(1);
    fprintf(f, "*NODE\n");
    for (int k = 0, id = 1; k <= nz; k++)
        for (int j = 0; j <= ny; j++)
            for (int i = 0; i <= nx; i++, id++)
                fprintf(f, "%d, %.9g, %.9g, %.9g\n", id, 1.0 * i / nx, 0.1 * j / ny - 0.05, 0.05 * k / nz - 0.025);
    fprintf(f, "*ELEMENT, TYPE=C3D4, ELSET=bar\n");
    for (int k = 0; k < nz; k++)
        for (int j = 0; j < ny; j++)
            for (int i = 0; i < nx; i++)
                for (int s = 0; s < 6; s++) {
                    int at[3] = {i, j, k}, id[4];
                    for (int n = 0; n < 4; n++) {
                        id[n] = 1 + at[0] + (nx + 1) * (at[1] + (ny + 1) * at[2]);
                        if (n < 3) at[order[s][n]]++;
                    }
                    /* odd permutations turn the other way round */
                    bool odd = s == 1 || s == 2 || s == 5;
                    fprintf(f, "%d, %d, %d, %d, %d\n", ++element, id[0], id[odd ? 2 : 1], id[odd ? 1 : 2], id[3]);
                }
    fprintf(f, "*NSET, NSET=left\n");
    for (int k = 0; k <= nz; k++)
        for (int j = 0; j <= ny; j++) fprintf(f, "%d\n", 1 + (nx + 1) * (j + (ny + 1) * k));
    fclose(f);
    snprintf(path, sizeof path, "%s/%s.yaml", folder, name);
    f = fopen(path, "w");
    if (!f) exit(1);
    fprintf(f,
            "mesh: %s.inp\nmaterial: {E: 70 GPa, nu: 0.3, density: 2700 kg/m3}\nmodes: 8\nskin: no\n"
            "markers: {left: {set: left, tie: rbe3}}\n",
            name);
    fclose(f);
    printf("%s: %d elements\n", name, element);
}

static bench_outcome swing(const char *folder, const char *name)
{
    char       text[2048], path[1100];
    kl_diag   *d      = kl_diag_create();
    kl_source *source = NULL;
    snprintf(path, sizeof path, "%s/model.yaml", folder);
    snprintf(text, sizeof text,
             "klingel: 1\nbodies:\n  bar: {type: flexible, file: %s.yaml}\njoints:\n"
             "  hinge: {type: revolute, between: [ground, bar.left], axis: y}\n"
             "run: {end: 0.5, every: 0.5}\nintegrator: {step: 100 us}\n",
             name);
    if (kl_source_parse(text, strlen(text), path, d, &source) != KL_OK) bench_stop(d);
    bench_job     j = bench_load(d, source, NULL, 0, NULL, NULL);
    bench_outcome o = bench_run(&j, 0.5);
    bench_release(&j);
    return o;
}

int main(void)
{
    char    folder[64] = "/tmp/klingel-bench-XXXXXX";
    bench_outcome best[2]    = {{.seconds = HUGE_VAL}, {.seconds = HUGE_VAL}};
    static const char *const name[] = {"coarse", "fine"};
    if (!mkdtemp(folder)) return 1;
    write_mesh(folder, name[0], 19, 3, 3);
    write_mesh(folder, name[1], 92, 13, 14);
    for (int i = 0; i < 2; i++) {
        struct timespec t0, t1;
        clock_gettime(CLOCK_MONOTONIC, &t0);
        (void)swing(folder, name[i]); /* reduces and keeps the body */
        clock_gettime(CLOCK_MONOTONIC, &t1);
        printf("%s: reduced and run once in %.1f s\n", name[i], (double)(t1.tv_sec - t0.tv_sec) + 1e-9 * (double)(t1.tv_nsec - t0.tv_nsec));
    }
    for (int turn = 0; turn < 15; turn++)
        for (int i = 0; i < 2; i++) {
            bench_outcome o = swing(folder, name[i]);
            if (o.seconds < best[i].seconds) best[i] = o;
        }
    for (int i = 0; i < 2; i++)
        printf("%-7s 8 modes on a hinge: %.2f us a step, %.2f iterations a step\n", name[i], 1e6 * best[i].seconds / (double)best[i].steps,
               (double)best[i].iterations / (double)best[i].steps);
    printf("run time, fine mesh over coarse: %.3f; an iteration: %.3f\n", best[1].seconds / best[0].seconds,
           best[1].seconds / (double)best[1].iterations / (best[0].seconds / (double)best[0].iterations));
    char remove_all[128];
    snprintf(remove_all, sizeof remove_all, "rm -rf %s", folder);
    return system(remove_all) == 0 ? 0 : 1;
}
