/* Every joint and force of the catalogue holds on to a flexible body, between two of them, and
 * between a flexible and a rigid one: a short run keeps the constraints and the energy balance.
 * Tangents are the contract tests' matter. */
#include "unit/bodies/cloud.h"

#include <unistd.h>

#include "catalogue.h"
#include "unit/other_resources.h"
#include "unit/solve/simulate.h"

static char path[64];      /* of this process alone */
static char on_rails[128]; /* three metres below the marker `node` */

static const char *value_of(const kl_key *k, char *text, size_t size)
{
    *text = '\0';
    if (strcmp(k->name, "lower") == 0) snprintf(text, size, "-0.2"); /* a stop needs an end */
    /* a damper in series needs one, or a table */
    if (strcmp(k->name, "damping") == 0 && k->fallback && !*k->fallback)
        snprintf(text, size, "1.7");
    if (k->kind == KL_KEY_SHAPES) snprintf(text, size, "[{sphere: 0.1}, {sphere: 0.1}]");
    if (k->kind == KL_KEY_RESOURCE && !k->fallback) snprintf(text, size, "the-%s", k->words);
    if (strcmp(k->name, "closed") == 0) snprintf(text, size, "true"); /* a latch, a mark */
    if (k->fallback) return text;                                     /* defaults do */
    double usual = k->max > 0.0 ? fmin(1.7, 0.01 * k->max) : 1.7;
    if (k->kind == KL_KEY_NUMBER) snprintf(text, size, "%g", k->min > 0 ? 2 * k->min : usual);
    if (k->kind == KL_KEY_FUNCTION)
        snprintf(text, size, k->by ? "{table: [[-3, -4], [0, 0], [3, 4]]}" : "0.3");
    if (k->kind == KL_KEY_MATRIX6) snprintf(text, size, "5");
    if (k->kind == KL_KEY_NUMBERS) {
        snprintf(text, size, "[");
        for (int i = 0; i < k->size; i++)
            snprintf(text + strlen(text), size - strlen(text), "%s0.3", i ? ", " : "");
        snprintf(text + strlen(text), size - strlen(text), "]");
    }
    return text;
}

/* on the flexible body a, where the sample of the kind would be on the rigid frame of it */
static const char *attachment(const kl_attachment_kind *how)
{
    if (how == &kl_attach_pair || how == &kl_attach_joint)
        return "between: [a.node, b], at: [0.5, 0.2, 0.1]";
    if (how == &kl_attach_bodies) return "between: [a.node, b], stiffness: 1e3, law: linear";
    if (how == &kl_attach_groups) return "between: [[a.node, b], [c]], stiffness: 1e3, law: linear";
    if (how == &kl_attach_row) return "body: c, nodes: [a.node, b], stiffness: 1e3, law: linear";
    if (how == &kl_attach_one) return "on: a.triad";
    if (how == &kl_attach_set) return "pilot: a, nodes: [b]";
    if (how == &kl_attach_follow) return "body: a.node, on: b";
    if (how == &kl_attach_signals)
        return "inputs: {x: j1.angle, v: b.velocity.x}, outputs: {T: j1.torque, F: b.force.x}, "
               "states: {e: 0}, lua: \"T = -2*x - e; F = -3*v; e_dot = x - e\"";
    return how->sample;
}

