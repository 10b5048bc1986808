/* Nonlinear bodies from the command line: stress fields, their exports, restart, elements inside out. */
#include "unit/cli/run_program.h"

#include <math.h>

#define BAR KL_SOURCE_DIR "/examples/tension-bar/model.yaml"

enum { COLUMNS = 10, MISES = 8, PLASTIC = 9 };

/* Calls `see` for each row of the field; columns t, x, y, z, u, energy density, mises, plastic strain. */
static int each_row(const char *text, void (*see)(const double *row, void *context), void *context)
{
    int n = 0;
    for (const char *line = strchr(text, '\n'); line && line[1]; line = strchr(line + 1, '\n')) {
        double row[COLUMNS];
        char  *end = NULL;
        int    k   = 0;
        for (const char *p = line + 1; k < COLUMNS; k++, p = end + 1) row[k] = strtod(p, &end);
        see(row, context);
        n++;
    }
    return n;
}

typedef struct middle {
    double stress, plastic, width; /* sums over the nodes of the middle section; its width */
    int    n;
} middle;

static void see_middle(const double *row, void *context)
{
    middle *m = context;
    if (fabs(row[1] - 0.05) > 1e-9) return;
    m->stress += row[MISES], m->plastic += row[PLASTIC], m->n++;
    if (row[2] > 0.0049) m->width = fmax(m->width, 2.0 * (row[2] + row[5]));
}

static char *table_at(world *w, const char *t)
{
    assert_int_equal(run(w, "export", "bar.h5", "--field", "bar", "--from", t, "--to", t), 0);
    assert_says(w->out,
                "time_s,x_m,y_m,z_m,ux_m,uy_m,uz_m,energy_density_J/m3,mises_Pa,plastic_strain\n");
    return w->out;
}

/* The stress in the middle of the bar carries its force: elastic at 1 s, flowing at 3 s, where the table
 * of the material gives the stress of the plastic strain. */
static void stress_carries_the_force(void **state)
{
    world *w = *state;
    assert_int_equal(
        run(w, "run", BAR, "-q", "--set", "elements=tet10", "--set", "nx=4", "-o", "bar.h5"), 0);
    static const char *const when[] = {"1", "3"};
    for (int i = 0; i < 2; i++) {
        middle m = {0};
        double t, force;
        assert_true(each_row(table_at(w, when[i]), see_middle, &m) > 100);
        assert_int_equal(run(w, "export", "bar.h5", "force_N", "--from", when[i], "--to", when[i]),
                         0);
        assert_int_equal(sscanf(strchr(w->out, '\n') + 1, "%lf,%lf", &t, &force), 2);
        double stress = m.stress / m.n, plastic = m.plastic / m.n;
        assert_true(fabs(stress * m.width * m.width - fabs(force)) < 0.01 * fabs(force));
        if (i == 0) assert_true(plastic == 0.0);
        else assert_true(fabs(stress - (300e6 + (plastic - 0.02) / 0.08 * 60e6)) < 2e6);
    }
}

static void fields_are_exported_and_reported(void **state)
{
    world      *w = *state;
    static char text[1 << 20];
    assert_int_equal(run(w, "run", BAR, "-q", "--end", "1", "--set", "nx=2", "-o", "bar.h5"), 0);
    assert_int_equal(run(w, "export", "bar.h5", "--field", "bar", "-o", "bar.pvd"), 0);
    read_whole(path_of(w, "bar/frame-00000.vtp"), text, sizeof text);
    assert_says(text, "Name=\"mises\"");
    assert_says(text, "Name=\"plastic_strain\"");
    assert_int_equal(run(w, "report", "bar.h5", "-o", "bar.html"), 0);
    read_whole(path_of(w, "bar.html"), text, sizeof text);
    assert_says(text, "Largest values of finite elements");
    assert_says(text, "<td>mises</td>");
    assert_int_equal(run(w, "export", "bar.h5", "--field", "ba", "-o", "bar.pvd"), 2);
    assert_says(w->err, "fields: bar");
}

static const char cantilever[] =
    "klingel: 1\ngravity: 0\nparameters: {kind: nonlinear, mass: lumped, elements: hex8, nz: 2}\n"
    "bodies:\n  arm:\n    type: flexible\n    flexible: \"{kind}\"\n    mass_matrix: \"{mass}\"\n"
    "    file:\n      mesh: {box: [0.4 m, 20 mm, 6 mm], parts: [8, 1, nz], elements: "
    "\"{elements}\"}\n"
    "      material: {E: 210 GPa, nu: 0.3, density: 7850 kg/m3}\n      mass: \"{mass}\"\n"
    "      modes: 30\n      statics: attachment\n      interfaces: [root, tip]\n"
    "      markers: {root: {set: x0, tie: rbe2}, tip: {set: x1, tie: rbe2}}\n"
    "joints: {clamp: {type: fixed, between: [ground, arm.root]}}\n";

