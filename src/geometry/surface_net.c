/* A surface through a net of points: the tensor product of two interpolants. Along u every line of
 * the net becomes polynomials; their coefficients, as functions of v, are interpolated again. A
 * cell then holds (d+1)^2 coefficients a coordinate, d the degree. */
#include <math.h>

#include "geometry/surface.h"

typedef struct net_surface {
    int      nu, nv; /* cells */
    int      degree;
    double  *u, *v; /* knots, nu + 1 and nv + 1 */
    kl_vec3 *c;     /* (d+1)^2 a cell: power of u runs slow, of v fast */
} net_surface;

static int knot_find(const double *x, int n, double at, int hint)
{
    if (hint >= 0 && hint < n && at >= x[hint] && at < x[hint + 1]) return hint;
    int low = 0, high = n - 1;
    while (low < high) {
        int mid = (low + high + 1) / 2;
        if (x[mid] <= at) low = mid;
        else high = mid - 1;
    }
    return low;
}

/* Value and two derivatives of a polynomial with vector coefficients `stride` apart. */
static void horner(const kl_vec3 *c, int degree, int stride, double x, kl_vec3 d[3])
{
    d[0] = d[1] = d[2] = (kl_vec3){0};
    for (int k = degree; k >= 0; k--) {
        d[2] = kl_axpy(x, d[2], d[1]);
        d[1] = kl_axpy(x, d[1], d[0]);
        d[0] = kl_axpy(x, d[0], c[k * stride]);
    }
    d[2] = kl_scale(2.0, d[2]);
}

static kl_status net_eval(const void *data, double u, double v, kl_surface_cursor *cursor,
                          kl_surface_point *out)
{
    const net_surface *s = data;
    int                i = cursor->hint[0] = knot_find(s->u, s->nu, u, cursor->hint[0]);
    int                j = cursor->hint[1] = knot_find(s->v, s->nv, v, cursor->hint[1]);
    int                n                   = s->degree + 1;
    const kl_vec3     *c = s->c + ((size_t)i * (size_t)s->nv + (size_t)j) * (size_t)(n * n);
    kl_vec3            along[3][KL_NCOEFFICIENT], d[3]; /* powers of u, each with v-derivatives */
    for (int k = 0; k < n; k++) {
        horner(c + k * n, s->degree, 1, v - s->v[j], d);
        along[0][k] = d[0], along[1][k] = d[1], along[2][k] = d[2];
    }
    double x = u - s->u[i];
    horner(along[0], s->degree, 1, x, d);
    out->r = d[0], out->ru = d[1], out->ruu = d[2];
    horner(along[1], s->degree, 1, x, d);
    out->rv = d[0], out->ruv = d[1];
    horner(along[2], s->degree, 1, x, d);
    out->rvv = d[0];
    return KL_OK;
}

static const kl_surface_type net_type = {"net", net_eval, NULL, NULL};

static kl_vec3 net_point(const kl_net *net, int i, int j)
{
    return net->point[(size_t)(i % net->nu) * (size_t)net->nv + (size_t)(j % net->nv)];
}

static kl_status check_net(const kl_net *net, kl_diag *diag)
{
    int least_u = net->closed_u ? 3 : 2, least_v = net->closed_v ? 3 : 2;
    /* the tensor product is continuous only if the interpolant is linear in the points */
    if (net->kind == KL_AKIMA || net->kind == KL_MONOTONE || net->kind == KL_CONCAVITY)
        return kl_fail(diag, KL_E_RANGE, net->place,
                       "a net cannot use %s interpolation, because neighbouring cells would not "
                       "fit; use cubic, quintic or linear",
                       kl_interpolation_name(net->kind));
    if (net->nu < least_u || net->nv < least_v)
        return kl_fail(diag, KL_E_RANGE, net->place,
                       "a net of %d x %d points is too small; it needs at least %d x %d", net->nu,
                       net->nv, least_u, least_v);
    for (int i = 0; i < net->nu; i++)
        for (int j = 0; j < net->nv; j++)
            if (!kl_finite(net_point(net, i, j)))
                return kl_fail(diag, KL_E_NAN, net->place, "net point (%d, %d) is not finite",
                               i + 1, j + 1);
    return KL_OK;
}

