#include "geometry/path_table.h"

#include <string.h>

#include "geometry/layout.h"
#include "geometry/row.h"
#include "geometry/spatial.h"
#include "unit/geometry/path_laws.h"

static const double PI = 3.14159265358979323846;

static kl_plan_element plan_element(kl_plan_kind kind, double length, double k, double roll)
{
    return (kl_plan_element){.kind = kind, .length = length, .curvature = k, .roll = roll};
}

/* straight, clothoid, curve with cant, clothoid, straight; a kink of curvature on request */
static kl_path *railway(bool transitions, kl_arena *arena)
{
    kl_plan_element plan[5] = {
        plan_element(KL_PLAN_STRAIGHT, 60, 0, 0), plan_element(KL_PLAN_TRANSITION, 40, 0, 0),
        plan_element(KL_PLAN_CURVE, 80, 1.0 / 80, -0.1), plan_element(KL_PLAN_TRANSITION, 40, 0, 0),
        plan_element(KL_PLAN_STRAIGHT, 60, 0, 0)};
    if (!transitions) plan[1] = plan[0], plan[3] = plan[0], plan[2].roll = 0.0;
    kl_piecewise     law;
    kl_grade_element grade[] = {{.kind = KL_GRADE_CONSTANT, .length = 30, .slope = 0.02},
                                {.kind = KL_GRADE_PARABOLA, .slope = -0.03, .radius = 2000}};
    kl_layout        in      = {.plan = plan, .nplan = 5, .grade = grade, .ngrade = 2};
    kl_curve        *curve   = NULL;
    assert_int_equal(kl_layout_build(&in, arena, NULL, &curve, &law), KL_OK);
    kl_piecewise *kept = kl_arena_array(arena, kl_piecewise, 1);
    *kept              = law;
    return make_path(curve, (kl_frame_settings){0}, kept, arena);
}

static kl_path *loop(kl_arena *arena)
{
    double             k         = 1.0 / 9.0;
    kl_spatial_segment segment[] = {{.length = 20.0},
                                    {.length = 12.0, .up = {0, k}},
                                    {.length = 50.0, .up = {k, k}, .left = {0.01, 0.01}},
                                    {.length = 12.0, .up = {k, 0}},
                                    {.length = 20.0}};
    kl_spatial         in        = {.segment = segment, .n = 5, .A = kl_identity()};
    kl_curve          *curve     = NULL;
    assert_int_equal(kl_spatial_build(&in, arena, NULL, &curve, NULL), KL_OK);
    return make_path(curve, (kl_frame_settings){.kind = KL_FRAME_LEVEL}, NULL, arena);
}

static kl_path *tabulate(const kl_path *exact, kl_table_settings set, kl_arena *arena,
                         kl_path_table **table)
{
    kl_path *path = NULL;
    kl_diag *diag = kl_diag_create();
    if (kl_path_table_in_memory(exact, &set, arena, diag, table) != KL_OK)
        fail_msg("%s", kl_diag_size(diag) > 0 ? kl_diag_at(diag, 0)->text : "no message");
    kl_diag_destroy(diag);
    assert_int_equal(kl_path_from_table(*table, arena, &path), KL_OK);
    return path;
}

/* largest errors of the interpolated columns at many places */
static void column_errors(const kl_path *exact, const kl_path_table *t, double worst[KL_NCLASS])
{
    memset(worst, 0, KL_NCLASS * sizeof *worst);
    for (int i = 0; i < t->npiece; i++)
        for (int j = 0; j < t->piece[i].n; j++)
            for (int q = 1; q < 10; q++) {
                const kl_table_piece *p = &t->piece[i];
                const double         *a = t->rows + (size_t)(p->row + j) * KL_ROW;
                double                got[KL_ROW], want[KL_ROW], s = p->s + p->h * (j + 0.1 * q);
                kl_path_point         e = path_at(exact, s);
                kl_path_row(&e, s, want);
                kl_row_interpolate(t->method, a, a + KL_ROW, p->h, 0.1 * q, got);
                for (int k = 1; k < KL_ROW; k++)
                    worst[kl_row_class(k)] = fmax(worst[kl_row_class(k)], fabs(got[k] - want[k]));
            }
}

