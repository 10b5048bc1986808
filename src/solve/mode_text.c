/* With the increments dx of a mode (real and imaginary part) a body's kinetic energy is proportional
 * to dx' M dx. It splits by the product of velocity and momentum, component by component: three
 * translations and three rotations along the axes of the model, and the rest, which is bending.
 * Vehicle words are used: x forward, z up (or the axis opposite to gravity). */
#include "solve/mode_text.h"

#include <math.h>

#include "model/groups.h"
#include "solve/motion_text.h"

enum { PARTS = 7, BENDING = 6, NAMED = 4 };

/* by the vertical axis: translations x, y, z, then rotations about x, y, z */
static const char *const part_name[3][PARTS] = {
    {"bounce", "sway", "surge", "yaw", "pitch", "roll", "bending"},
    {"surge", "bounce", "sway", "roll", "yaw", "pitch", "bending"},
    {"surge", "sway", "bounce", "roll", "pitch", "yaw", "bending"},
};

typedef struct share {
    int    body, part;
    double energy;
} share;

/* The axis that gravity lies along; z without gravity or askew. */
static int vertical(const kl_model *m)
{
    double g[3], most = kl_norm(m->gravity);
    kl_store(g, m->gravity);
    for (int i = 0; i < 2; i++)
        if (most > 0.0 && fabs(g[i]) > 0.9 * most) return i;
    return 2;
}

static void add_vector(kl_vec3 rate, kl_vec3 momentum, double *energy)
{
    energy[0] += rate.x * momentum.x, energy[1] += rate.y * momentum.y;
    energy[2] += rate.z * momentum.z;
}

/* Adds the energy of body b by parts for one set of increments. */
static void add_energy(const kl_model *m, const kl_work *w, const double *dx, int body,
                       double energy[PARTS])
{
    const kl_body *b     = &m->body[body];
    kl_group       moves = kl_body_group(b, KL_TRANSLATION), turns = kl_body_group(b, KL_ROTATION);
    kl_axes        at = kl_body_axes(b, w->cache + b->cache);
    const double  *M  = w->M + b->M;
    double         p[3], total = 0.0, vectors = 0.0, before[PARTS];
    for (int k = 0; k < PARTS; k++) before[k] = energy[k];
    for (int i = 0; i < b->nv; i++)
        for (int j = 0; j < b->nv; j++) total += dx[b->v + i] * M[i * b->nv + j] * dx[b->v + j];
    for (int kind = 0; kind < 2; kind++) {
        kl_group g = kind ? turns : moves;
        if (g.nv != 3) continue;
        for (int i = 0; i < 3; i++) {
            p[i] = 0.0;
            for (int j = 0; j < b->nv; j++) p[i] += M[(g.v - b->v + i) * b->nv + j] * dx[b->v + j];
        }
        kl_vec3 rate = kl_load(dx + g.v), momentum = kl_load(p);
        if (kind) rate = kl_mul(&at.A, rate), momentum = kl_mul(&at.A, momentum);
        add_vector(rate, momentum, energy + 3 * kind);
    }
    for (int k = 0; k < BENDING; k++) vectors += energy[k] - before[k];
    energy[BENDING] += fmax(total - vectors, 0.0);
}

/* Keeps the NAMED largest, in order. */
static void insert(share *top, int *n, share one)
{
    if (*n == NAMED && top[NAMED - 1].energy >= one.energy) return;
    int k = *n < NAMED ? (*n)++ : NAMED - 1;
    for (; k > 0 && top[k - 1].energy < one.energy; k--) top[k] = top[k - 1];
    top[k] = one;
}

/* +1: the body's point goes round in the sense of its spin (forward whirl), -1: against it, 0: it
 * does not go round. The motion Re((a + i b) exp(i w t)) goes from a towards -b. */
static int whirl(const kl_model *m, const kl_work *w, const kl_eigenmode *mode, share lead)
{
    const kl_body *b      = &m->body[lead.body];
    kl_group       g      = kl_body_group(b, lead.part < 3 ? KL_TRANSLATION : KL_ROTATION);
    kl_marker      origin = {.A = kl_identity()};
    kl_motion      at     = {.A = kl_identity()};
    if (mode->im == 0.0 || lead.part == BENDING || g.nv != 3) return 0;
    kl_body_motion(b, w->cache + b->cache, &origin, &at);
    double spin = kl_norm(at.w);
    if (!(spin > 1e-3 * fabs(mode->im))) return 0;
    kl_vec3 axis = kl_scale(1.0 / spin, at.w);
    kl_vec3 re = kl_load(mode->shape[0] + g.v), im = kl_load(mode->shape[1] + g.v);
    double  size  = kl_dot(re, re) + kl_dot(im, im);
    double  round = -2.0 * kl_dot(kl_cross(re, im), axis) * (mode->im > 0.0 ? 1.0 : -1.0);
    if (!(fabs(round) > 0.5 * size)) return 0;
    return round > 0.0 ? 1 : -1;
}

static const char *write_name(kl_arena *arena, const kl_model *m, const kl_work *w,
                              const kl_eigenmode *mode, const share *top, int n, double total)
{
    kl_line            l    = {.arena = arena};
    const char *const *name = part_name[vertical(m)];
    double             sum  = 0.0;
    int                goes = whirl(m, w, mode, top[0]);
    for (int k = 0; k < n && sum < 0.9 * total; k++) {
        double part = 100.0 * top[k].energy / total;
        if (k > 0 && part < 1.0) break;
        kl_line_add(&l,
                    k == 0                           ? "%s "
                    : top[k].body == top[k - 1].body ? ", "
                                                     : "; %s ",
                    m->body[top[k].body].name);
        kl_line_add(&l, "%s", name[top[k].part]);
        if (part < 95.0) kl_line_add(&l, " %.0f %%", part);
        sum += top[k].energy;
    }
    if (goes) kl_line_add(&l, " (%s whirl)", goes > 0 ? "forward" : "backward");
    return l.text;
}

const char *kl_mode_text(kl_arena *arena, const kl_model *m, const kl_work *w,
                         const kl_eigenmode *mode, double *y, double *dx)
{
    share   top[NAMED];
    double  total = 0.0, most = 0.0;
    int     n = 0, lead = 0;
    double *energy = kl_arena_array(arena, double, (size_t)m->nbody *PARTS);
    if (!energy) return NULL;
    for (int part = 0; part < 2; part++) {
        kl_linear_increment(m, w, mode->shape[part], dx);
        for (int b = 0; b < m->nbody; b++) add_energy(m, w, dx, b, energy + (size_t)b * PARTS);
    }
    for (int k = 0; k < m->nbody * PARTS; k++) {
        if (!(energy[k] > 0.0)) continue;
        total += energy[k];
        insert(top, &n, (share){k / PARTS, k % PARTS, energy[k]});
    }
    if (total > 0.0) return write_name(arena, m, w, mode, top, n, total);
    /* without mass: by how far things move */
    for (int i = 0; i < m->nv; i++)
        y[i] = copysign(hypot(mode->shape[0][i], mode->shape[1][i]), mode->shape[0][i]);
    kl_linear_increment(m, w, y, dx);
    for (int b = 0; b < m->nbody; b++) {
        double amount = kl_motion_amount(m, dx, b);
        if (amount > most * (1.0 + 1e-9)) most = amount, lead = b;
    }
    if (most == 0.0) return "state of a force, almost no motion";
    return kl_motion_text(arena, m, w, dx, lead, 0.05);
}
