/* Writes results of `bodies` swinging pendulums over `frames` rows without simulating them: for the
 * viewer's large case.
 *
 *     stress-results OUT.h5 BODIES FRAMES */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "io/results.h"

enum { PER_BODY = 19 };

static const char *const parts[PER_BODY] = {
    "position.x",     "position.y",    "position.z", "orientation.0",  "orientation.1",
    "orientation.2",  "orientation.3", "velocity.x", "velocity.y",     "velocity.z",
    "omega.x",        "omega.y",       "omega.z",    "acceleration.x", "acceleration.y",
    "acceleration.z", "alpha.x",       "alpha.y",    "alpha.z",
};

static void say_scene(kl_text *t, int bodies)
{
    kl_text_add(t, "{\"version\": 1, \"title\": \"stress\", \"gravity\": [0, 0, -9.81], "
                   "\"length\": 10, \"bodies\": [{\"name\": \"ground\", \"type\": \"ground\", "
                   "\"mass\": 0, \"center\": [0, 0, 0], \"points\": []}");
    for (int b = 0; b < bodies; b++)
        kl_text_add(
            t,
            ", {\"name\": \"p%d\", \"type\": \"rigid\", \"mass\": 1, \"center\": [0, 0, 0], "
            "\"inertia\": [0.02, 0.02, 0.001, 0, 0, 0], \"points\": [[0, 0, 0.25]]}",
            b);
    kl_text_add(t, "], \"elements\": [");
    for (int b = 0; b < bodies; b++)
        kl_text_add(t,
                    "%s{\"name\": \"j%d\", \"type\": \"revolute\", \"joint\": true, \"markers\": "
                    "[{\"body\": \"ground\", \"r\": [%d, %d, 0], \"axis\": [0, 1, 0]}, {\"body\": "
                    "\"p%d\", \"r\": [0, 0, 0.25], \"axis\": [0, 1, 0]}]}",
                    b ? ", " : "", b, b % 10, b / 10, b);
    kl_text_add(t, "]}");
}

static void fill_row(double *row, int bodies, double t)
{
    memset(row, 0, (size_t)bodies * PER_BODY * sizeof *row);
    for (int b = 0; b < bodies; b++) {
        double *v = row + (size_t)b * PER_BODY, w = 3.0 + 0.05 * b, a = 0.9 * sin(w * t);
        v[0]  = b % 10 - 0.25 * sin(a);
        v[1]  = b / 10;
        v[2]  = -0.25 * cos(a);
        v[3]  = cos(a / 2);
        v[5]  = sin(a / 2);
        v[11] = 0.9 * w * cos(w * t);
        v[17] = -w * w * a;
    }
}

int main(int argc, char **argv)
{
    if (argc != 4) return 2;
    int              bodies = atoi(argv[2]), frames = atoi(argv[3]), n = bodies * PER_BODY;
    kl_channel_info *info = calloc((size_t)n + 1, sizeof *info);
    double          *row  = calloc((size_t)n + 1, sizeof *row);
    char(*names)[40]      = calloc((size_t)n + 1, sizeof *names);
    kl_text scene         = {0};
    if (!info || !row || !names) return 1;
    for (int i = 0; i < n; i++) {
        snprintf(names[i], sizeof names[i], "p%d.%s", i / PER_BODY, parts[i % PER_BODY]);
        info[i] = (kl_channel_info){.name = names[i], .unit = "1"};
    }
    say_scene(&scene, bodies);
    kl_results_info head   = {.title = "stress", .scene_json = scene.data};
    kl_writer      *w      = NULL;
    kl_diag        *diag   = kl_diag_create();
    kl_status       status = kl_writer_create(argv[1], &head, info, n, diag, &w);
    for (int k = 0; status == KL_OK && k < frames; k++) {
        fill_row(row, bodies, 0.005 * k);
        status = kl_writer_row(w, 0.005 * k, row);
    }
    if (w) kl_writer_note(w, "status", "complete");
    kl_status closed = kl_writer_close(w);
    kl_text_free(&scene);
    kl_diag_destroy(diag);
    free(names);
    free(row);
    free(info);
    return status == KL_OK && closed == KL_OK ? 0 : 1;
}
