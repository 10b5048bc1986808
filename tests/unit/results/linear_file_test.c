/* What stands in linear model files: E, A, B, C, D with names, in HDF5 and MAT, as numbers. */
#include <complex.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "dynamics/channels.h"
#include "results/linear_file.h"
#include "solve/eigenvalues.h"
#include "solve/linearize.h"
#include "store/h5.h"
#include "unit/solve/load.h"

/* Two masses in a row; the force acts on the first, the position of the second is looked at. */
static const char *const text =
    "klingel: 1\n"
    "gravity: [0, 0, 0]\n"
    "inputs: {push: {unit: N}}\n"
    "bodies:\n"
    "  a: {mass: 2 kg, inertia: [1, 1, 1], position: [1, 0, 0]}\n"
    "  b: {mass: 3 kg, inertia: [1, 1, 1], position: [2, 0, 0]}\n"
    "joints:\n"
    "  ga: {type: translational, between: [ground, a], at: [1, 0, 0], axis: x}\n"
    "  gb: {type: translational, between: [ground, b], at: [2, 0, 0], axis: x}\n"
    "forces:\n"
    "  s1: {type: spring-damper, between: [ground, a], at: [[0, 0, 0], [1, 0, 0]], stiffness: 50 "
    "N/m, damping: 1 N s/m}\n"
    "  s2: {type: spring-damper, between: [a, b], at: [[1, 0, 0], [2, 0, 0]], stiffness: 70 N/m, "
    "damping: 2 N s/m}\n"
    "  f: {type: force, on: a, at: [1, 0, 0], axis: x, value: {input: push}}\n"
    "outputs:\n"
    "  x: {of: b, point: [0, 0, 0], quantity: position.x}\n"
    "  v: {of: b, point: [0, 0, 0], quantity: velocity.x}\n"
    "  acc: {of: a, point: [0, 0, 0], quantity: acceleration.x}\n";

enum { NX = 4, NW = 3 };

static char h5_path[64], mat_path[64];

static int write_both(void **state)
{
    (void)state;
    loaded       l        = load_text(text, NULL, 0, true);
    kl_channels *channels = NULL;
    kl_linear   *linear   = NULL;
    kl_spectrum *spectrum = NULL;
    snprintf(h5_path, sizeof h5_path, "/tmp/klingel-linear-%ld.h5", (long)getpid());
    snprintf(mat_path, sizeof mat_path, "/tmp/klingel-linear-%ld.mat", (long)getpid());
    assert_int_equal(kl_channels_create(l.model, l.diag, &channels), KL_OK);
    assert_int_equal(kl_linearize(l.x, channels, l.diag, &linear), KL_OK);
    assert_int_equal(kl_spectrum_find(l.x, linear, true, l.diag, &spectrum), KL_OK);
    assert_int_equal(kl_linear_write(h5_path, l.model, linear, spectrum, l.diag), KL_OK);
    assert_int_equal(kl_linear_write(mat_path, l.model, linear, spectrum, l.diag), KL_OK);
    kl_spectrum_destroy(spectrum);
    kl_linear_destroy(linear);
    kl_channels_destroy(channels);
    unload(&l);
    return 0;
}

static int remove_both(void **state)
{
    (void)state;
    remove(h5_path);
    remove(mat_path);
    return 0;
}

typedef struct matrices {
    kl_arena *arena;
    double   *E, *A, *B, *C, *D;
} matrices;

static matrices from_h5(void)
{
    char     why[KL_H5_WHY];
    matrices m = {.arena = kl_arena_create()};
    kl_h5   *f = kl_h5_open(h5_path, KL_H5_READ, why);
    assert_non_null(f);
    m.E = kl_h5_read_doubles(f, "E", NX * NX, m.arena);
    m.A = kl_h5_read_doubles(f, "A", NX * NX, m.arena);
    m.B = kl_h5_read_doubles(f, "B", NX, m.arena);
    m.C = kl_h5_read_doubles(f, "C", NW * NX, m.arena);
    m.D = kl_h5_read_doubles(f, "D", NW, m.arena);
    assert_true(m.E && m.A && m.B && m.C && m.D);
    const char **inputs  = kl_h5_read_texts(f, "inputs", 1, m.arena),
               **outputs = kl_h5_read_texts(f, "outputs", NW, m.arena),
               **units   = kl_h5_read_texts(f, "output_units", NW, m.arena);
    assert_true(inputs && outputs && units);
    assert_string_equal(inputs[0], "push");
    assert_string_equal(outputs[0], "x");
    assert_string_equal(outputs[2], "acc");
    assert_string_equal(units[1], "m/s");
    assert_true(kl_h5_close(f, why));
    return m;
}

/* C (s E - A)^-1 B + D of output w, by elimination. */
static double complex transfer(const matrices *m, double complex s, int w)
{
    double complex M[NX][NX + 1];
    for (int i = 0; i < NX; i++) {
        for (int j = 0; j < NX; j++) M[i][j] = s * m->E[i * NX + j] - m->A[i * NX + j];
        M[i][NX] = m->B[i];
    }
    for (int k = 0; k < NX; k++) {
        int p = k;
        for (int i = k; i < NX; i++)
            if (cabs(M[i][k]) > cabs(M[p][k])) p = i;
        for (int j = 0; j <= NX; j++) {
            double complex keep = M[k][j];
            M[k][j]             = M[p][j];
            M[p][j]             = keep;
        }
        for (int i = 0; i < NX; i++) {
            double complex f = M[i][k] / M[k][k];
            for (int j = k; j <= NX && i != k; j++) M[i][j] -= f * M[k][j];
        }
    }
    double complex y = m->D[w];
    for (int i = 0; i < NX; i++) y += m->C[w * NX + i] * M[i][NX] / M[i][i];
    return y;
}

