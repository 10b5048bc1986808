#include "geometry/surface_table.h"

#include <math.h>
#include <string.h>

enum { STENCIL = 4 };

/* Points of one direction that take part at x, with weights of value and two derivatives. */
typedef struct stencil {
    int    first, n;
    double w[3][STENCIL];
} stencil;

static void linear_weights(double x, double h, stencil *s)
{
    s->n       = 2;
    s->w[0][0] = 1.0 - x, s->w[0][1] = x;
    s->w[1][0] = -1.0 / h, s->w[1][1] = 1.0 / h;
    s->w[2][0] = s->w[2][1] = 0.0;
}

/* Lagrange through x = 0, 1, 2, 3 (in steps of h). */
static void cubic_weights(double x, double h, stencil *s)
{
    static const double divisor[STENCIL] = {-6, 2, -2, 6};
    s->n                                 = STENCIL;
    for (int i = 0; i < STENCIL; i++) {
        double p = 1.0, p1 = 0.0, p2 = 0.0; /* product of (x - j), j != i, with derivatives */
        for (int j = 0; j < STENCIL; j++) {
            if (j == i) continue;
            p2 = p2 * (x - j) + 2.0 * p1;
            p1 = p1 * (x - j) + p;
            p  = p * (x - j);
        }
        s->w[0][i] = p / divisor[i];
        s->w[1][i] = p1 / (divisor[i] * h);
        s->w[2][i] = p2 / (divisor[i] * h * h);
    }
}

static stencil stencil_at(kl_table_method method, const double range[2], int n, double at)
{
    double  h = (range[1] - range[0]) / (n - 1), x = (at - range[0]) / h;
    int     cell = x < 0.0 ? 0 : x >= n - 1 ? n - 2 : (int)x;
    stencil s    = {0};
    if (method == KL_TABLE_LINEAR || n < STENCIL) {
        s.first = cell;
        linear_weights(x - cell, h, &s);
    } else {
        s.first = cell - 1 < 0 ? 0 : cell - 1 > n - STENCIL ? n - STENCIL : cell - 1;
        cubic_weights(x - s.first, h, &s);
    }
    return s;
}

/* The points of both stencils: a block with `stride` numbers between rows of u. */
static kl_status points_at(const kl_surface_table *t, const stencil *a, const stencil *b,
                           kl_surface_cursor *c, const double **block, size_t *stride)
{
    if (t->cells) {
        *stride = (size_t)t->nv * KL_CELL;
        *block  = t->cells + (size_t)a->first * *stride + (size_t)b->first * KL_CELL;
        return KL_OK;
    }
    if (!c->window) return KL_E_USAGE;
    bool inside = a->first >= c->u0 && a->first + a->n <= c->u0 + c->nu && b->first >= c->v0 &&
                  b->first + b->n <= c->v0 + c->nv;
    if (!inside) { /* the wanted cell becomes the middle of a new window */
        int nu = t->window_u < t->nu ? t->window_u : t->nu;
        int nv = t->window_v < t->nv ? t->window_v : t->nv;
        int u0 = a->first + a->n / 2 - nu / 2, v0 = b->first + b->n / 2 - nv / 2;
        u0    = u0 > t->nu - nu ? t->nu - nu : u0;
        v0    = v0 > t->nv - nv ? t->nv - nv : v0;
        u0    = u0 < 0 ? 0 : u0;
        v0    = v0 < 0 ? 0 : v0;
        c->nu = c->nv = 0;
        KL_TRY(t->source.read(t->source.context, u0, nu, v0, nv, c->window));
        c->u0 = u0, c->v0 = v0, c->nu = nu, c->nv = nv;
        c->reads++;
    }
    *stride = (size_t)c->nv * KL_CELL;
    *block =
        c->window + (size_t)(a->first - c->u0) * *stride + (size_t)(b->first - c->v0) * KL_CELL;
    return KL_OK;
}