static void the_stated_error_is_kept_in_every_column(void **unused)
{
    (void)unused;
    for (int which = 0; which < 3; which++)
        for (int method = 0; method < KL_NTABLE_METHOD; method++) {
            kl_arena         *arena = kl_arena_create();
            double            e     = method == KL_TABLE_LINEAR ? 1e-4 : 1e-7;
            kl_path          *exact = which == 2 ? loop(arena) : railway(which == 0, arena);
            kl_table_settings set   = {.method = (kl_table_method)method, .error = {e, e, e, e}};
            kl_path_table    *table;
            kl_path          *path = tabulate(exact, set, arena, &table);
            double            worst[KL_NCLASS];
            column_errors(exact, table, worst);
            for (int k = 0; k < KL_NCLASS; k++) {
                assert_true(table->error[k] <= e);
                assert_true(worst[k] <= 1.05 * e); /* between the quarters that were checked */
            }
            /* and in what a body reads */
            for (int i = 0; i <= 500; i++) {
                double        s = path->length * i / 500;
                kl_path_point p = path_at(path, s), q = path_at(exact, s);
                assert_close(vec_error(p.r, q.r), 0.0, 2 * e);
                assert_close(vec_error(p.dt, q.dt), 0.0, 2 * e);
                assert_close(vec_error(p.kappa, q.kappa), 0.0, 5 * e);
                assert_close(vec_error(p.dkappa, q.dkappa), 0.0, 5 * e);
                for (int j = 0; j < 3; j++)
                    assert_close(vec_error(kl_axis(&p.A, j), kl_axis(&q.A, j)), 0.0, 4 * e);
            }
            kl_arena_destroy(arena);
        }
}

/* a way without joints: a helix */
static double error_with_step(kl_table_method method, double step, int class)
{
    kl_arena          *arena   = kl_arena_create();
    kl_spatial_segment segment = {
        .length = 64.0, .left = {0.08, 0.08}, .up = {0, 0.05}, .roll = 3.0};
    kl_spatial   in    = {.segment = &segment, .n = 1, .A = kl_identity()};
    kl_curve    *curve = NULL;
    kl_piecewise roll;
    assert_int_equal(kl_spatial_build(&in, arena, NULL, &curve, &roll), KL_OK);
    kl_frame_settings set   = {.kind = KL_FRAME_MINIMAL_ROTATION};
    kl_path          *exact = make_path(curve, set, &roll, arena);
    kl_path_table    *table;
    double            worst[KL_NCLASS];
    tabulate(exact, (kl_table_settings){.method = method, .step = step}, arena, &table);
    assert_int_equal(table->npiece, 1);
    column_errors(exact, table, worst);
    kl_arena_destroy(arena);
    return worst[class];
}

static void errors_fall_with_the_order_of_the_method(void **unused)
{
    (void)unused;
    const int order[KL_NTABLE_METHOD][KL_NCLASS] = {{2, 2, 2, 2}, {4, 4, 4, 2}, {6, 6, 5, 4}};
    for (int method = 0; method < KL_NTABLE_METHOD; method++)
        for (int class = 0; class < KL_NCLASS; class ++) {
            kl_table_method m = (kl_table_method)method;
            double rate = log2(error_with_step(m, 4.0, class) / error_with_step(m, 2.0, class));
            /* directions hold g', one order below g with the quintic */
            int want = method == KL_TABLE_QUINTIC && class == KL_CLASS_DIRECTION ? 5
                       : method == KL_TABLE_QUINTIC && class == KL_CLASS_FIRST
                           ? 4
                           : order[method][class];
            if (!(rate > want - 0.25)) fail_msg("method %d class %d: rate %g", method, class, rate);
        }
}

static void a_jump_of_curvature_is_kept_sharp(void **unused)
{
    (void)unused;
    kl_arena      *arena = kl_arena_create();
    kl_path       *exact = railway(false, arena); /* straight, then at once R = 80 m */
    kl_path_table *table;
    kl_path *path = tabulate(exact, (kl_table_settings){.method = KL_TABLE_CUBIC}, arena, &table);
    kl_path_cursor cursor = {0};
    kl_path_point  below, above;
    double         s = 0.0;
    for (int i = 0; i < path->njoint; i++) {
        kl_path_eval_side(path, path->joint[i], -1, &cursor, &below);
        kl_path_eval_side(path, path->joint[i], 1, &cursor, &above);
        if (vec_error(below.dt, above.dt) > 0.01) s = path->joint[i];
    }
    assert_true(s > 0.0);
    kl_path_eval_side(path, s, -1, &cursor, &below);
    kl_path_eval_side(path, s, 1, &cursor, &above);
    assert_close(fabs(kl_norm(above.dt) - kl_norm(below.dt)), 1.0 / 80.0, 1e-4);
    kl_arena_destroy(arena);
}

