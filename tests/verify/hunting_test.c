/* Wheelsets and bogies with the general wheel-rail contact against independent solutions: eigenvalues
 * of the exact geometry (references `vehicles`), Carter's critical speed, Klingel's wavelength. */
#include "verify/example.h"

#include "solve/eigenvalues.h"
#include "solve/static_start.h"
#include "solve/statics.h"
#include "unit/railway/wheel_rail_reference.h"

/* The motion that grows fastest or decays slowest, neutral ones left out, above a frequency. */
typedef struct hunting {
    double growth, omega;
} hunting;

static hunting hunting_of(const kl_source *source, const kl_override *set, int n)
{
    kl_diag       *d        = kl_diag_create();
    kl_model      *m        = NULL;
    kl_simulation *s        = NULL;
    kl_linear     *l        = NULL;
    kl_spectrum   *spectrum = NULL;
    kl_equilibrium e        = {.moving = true};
    hunting        h        = {.growth = -INFINITY};
    kl_status      status   = kl_source_build(source, set, n, d, &m);
    if (status == KL_OK) status = kl_simulation_create(m, d, &s);
    if (status == KL_OK) status = kl_assemble_start(s->solver, d);
    if (status == KL_OK) status = kl_find_equilibrium(s->solver, &e, d);
    if (status == KL_OK) status = kl_linearize(s->solver, NULL, d, &l);
    if (status == KL_OK) status = kl_spectrum_find(s->solver, l, false, d, &spectrum);
    if (status != KL_OK) print_messages(d);
    assert_int_equal(status, KL_OK);
    for (int i = 0; i < spectrum->n; i++) {
        const kl_eigenmode *p = &spectrum->mode[i];
        if (!p->neutral && p->im > 0.0 && p->re > h.growth)
            h = (hunting){.growth = p->re, .omega = p->im};
    }
    kl_spectrum_destroy(spectrum);
    kl_linear_destroy(l);
    kl_simulation_destroy(s);
    kl_model_destroy(m);
    kl_diag_destroy(d);
    return h;
}

static kl_source *example_source(const char *name)
{
    char       path[512];
    kl_source *source = NULL;
    kl_diag   *d      = kl_diag_create();
    snprintf(path, sizeof path, "%s/examples/%s/model.yaml", KL_SOURCE_DIR, name);
    assert_int_equal(kl_source_read(path, d, &source), KL_OK);
    kl_diag_destroy(d);
    return source;
}

static const char wheelset_text[] =
    "klingel: 1\n"
    "parameters: {m: 1 kg, Ix: 1 kg m2, Iy: 1 kg m2, f11: 1 N, f22: 1 N, f23: 0 N m, f33: 0 N m2,\n"
    "  ky: 1 N/m, kpsi: 1 N m/rad, r0: 1 m, conicity: 0.1, l: 1 m, Rr: 0 m, speed: 70 m/s, W: 1 "
    "N}\n"
    "gravity: [0, 0, 0]\n"
    "bodies:\n"
    "  wheelset: {mass: m, inertia: [Ix, Iy, Ix], position: [0, 0, r0], spin_axis: y,\n"
    "    markers: {box: {spins: false}}, omega: [0, speed/r0*1 rad, 0]}\n"
    "joints:\n"
    "  pull: {type: point-on-plane, between: [ground, wheelset.box], at: [0, 0, r0], axis: x}\n"
    "forces:\n"
    "  load: {type: force, on: wheelset.box, axis: -z, value: W}\n"
    "  springs: {type: bushing, between: [ground, wheelset.box], stiffness: [0, ky, 0, 0, 0, "
    "kpsi]}\n"
    "  rails: {type: wheel-rail, between: [ground, wheelset], at: [[0, 0, 0], [0, 0, r0]],\n"
    "    radius: r0, half_gauge: l, conicity: conicity, rail_radius: Rr, speed: speed,\n"
    "    creep: linear, f11: f11, f22: f22, f23: f23, f33: f33, stiffness: 1e11 N/m, damping: 0}\n";

