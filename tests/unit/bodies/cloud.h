/* A flexible body made of point masses with made-up modes: small enough to sum over by hand. */
#ifndef KL_TESTS_CLOUD_H
#define KL_TESTS_CLOUD_H

#include <stdio.h>

#include "base/rotation.h"
#include "reduce/kbody_file.h"
#include "unit/build_model.h"

enum { CLOUD_POINTS = 30, CLOUD_MODES = 4 };

typedef struct cloud {
    double  m[CLOUD_POINTS];
    kl_vec3 x[CLOUD_POINTS], X[CLOUD_POINTS][CLOUD_MODES];
    kl_vec3 Y[CLOUD_POINTS][CLOUD_MODES][CLOUD_MODES]; /* second-order motion, symmetric */
} cloud;

static inline kl_vec3 cloud_vec(unsigned *seed, double size)
{
    double x = noise(seed), y = noise(seed), z = noise(seed);
    return kl_scale(size, kl_vec(x, y, z));
}

static inline cloud cloud_make(unsigned seed)
{
    cloud c;
    for (int p = 0; p < CLOUD_POINTS; p++) {
        c.m[p] = 0.1 * (1.5 + noise(&seed));
        c.x[p] = cloud_vec(&seed, 1.0);
        for (int j = 0; j < CLOUD_MODES; j++) c.X[p][j] = cloud_vec(&seed, 0.7);
        for (int j = 0; j < CLOUD_MODES; j++)
            for (int i = 0; i <= j; i++) c.Y[p][i][j] = c.Y[p][j][i] = cloud_vec(&seed, 0.5);
    }
    return c;
}

/* The sums of docs/design.md section 2, as they stand there. */
static inline void cloud_invariants(const cloud *c, kl_arena *a, kl_invariants *v, double *Mff)
{
    enum { N = CLOUD_MODES };
    kl_mat3 I = kl_identity();
    v->S1     = kl_arena_array(a, double, 3 * N);
    v->H0     = kl_arena_array(a, double, 3 * N);
    v->G0     = kl_arena_array(a, kl_mat3, N);
    v->J2     = kl_arena_array(a, kl_mat3, N * N);
    v->H1     = kl_arena_array(a, double, 3 * N * N);
    for (int p = 0; p < CLOUD_POINTS; p++) {
        double  m  = c->m[p];
        kl_vec3 x  = c->x[p];
        kl_mat3 xx = kl_outer(x, x);
        v->m += m;
        v->s0 = kl_axpy(m, x, v->s0);
        v->J0 = kl_mat_axpy(m * kl_dot(x, x), &I, &v->J0);
        v->J0 = kl_mat_axpy(-m, &xx, &v->J0);
        for (int i = 0; i < N; i++) {
            kl_vec3 Xi = c->X[p][i], h = kl_cross(x, Xi);
            kl_mat3 Xx = kl_outer(Xi, x);
            kl_store(v->S1 + 3 * i, kl_axpy(m, Xi, kl_load(v->S1 + 3 * i)));
            kl_store(v->H0 + 3 * i, kl_axpy(m, h, kl_load(v->H0 + 3 * i)));
            v->G0[i] = kl_mat_axpy(m * kl_dot(x, Xi), &I, &v->G0[i]);
            v->G0[i] = kl_mat_axpy(-m, &Xx, &v->G0[i]);
            for (int j = 0; j < N; j++) {
                kl_vec3 Xj = c->X[p][j];
                kl_mat3 XX = kl_outer(Xi, Xj), *J = &v->J2[i * N + j];
                double *H = v->H1 + 3 * (i * N + j);
                *J        = kl_mat_axpy(m * kl_dot(Xi, Xj), &I, J);
                *J        = kl_mat_axpy(-m, &XX, J);
                kl_store(H, kl_axpy(m, kl_cross(Xi, Xj), kl_load(H)));
                Mff[i * N + j] += m * kl_dot(Xi, Xj);
            }
        }
    }
}

/* Writes it as a reduced body with a marker on a node with rotations and one on a triad. */
static inline void cloud_write(const cloud *c, const char *path)
{
    enum { N = CLOUD_MODES };
    kl_kbody *b    = kl_kbody_create();
    unsigned  seed = 77;
    b->title = "cloud", b->source = "", b->reference = "nodal", b->mass_rule = "lumped";
    b->nmode     = N;
    b->frequency = kl_arena_array(b->arena, double, N);
    b->residual  = kl_arena_array(b->arena, double, N);
    b->Mff       = kl_arena_array(b->arena, double, N *N);
    b->Kff       = kl_arena_array(b->arena, double, N *N);
    cloud_invariants(c, b->arena, &b->inertia, b->Mff);
    for (int i = 0; i < N; i++) {
        b->frequency[i]   = 1.0 + i;
        b->Kff[i * N + i] = 3.0 + i;
        for (int j = 0; j < i; j++) b->Kff[i * N + j] = b->Kff[j * N + i] = 0.1 * (i + j);
    }
    b->nmarker = 2;
    b->marker  = kl_arena_array(b->arena, kl_kbody_marker, 2);
    for (int k = 0; k < 2; k++) {
        kl_kbody_marker *m = &b->marker[k];
        m->name            = k ? "triad" : "node";
        m->kind            = k ? KL_MARKER_TRIAD : KL_MARKER_NODE;
        m->node_id         = k;
        m->position        = c->x[k];
        m->axes            = kl_rotation_exp(kl_vec(0.3, -0.2, 0.1 + k));
        m->translation     = kl_arena_array(b->arena, double, 3 * N);
        m->rotation        = kl_arena_array(b->arena, double, 3 * N);
        for (int t = 0; t < 3; t++) {
            m->triad_id[t]     = 1 + t;
            m->triad[t]        = c->x[1 + t];
            m->triad_motion[t] = kl_arena_array(b->arena, double, 3 * N);
        }
        for (int j = 0; j < N; j++) {
            kl_store(m->translation + 3 * j, c->X[k][j]);
            kl_store(m->rotation + 3 * j, cloud_vec(&seed, 0.8));
            for (int t = 0; t < 3; t++) kl_store(m->triad_motion[t] + 3 * j, c->X[1 + t][j]);
        }
    }
    b->second_mass = kl_arena_array(b->arena, double, 12 * N * N);
    for (int k = 0; k < 2; k++) b->marker[k].second = kl_arena_array(b->arena, double, 6 * N * N);
    for (int ij = 0; ij < N * N; ij++) {
        int i = ij / N, j = ij % N;
        for (int p = 0; p < CLOUD_POINTS; p++) {
            double Y[3], x[3];
            kl_store(Y, c->Y[p][i][j]), kl_store(x, c->x[p]);
            for (int a = 0; a < 3; a++) {
                b->second_mass[a * N * N + ij] += c->m[p] * Y[a];
                for (int e = 0; e < 3; e++)
                    b->second_mass[(3 + 3 * a + e) * N * N + ij] += c->m[p] * Y[a] * x[e];
            }
        }
        for (int k = 0; k < 2; k++) {
            double Y[6];
            kl_store(Y, c->Y[k][i][j]), kl_store(Y + 3, c->Y[9 + k][i][j]);
            for (int a = 0; a < 6; a++) b->marker[k].second[a * N * N + ij] = Y[a];
        }
    }
    kl_diag *d = kl_diag_create();
    if (kl_kbody_write(b, path, d) != KL_OK) fail_msg("%s", kl_diag_at(d, 0)->text);
    kl_diag_destroy(d);
    kl_kbody_destroy(b);
}

#endif
