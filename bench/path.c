/* What a place on a track costs: exact geometry against tables, in memory and through a window; and what an error costs in
 * rows. Processor times of one thread, all in one run. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "language/track.h"
#include "store/track_file.h"

static double now(void) { return (double)clock() / CLOCKS_PER_SEC; }

/* Nanoseconds an evaluation, driving along as a vehicle does: small steps, round after round. */
static double cost(const kl_path *path, kl_arena *arena)
{
    enum { N = 400000 };
    kl_path_cursor cursor;
    double         sum = 0.0, begin;
    if (kl_path_cursor_init(path, arena, &cursor) != KL_OK) return -1.0;
    begin = now();
    for (int i = 0; i < N; i++) {
        kl_path_point p;
        if (kl_path_eval(path, path->length * i / N, &cursor, &p) != KL_OK) return -1.0;
        sum += p.ddkappa.x + p.r.z;
    }
    double time = now() - begin;
    return sum == 12345.678 ? -1.0 : 1e9 * time / N; /* the sum must be computed */
}

static void bench_track(const char *name)
{
    static const char *const method[] = {"linear", "cubic", "quintic"};
    static const double      error[]  = {1e-4, 1e-6, 1e-8};
    char                     path[1024], table_path[64];
    kl_arena                *arena = kl_arena_create();
    kl_diag                 *diag  = kl_diag_create();
    kl_track                *t     = NULL;
    snprintf(path, sizeof path, KL_SOURCE_DIR "/examples/tracks/%s.yaml", name);
    if (kl_track_read(path, NULL, arena, diag, &t, NULL) != KL_OK) {
        printf("%s\n", kl_diag_size(diag) ? kl_diag_at(diag, 0)->text : name);
        exit(1);
    }
    double exact = cost(t->path, arena);
    printf("%s, %.0f m, %s frame\n  exact geometry               %6.0f ns a place\n", name,
           t->path->length, t->frame, exact);
    for (int m = 0; m < 3; m++)
        for (int e = 0; e < 3; e++) {
            kl_table_settings set = {.method = (kl_table_method)m, .max_rows = 3000000};
            kl_path_table    *table;
            kl_path          *way;
            kl_arena         *own = kl_arena_create();
            for (int k = 0; k < KL_NCLASS; k++) set.error[k] = error[e];
            double    begin  = now();
            kl_status status = kl_path_table_in_memory(t->path, &set, own, NULL, &table);
            double    build  = now() - begin;
            if (status == KL_OK && kl_path_from_table(table, own, &way) == KL_OK)
                printf(
                    "  %-8s error %.0e  %9d rows %6.0f ns, %4.1f times faster; built in %.2f s\n",
                    method[m], error[e], table->nrow, cost(way, own), exact / cost(way, own),
                    build);
            else printf("  %-8s error %.0e  more than 3 million rows\n", method[m], error[e]);
            kl_arena_destroy(own);
        }
    snprintf(table_path, sizeof table_path, "/tmp/klingel-bench-%ld.ktrack", (long)getpid());
    kl_table_settings set = {.method = KL_TABLE_CUBIC};
    kl_path_table     table;
    kl_track_file    *f;
    kl_track_texts    texts = {0};
    if (kl_track_file_write(table_path, t->path, &set, &texts, arena, diag, &table) == KL_OK &&
        kl_track_file_open(table_path, 64, diag, &f) == KL_OK) {
        printf("  cubic    error 1e-06, window of 64 rows on its file %6.0f ns\n",
               cost(kl_track_file_path(f), arena));
        kl_track_file_close(f);
    }
    unlink(table_path);
    kl_diag_destroy(diag);
    kl_arena_destroy(arena);
}

int main(void)
{
    bench_track("railway");
    bench_track("roller-coaster");
    bench_track("loop-and-corkscrew");
    bench_track("circuit");
    return 0;
}