/* Rigid contact there, 1e11 N/m here; the spin moment f33 slightly brakes the wheelset there. */
static void one_wheelset_has_the_critical_speeds_of_the_exact_geometry(void **unused)
{
    (void)unused;
    static const char *const names[][2] = {{"m", "m_kg"},        {"Ix", "Ix_kgm2"},
                                           {"Iy", "Iy_kgm2"},    {"l", "l_m"},
                                           {"r0", "r0_m"},       {"f11", "f11_N"},
                                           {"f22", "f22_N"},     {"f23", "f23_Nm"},
                                           {"f33", "f33_Nm2"},   {"W", "W_N"},
                                           {"ky", "ky_N_per_m"}, {"kpsi", "kpsi_Nm_per_rad"},
                                           {"Rr", "Rr_m"},       {"conicity", "cone_tangent"}};
    enum { N = sizeof names / sizeof *names };
    reference  r      = reference_read("vehicles/wheelset_3d_critical_speed.csv");
    kl_diag   *d      = kl_diag_create();
    kl_source *source = NULL;
    assert_int_equal(
        kl_source_parse(wheelset_text, strlen(wheelset_text), "wheelset.yaml", d, &source), KL_OK);
    assert_int_equal(r.nrow, 9);
    for (int i = 0; i < r.nrow; i++) {
        kl_override set[N + 1];
        char        text[N + 1][32];
        double      V = reference_at(&r, i, "Vc_3D_m_per_s"), growth[2];
        for (int k = 0; k < N; k++) {
            snprintf(text[k], sizeof text[k], "%.12g", reference_at(&r, i, names[k][1]));
            set[k] = (kl_override){.name = names[k][0], .text = text[k]};
        }
        set[N] = (kl_override){.name = "speed", .text = text[N]};
        for (int k = 0; k < 2; k++) {
            snprintf(text[N], sizeof text[N], "%.12g", V * (k ? 1.0002 : 0.9998));
            hunting h = hunting_of(source, set, N + 1);
            growth[k] = h.growth;
            assert_close(h.omega / reference_at(&r, i, "omega_3D_rad_per_s"), 1.0, 5e-4);
        }
        if (!(growth[0] < 0.0 && growth[1] > 0.0))
            fail_msg("row %d: growth %g below and %g above %g m/s", i + 1, growth[0], growth[1], V);
    }
    kl_source_destroy(source);
    kl_diag_destroy(d);
    reference_free(&r);
}

/* Carter's equations: height and roll are held, the load is 10 N, whose stiffness is nothing. */
static void carters_wheelset_hunts_from_its_critical_speed_on(void **unused)
{
    (void)unused;
    kl_source  *source = example_source("carter-wheelset");
    char        speed[32];
    kl_override set[] = {{.name = "contact", .text = "general"}, {.name = "speed", .text = speed}};
    double      low = 70.0, high = 80.0;
    while (high - low > 1e-3) {
        snprintf(speed, sizeof speed, "%.9g", 0.5 * (low + high));
        if (hunting_of(source, set, 2).growth < 0.0) low = 0.5 * (low + high);
        else high = 0.5 * (low + high);
    }
    print_message("critical speed %.3f m/s, 74.260 by Carter's equations\n", low);
    assert_close(low, 74.2595, 0.2);
    kl_source_destroy(source);

    /* and in time: largest shift of the last second over that of the first */
    static const struct {
        const char *set;
        double      least, most;
    } runs[] = {{"contact=general speed=30 y0=1e-3", 0.0, 0.01},
                {"contact=general speed=74.247 y0=1e-3", 0.98, 1.02},
                {"contact=general speed=78 y0=1e-3", 2.0, 1e3}};
    for (int i = 0; i < 3; i++) {
        static example e;
        example_run("carter-wheelset", runs[i].set, 4.0, 0.002, (const char *const[]){"y_m", NULL},
                    &e);
        double first = 0.0, last = 0.0;
        for (int k = 0; k < e.n; k++) {
            if (e.t[k] > 0.2 && e.t[k] <= 1.2) first = fmax(first, fabs(e.value[k][0]));
            if (e.t[k] > 3.0) last = fmax(last, fabs(e.value[k][0]));
        }
        assert_true(last / first > runs[i].least && last / first < runs[i].most);
    }
}

