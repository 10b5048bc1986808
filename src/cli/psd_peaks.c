#include "cli/psd_peaks.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"

static kl_status not_modes(const char *path, int line, kl_diag *diag)
{
    return kl_fail(diag, KL_E_FILE, (kl_place){path, line, 1},
                   "expected the columns real,imag,frequency_hz,damping_ratio; make the file with "
                   "`klingel modes MODEL.yaml --csv > %s`",
                   path);
}

/* Appends a mode; both of a complex pair have the same frequency. */
static kl_status take(kl_peak_origins *o, int *room, kl_peak_mode m)
{
    if (o->n > 0 && fabs(o->mode[o->n - 1].frequency - m.frequency) <= 1e-9 * m.frequency)
        return KL_OK;
    if (o->n == *room) {
        int           more  = 2 * *room + 64;
        kl_peak_mode *grown = realloc(o->mode, (size_t)more * sizeof *grown);
        if (!grown) return KL_E_MEMORY;
        o->mode = grown, *room = more;
    }
    o->mode[o->n++] = m;
    return KL_OK;
}

static kl_status read_rows(FILE *f, const char *path, kl_diag *diag, kl_peak_origins *o)
{
    char text[256];
    int  room = 0;
    if (!fgets(text, sizeof text, f) || strncmp(text, "real,imag,frequency_hz,damping_ratio", 36))
        return not_modes(path, 1, diag);
    for (int line = 2; fgets(text, sizeof text, f); line++) {
        double v[4];
        if (sscanf(text, "%lf,%lf,%lf,%lf", &v[0], &v[1], &v[2], &v[3]) != 4)
            return not_modes(path, line, diag);
        bool rings = v[1] != 0.0 && v[2] > 0.0 && v[3] < KL_PEAK_DAMPING;
        if (rings) KL_TRY(take(o, &room, (kl_peak_mode){.frequency = v[2], .damping = v[3]}));
    }
    return KL_OK;
}

kl_status kl_peak_origins_read(const char *path, kl_diag *diag, kl_peak_origins *out)
{
    FILE *f = kl_file_open(path);
    if (!f)
        return kl_fail(diag, KL_E_FILE, (kl_place){.file = path}, "cannot be opened: %s",
                       kl_file_reason(errno));
    kl_status status = read_rows(f, path, diag, out);
    fclose(f);
    return status;
}

void kl_peak_origins_free(kl_peak_origins *o)
{
    free(o->mode);
    o->mode = NULL, o->n = 0;
    kl_axle_peaks_free(&o->axles);
}

bool kl_peak_origins_known(const kl_peak_origins *o)
{
    return o->n > 0 || o->axles.n > 0 || o->multiples > 0.0 || o->ends > 0.0;
}

/* Adds words behind those that are there. */
static void add(char *text, size_t size, const char *format, double a, double b)
{
    size_t n = strlen(text);
    if (n > 0 && n + 2 < size) memcpy(text + n, "; ", 3), n += 2;
    snprintf(text + n, size - n, format, a, b);
}

/* Half of the half-power band of a mode [Hz]. */
static double half_width(const kl_peak_mode *m)
{
    return m->damping <= KL_BAND_DAMPING ? m->damping * m->frequency : 0.0;
}

/* How far f lies outside of the band of a mode that is widened by `share` of its half-power band [Hz]. */
static double outside(const kl_peak_mode *m, double share, double f)
{
    return fabs(m->frequency - f) - share * half_width(m);
}

static const kl_peak_mode *nearest_mode(const kl_peak_origins *o, double share, double f)
{
    const kl_peak_mode *best = NULL;
    for (int i = 0; i < o->n; i++)
        if (!best || outside(&o->mode[i], share, f) < outside(best, share, f)) best = &o->mode[i];
    return best;
}

static void add_mode(const kl_peak_origins *o, double f, double within, char *text, size_t size)
{
    const kl_peak_mode *point = nearest_mode(o, 0.0, f), *band = nearest_mode(o, 1.0, f);
    if (point && outside(point, 0.0, f) <= within)
        add(text, size, "natural frequency %.4g Hz", point->frequency, 0.0);
    else if (band && outside(band, 1.0, f) <= within)
        add(text, size, "half-power band of natural frequency %.4g Hz (damping %.2g %%)",
            band->frequency, 100.0 * band->damping);
}

/* The nearest on one side of f, which counts to both. */
static const kl_axle_peak *axles_beside(const kl_peak_origins *o, double f, double way)
{
    const kl_axle_peak *best = NULL;
    for (int i = 0; i < o->axles.n; i++) {
        const kl_axle_peak *p     = &o->axles.peak[i];
        double              apart = way * (p->frequency - f);
        if (apart >= 0.0 && (!best || apart < way * (best->frequency - f))) best = p;
    }
    return best;
}

/* What axles push and turn has its peak between the two kinds of waves. */
static void add_axles(const kl_peak_origins *o, double f, double within, char *text, size_t size)
{
    const kl_axle_peak *a = axles_beside(o, f, -1.0), *b = axles_beside(o, f, 1.0), *near = a;
    if (!near || (b && b->frequency - f < f - near->frequency)) near = b;
    if (!near) return;
    if (fabs(near->frequency - f) <= within)
        add(text, size,
            near->turns ? "excitation, waves by which the axles turn their frame, %.4g Hz"
                        : "excitation, waves in phase at the axles, %.4g Hz",
            near->frequency, 0.0);
    else if (a && b && a->turns != b->turns)
        add(text, size, "excitation, between waves in phase and turning ones, %.4g to %.4g Hz",
            a->frequency, b->frequency);
}

/* Empty: nothing. */
static void find_origin(const kl_peak_origins *o, double f, double bin, char *text, size_t size)
{
    double within = bin * (1.0 + 1e-9);
    text[0]       = '\0';
    add_mode(o, f, within, text, size);
    add_axles(o, f, within, text, size);
    double k = o->multiples > 0.0 ? fmax(1.0, round(f / o->multiples)) : 0.0;
    if (k > 0.0 && fabs(k * o->multiples - f) <= within)
        add(text, size, "excitation, %.0f x %.4g Hz", k, o->multiples);
    if (o->ends > 0.0 && fabs(o->ends - f) <= within)
        add(text, size, "end of the excitation, %.4g Hz", o->ends, 0.0);
}

bool kl_peak_has_origin(const kl_peak_origins *o, double f, double bin)
{
    char text[200];
    find_origin(o, f, bin, text, sizeof text);
    return text[0] != '\0';
}

void kl_peak_origin(const kl_peak_origins *o, double f, double bin, char *text, size_t size)
{
    find_origin(o, f, bin, text, size);
    if (text[0]) return;
    if (o->n > 0)
        snprintf(text, size, "none (nearest natural frequency %.4g Hz)",
                 nearest_mode(o, 0.0, f)->frequency);
    else snprintf(text, size, "none");
}
