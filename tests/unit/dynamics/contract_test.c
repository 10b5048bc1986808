/* The contract of every element in the catalogue: rows, bias, tangents, energy and free directions
 * against differences, in random configurations. A new type is in this test from its first day. */
#include "unit/build_model.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/rotation.h"
#include "catalogue.h"
#include "dynamics/slopes.h"
#include "unit/other_resources.h"

enum { MOST_MARKERS = 8, MOST_ROWS = 32, MOST_STATES = 64, MOST_HISTORY = 512, TRIALS = 20 };

/* ---- a model with one element of a type, all its keys set to something
 * ---------------------------------------------- */

static void key_text(const kl_key *k, char *out, size_t size)
{
    switch (k->kind) {
    case KL_KEY_NUMBER:
        if (strcmp(k->name, "lower") == 0) snprintf(out, size, "-0.2");
        else if (strcmp(k->name, "upper") == 0) snprintf(out, size, "0.1");
        else if (strcmp(k->name, "length") == 0) snprintf(out, size, "0.9");
        else if (strcmp(k->name, "full_speed") == 0) snprintf(out, size, "2.5");
        /* of parts that are crushed; together less than the distance of the markers */
        else if (strcmp(k->name, "gap") == 0) snprintf(out, size, "0.1");
        else if (strcmp(k->name, "stroke") == 0) snprintf(out, size, "0.6");
        else if (k->max > 0 && k->max < 1e300)
            snprintf(out, size, "%g", k->min + 0.37 * (k->max - k->min));
        else snprintf(out, size, "1.7");
        break;
    case KL_KEY_NUMBERS:
        snprintf(out, size, "[");
        for (int i = 0; i < k->size; i++)
            snprintf(out + strlen(out), size - strlen(out), "%s%g", i ? ", " : "", 0.3 + 0.1 * i);
        snprintf(out + strlen(out), size - strlen(out), "]");
        break;
    case KL_KEY_MATRIX6:
        /* full, symmetric: off-diagonal terms must be right too */
        snprintf(out, size, "[");
        for (int i = 0; i < 36; i++)
            snprintf(out + strlen(out), size - strlen(out), "%s%g", i ? ", " : "",
                     i % 7 == 0 ? 5.0 + i / 7 : 0.1 * ((i / 6) + (i % 6)));
        snprintf(out + strlen(out), size - strlen(out), "]");
        break;
    case KL_KEY_FUNCTION:
        if (k->by) snprintf(out, size, "{table: [[-3, -4], [-1, -1], [0, 0], [1, 2], [3, 9]]}");
        else snprintf(out, size, "{harmonic: {amplitude: 0.7, omega: 3, phase: 0.4}}");
        break;
    case KL_KEY_AXIS: snprintf(out, size, "x"); break;
    case KL_KEY_FLAG: snprintf(out, size, "true"); break;
    case KL_KEY_SHAPES: snprintf(out, size, "[{sphere: 0.7}, {sphere: 0.45}]"); break;
    case KL_KEY_RESOURCE:
        *out = '\0'; /* those that may be absent are left out */
        if (!k->fallback) snprintf(out, size, "the-%s", k->words);
        break;
    case KL_KEY_WORD: snprintf(out, size, "%.*s", (int)strcspn(k->words, " "), k->words); break;
    default: *out = '\0';
    }
}

