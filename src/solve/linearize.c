#include "solve/linearize.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "algebra/rank.h"
#include "dynamics/tangents.h"
#include "model/groups.h"
#include "solve/integrator.h"
#include "solve/steady_rotation.h"

/* ---- axes that do not spin --------------------------------------------------------------------
 */

/* Rotation of a body whose velocities have their axes at `at`. */
typedef struct turning {
    kl_group v;
    kl_axes  at;
    kl_vec3  n, w; /* spin axis that these axes do not follow the body about, zero: none; angular
                      velocity; both global */
} turning;

/* The rotation of body i; v.nv is 0 where it has none. */
static turning turning_of(const kl_model *m, const kl_work *w, int i)
{
    const kl_body *b = &m->body[i];
    turning        t = {.v = kl_body_group(b, KL_ROTATION)};
    if (t.v.nv) t.at = kl_body_axes(b, w->cache + b->cache);
    if (!t.v.nv || !b->type->spin) return t;
    kl_marker origin = {.body = i, .A = kl_identity()};
    kl_motion now;
    kl_body_motion(b, w->cache + b->cache, &origin, &now);
    t.n = kl_mul(&t.at.A, kl_body_spin(b));
    t.w = now.w;
    return t;
}

/* Of axes that do not follow the spin, an increment about n leaves v alone but turns w: the change of
 * v that belongs to y is y' + N y, N = (n x w) n'. Zero where the axis n is at rest. */
static kl_mat3 lag_of(const turning *t) { return kl_outer(kl_cross(t->n, t->w), t->n); }

/* N' as v' sees it, with al the angular acceleration, global. Perturbed axes, which do not turn about n
 * either, come to turn about it against the others at the rate -n.(w_axes x y); v' is seen from
 * them, and that takes the term (n x w) (n')' away. */
static kl_mat3 lag_rate(const turning *t, kl_vec3 al)
{
    kl_vec3 dn = kl_cross(t->at.w, t->n);
    return kl_outer(kl_add(kl_cross(dn, t->w), kl_cross(t->n, al)), t->n);
}

void kl_linear_increment(const kl_model *m, const kl_work *w, const double *y, double *dx)
{
    memcpy(dx, y, (size_t)m->nv * sizeof *dx);
    for (int i = 0; i < m->nbody; i++) {
        turning t = turning_of(m, w, i);
        if (t.v.nv) kl_store(dx + t.v.v, kl_mul_t(&t.at.A, kl_load(y + t.v.v)));
    }
}

/* T (n rows, nv columns) <- T P': rotation columns of each body become global */
static void columns_to_global(const kl_model *m, const kl_work *w, double *T, int n)
{
    for (int i = 0; i < m->nbody; i++) {
        turning t = turning_of(m, w, i);
        for (int r = 0; t.v.nv && r < n; r++) {
            double *row = T + (size_t)r * (size_t)m->nv + t.v.v;
            kl_store(row, kl_mul(&t.at.A, kl_load(row)));
        }
    }
}

/* T (nv rows, n columns) <- P T */
static void rows_to_global(const kl_model *m, const kl_work *w, double *T, int n)
{
    for (int i = 0; i < m->nbody; i++) {
        turning t = turning_of(m, w, i);
        for (int c = 0; t.v.nv && c < n; c++) {
            double *e = T + (size_t)t.v.v * (size_t)n + c, v[3] = {e[0], e[n], e[2 * n]};
            kl_store(v, kl_mul(&t.at.A, kl_load(v)));
            e[0] = v[0], e[n] = v[1], e[2 * n] = v[2];
        }
    }
}

/* to += T S in the three columns from `column` on; both have n rows of nv numbers */
static void add_times(const double *T, const kl_mat3 *S, int nv, int column, int n, double *to)
{
    for (int r = 0; r < n; r++) {
        const double *from = T + (size_t)r * (size_t)nv + column;
        double       *sum  = to + (size_t)r * (size_t)nv + column;
        for (int c = 0; c < 3; c++)
            for (int k = 0; k < 3; k++) sum[c] += from[k] * S->m[k][c];
    }
}

