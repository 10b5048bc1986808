#include "solve/steady_rotation.h"

#include <math.h>
#include <string.h>

#include "base/rotation.h"
#include "model/groups.h"
#include "solve/integrator.h"

static bool is_vector(const kl_body *b, int group)
{
    return kl_group_traits_of(b->group[group].kind)->vector;
}

/* y' = R (eta' + W eta). */
void kl_steady_rotation_speed(const kl_model *m, kl_vec3 omega, const double *eta, double *y_dot)
{
    memset(y_dot, 0, (size_t)m->nv * sizeof *y_dot);
    for (int i = 0; i < m->nbody; i++) {
        const kl_body *b = &m->body[i];
        for (int g = 0; g < b->ngroup; g++)
            if (is_vector(b, g)) {
                int v = b->v + b->group[g].v;
                kl_store(y_dot + v, kl_cross(omega, kl_load(eta + v)));
            }
    }
}

/* Velocities of a body, global; the axes of its rotation and how fast these turn. */
typedef struct speeds {
    kl_vec3  v, om, axes;
    kl_mat3  A;
    kl_group move, turn;
    bool     moves, turns; /* has a translation, a rotation */
} speeds;

static speeds speeds_of(const kl_solver *x, int body)
{
    const kl_body *b  = &x->model->body[body];
    const double  *v  = x->s->v;
    speeds         of = {.A    = kl_identity(),
                         .move = kl_body_group(b, KL_TRANSLATION),
                         .turn = kl_body_group(b, KL_ROTATION)};
    of.moves = of.move.nv > 0, of.turns = of.turn.nv > 0;
    if (of.moves) of.v = kl_load(v + of.move.v);
    if (!of.turns) return of;
    kl_axes at = kl_body_axes(b, x->w->cache + b->cache);
    of.A = at.A, of.axes = at.w;
    of.om = kl_mul(&of.A, kl_load(v + of.turn.v));
    return of;
}

void kl_steady_rotation_residual(const kl_solver *x, kl_vec3 omega, double *left)
{
    const kl_model *m = x->model;
    memcpy(left, x->a, (size_t)m->nv * sizeof *left);
    for (int i = 0; i < m->nbody; i++) {
        speeds  of = speeds_of(x, i);
        double *l = left + of.move.v, *turn = left + of.turn.v;
        if (of.moves) kl_store(l, kl_sub(kl_load(l), kl_cross(omega, of.v)));
        if (!of.turns) continue;
        kl_vec3 al = kl_add(kl_mul(&of.A, kl_load(turn)), kl_cross(of.axes, of.om));
        kl_store(turn, kl_sub(al, kl_cross(omega, of.om)));
    }
}

static double residual_with(const kl_solver *x, kl_vec3 omega)
{
    kl_steady_rotation_residual(x, omega, x->y);
    return kl_increment_norm(x->model, x->y, NULL);
}

/* Solves the symmetric N w = b by Cramer's rule. */
static kl_vec3 solve3(double N[3][3], kl_vec3 b)
{
    kl_vec3 c[3];
    for (int k = 0; k < 3; k++) c[k] = (kl_vec3){N[0][k], N[1][k], N[2][k]};
    double d = kl_dot(c[0], kl_cross(c[1], c[2]));
    return (kl_vec3){kl_dot(b, kl_cross(c[1], c[2])) / d, kl_dot(c[0], kl_cross(b, c[2])) / d,
                     kl_dot(c[0], kl_cross(c[1], b)) / d};
}

/* Least squares of a = Omega x v over all bodies, the smallest Omega where that leaves a choice. */
static kl_vec3 from_paths(const kl_solver *x)
{
    const kl_model *m       = x->model;
    double          N[3][3] = {{0}}, trace = 0.0;
    kl_vec3         sum = {0};
    for (int i = 0; i < m->nbody; i++) {
        speeds of = speeds_of(x, i);
        if (!of.moves) continue;
        double v[3], square = kl_dot(of.v, of.v);
        kl_store(v, of.v);
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++) N[r][c] += (r == c ? square : 0.0) - v[r] * v[c];
        sum = kl_add(sum, kl_cross(of.v, kl_load(x->a + of.move.v)));
        trace += 2.0 * square;
    }
    for (int k = 0; k < 3; k++) N[k][k] += 1e-12 * trace;
    return trace > 0.0 ? solve3(N, sum) : (kl_vec3){0};
}