/* Sum over the block with the derivative orders du and dv, `count` numbers from `offset` on. */
static void blend(const stencil *a, const stencil *b, const double *block, size_t stride, int du,
                  int dv, int count, double *out)
{
    for (int k = 0; k < count; k++) out[k] = 0.0;
    for (int i = 0; i < a->n; i++)
        for (int j = 0; j < b->n; j++) {
            double        w = a->w[du][i] * b->w[dv][j];
            const double *p = block + (size_t)i * stride + (size_t)j * KL_CELL;
            for (int k = 0; k < count; k++) out[k] += w * p[k];
        }
}

static kl_status table_eval(const void *data, double u, double v, kl_surface_cursor *cursor,
                            kl_surface_point *out)
{
    const kl_surface_table *t = data;
    stencil                 a = stencil_at(t->method, t->u, t->nu, u);
    stencil                 b = stencil_at(t->method, t->v, t->nv, v);
    const double           *block;
    size_t                  stride;
    KL_TRY(points_at(t, &a, &b, cursor, &block, &stride));
    static const int order[6][2] = {{0, 0}, {1, 0}, {0, 1}, {2, 0}, {1, 1}, {0, 2}};
    kl_vec3         *field[6]    = {&out->r, &out->ru, &out->rv, &out->ruu, &out->ruv, &out->rvv};
    for (int k = 0; k < 6; k++) {
        double x[3];
        blend(&a, &b, block, stride, order[k][0], order[k][1], 3, x);
        *field[k] = kl_load(x);
    }
    return KL_OK;
}

kl_status kl_surface_table_cell(const kl_surface_table *t, double u, double v,
                                kl_surface_cursor *cursor, double cell[KL_CELL])
{
    stencil       a = stencil_at(t->method, t->u, t->nu, u);
    stencil       b = stencil_at(t->method, t->v, t->nv, v);
    const double *block;
    size_t        stride;
    KL_TRY(points_at(t, &a, &b, cursor, &block, &stride));
    blend(&a, &b, block, stride, 0, 0, KL_CELL, cell);
    kl_vec3 n = kl_unit(kl_load(cell + KL_CELL_N)), w = kl_load(cell + KL_CELL_T);
    w = kl_unit(kl_axpy(-kl_dot(w, n), n, w));
    kl_store(cell + KL_CELL_N, n);
    kl_store(cell + KL_CELL_T, w);
    kl_store(cell + KL_CELL_B, kl_cross(n, w));
    return KL_OK;
}

static size_t table_window(const void *data)
{
    const kl_surface_table *t  = data;
    size_t                  nu = (size_t)(t->window_u < t->nu ? t->window_u : t->nu);
    size_t                  nv = (size_t)(t->window_v < t->nv ? t->window_v : t->nv);
    return t->cells ? 0 : nu * nv * KL_CELL * sizeof(double);
}

static kl_status table_cursor(const void *data, kl_arena *arena, kl_surface_cursor *cursor)
{
    size_t bytes = table_window(data);
    if (bytes == 0) return KL_OK;
    cursor->window = kl_arena_array(arena, double, bytes / sizeof(double));
    return cursor->window ? KL_OK : KL_E_MEMORY;
}

static const kl_surface_type table_type = {"table", table_eval, table_cursor, table_window};

kl_status kl_surface_from_table(const kl_surface_table *t, kl_arena *arena, kl_surface **out)
{
    bool sound = t->nu >= 2 && t->nv >= 2 && t->u[1] > t->u[0] && t->v[1] > t->v[0] &&
                 isfinite(t->u[1] - t->u[0]) && isfinite(t->v[1] - t->v[0]) &&
                 t->method <= KL_TABLE_CUBIC;
    bool reads = t->cells || (t->source.read && t->window_u >= STENCIL && t->window_v >= STENCIL);
    if (!sound || !reads) return KL_E_MODEL;
    kl_surface *s = kl_arena_array(arena, kl_surface, 1);
    if (!s) return KL_E_MEMORY;
    s->type = &table_type, s->data = t, s->pose.A = kl_identity();
    memcpy(s->u, t->u, sizeof s->u);
    memcpy(s->v, t->v, sizeof s->v);
    s->closed_u = t->closed_u, s->closed_v = t->closed_v;
    s->flip = t->flip;
    *out    = s;
    return KL_OK;
}