/* The terms of N in K and z' for one body; returns N - W, which M is to be multiplied with for C. */
static kl_mat3 add_lag(const kl_solver *x, const turning *of, kl_tangents *t)
{
    int     nv = x->model->nv;
    kl_vec3 al = kl_add(kl_mul(&of->at.A, kl_load(x->a + of->v.v)), kl_cross(of->at.w, of->w));
    kl_mat3 N = lag_of(of), W = kl_skew(of->at.w), WN = kl_matmul(&W, &N);
    kl_mat3 rate = lag_rate(of, al), by_mass = kl_mat_axpy(-1.0, &WN, &rate);
    add_times(t->C, &N, nv, of->v.v, nv, t->K);
    add_times(t->M, &by_mass, nv, of->v.v, nv, t->K);
    add_times(t->zv, &N, nv, of->v.v, x->model->nz, t->zx);
    return kl_mat_axpy(-1.0, &W, &N);
}

/* All derivatives in non-spinning axes: M, K and the C of y'. */
static void tangents_in_space(const kl_solver *x, kl_tangents *t)
{
    const kl_model *m        = x->model;
    int             nv       = m->nv;
    double *const   square[] = {t->M, t->K, t->C};
    for (int k = 0; k < 3; k++) {
        columns_to_global(m, x->w, square[k], nv);
        rows_to_global(m, x->w, square[k], nv);
    }
    columns_to_global(m, x->w, t->J, m->nlam);
    columns_to_global(m, x->w, t->zx, m->nz);
    columns_to_global(m, x->w, t->zv, m->nz);
    rows_to_global(m, x->w, t->rz, m->nz);

    /* dv = y' + N y, dv' = y'' + N y' + N'y - W (y' + N y), W of the axes:
     * K += C N + M (N' - W N),  C += M (N - W) */
    for (int i = 0; i < m->nbody; i++) {
        turning of = turning_of(m, x->w, i);
        if (of.v.nv == 0) continue;
        kl_mat3 W = kl_skew(of.at.w), minus = kl_mat_scale(-1.0, &W);
        if (m->body[i].type->spin) minus = add_lag(x, &of, t);
        add_times(t->M, &minus, m->nv, of.v.v, nv, t->C);
    }
}

static kl_status evaluate(kl_solver *x, kl_tangents *t, kl_diag *diag)
{
    KL_TRY(kl_solve_acceleration(x, x->a, x->lambda, diag));
    kl_tangents_eval(x->model, x->s, x->w, x->a, x->lambda, t);
    tangents_in_space(x, t);
    return KL_OK;
}

/* ---- independent coordinates --------------------------------------------------------------------
 */

