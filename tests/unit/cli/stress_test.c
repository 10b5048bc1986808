/* klingel stress as a user calls it: the cantilever of the examples against beam theory and Miner's
 * sum by hand, all formats, and what is said to wrong implied_parts. */
#include "unit/cli/run_program.h"

#include <math.h>

#include "store/h5.h"

static const double F = 200.0, L = 0.5, C = 0.01, I = 0.02 * 0.02 * 0.02 * 0.02 / 12.0;

static void copy_example(const world *w)
{
    char command[400];
    snprintf(command, sizeof command, "cp %s/examples/fatigue-beam/* %s", KL_SOURCE_DIR, w->folder);
    assert_int_equal(system(command), 0);
}

static void run_beam(world *w, const char *end)
{
    copy_example(w);
    assert_int_equal(run(w, "run", "model.yaml", "-o", "out.h5", "--end", end, "--quiet"), 0);
}

/* The line of a CSV whose fields 2 to 4 are nearest to a point; fields from the sixth on. */
static void values_at(const world *w, const char *file, int skip, double x, double y, double z,
                      double *values, int n)
{
    char  line[2000], name[100];
    FILE *f = fopen(path_of(w, file), "r");
    assert_non_null(f);
    double best = 1e30;
    while (fgets(line, sizeof line, f)) {
        char *p = line;
        for (int k = 0; k < skip; k++) p = strchr(p, ',') + 1;
        double at[3];
        if (sscanf(p, "%99[^,],%lf,%lf,%lf", name, &at[0], &at[1], &at[2]) != 4) continue;
        double d = hypot(hypot(at[0] - x, at[1] - y), at[2] - z);
        if (!(d < best)) continue;
        best = d;
        for (int k = 0; k < 4; k++) p = strchr(p, ',') + 1;
        for (int k = 0; k < n; k++) {
            char *end;
            values[k] = strtod(p, &end);
            p         = *end == ',' ? end + 1 : end;
        }
    }
    fclose(f);
    assert_true(best < 1e-9);
}

/* sigma = F (L - x) c / I where the clamp is far away; a quarter of the period is the peak. */
static void stress_of_the_cantilever_is_that_of_beam_theory(void **state)
{
    world *w = *state;
    double s[16];
    run_beam(w, "1");
    assert_int_equal(run(w, "stress", "out.h5", "--times", "0.25", "-o", "f.csv"), 0);
    char head[512];
    read_whole(path_of(w, "f.csv"), head, sizeof head);
    assert_says(head, "time_s,body,point,x_m,y_m,z_m,displacement.x_m,");
    assert_says(head, ",strain.zx,stress.xx_Pa,");
    for (int i = 3; i <= 8; i++) {
        double x = 0.05 * i, theory = F * (L - x) * C / I;
        values_at(w, "f.csv", 2, x, 0, -C, s, 16);
        assert_close(s[9] / theory, 1.0, 3e-3); /* stress.xx; 2e-4 of it is dynamics */
        assert_close(s[3] / (theory / 210e9), 1.0, 3e-3);
        values_at(w, "f.csv", 2, x, 0, C, s, 16);
        assert_close(s[9] / theory, -1.0, 3e-3);
    }
    /* the tip: bending and shear, without the clamp's hold on the section */
    values_at(w, "f.csv", 2, L, 0, C, s, 16);
    double tip = F * L * L * L / (3 * 210e9 * I) + F * L / (5.0 / 6 * 210e9 / 2.6 * 4e-4);
    assert_close(s[2] / tip, 1.0, 0.01);
}

/* Stress that changes linearly is extrapolated exactly: 1.67 (1 - 0.4 g) - 0.67 (1 - g) = 1 up to 2e-3 g.
 * The reading places are 20 and 50 mm in front of the toe; from the wrong side the value would differ
 * by twice the slope. */