static void transfer_functions_of_the_file_are_those_of_the_masses(void **unused)
{
    (void)unused;
    matrices m = from_h5();
    for (int k = 0; k < 5; k++) {
        double complex s = 0.3 + (double complex)I * (2.0 * k);
        /* by hand: (2 s^2 + 3 s + 120) xa - (2 s + 70) xb = F, (3 s^2 + 2 s + 70) xb = (2 s + 70)
         * xa */
        double complex a = 2 * s * s + 3 * s + 120, b = 3 * s * s + 2 * s + 70, c = 2 * s + 70;
        double complex xa = b / (a * b - c * c), xb = c / (a * b - c * c);
        assert_true(cabs(transfer(&m, s, 0) - xb) < 1e-9 * cabs(xb));
        assert_true(cabs(transfer(&m, s, 1) - s * xb) < 1e-9 * cabs(s * xb));
        assert_true(cabs(transfer(&m, s, 2) - s * s * xa) < 1e-6 * cabs(s * s * xa));
    }
    kl_arena_destroy(m.arena);
}

/* The values of a matrix of a MAT file (level 5), column by column; how many rows it has in *rows.
 */
static const double *find_in_mat(const unsigned char *f, size_t bytes, const char *name, int *rows)
{
    for (size_t at = 128; at + 56 < bytes;) {
        uint32_t tag[2], length;
        int32_t  size[2];
        memcpy(tag, f + at, sizeof tag);
        assert_int_equal(tag[0], 14);
        memcpy(size, f + at + 32, sizeof size);
        memcpy(&length, f + at + 44, sizeof length);
        const unsigned char *called = f + at + 48;
        size_t               data   = at + 48 + (length + 7) / 8 * 8;
        if (length == strlen(name) && memcmp(called, name, length) == 0) {
            uint32_t type;
            memcpy(&type, f + data, sizeof type);
            assert_int_equal(type, 9);
            *rows = size[0];
            return (const double *)(const void *)(f + data + 8);
        }
        at += 8 + tag[1];
    }
    fail_msg("no %s", name);
    return NULL;
}

static void both_formats_hold_the_same_matrices(void **unused)
{
    (void)unused;
    matrices m       = from_h5();
    FILE    *f       = fopen(mat_path, "rb");
    double  *content = calloc(1, 1 << 20); /* aligned for numbers */
    assert_true(f && content);
    size_t bytes = fread(content, 1, 1 << 20, f);
    fclose(f);
    const struct {
        const char   *name;
        const double *values;
        int           rows, columns;
    } list[] = {{"E", m.E, NX, NX},
                {"A", m.A, NX, NX},
                {"B", m.B, NX, 1},
                {"C", m.C, NW, NX},
                {"D", m.D, NW, 1}};
    for (int k = 0; k < 5; k++) {
        int           rows;
        const double *v = find_in_mat((unsigned char *)content, bytes, list[k].name, &rows);
        assert_int_equal(rows, list[k].rows);
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < list[k].columns; j++)
                assert_true(v[j * rows + i] == list[k].values[i * list[k].columns + j]);
    }
    free(content);
    kl_arena_destroy(m.arena);
}

/* Rows and columns of a matrix in an HDF5 file. */
static void assert_size(kl_h5 *f, const char *name, int rows, int columns)
{
    kl_h5_table t;
    int         n = -1;
    if (!kl_h5_open_table(f, name, &t)) fail_msg("no %s", name);
    assert_true(kl_h5_rows(f, t, &n));
    assert_int_equal(n, rows);
    assert_int_equal(t.ncolumn, columns);
}

static void without_inputs_b_and_d_have_no_columns(void **unused)
{
    (void)unused;
    loaded l =
        load_text("klingel: 1\ngravity: [0, 0, 0]\nbodies:\n"
                  "  a: {mass: 2 kg, inertia: [1, 1, 1]}\njoints:\n"
                  "  g: {type: translational, between: [ground, a], at: [0, 0, 0], axis: x}\n"
                  "outputs: {x: {of: a, quantity: position.x}}\n",
                  NULL, 0, true);
    kl_channels *channels = NULL;
    kl_linear   *linear   = NULL;
    char         path[64], why[KL_H5_WHY];
    snprintf(path, sizeof path, "/tmp/klingel-linear-%ld-none.h5", (long)getpid());
    assert_int_equal(kl_channels_create(l.model, l.diag, &channels), KL_OK);
    assert_int_equal(kl_linearize(l.x, channels, l.diag, &linear), KL_OK);
    assert_int_equal(kl_linear_write(path, l.model, linear, NULL, l.diag), KL_OK);
    kl_h5 *f = kl_h5_open(path, KL_H5_READ, why);
    assert_non_null(f);
    assert_size(f, "A", 2, 2);
    assert_size(f, "B", 2, 0);
    assert_size(f, "C", 1, 2);
    assert_size(f, "D", 1, 0);
    kl_arena *arena = kl_arena_create();
    assert_non_null(kl_h5_read_texts(f, "inputs", 0, arena));
    kl_arena_destroy(arena);
    assert_true(kl_h5_close(f, why));
    remove(path);
    kl_linear_destroy(linear);
    kl_channels_destroy(channels);
    unload(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(transfer_functions_of_the_file_are_those_of_the_masses),
        cmocka_unit_test(both_formats_hold_the_same_matrices),
        cmocka_unit_test(without_inputs_b_and_d_have_no_columns),
    };
    return cmocka_run_group_tests(tests, write_both, remove_both);
}
