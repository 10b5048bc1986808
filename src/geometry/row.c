#include "geometry/row.h"

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

static void quintic_row(const double *a, const double *b, double h, double x, double *out)
{
    double y = 1.0 - x, x2 = x * x, x3 = x2 * x;
    /* weights of value, slope, second derivative at a, then at b; rows: value, d/dx, d2/dx2 */
    double w[3][6];
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

    out[KL_ROW_L] = a[KL_ROW_L] + x * h;
    for (int c = 0; c < 4; c++) {
        const chain *v = &chains[c];
        for (int k = 0; k < 3; k++) {
            double f[6] = {a[v->value + k], a[v->first + k], a[v->second + k],
                           b[v->value + k], b[v->first + k], b[v->second + k]};
            double d[3] = {0};
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 6; j++) d[i] += w[i][j] * f[j];
            out[v->value + k] = d[0], out[v->first + k] = d[1], out[v->second + k] = d[2];
        }
    }
}

void kl_row_interpolate(kl_table_method method, const double *a, const double *b, double h,
                        double x, double out[KL_ROW])
{
    static void (*const rows[KL_NTABLE_METHOD])(const double *, const double *, double, double,
                                                double *) = {linear_row, cubic_row, quintic_row};
    rows[method](a, b, h, x, out);
}

void kl_row_point(kl_table_method method, const double *a, const double *b, double h, double x,
                  kl_path_point *p)
{
    static const int order[3] = {1, 3, 2}; /* axes forward, left, up: t, n, b */
    double           row[KL_ROW];
    kl_row_interpolate(method, a, b, h, x, row);
    kl_vec3 t = kl_unit(kl_load(row + KL_ROW_T)), n = kl_load(row + KL_ROW_N);
    n         = kl_unit(kl_axpy(-kl_dot(n, t), t, n));
    p->A      = kl_from_axes(t, n, kl_cross(t, n));
    p->r      = kl_load(row + KL_ROW_G);
    p->t      = kl_load(row + KL_ROW_G1);
    p->dt     = kl_load(row + KL_ROW_G2);
    p->ddt    = kl_load(row + KL_ROW_T2);
    p->beyond = 0.0;
    p->kappa = p->dkappa = p->ddkappa = (kl_vec3){0};
    for (int i = 0; i < 3; i++) {
        const chain *c = &chains[order[i]];
        kl_vec3      e = kl_axis(&p->A, i), e1 = kl_load(row + c->first);
        kl_vec3      e2 = kl_load(row + c->second);
        /* the third derivative is the slope of the second's column: good to first order only */
        kl_vec3 e3 = kl_scale(1.0 / h, kl_sub(kl_load(b + c->second), kl_load(a + c->second)));
        p->kappa   = kl_axpy(0.5, kl_cross(e, e1), p->kappa);
        p->dkappa  = kl_axpy(0.5, kl_cross(e, e2), p->dkappa);
        p->ddkappa = kl_axpy(0.5, kl_add(kl_cross(e1, e2), kl_cross(e, e3)), p->ddkappa);
    }
}