static void bogies_have_the_critical_speeds_of_the_exact_geometry(void **unused)
{
    (void)unused;
    static const struct {
        const char *name;
        double      Vc, omega;
        int         n;
        kl_override set[8];
    } cases[]         = {{"B18", 70.005335425, 31.440449213, 0, {{0}}},
                         {"B20",
                          70.528083015,
                          39.877789076,
                          7,
                          {{.name = "conicity", .text = "0.2"},
                           {.name = "Ksy", .text = "400 kN/m"},
                           {.name = "Kspsi", .text = "400 kN m/rad"},
                           {.name = "Ksphi", .text = "1 MN m/rad"},
                           {.name = "Csy", .text = "40 kN s/m"},
                           {.name = "Cspsi", .text = "300 kN m s/rad"},
                           {.name = "Csphi", .text = "20 kN m s/rad"}}}};
    kl_source *source = example_source("bogie-hunting");
    for (int i = 0; i < 2; i++) {
        kl_override set[8];
        char        speed[32];
        hunting     h[2];
        memcpy(set, cases[i].set, sizeof set);
        set[cases[i].n] = (kl_override){.name = "speed", .text = speed};
        for (int k = 0; k < 2; k++) { /* 0.3 % below and above; the contact is elastic here */
            snprintf(speed, sizeof speed, "%.9g", cases[i].Vc * (k ? 1.003 : 0.997));
            h[k] = hunting_of(source, set, cases[i].n + 1);
        }
        if (!(h[0].growth < 0.0 && h[1].growth > 0.0))
            fail_msg("%s: growth %g below, %g above", cases[i].name, h[0].growth, h[1].growth);
        assert_close(0.5 * (h[0].omega + h[1].omega) / cases[i].omega, 1.0, 3e-3);
    }
    kl_source_destroy(source);
}

static double wavelength_of_cone(const char *set)
{
    static example e;
    example_run("klingel-cone", set, 20.0, 0.02, (const char *const[]){"distance_m", "y_m", NULL},
                &e);
    double first = NAN, last = NAN;
    int    n = 0;
    for (int k = 1; k < e.n; k++) {
        double y0 = e.value[k - 1][1], y1 = e.value[k][1];
        if (e.t[k] < 1.0 || !(y0 < 0.0 && y1 >= 0.0)) continue;
        double x = e.value[k - 1][0] - y0 * (e.value[k][0] - e.value[k - 1][0]) / (y1 - y0);
        if (n++ == 0) first = x;
        last = x;
    }
    assert_true(n >= 5);
    return (last - first) / (n - 1);
}

/* Klingel 1883: 2 pi sqrt(r0 l/conicity). A cone that rolls sideways over a rail head has a conicity
 * that is a little larger than its tangent, hence the 0.5 %. Elastic contact and contact by constraints
 * have the same geometry. */
static void a_cone_rolls_with_klingels_wavelength(void **unused)
{
    (void)unused;
    double elastic = wavelength_of_cone("y0=0.003"), rigid = wavelength_of_cone("contact=rigid");
    double klingel = 2.0 * acos(-1.0) * sqrt(0.46 * 0.75 / 0.05);
    print_message("wavelength %.4f m, rigid contact %.4f m, by Klingel's formula %.4f m\n", elastic,
                  rigid, klingel);
    assert_close(elastic / klingel, 1.0, 5e-3);
    assert_close(rigid / elastic, 1.0, 1e-3);
}

/* ---- limit cycles ---- */

/* Mean of the maxima of channel i after time `from`, each by the parabola through three rows, and the
 * frequency of rising zeros. */
static void cycle_of(const example *e, int i, double from, double *amplitude, double *frequency)
{
    double sum = 0.0, first = NAN, last = NAN;
    int    n = 0, zeros = 0;
    for (int k = 1; k + 1 < e->n; k++) {
        double a = e->value[k - 1][i], b = e->value[k][i], c = e->value[k + 1][i];
        if (e->t[k] < from) continue;
        if (b > 0.0 && b >= a && b > c)
            sum += b - (c - a) * (c - a) / (8.0 * (a - 2.0 * b + c)), n++;
        if (a < 0.0 && b >= 0.0) {
            last = e->t[k - 1] - a * (e->t[k] - e->t[k - 1]) / (b - a);
            if (zeros++ == 0) first = last;
        }
    }
    *amplitude = n ? sum / n : 0.0;
    *frequency = zeros > 1 ? (zeros - 1) / (last - first) : 0.0;
}