/* Z (nv x n) by leaving n of the y free; their numbers in `free_y`. */
static kl_status find_independent(const kl_model *m, const kl_tangents *t, kl_arena *arena, int *n,
                                  double **Z, const int **free_y)
{
    kl_arena *scratch = kl_arena_create();
    int      *size    = kl_arena_array(scratch, int, m->nbody + 1);
    int      *group   = kl_arena_array(scratch, int, m->nbody + 1);
    double   *scale   = kl_arena_array(scratch, double, m->nv + 1);
    kl_rank  *r       = NULL;
    if (kl_arena_ok(scratch)) {
        for (int i = 0; i < m->nbody; i++) {
            size[i] = m->body[i].nv;
            for (int k = 0; k < m->body[i].nv; k++)
                scale[m->body[i].v + k] = m->unit[m->body[i].v + k];
        }
        r = kl_rank_create(m->nbody, size);
    }
    for (int i = 0; r && i < m->nelement; i++) {
        const kl_element *e      = &m->element[i];
        int               ngroup = 0, width = 0;
        if (e->nphi == 0) continue;
        for (int k = 0; k < e->nmarker; k++) {
            int body = m->marker[e->marker + k].body, seen = 0;
            while (seen < ngroup && group[seen] != body) seen++;
            if (seen == ngroup && m->body[body].nv > 0)
                group[ngroup++] = body, width += m->body[body].nv;
        }
        double *block = kl_arena_array(scratch, double, (size_t)e->nphi *(size_t)width + 1);
        for (int p = 0; block && p < e->nphi; p++) {
            double *to = block + (size_t)p * (size_t)width, sum = 0.0;
            for (int g = 0; g < ngroup; g++) {
                const kl_body *b = &m->body[group[g]];
                for (int k = 0; k < b->nv; k++, to++) {
                    *to = t->J[(size_t)(e->phi + p) * (size_t)m->nv + (size_t)(b->v + k)] *
                          scale[b->v + k];
                    sum += *to * *to;
                }
            }
            for (int k = 0; sum > 0.0 && k < width; k++)
                block[(size_t)p * (size_t)width + (size_t)k] /= sqrt(sum);
        }
        if (block) kl_rank_add(r, e->nphi, ngroup, group, block);
    }
    kl_status status = r && kl_arena_ok(scratch) ? kl_rank_eliminate(r, 1e-7, false) : KL_E_MEMORY;
    if (status == KL_OK) {
        *n          = kl_rank_nullity(r);
        *Z          = kl_arena_array(arena, double, (size_t)m->nv *(size_t)*n + 1);
        int    *put = kl_arena_array(arena, int, *n + 1);
        double *v   = kl_arena_array(scratch, double, m->nv + 1);
        if (!*Z || !put || !v) status = KL_E_MEMORY;
        for (int j = 0; status == KL_OK && j < *n; j++) {
            put[j] = kl_rank_free(r)[j];
            memset(v, 0, (size_t)m->nv * sizeof *v);
            v[put[j]] = 1.0 / scale[put[j]]; /* so that p is the coordinate itself */
            kl_rank_null(r, v);
            for (int i = 0; i < m->nv; i++)
                (*Z)[(size_t)i * (size_t)*n + (size_t)j] = v[i] * scale[i];
        }
        *free_y = put;
    }
    kl_rank_destroy(r);
    kl_arena_destroy(scratch);
    return status;
}

/* ---- is the motion steady? ----------------------------------------------------------------------
 */

/* Largest change of T (nv x nv) against its own size, and the body of that row. */
static double change_of(const kl_model *m, const double *before, const double *now, int *body)
{
    double worst = 0.0, size = 0.0;
    size_t n   = (size_t)m->nv;
    int    row = 0;
    for (size_t i = 0; i < n * n; i++) {
        double d = fabs(before[i] - now[i]);
        size     = fmax(size, fabs(before[i]));
        if (d > worst) worst = d, row = (int)(i / n);
    }
    for (int b = 0; b < m->nbody; b++)
        if (row >= m->body[b].v && row < m->body[b].v + m->body[b].nv) *body = b;
    return size > 0.0 ? worst / size : 0.0;
}

