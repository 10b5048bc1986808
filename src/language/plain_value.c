/* Single values of a model file: lists of numbers, words, axes and the ways to write a rotation. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/rotation.h"
#include "language/values.h"

enum { WHAT = 256 }; /* longest lead of a message */

static kl_status wrong_length(kl_scope *s, const kl_node *n, const char *what, int size)
{
    const char *shape = size == 3 ? ": [x, y, z]" : "";
    if (n->kind == KL_LIST)
        return kl_fail(s->diag, KL_E_MODEL, n->place, "%s is a list of %d; give %d numbers%s", what,
                       n->size, size, shape);
    return kl_fail(s->diag, KL_E_MODEL, n->place, "%s is %s; give a list of %d numbers%s", what,
                   kl_node_kind_word(n->kind), size, shape);
}

kl_status kl_value_numbers(kl_scope *s, const kl_node *n, const char *what, const char *unit,
                           int size, double *out)
{
    if (n->kind != KL_LIST || n->size != size) return wrong_length(s, n, what, size);
    kl_status status = KL_OK;
    int       i      = 0;
    for (const kl_node *c = n->first; c; c = c->next, i++) {
        char item[WHAT], its[64];
        snprintf(item, sizeof item, "%s: entry %d", what, i + 1);
        snprintf(its, sizeof its, "%.*s", (int)strcspn(unit, "|"), unit);
        kl_status one = kl_scope_number(s, c, item, its, &out[i]);
        if (one != KL_OK) status = one;
        /* "m|m|rad": a unit for each entry; the last one holds for all that follow. */
        if (strchr(unit, '|')) unit = strchr(unit, '|') + 1;
    }
    return status;
}

kl_status kl_value_vec3(kl_scope *s, const kl_node *n, const char *what, const char *unit,
                        kl_vec3 *out)
{
    double x[3] = {0};
    KL_TRY(kl_value_numbers(s, n, what, unit, 3, x));
    *out = kl_load(x);
    return KL_OK;
}

kl_status kl_value_word(kl_scope *s, const kl_node *n, const char *what, const char **out)
{
    if (n->kind != KL_SCALAR)
        return kl_fail(s->diag, KL_E_MODEL, n->place, "%s is %s; give one word", what,
                       kl_node_kind_word(n->kind));
    KL_TRY(kl_scope_text(s, n->text, n->place, out));
    const kl_variable *v = kl_scope_find(s, *out);
    if (v && v->word) *out = v->word;
    return KL_OK;
}

static kl_status axis_by_letter(const char *text, kl_vec3 *out)
{
    double      sign = *text == '-' ? -1.0 : 1.0;
    const char *p    = *text == '-' || *text == '+' ? text + 1 : text;
    if (p[0] < 'x' || p[0] > 'z' || p[1]) return KL_E_MODEL;
    *out = kl_vec(p[0] == 'x' ? sign : 0, p[0] == 'y' ? sign : 0, p[0] == 'z' ? sign : 0);
    return KL_OK;
}

kl_status kl_value_axis(kl_scope *s, const kl_node *n, const char *what, kl_vec3 *out)
{
    if (n->kind == KL_SCALAR) {
        const char *word = NULL;
        KL_TRY(kl_value_word(s, n, what, &word));
        if (axis_by_letter(word, out) == KL_OK) return KL_OK;
        return kl_fail(s->diag, KL_E_MODEL, n->place,
                       "%s is '%s'; give x, y, z, -x, -y, -z or a direction such as [0, 0, 1]",
                       what, word);
    }
    double x[3] = {0};
    KL_TRY(kl_value_numbers(s, n, what, "*", 3, x));
    kl_vec3 v = kl_load(x);
    if (!(kl_norm(v) > 0.0))
        return kl_fail(s->diag, KL_E_RANGE, n->place,
                       "%s has length %g; give a direction such as [0, 0, 1]", what, kl_norm(v));
    *out = fabs(kl_norm(v) - 1.0) < 1e-15 ? v : kl_unit(v); /* a unit vector keeps its bits */
    return KL_OK;
}

static kl_status by_axis_angle(kl_scope *s, const kl_node *n, const char *what, kl_mat3 *out)
{
    kl_vec3        axis;
    double         angle = 0.0;
    const kl_node *a     = kl_node_get(n, "angle");
    KL_TRY(kl_value_axis(s, kl_node_get(n, "axis"), what, &axis));
    if (!a)
        return kl_fail(s->diag, KL_E_MODEL, n->place,
                       "%s has an axis but no angle; give {axis: z, angle: 90 deg}", what);
    KL_TRY(kl_scope_number(s, a, what, "rad", &angle));
    *out = kl_rotation_exp(kl_scale(angle, axis));
    return KL_OK;
}

