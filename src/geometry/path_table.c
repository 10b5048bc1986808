#include "geometry/path_table.h"

#include <math.h>
#include <string.h>

#include "geometry/row.h"

static const char *const method_names[] = {"linear", "cubic", "quintic", NULL};

const char *const *kl_table_method_names(void) { return method_names; }

bool kl_table_method_find(const char *name, kl_table_method *method)
{
    for (int i = 0; method_names[i]; i++) {
        if (strcmp(name, method_names[i]) != 0) continue;
        *method = (kl_table_method)i;
        return true;
    }
    return false;
}

/* ---- lookup ---- */

static double piece_end(const kl_path_table *t, int i)
{
    return i + 1 < t->npiece ? t->piece[i + 1].s : t->length;
}

static bool holds(const kl_path_table *t, int i, double s, int side)
{
    return side < 0 ? s > t->piece[i].s && s <= piece_end(t, i)
                    : s >= t->piece[i].s && s < piece_end(t, i);
}

static int piece_find(const kl_path_table *t, double s, int side, int hint)
{
    if (hint >= 0 && hint < t->npiece && holds(t, hint, s, side)) return hint;
    int at = (int)(s / t->guide_step);
    at     = at < 0 ? 0 : at >= t->nguide ? t->nguide - 1 : at;
    int i  = t->guide[at];
    while (i + 1 < t->npiece && (side < 0 ? t->piece[i + 1].s < s : t->piece[i + 1].s <= s)) i++;
    while (i > 0 && (side < 0 ? t->piece[i].s >= s : t->piece[i].s > s)) i--;
    return i;
}

/* Two rows at `row`, from memory or through the window. */
static kl_status rows_at(const kl_path_table *t, int row, kl_path_cursor *c, const double **out)
{
    if (t->rows) {
        *out = t->rows + (size_t)row * KL_ROW;
        return KL_OK;
    }
    if (!c->window) return KL_E_USAGE;
    if (row < c->row || row + 1 >= c->row + c->rows) {
        /* the wanted row becomes the middle of a new window */
        int n = t->window < t->nrow ? t->window : t->nrow, first = row - n / 2;
        first   = first > t->nrow - n ? t->nrow - n : first;
        first   = first < 0 ? 0 : first;
        c->rows = 0;
        KL_TRY(t->source.read(t->source.context, first, n, c->window));
        c->row = first, c->rows = n;
        c->reads++;
    }
    *out = c->window + (size_t)(row - c->row) * KL_ROW;
    return KL_OK;
}

static kl_status table_eval(const void *data, double s, int side, kl_path_cursor *cursor,
                            kl_path_point *out)
{
    const kl_path_table  *t = data;
    int                   i = cursor->hint[0] = piece_find(t, s, side, cursor->hint[0]);
    const kl_table_piece *p                   = &t->piece[i];
    double                x                   = (s - p->s) / p->h;
    int                   k                   = (int)x;
    if (side < 0 && k == x) k--; /* x < 2^31 since a piece has int rows */
    k = k < 0 ? 0 : k >= p->n ? p->n - 1 : k;
    const double *rows;
    KL_TRY(rows_at(t, p->row + k, cursor, &rows));
    kl_row_point(t->method, rows, rows + KL_ROW, p->h, x - k, out);
    return KL_OK;
}

static int table_window_rows(const void *data)
{
    const kl_path_table *t = data;
    return t->rows ? 0 : t->window < t->nrow ? t->window : t->nrow;
}

static const kl_path_type table_type = {"table", table_eval, table_window_rows};

static bool pieces_fit(const kl_path_table *t)
{
    if (t->npiece < 1 || t->nrow < 2 || !(t->length > 0.0) || !isfinite(t->length)) return false;
    if (!t->rows && (!t->source.read || t->window < 2)) return false;
    for (int i = 0; i < t->npiece; i++) {
        const kl_table_piece *p   = &t->piece[i];
        double                end = p->s + p->n * p->h, near = 1e-9 * t->length + 1e-9;
        if (p->n < 1 || p->row < 0 || p->row > t->nrow - 1 - p->n || !(p->h > 0.0)) return false;
        if (!(fabs(end - piece_end(t, i)) <= near) || (i == 0 && p->s != 0.0)) return false;
        if (i > 0 && !(p->s > t->piece[i - 1].s)) return false;
    }
    return true;
}

static bool shares_row(const kl_table_piece *a, const kl_table_piece *b)
{
    return b->row == a->row + a->n;
}

