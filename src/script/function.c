#include "script/function.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct kl_function {
    const kl_function_type *type;
    const void             *data;
};

void kl_function_eval(const kl_function *f, double x, const double *u, double out[3])
{
    f->type->eval(f->data, x, u, out);
}

kl_function *kl_function_create(kl_arena *a, const kl_function_type *type, const void *data)
{
    kl_function *f = data ? kl_arena_take(a, sizeof *f) : NULL;
    if (f) *f = (kl_function){type, data};
    return f;
}

unsigned long kl_function_branch(const kl_function *f, double x, const double *u)
{
    return f->type->branch ? f->type->branch(f->data, x, u) : 0ul;
}

bool kl_function_branches(const kl_function *f)
{
    return f->type->branches && f->type->branches(f->data);
}

bool kl_function_hides(const kl_function *f) { return f->type->branch != NULL; }

bool kl_function_outside(const kl_function *f, double x, double range[2])
{
    if (!f || !f->type->range) return false;
    f->type->range(f->data, range);
    return x < range[0] || x > range[1];
}

void kl_function_write(const kl_function *f, const char *const *inputs, kl_text *t)
{
    f->type->write(f->data, inputs, t);
}

/* ---- polynomial; a constant is the shortest ---- */

typedef struct polynomial {
    const double *c;
    int           n;
} polynomial;

/* Horner's scheme, carried along for both derivatives. */
static void polynomial_eval(const void *data, double x, const double *u, double out[3])
{
    const polynomial *p = data;
    double            y = 0, dy = 0, ddy = 0;
    (void)u;
    for (int i = p->n - 1; i >= 0; i--) {
        ddy = ddy * x + 2 * dy;
        dy  = dy * x + y;
        y   = y * x + p->c[i];
    }
    out[0] = y;
    out[1] = dy;
    out[2] = ddy;
}

static void polynomial_write(const void *data, const char *const *inputs, kl_text *t)
{
    const polynomial *p = data;
    (void)inputs;
    if (p->n == 1) {
        kl_text_number(t, p->c[0]);
        return;
    }
    kl_text_add(t, "{polynomial: [");
    for (int i = 0; i < p->n; i++) {
        kl_text_add(t, "%s", i ? ", " : "");
        kl_text_number(t, p->c[i]);
    }
    kl_text_add(t, "]}");
}

static const kl_function_type polynomial_type = {
    .name = "polynomial", .eval = polynomial_eval, .write = polynomial_write};

/* ", key: value" */
static void write_number(kl_text *t, const char *key, double value)
{
    kl_text_add(t, "%s", key);
    kl_text_number(t, value);
}

kl_function *kl_function_polynomial(kl_arena *a, const double *c, int n)
{
    polynomial *p    = kl_arena_take(a, sizeof *p);
    double     *copy = kl_arena_array(a, double, n > 0 ? n : 1);
    if (!p || !copy) return NULL;
    if (n > 0) memcpy(copy, c, (size_t)n * sizeof *c);
    *p = (polynomial){copy, n};
    return kl_function_create(a, &polynomial_type, p);
}

kl_function *kl_function_constant(kl_arena *a, double value)
{
    return kl_function_polynomial(a, &value, 1);
}

/* ---- harmonic ---- */

typedef struct harmonic {
    double offset, amplitude, omega, phase;
} harmonic;

static void harmonic_eval(const void *data, double x, const double *u, double out[3])
{
    const harmonic *h = data;
    double          s = sin(h->omega * x + h->phase), c = cos(h->omega * x + h->phase);
    (void)u;
    out[0] = h->offset + h->amplitude * s;
    out[1] = h->amplitude * h->omega * c;
    out[2] = -h->amplitude * h->omega * h->omega * s;
}

static void harmonic_write(const void *data, const char *const *inputs, kl_text *t)
{
    const harmonic *h = data;
    (void)inputs;
    write_number(t, "{harmonic: {offset: ", h->offset);
    write_number(t, ", amplitude: ", h->amplitude);
    write_number(t, ", omega: ", h->omega);
    write_number(t, ", phase: ", h->phase);
    kl_text_add(t, "}}");
}