/* the first four frequencies [Hz] that `klingel modes` prints */
static void frequencies(world *w, const char *kind, const char *mass, const char *elements,
                        const char *nz, double *out)
{
    assert_int_equal(
        run(w, "modes", "arm.yaml", "--set", kind, "--set", mass, "--set", elements, "--set", nz),
        0);
    int n = 0;
    for (const char *line = w->out; line && n < 4; line = strchr(line, '\n')) {
        double number, real, imaginary, hertz;
        if (*line == '\n') line++;
        if (sscanf(line, "%lf %lf %lf %lf", &number, &real, &imaginary, &hertz) == 4)
            out[n++] = hertz;
    }
    assert_int_equal(n, 4);
}

/* The same elements and the same mass matrix: frequencies of the nonlinear body, linearised at rest, are
 * those of the modal body to all digits that are printed. */
static void frequencies_are_those_of_the_modal_body(void **state)
{
    world                   *w          = *state;
    static const char *const mass[]     = {"mass=lumped", "mass=consistent"};
    static const char *const shape[][2] = {{"elements=hex8", "nz=2"}, {"elements=quad4", "nz=0"}};
    FILE                    *f          = fopen(path_of(w, "arm.yaml"), "w");
    assert_non_null(f);
    fputs(cantilever, f);
    fclose(f);
    for (int s = 0; s < 2; s++) {
        double lumped = 0.0;
        for (int i = 0; i < 2; i++) {
            double nodes[4], modes[4];
            /* shells of modal bodies have no lumped mass of the same kind */
            if (s == 1 && i == 0) continue;
            frequencies(w, "kind=nonlinear", mass[i], shape[s][0], shape[s][1], nodes);
            frequencies(w, "kind=modal", mass[i], shape[s][0], shape[s][1], modes);
            for (int k = 0; k < 4; k++)
                assert_true(fabs(nodes[k] / modes[k] - 1.0) < (s ? 2e-4 : 2e-6));
            if (i == 0) lumped = nodes[3];
            else if (s == 0)
                assert_true(fabs(nodes[3] / lumped - 1.0) > 1e-3); /* the choice matters */
        }
    }
}

/* up to the rows of the table of the driver */
#define CRUSH                                                                                      \
    "klingel: 1\ngravity: 0\nparameters: {kind: load-steps}\nbodies:\n  arm:\n    type: "          \
    "flexible\n"                                                                                   \
    "    flexible: nonlinear\n    file:\n      mesh: {box: [0.1 m, 20 mm, 20 mm], parts: [4, 1, "  \
    "1]}\n"                                                                                        \
    "      material: {E: 1 MPa, nu: 0.3, density: 1000 kg/m3}\n"                                   \
    "      markers: {root: {set: x0, tie: rbe2}, tip: {set: x1, tie: rbe2}}\njoints:\n"            \
    "  clamp: {type: fixed, between: [ground, arm.root]}\n"                                        \
    "  slide: {type: translational, between: [ground, arm.tip], at: [0.1, 0, 0], axis: x}\n"       \
    "  push: {type: driver, of: slide, coordinate: displacement, value: {linear_table: [[0, 0], "

static const char crush[] =
    CRUSH "[1, -0.12]]}}\nrun: {end: 1 s, every: 0.1 s}\nintegrator: {type: \"{kind}\"}\n";
static const char fast_crush[] =
    CRUSH "[0.01, -0.12]]}}\nrun: {end: 0.01 s, every: 1 ms}\nintegrator: {type: \"{kind}\"}\n";

static void an_element_turned_inside_out_stops_the_run(void **state)
{
    world *w = *state;
    FILE  *f = fopen(path_of(w, "crush.yaml"), "w");
    assert_non_null(f);
    fputs(crush, f);
    fclose(f);
    static const char *const kinds[] = {"kind=load-steps", "kind=central-differences"};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(run(w, "run", "crush.yaml", "-q", "--set", kinds[i]), 3);
        assert_says(w->err, "crush.yaml:5:3");
        assert_says(w->err, "stopped at t = ");
        assert_says(w->err, "'arm.element");
        assert_says(w->err, "turns inside out");
        assert_says(w->err, "refine the mesh");
    }
}

/* Pushed within 10 ms, all implicit integrators reach the state where no volume is left, and say so. */
static void implicit_integrators_name_the_flat_element(void **state)
{
    world      *w       = *state;
    const char *kinds[] = {"kind=generalized-alpha", "kind=newmark", "kind=hht"};
    FILE       *f       = fopen(path_of(w, "fast.yaml"), "w");
    assert_non_null(f);
    fputs(fast_crush, f);
    fclose(f);
    for (int i = 0; i < 3; i++) {
        double t;
        int    element;
        assert_int_equal(run(w, "run", "fast.yaml", "-q", "--set", kinds[i]), 3);
        assert_says(w->err, "fast.yaml:5:3");
        const char *at = strstr(w->err, "stopped at t = ");
        assert_non_null(at);
        assert_int_equal(sscanf(at, "stopped at t = %lf s: 'arm.element%d'", &t, &element), 2);
        /* 0.1 m are gone at 8.33 ms; an element of four */
        assert_true(t > 5e-3 && t < 0.1 / 12.0 && element >= 1 && element <= 4);
        assert_says(w->err, "turns inside out");
    }
}

