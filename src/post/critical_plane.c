#include "post/critical_plane.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algebra/dense.h"

kl_status kl_plane_room_make(const kl_modal_run *r, kl_plane_room *room)
{
    size_t n = (size_t)r->n + 1, rows = (size_t)r->rows + 1;
    *room = (kl_plane_room){.variance = calloc(n, sizeof(double)),
                            .modes    = malloc(n * KL_PLANES * sizeof(double)),
                            .history  = malloc(rows * KL_PLANES * sizeof(double)),
                            .one      = malloc(rows * sizeof(double)),
                            .scratch  = malloc(rows * sizeof(double)),
                            .cycles   = malloc(rows * sizeof(kl_cycle))};
    if (!room->variance || !room->modes || !room->history || !room->one || !room->scratch ||
        !room->cycles) {
        kl_plane_room_free(room);
        return KL_E_MEMORY;
    }
    for (int j = 0; j < r->n; j++) {
        double sum = 0.0, squares = 0.0;
        for (int i = 0; i < r->rows; i++) {
            double w = r->w[(size_t)i * (size_t)r->n + (size_t)j];
            sum += w, squares += w * w;
        }
        room->variance[j] = fmax(0.0, squares - sum * sum / fmax(1.0, r->rows));
    }
    return KL_OK;
}

void kl_plane_room_free(kl_plane_room *room)
{
    free(room->variance);
    free(room->modes);
    free(room->history);
    free(room->one);
    free(room->scratch);
    free(room->cycles);
    *room = (kl_plane_room){0};
}

/* Stress at a point per unit of coordinate j (xx yy zz xy yz zx); NULL: the coordinate is no mode. */
static const double *unit_stress(const kl_modal_run *r, int point, int j)
{
    int mode = r->mode ? r->mode[j] : j;
    if (mode < 0) return NULL;
    return r->body->stress.stress + 6 * ((size_t)point * (size_t)r->body->nmode + (size_t)mode);
}

/* Two directions in the surface: columns of A are eigenvectors of sum_j var(w_j) S_j^2 with rising eigenvalues. */
static void surface_axes(const kl_modal_run *r, int point, const double *variance, double a[3],
                         double b[3])
{
    double A[9] = {0.0}, value[3];
    for (int j = 0; j < r->n; j++) {
        const double *s = unit_stress(r, point, j);
        if (!s) continue;
        const double S[3][3] = {{s[0], s[3], s[5]}, {s[3], s[1], s[4]}, {s[5], s[4], s[2]}};
        for (int i = 0; i < 9; i++)
            for (int k = 0; k < 3; k++) A[i] += variance[j] * S[i / 3][k] * S[k][i % 3];
    }
    double size = A[0] + A[4] + A[8];
    for (int i = 0; i < 9; i++) A[i] = size > 0.0 ? A[i] / size : 0.0;
    if (kl_symmetric_eigen(3, A, value) != KL_OK) /* never for finite numbers */
        memset(A, 0, sizeof A), A[6] = A[4] = 1.0;
    memcpy(a, A + 6, 3 * sizeof *a);
    memcpy(b, A + 3, 3 * sizeof *b);
}

/* Normal stress on plane p per unit of each coordinate: n' S_j n, with the plane side by side. */
static void project(const kl_modal_run *r, int point, const double a[3], const double b[3],
                    double *modes)
{
    const double pi = acos(-1.0);
    for (int p = 0; p < KL_PLANES; p++) {
        double c = cos(pi * p / KL_PLANES), d = sin(pi * p / KL_PLANES), n[3];
        for (int i = 0; i < 3; i++) n[i] = c * a[i] + d * b[i];
        for (int j = 0; j < r->n; j++) {
            const double *s = unit_stress(r, point, j);
            modes[j * KL_PLANES + p] =
                !s ? 0.0
                   : n[0] * n[0] * s[0] + n[1] * n[1] * s[1] + n[2] * n[2] * s[2] +
                         2.0 * (n[0] * n[1] * s[3] + n[1] * n[2] * s[4] + n[2] * n[0] * s[5]);
        }
    }
}

/* History of one plane into room->one; its bounds. */
static void plane_history(const kl_plane_room *room, int rows, int plane, double *least,
                          double *most)
{
    *least = HUGE_VAL, *most = -HUGE_VAL;
    for (int i = 0; i < rows; i++) {
        double s     = room->history[(size_t)i * KL_PLANES + (size_t)plane];
        room->one[i] = s;
        *least = fmin(*least, s), *most = fmax(*most, s);
    }
}

void kl_critical_plane(const kl_modal_run *r, const kl_sn_curve *curve, kl_plane_room *room,
                       kl_hot_spot *spot)
{
    double a[3], b[3], worst = -1.0;
    surface_axes(r, spot->point, room->variance, a, b);
    project(r, spot->point, a, b, room->modes);
    kl_gemm(false, false, KL_PLANES, r->rows, r->n, 1.0, room->modes, KL_PLANES, r->w, r->n, 0.0,
            room->history, KL_PLANES);
    for (int p = 0; p < KL_PLANES; p++) {
        double least, most;
        plane_history(room, r->rows, p, &least, &most);
        int    cycles = curve ? kl_rainflow(room->one, r->rows, room->scratch, room->cycles) : 0;
        double bad    = curve ? kl_sn_damage(curve, room->cycles, cycles) : most - least;
        if (!(bad > worst)) continue;
        worst       = bad;
        spot->least = least, spot->most = most;
        if (curve) spot->damage = bad;
    }
}
