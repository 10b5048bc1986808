/* Any YAML is either a track whose path can be followed, or at least one message. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "geometry/path_check.h"
#include "language/track.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(bool law)
{
    if (!law) abort();
}

static void follow(const kl_track *t)
{
    kl_path_cursor cursor = {0};
    expect(t->path->length > 0.0);
    for (int i = 0; i <= 20; i++) {
        kl_path_point p;
        expect(kl_path_eval(t->path, t->path->length * i / 20, &cursor, &p) == KL_OK);
        /* numbers far from any track overflow; what is finite must be a frame */
        if (!kl_finite(p.t) || !kl_finite(kl_axis(&p.A, 1))) continue;
        expect(fabs(kl_norm(p.t) - 1.0) < 1e-6);
        expect(fabs(kl_dot(kl_axis(&p.A, 1), kl_axis(&p.A, 2))) < 1e-6);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    kl_diag         *diag    = kl_diag_create();
    kl_arena        *arena   = kl_arena_create();
    kl_track_options options = {.no_files = true, .most = 2000};
    kl_node         *root    = NULL;
    kl_track        *track   = NULL;
    kl_status        s       = kl_doc_parse((const char *)data, size, "f", arena, diag, &root);
    if (s == KL_OK && root->total < 2000) {
        s = kl_track_build(root, "f", &options, arena, diag, &track);
        expect(s == KL_OK ? track && !kl_diag_failed(diag)
                          : kl_diag_failed(diag) || s == KL_E_MEMORY);
        if (s == KL_OK) follow(track);
    }
    kl_arena_destroy(arena);
    kl_diag_destroy(diag);
    return 0;
}