kl_status kl_path_from_table(kl_path_table *t, kl_arena *arena, kl_path **out)
{
    if (!pieces_fit(t)) return KL_E_MODEL;
    kl_path *path  = kl_arena_array(arena, kl_path, 1);
    double  *joint = kl_arena_array(arena, double, t->npiece);
    t->nguide      = 2 * t->npiece;
    t->guide_step  = t->length / t->nguide;
    t->guide       = kl_arena_array(arena, int, t->nguide);
    if (!kl_arena_ok(arena)) return KL_E_MEMORY;
    for (int i = 0, p = 0; i < t->nguide; i++) {
        while (p + 1 < t->npiece && t->piece[p + 1].s <= i * t->guide_step) p++;
        t->guide[i] = p;
    }
    *path = (kl_path){.type = &table_type, .data = t, .length = t->length, .closed = t->closed};
    for (int i = 1; i < t->npiece; i++)
        if (!shares_row(&t->piece[i - 1], &t->piece[i])) joint[path->njoint++] = t->piece[i].s;
    path->joint = joint;
    *out        = path;
    return KL_OK;
}

/* ---- building ---- */

enum { BLOCK = 64 }; /* intervals tried at once */

typedef struct builder {
    const kl_path    *exact;
    kl_table_settings set;
    kl_row_sink       sink;
    kl_arena         *arena;
    kl_diag          *diag;
    kl_path_table    *table;
    kl_path_cursor    cursor;
    double            rows[(BLOCK + 1) * KL_ROW];
    bool              sharing; /* the last row written is also the next piece's first */
} builder;

static kl_place place_at(const builder *b, double s)
{
    return b->set.where ? b->set.where(b->set.written, s) : KL_NOWHERE;
}

static kl_status exact_row(builder *b, double s, int side, double *row)
{
    kl_path_point p;
    KL_TRY(kl_path_eval_side(b->exact, s, side, &b->cursor, &p));
    kl_path_row(&p, s, row);
    for (int k = 0; k < KL_ROW; k++)
        if (!isfinite(row[k]))
            return kl_fail(b->diag, KL_E_NAN, place_at(b, s), "column %s is not finite at %g m",
                           kl_path_row_name(k), s);
    return KL_OK;
}

/* Errors between rows i and i + 1 of the block at the quarters, per class. */
static kl_status interval_error(builder *b, double s, double h, int i, double error[KL_NCLASS])
{
    const double *rows = b->rows + (size_t)i * KL_ROW;
    for (int quarter = 1; quarter < 4; quarter++) {
        double want[KL_ROW], got[KL_ROW], x = 0.25 * quarter;
        KL_TRY(exact_row(b, s + (i + x) * h, 1, want));
        kl_row_interpolate(b->set.method, rows, rows + KL_ROW, h, x, got);
        for (int k = 1; k < KL_ROW; k++) {
            double *worst = &error[kl_row_class(k)];
            *worst        = fmax(*worst, fabs(got[k] - want[k]));
        }
    }
    return KL_OK;
}

/* Largest error over what is allowed. */
static double excess(const builder *b, const double error[KL_NCLASS])
{
    double worst = 0.0;
    for (int k = 0; k < KL_NCLASS; k++) worst = fmax(worst, error[k] / b->set.error[k]);
    return worst;
}

static kl_status fill_block(builder *b, double s, double h, int n, double end, int end_side,
                            double error[KL_NCLASS], double enough)
{
    memset(error, 0, KL_NCLASS * sizeof *error);
    for (int i = 0; i <= n; i++) {
        KL_TRY(exact_row(b, i == n ? end : s + i * h,
                         i == 0   ? 1
                         : i == n ? end_side
                                  : 1,
                         b->rows + (size_t)i * KL_ROW));
        if (i > 0) KL_TRY(interval_error(b, s, h, i - 1, error));
        if (excess(b, error) > enough) return KL_OK; /* a shorter step is needed anyway */
    }
    return KL_OK;
}

static kl_status accept_block(builder *b, double s, double h, int n, const double error[KL_NCLASS])
{
    kl_path_table  *t     = b->table;
    void           *data  = t->piece;
    bool            share = b->sharing;
    kl_table_piece *p = kl_arena_grow(b->arena, &data, t->npiece, &t->piece_capacity, sizeof *p);
    if (!p) return KL_E_MEMORY;
    t->piece = data;
    t->npiece++;
    *p = (kl_table_piece){s, h, share ? t->nrow - 1 : t->nrow, n};
    KL_TRY(b->sink.write(b->sink.context, b->rows + (share ? KL_ROW : 0), n + (share ? 0 : 1)));
    t->nrow += n + (share ? 0 : 1);
    for (int k = 0; k < KL_NCLASS; k++) t->error[k] = fmax(t->error[k], error[k]);
    if (t->nrow > b->set.max_rows)
        return kl_fail(b->diag, KL_E_RANGE, place_at(b, s),
                       "the table has more than %d rows at %g m of %g m; allow a larger error%s",
                       b->set.max_rows, s, b->exact->length,
                       b->set.method == KL_TABLE_QUINTIC ? ""
                                                         : ", or write `interpolation: quintic`");
    return KL_OK;
}

