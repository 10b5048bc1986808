#include "language/track.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "geometry/path_check.h"
#include "unit/geometry/path_laws.h"

static const double PI = 3.14159265358979323846;

typedef struct result {
    kl_arena *arena;
    kl_diag  *diag;
    kl_track *track;
    kl_status status;
} result;

static result read_text(const char *text)
{
    result   r    = {.arena = kl_arena_create(), .diag = kl_diag_create()};
    kl_node *root = NULL;
    r.status      = kl_doc_parse(text, strlen(text), "t.yaml", r.arena, r.diag, &root);
    if (r.status == KL_OK)
        r.status = kl_track_build(root, "t.yaml", NULL, r.arena, r.diag, &r.track);
    return r;
}

static void done(result *r)
{
    kl_diag_destroy(r->diag);
    kl_arena_destroy(r->arena);
}

static result good(const char *text)
{
    result r = read_text(text);
    if (r.status != KL_OK) fail_msg("%s", kl_diag_size(r.diag) ? kl_diag_at(r.diag, 0)->text : "?");
    return r;
}

#define HEAD "klingel: 1\n"

static void a_layout_reads_as_it_is_spoken(void **unused)
{
    (void)unused;
    result a =
        good(HEAD "track:\n  layout: [straight 50 m, transition 60 m, curve 300 m radius for 200 m "
                  "cant 120 mm, transition 60 m, straight 100 m]\n");
    result b = good(HEAD "track:\n"
                         "  layout:\n"
                         "    - {straight: 50 m}\n"
                         "    - {transition: 60 m}\n"
                         "    - {curve: 300 m, turn: left, length: 200 m, roll: -asin(0.12/1.5)}\n"
                         "    - {transition: 60 m, shape: clothoid}\n"
                         "    - {straight: 0.1 km}\n");
    assert_close(a.track->path->length, 470, 1e-9);
    for (int i = 0; i <= 50; i++) {
        kl_path_point p = path_at(a.track->path, 470.0 * i / 50),
                      q = path_at(b.track->path, 470.0 * i / 50);
        assert_close(vec_error(p.r, q.r), 0.0, 1e-10);
        assert_close(vec_error(kl_axis(&p.A, 2), kl_axis(&q.A, 2)), 0.0, 1e-12);
    }
    kl_path_point mid = path_at(a.track->path, 235);
    assert_close(kl_norm(mid.dt), 1.0 / 300, 1e-12);
    assert_true(mid.dt.y > 0.0);                            /* to the left */
    assert_close(kl_axis(&mid.A, 1).z, -0.12 / 1.5, 1e-12); /* so the right rail is higher */
    done(&a), done(&b);
    a   = good(HEAD "track: {layout: [curve 300 m radius right for 100 m cant 5 deg]}\n");
    mid = path_at(a.track->path, 50);
    assert_true(kl_dot(mid.dt, kl_axis(&mid.A, 1)) < 0.0);
    assert_close(kl_axis(&mid.A, 1).z, sin(5 * PI / 180), 1e-12);
    done(&a);
    a = good(
        HEAD
        "track: {layout: [{curve: 100 m, angle: 90 deg}, transition 30 m bloss, straight 5 m]}\n");
    assert_close(a.track->path->length, 50 * PI + 35, 1e-9);
    done(&a);
}

static void corners_of_the_profile_are_grades_with_parabolas(void **unused)
{
    (void)unused;
    result a = good(HEAD "track:\n"
                         "  layout: [straight 1000 m]\n"
                         "  profile:\n"
                         "    - {at: 0 m, height: 100 m}\n"
                         "    - {at: 400 m, height: 104 m, radius: 5000 m}\n"
                         "    - {at: 1000 m, height: 98 m}\n");
    result b = good(HEAD "track:\n"
                         "  start: {position: [0, 0, 100]}\n"
                         "  layout: [straight 1000 m]\n"
                         "  profile:\n"
                         "    - {grade: 1 %, length: 350 m}\n"
                         "    - {to: -1 %, radius: 5000 m, shape: parabola}\n"
                         "    - {grade: -1 %, length: 550 m}\n");
    for (int i = 0; i <= 50; i++) {
        double s = a.track->path->length * i / 50;
        assert_close(vec_error(path_at(a.track->path, s).r, path_at(b.track->path, s).r), 0.0,
                     1e-9);
    }
    assert_close(path_at(a.track->path, a.track->path->length).r.z, 98.0, 1e-9);
    done(&a), done(&b);
}