/* Cases C1, C2, C4 of the references `vehicles-nonlinear`, found there by shooting. */
static void limit_cycles_are_those_of_shooting(void **unused)
{
    (void)unused;
    static const struct {
        const char *set;
        double      amplitude, frequency;
    } cases[] = {{"speed=75 conicity=0.15 cubic=0 y0=7.5e-3", 7.4689257e-3, 7.8336167},
                 {"speed=75 conicity=0.15 cubic=0 y0=7.5e-3 creep=heuristic f11=7.44e6 f22=6.79e6",
                  7.5886307e-3, 7.8292575},
                 {"speed=67 y0=9e-3", 6.9460058e-3, 7.456874}};
    for (int i = 0; i < 3; i++) {
        static example e;
        double         A, f;
        example_run("hunting-limit-cycle", cases[i].set, 4.1, 0.002,
                    (const char *const[]){"y_m", NULL}, &e);
        cycle_of(&e, 0, 3.0, &A, &f);
        print_message("limit cycle %.5f mm, %.5f Hz; by shooting %.5f mm, %.5f Hz\n", 1e3 * A, f,
                      1e3 * cases[i].amplitude, cases[i].frequency);
        assert_close(A / cases[i].amplitude, 1.0, 5e-4);
        assert_close(f / cases[i].frequency, 1.0, 2e-4);
    }
}

/* Nadal: Y/Q while the wheel climbs is (tan b - mu)/(1 + mu tan b), b = 70 degrees. */
static void a_flange_climbs_at_nadals_limit(void **unused)
{
    (void)unused;
    static const char *const channels[] = {"YQ", "height_m", "rails.Q_left", NULL};
    static example           e;
    example_run("flange-climb", "push=100e3", 3.0, 0.002, channels, &e);
    double limit =
        (tan(70.0 / 57.29577951308232) - 0.3) / (1.0 + 0.3 * tan(70.0 / 57.29577951308232));
    double sum = 0.0;
    int    n   = 0;
    for (int k = 0; k < e.n; k++) {
        /* on the straight part of the flange */
        if (e.value[k][1] < 0.4615 || e.value[k][1] > 0.4675 || e.value[k][0] == 0.0) continue;
        sum += e.value[k][0], n++;
    }
    assert_true(n >= 5);
    print_message("Y/Q while climbing %.3f, Nadal's limit %.3f\n", sum / n, limit);
    assert_close(sum / n, limit, 0.03);
    assert_non_null(strstr(e.said, "derailed: the flange of the left wheel is above its rail"));
}

/* Angular frequency and growth rate by the rising zeros and the largest value between two of them. */
static void swing_of(const example *e, double *omega, double *growth)
{
    double first = NAN, last = NAN, top = 0.0, before = NAN, after = NAN;
    int    n = 0;
    for (int i = 1; i < e->n; i++) {
        top = fmax(top, e->value[i][0]);
        if (!(e->value[i - 1][0] < 0.0 && e->value[i][0] >= 0.0)) continue;
        double t = e->t[i] -
                   e->value[i][0] * (e->t[i] - e->t[i - 1]) / (e->value[i][0] - e->value[i - 1][0]);
        if (n == 1) before = top;
        if (n > 0) after = top;
        if (n++ == 0) first = t;
        last = t, top = 0.0;
    }
    assert_true(n > 4);
    *omega  = 2.0 * KL_PI * (n - 1) / (last - first);
    *growth = log(after / before) / (last - first);
}

/* WS01 to WS04 of paper 004: near 8.9 rad/s, and neutral, because the law is a spring with memory. */
static void coulomb_with_a_tangential_stiffness_is_neutral(void **unused)
{
    (void)unused;
    static const char *const channels[] = {"y_m", NULL};
    static const char *const eps_t[]    = {"1e7", "1e8", "1e9", "3.6e7"};
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < 2; i++) {
            char    set[64];
            example e;
            double  omega, growth, h = i ? 0.001 : 0.00025;
            snprintf(set, sizeof set, "eps_t=%s h=%g", eps_t[k], h);
            example_run("wheelset-on-circular-rails", set, 4.5, 5e-3, channels, &e);
            swing_of(&e, &omega, &growth);
            print_message("eps_t %s N/m, h %g ms: %.3f rad/s, growth %.4f 1/s\n", eps_t[k], 1e3 * h,
                          omega, growth);
            assert_close(omega, 8.9, 0.05); /* near 8.9: the springs vibrate on top of it */
            assert_true(fabs(growth) < 0.005);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_wheelset_has_the_critical_speeds_of_the_exact_geometry),
        cmocka_unit_test(carters_wheelset_hunts_from_its_critical_speed_on),
        cmocka_unit_test(bogies_have_the_critical_speeds_of_the_exact_geometry),
        cmocka_unit_test(a_cone_rolls_with_klingels_wavelength),
        cmocka_unit_test(coulomb_with_a_tangential_stiffness_is_neutral),
        cmocka_unit_test(limit_cycles_are_those_of_shooting),
        cmocka_unit_test(a_flange_climbs_at_nadals_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