typedef struct store {
    const double *rows;
    int           n, calls;
} store;

static kl_status store_read(void *context, int row, int n, double *rows)
{
    store *s = context;
    assert_true(row >= 0 && row + n <= s->n);
    memcpy(rows, s->rows + (size_t)row * KL_ROW, (size_t)n * KL_ROW * sizeof *rows);
    s->calls++;
    return KL_OK;
}

static void a_window_gives_the_same_bits_as_memory(void **unused)
{
    (void)unused;
    kl_arena         *arena = kl_arena_create();
    kl_path          *exact = loop(arena);
    kl_table_settings set   = {.method = KL_TABLE_CUBIC, .error = {1e-8, 1e-8, 1e-8, 1e-8}};
    kl_path_table    *table;
    kl_path          *memory  = tabulate(exact, set, arena, &table), *path;
    kl_path_table     through = *table;
    store             s       = {table->rows, table->nrow, 0};
    through.rows = NULL, through.window = 40, through.source = (kl_row_source){&s, store_read};
    assert_int_equal(kl_path_from_table(&through, arena, &path), KL_OK);
    kl_path_cursor a = {0}, b;
    assert_int_equal(kl_path_cursor_init(path, arena, &b), KL_OK);
    for (int i = 0; i < 3000; i++) { /* forward, backward, and far jumps */
        double x = i < 1000 ? i / 1000.0 : i < 2000 ? (2000 - i) / 1000.0 : fmod(i * 0.618034, 1.0);
        kl_path_point p, q;
        assert_int_equal(kl_path_eval(memory, x * path->length, &a, &p), KL_OK);
        assert_int_equal(kl_path_eval(path, x * path->length, &b, &q), KL_OK);
        assert_memory_equal(&p, &q, sizeof p);
        if (i == 999) assert_true(s.calls < 4 * table->nrow / 40); /* no thrashing on the way */
    }
    kl_path_cursor none = {0};
    kl_path_point  p;
    assert_int_equal(kl_path_eval(path, 1.0, &none, &p), KL_E_USAGE);
    kl_arena_destroy(arena);
}

static kl_status read_fails(void *context, int row, int n, double *rows)
{
    (void)context, (void)row, (void)n, (void)rows;
    return KL_E_FILE;
}

static void a_source_that_fails_is_reported_and_may_recover(void **unused)
{
    (void)unused;
    kl_arena      *arena = kl_arena_create();
    kl_path       *exact = railway(true, arena), *path;
    kl_path_table *table;
    tabulate(exact, (kl_table_settings){.method = KL_TABLE_QUINTIC}, arena, &table);
    store         s       = {table->rows, table->nrow, 0};
    kl_path_table through = *table;
    through.rows = NULL, through.window = 8, through.source = (kl_row_source){NULL, read_fails};
    assert_int_equal(kl_path_from_table(&through, arena, &path), KL_OK);
    kl_path_cursor c;
    kl_path_point  p;
    assert_int_equal(kl_path_cursor_init(path, arena, &c), KL_OK);
    assert_int_equal(kl_path_eval(path, 5.0, &c, &p), KL_E_FILE);
    through.source = (kl_row_source){&s, store_read};
    assert_int_equal(kl_path_eval(path, 5.0, &c, &p), KL_OK);
    kl_arena_destroy(arena);
}

static kl_status count_rows(void *context, const double *rows, int n)
{
    (void)rows;
    *(int *)context += n;
    return KL_OK;
}