/* A middle node is pulled along its edge until the corner behind it is inside out; all integration points still have a volume. */
static const char corner[] =
    "klingel: 1\ngravity: 0\nparameters: {kind: load-steps}\nbodies:\n  arm:\n    type: flexible\n"
    "    flexible: nonlinear\n    file:\n      mesh: {box: [20 mm, 20 mm, 20 mm], parts: [1, 1, "
    "1], "
    "elements: tet10}\n"
    "      material: {E: 10 MPa, nu: 0.3, density: 1000 kg/m3}\n"
    "      markers: {root: {set: x0, tie: rbe2}, mid: {at: [10 mm, 10 mm, 10 mm]}}\njoints:\n"
    "  clamp: {type: fixed, between: [ground, arm.root]}\nforces:\n"
    "  pull: {type: force, on: arm.mid, axis: x, value: {polynomial: [0, 200 N/s]}}\n"
    "run: {end: 3.4 s, every: 0.1 s}\nintegrator: {type: \"{kind}\"}\n";

static void an_element_inside_out_at_a_corner_stops_the_run(void **state)
{
    world      *w       = *state;
    const char *kinds[] = {"kind=load-steps", "kind=generalized-alpha"};
    FILE       *f       = fopen(path_of(w, "corner.yaml"), "w");
    assert_non_null(f);
    fputs(corner, f);
    fclose(f);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(run(w, "run", "corner.yaml", "-q", "--set", kinds[i]), 3);
        assert_says(w->err, "corner.yaml:5:3: stopped at t = 3.");
        assert_says(w->err, "(element 2 of the mesh) turns inside out at a corner");
    }
}

/* Times of rows are rounded (3 * 0.1 is not 0.3); what is missing to a row is no step of its own. */
static void load_steps_end_at_rows(void **state)
{
    world *w = *state;
    FILE  *f = fopen(path_of(w, "corner.yaml"), "w");
    assert_non_null(f);
    fputs(corner, f);
    fclose(f);
    assert_int_equal(run(w, "run", "corner.yaml", "--end", "2"), 0);
    assert_says(w->err, " 20 steps (0.1 to 0.1 s)");
}

/* Damping b K makes the fastest motion stiffer for explicit steps: their length has to follow b. */
static void explicit_steps_follow_the_damping(void **state)
{
    world             *w   = *state;
    static const char *b[] = {"b=1e-7", "b=1e-6"};
    FILE              *f   = fopen(path_of(w, "damped.yaml"), "w");
    assert_non_null(f);
    fputs("klingel: 1\ngravity: 0\nparameters: {b: 0}\nbodies:\n  arm:\n    type: flexible\n"
          "    flexible: nonlinear\n    rayleigh: [0, b]\n    file:\n"
          "      mesh: {box: [0.1 m, 20 mm, 20 mm], parts: [4, 1, 1]}\n"
          "      material: {E: 210 GPa, nu: 0.3, density: 7850 kg/m3}\n"
          "      markers: {root: {set: x0, tie: rbe2}, tip: {set: x1, tie: rbe2}}\njoints:\n"
          "  clamp: {type: fixed, between: [ground, arm.root]}\nforces:\n"
          "  load: {type: force, on: arm.tip, axis: z, value: 1 kN}\n"
          "run: {end: 1 ms, every: 0.1 ms}\nintegrator: {type: central-differences}\noutputs:\n"
          "  off: {expression: energy.balance}\n  lost: {expression: energy.lost}\n",
          f);
    fclose(f);
    for (int i = 0; i < 2; i++) {
        double t, off, lost;
        assert_int_equal(run(w, "run", "damped.yaml", "-q", "--set", b[i], "-o", "damped.h5"), 0);
        assert_int_equal(run(w, "export", "damped.h5", "off", "lost", "--from", "1e-3"), 0);
        assert_int_equal(sscanf(strchr(w->out, '\n') + 1, "%lf,%lf,%lf", &t, &off, &lost), 3);
        /* the load feeds in 0.2 J */
        assert_true(fabs(off) < 1e-3 * 0.2 && lost > 5e-4 && lost < 0.05);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(stress_carries_the_force, setup, teardown),
        cmocka_unit_test_setup_teardown(fields_are_exported_and_reported, setup, teardown),
        cmocka_unit_test_setup_teardown(frequencies_are_those_of_the_modal_body, setup, teardown),
        cmocka_unit_test_setup_teardown(an_element_inside_out_at_a_corner_stops_the_run, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(explicit_steps_follow_the_damping, setup, teardown),
        cmocka_unit_test_setup_teardown(load_steps_end_at_rows, setup, teardown),
        cmocka_unit_test_setup_teardown(implicit_integrators_name_the_flat_element, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(an_element_turned_inside_out_stops_the_run, setup,
                                        teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