static void structural_stress_of_the_cantilever_is_that_of_beam_theory(void **state)
{
    world      *w       = *state;
    const char *wrong[] = {"0.2,0,-0.01,1,0,0", "0.2,0,-0.01,0,0,0,0.05", "0.2,0,-0.01,1,0,0,-1",
                           "0.2,0,-0.01,1,0,0,edges", "a,b"};
    run_beam(w, "1");
    for (int way = -1; way <= 1; way += 2) {
        char   weld[64];
        double least, most, theory = 1e-6 * F * (L - 0.2) * C / I;
        snprintf(weld, sizeof weld, "0.2,0,-0.01,%d,0,0,0.05", way);
        assert_int_equal(run(w, "stress", "out.h5", "--weld", weld), 0);
        const char *p = strstr(w->out, "plate of 50 mm: ");
        assert_non_null(p);
        assert_int_equal(sscanf(p, "plate of 50 mm: %lf to %lf MPa", &least, &most), 2);
        assert_close(most / theory, 1.0, 5e-3);
        assert_close(least / theory, -1.0, 1e-2);
        snprintf(weld, sizeof weld, "0.2,0.01,-0.01,%d,0,0,edge", way);
        assert_int_equal(run(w, "stress", "out.h5", "--weld", weld), 0);
        assert_non_null(p = strstr(w->out, "edge of a plate: "));
        assert_int_equal(sscanf(p, "edge of a plate: %lf to %lf MPa", &least, &most), 2);
        assert_close(most / theory, 1.0, 1e-2);
        assert_says(w->err, "at most 4 mm"); /* this mesh is coarser */
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(run(w, "stress", "out.h5", "--weld", wrong[i]), 2);
        assert_says(w->err, "x,y,z,dx,dy,dz,t");
    }
    /* millimetres instead of metres, and a direction away from the surface */
    const char *beside[] = {"200,0,-10,1,0,0,0.05", "0.2,0,-0.01,0,0,-1,0.05"};
    for (size_t i = 0; i < sizeof beside / sizeof *beside; i++) {
        assert_int_equal(run(w, "stress", "out.h5", "--weld", beside[i]), 1);
        assert_says(w->err, "off the surface");
        assert_string_equal(w->out, "");
    }
}

static void damage_is_that_of_miner_by_hand(void **state)
{
    world *w = *state;
    double s[11];
    run_beam(w, "4");
    assert_int_equal(run(w, "stress", "out.h5", "--sn", "range=90MPa,cycles=2e6,slope=3", "--from",
                         "1.25", "--to", "3.25", "-o", "e.csv"),
                     0);
    assert_says(w->out, "damage");
    assert_says(w->err, "cycles of the signed von Mises stress, the default");
    assert_says(w->err, "give `--measure critical-plane` for multiaxial stress");
    values_at(w, "e.csv", 1, 0.25, 0, C, s, 11);
    /* two whole swings between two peaks */
    double range = s[9] - s[8], expected = 2.0 / (2e6 * pow(90e6 / range, 3));
    assert_close(range / (2 * F * (L - 0.25) * C / I), 1.0, 5e-3);
    assert_close(s[10] / expected, 1.0, 2e-3);
    /* Goodman about a mean near zero changes little, FAT and the model's own curve agree */
    assert_int_equal(run(w, "stress", "out.h5", "--top", "1", "--sn", "FAT90"), 0);
    static char class[1 << 16];
    snprintf(class, sizeof class, "%s", w->out);
    assert_int_equal(run(w, "stress", "out.h5", "--top", "1"), 0);
    assert_string_equal(class, w->out);
    assert_says(w->out, "life:");
    assert_says(w->err, "the default");
    /* no warning for a chosen measure, and none where no cycles are counted */
    assert_int_equal(run(w, "stress", "out.h5", "--top", "1", "--measure", "von-mises"), 0);
    assert_string_equal(class, w->out);
    assert_null(strstr(w->err, "warning"));
    assert_int_equal(run(w, "stress", "out.h5", "--points", "tip"), 0);
    assert_null(strstr(w->err, "von Mises"));
    /* the page of the viewer too */
    assert_int_equal(run(w, "view", "out.h5", "--sn", "FAT90", "--no-open", "-o", "a.html"), 0);
    assert_says(w->err, "the default");
    assert_int_equal(run(w, "view", "out.h5", "--sn", "FAT90", "--measure", "critical-plane",
                         "--no-open", "-o", "a.html"),
                     0);
    assert_null(strstr(w->err, "warning"));
    assert_int_equal(run(w, "view", "out.h5", "--measure", "principal"), 2);
    assert_says(w->err, "--measure needs an S-N curve");
    assert_int_equal(run(w, "view", "out.h5", "--sn", "FAT90", "--measure", "shear"), 2);
    assert_says(w->err, "--measure must be von-mises");
}

