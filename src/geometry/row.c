#include "geometry/row.h"

#include <math.h>

/* The four vectors that are functions of length, and the columns of their derivatives. */
typedef struct chain {
    int value, first, second;
} chain;

static const chain chains[4] = {{KL_ROW_G, KL_ROW_G1, KL_ROW_G2},
                                {KL_ROW_T, KL_ROW_T1, KL_ROW_T2},
                                {KL_ROW_B, KL_ROW_B1, KL_ROW_B2},
                                {KL_ROW_N, KL_ROW_N1, KL_ROW_N2}};

int kl_row_class(int column)
{
    if (column < KL_ROW_T) return KL_CLASS_POSITION;
    if (column < KL_ROW_G2) return KL_CLASS_DIRECTION;
    return column < KL_ROW_T2 ? KL_CLASS_FIRST : KL_CLASS_SECOND;
}

static void linear_row(const double *a, const double *b, double h, double x, double *out)
{
    (void)h;
    for (int k = 0; k < KL_ROW; k++) out[k] = a[k] + x * (b[k] - a[k]);
}

/* Cubic from values and slopes at both ends. */
static void hermite3(const double w[4], const double *a, const double *b, int value, int slope,
                     double *out)
{
    for (int k = 0; k < 3; k++)
        out[value + k] =
            w[0] * a[value + k] + w[1] * b[value + k] + w[2] * a[slope + k] + w[3] * b[slope + k];
}

static void cubic_row(const double *a, const double *b, double h, double x, double *out)
{
    double y    = 1.0 - x;
    double w[4] = {y * y * (1.0 + 2.0 * x), x * x * (3.0 - 2.0 * x), h * x * y * y, -h * x * x * y};
    out[KL_ROW_L] = a[KL_ROW_L] + x * h;
    for (int c = 0; c < 4; c++) {
        hermite3(w, a, b, chains[c].value, chains[c].first, out);
        hermite3(w, a, b, chains[c].first, chains[c].second, out);
    }
    hermite3(w, a, b, KL_ROW_G2, KL_ROW_T2, out); /* g'' = t' */
    for (int k = KL_ROW_T2; k < KL_ROW; k++) out[k] = y * a[k] + x * b[k];
}

/* Weights of value, slope and second derivative at a, then at b, for the quintic through them and
 * for its first three derivatives by length. */
static void quintic_weights(double h, double x, double w[4][6])
{
    double y = 1.0 - x, x2 = x * x, x3 = x2 * x;
    w[0][3] = x3 * (10.0 - 15.0 * x + 6.0 * x2);
    w[0][0] = 1.0 - w[0][3];
    w[0][1] = h * x * (1.0 - x2 * (6.0 - 8.0 * x + 3.0 * x2));
    w[0][4] = h * x3 * (-4.0 + 7.0 * x - 3.0 * x2);
    w[0][2] = h * h * 0.5 * x2 * y * y * y;
    w[0][5] = h * h * 0.5 * x3 * y * y;
    w[1][3] = 30.0 * x2 * y * y / h;
    w[1][0] = -w[1][3];
    w[1][1] = 1.0 - x2 * (18.0 - 32.0 * x + 15.0 * x2);
    w[1][4] = x2 * (-12.0 + 28.0 * x - 15.0 * x2);
    w[1][2] = h * 0.5 * x * y * y * (2.0 - 5.0 * x);
    w[1][5] = h * 0.5 * x2 * y * (3.0 - 5.0 * x);
    w[2][3] = 60.0 * x * y * (1.0 - 2.0 * x) / (h * h);
    w[2][0] = -w[2][3];
    w[2][1] = x * (-36.0 + 96.0 * x - 60.0 * x2) / h;
    w[2][4] = x * (-24.0 + 84.0 * x - 60.0 * x2) / h;
    w[2][2] = y * (1.0 - 8.0 * x + 10.0 * x2);
    w[2][5] = x * (3.0 - 12.0 * x + 10.0 * x2);
    w[3][3] = 60.0 * (1.0 - 6.0 * x + 6.0 * x2) / (h * h * h);
    w[3][0] = -w[3][3];
    w[3][1] = (-36.0 + 192.0 * x - 180.0 * x2) / (h * h);
    w[3][4] = (-24.0 + 168.0 * x - 180.0 * x2) / (h * h);
    w[3][2] = (-9.0 + 36.0 * x - 30.0 * x2) / h;
    w[3][5] = (3.0 - 24.0 * x + 30.0 * x2) / h;
}

/* A vector with its first derivatives by length. */
typedef struct jet {
    kl_vec3 d[4];
} jet;

static jet quintic_jet(const double *a, const double *b, const chain *c, double w[4][6])
{
    const double *f[6] = {a + c->value, a + c->first, a + c->second,
                          b + c->value, b + c->first, b + c->second};
    jet           out  = {0};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 6; j++) out.d[i] = kl_axpy(w[i][j], kl_load(f[j]), out.d[i]);
    return out;
}

static void quintic_row(const double *a, const double *b, double h, double x, double *out)
{
    double w[4][6];
    quintic_weights(h, x, w);
    out[KL_ROW_L] = a[KL_ROW_L] + x * h;
    for (int c = 0; c < 4; c++) {
        jet v = quintic_jet(a, b, &chains[c], w);
        kl_store(out + chains[c].value, v.d[0]);
        kl_store(out + chains[c].first, v.d[1]);
        kl_store(out + chains[c].second, v.d[2]);
    }
}