static const kl_function_type harmonic_type = {
    .name = "harmonic", .eval = harmonic_eval, .write = harmonic_write};

kl_function *kl_function_harmonic(kl_arena *a, double offset, double amplitude, double omega,
                                  double phase)
{
    harmonic *h = kl_arena_take(a, sizeof *h);
    if (h) *h = (harmonic){offset, amplitude, omega, phase};
    return kl_function_create(a, &harmonic_type, h);
}

/* ---- table ---- */

static void table_eval(const void *data, double x, const double *u, double out[3])
{
    (void)u;
    kl_spline_eval(data, x, out);
}

static int table_corners(const void *data, double *x, int capacity)
{
    return kl_spline_corners(data, x, capacity);
}

static void table_write(const void *data, const char *const *inputs, kl_text *t)
{
    (void)inputs;
    kl_text_add(t, "{%stable: [", kl_spline_kind_of(data) == KL_SPLINE_LINEAR ? "linear_" : "");
    for (int i = 0; i < kl_spline_size(data); i++) {
        write_number(t, i ? ", [" : "[", kl_spline_x(data, i));
        write_number(t, ", ", kl_spline_y(data, i));
        kl_text_add(t, "]");
    }
    kl_text_add(t, "]}");
}

static void table_range(const void *data, double range[2])
{
    range[0] = kl_spline_x(data, 0), range[1] = kl_spline_x(data, kl_spline_size(data) - 1);
}

static const kl_function_type table_type = {.name    = "table",
                                            .eval    = table_eval,
                                            .corners = table_corners,
                                            .write   = table_write,
                                            .range   = table_range};

/* Says what is wrong with the points, if anything. */
static kl_status check_points(const double *x, const double *y, int n, kl_diag *diag,
                              kl_place place)
{
    if (n < 1) return kl_fail(diag, KL_E_RANGE, place, "a table needs at least one point");
    int bad = kl_spline_check(x, n);
    if (bad >= 0 && !isfinite(x[bad]))
        return kl_fail(diag, KL_E_NAN, place, "table: x of point %d is not a finite number",
                       bad + 1);
    if (bad >= 0)
        return kl_fail(diag, KL_E_RANGE, place,
                       "table: x must increase from point to point, but point %d has x = %g after "
                       "x = %g; sort the points by x and give each x once",
                       bad + 1, x[bad], x[bad - 1]);
    for (int i = 0; i < n; i++)
        if (!isfinite(y[i]))
            return kl_fail(diag, KL_E_NAN, place, "table: y of point %d is not a finite number",
                           i + 1);
    return KL_OK;
}

/* A spline through uneven points may swing far beyond them. */
static void warn_of_overshoot(const kl_function *f, const double *x, const double *y, int n,
                              kl_diag *diag, kl_place place)
{
    enum { BETWEEN = 16 };
    double low = HUGE_VAL, high = -HUGE_VAL, least = HUGE_VAL, most = -HUGE_VAL, where = 0.0;
    for (int i = 0; i < n; i++) low = fmin(low, y[i]), high = fmax(high, y[i]);
    for (int i = 0; i + 1 < n; i++)
        for (int k = 1; k < BETWEEN; k++) {
            double at = x[i] + (x[i + 1] - x[i]) * k / BETWEEN, out[3];
            kl_function_eval(f, at, NULL, out);
            if (out[0] < fmin(low, least) || out[0] > fmax(high, most)) where = at;
            least = fmin(least, out[0]), most = fmax(most, out[0]);
        }
    if (least >= low - 0.5 * (high - low) && most <= high + 0.5 * (high - low)) return;
    kl_warn(
        diag, place,
        "the spline through these points oscillates between %.4g and %.4g (near %.4g), but the "
        "points lie between %.4g and %.4g; add points where the curve bends, or use `linear_table`",
        fmin(least, low), fmax(most, high), where, low, high);
}