/* Follows the velocities for a moment: the matrices of a steady motion stay the same. */
static kl_status check_steady(kl_solver *x, const kl_tangents *t, kl_vec3 omega, kl_diag *diag)
{
    const kl_model *m    = x->model;
    double          spin = 0.0, speed = 0.0;
    int             fastest = -1;
    for (int i = 0; i < m->nbody; i++) {
        const kl_body *b = &m->body[i];
        for (int k = 0; k < b->nv; k++) {
            double        v    = fabs(x->s->v[b->v + k]);
            kl_group_kind kind = kl_body_group_at(b, b->v + k).kind;
            if (kl_group_traits_of(kind)->length) speed = fmax(speed, v / m->length);
            else if (kind == KL_ROTATION && v > spin) spin = v, fastest = i;
        }
    }
    if (spin < 1e-9 && speed < 1e-9) return KL_OK;

    kl_tangents *later = kl_tangents_create(m);
    kl_state    *kept  = kl_state_create(m);
    double       time = 0.3 / fmax(spin, speed), worst = 0.0;
    int          body   = fastest < 0 ? 0 : fastest;
    kl_status    status = later && kept ? KL_OK : KL_E_MEMORY;
    if (status == KL_OK) {
        kl_state *now = x->s;
        kl_steady_rotation_move(x, omega, time, kept);
        x->s   = kept;
        status = evaluate(x, later, diag);
        x->s   = now;
    }
    if (status == KL_OK) {
        const double *const before[] = {t->M, t->C, t->K};
        double *const       now[]    = {later->M, later->C, later->K};
        for (int k = 0; k < 3; k++) kl_steady_rotation_turn(m, kl_scale(-time, omega), now[k]);
        for (int k = 0; k < 3; k++) {
            int    where  = body;
            double change = change_of(m, before[k], now[k], &where);
            if (change > worst) worst = change, body = where;
        }
        if (worst > 1e-6 && spin >= 1e-9)
            status =
                kl_fail(diag, KL_E_MODEL, m->body[body].place,
                        "'%s' rotates and is not symmetric about its spin axis, or its motion is "
                        "not steady, so the linearised equations vary with time (by %.2g of their "
                        "size in %.3g s) in fixed and in rotating axes. Linearise at rest with "
                        "`klingel modes --rest`, give the rotating body equal inertias about both "
                        "axes normal to its spin axis, or start closer to the steady motion",
                        m->body[body].name, worst, time);
        else if (worst > 1e-6)
            kl_warn(diag, m->body[body].place,
                    "the motion of '%s' changes the linearised equations with time (by %.2g of "
                    "their size in %.3g s); the eigenvalues are valid only at this instant",
                    m->body[body].name, worst, time);
    }
    kl_state_destroy(kept);
    kl_tangents_destroy(later);
    kl_status back = kl_solve_acceleration(x, x->a, x->lambda, diag); /* to the state as it was */
    return status != KL_OK ? status : back;
}

/* Axes in which the motion is steady: those that its accelerations tell, or those of the body that
 * turns fastest, from which a rotor without symmetry in round bearings looks constant. */
static kl_status find_axes(kl_solver *x, const kl_tangents *t, kl_linear *l, kl_diag *diag)
{
    const kl_model *m     = x->model;
    kl_diag        *quiet = kl_diag_create();
    double          most  = 0.0;
    kl_vec3         fast  = {0};
    l->omega              = kl_steady_rotation_find(x);
    kl_status status      = quiet ? check_steady(x, t, l->omega, quiet) : KL_E_MEMORY;
    kl_diag_destroy(quiet);
    if (status == KL_E_MEMORY) return status;
    for (int i = 0; i < m->nbody && status != KL_OK; i++) {
        turning of = turning_of(m, x->w, i);
        kl_vec3 w  = m->body[i].type->spin ? of.w : of.at.w;
        if (of.v.nv && kl_norm(w) > most) most = kl_norm(w), fast = w;
    }
    if (status != KL_OK && check_steady(x, t, fast, NULL) == KL_OK) {
        kl_steady_rotation_residual(x, fast, x->y);
        if (kl_increment_norm(m, x->y, NULL) <= 1e-6 * most * most) l->omega = fast;
    }
    return check_steady(x, t, l->omega, diag);
}

/* Accelerations that are left: what is steady has none. */
static void find_residual_acceleration(const kl_solver *x, kl_linear *l)
{
    const kl_model *m         = x->model;
    double          g         = kl_norm(m->gravity);
    double          turn_rate = (g > 0.0 ? g : m->length) / m->length;
    kl_steady_rotation_residual(x, l->omega, x->y);
    l->residual_acceleration = kl_increment_norm(m, x->y, &l->residual_body) / turn_rate;
}

/* ---- the state-space form -----------------------------------------------------------------------
 */

/* R (n x k) = Z' T S, T nv x nv, S nv x k (Z or any) */
static void reduce(int nv, int n, const double *Z, const double *T, double *R, double *scratch)
{
    for (int i = 0; i < nv; i++) /* scratch = T Z */
        for (int j = 0; j < n; j++) {
            double        sum = 0.0;
            const double *row = T + (size_t)i * (size_t)nv;
            for (int k = 0; k < nv; k++)
                if (row[k] != 0.0) sum += row[k] * Z[(size_t)k * (size_t)n + (size_t)j];
            scratch[(size_t)i * (size_t)n + (size_t)j] = sum;
        }
    memset(R, 0, (size_t)n * (size_t)n * sizeof *R);
    for (int k = 0; k < nv; k++)
        for (int i = 0; i < n; i++) {
            double z = Z[(size_t)k * (size_t)n + (size_t)i];
            if (z == 0.0) continue;
            for (int j = 0; j < n; j++)
                R[(size_t)i * (size_t)n + (size_t)j] +=
                    z * scratch[(size_t)k * (size_t)n + (size_t)j];
        }
}