kl_vec3 kl_steady_rotation_find(const kl_solver *x)
{
    const kl_model *m    = x->model;
    const double    much = 0.1; /* other axes must leave far less than those at rest */
    kl_vec3         best = {0}, paths = from_paths(x);
    double          least = much * residual_with(x, best), left = residual_with(x, paths);
    if (left < least) least = left, best = paths;
    for (int i = 0; i < m->nbody; i++) {
        speeds of = speeds_of(x, i);
        if (!of.turns || kl_norm(of.om) == 0.0) continue;
        left = residual_with(x, of.om);
        if (left < 0.5 * least) least = left, best = of.om;
        /* modes go round with their body, though nothing may show it where they are straight */
        double still = 1e-9 * kl_dot(of.om, of.om);
        if (kl_body_deforms(&m->body[i]) && kl_norm(best) == 0.0 && left <= still) best = of.om;
    }
    return best;
}

/* Way of a point with velocity v that goes round with omega. */
static kl_vec3 way(kl_vec3 v, kl_vec3 omega, double time)
{
    double rate = kl_norm(omega), angle = rate * time;
    if (rate == 0.0) return kl_scale(time, v);
    kl_vec3 n = kl_scale(1.0 / rate, omega), along = kl_scale(kl_dot(v, n), n);
    kl_vec3 round = kl_sub(v, along);
    return kl_add(kl_scale(time, along),
                  kl_add(kl_scale(sin(angle) / rate, round),
                         kl_scale((1.0 - cos(angle)) / rate, kl_cross(n, round))));
}

/* A body whose increments are no rotation vectors: its position `time` later, then how it turns. */
static void move_spinning(const kl_solver *x, int body, const speeds *of, kl_vec3 omega,
                          double time, kl_state *s)
{
    const kl_body             *b      = &x->model->body[body];
    kl_marker                  origin = {.body = body, .A = kl_identity()};
    kl_motion                  at;
    _Alignas(64) unsigned char cache[1024];
    if (b->ncache > sizeof cache) return;
    kl_body_motion(b, x->w->cache + b->cache, &origin, &at);
    kl_mat3 R = kl_rotation_exp(kl_scale(time, omega)), RA = kl_matmul(&R, &at.A);
    kl_mat3 own  = kl_rotation_exp(kl_scale(time, kl_mul_t(&at.A, kl_sub(of->om, omega))));
    kl_mat3 then = kl_matmul(&RA, &own);
    kl_body_turn_to(b, s->q + b->q, &then, cache);
    b->type->position(b->data, s->q + b->q, cache);
    b->type->velocity(b->data, s->v + b->v, cache);
    kl_axes axes = kl_body_axes(b, cache);
    kl_store(s->v + of->turn.v, kl_mul_t(&axes.A, kl_mul(&R, of->om)));
}