kl_function *kl_function_table_ends(kl_arena *a, const double *x, const double *y, int n,
                                    bool smooth, kl_spline_ends ends, kl_diag *diag, kl_place place)
{
    if (check_points(x, y, n, diag, place) != KL_OK) return NULL;
    /* A force law must not rise and fall between its points: a damper would drive. A motion over time
     * needs continuous accelerations instead. */
    kl_spline_kind smooth_kind = ends == KL_ENDS_LINEAR ? KL_SPLINE_MONOTONE : KL_SPLINE_CUBIC;
    kl_spline     *s = kl_spline_create(a, x, y, n, smooth ? smooth_kind : KL_SPLINE_LINEAR, ends);
    kl_function   *f = kl_function_create(a, &table_type, s);
    if (!f) kl_fail(diag, KL_E_MEMORY, place, "out of memory for a table of %d points", n);
    else if (smooth) warn_of_overshoot(f, x, y, n, diag, place);
    return f;
}

kl_function *kl_function_table(kl_arena *a, const double *x, const double *y, int n, bool smooth,
                               kl_diag *diag, kl_place place)
{
    return kl_function_table_ends(a, x, y, n, smooth, KL_ENDS_CONSTANT, diag, place);
}

/* ---- step ---- */

typedef struct smooth_step {
    double x0, y0, x1, y1; /* x0 <= x1 */
} smooth_step;

/* y0 + (y1 - y0) s^3 (10 - 15 s + 6 s^2): value, slope and curvature join at both ends. */
static void step_eval(const void *data, double x, const double *u, double out[3])
{
    const smooth_step *p = data;
    (void)u;
    out[1] = out[2] = 0;
    if (x < p->x0) {
        out[0] = p->y0;
        return;
    }
    if (x >= p->x1) {
        out[0] = p->y1;
        return;
    }
    double w = p->x1 - p->x0, s = (x - p->x0) / w, dy = p->y1 - p->y0;
    out[0] = p->y0 + dy * s * s * s * (10 + s * (-15 + 6 * s));
    out[1] = dy / w * 30 * s * s * (1 - s) * (1 - s);
    out[2] = dy / (w * w) * 60 * s * (1 - s) * (1 - 2 * s);
}

static int step_corners(const void *data, double *x, int capacity)
{
    const smooth_step *p = data;
    if (capacity > 0) x[0] = p->x0;
    if (capacity > 1 && p->x1 > p->x0) x[1] = p->x1;
    return p->x1 > p->x0 ? 2 : 1;
}

static void step_write(const void *data, const char *const *inputs, kl_text *t)
{
    const smooth_step *p = data;
    (void)inputs;
    write_number(t, "{step: {from: ", p->y0);
    write_number(t, ", to: ", p->y1);
    write_number(t, ", start: ", p->x0);
    write_number(t, ", end: ", p->x1);
    kl_text_add(t, "}}");
}

static const kl_function_type step_type = {
    .name = "step", .eval = step_eval, .corners = step_corners, .write = step_write};

kl_function *kl_function_step(kl_arena *a, double x0, double y0, double x1, double y1)
{
    smooth_step *p = kl_arena_take(a, sizeof *p);
    if (p) *p = x0 <= x1 ? (smooth_step){x0, y0, x1, y1} : (smooth_step){x1, y1, x0, y0};
    return kl_function_create(a, &step_type, p);
}

/* ---- input ---- */

typedef struct input {
    int        index;
    const int *count; /* of all inputs, behind which their derivatives are; NULL: held */
} input;

static void input_eval(const void *data, double x, const double *u, double out[3])
{
    const input *p = data;
    (void)x;
    out[0] = u[p->index];
    out[1] = p->count ? u[*p->count + p->index] : 0.0;
    out[2] = p->count ? u[2 * *p->count + p->index] : 0.0;
}

static void input_write(const void *data, const char *const *inputs, kl_text *t)
{
    kl_text_add(t, "{input: %s}", inputs[((const input *)data)->index]);
}

static const kl_function_type input_type = {
    .name = "input", .eval = input_eval, .write = input_write};

kl_function *kl_function_input(kl_arena *a, int index, const int *count)
{
    input *data = kl_arena_take(a, sizeof *data);
    if (data) *data = (input){index, count};
    return kl_function_create(a, &input_type, data);
}

/* ---- expression ---- */

typedef struct expression {
    const kl_expression *e;
    const char          *text;
} expression;

static void expression_eval(const void *data, double x, const double *u, double out[3])
{
    kl_expression_derivatives(((const expression *)data)->e, x, u, out);
}