static void put_block(double *A, int nx, int r, int c, double s, const double *R, int nr, int nc)
{
    for (int i = 0; i < nr; i++)
        for (int j = 0; j < nc; j++)
            A[(size_t)(r + i) * (size_t)nx + (size_t)(c + j)] =
                s * R[(size_t)i * (size_t)nc + (size_t)j];
}

/* E x' = A x with x = (y, y', z), where the columns of Z span the motions that the constraints allow:
 *
 *       [ I  0      0 ]       [  0         I         0      ]
 *   E = [ 0  Z'M Z  0 ]   A = [ -Z'K Z    -Z'C Z    -Z'r_z  ]
 *       [ 0  0      I ]       [  z_x Z     z_v Z     z_z    ]
 *
 * K and C are derivatives of the residual r = M a - g, therefore the minus signs. */
static kl_status fill_matrices(const kl_model *m, const kl_tangents *t, kl_linear *l)
{
    int       n = l->n, nz = l->nz, nv = m->nv, nx = l->nx;
    kl_arena *scratch = kl_arena_create();
    double   *R       = kl_arena_array(scratch, double, (size_t)n *(size_t)n + 1);
    double   *T       = kl_arena_array(scratch, double, (size_t)nv *(size_t)(n + nz) + 1);
    double   *S       = kl_arena_array(scratch, double, (size_t)(n + 1) * (size_t)(nz + 1));
    if (!kl_arena_ok(scratch)) {
        kl_arena_destroy(scratch);
        return KL_E_MEMORY;
    }
    for (int i = 0; i < nx; i++) l->E[(size_t)i * (size_t)nx + (size_t)i] = 1.0;
    for (int i = 0; i < n; i++) l->A[(size_t)i * (size_t)nx + (size_t)(n + i)] = 1.0;
    reduce(nv, n, l->Z, t->M, R, T);
    put_block(l->E, nx, n, n, 1.0, R, n, n);
    reduce(nv, n, l->Z, t->K, R, T);
    put_block(l->A, nx, n, 0, -1.0, R, n, n);
    reduce(nv, n, l->Z, t->C, R, T);
    put_block(l->A, nx, n, n, -1.0, R, n, n);

    for (int i = 0; i < n; i++)
        for (int j = 0; j < nz; j++) {
            double sum = 0.0;
            for (int k = 0; k < nv; k++)
                sum += l->Z[(size_t)k * (size_t)n + (size_t)i] *
                       t->rz[(size_t)k * (size_t)nz + (size_t)j];
            S[(size_t)i * (size_t)nz + (size_t)j] = sum;
        }
    put_block(l->A, nx, n, 2 * n, -1.0, S, n, nz);
    const double *const from[] = {t->zx, t->zv};
    for (int which = 0; which < 2; which++) {
        for (int i = 0; i < nz; i++)
            for (int j = 0; j < n; j++) {
                double sum = 0.0;
                for (int k = 0; k < nv; k++)
                    sum += from[which][(size_t)i * (size_t)nv + (size_t)k] *
                           l->Z[(size_t)k * (size_t)n + (size_t)j];
                S[(size_t)i * (size_t)n + (size_t)j] = sum;
            }
        put_block(l->A, nx, 2 * n, which * n, 1.0, S, nz, n);
    }
    put_block(l->A, nx, 2 * n, 2 * n, 1.0, t->zz, nz, nz);
    kl_arena_destroy(scratch);
    return KL_OK;
}

