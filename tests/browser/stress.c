/* Writes results of `bodies` swinging pendulums over `frames` rows without simulating them: for the
 * viewer's large case.
 *
 *     stress-results OUT.h5 BODIES FRAMES [SIDE MODES | track]
 *
 * With SIDE and MODES, one more body `plate` is flexible: its skin has 2 (SIDE - 1)^2 triangles,
 * its modal coordinate j is sin((j + 1) t) / (j + 1)^2, and OUT.h5.kbody holds it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "reduce/kbody_file.h"
#include "results/results.h"
#include "store/h5.h"

enum { PER_BODY = 19 };

/* A square plate of 10 m that waves: mode j has j + 1 half waves along x. Stress: as its bending.
 */
static kl_kbody *make_plate(int side, int modes)
{
    kl_kbody *b = kl_kbody_create();
    if (!b) return NULL;
    int n        = side * side;
    b->title     = "plate";
    b->source    = "stress.c";
    b->nmode     = modes;
    b->reference = "mean-axis", b->mass_rule = "lumped";
    b->frequency       = kl_arena_array(b->arena, double, modes);
    b->residual        = kl_arena_array(b->arena, double, modes);
    b->Mff             = kl_arena_array(b->arena, double, modes *modes);
    b->Kff             = kl_arena_array(b->arena, double, modes *modes);
    b->inertia         = (kl_invariants){.m  = 100,
                                         .S1 = kl_arena_array(b->arena, double, 3 * modes),
                                         .J0 = {{{800, 0, 0}, {0, 800, 0}, {0, 0, 1600}}},
                                         .G0 = kl_arena_array(b->arena, kl_mat3, modes),
                                         .J2 = kl_arena_array(b->arena, kl_mat3, modes * modes),
                                         .H0 = kl_arena_array(b->arena, double, 3 * modes),
                                         .H1 = kl_arena_array(b->arena, double, 3 * modes * modes)};
    kl_kbody_skin   *k = &b->skin;
    kl_kbody_stress *s = &b->stress;
    *k                 = (kl_kbody_skin){.nnode = n, .ntriangle = 2 * (side - 1) * (side - 1)};
    s->n               = n;
    k->node_id         = kl_arena_array(b->arena, int, n);
    k->x               = kl_arena_array(b->arena, kl_vec3, n);
    k->triangle        = kl_arena_array(b->arena, int, 3 * k->ntriangle);
    k->motion          = kl_arena_array(b->arena, float, 3 * (size_t)n * (size_t)modes);
    s->element_id      = kl_arena_array(b->arena, int, n);
    s->node_id         = kl_arena_array(b->arena, int, n);
    s->position        = kl_arena_array(b->arena, kl_vec3, n);
    s->strain          = kl_arena_array(b->arena, double, 6 * (size_t)n * (size_t)modes);
    s->stress          = kl_arena_array(b->arena, double, 6 * (size_t)n * (size_t)modes);
    if (!kl_arena_ok(b->arena)) return NULL;
    for (int j = 0; j < modes; j++) {
        b->frequency[j]       = 1.0 + j;
        b->Mff[j * modes + j] = 1.0;
        b->Kff[j * modes + j] = 39.478417604357434 * (1.0 + j) * (1.0 + j);
    }
    for (int i = 0; i < n; i++) {
        double x = 10.0 * (i % side) / (side - 1), y = 10.0 * (i / side) / (side - 1);
        k->node_id[i] = s->node_id[i] = i + 1;
        s->element_id[i]              = -1;
        k->x[i] = s->position[i] = (kl_vec3){x - 5, y - 5, 0};
        for (int j = 0; j < modes; j++) {
            size_t at             = (size_t)i * (size_t)modes + (size_t)j;
            double wave           = sin(3.141592653589793 * (j + 1) * x / 10.0);
            k->motion[3 * at + 2] = (float)wave;
            s->stress[6 * at]     = 1e6 * (j + 1) * (j + 1) * wave;
        }
    }
    for (int i = 0, t = 0; i < (side - 1) * (side - 1); i++, t += 6) {
        int a    = i / (side - 1) * side + i % (side - 1),
            q[6] = {a, a + 1, a + side + 1, a, a + side + 1, a + side};
        memcpy(k->triangle + t, q, sizeof q);
    }
    return b;
}

static const char *const parts[PER_BODY] = {
    "position.x",     "position.y",    "position.z", "orientation.0",  "orientation.1",
    "orientation.2",  "orientation.3", "velocity.x", "velocity.y",     "velocity.z",
    "omega.x",        "omega.y",       "omega.z",    "acceleration.x", "acceleration.y",
    "acceleration.z", "alpha.x",       "alpha.y",    "alpha.z",
};