static built one_of(const kl_element_type *t, int choice)
{
    char text[8192] = "klingel: 1\ngravity: [0, 0, 0]\n", line[80];
    add_other_resources(text, sizeof text);
    snprintf(
        text + strlen(text), sizeof text - strlen(text),
        "tracks: {the-tracks: {points: [[-4, 1, 0], [-2, 0, 1], [0, 0.5, 0.2], [2, 0, -0.5], [4, "
        "1, 0], "
        "[6, 3, 1]], "
        "spline: quintic, roll: [[0, 0 rad], [3, 0.8 rad], [9, -0.5 rad]], roll_spline: quintic}}\n"
        "surfaces: {the-surfaces: {net: [[[-3, -3, 1], [-3, 0, 0], [-3, 3, 1]], [[0, -3, 0.5], [0, "
        "0, 1], "
        "[0, 3, -1]], "
        "[[3, -3, 1], [3, 0, 0.3], [3, 3, 0]]], spline: quintic, at: [0.2, 0, 0]}}\n"
        "bodies:\n"
        "  a: {mass: 1, inertia: [1, 1, 1], position: [0.1, 0.2, 0.3], orientation: {cardan: [0.3, "
        "0.2, -0.4]}}\n"
        "  b: {mass: 1, inertia: [1, 1, 1], position: [1, 0.5, -0.2], orientation: {cardan: [-0.1, "
        "0.5, 0.2]}}\n"
        "  c: {mass: 1, inertia: [1, 1, 1], position: [-1, 0.5, 0.2]}\n"
        "joints:\n"
        "  j1: {type: cylindrical, between: [a, b], at: [0, 1, 0], axis: [1, 0, 2]}\n"
        "  j2: {type: cylindrical, between: [b, c], at: [1, 1, 0], axis: [0, 1, 2]}\n"
        "%s  it: {type: %s, %s",
        section_line(t, line), t->name, t->attach->sample);
    for (const kl_key *k = t->keys; k->name; k++) {
        char value[1024];
        key_text(k, value, sizeof value);
        if (k->kind == KL_KEY_WORD) {
            /* the choice-th word, if there is one */
            const char *w = k->words;
            for (int i = 0; i < choice && strchr(w, ' '); i++) w = strchr(w, ' ') + 1;
            snprintf(value, sizeof value, "%.*s", (int)strcspn(w, " "), w);
        }
        /* a line of contact needs two cylinders */
        if (strcmp(value, "hertz-line") == 0) snprintf(value, sizeof value, "flores");
        /* a path is driven by one of the two, or by none */
        if (strcmp(k->name, "drive_s") == 0 && choice % 3 != 0) *value = '\0';
        if (strcmp(k->name, "drive_speed") == 0 && choice % 3 != 1) *value = '\0';
        if (*value)
            snprintf(text + strlen(text), sizeof text - strlen(text), ", %s: %s", k->name, value);
    }
    snprintf(text + strlen(text), sizeof text - strlen(text), "}\n");
    return must_build(text);
}

/* ---- random motions -------------------------------------------------------------------------- */

static kl_vec3 random_vec(unsigned *seed, double size)
{
    double x = noise(seed), y = noise(seed), z = noise(seed);
    return kl_scale(size, kl_vec(x, y, z));
}

/* Every marker somewhere, turned by less than a radian against the first, moving. */
static void randomise(kl_motion *m, int n, unsigned *seed)
{
    kl_mat3 base = kl_rotation_exp(random_vec(seed, 2.0));
    for (int i = 0; i < n; i++) {
        kl_mat3 R = kl_rotation_exp(random_vec(seed, 0.6));
        m[i]      = (kl_motion){.r = random_vec(seed, 1.0),
                                .A = kl_matmul(&R, &base),
                                .v = random_vec(seed, 1.0),
                                .w = random_vec(seed, 1.0)};
    }
}

/* Markers carried along their velocities for a time. */
static void carry(const kl_motion *m, int n, double dt, kl_motion *out)
{
    for (int i = 0; i < n; i++) {
        kl_mat3 R = kl_rotation_exp(kl_scale(dt, m[i].w));
        out[i]    = m[i];
        out[i].r  = kl_axpy(dt, m[i].v, m[i].r);
        out[i].A  = kl_matmul(&R, &m[i].A);
    }
}

typedef struct answers {
    double phi[MOST_ROWS], phi_t[MOST_ROWS], rows[MOST_ROWS * 6 * MOST_MARKERS], bias[MOST_ROWS];
    double wrench[6 * MOST_MARKERS], z_dot[MOST_STATES];
    double energy, spent, loss, supply;
} answers;