/* ---- building ---- */

typedef struct builder {
    const kl_surface         *exact;
    kl_surface_table_settings set;
    kl_surface_cursor         cursor;
    kl_diag                  *diag;
    kl_surface_table         *table;
} builder;

static kl_status exact_cell(builder *b, double u, double v, double *cell)
{
    kl_surface_point p;
    kl_surface_shape s;
    KL_TRY(kl_surface_eval(b->exact, u, v, &b->cursor, &p));
    kl_status status = kl_surface_shape_at(b->exact, &p, &s);
    if (status != KL_OK)
        return kl_fail(b->diag, status, KL_NOWHERE,
                       "the surface has no normal at u = %g, v = %g (a pole); exclude this point "
                       "with a margin",
                       u, v);
    kl_store(cell + KL_CELL_G, p.r);
    kl_store(cell + KL_CELL_T, s.t);
    kl_store(cell + KL_CELL_B, s.b);
    kl_store(cell + KL_CELL_N, s.n);
    return KL_OK;
}

static double place(const double range[2], int n, double i)
{
    return range[0] + (range[1] - range[0]) * i / (n - 1);
}

/* Error of interpolating along one direction with n points, seen between points of that direction
 * on lines spread over the other. */
static kl_status line_error(builder *b, bool along_u, int n, double error[2])
{
    enum { LINES = 17, LOOKS = 3 };
    const double *x = along_u ? b->exact->u : b->exact->v, *y = along_u ? b->exact->v : b->exact->u;
    error[0] = error[1] = 0.0;
    for (int line = 0; line < LINES; line++)
        for (int i = 0; i < LOOKS * (n - 1); i++) {
            double  other = place(y, LINES, line), at = place(x, n, (i + 0.5) / LOOKS);
            stencil s = stencil_at(b->set.method, x, n, at);
            double  want[KL_CELL], cell[KL_CELL], got[KL_CELL] = {0};
            KL_TRY(exact_cell(b, along_u ? at : other, along_u ? other : at, want));
            for (int k = 0; k < s.n; k++) {
                double node = place(x, n, s.first + k);
                KL_TRY(exact_cell(b, along_u ? node : other, along_u ? other : node, cell));
                for (int q = 0; q < KL_CELL; q++) got[q] += s.w[0][k] * cell[q];
            }
            for (int q = 0; q < KL_CELL; q++)
                error[q >= KL_CELL_T] = fmax(error[q >= KL_CELL_T], fabs(got[q] - want[q]));
        }
    return KL_OK;
}

/* How much one direction's interpolation may enlarge the other's error: the largest sum of absolute
 * weights, 1 for lines and 1.63 for four points at the rim. */
static double enlarging(kl_table_method method) { return method == KL_TABLE_CUBIC ? 1.64 : 1.0; }

/* Number of points along one direction that leaves room for the other's error. */
static kl_status choose_count(builder *b, bool along_u, int *count)
{
    const double *x = along_u ? b->exact->u : b->exact->v;
    double step = b->set.step[along_u ? 0 : 1], order = b->set.method == KL_TABLE_CUBIC ? 4 : 2;
    int    most = b->set.most / 2;
    if (step > 0.0) {
        double n = ceil((x[1] - x[0]) / step - 1e-9) + 1;
        if (n > most) return KL_E_RANGE;
        *count = n < 2 ? 2 : (int)n;
        return KL_OK;
    }
    for (double n = 5;;) {
        double error[2];
        KL_TRY(line_error(b, along_u, (int)n, error));
        double over = (1.0 + enlarging(b->set.method)) *
                      fmax(error[0] / b->set.error[0], error[1] / b->set.error[1]);
        *count = (int)n;
        if (over <= 1.0) return KL_OK;
        n = ceil((n - 1) * fmax(1.2, 1.05 * pow(over, 1.0 / order))) + 1;
        if (n > most) return KL_E_RANGE;
    }
}