static void points_may_roll_and_close(void **unused)
{
    (void)unused;
    char text[8000] = HEAD "track:\n  spline: quintic\n  closed: true\n  points:\n";
    for (int i = 0; i < 24; i++) {
        double w = 2 * PI * i / 24;
        size_t n = strlen(text);
        snprintf(text + n, sizeof text - n, "    - [%.9f, %.9f m, %.9f, %.9f deg]\n", 30 * cos(w),
                 30 * sin(w), 0.0, -10 + 2 * sin(w));
    }
    result         r = good(text);
    kl_path_cursor c = {0};
    kl_path_point  p, q;
    assert_close(r.track->path->length, 60 * PI, 1e-4);
    assert_close(asin(path_at(r.track->path, 15 * PI).A.m[2][1]), -8 * PI / 180, 1e-4);
    kl_path_eval_side(r.track->path, r.track->path->length, -1, &c, &p);
    kl_path_eval_side(r.track->path, 0.0, 1, &c, &q);
    assert_close(vec_error(p.kappa, q.kappa), 0.0, 1e-6);
    assert_close(vec_error(kl_axis(&p.A, 1), kl_axis(&q.A, 1)), 0.0, 1e-9);
    done(&r);
}

static void roll_by_length_goes_on_any_line_without_cant(void **unused)
{
    (void)unused;
    result r = good(HEAD "track:\n  layout: [straight 100 m]\n"
                         "  roll: [[0, 0 deg], [40 m, 0 deg], [60 m, 20 deg], [100 m, 20 deg]]\n");
    assert_close(asin(path_at(r.track->path, 50).A.m[2][1]), 10 * PI / 180, 1e-9);
    assert_close(asin(path_at(r.track->path, 80).A.m[2][1]), 20 * PI / 180, 1e-9);
    assert_close(kl_norm(path_at(r.track->path, 20).kappa), 0.0, 1e-12);
    done(&r);
}

static void segments_carry_their_frame(void **unused)
{
    (void)unused;
    result        r = good(HEAD "parameters: {r: 15 m}\n"
                                       "track:\n"
                                       "  start: {position: [1, 2, 3], heading: 90 deg, slope: 10 deg}\n"
                                       "  segments:\n"
                                       "    - {length: 10 m}\n"
                                       "    - {length: 2*pi*r/sqrt(2), up: 1/r, roll: 2*pi/sqrt(2)*1 rad}\n"
                                       "    - {length: 10 m, up: [0, 0.1], left: [0, -0.05], shape: bloss}\n");
    kl_path_point p = path_at(r.track->path, 0);
    assert_close(vec_error(p.r, kl_vec(1, 2, 3)), 0.0, 0.0);
    assert_close(vec_error(p.t, kl_vec(0, cos(PI / 18), sin(PI / 18))), 0.0, 1e-12);
    kl_path_point q = path_at(r.track->path, 10 + 2 * PI * 15 / sqrt(2));
    assert_close(vec_error(p.t, q.t), 0.0, 1e-10); /* the corkscrew comes out as it went in */
    assert_close(vec_error(kl_axis(&p.A, 2), kl_axis(&q.A, 2)), 0.0, 1e-10);
    done(&r);
}

static void resampling_converges_to_the_line_it_came_from(void **unused)
{
    (void)unused;
    const char *const line =
        "  layout: [straight 20 m, transition 40 m, curve 60 m radius for 50 m cant 20 deg, "
        "transition 40 m, straight 20 m]\n";
    double worst[2];
    char   text[1000];
    snprintf(text, sizeof text, HEAD "track:\n%s", line);
    result exact = good(text);
    for (int k = 0; k < 2; k++) {
        snprintf(text, sizeof text, HEAD "track:\n%s  resample: {spacing: %g m}\n  spline: cubic\n",
                 line, k ? 1.0 : 2.0);
        result r = good(text);
        worst[k] = 0.0;
        for (int i = 0; i <= 400; i++) {
            double s = exact.track->path->length * i / 400;
            worst[k] = fmax(
                worst[k], vec_error(path_at(r.track->path, s).r, path_at(exact.track->path, s).r));
        }
        assert_close(asin(path_at(r.track->path, 85).A.m[2][1]), -20 * PI / 180, 1e-6);
        done(&r);
    }
    assert_true(worst[1] < 1e-4);
    assert_true(log2(worst[0] / worst[1]) >
                2.0); /* the jump in the clothoid's rate limits the order */
    done(&exact);
}