static void expression_write(const void *data, const char *const *inputs, kl_text *t)
{
    (void)inputs;
    kl_text_add(t, "{expression: ");
    kl_text_json(t, ((const expression *)data)->text);
    kl_text_add(t, "}");
}

static unsigned long expression_branch(const void *data, double x, const double *u)
{
    return kl_expression_branch(((const expression *)data)->e, x, u);
}

static bool expression_branches(const void *data)
{
    return kl_expression_branches(((const expression *)data)->e);
}

static const kl_function_type expression_type = {.name     = "expression",
                                                 .eval     = expression_eval,
                                                 .write    = expression_write,
                                                 .branch   = expression_branch,
                                                 .branches = expression_branches};

kl_function *kl_function_expression(kl_arena *a, const kl_expression *e, const char *text)
{
    expression *data = e && text ? kl_arena_take(a, sizeof *data) : NULL;
    if (data) *data = (expression){e, text};
    return kl_function_create(a, &expression_type, data);
}

/* ---- sum ---- */

typedef struct sum {
    const kl_function *const *parts;
    int                       n;
} sum;

static void sum_eval(const void *data, double x, const double *u, double out[3])
{
    const sum *s = data;
    out[0] = out[1] = out[2] = 0;
    for (int i = 0; i < s->n; i++) {
        double part[3];
        kl_function_eval(s->parts[i], x, u, part);
        for (int k = 0; k < 3; k++) out[k] += part[k];
    }
}

/* As a type gives them: not sorted, some twice. */
static int raw_corners(const kl_function *f, double *x, int capacity)
{
    return f->type->corners ? f->type->corners(f->data, x, capacity) : 0;
}

static int sum_corners(const void *data, double *x, int capacity)
{
    const sum *s = data;
    int        n = 0;
    for (int i = 0; i < s->n; i++) {
        int room = capacity > n ? capacity - n : 0;
        n += raw_corners(s->parts[i], room ? x + n : NULL, room);
    }
    return n;
}

static void sum_write(const void *data, const char *const *inputs, kl_text *t)
{
    const sum *s = data;
    kl_text_add(t, "{sum: [");
    for (int i = 0; i < s->n; i++) {
        kl_text_add(t, "%s", i ? ", " : "");
        kl_function_write(s->parts[i], inputs, t);
    }
    kl_text_add(t, "]}");
}

static unsigned long sum_branch(const void *data, double x, const double *u)
{
    const sum    *s    = data;
    unsigned long hash = 0;
    for (int i = 0; i < s->n; i++) hash = hash * 31ul + kl_function_branch(s->parts[i], x, u);
    return hash;
}

static bool sum_branches(const void *data)
{
    const sum *s = data;
    for (int i = 0; i < s->n; i++)
        if (kl_function_branches(s->parts[i])) return true;
    return false;
}

static const kl_function_type sum_type = {.name     = "sum",
                                          .eval     = sum_eval,
                                          .corners  = sum_corners,
                                          .write    = sum_write,
                                          .branch   = sum_branch,
                                          .branches = sum_branches};

kl_function *kl_function_sum(kl_arena *a, kl_function *const *parts, int n)
{
    sum                *s    = kl_arena_take(a, sizeof *s);
    const kl_function **copy = kl_arena_array(a, const kl_function *, n > 0 ? n : 1);
    if (!s || !copy) return NULL;
    for (int i = 0; i < n; i++) {
        if (!parts[i]) return NULL;
        copy[i] = parts[i];
    }
    *s = (sum){copy, n > 0 ? n : 0};
    return kl_function_create(a, &sum_type, s);
}

/* ---- corners ---- */

static int compare(const void *pa, const void *pb)
{
    double a = *(const double *)pa, b = *(const double *)pb;
    return (a > b) - (a < b);
}

int kl_function_corners(const kl_function *f, double *x, int capacity)
{
    int n = raw_corners(f, x, capacity);
    if (n == 0 || n > capacity) return n;
    qsort(x, (size_t)n, sizeof *x, compare);
    int kept = 1;
    for (int i = 1; i < n; i++)
        if (x[i] != x[kept - 1]) x[kept++] = x[i];
    return kept;
}