/* The step that came closest to what is allowed. */
typedef struct attempt {
    double over, step, error[KL_NCLASS];
} attempt;

static kl_status cannot_reach(const builder *b, double s, const attempt *best)
{
    static const char *const kind[KL_NCLASS] = {"positions are", "directions are",
                                                "first derivatives are", "second derivatives are"};
    static const char *const unit[KL_NCLASS] = {"m", "", "1/m", "1/m2"};
    static const char *const key[KL_NCLASS]  = {"position_error", "direction_error", "first_error",
                                                "second_error"};
    int                      worst           = 0;
    for (int k = 1; k < KL_NCLASS; k++)
        if (best->error[k] / b->set.error[k] > best->error[worst] / b->set.error[worst]) worst = k;
    if (best->error[KL_CLASS_DIRECTION] > 0.1)
        return kl_fail(b->diag, KL_E_RANGE, place_at(b, s),
                       "no table can represent the line near %g m, where its direction reverses "
                       "within %.2g m; check the points or segments there",
                       s, best->step);
    /* a quintic's second derivatives are differences of its rows over the step twice: short steps
     * lose the digits that the other methods read from a column */
    return kl_fail(b->diag, KL_E_RANGE, place_at(b, s),
                   "the table cannot reach its accuracy at %g m: the %s wrong by at least %.2g %s "
                   "(step of %.2g m), but %.2g is required; allow `table: {%s: %.1g}`%s",
                   s, kind[worst], best->error[worst], unit[worst], best->step, b->set.error[worst],
                   key[worst], 2.0 * best->error[worst],
                   b->set.method == KL_TABLE_QUINTIC ? " or write `interpolation: cubic`" : "");
}

/* From begin to end, where nothing jumps: blocks with the longest step that keeps the error. */
static kl_status build_span(builder *b, double begin, double end, double *step)
{
    static const double order[KL_NTABLE_METHOD] = {2.0, 2.0, 4.0}; /* of the weakest columns */
    double              s                       = begin, error[KL_NCLASS];
    double              least                   = 1e-7 * (end - begin) + 1e-13 * b->exact->length;
    attempt             best                    = {.over = HUGE_VAL};
    b->sharing                                  = false;
    while (s < end) {
        double left = end - s, h = fmin(*step, left), count = ceil(left / h - 1e-9);
        int    n = count < BLOCK ? (int)count : BLOCK;
        if (count <= BLOCK) h = left / n;
        double stop = count <= BLOCK ? end : s + n * h;
        KL_TRY(fill_block(b, s, h, n, stop, stop == end ? -1 : 1, error, 1.0));
        double over = excess(b, error);
        if (over > 1.0) {
            *step = h * fmax(0.1, fmin(0.8, 0.9 * pow(over, -1.0 / order[b->set.method])));
            if (over < best.over) {
                best = (attempt){.over = over, .step = h};
                memcpy(best.error, error, sizeof error);
            }
            if (*step > least) continue;
            return cannot_reach(b, s, &best);
        }
        best.over = HUGE_VAL;
        KL_TRY(accept_block(b, s, h, n, error));
        b->sharing  = true;
        s           = stop;
        double grow = over > 0.0 ? 0.9 * pow(over, -1.0 / order[b->set.method]) : 8.0;
        *step       = h * fmax(1.0, fmin(8.0, grow));
    }
    return KL_OK;
}

/* Does any column jump at s by more than a tenth of its error, or the slope of the highest ones, so
 * that a metre's interpolation across it would be off by as much? */
static kl_status jumps(builder *b, double s, bool *answer)
{
    double        below[KL_ROW], above[KL_ROW], error[KL_NCLASS] = {0};
    kl_path_point p, q;
    KL_TRY(exact_row(b, s, -1, below));
    KL_TRY(exact_row(b, s, 1, above));
    for (int k = 1; k < KL_ROW; k++) {
        double *worst = &error[kl_row_class(k)];
        *worst        = fmax(*worst, fabs(above[k] - below[k]));
    }
    KL_TRY(kl_path_eval_side(b->exact, s, -1, &b->cursor, &p));
    KL_TRY(kl_path_eval_side(b->exact, s, 1, &b->cursor, &q));
    double slope           = kl_norm(kl_sub(p.ddkappa, q.ddkappa));
    error[KL_CLASS_SECOND] = fmax(error[KL_CLASS_SECOND], slope);
    *answer                = excess(b, error) > 0.1;
    return KL_OK;
}

