/* Beams with large deformations against solutions that were found by other means: elliptic integrals, shooting, a
 * spectral method. Three-node elements converge with the fourth power of their length, two-node elements with the second. */
#include "verify/example.h"

#include "unit/csv_table.h"

static example one, other;

static table reference(const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/tests/data/reference/%s.csv", KL_SOURCE_DIR, name);
    return table_read(path);
}

static int column(const table *t, const char *name)
{
    for (int c = 0; c < t->columns; c++)
        if (strcmp(t->names[c], name) == 0) return c;
    fail_msg("the reference has no column %s", name);
    return -1;
}

/* Largest difference of channel i from a column of the reference; row `first` + k of the run is row k of the table. */
static double apart(const example *e, int i, const table *t, const char *name, int rows, int first)
{
    double most = 0.0;
    int    c    = column(t, name);
    assert_true(e->n >= first + rows && t->rows >= rows);
    for (int k = 0; k < rows; k++) most = fmax(most, fabs(e->value[first + k][i] - table_at(t, k, c)));
    return most;
}

static double greatest(const table *t, const char *name)
{
    double most = 0.0;
    for (int r = 0; r < t->rows; r++) most = fmax(most, fabs(table_at(t, r, column(t, name))));
    return most;
}

static double elastica_error(const char *set)
{
    static const char *const channels[] = {"u_over_L", "w_over_L", "tip_rotation_rad", NULL};
    table                    t          = reference("beam_elastica_tip_load");
    double                   most       = 0.0;
    example_run("elastica", set, 10, 1, channels, &one);
    for (int i = 0; i < 3; i++) most = fmax(most, apart(&one, i, &t, channels[i], 10, 1));
    table_free(&t);
    return most;
}

static void the_elastica_converges_at_the_order_of_its_elements(void **unused)
{
    (void)unused;
    assert_true(elastica_error("") < 1e-6);
    double coarse = elastica_error("elements=8"), fine = elastica_error("elements=16");
    assert_true(coarse / fine > 14.0 && coarse / fine < 18.0);
    coarse = elastica_error("nodes=2 elements=16"), fine = elastica_error("nodes=2 elements=32");
    assert_true(coarse / fine > 3.7 && coarse / fine < 4.3);
}

static void a_beam_rolls_up_to_a_circle_and_beyond(void **unused)
{
    (void)unused;
    static const char *const channels[] = {"tip_x", "tip_y", "tip_rotation_rad", "end_moment", NULL};
    table                    t          = reference("beam_cantilever_rollup");
    example_run("roll-up", "", 2, 0.125, channels, &one);
    for (int i = 0; i < 2; i++) assert_true(apart(&one, i, &t, channels[i], t.rows, 0) < 1e-6 * 10.0);
    assert_true(apart(&one, 2, &t, "tip_rotation_rad", t.rows, 0) < 1e-10);
    assert_close(example_last(&one, 2), 4 * KL_PI, 1e-9);
    assert_close(example_last(&one, 0), 0.0, 1e-9);
    table_free(&t);
}

static void the_45_degree_bend_meets_the_exact_solution(void **unused)
{
    (void)unused;
    static const char *const channels[] = {"tip_x", "tip_y", "tip_z", NULL};
    table                    t          = reference("beam_bathe_45deg_bend");
    for (int id = 0; id < 2; id++) {
        example_run("bathe-bend", id ? "torsion_constant_id=1" : "", 1, 0.25, channels, &one);
        for (int load = 0; load < 3; load++)
            for (int i = 0; i < 3; i++)
                assert_close(one.value[2 + load][i], table_at(&t, 3 * id + load, 2 + i), 1e-6 * 100.0);
    }
    table_free(&t);
}

static void a_follower_force_keeps_to_the_section(void **unused)
{
    (void)unused;
    static const char *const channels[] = {"u_m", "v_m", "rot_rad", "Mroot_Nm", NULL};
    table                    t          = reference("beam_follower_tip");
    double error[2][4] = {{0}};
    for (int fine = 0; fine < 2; fine++) {
        example_run("follower-force", fine ? "" : "elements=48", 260, 2, channels, &one);
        for (int i = 0; i < 4; i++) error[fine][i] = apart(&one, i, &t, channels[i], 131, 0) / greatest(&t, channels[i]);
    }
    for (int i = 0; i < 4; i++) assert_true(error[1][i] < 1e-6 && error[0][i] > 14.0 * error[1][i]); /* fourth order: 16 */
    table_free(&t);
}

