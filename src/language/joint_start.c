/* The model is built once more with a driver in each place where a joint has a start value, and
 * assembled; first positions, then, from there, velocities. What comes out is the start of the
 * model itself. */
#include "language/joint_start.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "catalogue.h"
#include "joints/coordinate.h"
#include "solve/solver.h"

/* What may be started: the outputs of joints that are coordinates, and their rates. */
static const struct quantity {
    const char   *name, *rate, *driven; /* as a driver calls it */
    kl_coordinate c;
} quantities[] = {{"angle", "angular_speed", "angle", {KL_ANGLE, 0, 0}},
                  {"displacement", "speed", "displacement", {KL_DOT2, 2, 0}},
                  {"length", "speed", "distance", {KL_DISTANCE, 0, 0}}};
enum { NQUANTITY = sizeof quantities / sizeof *quantities };

static const kl_output *output_of(const kl_element_type *type, const char *name)
{
    for (const kl_output *o = type->outputs; o && o->name; o++)
        if (strcmp(o->name, name) == 0) return o;
    return NULL;
}

/* A coordinate that the joint reports and does not hold. */
static bool is_free(const kl_element_type *type, int q)
{
    return output_of(type, quantities[q].name) && !strstr(type->holds, quantities[q].driven);
}

bool kl_joint_start_suits(const kl_element_type *type)
{
    if (!type->holds || type->attach != &kl_attach_pair) return false;
    for (int q = 0; q < NQUANTITY; q++)
        if (is_free(type, q)) return true;
    return false;
}

/* ---- reading --------------------------------------------------------------------------------- */

static kl_status is_fixed(kl_scope *s, const kl_node *start, const char *what, const char *name,
                          bool *out)
{
    const kl_node *list = kl_node_get(start, "fixed");
    *out                = false;
    if (!list) return KL_OK;
    for (const kl_node *c = list->kind == KL_LIST ? list->first : list; c;
         c                = list->kind == KL_LIST ? c->next : NULL) {
        const char *word;
        KL_TRY(kl_value_word(s, c, what, &word));
        if (!kl_node_get(start, word) || strcmp(word, "fixed") == 0)
            return kl_fail(s->diag, KL_E_NAME, c->place,
                           "%s: `fixed` lists '%s', but no value is given for it; add `%s: ...`",
                           what, word, word);
        *out |= strcmp(word, name) == 0;
    }
    return KL_OK;
}

static kl_status read_value(kl_scope *s, kl_model *m, const kl_entry *e, const kl_node *start,
                            int q, bool rate, int *used)
{
    kl_element     *j    = &m->element[m->nelement - 1];
    const char     *name = rate ? quantities[q].rate : quantities[q].name;
    const kl_node  *n    = kl_node_get(start, name);
    kl_joint_start *one;
    char            what[200];
    double          value = 0.0;
    bool            fixed;
    if (!n || !is_free(j->type, q)) return KL_OK;
    snprintf(what, sizeof what, "joint '%.100s': start: %s", e->name, name);
    KL_TRY(kl_scope_number(s, n, what, output_of(j->type, name)->unit, &value));
    snprintf(what, sizeof what, "joint '%.100s': start", e->name);
    KL_TRY(is_fixed(s, start, what, name, &fixed));
    if (!(one = kl_model_add_start(m))) return KL_E_MEMORY;
    *one = (kl_joint_start){.joint    = m->nelement - 1,
                            .quantity = q,
                            .name     = name,
                            .rate     = rate,
                            .fixed    = fixed,
                            .value    = value,
                            .place    = n->place};
    /* The angle of a joint is known up to full turns: the count starts nearest to this value. */
    if (!rate && quantities[q].c.kind == KL_ANGLE) j->turn = value;
    ++*used;
    return KL_OK;
}

