#include "cli/psd_peaks.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static kl_status not_modes(const char *path, int line, kl_diag *diag)
{
    return kl_fail(diag, KL_E_FILE, (kl_place){path, line, 1},
                   "expected the columns real,imag,frequency_hz,damping_ratio; make the file with "
                   "`klingel modes MODEL.yaml --csv > %s`",
                   path);
}

/* Appends a frequency; both of a complex pair have the same one. */
static kl_status take(kl_peak_origins *o, int *room, double frequency)
{
    if (o->n > 0 && fabs(o->natural[o->n - 1] - frequency) <= 1e-9 * frequency) return KL_OK;
    if (o->n == *room) {
        int     more  = 2 * *room + 64;
        double *grown = realloc(o->natural, (size_t)more * sizeof *grown);
        if (!grown) return KL_E_MEMORY;
        o->natural = grown, *room = more;
    }
    o->natural[o->n++] = frequency;
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
        if (rings) KL_TRY(take(o, &room, v[2]));
    }
    return KL_OK;
}

kl_status kl_peak_origins_read(const char *path, kl_diag *diag, kl_peak_origins *out)
{
    FILE *f = fopen(path, "r");
    if (!f)
        return kl_fail(diag, KL_E_FILE, (kl_place){.file = path}, "cannot be opened: %s",
                       strerror(errno));
    kl_status status = read_rows(f, path, diag, out);
    fclose(f);
    return status;
}

void kl_peak_origins_free(kl_peak_origins *o)
{
    free(o->natural);
    o->natural = NULL, o->n = 0;
}

bool kl_peak_origins_known(const kl_peak_origins *o)
{
    return o->n > 0 || o->multiples > 0.0 || o->ends > 0.0;
}

/* Adds words behind those that are there. */
static void add(char *text, size_t size, const char *format, double a, double b)
{
    size_t n = strlen(text);
    if (n > 0 && n + 2 < size) memcpy(text + n, "; ", 3), n += 2;
    snprintf(text + n, size - n, format, a, b);
}

void kl_peak_origin(const kl_peak_origins *o, double f, double bin, char *text, size_t size)
{
    double nearest = NAN, within = bin * (1.0 + 1e-9);
    for (int i = 0; i < o->n; i++)
        if (!(fabs(o->natural[i] - f) >= fabs(nearest - f))) nearest = o->natural[i];
    text[0] = '\0';
    if (fabs(nearest - f) <= within) add(text, size, "natural frequency %.4g Hz", nearest, 0.0);
    double k = o->multiples > 0.0 ? fmax(1.0, round(f / o->multiples)) : 0.0;
    if (k > 0.0 && fabs(k * o->multiples - f) <= within)
        add(text, size, "excitation, %.0f x %.4g Hz", k, o->multiples);
    if (o->ends > 0.0 && fabs(o->ends - f) <= within)
        add(text, size, "end of the excitation, %.4g Hz", o->ends, 0.0);
    if (text[0]) return;
    if (o->n > 0) snprintf(text, size, "none (nearest natural frequency %.4g Hz)", nearest);
    else snprintf(text, size, "none");
}
