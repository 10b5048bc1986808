#include "post/stress.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double kl_von_mises(const double s[6])
{
    double a = s[0] - s[1], b = s[1] - s[2], c = s[2] - s[0];
    double shear = s[3] * s[3] + s[4] * s[4] + s[5] * s[5];
    return sqrt(0.5 * (a * a + b * b + c * c) + 3.0 * shear);
}

double kl_signed_von_mises(const double s[6])
{
    double v = kl_von_mises(s);
    return s[0] + s[1] + s[2] < 0.0 ? -v : v;
}

/* Closed form of the cubic by angle: the deviator's invariants give three cosines a third of a turn
 * apart. */
void kl_principal(const double s[6], double p[3])
{
    const double third = 2.0943951023931953;
    double       mean  = (s[0] + s[1] + s[2]) / 3.0;
    double       x = s[0] - mean, y = s[1] - mean, z = s[2] - mean, xy = s[3], yz = s[4], zx = s[5];
    double       j2     = 0.5 * (x * x + y * y + z * z) + xy * xy + yz * yz + zx * zx;
    double       j3     = x * (y * z - yz * yz) - xy * (xy * z - yz * zx) + zx * (xy * yz - y * zx);
    double       radius = 2.0 * sqrt(j2 / 3.0);
    double       cosine = j2 > 0.0 ? 0.5 * j3 * pow(3.0 / j2, 1.5) : 1.0;
    double       angle  = acos(fmax(-1.0, fmin(1.0, cosine))) / 3.0;
    p[0]                = mean + radius * cos(angle);
    p[1]                = mean + radius * cos(angle - third);
    p[2]                = mean + radius * cos(angle + third);
}

/* ---- recovery ---- */

static int mode_of(const kl_modal_run *r, int j) { return r->mode ? r->mode[j] : j; }

static void combine(const kl_modal_run *r, const double *per_mode, int point, const double *w,
                    double out[6])
{
    const double *at = per_mode + (size_t)point * (size_t)r->body->nmode * 6;
    memset(out, 0, 6 * sizeof *out);
    for (int j = 0; j < r->n; j++) {
        const double *unit = at + 6 * (size_t)mode_of(r, j);
        for (int c = 0; c < 6; c++) out[c] += unit[c] * w[j];
    }
}

void kl_stress_at(const kl_modal_run *r, int point, const double *w, double stress[6])
{
    combine(r, r->body->stress.stress, point, w, stress);
}

void kl_strain_at(const kl_modal_run *r, int point, const double *w, double strain[6])
{
    combine(r, r->body->stress.strain, point, w, strain);
}

void kl_skin_moved(const kl_modal_run *r, int node, const double *w, double moved[3])
{
    const float *at = r->body->skin.motion + (size_t)node * (size_t)r->body->nmode * 3;
    memset(moved, 0, 3 * sizeof *moved);
    for (int j = 0; j < r->n; j++)
        for (int c = 0; c < 3; c++)
            moved[c] += (double)at[3 * (size_t)mode_of(r, j) + (size_t)c] * w[j];
}

void kl_stress_history(const kl_modal_run *r, int point, double *stress)
{
    for (int i = 0; i < r->rows; i++)
        kl_stress_at(r, point, r->w + (size_t)i * (size_t)r->n, stress + 6 * (size_t)i);
}

/* ---- envelope ---- */

typedef struct room {
    double   *stress, *signed_stress, *scratch;
    kl_cycle *cycles;
} room;

static kl_hot_spot look_at(const kl_modal_run *r, const kl_sn_curve *curve, int point, room *k)
{
    kl_hot_spot h = {.point = point, .damage = (double)NAN, .least = HUGE_VAL, .most = -HUGE_VAL};
    kl_stress_history(r, point, k->stress);
    for (int i = 0; i < r->rows; i++) {
        const double *s = k->stress + 6 * (size_t)i;
        double        v = k->signed_stress[i] = kl_signed_von_mises(s);
        h.least = fmin(h.least, v), h.most = fmax(h.most, v);
        if (i > 0 && !(fabs(v) > h.von_mises)) continue;
        h.von_mises = fabs(v);
        h.time      = r->time[i];
        memcpy(h.stress, s, sizeof h.stress);
    }
    if (curve)
        h.damage = kl_sn_damage(curve, k->cycles,
                                kl_rainflow(k->signed_stress, r->rows, k->scratch, k->cycles));
    return h;
}

kl_status kl_stress_envelope(const kl_modal_run *r, const kl_sn_curve *curve, kl_hot_spot *spot)
{
    size_t rows  = (size_t)r->rows + 1;
    room   k     = {malloc(6 * rows * sizeof(double)), malloc(rows * sizeof(double)),
                    malloc(rows * sizeof(double)), malloc(rows * sizeof(kl_cycle))};
    bool   there = k.stress && k.signed_stress && k.scratch && k.cycles;
    for (int p = 0; there && p < r->body->stress.n; p++) spot[p] = look_at(r, curve, p, &k);
    free(k.stress);
    free(k.signed_stress);
    free(k.scratch);
    free(k.cycles);
    return there ? KL_OK : KL_E_MEMORY;
}

static int by_harm(const void *a, const void *b)
{
    const kl_hot_spot *x = a, *y = b;
    if (x->damage != y->damage && !isnan(x->damage) && !isnan(y->damage))
        return x->damage < y->damage ? 1 : -1;
    if (x->von_mises != y->von_mises) return x->von_mises < y->von_mises ? 1 : -1;
    return (x->point > y->point) - (x->point < y->point);
}

void kl_hot_spots_sort(kl_hot_spot *spot, int n) { qsort(spot, (size_t)n, sizeof *spot, by_harm); }