kl_status kl_joint_start_read(kl_scope *s, kl_model *m, const kl_entry *e)
{
    const kl_node         *start = kl_entry_get(e, "start");
    const kl_element_type *type  = m->element[m->nelement - 1].type;
    const char            *known[2 * NQUANTITY + 2];
    int                    n = 0, used = 0;
    if (!start) return KL_OK;
    if (!kl_joint_start_suits(type))
        return kl_fail(s->diag, KL_E_MODEL, start->place,
                       "joint '%s': a %s has no coordinate with an initial value; give positions "
                       "and velocities of its bodies instead",
                       e->name, type->name);
    for (int q = 0; q < NQUANTITY; q++)
        if (is_free(type, q)) known[n++] = quantities[q].name, known[n++] = quantities[q].rate;
    if (start->kind != KL_MAP)
        return kl_fail(s->diag, KL_E_MODEL, start->place,
                       "joint '%s': start is %s; give values: {%s: ..., fixed: [%s]}", e->name,
                       kl_node_kind_word(start->kind), known[0], known[0]);
    known[n++]   = "fixed";
    known[n]     = NULL;
    kl_entry one = {.name = e->name, .section = "joint", .chain = {start, NULL}};
    kl_values_unknown(s, &one, "the start of", NULL, known);
    for (int q = 0; q < NQUANTITY; q++)
        for (int rate = 0; rate < 2; rate++) KL_TRY(read_value(s, m, e, start, q, rate, &used));
    return KL_OK;
}

/* ---- drivers --------------------------------------------------------------------------------- */

static const kl_element_type *driver_type(void)
{
    for (const kl_element_type *const *t = kl_joint_types; *t; t++)
        if (strcmp((*t)->name, "driver") == 0) return *t;
    return NULL;
}

/* Assembly meets initial values with temporary drivers x = value + rate t of the joint's
 * coordinate: position and rate at t = 0 are then constraints like those of any joint. The driver
 * has copies of the joint's markers. */
static kl_status add_driver(kl_scope *s, kl_model *m, const kl_start_driver *d)
{
    const kl_element_type *type  = driver_type();
    const kl_joint_start  *start = d->start;
    kl_node               *node  = NULL;
    kl_text                t     = {0};
    kl_text_add(&t, "{coordinate: %s, value: {polynomial: [", quantities[start->quantity].driven);
    kl_text_number(&t, d->value);
    kl_text_add(&t, ", ");
    kl_text_number(&t, d->rate);
    kl_text_add(&t, "]}}");
    char       *text = kl_text_finish(&t);
    const char *own  = kl_arena_text(m->arena, text ? text : "");
    free(text);
    if (!own) return KL_E_MEMORY;
    KL_TRY(kl_doc_parse(own, strlen(own), "start", m->arena, s->diag, &node));
    const char *name =
        kl_arena_format(m->arena, "start %s of %s", start->name, m->element[start->joint].name);
    kl_element *e = name ? kl_model_add_element(m, type, name, start->place, true) : NULL;
    if (!e || !e->data) return KL_E_MEMORY;
    e->of[0]       = start->joint;
    kl_entry entry = {
        .name = name, .section = "joint", .place = start->place, .chain = {node, NULL}};
    KL_TRY(kl_values_read(s, m, &entry, type->keys, e->data));
    for (int i = 0; i < 2; i++) {
        kl_marker copy = m->marker[m->element[start->joint].marker + i];
        KL_TRY(kl_model_add_marker(m, copy.body, &copy));
    }
    m->element[m->nelement - 1].nmarker = 2;
    return KL_OK;
}

kl_status kl_joint_start_drivers(kl_scope *s, kl_model *m, const kl_start_driver *list, int n)
{
    for (int i = 0; i < n; i++) KL_TRY(add_driver(s, m, &list[i]));
    return KL_OK;
}

/* ---- assembly -------------------------------------------------------------------------------- */

/* Value of the coordinate at q0. */
static double value_now(const kl_model *m, const kl_joint_start *start)
{
    const kl_element *j = &m->element[start->joint];
    kl_motion         pair[2];
    kl_scalar         x;
    memset(pair, 0, sizeof pair);
    for (int i = 0; i < 2; i++) {
        const kl_marker *k = &m->marker[j->marker + i];
        kl_vec3          r;
        kl_mat3          A;
        kl_model_pose(m, k->body, &r, &A);
        pair[i].r = kl_add(r, kl_mul(&A, k->r));
        pair[i].A = kl_matmul(&A, &k->A);
    }
    kl_coordinate_eval(quantities[start->quantity].c, pair, j->turn, &x);
    return x.x;
}

/* That it moved the model is no news: it was asked for. */
static void report_errors(const kl_diag *from, kl_diag *to)
{
    for (int i = 0; i < kl_diag_size(from); i++)
        if (kl_diag_at(from, i)->severity == KL_ERROR)
            kl_fail(to, kl_diag_at(from, i)->status, KL_NOWHERE, "%s", kl_diag_at(from, i)->text);
}

