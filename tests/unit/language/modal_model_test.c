/* A modal model (frequencies, mode shapes, diagonal mass, node positions) is the same body as that of K and
 * M, from which its numbers come. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fe/assemble.h"
#include "language/body.h"
#include "unit/test.h"

enum { MODES = 6 };
static char              folder[]    = "/tmp/klingel-modal-XXXXXX";
static const char        body_text[] = "mesh: {box: [1 m, 0.1 m, 0.06 m], parts: [6, 2, 1]}\n"
                                       "material: {E: 210 GPa, nu: 0.3, density: 7850 kg/m3}\n";
static const char *const files[] = {"body.yaml", "nodes.csv", "mass.mtx", "shapes.csv", "f.csv"};

static const char *in_folder(const char *name)
{
    static char path[2][96];
    static int  k;
    k = !k;
    snprintf(path[k], sizeof path[k], "%s/%s", folder, name);
    return path[k];
}

static FILE *open_file(const char *name)
{
    FILE *f = fopen(in_folder(name), "wb");
    assert_non_null(f);
    return f;
}

static int make_folder(void **unused)
{
    (void)unused;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **unused)
{
    (void)unused;
    for (size_t k = 0; k < sizeof files / sizeof *files; k++) remove(in_folder(files[k]));
    return rmdir(folder);
}

/* The body of a body file, or NULL; the last message in `said`. */
static kl_kbody *body_of(const char *text, char *said, size_t size)
{
    kl_diag     *d = kl_diag_create();
    kl_body_file file;
    kl_kbody    *b = NULL;
    FILE        *f = open_file("body.yaml");
    fputs(text, f);
    fclose(f);
    kl_status status = kl_body_file_read(in_folder("body.yaml"), &file, d);
    if (status == KL_OK)
        status = kl_reduce(file.mesh, file.has_matrices ? &file.system : NULL, &file.recipe, &b,
                           NULL, d);
    int n = kl_diag_size(d);
    snprintf(said, size, "%s", n > 0 ? kl_diag_at(d, n - 1)->text : "");
    assert_true((status == KL_OK) == (b != NULL));
    kl_body_file_free(&file);
    kl_diag_destroy(d);
    return b;
}

/* K and lumped M of the box. */
static void assemble(kl_body_file *file, kl_system *s, kl_diag *d)
{
    FILE *f = open_file("body.yaml");
    fputs(body_text, f);
    fclose(f);
    assert_int_equal(kl_body_file_read(in_folder("body.yaml"), file, d), KL_OK);
    assert_int_equal(kl_fe_assemble(file->mesh, KL_MASS_LUMPED, s, d), KL_OK);
}

/* What a finite element program prints of a modal analysis. */
static void print_modes(const kl_system *s, const kl_basis *b, double wrong)
{
    static const char *const names[] = {"x", "y", "z"};
    FILE                    *f       = open_file("nodes.csv");
    for (int i = 0; i < s->nnode; i++)
        fprintf(f, "%d,%.17g,%.17g,%.17g\n", s->node_id[i], s->x[i].x, s->x[i].y, s->x[i].z);
    fclose(f);
    f = open_file("mass.mtx");
    fprintf(f, "%%%%MatrixMarket matrix array real general\n%d 1\n", s->ndof);
    for (int i = 0; i < s->nnode; i++) /* node by node */
        for (int c = 0; c < 3; c++)
            fprintf(f, "%.17g\n", s->M.value[s->M.start[s->dof[6 * i + c]]]);
    fclose(f);
    f = open_file("shapes.csv");
    for (int j = 0; j < b->n; j++)
        for (int i = 0; i < s->ndof; i++)
            fprintf(f, "%d,%d,%s,%.17g\n", j + 1, s->node_id[s->dof_node[i]],
                    names[s->dof_component[i]],
                    3.0 * b->X[(size_t)j * (size_t)s->ndof + (size_t)i] * (i == 7 ? wrong : 1.0));
    fclose(f);
    f = open_file("f.csv");
    fprintf(f, "frequency [Hz]\n");
    for (int j = 0; j < b->n; j++) fprintf(f, "%.17g\n", b->frequency[j]);
    fclose(f);
}