/* The value of channel i where channel k first reaches `at` after row `from`, by a cubic through four rows. */
static double meeting(const example *e, int i, int k, double at, int *from)
{
    int r = *from;
    while (r + 2 < e->n && !((e->value[r][k] <= at) == (at < e->value[r + 1][k]))) r++;
    *from     = r;
    int first = r > 0 ? r - 1 : 0;
    double sum = 0.0;
    for (int a = first; a < first + 4; a++) {
        double part = e->value[a][i];
        for (int b = first; b < first + 4; b++)
            if (b != a) part *= (at - e->value[b][k]) / (e->value[a][k] - e->value[b][k]);
        sum += part;
    }
    return sum;
}

static double said_limit(const example *e, int number)
{
    const char *at = e->said;
    for (int i = 0; i <= number && at; i++) at = strstr(at + 1, "reaches ");
    assert_non_null(at);
    return strtod(at + 8, NULL);
}

/* Limit loads of lee_frame.csv: +18556.7275 and -9414.4316 N */
static void lees_frame_passes_both_limit_points(void **unused)
{
    (void)unused;
    static const char *const channels[] = {"P_N", "u_m", "v_m", "th_load_rad", "nx_base_N", "ny_base_N", "th_base_rad", NULL};
    table                    t          = reference("lee_frame");
    example_run("lee-frame", "", 82, 0.25, channels, &one);
    assert_close(said_limit(&one, 0), 18556.72754, 1e-7 * 18556.0);
    assert_close(said_limit(&one, 1), -9414.43156, 1e-7 * 18556.0);
    /* the path through both of them, by the displacement u until it turns back */
    int u = column(&t, "u_m"), from = 0;
    for (int r = 20; r < t.rows && table_at(&t, r, u) > table_at(&t, r - 20, u); r += 20) {
        const double size[] = {18556.0, 1.0, 1.0, 1.0, 18556.0, 18556.0, 1.0};
        for (int i = 0; i < 7; i++)
            if (i != 1)
                assert_close(meeting(&one, i, 1, table_at(&t, r, u), &from), table_at(&t, r, column(&t, channels[i])), 2e-5 * size[i]);
    }
    table_free(&t);
}

/* Limit loads of arch_lambda5.csv: 39046.6055 and -58716.6482 N on the symmetric path */
static void a_shallow_arch_snaps_through(void **unused)
{
    (void)unused;
    static const char *const channels[] = {"P_N", "w_crown_m", "H_N", "V_N", "th_end_dev_rad", NULL};
    table                    t          = reference("arch_lambda5");
    example_run("shallow-arch", "", 170, 0.5, channels, &one);
    assert_close(said_limit(&one, 0), 39046.6055, 5e-7 * 39046.0);
    assert_close(said_limit(&one, 1), -58716.6482, 1e-6 * 58716.0);
    int from = 0;
    for (int r = 10; r < 200; r += 10) { /* the crown sinks all the way there */
        double w = table_at(&t, r, column(&t, "w_crown_m"));
        assert_close(meeting(&one, 0, 1, w, &from), table_at(&t, r, column(&t, "P_N")), 2e-5 * 39046.0);
        assert_close(meeting(&one, 2, 1, w, &from), table_at(&t, r, column(&t, "H_N")), 2e-5 * 5e5);
        assert_close(meeting(&one, 4, 1, w, &from), table_at(&t, r, column(&t, "th_end_dev_rad")), 2e-5);
    }
    table_free(&t);
}

/* own shooting solution of the same beam; bending about both axes with twist */
static void the_princeton_beam_bends_and_twists(void **unused)
{
    (void)unused;
    static const char *const channels[] = {"chordwise_m", "flapwise_m", "twist_deg", NULL};
    table                    t          = reference("princeton_beam");
    for (int r = 14; r < t.rows; r += 2) {
        char set[80];
        snprintf(set, sizeof set, "angle=%gdeg load=%.12gN", table_at(&t, r, 1), table_at(&t, r, 0));
        example_run("princeton-beam", set, 1, 0.5, channels, &one);
        for (int i = 0; i < 2; i++) assert_close(example_last(&one, i), table_at(&t, r, 2 + i), 1e-6 * 0.508);
        assert_close(example_last(&one, 2), table_at(&t, r, 4), 1e-5);
    }
    table_free(&t);
}