static void name_states(const kl_model *m, kl_linear *l, const int *free_y)
{
    kl_arena *a = l->arena;
    for (int j = 0; j < l->n; j++) {
        int b = 0;
        while (b + 1 < m->nbody && free_y[j] >= m->body[b].v + m->body[b].nv) b++;
        const char            *name = kl_velocity_name(m, free_y[j], a);
        const kl_group_traits *t =
            kl_group_traits_of(kl_body_group_at(&m->body[b], free_y[j]).kind);
        l->state[j]             = name;
        l->state[l->n + j]      = kl_arena_format(a, "%s'", name ? name : "");
        l->state_unit[j]        = t->unit;
        l->state_unit[l->n + j] = t->rate;
    }
    for (int i = 0; i < m->nelement; i++)
        for (int k = 0; k < m->element[i].nz; k++) {
            l->state[2 * l->n + m->element[i].z + k] =
                kl_arena_format(a, "%s.state_%d", m->element[i].name, k + 1);
            l->state_unit[2 * l->n + m->element[i].z + k] = "";
        }
}

/* ---- inputs and outputs
 * --------------------------------------------------------------------------- */

/* What is watched: the model's own outputs, or else all recorded channels. */
static kl_status choose_outputs(kl_channels *c, kl_linear *l, int **index)
{
    int own = 0, all = kl_channels_count(c);
    for (int i = 0; i < all; i++) own += kl_channels_at(c, i)->own;
    *index         = kl_arena_array(l->arena, int, all + 1);
    l->output      = kl_arena_array(l->arena, const char *, all + 1);
    l->output_unit = kl_arena_array(l->arena, const char *, all + 1);
    if (!kl_arena_ok(l->arena)) return KL_E_MEMORY;
    for (int i = 0; i < all; i++) {
        const kl_channel *k = kl_channels_at(c, i);
        if (own ? !k->own : !k->recorded) continue;
        (*index)[l->nw]       = i;
        l->output[l->nw]      = kl_arena_text(l->arena, k->name);
        l->output_unit[l->nw] = kl_arena_text(l->arena, k->unit);
        l->nw++;
    }
    return kl_arena_ok(l->arena) ? KL_OK : KL_E_MEMORY;
}

typedef struct watch {
    kl_solver   *x;
    kl_channels *channels;
    kl_linear   *l;
    kl_state    *base;
    const int   *index;
    double      *up, *down, *y, *dx, *y_dot;
} watch;

/* Moves the state by `step` along entry `column` of (x, u). */
static void displace(watch *k, int column, double step)
{
    const kl_model *m = k->x->model;
    kl_linear      *l = k->l;
    kl_state       *s = k->x->s;
    kl_state_copy(s, k->base);
    if (column >= l->nx) {
        s->u[column - l->nx] += step;
    } else if (column >= 2 * l->n) {
        s->z[column - 2 * l->n] += step;
    } else {
        int j = column % l->n;
        for (int i = 0; i < m->nv; i++) k->y[i] = step * l->Z[(size_t)i * (size_t)l->n + (size_t)j];
        kl_eval_motion(m, k->base, k->x->w); /* axes of the state itself */
        kl_linear_increment(m, k->x->w, k->y, k->dx);
        if (column < l->n) {
            kl_model_advance(m, k->base->q, k->dx, s->q);
            kl_steady_rotation_speed(m, l->omega, k->y, k->y_dot);
            for (int i = 0; i < m->nbody; i++) {
                turning of = turning_of(m, k->x->w, i);
                if (of.v.nv == 0 || !m->body[i].type->spin) continue;
                double *to = k->y_dot + of.v.v;
                kl_mat3 N  = lag_of(&of);
                kl_store(to, kl_add(kl_load(to), kl_mul(&N, kl_load(k->y + of.v.v))));
            }
            kl_linear_increment(m, k->x->w, k->y_dot, k->dx);
        }
        for (int i = 0; i < m->nv; i++) s->v[i] += k->dx[i];
    }
}