/* Position stage and forces; in->cache is where the position stage writes. */
static kl_status ask(const kl_element_type *t, const kl_reading *in, answers *a)
{
    memset(a, 0, sizeof *a);
    kl_writing out = {.phi    = a->phi,
                      .phi_t  = a->phi_t,
                      .rows   = a->rows,
                      .bias   = a->bias,
                      .wrench = a->wrench,
                      .z_dot  = a->z_dot};
    if (t->locate) KL_TRY(t->locate(in, (void *)(uintptr_t)in->cache));
    kl_status status = t->eval(in, &out);
    a->energy = out.energy, a->spent = out.spent, a->loss = out.loss, a->supply = out.supply;
    return status;
}

static double power(const double *row, const kl_motion *m, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += kl_dot(kl_load(row + 6 * i), m[i].v) + kl_dot(kl_load(row + 6 * i + 3), m[i].w);
    return sum;
}

/* ---- the laws -------------------------------------------------------------------------------- */

static void check_close(const kl_element_type *t, const char *what, double a, double b,
                        double tolerance)
{
    if (!(fabs(a - b) <= tolerance * (1.0 + fabs(a) + fabs(b))))
        fail_msg("%s: %s is %.12g, differences say %.12g", t->name, what, a, b);
}

/* Rates of crossings against differences; an unknown rate is NaN, a value 0 is nothing to cross. */
static void check_crossings(const kl_element_type *t, int n, const kl_crossing *now,
                            const kl_crossing *up, const kl_crossing *down, double dt)
{
    for (int k = 0; k < n; k++) {
        bool none = now[k].value == 0.0 || up[k].value == 0.0 || down[k].value == 0.0;
        if (none || isnan(now[k].rate)) continue;
        check_close(t, "rate of a crossing", now[k].rate, (up[k].value - down[k].value) / (2 * dt),
                    1e-6);
    }
}

/* What a position stage finds must not depend on what its cache held before. */
static void check_memory(const kl_element_type *t, const kl_element *e, const kl_reading *in,
                         const kl_motion *elsewhere)
{
    answers    clean, used;
    kl_reading at = *in;
    if (!t->locate) return;
    memset((void *)(uintptr_t)in->cache, 0, (size_t)e->ncache);
    kl_status first = ask(t, in, &clean);
    at.m            = elsewhere;
    (void)ask(t, &at, &used);
    assert_int_equal(ask(t, in, &used), first);
    if (first == KL_OK) assert_memory_equal(&clean, &used, sizeof used);
}

static void check_tangents(const kl_model *m, const kl_element *e, const kl_reading *in,
                           unsigned *seed)
{
    size_t  wide = 6 * (size_t)e->nmarker, nz = (size_t)e->nz;
    size_t  n    = 2 * wide * wide + 3 * wide * nz + nz * nz;
    double *mine = calloc(2 * n, sizeof *mine), *theirs = mine + n, lambda[MOST_ROWS];
    void   *room = calloc(1, kl_difference_room(e) + 1);
    assert_non_null(mine);
    assert_non_null(room);
    for (int k = 0; k < MOST_ROWS; k++) lambda[k] = noise(seed);
    kl_slopes s[2];
    for (int i = 0; i < 2; i++) {
        s[i].K = i ? theirs : mine, s[i].C = s[i].K + wide * wide, s[i].wz = s[i].C + wide * wide;
        s[i].zk = s[i].wz + wide * nz, s[i].zc = s[i].zk + wide * nz, s[i].zz = s[i].zc + wide * nz;
    }
    e->type->tangent(in, lambda, &s[0]);
    kl_difference_slopes(m, e, in, lambda, NULL, room, &s[1]);
    for (size_t i = 0; i < n; i++) {
        char what[32];
        snprintf(what, sizeof what, "tangent[%zu]", i);
        check_close(e->type, what, mine[i], theirs[i], 1e-6);
    }
    free(mine);
    free(room);
}