static kl_status by_quaternion(kl_scope *s, const kl_node *n, const char *what, kl_mat3 *out)
{
    double p[4] = {0};
    KL_TRY(kl_value_numbers(s, kl_node_get(n, "quaternion"), what, "1", 4, p));
    double size = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]);
    if (!(fabs(size - 1.0) < 1e-3))
        return kl_fail(s->diag, KL_E_RANGE, n->place,
                       "%s: the quaternion has length %g; give a unit quaternion, scalar first",
                       what, size);
    kl_quat_normalize(p);
    *out = kl_quat_matrix(p);
    return KL_OK;
}

/* three turns, each about an axis of the body as turned so far: A = R1 R2 R3 */
static kl_status by_turns(kl_scope *s, const kl_node *n, const char *key, const char *axes,
                          const char *what, kl_mat3 *out)
{
    double angle[3] = {0};
    KL_TRY(kl_value_numbers(s, kl_node_get(n, key), what, "rad", 3, angle));
    *out = kl_identity();
    for (int i = 0; i < 3; i++) {
        double e[3]      = {0, 0, 0};
        e[axes[i] - 'x'] = angle[i];
        kl_mat3 R        = kl_rotation_exp(kl_load(e));
        *out             = kl_matmul(out, &R);
    }
    return KL_OK;
}

static kl_status by_euler(kl_scope *s, const kl_node *n, const char *what, kl_mat3 *out)
{
    return by_turns(s, n, "euler", "zxz", what, out);
}
static kl_status by_cardan(kl_scope *s, const kl_node *n, const char *what, kl_mat3 *out)
{
    return by_turns(s, n, "cardan", "xyz", what, out);
}

/* the columns of A one below the other as rows: kept to the bit */
static kl_status by_matrix(kl_scope *s, const kl_node *n, const char *what, kl_mat3 *out)
{
    double x[9] = {0};
    KL_TRY(kl_value_numbers(s, kl_node_get(n, "matrix"), what, "1", 9, x));
    kl_mat3 A  = {{{x[0], x[1], x[2]}, {x[3], x[4], x[5]}, {x[6], x[7], x[8]}}};
    kl_mat3 At = kl_transpose(&A), I = kl_matmul(&At, &A);
    double  off = 0.0;
    for (int i = 0; i < 9; i++) off = fmax(off, fabs(I.m[i / 3][i % 3] - (i % 4 == 0)));
    if (!(off < 1e-9) || kl_dot(kl_cross(kl_axis(&A, 0), kl_axis(&A, 1)), kl_axis(&A, 2)) < 0.0)
        return kl_fail(s->diag, KL_E_RANGE, n->place,
                       "%s: the matrix is not a rotation matrix: its columns must be orthogonal "
                       "unit vectors that form a right-handed frame",
                       what);
    *out = A;
    return KL_OK;
}

/* x along the first vector, y in the plane of both */
static kl_status by_vectors(kl_scope *s, const kl_node *n, const char *what, kl_mat3 *out)
{
    kl_vec3        x, y;
    const kl_node *second = kl_node_get(n, "y");
    KL_TRY(kl_value_axis(s, kl_node_get(n, "x"), what, &x));
    if (!second)
        return kl_fail(s->diag, KL_E_MODEL, n->place,
                       "%s has x but no y; give {x: [...], y: [...]}", what);
    KL_TRY(kl_value_axis(s, second, what, &y));
    kl_vec3 z = kl_cross(x, y);
    if (kl_norm(z) < 1e-9)
        return kl_fail(
            s->diag, KL_E_RANGE, n->place,
            "%s: x and y are parallel and define no plane; give two different directions", what);
    z    = kl_unit(z);
    *out = kl_from_axes(x, kl_cross(z, x), z);
    return KL_OK;
}

kl_status kl_value_rotation(kl_scope *s, const kl_node *n, const char *what, kl_mat3 *out)
{
    static const struct {
        const char *key;
        kl_status (*read)(kl_scope *s, const kl_node *n, const char *what, kl_mat3 *out);
        const char *with; /* the other key of this way */
    } ways[] = {{"axis", by_axis_angle, "angle"}, {"quaternion", by_quaternion, ""},
                {"euler", by_euler, ""},          {"cardan", by_cardan, ""},
                {"matrix", by_matrix, ""},        {"x", by_vectors, "y"}};
    for (size_t i = 0; n->kind == KL_MAP && i < sizeof ways / sizeof *ways; i++) {
        if (!kl_node_get(n, ways[i].key)) continue;
        for (const kl_node *c = n->first; c; c = c->next)
            if (strcmp(c->key, ways[i].key) && strcmp(c->key, ways[i].with))
                return kl_fail(s->diag, KL_E_MODEL, c->key_place,
                               "%s: `%s` and `%s` exclude each other; give one of them", what,
                               c->key, ways[i].key);
        return ways[i].read(s, n, what, out);
    }
    return kl_fail(s->diag, KL_E_MODEL, n->place,
                   "%s: give {axis: z, angle: 90 deg}, {quaternion: [w, x, y, z]}, {euler: [...]} "
                   "(about z, x, z), {cardan: [...]} "
                   "(about x, y, z), {x: [...], y: [...]} or {matrix: [9 numbers, by rows]}",
                   what);
}