void kl_row_interpolate(kl_table_method method, const double *a, const double *b, double h,
                        double x, double out[KL_ROW])
{
    static void (*const rows[KL_NTABLE_METHOD])(const double *, const double *, double, double,
                                                double *) = {linear_row, cubic_row, quintic_row};
    rows[method](a, b, h, x, out);
}

/* ---- the frame that belongs to the interpolated axes ---- */

static const double binomial[4][4] = {{1}, {1, 1}, {1, 2, 1}, {1, 3, 3, 1}};

/* (a.b) and its derivatives, by Leibniz' rule. */
static void jet_dot(const jet *a, const jet *b, double out[4])
{
    for (int k = 0; k < 4; k++) {
        out[k] = 0.0;
        for (int j = 0; j <= k; j++) out[k] += binomial[k][j] * kl_dot(a->d[j], b->d[k - j]);
    }
}

static jet jet_cross(const jet *a, const jet *b)
{
    jet out = {0};
    for (int k = 0; k < 4; k++)
        for (int j = 0; j <= k; j++)
            out.d[k] = kl_axpy(binomial[k][j], kl_cross(a->d[j], b->d[k - j]), out.d[k]);
    return out;
}

/* a - f b */
static jet jet_minus(const jet *a, const double f[4], const jet *b)
{
    jet out = *a;
    for (int k = 0; k < 4; k++)
        for (int j = 0; j <= k; j++)
            out.d[k] = kl_axpy(-binomial[k][j] * f[j], b->d[k - j], out.d[k]);
    return out;
}

/* e = u / m with m^2 = u.u: from (m e)^(k) = u^(k), the derivatives of m first. */
static jet jet_unit(const jet *u)
{
    double q[4], m[4];
    jet    e = {0};
    jet_dot(u, u, q);
    m[0] = sqrt(q[0]);
    m[1] = 0.5 * q[1] / m[0];
    m[2] = (0.5 * q[2] - m[1] * m[1]) / m[0];
    m[3] = (0.5 * q[3] - 3.0 * m[1] * m[2]) / m[0];
    for (int k = 0; k < 4; k++) {
        kl_vec3 rest = u->d[k];
        for (int j = 1; j <= k; j++) rest = kl_axpy(-binomial[k][j] * m[j], e.d[k - j], rest);
        e.d[k] = kl_scale(1.0 / m[0], rest);
    }
    return e;
}

/* kappa = 1/2 sum e x e' and its derivatives. */
static void rates_of(const jet e[3], kl_path_point *p)
{
    p->kappa = p->dkappa = p->ddkappa = (kl_vec3){0};
    for (int i = 0; i < 3; i++) {
        const kl_vec3 *d = e[i].d;
        p->kappa         = kl_axpy(0.5, kl_cross(d[0], d[1]), p->kappa);
        p->dkappa        = kl_axpy(0.5, kl_cross(d[0], d[2]), p->dkappa);
        p->ddkappa = kl_axpy(0.5, kl_add(kl_cross(d[1], d[2]), kl_cross(d[0], d[3])), p->ddkappa);
    }
}

/* Everything is a derivative of the quintic itself: motion along it keeps its energy. */
static void quintic_point(const double *a, const double *b, double h, double x, kl_path_point *p)
{
    double w[4][6], along[4];
    quintic_weights(h, x, w);
    jet g = quintic_jet(a, b, &chains[0], w), t = quintic_jet(a, b, &chains[1], w);
    jet n = quintic_jet(a, b, &chains[3], w), e[3];
    e[0]  = jet_unit(&t);
    jet_dot(&n, &e[0], along);
    n    = jet_minus(&n, along, &e[0]);
    e[1] = jet_unit(&n);
    e[2] = jet_cross(&e[0], &e[1]);
    p->A = kl_from_axes(e[0].d[0], e[1].d[0], e[2].d[0]);
    p->r = g.d[0], p->t = g.d[1], p->dt = g.d[2], p->ddt = g.d[3];
    rates_of(e, p);
}

/* The columns speak for themselves; the third derivative of an axis is the slope of the second's
 * column, good to first order only. */
static void column_point(kl_table_method method, const double *a, const double *b, double h,
                         double x, kl_path_point *p)
{
    static const int order[3] = {1, 3, 2}; /* axes forward, left, up: t, n, b */
    double           row[KL_ROW];
    jet              e[3];
    kl_row_interpolate(method, a, b, h, x, row);
    kl_vec3 t = kl_unit(kl_load(row + KL_ROW_T)), n = kl_load(row + KL_ROW_N);
    n      = kl_unit(kl_axpy(-kl_dot(n, t), t, n));
    p->A   = kl_from_axes(t, n, kl_cross(t, n));
    p->r   = kl_load(row + KL_ROW_G);
    p->t   = kl_load(row + KL_ROW_G1);
    p->dt  = kl_load(row + KL_ROW_G2);
    p->ddt = kl_load(row + KL_ROW_T2);
    for (int i = 0; i < 3; i++) {
        const chain *c = &chains[order[i]];
        e[i].d[0]      = kl_axis(&p->A, i);
        e[i].d[1]      = kl_load(row + c->first);
        e[i].d[2]      = kl_load(row + c->second);
        e[i].d[3]      = kl_scale(1.0 / h, kl_sub(kl_load(b + c->second), kl_load(a + c->second)));
    }
    rates_of(e, p);
}

void kl_row_point(kl_table_method method, const double *a, const double *b, double h, double x,
                  kl_path_point *p)
{
    p->beyond = 0.0;
    if (method == KL_TABLE_QUINTIC) quintic_point(a, b, h, x, p);
    else column_point(method, a, b, h, x, p);
}