static bool check_state(const kl_model *model, const kl_element *e, kl_reading in, unsigned *seed)
{
    enum { MOST_CROSSINGS = 64 };
    const kl_element_type *t  = e->type;
    const double           dt = 1e-5;
    kl_motion              ahead[MOST_MARKERS], behind[MOST_MARKERS];
    answers                now, up, down;
    kl_crossing            crossing[3][MOST_CROSSINGS] = {0};
    assert_true(e->nevent <= MOST_CROSSINGS);
    if (ask(t, &in, &now) != KL_OK) return false;
    if (e->nevent) t->crossings(&in, crossing[0]);

    /* along the motion, states z moving too */
    double     z_up[MOST_STATES], z_down[MOST_STATES];
    kl_reading later = in, earlier = in;
    carry(in.m, in.nmarker, dt, ahead);
    carry(in.m, in.nmarker, -dt, behind);
    for (int k = 0; k < e->nz; k++)
        z_up[k] = in.z[k] + dt * now.z_dot[k], z_down[k] = in.z[k] - dt * now.z_dot[k];
    later.m = ahead, later.t += dt, later.z = z_up;
    earlier.m = behind, earlier.t -= dt, earlier.z = z_down;
    if (ask(t, &later, &up) != KL_OK) return false;
    if (e->nevent) t->crossings(&later, crossing[1]);
    if (ask(t, &earlier, &down) != KL_OK) return false;
    if (e->nevent) t->crossings(&earlier, crossing[2]);
    check_crossings(t, e->nevent, crossing[0], crossing[1], crossing[2], dt);

    for (int k = 0; k < e->nphi; k++) {
        const double *row  = now.rows + (size_t)k * 6 * (size_t)in.nmarker;
        double        rate = power(row, in.m, in.nmarker) + now.phi_t[k];
        check_close(t, "phi' = rows V + phi_t", rate, (up.phi[k] - down.phi[k]) / (2 * dt), 1e-7);
        double rate_up =
            power(up.rows + (size_t)k * 6 * (size_t)in.nmarker, ahead, in.nmarker) + up.phi_t[k];
        double rate_down =
            power(down.rows + (size_t)k * 6 * (size_t)in.nmarker, behind, in.nmarker) +
            down.phi_t[k];
        check_close(t, "bias", now.bias[k], (rate_up - rate_down) / (2 * dt), 1e-6);
    }
    double force = 0.0;
    for (int k = 0; k < 6 * in.nmarker; k++) force = fmax(force, fabs(now.wrench[k]));
    if (t->only_constrains) assert_true(force == 0.0 && e->nphi > 0);
    /* what yields has a memory that random numbers do not make consistent: tests/verify/crash_test.c */
    if (e->nphi == 0 && now.spent == 0.0 && up.spent == 0.0 && down.spent == 0.0) {
        double stored = (up.energy - down.energy) / (2 * dt);
        check_close(t, "stored + lost - supplied power", stored + now.loss - now.supply,
                    -power(now.wrench, in.m, in.nmarker), 1e-6);
        assert_true(now.loss >= -1e-12);
    }

    check_memory(t, e, &in, ahead);
    assert_int_equal(ask(t, &in, &now), KL_OK);
    if (t->tangent) check_tangents(model, e, &in, seed);
    return true;
}

/* Any history: angles several turns away, counters, whole numbers that stand for a state. */
static void random_history(double *h, int n, unsigned *seed)
{
    for (int k = 0; k < n; k++)
        h[k] = noise(seed) > 0.0 ? 4.0 * noise(seed) : floor(2.0 + 2.0 * noise(seed));
}