static void settings_are_read_and_parameters_change_them(void **unused)
{
    (void)unused;
    const char      *text    = HEAD "parameters: {R: 100 m, kind: cubic}\n"
                                    "track:\n"
                                    "  layout: [curve R radius for 100 m]\n"
                                    "  frame: frenet\n"
                                    "  gauge: 1 m\n"
                                    "  table: {interpolation: quintic, error: 1e-8, second_error: 1e-5}\n"
                                    "  checks: {radius: 50 m, roll_rate: 1 deg/m}\n";
    kl_override      set     = {"R", "0.2 km"};
    kl_track_options options = {.set = &set, .nset = 1};
    result           r       = {.arena = kl_arena_create(), .diag = kl_diag_create()};
    kl_node         *root    = NULL;
    assert_int_equal(kl_doc_parse(text, strlen(text), "t.yaml", r.arena, r.diag, &root), KL_OK);
    assert_int_equal(kl_track_build(root, "t.yaml", &options, r.arena, r.diag, &r.track), KL_OK);
    assert_close(kl_norm(path_at(r.track->path, 3).dt), 1.0 / 200, 1e-12);
    assert_int_equal(r.track->table.method, KL_TABLE_QUINTIC);
    assert_close(r.track->table.error[KL_CLASS_POSITION], 1e-8, 0.0);
    assert_close(r.track->table.error[KL_CLASS_SECOND], 1e-5, 0.0);
    assert_close(r.track->limits.roll_rate, PI / 180, 1e-15);
    assert_string_equal(r.track->frame, "frenet");
    done(&r);
}