static void histories_and_fields_agree_in_all_formats(void **state)
{
    world *w = *state;
    run_beam(w, "0.5");
    assert_int_equal(run(w, "stress", "out.h5", "--points", "tip,hot,element:1", "-o", "h.h5"), 1);
    assert_says(w->err, "there is no stress data at element 1 (only at 0 elements and ");
    assert_says(w->err, "write `stress: {nodes: surface, elements: all}`");
    assert_int_equal(run(w, "stress", "out.h5", "--points", "beam.tip,hot,node:3,3", "-o", "h.h5"),
                     0);
    assert_int_equal(run(w, "stress", "out.h5", "--times", "0.25", "-o", "f.h5"), 0);
    assert_int_equal(run(w, "stress", "out.h5", "-o", "e.h5"), 0);
    char      why[KL_H5_WHY];
    kl_arena *a = kl_arena_create();
    kl_h5    *h = kl_h5_open(path_of(w, "h.h5"), KL_H5_READ, why),
          *f    = kl_h5_open(path_of(w, "f.h5"), KL_H5_READ, why),
          *e    = kl_h5_open(path_of(w, "e.h5"), KL_H5_READ, why);
    assert_true(h && f && e);
    int n = kl_h5_count(e, "beam/envelope/von_mises"), rows = kl_h5_count(h, "history/time");
    assert_int_equal(rows, 51);
    double *history = kl_h5_read_doubles(h, "history/beam.node_3", 16 * rows, a);
    double *field   = kl_h5_read_doubles(f, "beam/fields/0/stress", 6 * n, a),
           *worst   = kl_h5_read_doubles(e, "beam/envelope/von_mises", n, a);
    int *id         = kl_h5_read_ints(f, "beam/points/node_id", n, a);
    assert_true(history && field && worst && id);
    int node = 0;
    while (id[node] != 3) node++;
    double most = 0;
    for (int i = 0; i < rows; i++) most = fmax(most, history[16 * i + 15]);
    for (int c = 0; c < 6; c++) assert_close(history[16 * 25 + 9 + c], field[6 * node + c], 1e-3);
    assert_close(most / worst[node], 1.0, 1e-12);
    kl_h5_close(h, why), kl_h5_close(f, why), kl_h5_close(e, why);
    kl_arena_destroy(a);
    assert_int_equal(run(w, "stress", "out.h5", "-o", "e.vtp"), 0);
    assert_int_equal(run(w, "stress", "out.h5", "--times", "0.1,worst2", "-o", "s.pvd"), 1);
    assert_int_equal(run(w, "stress", "out.h5", "--times", "0.1,0.2", "-o", "s.pvd"), 0);
    assert_true(exists(w, "s/beam-00001.vtp"));
    char text[4096];
    read_whole(path_of(w, "e.vtp"), text, sizeof text);
    assert_says(text, "Name=\"von_mises_max\"");
    assert_int_equal(run(w, "report", "out.h5", "-o", "r.html"), 0);
    static char page[1 << 18];
    read_whole(path_of(w, "r.html"), page, sizeof page);
    assert_says(page, "<h2>Hot spots</h2>");
    assert_says(page, "S-N curve: 90 MPa");
}