static kl_status values_at(watch *k, double *values, kl_diag *diag)
{
    kl_solver *x = k->x;
    KL_TRY(kl_solve_acceleration(x, x->a, x->lambda, diag));
    kl_moment     now = {.a = x->a, .lambda = x->lambda};
    const double *all = kl_channels_eval(k->channels, x->model, x->s, x->w, &now);
    for (int i = 0; i < k->l->nw; i++) values[i] = all[k->index[i]];
    return KL_OK;
}

static double step_of(const watch *k, int column)
{
    const kl_linear *l = k->l;
    if (column >= l->nx) return 1e-5 * fmax(1.0, fabs(k->base->u[column - l->nx]));
    if (column >= 2 * l->n) return 1e-5 * (1e-3 + fabs(k->base->z[column - 2 * l->n]));
    return 1e-5 * (l->state_unit[column][0] == 'm' ? k->x->model->length : 1.0);
}

/* Column by column: outputs C, D; and for inputs B from the change of residual and z'. */
static kl_status fill_outputs(watch *k, kl_diag *diag)
{
    kl_linear      *l = k->l;
    const kl_model *m = k->x->model;
    for (int c = 0; c < l->nx + l->nu; c++) {
        double step = step_of(k, c);
        displace(k, c, step);
        KL_TRY(values_at(k, k->up, diag));
        displace(k, c, -step);
        KL_TRY(values_at(k, k->down, diag));
        for (int i = 0; i < l->nw; i++) {
            double slope = (k->up[i] - k->down[i]) / (2.0 * step);
            if (c < l->nx) l->C[(size_t)i * (size_t)l->nx + (size_t)c] = slope;
            else l->D[(size_t)i * (size_t)l->nu + (size_t)(c - l->nx)] = slope;
        }
    }
    kl_state_copy(k->x->s, k->base);
    KL_TRY(kl_solve_acceleration(k->x, k->x->a, k->x->lambda, diag));
    for (int j = 0; j < l->nu; j++) {
        double step = step_of(k, l->nx + j), *r = k->y;
        for (int side = -1; side <= 1; side += 2) {
            displace(k, l->nx + j, side * step);
            KL_TRY(kl_eval(m, k->x->s, k->x->w));
            kl_eval_residual(m, k->x->w, k->x->a, k->x->lambda, r);
            rows_to_global(m, k->x->w, r, 1);
            for (int i = 0; i < l->n; i++) {
                double sum = 0.0;
                for (int q = 0; q < m->nv; q++)
                    sum += l->Z[(size_t)q * (size_t)l->n + (size_t)i] * r[q];
                l->B[(size_t)(l->n + i) * (size_t)l->nu + (size_t)j] -= side * sum / (2.0 * step);
            }
            for (int i = 0; i < l->nz; i++)
                l->B[(size_t)(2 * l->n + i) * (size_t)l->nu + (size_t)j] +=
                    side * k->x->w->z_dot[i] / (2.0 * step);
            double moved = 0.0;
            for (int i = 0; i < m->nlam; i++) moved = fmax(moved, fabs(k->x->w->phi[i]));
            if (side > 0 && moved > 1e-3 * step)
                kl_warn(diag, KL_NOWHERE,
                        "input '%s' acts on a driver; the linear model contains the forces it "
                        "causes, not the prescribed motion",
                        m->input[j].name);
        }
    }
    kl_state_copy(k->x->s, k->base);
    return KL_OK;
}