static kl_status build_by_error(builder *b)
{
    const kl_path *e     = b->exact;
    double         begin = 0.0, step = e->length;
    for (int i = 0; i < e->njoint; i++) {
        bool jump;
        KL_TRY(jumps(b, e->joint[i], &jump));
        if (!jump) continue;
        KL_TRY(build_span(b, begin, e->joint[i], &step));
        begin = e->joint[i];
    }
    return build_span(b, begin, e->length, &step);
}

/* One even step over everything, as in the papers; jumps are smeared over one step, and the errors
 * say so. */
static kl_status build_by_step(builder *b)
{
    double length = b->exact->length, count = ceil(length / b->set.step - 1e-9);
    if (count >= b->set.max_rows)
        return kl_fail(b->diag, KL_E_RANGE, place_at(b, 0.0),
                       "a step of %g m over %g m needs more than %d rows", b->set.step, length,
                       b->set.max_rows);
    int    n         = count < 1.0 ? 1 : (int)count;
    double h         = length / n;
    b->sharing       = false;
    double unlimited = HUGE_VAL;
    for (int i = 0; i < n; i += BLOCK) {
        int    m = n - i < BLOCK ? n - i : BLOCK;
        double error[KL_NCLASS], s = i * h, stop = i + m == n ? length : (i + m) * h;
        KL_TRY(fill_block(b, s, h, m, stop, i + m == n ? -1 : 1, error, unlimited));
        KL_TRY(accept_block(b, s, h, m, error));
        b->sharing = true;
    }
    b->table->npiece   = 1; /* all blocks have one step and share their rows: one piece */
    b->table->piece[0] = (kl_table_piece){0.0, h, 0, n};
    return KL_OK;
}

/* What nothing is said of: a millionth of the columns where they are large, or of their unit; and
 * of the length of a track that is shorter than a metre. */
static kl_status default_errors(builder *b)
{
    enum { LOOKS = 1000 };
    double largest[KL_NCLASS] = {fmin(1.0, b->exact->length), 1.0, 1.0, 1.0}, row[KL_ROW];
    for (int i = 0; i <= LOOKS; i++) {
        KL_TRY(exact_row(b, b->exact->length * i / LOOKS, i == LOOKS ? -1 : 1, row));
        for (int k = KL_ROW_G2; k < KL_ROW; k++) {
            double *most = &largest[kl_row_class(k)];
            *most        = fmax(*most, fabs(row[k]));
        }
    }
    for (int k = 0; k < KL_NCLASS; k++)
        if (b->set.error[k] == 0.0) b->set.error[k] = 1e-6 * largest[k];
    return KL_OK;
}

kl_status kl_path_table_build(const kl_path *exact, const kl_table_settings *settings,
                              kl_row_sink sink, kl_arena *arena, kl_diag *diag,
                              kl_path_table *table)
{
    builder *b = kl_arena_array(arena, builder, 1);
    if (!b) return KL_E_MEMORY;
    *table = (kl_path_table){
        .method = settings->method, .length = exact->length, .closed = exact->closed};
    b->exact = exact, b->set = *settings, b->sink = sink, b->arena = arena;
    b->diag = diag, b->table = table;
    if (b->set.max_rows <= 0) b->set.max_rows = 500000000;
    for (int k = 0; k < KL_NCLASS; k++)
        if (!(b->set.error[k] >= 0.0))
            return kl_fail(diag, KL_E_RANGE, place_at(b, 0.0),
                           "the error of a table is %g; it must be positive", b->set.error[k]);
    KL_TRY(default_errors(b));
    return b->set.step > 0.0 ? build_by_step(b) : build_by_error(b);
}

/* ---- in memory ---- */

typedef struct memory {
    kl_arena *arena;
    double   *rows;
    int       n, capacity;
} memory;

static kl_status memory_write(void *context, const double *rows, int n)
{
    memory *m = context;
    for (int i = 0; i < n; i++) {
        void   *data = m->rows;
        double *row  = kl_arena_grow(m->arena, &data, m->n, &m->capacity, KL_ROW * sizeof *m->rows);
        if (!row) return KL_E_MEMORY;
        m->rows = data;
        memcpy(row, rows + (size_t)i * KL_ROW, KL_ROW * sizeof *row);
        m->n++;
    }
    return KL_OK;
}

kl_status kl_path_table_in_memory(const kl_path *exact, const kl_table_settings *settings,
                                  kl_arena *arena, kl_diag *diag, kl_path_table **out)
{
    kl_path_table *table = kl_arena_array(arena, kl_path_table, 1);
    if (!table) return KL_E_MEMORY;
    memory      m    = {.arena = arena};
    kl_row_sink sink = {&m, memory_write};
    KL_TRY(kl_path_table_build(exact, settings, sink, arena, diag, table));
    table->rows = m.rows;
    *out        = table;
    return KL_OK;
}