void kl_steady_rotation_move(const kl_solver *x, kl_vec3 omega, double time, kl_state *s)
{
    const kl_model *m  = x->model;
    kl_mat3         R  = kl_rotation_exp(kl_scale(time, omega));
    double         *dx = x->y;
    kl_state_copy(s, x->s);
    s->t += time;
    for (int i = 0; i < m->nbody; i++) {
        const kl_body *b    = &m->body[i];
        speeds         of   = speeds_of(x, i);
        double        *v    = s->v + b->v;
        int            move = of.move.v - b->v, turn = of.turn.v - b->v;
        if (b->nv == 0) continue;
        for (int k = 0; k < b->nv; k++) dx[k] = of.moves ? 0.0 : time * v[k];
        if (of.moves) kl_store(dx + move, way(of.v, omega, time));
        if (of.turns && !b->type->spin) kl_store(dx + turn, kl_scale(time, kl_mul_t(&of.A, omega)));
        b->type->advance(b->data, x->s->q + b->q, dx, s->q + b->q);
        if (of.moves) kl_store(v + move, kl_mul(&R, of.v));
        if (of.turns && b->type->spin) move_spinning(x, i, &of, omega, time, s);
        if (!of.turns || b->type->spin) continue;
        /* its own spin, seen from the turning axes */
        kl_vec3 spin = kl_scale(time, kl_mul_t(&of.A, kl_sub(of.om, omega)));
        kl_mat3 own  = kl_rotation_exp(spin);
        for (int k = 0; k < b->nv; k++) dx[k] = 0.0;
        kl_store(dx + turn, spin);
        b->type->advance(b->data, s->q + b->q, dx, s->q + b->q);
        kl_store(v + turn, kl_mul_t(&own, kl_mul_t(&of.A, of.om)));
    }
}

/* ---- matrices -------------------------------------------------------------------------------- */

/* out (n x nv) = T S, S block diagonal: `of` for each vector of each body, `other` else. */
static void times(const kl_model *m, const double *T, int n, const kl_mat3 *of, double other,
                  double *out)
{
    for (int r = 0; r < n; r++) {
        const double *row = T + (size_t)r * (size_t)m->nv;
        double       *to  = out + (size_t)r * (size_t)m->nv;
        for (int i = 0; i < m->nbody; i++) {
            const kl_body *b = &m->body[i];
            for (int g = 0; g < b->ngroup; g++) {
                int v = b->v + b->group[g].v;
                if (is_vector(b, g)) kl_store(to + v, kl_mul_t(of, kl_load(row + v)));
                else
                    for (int k = v; k < v + b->group[g].nv; k++) to[k] = other * row[k];
            }
        }
    }
}

static void transpose(double *T, int n)
{
    for (int r = 0; r < n; r++)
        for (int c = 0; c < r; c++) {
            double *a = T + (size_t)r * (size_t)n + c, *b = T + (size_t)c * (size_t)n + r,
                   keep = *a;
            *a = *b, *b = keep;
        }
}

void kl_steady_rotation_turn(const kl_model *m, kl_vec3 angle, double *T)
{
    kl_mat3 back = kl_rotation_exp(kl_scale(-1.0, angle)); /* T R' = (R T')' */
    for (int side = 0; side < 2; side++) {
        times(m, T, m->nv, &back, 1.0, T);
        transpose(T, m->nv);
    }
}

kl_status kl_steady_rotation_matrices(const kl_model *m, kl_vec3 omega, kl_tangents *t)
{
    size_t    n       = (size_t)m->nv * (size_t)m->nv;
    kl_arena *scratch = kl_arena_create();
    double   *MW      = kl_arena_array(scratch, double, n + 1);
    double   *T       = kl_arena_array(scratch, double, n + 1);
    kl_mat3   W       = kl_skew(omega);
    if (kl_arena_ok(scratch)) {
        times(m, t->M, m->nv, &W, 0.0, MW);
        times(m, t->C, m->nv, &W, 0.0, T);
        for (size_t k = 0; k < n; k++) t->K[k] += T[k], t->C[k] += 2.0 * MW[k];
        times(m, MW, m->nv, &W, 0.0, T);
        for (size_t k = 0; k < n; k++) t->K[k] += T[k];
        for (int z = 0; z < m->nz; z++) {
            double *zx = t->zx + (size_t)z * (size_t)m->nv;
            times(m, t->zv + (size_t)z * (size_t)m->nv, 1, &W, 0.0, T);
            for (int k = 0; k < m->nv; k++) zx[k] += T[k];
        }
    }
    kl_status status = kl_arena_ok(scratch) ? KL_OK : KL_E_MEMORY;
    kl_arena_destroy(scratch);
    return status;
}