/* kane_spinup_beam.csv: a cable element without shear and rotary inertia, largest lag 0.57379 m */
static void a_beam_spins_up(void **unused)
{
    (void)unused;
    static const char *const channels[] = {"tip_u1_axial_m", "tip_u2_transverse_m", "hub_angle_rad", "tip_stretch", NULL};
    table                    t          = reference("kane_spinup_beam");
    /* errors are those of the tolerance: 2.3e-4 m at 1e-6, 4.8e-5 m at 1e-7, 1.8e-5 m at 1e-8; the reference is printed to 1e-5 */
    example_run("spin-up-beam", "elements=6 tolerance=1e-8", 10, 0.02, channels, &one);
    assert_close(example_peak(&one, 1), 0.57379, 1e-5);
    assert_true(apart(&one, 0, &t, "tip_u1_axial_m", 500, 0) < 5e-6);
    assert_true(apart(&one, 1, &t, "tip_u2_transverse_m", 500, 0) < 3e-5);
    assert_true(apart(&one, 2, &t, "hub_angle_rad", 500, 0) < 1e-6);
    table_free(&t);
}

static double flight_error(const char *set, const table *t)
{
    static const char *const ends[] = {"xA_m", "yA_m", "xB_m", "yB_m", NULL};
    double                   most   = 0.0;
    example_run("flying-beam", set, 5, 0.05, ends, &one);
    for (int i = 0; i < 4; i++) most = fmax(most, apart(&one, i, t, ends[i], 101, 0));
    return most;
}

/* flying_spaghetti_cw.csv: the load jumps, so that fronts run through the beam; the reference itself is good to 2e-4 m.
 * 1.7e-3 and 0.37e-3 m with 24 and 48 elements */
static void a_free_beam_flies(void **unused)
{
    (void)unused;
    static const char *const channels[] = {"xA_m", "yA_m", "xB_m", "yB_m", "xcm_m", "ycm_m", "Lz_kgm2_s", "KE_J", NULL};
    table                    t          = reference("flying_spaghetti_cw");
    double coarse = flight_error("elements=24", &t);
    example_run("flying-beam", "", 5, 0.05, channels, &one);
    for (int i = 0; i < 4; i++) assert_true(apart(&one, i, &t, channels[i], 101, 0) < fmin(5e-4, coarse / 3.0));
    for (int i = 4; i < 6; i++) assert_true(apart(&one, i, &t, channels[i], 101, 0) < 1e-6);
    assert_true(apart(&one, 6, &t, "Lz_kgm2_s", 101, 0) < 3e-3);
    table_free(&t);
}

/* flex_slider_crank_ancf16.csv: largest deflection of the rod's middle 0.009723 of its length, at 5.6 ms */
static void a_rod_of_beam_elements_bends_as_in_the_reference(void **unused)
{
    (void)unused;
    static const char *const channels[] = {"mid_over_L", "slider_x_m", NULL};
    example_run("beam-slider-crank", "", 0.0065, 1e-4, channels, &one);
    assert_close(example_peak(&one, 0), 0.009723, 0.003 * 0.009723);
}

/* The modal bodies with stiffening have no element in common with beams. The bars bend by some millimetres. */
static void a_double_pendulum_of_beams_moves_as_the_modal_one(void **unused)
{
    (void)unused;
    static const char *const channels[] = {"tip_x_m", "tip_z_m", "energy_J", NULL};
    example_run("beam-double-pendulum", "elements=4", 0.6, 0.02, channels, &one);
    example_run("flexible-double-pendulum", "", 0.6, 0.02, channels, &other);
    assert_int_equal(one.n, other.n);
    for (int r = 0; r < one.n; r++) {
        for (int i = 0; i < 2; i++) assert_close(one.value[r][i], other.value[r][i], 4e-5); /* bending moves the tip by 2.5e-3 m */
        assert_close(one.value[r][2], 0.0, 2e-5);
    }
}

static double lag_of_spinning_beam(const char *set)
{
    static const char *const channels[] = {"tip_u2_transverse_m", NULL};
    example_run("spin-up-beam", set, 5, 1, channels, &one);
    return example_last(&one, 0);
}

/* By how much the difference of the first two results is larger than that of the last two. */
static double ratio_of(const char *coarse, const char *middle, const char *fine)
{
    double a = lag_of_spinning_beam(coarse), b = lag_of_spinning_beam(middle), c = lag_of_spinning_beam(fine);
    return (b - a) / (c - b);
}

/* In motion too: fourth order in the length of three-node elements, second in that of two-node elements and in the step. */
static void errors_of_a_moving_beam_fall_at_the_orders(void **unused)
{
    (void)unused;
    assert_close(ratio_of("elements=2 step=0.01", "elements=4 step=0.01", "elements=8 step=0.01"), 16.0, 1.0);
    assert_close(ratio_of("nodes=2 elements=8 step=0.01", "nodes=2 elements=16 step=0.01", "nodes=2 elements=32 step=0.01"), 4.0, 0.1);
    assert_close(ratio_of("elements=4 step=0.01", "elements=4 step=5e-3", "elements=4 step=2.5e-3"), 4.0, 0.1);
}