/* keys: further ones of body a; second: type of body b */
static void check_type(const kl_element_type *t, const char *keys, const char *second)
{
    char text[4096] = "klingel: 1\ngravity: [0, 0, -2]\n", value[256], line[80];
    if (!t->attach->sample) return; /* has tests of its own */
    const char *where = attachment(t->attach);
    assert_non_null(where);                           /* a new way of attaching wants words here */
    if (strcmp(t->name, "linear-creep") == 0) return; /* not defined for a wheel at rest */
    /* a catenary is a system of its own: what it gives and takes is not in the energy balance */
    if (strcmp(t->name, "pantograph") == 0 || strcmp(t->name, "catenary-contact") == 0) return;
    /* its speed settles faster than the steps that positions need: the work of it is not resolved */
    if (strcmp(t->name, "speed-control") == 0) return;
    /* a wheelset on the flexible body, above rails on the other one */
    if (strstr(t->name, "wheel-rail")) where = on_rails;
    bool worn = strncmp(t->name, "worn-", 5) == 0; /* wants one of several keys */
    add_other_resources(text, sizeof text);
    snprintf(
        text + strlen(text), sizeof text - strlen(text),
        "tracks: {the-tracks: {points: [[-2, 0, 0], [0, 0, 0], [1, 0.1, 0], [2, 0.3, -0.2]]}}\n"
        "surfaces:\n  the-surfaces: {net: [[[-3, -3, 1], [-3, 0, 0.5], [-3, 3, 1]], [[0, -3, 0.5], "
        "[0, 0, 0], [0, 3, 0.5]], [[3, -3, 1], [3, 0, 0.5], [3, 3, 1]]]}\nbodies:\n"
        "  a: {type: flexible, file: %s, damping: 0.1%s}\n  b: {%s, position: [0.3, 0.1, 0]}\n"
        "  c: {mass: 1, inertia: [1, 1, 1], position: [-1, 0.5, 0.2]}\njoints:\n"
        "  j1: {type: revolute, between: [c, a.triad], axis: z}\n"
        "  j2: {type: cylindrical, between: [c, ground], at: [-1, 0.5, 0.2], axis: y}\n%s  "
        "it: {type: %s, %s",
        path, keys, second, section_line(t, line), t->name, where);
    if (worn) snprintf(text + strlen(text), sizeof text - strlen(text), ", stiffness: 50");
    if (strcmp(t->name, "joint-friction") == 0) /* one of several keys too */
        snprintf(text + strlen(text), sizeof text - strlen(text), ", torque: 0.3");
    for (const kl_key *k = t->keys; worn && k->name; k++)
        if (strcmp(k->name, "length") == 0)
            snprintf(text + strlen(text), sizeof text - strlen(text), ", length: 0.2");
    for (const kl_key *k = t->keys; k->name; k++)
        if (*value_of(k, value, sizeof value))
            snprintf(text + strlen(text), sizeof text - strlen(text), ", %s: %s", k->name, value);
    snprintf(text + strlen(text), sizeof text - strlen(text), "}\nintegrator: {tolerance: 1e-8}\n");
    built b;
    if (try_build(text, &b) != KL_OK) {
        print_messages(b.diag);
        print_error("%s on flexible and {%s} is not built:\n%s", t->name, second, text);
    }
    assert_non_null(b.model);
    static rows              r;
    static const char *const names[] = {"energy.balance", "drift.position", "drift.rotation", NULL};
    simulate(&b, 0.05, 0.01, names, &r, NULL);
    for (int i = 0; i < r.count; i++) {
        double lost = fabs(r.value[i][0] - r.value[0][0]) / (1 + fabs(r.value[0][0]));
        if (!(lost < 1e-4 && r.value[i][1] < 1e-8 && r.value[i][2] < 1e-8))
            print_error("%s with {%s}%s: balance %g to %g, gap %g m, %g rad\n", t->name, second,
                        keys, r.value[0][0], r.value[i][0], r.value[i][1], r.value[i][2]);
        assert_true(lost < 1e-4);
        assert_true(r.value[i][1] < 1e-8);
        assert_true(r.value[i][2] < 1e-8);
    }
    built_free(&b);
}

static void check_all(const kl_element_type *const *types)
{
    char  flexible[160], virtual[200];
    cloud c = cloud_make(9);
    snprintf(path, sizeof path, "/tmp/klingel-catalogue-%ld.kbody", (long)getpid());
    snprintf(flexible, sizeof flexible, "type: flexible, file: %s, damping: 0.1", path);
    snprintf(virtual, sizeof virtual, "%s, attach: virtual-body", flexible);
    cloud_write(&c, path);
    snprintf(on_rails, sizeof on_rails, "between: [b, a.node], at: [[%.9g, %.9g, %.9g], [0, 0, 0]]",
             c.x[0].x, c.x[0].y, c.x[0].z - 3.0);
    for (; *types; types++) {
        check_type(*types, "", "mass: 1, inertia: [1, 1, 1]");
        check_type(*types, "", flexible);
        check_type(*types, "", virtual);
        check_type(*types, ", stiffening: true", flexible);
        check_type(*types, ", conditions: constrained, reference: mean-axis", flexible);
    }
    remove(path);
}

static void every_joint_works_on_flexible_bodies(void **unused)
{
    (void)unused;
    check_all(kl_joint_types);
}

static void every_force_works_on_flexible_bodies(void **unused)
{
    (void)unused;
    for (const kl_element_section *s = kl_element_sections; s->section; s++)
        if (!s->joints) check_all(s->types);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_joint_works_on_flexible_bodies),
        cmocka_unit_test(every_force_works_on_flexible_bodies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