static void a_thousand_kilometres_are_built_at_constant_memory(void **unused)
{
    (void)unused;
    kl_arena *arena = kl_arena_create();
    enum { N = 4 * 1000 };
    kl_plan_element *plan = kl_arena_array(arena, kl_plan_element, N);
    for (int i = 0; i < N; i += 4) { /* left and right curves, 1 km each with its straight */
        double side = i % 8 ? -1.0 : 1.0;
        plan[i]     = plan_element(KL_PLAN_STRAIGHT, 400, 0, 0);
        plan[i + 1] = plan_element(KL_PLAN_TRANSITION, 100, 0, 0);
        plan[i + 2] = plan_element(KL_PLAN_CURVE, 400, side / 800, -0.08 * side);
        plan[i + 3] = plan_element(KL_PLAN_TRANSITION, 100, 0, 0);
    }
    kl_layout    in    = {.plan = plan, .nplan = N};
    kl_curve    *curve = NULL;
    kl_piecewise roll;
    assert_int_equal(kl_layout_build(&in, arena, NULL, &curve, &roll), KL_OK);
    kl_path      *exact = make_path(curve, (kl_frame_settings){0}, &roll, arena);
    kl_path_table table;
    int           rows = 0;
    kl_row_sink   sink = {&rows, count_rows};
    assert_close(exact->length, 1e6, 1e-3);
    kl_table_settings set = {.method = KL_TABLE_CUBIC};
    assert_int_equal(kl_path_table_build(exact, &set, sink, arena, NULL, &table), KL_OK);
    assert_int_equal(rows, table.nrow);
    assert_true(rows > 10000);
    assert_true(kl_arena_bytes(arena) < 40e6);
    kl_arena_destroy(arena);
}

static void a_closed_table_goes_round(void **unused)
{
    (void)unused;
    kl_arena *arena = kl_arena_create();
    kl_vec3   point[24];
    for (int i = 0; i < 24; i++)
        point[i] =
            kl_vec(40 * cos(2 * PI * i / 24), 25 * sin(2 * PI * i / 24), cos(4 * PI * i / 24));
    kl_control_points in    = {.point = point, .n = 24, .kind = KL_QUINTIC, .closed = true};
    kl_curve         *curve = NULL;
    assert_int_equal(kl_curve_through(&in, arena, NULL, &curve, NULL), KL_OK);
    kl_path       *exact = make_path(curve, (kl_frame_settings){0}, NULL, arena);
    kl_path_table *table;
    kl_path *path = tabulate(exact, (kl_table_settings){.method = KL_TABLE_CUBIC}, arena, &table);
    for (int i = -20; i < 20; i++) {
        double s = 0.37 * i * path->length;
        assert_close(vec_error(path_at(path, s).r, path_at(exact, s).r), 0.0, 2e-6);
        assert_close(path_at(path, s).beyond, 0.0, 0.0);
    }
    kl_arena_destroy(arena);
}

static void impossible_tables_are_refused(void **unused)
{
    (void)unused;
    kl_arena         *arena = kl_arena_create();
    kl_diag          *diag  = kl_diag_create();
    kl_path          *exact = loop(arena), *path;
    kl_path_table    *table = NULL;
    kl_table_settings tiny  = {.method = KL_TABLE_LINEAR, .error = {1e-15, 1e-15, 1e-15, 1e-15}};
    assert_true(kl_path_table_in_memory(exact, &tiny, arena, diag, &table) < 0);
    kl_table_settings many = {.method = KL_TABLE_LINEAR, .max_rows = 100};
    assert_int_equal(kl_path_table_in_memory(exact, &many, arena, diag, &table), KL_E_RANGE);
    assert_non_null(strstr(kl_diag_at(diag, kl_diag_size(diag) - 1)->text, "more than 100 rows"));
    kl_table_settings negative = {.error = {-1}};
    assert_int_equal(kl_path_table_in_memory(exact, &negative, arena, diag, &table), KL_E_RANGE);

    /* pieces from a damaged file */
    assert_int_equal(kl_path_table_in_memory(exact, &(kl_table_settings){.method = KL_TABLE_CUBIC},
                                             arena, diag, &table),
                     KL_OK);
    kl_path_table bad = *table;
    bad.nrow          = table->nrow / 2;
    assert_int_equal(kl_path_from_table(&bad, arena, &path), KL_E_MODEL);
    bad            = *table;
    bad.piece[1].s = (double)NAN;
    assert_int_equal(kl_path_from_table(&bad, arena, &path), KL_E_MODEL);
    kl_diag_destroy(diag);
    kl_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_stated_error_is_kept_in_every_column),
        cmocka_unit_test(errors_fall_with_the_order_of_the_method),
        cmocka_unit_test(a_jump_of_curvature_is_kept_sharp),
        cmocka_unit_test(a_window_gives_the_same_bits_as_memory),
        cmocka_unit_test(a_source_that_fails_is_reported_and_may_recover),
        cmocka_unit_test(a_thousand_kilometres_are_built_at_constant_memory),
        cmocka_unit_test(a_closed_table_goes_round),
        cmocka_unit_test(impossible_tables_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