static void check_type(const kl_element_type *t, int choice)
{
    built             b     = one_of(t, choice);
    int               index = kl_model_find_element(b.model, "it");
    const kl_element *e     = &b.model->element[index];
    unsigned          seed  = 7;
    int               asked = 0;
    assert_true(e->nmarker <= MOST_MARKERS && e->nphi <= MOST_ROWS && e->nz <= MOST_STATES &&
                e->nh <= MOST_HISTORY);
    void *cache = calloc(2, (size_t)e->ncache + 64);
    assert_non_null(cache);
    for (int i = 0; i < TRIALS; i++) {
        kl_motion m[MOST_MARKERS];
        double    z[MOST_STATES], h[MOST_HISTORY] = {0}, u[1] = {0};
        randomise(m, e->nmarker, &seed);
        for (int k = 0; k < 8; k++) z[k] = 0.1 * noise(&seed);
        if (i % 2) random_history(h, e->nh, &seed);
        kl_reading in = {.t        = 0.3 + noise(&seed),
                         .m        = m,
                         .z        = z,
                         .h        = h,
                         .u        = u,
                         .data     = e->data,
                         .nmarker  = e->nmarker,
                         .cache    = cache,
                         .accepted = (char *)cache + e->ncache + 64};
        asked += check_state(b.model, e, in, &seed);
    }
    if (asked < TRIALS / 2) fail_msg("%s: only %d of %d states evaluated", t->name, asked, TRIALS);
    free(cache);
    built_free(&b);
}

static void joints_keep_the_contract(void **unused)
{
    (void)unused;
    for (const kl_element_type *const *t = kl_joint_types; *t; t++)
        for (int choice = 0; choice < 6; choice++) check_type(*t, choice);
}

/* Elements that step on their own: what they do follows from their history, not from their markers
 * alone. tests/unit/catenary has theirs */
static bool steps_on_its_own(const kl_element_type *t)
{
    return strcmp(t->name, "pantograph") == 0 || strcmp(t->name, "catenary-contact") == 0;
}

/* those of all other sections too */
static void forces_keep_the_contract(void **unused)
{
    (void)unused;
    for (const kl_element_section *s = kl_element_sections; s->section; s++)
        for (const kl_element_type *const *t = s->types; *t && !s->joints; t++)
            for (int choice = 0; choice < 3 && (*t)->attach->sample && !steps_on_its_own(*t);
                 choice++)
                check_type(*t, choice);
}

/* ---- what is held and what is free
 * ------------------------------------------------------------------------------------ */

/* Directions of the second marker against the first that a joint leaves free, in marker axes: t
 * translation, r rotation. */
static const struct {
    const char *type, *free;
} freedoms[] = {{"fixed", ""},
                {"spherical", "rx ry rz"},
                {"revolute", "rz"},
                {"cylindrical", "tz rz"},
                {"translational", "tz"},
                {"planar", "tx ty rz"},
                {"point-on-line", "tz rx ry rz"},
                {"point-on-plane", "tx ty rx ry rz"},
                {"parallel", "tx ty tz rz"}};

static void joints_hold_what_they_must_and_free_the_rest(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof freedoms / sizeof *freedoms; i++) {
        char text[512];
        snprintf(text, sizeof text,
                 "klingel: 1\nbodies: {a: {mass: 1, inertia: [1, 1, 1]}, b: {mass: 1, inertia: [1, "
                 "1, 1]}}\n"
                 "joints: {it: {type: %s, between: [a, b], at: [0, 0, 0], axis: z}}\n",
                 freedoms[i].type);
        built             b    = must_build(text);
        const kl_element *e    = &b.model->element[0];
        kl_motion         m[2] = {{.A = kl_identity()}, {.A = kl_identity()}};
        double            h[2] = {0};
        kl_reading        in   = {.m = m, .h = h, .data = e->data, .nmarker = 2};
        answers           a;
        assert_int_equal(ask(e->type, &in, &a), KL_OK);
        int freed = 0;
        for (int d = 0; d < 6; d++) {
            const char *names[]  = {"tx", "ty", "tz", "rx", "ry", "rz"};
            bool        expected = strstr(freedoms[i].free, names[d]) != NULL, held = false;
            for (int k = 0; k < e->nphi; k++) held |= fabs(a.rows[12 * k + 6 + d]) > 1e-12;
            if (expected == held)
                fail_msg("%s: direction %s is %s", freedoms[i].type, names[d],
                         held ? "held" : "free");
            freed += expected;
        }
        assert_int_equal(e->nphi, 6 - freed);
        built_free(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joints_keep_the_contract),
        cmocka_unit_test(forces_keep_the_contract),
        cmocka_unit_test(joints_hold_what_they_must_and_free_the_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