static void wrong_wishes_are_answered_in_words(void **state)
{
    world *w = *state;
    run_beam(w, "0.1");
    const struct {
        int         code;
        const char *arguments[6], *says;
    } wrong[] = {
        {2, {NULL}, "give a results file"},
        {1, {"no.h5"}, "cannot be opened"},
        {1, {"out.h5", "bem"}, "did you mean 'beam'?"},
        {1, {"out.h5", "--points", "tp"}, "did you mean 'tip'?"},
        {1, {"out.h5", "--times", "7"}, "last from 0 to 0.1 s"},
        {1, {"out.h5", "--times", "soon"}, "is not a time"},
        {1, {"out.h5", "--from", "3"}, "no rows in this time range"},
        {2, {"out.h5", "--times", "0", "--points", "tip"}, "not both"},
        {2, {"out.h5", "--sn", "range=90"}, "is not a stress"},
        {2, {"out.h5", "--sn", "slop=3"}, "is not understood"},
        {2, {"out.h5", "--sn", "slope=0.5"}, "slope must be 1 or more"},
        {2, {"out.h5", "--sn", "FATx"}, "is not a FAT class"},
        {2, {"out.h5", "--sn", "range=90MPa,knee=1e6"}, "the knee must not be at fewer cycles"},
        {2, {"out.h5", "--sn", "range=90MPa,range=80MPa"}, "'range' is given twice"},
        {2, {"out.h5", "--apart", "-1"}, "must be a positive distance"},
        {1, {"out.h5", "--points", "hot:0"}, "there is no point 'hot:0'"},
        {2, {"out.h5", "--mean", "good"}, "--mean must be none, goodman"},
        {2, {"out.h5", "--mean", "gerber"}, "needs the ultimate strength"},
        {2, {"out.h5", "-o", "a.txt"}, "unknown file type"},
        {2, {"out.h5", "-o", "out.h5"}, "would overwrite"},
        {2, {"out.h5", "--points", "tip", "-o", "a.vtp"}, "histories of points"},
        {2, {"out.h5", "--measure", "shear"}, "--measure must be von-mises"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const char *a[8] = {"stress"};
        for (int k = 0; k < 6; k++) a[1 + k] = wrong[i].arguments[k];
        if (run_with(w, NULL, a) != wrong[i].code) fail_msg("case %zu: %d %s", i, w->code, w->err);
        assert_says(w->err, wrong[i].says);
    }
    /* a body file that does not ask for stress */
    assert_int_equal(
        system((snprintf(w->out, sizeof w->out, "sed -i '/^stress/d' %s/beam.yaml", w->folder),
                w->out)),
        0);
    assert_int_equal(run(w, "stress", "out.h5"), 1);
    assert_says(w->err, "stress: {nodes: surface}");
    assert_int_equal(run(w, "report", "out.h5", "-o", "r.html"), 0);
}

/* the body is read anew: what has become of it is told, and no folder that is not to blame */
static void what_has_changed_since_the_run_is_told(void **state)
{
    world                   *w          = *state;
    static const char *const cases[][2] = {
        {"s/^modes.*/modes: 7/",
         "'beam' has changed since this run: it had 6 modes and now has 9; run"},
        {"s/210 GPa/105 GPa/; s/7850/3925/",
         "has changed since this run: its mass was 1.57 kg and is now 0.785"},
        {"s/210 GPa/70 GPa/", "'beam' has changed since this run: mode 1 was at 67.07"},
        {"s/tip:  {set/nose: {set/; s/{tip:/{nose:/", "body 'beam' has no marker 'tip'"},
        {"s/^material/materialx/", "unknown key `materialx`"},
    };
    run_beam(w, "0.1");
    for (int i = 0; i < 5; i++) {
        char command[600];
        copy_example(w);
        snprintf(command, sizeof command, "sed -i '%s' %s/beam.yaml", cases[i][0], w->folder);
        assert_int_equal(system(command), 0);
        assert_int_equal(run(w, "stress", "out.h5"), 1);
        assert_says(w->err, cases[i][1]);
        assert_null(strstr(w->err, "start `klingel`"));
        assert_true((i > 2) ==
                    (strstr(w->err, "the model is rebuilt from the text in this file") != NULL));
    }
}

/* what the message says to do is enough */
static void elements_can_be_asked_for_after_the_run(void **state)
{
    world *w = *state;
    char   command[600];
    run_beam(w, "0.1");
    assert_int_equal(run(w, "stress", "out.h5", "--points", "node:99999"), 1);
    assert_says(w->err, "node 99999 is not on the surface, and has no stress data");
    assert_int_equal(run(w, "stress", "out.h5", "--points", "beam.element:5"), 1);
    assert_says(w->err, "there is no stress data at element 5 (only at 0 elements");
    snprintf(command, sizeof command, "sed -i 's/^stress.*/stress: {elements: all}/' %s/beam.yaml",
             w->folder);
    assert_int_equal(system(command), 0);
    assert_int_equal(run(w, "stress", "out.h5", "--points", "beam.element:5", "-o", "e.csv"), 0);
}

/* the modes after the first dozen too */
static void a_change_of_high_modes_is_told(void **state)
{
    world *w = *state;
    char   command[600];
    copy_example(w);
    snprintf(command, sizeof command, "sed -i 's/^modes.*/modes: 16/' %s/beam.yaml", w->folder);
    assert_int_equal(system(command), 0);
    assert_int_equal(run(w, "run", "model.yaml", "-o", "out.h5", "--end", "0.1", "--quiet"), 0);
    assert_int_equal(run(w, "stress", "out.h5"), 0);
    snprintf(command, sizeof command,
             "sed -i 's/^modes.*/modes: 18/; /^statics/d; /^interfaces/d' %s/beam.yaml", w->folder);
    assert_int_equal(system(command), 0);
    assert_int_equal(run(w, "stress", "out.h5"), 1);
    assert_says(w->err, "has changed since this run: mode 17 was at");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(stress_of_the_cantilever_is_that_of_beam_theory),
        CASE(structural_stress_of_the_cantilever_is_that_of_beam_theory),
        CASE(damage_is_that_of_miner_by_hand),
        CASE(histories_and_fields_agree_in_all_formats),
        CASE(wrong_wishes_are_answered_in_words),
        CASE(what_has_changed_since_the_run_is_told),
        CASE(elements_can_be_asked_for_after_the_run),
        CASE(a_change_of_high_modes_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