/* Knots with the mean distance between neighbouring lines of points. */
static kl_status knots(const kl_net *net, bool along_u, double *x, kl_diag *diag)
{
    bool closed = along_u ? net->closed_u : net->closed_v;
    int  n = along_u ? net->nu : net->nv, m = along_u ? net->nv : net->nu;
    x[0] = 0.0;
    for (int i = 0; i < (closed ? n : n - 1); i++) {
        double sum = 0.0;
        for (int j = 0; j < m; j++)
            sum += kl_norm(along_u ? kl_sub(net_point(net, i + 1, j), net_point(net, i, j))
                                   : kl_sub(net_point(net, j, i + 1), net_point(net, j, i)));
        if (!(sum > 0.0))
            return kl_fail(diag, KL_E_RANGE, net->place,
                           "lines %d and %d of the net along %c coincide; remove one",
                           (i + 1) % n + 1, i + 1, along_u ? 'u' : 'v');
        x[i + 1] = x[i] + sum / m;
    }
    return KL_OK;
}

/* Coefficients of all cells, one coordinate. first: along u, ((nu cells) x 6) x nv values. */
static kl_status fill_cells(const kl_net *net, net_surface *s, int axis, kl_arena *scratch)
{
    int     n = s->degree + 1, nv = net->nv;
    double *line  = kl_arena_array(scratch, double, net->nu);
    double *one   = kl_arena_array(scratch, double, (size_t)s->nu *KL_NCOEFFICIENT);
    double *first = kl_arena_array(scratch, double, (size_t)s->nu *KL_NCOEFFICIENT *(size_t)nv);
    double *cell  = kl_arena_array(scratch, double, (size_t)s->nv *KL_NCOEFFICIENT);
    if (!kl_arena_ok(scratch)) return KL_E_MEMORY;
    for (int j = 0; j < nv; j++) {
        for (int i = 0; i < net->nu; i++) {
            kl_vec3 p = net_point(net, i, j);
            line[i]   = axis == 0 ? p.x : axis == 1 ? p.y : p.z;
        }
        KL_TRY(kl_interpolate(net->kind, s->u, line, 1, net->nu, net->closed_u, NULL, one, 1,
                              scratch));
        for (int q = 0; q < s->nu * KL_NCOEFFICIENT; q++)
            first[(size_t)q * (size_t)nv + (size_t)j] = one[q];
    }
    for (int i = 0; i < s->nu; i++)
        for (int k = 0; k < n; k++) {
            const double *f = first + ((size_t)i * KL_NCOEFFICIENT + (size_t)k) * (size_t)nv;
            KL_TRY(
                kl_interpolate(net->kind, s->v, f, 1, nv, net->closed_v, NULL, cell, 1, scratch));
            for (int j = 0; j < s->nv; j++) {
                kl_vec3 *c =
                    s->c + ((size_t)i * (size_t)s->nv + (size_t)j) * (size_t)(n * n) + k * n;
                for (int l = 0; l < n; l++)
                    *(axis == 0   ? &c[l].x
                      : axis == 1 ? &c[l].y
                                  : &c[l].z) = cell[(size_t)j * KL_NCOEFFICIENT + (size_t)l];
            }
        }
    return KL_OK;
}

kl_status kl_surface_net(const kl_net *net, kl_arena *arena, kl_diag *diag, kl_surface **out)
{
    KL_TRY(check_net(net, diag));
    net_surface *s       = kl_arena_array(arena, net_surface, 1);
    kl_surface  *surface = kl_arena_array(arena, kl_surface, 1);
    if (!kl_arena_ok(arena)) return KL_E_MEMORY;
    s->nu     = net->closed_u ? net->nu : net->nu - 1;
    s->nv     = net->closed_v ? net->nv : net->nv - 1;
    s->degree = net->kind == KL_LINEAR ? 1 : net->kind == KL_QUINTIC ? 5 : 3;
    size_t n  = (size_t)(s->degree + 1);
    s->u      = kl_arena_array(arena, double, s->nu + 1);
    s->v      = kl_arena_array(arena, double, s->nv + 1);
    s->c      = kl_arena_array(arena, kl_vec3, (size_t)s->nu * (size_t)s->nv * n * n);
    if (!kl_arena_ok(arena)) return KL_E_MEMORY;
    KL_TRY(knots(net, true, s->u, diag));
    KL_TRY(knots(net, false, s->v, diag));
    kl_status status = KL_OK;
    for (int axis = 0; axis < 3 && status == KL_OK; axis++) {
        kl_arena *scratch = kl_arena_create();
        status            = scratch ? fill_cells(net, s, axis, scratch) : KL_E_MEMORY;
        kl_arena_destroy(scratch);
    }
    KL_TRY(status);
    surface->type = &net_type, surface->data = s, surface->pose.A = kl_identity();
    surface->u[1] = s->u[s->nu], surface->v[1] = s->v[s->nv];
    surface->closed_u = net->closed_u, surface->closed_v = net->closed_v;
    *out = surface;
    return KL_OK;
}