static void assert_same(const double *a, const double *b, size_t n)
{
    double size = 0.0;
    for (size_t k = 0; k < n; k++) size = fmax(size, fabs(b[k]));
    for (size_t k = 0; k < n; k++) assert_close(a[k], b[k], 1e-10 * size + 1e-300);
}

static const char modal_text[] =
    "matrices: {mass: mass.mtx, nodes: nodes.csv, dofs-per-node: 3}\nvectors: shapes.csv\n"
    "frequencies: f.csv\nmarkers: {tip: {at: [1, 0.05, 0.03]}}\n";

static void a_modal_model_is_the_body_of_its_matrices(void **unused)
{
    (void)unused;
    kl_diag     *d = kl_diag_create();
    kl_body_file file;
    kl_system    s;
    kl_basis     basis;
    char         said[512];
    assemble(&file, &s, d);
    kl_basis_options o = {.count = MODES};
    assert_int_equal(kl_basis_make(&s, &o, &basis, d), KL_OK);
    print_modes(&s, &basis, 1.0);
    kl_marker_request tip    = {.name      = "tip",
                                .how       = KL_AT_POINT,
                                .has_point = true,
                                .point     = {1, 0.05, 0.03},
                                .axes      = kl_identity()};
    kl_recipe         recipe = {.modes = MODES, .nmarker = 1, .marker = &tip};
    kl_kbody         *a, *b = body_of(modal_text, said, sizeof said);
    if (!b) fail_msg("%s", said);
    assert_int_equal(kl_reduce(NULL, &s, &recipe, &a, NULL, d), KL_OK);

    size_t n = MODES;
    assert_int_equal(b->nmode, a->nmode);
    assert_same(b->frequency, a->frequency, n);
    assert_same(b->Kff, a->Kff, n * n);
    assert_same(b->Mff, a->Mff, n * n);
    assert_close(b->inertia.m, a->inertia.m, 1e-10 * a->inertia.m);
    assert_same(b->marker[0].translation, a->marker[0].translation, 3 * n);
    assert_same(b->inertia.H1, a->inertia.H1, 3 * n * n);
    assert_same(b->inertia.J2[0].m[0], a->inertia.J2[0].m[0], 9 * n * n);
    assert_same(b->inertia.G0[0].m[0], a->inertia.G0[0].m[0], 9 * n);
    kl_kbody_destroy(a);
    kl_kbody_destroy(b);
    kl_basis_free(&basis);
    kl_system_free(&s);
    kl_body_file_free(&file);
    kl_diag_destroy(d);
}

static void modal_models_that_do_not_fit_are_refused(void **unused)
{
    (void)unused;
    static const struct {
        const char *from, *to, *said;
    } cases[] = {
        {"frequencies: f.csv", "", "without a stiffness matrix give `frequencies:`"},
        {"frequencies: f.csv", "frequencies: [31 Hz, 40 Hz]", "2 frequencies and 6 mode shapes"},
        {"frequencies: f.csv", "frequencies: [0, 1, 2, 3, 4, 5]", "frequency 1 is 0 Hz"},
        {"vectors: shapes.csv", "", "belong to a modal model"},
        {"markers:", "statics: attachment\ninterfaces: [tip]\nmarkers:", "static modes need the"},
    };
    kl_diag     *d = kl_diag_create();
    kl_body_file file;
    kl_system    s;
    kl_basis     basis;
    char         said[512], text[512];
    assemble(&file, &s, d);
    kl_basis_options o = {.count = MODES};
    assert_int_equal(kl_basis_make(&s, &o, &basis, d), KL_OK);
    print_modes(&s, &basis, 1.0);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const char *at = strstr(modal_text, cases[k].from);
        snprintf(text, sizeof text, "%.*s%s%s", (int)(at - modal_text), modal_text, cases[k].to,
                 at + strlen(cases[k].from));
        assert_null(body_of(text, said, sizeof said));
        if (!strstr(said, cases[k].said)) fail_msg("case %zu: got %s", k, said);
    }
    print_modes(&s, &basis, -20.0); /* one number with the wrong sign and size */
    assert_null(body_of(modal_text, said, sizeof said));
    assert_non_null(strstr(said, "are not orthogonal"));
    kl_basis_free(&basis);
    kl_system_free(&s);
    kl_body_file_free(&file);
    kl_diag_destroy(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_modal_model_is_the_body_of_its_matrices),
        cmocka_unit_test(modal_models_that_do_not_fit_are_refused),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