static kl_status fill_row(builder *b, int i, double *row)
{
    const kl_surface_table *t = b->table;
    for (int j = 0; j < t->nv; j++)
        KL_TRY(
            exact_cell(b, place(t->u, t->nu, i), place(t->v, t->nv, j), row + (size_t)j * KL_CELL));
    return KL_OK;
}

kl_status kl_surface_table_build(const kl_surface *exact, const kl_surface_table_settings *settings,
                                 kl_cell_sink sink, kl_arena *arena, kl_diag *diag,
                                 kl_surface_table *t)
{
    builder b = {.exact = exact, .set = *settings, .diag = diag, .table = t};
    KL_TRY(kl_surface_cursor_init(exact, arena, &b.cursor));
    if (b.set.method > KL_TABLE_CUBIC) b.set.method = KL_TABLE_CUBIC;
    if (b.set.most <= 0) b.set.most = 100000000;
    for (int k = 0; k < 2; k++)
        if (!(b.set.error[k] > 0.0)) b.set.error[k] = 1e-6;
    *t               = (kl_surface_table){.method   = b.set.method,
                                          .u        = {exact->u[0], exact->u[1]},
                                          .v        = {exact->v[0], exact->v[1]},
                                          .closed_u = exact->closed_u,
                                          .closed_v = exact->closed_v,
                                          .flip     = exact->flip};
    kl_status status = choose_count(&b, true, &t->nu);
    if (status == KL_OK) status = choose_count(&b, false, &t->nv);
    if (status == KL_E_RANGE || (status == KL_OK && (double)t->nu * t->nv > b.set.most))
        return kl_fail(
            diag, KL_E_RANGE, KL_NOWHERE,
            "the table needs more than %d points; allow a larger error, or use cubic interpolation",
            b.set.most);
    KL_TRY(status);
    double eu[2], ev[2];
    KL_TRY(line_error(&b, true, t->nu, eu));
    KL_TRY(line_error(&b, false, t->nv, ev));
    for (int k = 0; k < 2; k++) t->error[k] = eu[k] + enlarging(t->method) * ev[k];

    double *row = kl_arena_array(arena, double, (size_t)t->nv *KL_CELL);
    if (!row) return KL_E_MEMORY;
    KL_TRY(sink.begin(sink.context, t->nu, t->nv));
    for (int i = 0; i < t->nu; i++) {
        KL_TRY(fill_row(&b, i, row));
        KL_TRY(sink.write(sink.context, row));
    }
    return KL_OK;
}

typedef struct memory {
    kl_arena *arena;
    double   *cells, *next;
    int       nv;
} memory;

static kl_status memory_begin(void *context, int nu, int nv)
{
    memory *m = context;
    m->cells = m->next = kl_arena_array(m->arena, double, (size_t)nu *(size_t)nv *KL_CELL);
    m->nv              = nv;
    return m->cells ? KL_OK : KL_E_MEMORY;
}

static kl_status memory_write(void *context, const double *row)
{
    memory *m = context;
    size_t  n = (size_t)m->nv * KL_CELL;
    memcpy(m->next, row, n * sizeof *row);
    m->next += n;
    return KL_OK;
}

kl_status kl_surface_table_in_memory(const kl_surface                *exact,
                                     const kl_surface_table_settings *settings, kl_arena *arena,
                                     kl_diag *diag, kl_surface_table **out)
{
    kl_surface_table *t    = kl_arena_array(arena, kl_surface_table, 1);
    memory            m    = {.arena = arena};
    kl_cell_sink      sink = {&m, memory_begin, memory_write};
    if (!t) return KL_E_MEMORY;
    KL_TRY(kl_surface_table_build(exact, settings, sink, arena, diag, t));
    t->cells = m.cells;
    *out     = t;
    return KL_OK;
}