/* Deflection of the rod's middle over its length, up to 0.0097; axial waves of the start ripple on the beam by 1e-5. */
static void a_slider_crank_of_beams_bends_as_the_modal_one(void **unused)
{
    (void)unused;
    static const char *const channels[] = {"mid_over_L", NULL};
    example_run("flexible-slider-crank", "stiffening=true", 0.0065, 1e-4, channels, &other);
    example_run("beam-slider-crank", "", 0.0065, 1e-4, channels, &one);
    assert_int_equal(one.n, other.n);
    for (int r = 0; r < one.n; r++) assert_close(one.value[r][0], other.value[r][0], 0.003 * 0.00973);
}

/* Quasi-static estimate without shear: 1.79 mm under the load, 7.40 mm at midspan; trolley at midspan: 42.5 mm, 33.7 kN
 * of axial force (linear theory 49.8 mm); crossing in about 0.89 s. */
static void a_rail_bends_under_a_trolley(void **unused)
{
    (void)unused;
    static const char *const channels[] = {"start_m", "midspan_m", "axial_N", NULL};
    example_run("overhead-conveyor", "mu=0 shear=100", 1e-6, 1e-6, channels, &one);
    assert_close(one.value[0][0], -1.79e-3, 5e-6);
    assert_close(one.value[0][1], -7.40e-3, 5e-6);
    example_run("overhead-conveyor", "mu=0 shear=100 place=1.8", 1e-6, 1e-6, channels, &one);
    assert_close(one.value[0][1], -42.5e-3, 1e-4);
    assert_close(one.value[0][2], 33.7e3, 200.0);
}

static void a_trolley_rolls_along_a_bent_rail(void **unused)
{
    (void)unused;
    static const char *const channels[] = {"trolley_z_m", "midspan_m", "axle_left.angle", "left.velocity.z", "energy.balance", NULL};
    example_run("overhead-conveyor", "step=2e-4", 0.95, 2e-3, channels, &one);
    int turn = 100;
    while (turn < one.n && one.value[turn][3] < 0.0) turn++;
    assert_close(one.t[turn], 0.89, 0.005);
    assert_close(one.value[turn][0], -3.6, 1e-3);      /* the mirrored position: little is lost */
    assert_close(example_peak(&one, 1), 42.7e-3, 2e-4); /* with shear, and the ripples of the rail */
    for (int r = 0; r < one.n; r += 10) assert_close(one.value[r][4], one.value[0][4], 1e-4 * 259.0);
    /* rolling without slip: the tread touches where it is as steep as the flange, at a radius of 48.75 mm, less half of the penetration depth of 0.6 mm */
    assert_close((one.value[turn][0] - one.value[0][0]) / (one.value[turn][2] - one.value[0][2]), 0.04845, 0.005 * 0.04845);
}

/* A bar that is pressed to nothing: the run stops and names the element and the time. */
static void an_element_turned_inside_out_stops_the_run(void **unused)
{
    (void)unused;
    static const char *const channels[] = {"v_mean_m_s", NULL};
    example_try("bar-impact", "elements=20 speed=6000m/s yield=1e6GPa", 1.5e-3, 5e-6, channels, KL_E_STOPPED, &one);
    assert_non_null(strstr(one.said, "inside out"));
    assert_non_null(strstr(one.said, "'bar.e"));
    assert_non_null(strstr(one.said, "stopped at t ="));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_elastica_converges_at_the_order_of_its_elements),
        cmocka_unit_test(a_beam_rolls_up_to_a_circle_and_beyond),
        cmocka_unit_test(the_45_degree_bend_meets_the_exact_solution),
        cmocka_unit_test(a_follower_force_keeps_to_the_section),
        cmocka_unit_test(lees_frame_passes_both_limit_points),
        cmocka_unit_test(a_shallow_arch_snaps_through),
        cmocka_unit_test(the_princeton_beam_bends_and_twists),
        cmocka_unit_test(a_beam_spins_up),
        cmocka_unit_test(a_free_beam_flies),
        cmocka_unit_test(a_rod_of_beam_elements_bends_as_in_the_reference),
        cmocka_unit_test(a_double_pendulum_of_beams_moves_as_the_modal_one),
        cmocka_unit_test(errors_of_a_moving_beam_fall_at_the_orders),
        cmocka_unit_test(a_slider_crank_of_beams_bends_as_the_modal_one),
        cmocka_unit_test(a_rail_bends_under_a_trolley),
        cmocka_unit_test(a_trolley_rolls_along_a_bent_rail),
        cmocka_unit_test(an_element_turned_inside_out_stops_the_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
