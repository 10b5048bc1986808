/* Any text is either a profile whose outline can be followed, as a wheel and as a rail, or at least one
 * message. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "railway/profile_points.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(bool law)
{
    if (!law) abort();
}

static void follow(const kl_outline *o)
{
    expect(o->n > 0);
    for (int i = 0; i < o->n; i++)
        for (int k = 0; k < 3; k++) {
            kl_outline_point p = kl_outline_at(o, (kl_outline_place){i, 0.5 * k});
            expect(isfinite(p.y) && isfinite(p.z) && isfinite(p.ty) && isfinite(p.tz));
        }
}

static void outline(const kl_profile_points *points, kl_profile_kind kind)
{
    kl_arena          *arena   = kl_arena_create();
    kl_diag           *diag    = kl_diag_create();
    kl_profile_options options = {0};
    kl_profile_report  report;
    kl_outline         o;
    kl_status          s = kl_outline_from_points(points, kind, &options, arena, diag, &o, &report);
    expect(s == KL_OK ? !kl_diag_failed(diag) : kl_diag_failed(diag) || s == KL_E_MEMORY);
    if (s == KL_OK) follow(&o);
    kl_diag_destroy(diag);
    kl_arena_destroy(arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { MOST = 1 << 14 };
    if (size > MOST || memchr(data, 0, size)) return 0; /* refused before */
    kl_diag          *diag  = kl_diag_create();
    kl_arena         *arena = kl_arena_create();
    const char       *text  = kl_arena_text_n(arena, (const char *)data, size);
    kl_profile_points points;
    kl_status         s = kl_profile_file_parse("f", text, size, arena, diag, &points);
    expect(s == KL_OK ? !kl_diag_failed(diag) : kl_diag_failed(diag) || s == KL_E_MEMORY);
    if (s == KL_OK) {
        outline(&points, KL_PROFILE_WHEEL);
        outline(&points, KL_PROFILE_RAIL);
    }
    kl_arena_destroy(arena);
    kl_diag_destroy(diag);
    return 0;
}