static bool is_given(const kl_model *m, int joint, int q)
{
    for (int i = 0; i < m->nstart; i++)
        if (m->start[i].joint == joint && m->start[i].quantity == q && !m->start[i].rate)
            return true;
    return false;
}

/* All coordinates of joints that no value is given for, to be kept as drawn. */
static int list_others(const kl_model *m, kl_joint_start *list)
{
    int n = 0;
    for (int i = 0; i < m->nelement; i++)
        for (int q = 0; q < NQUANTITY && kl_joint_start_suits(m->element[i].type); q++)
            if (is_free(m->element[i].type, q) && !is_given(m, i, q))
                list[n++] = (kl_joint_start){
                    .joint = i, .quantity = q, .name = quantities[q].name, .place = KL_NOWHERE};
    return n;
}

enum { WITH_DRAWN, WITH_GUESSES, ONLY_FIXED };

/* Builds with the values of one kind (positions or rates), assembles from the model's own start and
 * takes what comes out. */
static kl_status assemble_with(kl_model *m, bool rate, int what, kl_build_with build,
                               const void *context, kl_diag *diag)
{
    size_t           most   = (size_t)m->nstart + (size_t)NQUANTITY * (size_t)m->nelement + 1;
    kl_start_driver *list   = calloc(most, sizeof *list);
    kl_joint_start  *others = calloc(most, sizeof *others);
    kl_model        *with   = NULL;
    kl_solver       *x      = NULL;
    kl_diag         *quiet  = kl_diag_create();
    int              n      = 0;
    for (int i = 0; list && i < m->nstart; i++) {
        const kl_joint_start *s = &m->start[i];
        if (s->rate != rate || (!s->fixed && what == ONLY_FIXED)) continue;
        list[n++] = (kl_start_driver){s, rate ? value_now(m, s) : s->value, rate ? s->value : 0.0};
    }
    kl_status status = list && others && quiet ? KL_OK : KL_E_MEMORY;
    int       drawn  = status == KL_OK && what == WITH_DRAWN && n > 0 ? list_others(m, others) : 0;
    for (int i = 0; i < drawn; i++)
        list[n++] = (kl_start_driver){&others[i], value_now(m, &others[i]), 0.0};
    if (status == KL_OK && n > 0) status = build(context, list, n, quiet, &with);
    if (with) {
        memcpy(with->q0, m->q0, (size_t)m->nq * sizeof(double));
        memcpy(with->v0, m->v0, (size_t)m->nv * sizeof(double));
        if (status == KL_OK) status = kl_solver_create(with, &x);
        if (status == KL_OK) status = kl_assemble(x, quiet);
        if (status != KL_OK) report_errors(quiet, diag);
    }
    if (status == KL_OK && x && !rate) memcpy(m->q0, x->s->q, (size_t)m->nq * sizeof(double));
    if (status == KL_OK && x && rate) memcpy(m->v0, x->s->v, (size_t)m->nv * sizeof(double));
    kl_solver_destroy(x);
    kl_model_destroy(with);
    kl_diag_destroy(quiet);
    free(list);
    free(others);
    return status;
}

static kl_status solve_joint_start(kl_model *m, bool rate, kl_build_with build, const void *context,
                                   kl_diag *diag)
{
    const kl_joint_start *guess = NULL;
    for (int i = 0; i < m->nstart; i++)
        if (m->start[i].rate == rate && !m->start[i].fixed && !guess) guess = &m->start[i];
    /* in an open chain all else stays as drawn */
    if (!rate && assemble_with(m, rate, WITH_DRAWN, build, context, NULL) == KL_OK) return KL_OK;
    kl_status status = assemble_with(m, rate, WITH_GUESSES, build, context, guess ? NULL : diag);
    if (status == KL_OK || status == KL_E_MEMORY || !guess) return status;
    kl_note(diag, guess->place,
            "joint '%s': its initial guess %s contradicts the others; the assembly ignores all "
            "initial guesses; correct it, or remove it",
            m->element[guess->joint].name, guess->name);
    return assemble_with(m, rate, ONLY_FIXED, build, context, diag);
}

kl_status kl_joint_start_apply(kl_model *m, kl_build_with build, const void *context, kl_diag *diag)
{
    if (m->nstart == 0) return KL_OK;
    KL_TRY(solve_joint_start(m, false, build, context, diag));
    return solve_joint_start(m, true, build, context, diag);
}