/* every mistake is told with its place and what to do */
static void mistakes_are_told_with_their_place(void **unused)
{
    (void)unused;
    const struct {
        const char *text, *says;
    } cases[] = {
        {"track: {}\n", "`klingel: 1`"},
        {"klingel: 2\ntrack: {}\n", "t.yaml:1:10: this program reads version 1"},
        {HEAD "trak: {}\n",
         "t.yaml:2:1: unknown key `trak` in a track file; did you mean `track`?"},
        {HEAD, "the section `track` is missing"},
        {HEAD "track: 3\n", "track is one value"},
        {HEAD "track: {}\n", "give `points`, `layout` or `segments`"},
        {HEAD "track: {points: [[0,0,0],[1,0,0]], layout: [straight 5 m]}\n",
         "both define the line"},
        {HEAD "track:\n  points: [[0, 0, 0], [1, 0, .nan], [2, 0, 0]]\n",
         "t.yaml:3:30: control point 2: z is .nan"},
        {HEAD "track:\n  points: [[0, 0, 0], [5, 0, 0], [5, 0, 0], [9, 0, 0]]\n",
         "t.yaml:3:34: control points 3 and 2 coincide"},
        {HEAD "track:\n  points: [[0, 0], [1, 0, 0]]\n", "[x, y, z] or [x, y, z, roll]"},
        {HEAD "track:\n  points: [[0, 0, 0, 0], [1, 0, 0], [2, 0, 0]]\n",
         "t.yaml:3:26: 1 of 3 control points have a roll"},
        {HEAD "track:\n  points: [[0, 0, 0 kg], [1, 0, 0]]\n", "t.yaml:3:19: z is `0 kg`, a mass"},
        {HEAD "track:\n  points: {file: missing.csv}\n",
         "missing.csv cannot be read: there is no such file"},
        {HEAD "track:\n  points: [[0, 0, 0], [1, 0, 0]]\n  spline: cubik\n",
         "t.yaml:4:11: spline is 'cubik'; did you mean 'cubic'?"},
        {HEAD "track:\n  layout: [straigt 5 m]\n", "`straigt 5 m` is not understood"},
        {HEAD "track:\n  layout: [straight 5 kg]\n", "t.yaml:3:21: length is `5 kg`, a mass"},
        {HEAD "track:\n  layout: [curve 300 m radius for 5 m cant 2 s]\n",
         "t.yaml:3:44: cant is `2 s`; give a height such as 120 mm or an angle"},
        {HEAD "track:\n  layout: [curve 300 m radius for 5 m cant 2 m]\n", "over a base of 1.5 m"},
        {HEAD "track:\n  layout: [curve 300 m radius cant 5 mm]\n", "either a length or an angle"},
        {HEAD "track:\n  layout: [curve 0 m radius for 5 m]\n", "radius of a curve is zero"},
        {HEAD "track:\n  layout: [straight -5 m]\n", "length is -5 m; it must be positive"},
        {HEAD "track:\n  layout: [transition 5 m, transition 6 m]\n",
         "two transitions follow each other"},
        {HEAD "track:\n  layout: [straight 5 m]\n  profile: [{grade: 1 m, length: 5 m}]\n",
         "give a grade such as 1.5 % or an angle"},
        {HEAD "track:\n  layout: [straight 5 m]\n  profile: [{grade: 0, length: 50 m}]\n",
         "give both the same length"},
        {HEAD "track:\n  layout: [straight 500 m]\n  profile: [{at: 0, height: 0}, {at: 100 m, "
              "height: 1 m, "
              "radius: 50 km}, {at: 200 m, height: 0}]\n",
         "overlap"},
        {HEAD "track:\n  segments: [{up: 1/20}]\n", "t.yaml:3:14: a segment needs a length"},
        {HEAD "track:\n  segments: [{length: 5 m, roll: 1 deg}]\n  frame: level\n",
         "define their own frame"},
        {HEAD "track:\n  segments: [{length: 1e9 m, up: 1e9}]\n",
         "has too large a curvature for its length"},
        {HEAD "track:\n  layout: [straight 10 m]\n  roll: [[0, 0], [20 m, 1 deg]]\n",
         "is outside the track"},
        {HEAD "track:\n  layout: [straight 10 m]\n  roll: [[5 m, 0], [2 m, 1 deg]]\n",
         "list the pairs in increasing order"},
        {HEAD "track:\n  layout: [curve 9 m radius for 5 m cant 1 deg]\n  roll: [[0, 0], [2 m, 1 "
              "deg]]\n",
         "roll is given twice"},
        {HEAD "track:\n  layout: [straight 10 m]\n  table: {interpolation: septic}\n",
         "give one of linear, cubic, quintic"},
        {HEAD "track:\n  layout: [straight 10 m]\n  resample: {spacing: 0 m}\n", "give a spacing"},
        {HEAD "track:\n  layout: [straight 10 m]\n  checks: {radios: 3 m}\n",
         "did you mean `radius`?"},
        {HEAD "track:\n  points: [[0, 0, 0], [1, 0, 0], [1.000001, 0, 0], [3, 0, 0], [4, 0, 0]]\n",
         "t.yaml:3:34: control points 2 and 3 are 1e-06 m apart, but the usual distance is 1 m"},
        {HEAD "track:\n  layout: [straight 10 m, curve 20 m radius for 100 m]\n"
              "  resample: {spacing: 1 m}\n  closed: true\n",
         "t.yaml:5:11: the line ends at (-9.17849, 14.3268, 0), 17.0147 m from its beginning"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        result r    = read_text(cases[i].text);
        bool   said = false;
        if (r.status == KL_OK) fail_msg("case %zu was taken", i);
        for (int k = 0; k < kl_diag_size(r.diag); k++)
            said = said || strstr(kl_diag_at(r.diag, k)->text, cases[i].says);
        if (!said)
            fail_msg("case %zu: '%s' was not said but '%s'", i, cases[i].says,
                     kl_diag_size(r.diag) ? kl_diag_at(r.diag, 0)->text : "nothing");
        done(&r);
    }
}

static void doubtful_points_are_taken_with_a_warning(void **unused)
{
    (void)unused;
    const struct {
        const char *text, *says;
    } cases[] = {
        {HEAD "track:\n  points: [[0, 0, 0], [1, 0, 0], [3, 0, 0], [2, 0.01, 0], [4, 0, 0], [5, 0, "
              "0]]\n",
         "t.yaml:3:23: warning: the line has a very small radius between control points 2 and 3"},
        {HEAD "track:\n  points: [[0, 0, 0], [1, 0, 0], [1.005, 0, 0], [3, 0, 0], [4, 0, 0]]\n",
         "t.yaml:3:34: warning: control points 2 and 3 are only 0.005 m apart"},
        {HEAD "track:\n  layout: [{curve: 20 m, angle: 359 deg}]\n  resample: {spacing: 1 m}\n  "
              "closed: true\n",
         "the line ends 0.349061 m from its beginning, at an angle of 1 deg to it"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        result r    = good(cases[i].text);
        bool   said = false;
        for (int k = 0; k < kl_diag_size(r.diag); k++) {
            const kl_message *m = kl_diag_at(r.diag, k);
            said                = said || strstr(m->text, cases[i].says);
        }
        if (!said)
            fail_msg("case %zu: '%s' was not said but '%s'", i, cases[i].says,
                     kl_diag_size(r.diag) ? kl_diag_at(r.diag, 0)->text : "nothing");
        done(&r);
    }
}

#define BENDS                                                                                      \
    "points: [[0,0,0],[10,1,0],[20,5,3],[30,5,5],[40,0,2],[50,-5,0]], spline: akima, frame: "      \
    "frenet, "

/* Second derivatives of a quintic are differences of rows: where short steps lose their digits, the message says what can be
 * reached, and doing as it says helps. */
static void a_table_that_cannot_be_made_says_where_and_what_helps(void **unused)
{
    (void)unused;
    static const struct {
        const char *text, *says;
    } cases[] = {
        {HEAD "track: {" BENDS "table: {interpolation: quintic, error: 1e-6}}\n",
         "t.yaml:2:44: the table cannot reach its accuracy at 38."},
        {HEAD "track: {" BENDS
              "table: {interpolation: quintic, error: 1e-7, second_error: 1e-4}}\n",
         NULL},
        {HEAD "track: {" BENDS "table: {interpolation: cubic, error: 1e-4}}\n", NULL},
        {HEAD "track: {" BENDS "table: {interpolation: quintic}}\n",
         NULL}, /* a millionth of what the columns hold */
        /* a track of a millimetre has curvatures of thousands */
        {HEAD "track: {points: [[0,0,0],[1e-4,1e-5,0],[2e-4,0,0],[5e-4,5e-5,2e-5],[1e-3,0,0]], "
              "spline: quintic, "
              "table: {interpolation: quintic}}\n",
         NULL},
        {HEAD "track: {points: [[0,0,0],[1e-4,1e-5,0],[2e-4,0,0],[5e-4,5e-5,2e-5],[1e-3,0,0]]}\n",
         NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        result         r = good(cases[i].text);
        kl_path_table *table;
        kl_status      s =
            kl_path_table_in_memory(r.track->path, &r.track->table, r.arena, r.diag, &table);
        const char *text = kl_diag_size(r.diag) ? kl_diag_at(r.diag, 0)->text : "nothing";
        if ((s == KL_OK) != !cases[i].says) fail_msg("case %zu: status %d, '%s'", i, (int)s, text);
        if (s == KL_OK) assert_true(table->nrow < 20000);
        if (cases[i].says &&
            !(strstr(text, cases[i].says) && strstr(text, "interpolation: cubic") &&
              strstr(text, "{second_error: ")))
            fail_msg("case %zu: '%s' was not said but '%s'", i, cases[i].says, text);
        done(&r);
    }
}

static void write_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void points_come_from_a_table_beside_the_file(void **unused)
{
    (void)unused;
    char folder[] = "/tmp/klingel-points-XXXXXX", yaml[100], csv[100];
    assert_non_null(mkdtemp(folder));
    snprintf(yaml, sizeof yaml, "%s/t.yaml", folder);
    snprintf(csv, sizeof csv, "%s/p.csv", folder);
    write_file(yaml, HEAD "track: {points: {file: p.csv, units: [mm, mm, m, deg]}}\n");
    write_file(csv,
               "# measured\nx,y,z,roll\n0,0,1,0\n1000; 0; 1; 90   # a comment\n\n2000 0\t1 90\r\n");
    result r = {.arena = kl_arena_create(), .diag = kl_diag_create()};
    r.status = kl_track_read(yaml, NULL, r.arena, r.diag, &r.track, NULL);
    if (r.status != KL_OK) fail_msg("%s", kl_diag_at(r.diag, 0)->text);
    assert_close(r.track->path->length, 2.0, 1e-12);
    assert_close(path_at(r.track->path, 2.0).A.m[2][1], 1.0, 1e-12);
    assert_close(path_at(r.track->path, 1.0).r.z, 1.0, 1e-12);
    kl_place place = kl_track_place(r.track, 0.5);
    assert_string_equal(place.file, csv);
    assert_int_equal(place.line, 3);
    done(&r);

    const struct {
        const char *csv, *says;
    } cases[] = {{"0,0,0\n1,0\n", "p.csv:2:4: fewer than three numbers"},
                 {"0,0,0\n1,x,0\n", "p.csv:2:3: a number is missing"},
                 {"0,0,0\n1,0,nan\n", "p.csv:2:5: this number is not finite"},
                 {"0,0,0,0,0\n", "p.csv:1:9: more than four numbers"},
                 {"", "needs at least 2 points"}};
    for (int i = 0; i < 5; i++) {
        write_file(csv, cases[i].csv);
        r        = (result){.arena = kl_arena_create(), .diag = kl_diag_create()};
        r.status = kl_track_read(yaml, NULL, r.arena, r.diag, &r.track, NULL);
        assert_true(r.status < 0);
        if (!strstr(kl_diag_at(r.diag, 0)->text, cases[i].says))
            fail_msg("'%s' was not said but '%s'", cases[i].says, kl_diag_at(r.diag, 0)->text);
        done(&r);
    }
    unlink(yaml), unlink(csv), rmdir(folder);
}

static void the_examples_are_sound(void **unused)
{
    (void)unused;
    const char *const names[] = {"railway", "roller-coaster", "loop-and-corkscrew", "circuit"};
    for (int i = 0; i < 4; i++) {
        char path[300];
        snprintf(path, sizeof path, "%s/examples/tracks/%s.yaml", KL_SOURCE_DIR, names[i]);
        result r = {.arena = kl_arena_create(), .diag = kl_diag_create()};
        r.status = kl_track_read(path, NULL, r.arena, r.diag, &r.track, NULL);
        if (r.status != KL_OK || kl_diag_size(r.diag) > 0)
            fail_msg("%s", kl_diag_at(r.diag, 0)->text);
        kl_path_report report;
        assert_int_equal(kl_path_check(r.track->path, 0, r.arena, &report), KL_OK);
        assert_int_equal(report.gap.count + report.kink.count + report.twist.count, 0);
        done(&r);
    }
}

static void every_track_of_the_documents_reads(void **unused)
{
    (void)unused;
    static char text[30000];
    FILE       *f = fopen(KL_SOURCE_DIR "/docs/tracks.md", "r");
    assert_non_null(f);
    text[fread(text, 1, sizeof text - 1, f)] = '\0';
    fclose(f);
    int count = 0;
    for (char *p = text; (p = strstr(p, "```yaml\n")) != NULL; count++) {
        char *begin = p + 8, *end = strstr(begin, "```");
        assert_non_null(end);
        *end = '\0';
        p    = end + 1;
        if (strstr(begin, "\ntracks:")) continue; /* a model, tried with the documents */
        result r = good(begin);
        if (kl_diag_size(r.diag) > 0) fail_msg("%s", kl_diag_at(r.diag, 0)->text);
        done(&r);
    }
    assert_true(count >= 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_layout_reads_as_it_is_spoken),
        cmocka_unit_test(corners_of_the_profile_are_grades_with_parabolas),
        cmocka_unit_test(points_may_roll_and_close),
        cmocka_unit_test(roll_by_length_goes_on_any_line_without_cant),
        cmocka_unit_test(segments_carry_their_frame),
        cmocka_unit_test(resampling_converges_to_the_line_it_came_from),
        cmocka_unit_test(settings_are_read_and_parameters_change_them),
        cmocka_unit_test(mistakes_are_told_with_their_place),
        cmocka_unit_test(doubtful_points_are_taken_with_a_warning),
        cmocka_unit_test(a_table_that_cannot_be_made_says_where_and_what_helps),
        cmocka_unit_test(points_come_from_a_table_beside_the_file),
        cmocka_unit_test(the_examples_are_sound),
        cmocka_unit_test(every_track_of_the_documents_reads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