static void say_scene(kl_text *t, int bodies, const char *kbody)
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
    if (kbody) {
        kl_text_add(t, ", {\"name\": \"plate\", \"type\": \"flexible\", \"mass\": 100, \"center\": "
                       "[0, 0, 0], \"points\": [[-5, -5, 0], [5, 5, 0]], \"kbody\": {\"file\": ");
        kl_text_json(t, kbody);
        kl_text_add(t, "}}");
    }
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

/* A banked circle with rails and a guide without, as a run along tracks leaves them. */
static int add_tracks(const char *path)
{
    enum { N = 200 };
    static double x[3 * N], n[3 * N];
    char          why[KL_H5_WHY] = "";
    const int     size[2]        = {N, 3};
    for (int i = 0; i < N; i++) {
        double a     = 6.283185307179586 * i / (N - 1);
        double p[3]  = {12 * cos(a), 12 * sin(a), -1 + 0.5 * sin(2 * a)},
               up[3] = {-0.2 * cos(a), -0.2 * sin(a), 1};
        memcpy(x + 3 * i, p, sizeof p);
        memcpy(n + 3 * i, up, sizeof up);
    }
    kl_h5 *f    = kl_h5_open(path, KL_H5_CHANGE, why);
    bool   good = f && kl_h5_write_doubles(f, "/scene/tracks/circle/position", x, 2, size) &&
                kl_h5_write_doubles(f, "/scene/tracks/circle/normal", n, 2, size) &&
                kl_h5_write_attribute(f, "/scene/tracks/circle", "gauge", "1.435");
    for (int i = 0; i < N; i++) x[3 * i + 2] += 4.0;
    good = good && kl_h5_write_doubles(f, "/scene/tracks/guide/position", x, 2, size) &&
           kl_h5_write_doubles(f, "/scene/tracks/guide/normal", n, 2, size);
    return f && kl_h5_close(f, why) && good ? 0 : 1;
}

static void fill_plate(double *row, int modes, double t)
{
    double turned[7] = {5, 5, -2, 1, 0, 0, 0};
    memcpy(row, turned, sizeof turned);
    for (int j = 0; j < modes; j++) row[7 + j] = sin((j + 1) * t) / ((j + 1.0) * (j + 1.0));
}

int main(int argc, char **argv)
{
    bool track = argc == 5 && strcmp(argv[4], "track") == 0;
    if (argc != 4 && argc != 6 && !track) return 2;
    int bodies = atoi(argv[2]), frames = atoi(argv[3]), modes = argc == 6 ? atoi(argv[5]) : 0;
    int plate = bodies * PER_BODY, n = plate + (modes ? 7 + modes : 0);
    kl_channel_info *info = calloc((size_t)n + 1, sizeof *info);
    double          *row  = calloc((size_t)n + 1, sizeof *row);
    char(*names)[40]      = calloc((size_t)n + 1, sizeof *names);
    char     kbody[1024];
    kl_text  scene = {0};
    kl_diag *diag  = kl_diag_create();
    if (!info || !row || !names) return 1;
    snprintf(kbody, sizeof kbody, "%s.kbody", argv[1]);
    if (modes) {
        kl_kbody *b = make_plate(atoi(argv[4]), modes);
        if (!b || kl_kbody_write(b, kbody, diag) != KL_OK) return 1;
        kl_kbody_destroy(b);
    }
    for (int i = 0; i < n; i++) {
        if (i < plate)
            snprintf(names[i], sizeof names[i], "p%d.%s", i / PER_BODY, parts[i % PER_BODY]);
        else if (i < plate + 7) snprintf(names[i], sizeof names[i], "plate.%s", parts[i - plate]);
        else snprintf(names[i], sizeof names[i], "plate.w.%d", i - plate - 6);
        info[i] = (kl_channel_info){.name = names[i], .unit = "1"};
    }
    say_scene(&scene, bodies, modes ? kbody : NULL);
    kl_results_info head   = {.title = "stress", .scene_json = scene.data};
    kl_writer      *w      = NULL;
    kl_status       status = kl_writer_create(argv[1], &head, info, n, diag, &w);
    for (int k = 0; status == KL_OK && k < frames; k++) {
        fill_row(row, bodies, 0.005 * k);
        if (modes) fill_plate(row + plate, modes, 0.005 * k);
        status = kl_writer_row(w, 0.005 * k, row);
    }
    if (w) kl_writer_note(w, "status", "complete");
    kl_status closed = kl_writer_close(w);
    kl_text_free(&scene);
    kl_diag_destroy(diag);
    free(names);
    free(row);
    free(info);
    if (status != KL_OK || closed != KL_OK) return 1;
    return track ? add_tracks(argv[1]) : 0;
}