static kl_status watch_outputs(kl_solver *x, kl_channels *channels, kl_linear *l, kl_diag *diag)
{
    const kl_model *m = x->model;
    watch           k = {.x = x, .channels = channels, .l = l};
    int            *index;
    KL_TRY(choose_outputs(channels, l, &index));
    l->nu            = m->ninput;
    l->input         = kl_arena_array(l->arena, const char *, l->nu + 1);
    l->input_unit    = kl_arena_array(l->arena, const char *, l->nu + 1);
    l->B             = kl_arena_array(l->arena, double, (size_t)l->nx *(size_t)l->nu + 1);
    l->C             = kl_arena_array(l->arena, double, (size_t)l->nw *(size_t)l->nx + 1);
    l->D             = kl_arena_array(l->arena, double, (size_t)l->nw *(size_t)l->nu + 1);
    k.index          = index;
    k.up             = kl_arena_array(l->arena, double, l->nw + 1);
    k.down           = kl_arena_array(l->arena, double, l->nw + 1);
    k.y              = kl_arena_array(l->arena, double, m->nv + 1);
    k.dx             = kl_arena_array(l->arena, double, m->nv + 1);
    k.y_dot          = kl_arena_array(l->arena, double, m->nv + 1);
    k.base           = kl_state_create(m);
    kl_status status = kl_arena_ok(l->arena) && k.base ? KL_OK : KL_E_MEMORY;
    if (status == KL_OK) {
        for (int i = 0; i < l->nu; i++) {
            l->input[i]      = kl_arena_text(l->arena, m->input[i].name);
            l->input_unit[i] = kl_arena_text(l->arena, m->input[i].unit);
        }
        kl_state_copy(k.base, x->s);
        status = fill_outputs(&k, diag);
    }
    kl_state_destroy(k.base);
    if (status != KL_OK) return status;
    return kl_solve_acceleration(x, x->a, x->lambda, diag);
}

/* ---- the whole
 * ---------------------------------------------------------------------------------------- */

static kl_status build(kl_solver *x, kl_channels *channels, kl_tangents *t, kl_linear *l,
                       kl_diag *diag)
{
    const kl_model *m = x->model;
    const int      *free_y;
    KL_TRY(evaluate(x, t, diag));
    KL_TRY(find_axes(x, t, l, diag));
    if (kl_norm(l->omega) > 0.0)
        kl_note(diag, KL_NOWHERE,
                "the motion is steady in a frame that rotates with (%.6g, %.6g, %.6g) rad/s; the "
                "linear model and its eigenvalues refer to this frame",
                l->omega.x, l->omega.y, l->omega.z);
    find_residual_acceleration(x, l);
    KL_TRY(find_independent(m, t, l->arena, &l->n, &l->Z, &free_y));
    l->nz         = m->nz;
    l->nx         = 2 * l->n + l->nz;
    l->E          = kl_arena_array(l->arena, double, (size_t)l->nx *(size_t)l->nx + 1);
    l->A          = kl_arena_array(l->arena, double, (size_t)l->nx *(size_t)l->nx + 1);
    l->state      = kl_arena_array(l->arena, const char *, l->nx + 1);
    l->state_unit = kl_arena_array(l->arena, const char *, l->nx + 1);
    if (!kl_arena_ok(l->arena)) return KL_E_MEMORY;
    name_states(m, l, free_y);
    KL_TRY(kl_steady_rotation_matrices(m, l->omega, t));
    KL_TRY(fill_matrices(m, t, l));
    if (channels) KL_TRY(watch_outputs(x, channels, l, diag));
    return kl_arena_ok(l->arena) ? KL_OK : KL_E_MEMORY;
}

kl_status kl_linearize(kl_solver *x, kl_channels *channels, kl_diag *diag, kl_linear **out)
{
    enum { MOST = 4000 }; /* velocities: dense matrices beyond that no longer fit a desk */
    const kl_model *m = x->model;
    *out              = NULL;
    if (m->nv > MOST)
        return kl_fail(diag, KL_E_RANGE, KL_NOWHERE,
                       "the model has %d velocities; linearisation supports at most %d", m->nv,
                       MOST);
    kl_arena    *arena = kl_arena_create();
    kl_linear   *l     = kl_arena_array(arena, kl_linear, 1);
    kl_tangents *t     = kl_tangents_create(m);
    if (!l || !t) {
        kl_tangents_destroy(t);
        kl_arena_destroy(arena);
        return KL_E_MEMORY;
    }
    l->arena         = arena;
    kl_status status = build(x, channels, t, l, diag);
    kl_tangents_destroy(t);
    if (status != KL_OK) {
        kl_arena_destroy(arena);
        return status;
    }
    *out = l;
    return KL_OK;
}

void kl_linear_destroy(kl_linear *l)
{
    if (l) kl_arena_destroy(l->arena); /* the object itself lives in it */
}
