/* Builds a frozen model from the trees of the files: head and settings, then inputs, bodies, joints,
 * forces and outputs of all parts, in this order because later sections refer to earlier ones.
 * Reading continues after an error, so that one run reports all mistakes. */
#include "language/build.h"
#include "contact/contact.h"
#include "contact/contact_group.h"
#include "contact/contact_skin.h"
#include "language/attach_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "catalogue.h"
#include "language/attach.h"
#include "language/joint_extras.h"
#include "language/joint_start.h"
#include "language/other_names.h"
#include "language/outputs.h"
#include "language/parts.h"
#include "language/resources.h"
#include "language/shapes.h"
#include "language/start.h"
#include "model/groups.h"
#include "prepare/attachments.h"
#include "prepare/implied_parts.h"
#include "prepare/locks.h"
#include "solve/method_choice.h"
#include "solve/simulation.h"

enum {
    MOST_BODIES = 100000
}; /* about 1 GB once they are analysed; stated in docs/guide/limits.md */

static kl_scope *scope_of(kl_builder *b) { return &b->now->scope; }

/* ---- bodies, joints, forces
 * -------------------------------------------------------------------------------------------- */

static kl_status fresh_name(kl_builder *b, const kl_entry *e)
{
    const char *name = e->name;
    bool taken = kl_model_find_body(b->m, name) >= 0 || kl_model_find_element(b->m, name) >= 0 ||
                 kl_model_find_compound(b->m, name) >= 0;
    if (!*name)
        return kl_fail(b->diag, KL_E_NAME, e->place, "the name of this %s is empty; give a name",
                       e->section);
    for (const char *p = name; *p; p++)
        if (strchr(" \t\"'[],:{}()*/+=<>", *p))
            return kl_fail(b->diag, KL_E_NAME, e->place,
                           "the name '%s' contains '%c'; use only letters, digits, - and _", name,
                           *p);
    static const char *const reserved[] = {"energy", "drift", "input", "time"};
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        if (strcmp(name, reserved[i]) == 0)
            return kl_fail(b->diag, KL_E_NAME, e->place, "`%s` is reserved; choose another name",
                           name);
    if (taken)
        return kl_fail(b->diag, KL_E_NAME, e->place,
                       "the name '%s' is used twice; names of bodies, joints and forces must be "
                       "unique, so rename one",
                       name);
    return KL_OK;
}

/* The type that the user probably means: its name in other programs, or the nearest spelling. */
static const char *near_type(const char *word, const char *const *names)
{
    const char *other = kl_other_name(word);
    for (int i = 0; other && names[i]; i++)
        if (strcmp(names[i], other) == 0) return other;
    return kl_nearest(word, names);
}

/* Which type has this key? NULL: none. */
static const kl_body_type *type_with_key(const char *key)
{
    for (int i = 1; kl_body_types[i]; i++)
        for (const kl_key *k = kl_body_types[i]->keys; k->name; k++)
            if (strcmp(k->name, key) == 0) return kl_body_types[i];
    return NULL;
}

/* A body without `type` is rigid. Keys of another type show that `type` was forgotten. */
static const kl_body_type *type_not_given(kl_builder *b, const kl_entry *e)
{
    const kl_body_type *rigid = kl_body_types[1];
    if (kl_entry_get(e, "mass")) return rigid;
    for (int i = 0; e->chain[i]; i++)
        for (const kl_node *c = e->chain[i]->first; c; c = c->next) {
            const kl_body_type *type = type_with_key(c->key);
            if (!type || type == rigid) continue;
            kl_fail(b->diag, KL_E_NAME, c->key_place,
                    "body '%s' has no `type` and is therefore rigid, without a key `%s`; write "
                    "`type: %s`",
                    e->name, c->key, type->name);
            return type;
        }
    return rigid;
}

static const kl_body_type *body_type_of(kl_builder *b, const kl_entry *e)
{
    const kl_node *t = kl_entry_get(e, "type");
    const char    *word, *names[32];
    int            n = 0;
    if (!t) return type_not_given(b, e);
    if (kl_value_word(scope_of(b), t, "type", &word) != KL_OK) return NULL;
    for (int i = 1; kl_body_types[i] && n < 31; i++) {
        if (strcmp(kl_body_types[i]->name, word) == 0) return kl_body_types[i];
        names[n++] = kl_body_types[i]->name;
    }
    for (const kl_element_section *other = kl_element_sections; other->section; other++)
        for (int i = 0; other->types[i]; i++)
            if (strcmp(other->types[i]->name, word) == 0) {
                kl_fail(b->diag, KL_E_NAME, t->place,
                        "body '%s': '%s' belongs under `%s:`; move it there", e->name, word,
                        other->section);
                return NULL;
            }
    names[n]         = NULL;
    const char *near = near_type(word, names);
    kl_fail(b->diag, KL_E_NAME, t->place, "body '%s': there is no body type '%s'%s%s%s", e->name,
            word, near ? "; did you mean '" : "; `klingel list` shows the types", near ? near : "",
            near ? "'?" : "");
    return NULL;
}

/* The table that a word of the entry chooses: a flexible body that is nonlinear. */
static const kl_body_type *chosen_type(kl_builder *b, const kl_entry *e, const kl_body_type *type)
{
    const char    *word = NULL;
    const kl_node *n    = type->chosen ? kl_entry_get(e, type->choice_key) : NULL;
    if (!n || kl_value_word(scope_of(b), n, type->choice_key, &word) != KL_OK) return type;
    return strcmp(word, type->choice_word) == 0 ? type->chosen : type;
}

/* The model contains ground from the beginning; an entry only adds markers and shapes to it. */
static kl_status read_ground(kl_builder *b, kl_entry *e)
{
    static const char *const also[] = {"markers", "shape", NULL};
    for (const kl_node *c = e->chain[0] ? e->chain[0]->first : NULL; c; c = c->next)
        if (strcmp(c->key, "mass") == 0)
            return kl_fail(b->diag, KL_E_NAME, e->place,
                           "`ground` is reserved for the fixed body, which has no mass; choose "
                           "another name for this body");
    kl_values_unknown(scope_of(b), e, "ground", NULL, also);
    KL_TRY(kl_shapes_read(scope_of(b), b->m, e, 0));
    return kl_attach_markers(scope_of(b), b->m, e, 0);
}

/* An entry that represents many bodies and elements. */
static kl_status read_compound(kl_builder *b, kl_entry *e, const kl_body_type *type)
{
    static const char *const also[] = {"type", "like", "for", "when", NULL};
    kl_values_unknown(scope_of(b), e, type->name, type->keys, also);
    kl_compound *c = kl_model_add_compound(b->m, type, e->name, e->place);
    if (!c || !c->data) return KL_E_MEMORY;
    KL_TRY(kl_values_read(scope_of(b), b->m, e, type->keys, c->data));
    if (type->place && b->now->template) type->place(c->data, &scope_of(b)->place);
    return kl_model_expand(b->m, b->m->ncompound - 1, b->diag);
}

static kl_status read_body(kl_builder *b, kl_entry *e)
{
    static const char *const also[] = {"type", "like", "for", "when", "markers", "shape", NULL};
    if (strcmp(e->name, "ground") == 0) return read_ground(b, e);
    KL_TRY(fresh_name(b, e));
    if (b->m->nbody > MOST_BODIES) {
        kl_fail(b->diag, KL_E_RANGE, e->place, "the model has more than %d bodies; use fewer",
                MOST_BODIES);
        return KL_E_MEMORY; /* stops the reading */
    }
    const kl_body_type *type = body_type_of(b, e);
    if (!type) return KL_E_MODEL;
    type = chosen_type(b, e, type);
    if (type->expand) return read_compound(b, e, type);
    kl_values_unknown(scope_of(b), e, type->name, type->keys, also);
    kl_body *body = kl_model_add_body(b->m, type, e->name, e->place);
    if (!body || !body->data) return KL_E_MEMORY;
    KL_TRY(kl_shapes_read(scope_of(b), b->m, e, b->m->nbody - 1));
    kl_status status = kl_values_read(scope_of(b), b->m, e, type->keys, body->data);
    if (type->place && b->now->template) type->place(body->data, &scope_of(b)->place);
    KL_TRY(kl_shapes_own(b->m, b->m->nbody - 1));
    KL_TRY(kl_attach_markers(scope_of(b), b->m, e, b->m->nbody - 1));
    if (b->plain) kl_implied_parts_drop(body);
    /* add its markers even after an error, so that elements on them report no further error */
    kl_status markers = kl_attach_reduced(b->m, b->m->nbody - 1, b->diag);
    return status == KL_OK ? markers : status;
}

/* The element type of an entry; a type of another section gives a message. */
static const kl_element_type *element_type_of(kl_builder *b, const kl_entry *e,
                                              const kl_element_section *section)
{
    const kl_node *t = kl_entry_get(e, "type");
    const char    *word, *names[64];
    int            n = 0;
    if (!t && section->usual) return section->usual;
    if (!t) {
        kl_fail(b->diag, KL_E_MODEL, e->place,
                "%s '%s': type is missing; write for example `type: %s` (`klingel list` shows all "
                "types)",
                b->word, e->name, section->types[0]->name);
        return NULL;
    }
    if (kl_value_word(scope_of(b), t, "type", &word) != KL_OK) return NULL;
    for (int i = 0; section->types[i]; i++) {
        if (strcmp(section->types[i]->name, word) == 0) return section->types[i];
        if (n < 63) names[n++] = section->types[i]->name;
    }
    for (const kl_element_section *other = kl_element_sections; other->section; other++)
        for (int i = 0; other->types[i]; i++)
            if (strcmp(other->types[i]->name, word) == 0) {
                kl_fail(b->diag, KL_E_NAME, t->place,
                        "%s '%s': '%s' belongs under `%s:`; move it there", b->word, e->name, word,
                        other->section);
                return NULL;
            }
    names[n]         = NULL;
    const char *near = near_type(word, names);
    kl_fail(b->diag, KL_E_NAME, t->place, "%s '%s': there is no %s type '%s'%s%s%s", b->word,
            e->name, b->word, word, near ? "; did you mean '" : "; `klingel list` shows the types",
            near ? near : "", near ? "'?" : "");
    /* with the type that was probably meant, so that further errors are reported at once */
    for (int i = 0; near && section->types[i]; i++)
        if (strcmp(section->types[i]->name, near) == 0) return section->types[i];
    return NULL;
}

static const kl_element_section *section_being_read(const kl_builder *b)
{
    const kl_element_section *s = kl_element_sections;
    while (strcmp(s->section, b->section) != 0) s++;
    return s;
}

static kl_status read_element(kl_builder *b, kl_entry *e)
{
    const kl_element_section *section = section_being_read(b);
    const char               *also[64];
    KL_TRY(fresh_name(b, e));
    const kl_element_type *type = element_type_of(b, e, section);
    if (!type) return KL_E_MODEL;
    if (type == &kl_contact && kl_attach_is_group(kl_entry_get(e, "between")))
        type = &kl_contact_group;
    if (type == &kl_contact && kl_contact_names_skin(kl_entry_get(e, "shapes")))
        type = &kl_contact_on_skin;
    kl_attach_keys(type, also, 64);
    kl_values_unknown(scope_of(b), e, type->name, type->keys, also);
    kl_entry given = *e;
    KL_TRY(kl_joint_clearance(scope_of(b), b->m, e, &type, &given));
    kl_element *element = kl_model_add_element(b->m, type, e->name, e->place, section->joints);
    if (!element || !element->data) return KL_E_MEMORY;
    kl_status values  = kl_values_read(scope_of(b), b->m, &given, type->keys, element->data);
    kl_status markers = kl_attach_element(scope_of(b), b->m, e, type, element->data);
    element           = &b->m->element[b->m->nelement - 1];
    element->nmarker  = b->m->nmarker - element->marker;
    if (type->mirror && scope_of(b)->place.mirrored) type->mirror(element->data);
    if (values != KL_OK || markers != KL_OK) return values != KL_OK ? values : markers;
    KL_TRY(kl_joint_start_read(scope_of(b), b->m, e));
    KL_TRY(kl_joint_friction_read(scope_of(b), b->m, e));
    return kl_joint_limits(scope_of(b), b->m, e);
}

/* ---- inputs, outputs, settings
 * ------------------------------------------------------------------------------------------ */

static kl_status read_input(kl_builder *b, kl_entry *e)
{
    static const char *const also[] = {"unit", "value", "for", "like", "when", NULL};
    kl_values_unknown(scope_of(b), e, "input", NULL, also);
    const kl_node *unit = kl_entry_get(e, "unit"), *value = kl_entry_get(e, "value");
    double         factor;
    if (kl_model_find_input(b->m, e->name) >= 0)
        return kl_fail(b->diag, KL_E_NAME, e->place,
                       "the name of input '%s' is used twice; rename one", e->name);
    kl_input *input = kl_model_add_input(b->m, e->name);
    if (!input) return KL_E_MEMORY;
    input->unit = unit && unit->kind == KL_SCALAR ? unit->text : "1";
    if (!kl_unit_parse(input->unit, &factor, &input->dim))
        return kl_fail(b->diag, KL_E_MODEL, unit ? unit->place : e->place,
                       "input '%s': '%s' is not a unit; `klingel help units` lists the units",
                       e->name, input->unit);
    char        text[KL_UNIT_TEXT], what[160];
    kl_quantity written;
    snprintf(what, sizeof what, "input '%.100s': value", e->name);
    kl_unit_format(input->dim, text, sizeof text);
    input->unit = kl_arena_text(b->m->arena, *text ? text : "1"); /* all inside is SI */
    if (!value) return KL_OK;
    KL_TRY(kl_scope_number(scope_of(b), value, what, input->unit, &input->value));
    KL_TRY(kl_scope_quantity(scope_of(b), value, &written));
    if (written.bare) input->value *= factor; /* a bare number is in the unit of the input */
    return KL_OK;
}

const kl_key kl_run_keys[] = {
    {.name     = "end",
     .kind     = KL_KEY_NUMBER,
     .offset   = offsetof(kl_settings, end),
     .unit     = "s",
     .fallback = "1",
     .min      = 0,
     .max      = 1e300,
     .help     = "simulated time"},
    {.name     = "every",
     .kind     = KL_KEY_NUMBER,
     .offset   = offsetof(kl_settings, every),
     .unit     = "s",
     .fallback = "0.01",
     .min      = 1e-300,
     .max      = 1e300,
     .help     = "time between recorded rows"},
    {.name     = "record",
     .kind     = KL_KEY_TEXTS,
     .offset   = offsetof(kl_settings, record),
     .fallback = "",
     .help = "names of the channels to record; * matches any characters: [car.*, \"*.force.z\"]. "
             "Outputs are always recorded. Default: motions, forces, energies"},
    {.name     = "accelerations",
     .kind     = KL_KEY_WORD,
     .offset   = offsetof(kl_settings, rows),
     .words    = "solved interpolated",
     .fallback = "solved",
     .help     = "accelerations and reaction forces of rows within a step: "
                 "solved for at each row (in models with constraints; "
                 "without, they are interpolated), or interpolated between the ends "
                 "of the step (faster with many rows; generalized-alpha, "
                 "newmark and hht)"},
    {.name     = "start",
     .kind     = KL_KEY_WORD,
     .offset   = offsetof(kl_settings, start),
     .words    = "given equilibrium steady",
     .fallback = "given",
     .help     = "initial values: as given, the nearest equilibrium, or "
                 "the steady motion at the given velocities"},
    {.name     = "stop_when",
     .kind     = KL_KEY_TEXT,
     .offset   = offsetof(kl_settings, stop_when),
     .fallback = "",
     .help     = "ends the run when this expression becomes true or greater "
                 "than 0: \"cart.position.x > 2 m\""},
    {0}};

const kl_key kl_integrator_keys[] = {
    {.name     = "type",
     .kind     = KL_KEY_WORD,
     .offset   = offsetof(kl_settings, integrator),
     .words    = "auto generalized-alpha newmark hht runge-kutta gear load-steps arc-length "
                 "central-differences",
     .fallback = "auto",
     .help = "integration method; auto: runge-kutta for smooth motion, generalized-alpha for stiff "
             "forces and flexible bodies, gear where it takes less work for stiff forces; newmark "
             "is of first order unless "
             "`spectral_radius` is 1; "
             "load-steps and arc-length are quasi-static: they compute a sequence of equilibria; "
             "central-differences is explicit, for short impacts"},
    {.name     = "tolerance",
     .kind     = KL_KEY_NUMBER,
     .offset   = offsetof(kl_settings, tolerance),
     .unit     = "1",
     .fallback = "1e-9",
     .min      = 1e-15,
     .max      = 0.1,
     .help =
         "allowed local error per step, relative to the size of the mechanism (angles: in rad)"},
    {.name     = "accuracy",
     .kind     = KL_KEY_NUMBER,
     .offset   = offsetof(kl_settings, accuracy),
     .unit     = "1",
     .fallback = "",
     .min      = 1e-10,
     .max      = 0.1,
     .help = "instead of `tolerance`: error of positions over the whole run, relative to the size "
             "of the mechanism; has the same meaning with every method; 1e-4 corresponds to the "
             "default tolerance with auto and generalized-alpha"},
    {.name     = "step",
     .kind     = KL_KEY_NUMBER,
     .offset   = offsetof(kl_settings, step),
     .unit     = "s",
     .fallback = "",
     .min      = 1e-300,
     .max      = 1e300,
     .help     = "fixed step size; default: adaptive step size from the tolerance"},
    {.name     = "max_step",
     .kind     = KL_KEY_NUMBER,
     .offset   = offsetof(kl_settings, max_step),
     .unit     = "s",
     .fallback = "",
     .min      = 1e-300,
     .max      = 1e300,
     .help     = "largest step"},
    {.name     = "first_step",
     .kind     = KL_KEY_NUMBER,
     .offset   = offsetof(kl_settings, first_step),
     .unit     = "s",
     .fallback = "",
     .min      = 1e-300,
     .max      = 1e300,
     .help     = "initial step size; default: chosen automatically"},
    {.name     = "spectral_radius",
     .kind     = KL_KEY_NUMBER,
     .offset   = offsetof(kl_settings, spectral_radius),
     .unit     = "1",
     .fallback = "0.9",
     .min      = 0,
     .max      = 1,
     .help     = "spectral radius at infinite frequency: 1 no numerical damping, 0 strongest"},
    {.name     = "beta",
     .kind     = KL_KEY_NUMBER,
     .offset   = offsetof(kl_settings, beta),
     .unit     = "1",
     .fallback = "",
     .min      = 1e-3,
     .max      = 1,
     .help     = "newmark: weight of the new acceleration in the displacement; default: from "
                 "`spectral_radius`; below gamma/2 the highest natural frequency limits the steps, "
                 "and with 1/12 natural frequencies are of fourth order"},
    {.name     = "gamma",
     .kind     = KL_KEY_NUMBER,
     .offset   = offsetof(kl_settings, gamma),
     .unit     = "1",
     .fallback = "",
     .min      = 0.5,
     .max      = 1.5,
     .help     = "newmark: weight of the new acceleration in the velocity; 0.5 is of second order, "
                 "more adds damping; default: from `spectral_radius`"},
    {.name     = "length",
     .kind     = KL_KEY_NUMBER,
     .offset   = offsetof(kl_settings, length),
     .unit     = "m",
     .fallback = "",
     .min      = 1e-300,
     .max      = 1e300,
     .help     = "characteristic length for tolerances; default: the extent of the model"},
    {.name     = "formulation",
     .kind     = KL_KEY_WORD,
     .offset   = offsetof(kl_settings, formulation),
     .words    = "projection baumgarte stabilized",
     .fallback = "projection",
     .help     = "formulation of `gear`: index 1 with projection, index 1 with Baumgarte "
                 "stabilisation, or stabilised index 2"},
    {.name     = "baumgarte",
     .kind     = KL_KEY_NUMBER,
     .offset   = offsetof(kl_settings, baumgarte),
     .unit     = "1/s",
     .fallback = "",
     .min      = 0,
     .max      = 1e300,
     .help = "Baumgarte frequency: rate at which constraint errors decay; default: 20 times the "
             "rate of the motion"},
    {.name     = "control",
     .kind     = KL_KEY_TEXT,
     .offset   = offsetof(kl_settings, control),
     .fallback = "",
     .help = "arc-length: name of the input that is the unknown load; time is then the arc length "
             "of the equilibrium path"},
    {.name     = "load_step",
     .kind     = KL_KEY_NUMBER,
     .offset   = offsetof(kl_settings, load_step),
     .unit     = "*",
     .fallback = "1",
     .help     = "arc-length: change of that input per unit of time at the start"},
    {.name     = "penetration",
     .kind     = KL_KEY_NUMBER,
     .offset   = offsetof(kl_settings, penetration),
     .unit     = "m",
     .fallback = "",
     .min      = 1e-300,
     .max      = 1e300,
     .help =
         "largest penetration depth at which a new contact is detected; default: 10 tolerances"},
    {0}};

/* The last file that has the section comes first: it overrules what it includes. */
static kl_status read_settings(kl_builder *b, const char *name, const kl_key *keys)
{
    const kl_part *p     = b->part[0];
    kl_entry       e     = {.name = "", .section = name, .place = {.file = b->m->file}};
    int            depth = 0;
    for (int i = p->nroot - 1; i >= 0; i--) {
        const kl_node *n = kl_node_get(p->root[i], name);
        if (!n || (n->kind == KL_SCALAR && !*n->text)) continue;
        if (n->kind != KL_MAP)
            return kl_fail(b->diag, KL_E_MODEL, n->place, "`%s` is %s; give its keys, such as %s",
                           name, kl_node_kind_word(n->kind),
                           strcmp(name, "run") ? "{tolerance: 1e-8}" : "{end: 5, every: 0.01}");
        if (depth == 0) e.place = n->place;
        if (depth < (int)(sizeof e.chain / sizeof *e.chain) - 1) e.chain[depth++] = n;
    }
    kl_values_unknown(scope_of(b), &e, name, keys, NULL);
    return kl_values_read(scope_of(b), b->m, &e, keys, &b->m->settings);
}

/* Names of all sections of a model file; NULL-terminated. */
static void list_sections(const char *names[], int most)
{
    static const char *const fixed[] = {
        "klingel", "title",  "include", "parameters", "gravity",    "templates", "parts",
        "inputs",  "bodies", "outputs", "run",        "integrator", "state"};
    int n = 0;
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++) names[n++] = fixed[i];
    n += kl_catalogue_sections(names + n, most - 1 - n);
    names[n] = NULL;
}

static void check_root(kl_builder *b, const kl_node *root, bool main)
{
    const kl_node *version = kl_node_get(root, "klingel");
    const char    *sections[64];
    list_sections(sections, 64);
    for (const kl_node *n = root->first; n; n = n->next) {
        bool known = false;
        for (int i = 0; sections[i]; i++) known |= strcmp(sections[i], n->key) == 0;
        const char *near = known ? NULL : kl_nearest(n->key, sections);
        if (!known)
            kl_fail(b->diag, KL_E_NAME, n->key_place, "unknown section `%s`%s%s%s", n->key,
                    near ? "; did you mean `" : "; `klingel list` shows the sections",
                    near ? near : "", near ? "`?" : "");
    }
    if (!version && main)
        kl_fail(b->diag, KL_E_MODEL, (kl_place){.file = b->m->file},
                "the line `klingel: 1` (version of the language) is missing; put it first");
    else if (version && version->kind != KL_SCALAR)
        kl_fail(b->diag, KL_E_VERSION, version->place,
                "klingel is %s; give the version of the language: `klingel: 1`",
                kl_node_kind_word(version->kind));
    else if (version && (version->kind != KL_SCALAR || strcmp(version->text, "1") != 0))
        kl_fail(b->diag, KL_E_VERSION, version->place,
                "this model is written in version %s of the language; this program reads version 1",
                version->kind == KL_SCALAR ? version->text : "?");
}

static kl_status read_head(kl_builder *b)
{
    const kl_part *p       = b->part[0];
    const kl_node *gravity = NULL;
    b->m->title            = "";
    b->m->gravity          = kl_vec(0, 0, -9.81);
    for (int i = 0; i < p->nroot; i++) {
        const kl_node *title = kl_node_get(p->root[i], "title"),
                      *g     = kl_node_get(p->root[i], "gravity");
        check_root(b, p->root[i], i == p->nroot - 1);
        if (title && title->kind == KL_SCALAR)
            b->m->title = kl_arena_text(b->m->arena, title->text);
        if (title && title->kind != KL_SCALAR)
            kl_fail(b->diag, KL_E_MODEL, title->place, "title is %s; give one line of text",
                    kl_node_kind_word(title->kind));
        if (g) gravity = g;
    }
    if (gravity && gravity->kind == KL_SCALAR) {
        /* one number points down, against z */
        double    g    = 9.81;
        kl_status read = kl_scope_number(scope_of(b), gravity, "gravity", "m/s2", &g);
        if (read != KL_OK)
            kl_note(b->diag, gravity->place,
                    "gravity is a number, the acceleration downwards (`gravity: 9.81 m/s2`), or a "
                    "vector (`gravity: [0, 0, -9.81 m/s2]`)");
        KL_TRY(read);
        b->m->gravity = kl_vec(0, 0, -g);
        if (g < 0.0)
            kl_warn(b->diag, gravity->place,
                    "gravity points up: a number is the acceleration downwards; write `gravity: "
                    "%g`, or "
                    "`gravity: [0, 0, %g]` if it is meant to point up",
                    -g, -g);
    } else if (gravity) {
        KL_TRY(kl_value_vec3(scope_of(b), gravity, "gravity", "m/s2", &b->m->gravity));
    }
    return KL_OK;
}

static kl_status keep_parameters(kl_builder *b)
{
    const kl_scope *s = &b->part[0]->scope;
    b->m->parameter   = kl_arena_array(b->m->arena, kl_parameter, b->nglobal + 1);
    if (!b->m->parameter) return KL_E_MEMORY;
    for (int i = 0; i < b->nglobal; i++)
        if (!s->variable[i].word)
            b->m->parameter[b->m->nparameter++] =
                (kl_parameter){s->variable[i].name, s->variable[i].value};
    return KL_OK;
}

static kl_place place_of(const kl_node *root, const char *section)
{
    const kl_node *n = kl_node_get(root, section);
    return n ? n->place : root->place;
}

/* Warns of a body with more than 1e6 rad in the run: a step turns a body by about 1 rad at most, so
 * the run would take very long. Often the unit is wrong (rpm given as rad/s). */
static void warn_of_spin(const kl_builder *b)
{
    const kl_model *m         = b->m;
    const double    most_turn = 1e6; /* [rad] in a run */
    for (int i = 1; i < m->nbody; i++) {
        double w = kl_body_turn_rate(&m->body[i], m->v0);
        if (!(w * m->settings.end > most_turn)) continue;
        kl_warn(
            b->diag, m->body[i].place,
            "body '%s' rotates at %.4g rad/s (%.4g rpm), so the run needs at least %.3g steps for "
            "%.4g s; if the body is symmetric about that axis, `spin_axis` reduces their number",
            m->body[i].name, w, w * 30.0 / KL_PI, w * m->settings.end, m->settings.end);
        return;
    }
}

/* `accuracy` gives the tolerance of the chosen method. */
static void use_accuracy(kl_builder *b, kl_place place)
{
    const double usual = 1e-9;
    kl_settings *s     = &b->m->settings;
    if (!(s->accuracy > 0.0)) return;
    if (s->tolerance != usual)
        kl_fail(
            b->diag, KL_E_MODEL, place,
            "integrator: give `accuracy` (error over the run) or `tolerance` (error of a step), "
            "not both");
    s->tolerance = kl_method_for_accuracy(s->integrator, s->accuracy);
}

/* beta and gamma belong to newmark; below beta = gamma/2 it is stable for short steps only, which it chooses
 * itself unless they are given. */
static void check_newmark(const kl_builder *b, kl_place place)
{
    const kl_settings *s = &b->m->settings;
    if (!(s->beta > 0.0) && !(s->gamma > 0.0)) return; /* not given */
    double gamma = s->gamma > 0.0 ? s->gamma : 0.5;
    if (s->integrator != KL_NEWMARK)
        kl_fail(b->diag, KL_E_MODEL, place,
                "integrator: `beta` and `gamma` belong to `type: newmark`; the other methods take "
                "`spectral_radius`");
    else if (s->beta > 0.0 && 2.0 * s->beta < gamma && !isnan(s->step))
        kl_warn(b->diag, place,
                "integrator: newmark with beta %g and gamma %g is stable only for short steps; "
                "beta >= %g is stable for any step",
                s->beta, gamma, 0.5 * gamma);
}

/* Arc-length control needs to know which input is the load. */
static void check_control(const kl_builder *b, kl_place place)
{
    const kl_settings *s = &b->m->settings;
    if (s->integrator != KL_ARC_LENGTH) return;
    if (!s->control.text)
        kl_fail(b->diag, KL_E_MODEL, place,
                "integrator: arc-length needs an input that scales the load: define `inputs: "
                "{load: {unit: "
                "N}}`, let a force use it (`value: {input: load}`), and write `control: load`");
    else if (kl_model_find_input(b->m, s->control.text) < 0)
        kl_fail(b->diag, KL_E_NAME, s->control.place,
                "integrator: there is no input `%s`; define it under `inputs:` and let a force use "
                "it: `value: {input: %s}`",
                s->control.text, s->control.text);
    if (s->load_step == 0.0)
        kl_fail(b->diag, KL_E_RANGE, place,
                "integrator: `load_step` is 0; give the change of the load per unit of time");
}

/* Reads all sections. An error in one entry does not end the reading, so that one run reports all
 * mistakes; the status is returned only where later sections could not be read without it. */
static kl_status build(kl_builder *b, const kl_source *source)
{
    kl_model      *m    = b->m;
    const kl_node *main = source->root[source->n - 1];
    if (main->kind != KL_MAP)
        return kl_fail(
            b->diag, KL_E_MODEL, main->place,
            "a model file is a map that begins with `klingel: 1`; this is %s; `klingel new "
            "pendulum` writes a model to start from",
            kl_node_kind_word(main->kind));
    KL_TRY(kl_parts_open(b, source));
    KL_TRY(keep_parameters(b));
    b->now = b->part[0];
    if (read_head(b) == KL_E_MEMORY) return KL_E_MEMORY;
    if (!kl_model_add_body(m, kl_body_types[0], "ground", KL_NOWHERE)) return KL_E_MEMORY;
    (void)read_settings(b, "run", kl_run_keys);
    (void)read_settings(b, "integrator", kl_integrator_keys);
    use_accuracy(b, place_of(main, "integrator"));
    if (m->settings.step > 0.0 && m->settings.integrator == KL_GEAR)
        kl_fail(b->diag, KL_E_MODEL, place_of(main, "integrator"),
                "integrator: `gear` has an adaptive step size and does not use a fixed `step`; "
                "give `tolerance` or `max_step`, or choose another type");
    if (m->settings.step > 0.0 && m->settings.end / m->settings.step > 1e9)
        kl_fail(b->diag, KL_E_RANGE, place_of(main, "integrator"),
                "integrator: a run of %.4g s with fixed steps of %.4g s needs %.2g steps; give a "
                "larger `step`, or remove it for an adaptive step size",
                m->settings.end, m->settings.step, m->settings.end / m->settings.step);
    if (m->settings.end / m->settings.every > KL_MOST_ROWS)
        kl_fail(b->diag, KL_E_RANGE, place_of(main, "run"),
                "run: %.4g s with one row every %.4g s gives more than %d rows; give a larger "
                "`every`, for "
                "example `every: %.4g s`",
                m->settings.end, m->settings.every, KL_MOST_ROWS,
                1.1 * m->settings.end / KL_MOST_ROWS);
    const kl_node *run = kl_node_get(main, "run");
    if (run && kl_node_get(run, "every") && m->settings.every > m->settings.end)
        kl_warn(
            b->diag, place_of(main, "run"),
            "run: `every` is %.4g s and `end` %.4g s, so that only the first and the last row are "
            "written; give for example `every: %.2g s`",
            m->settings.every, m->settings.end, 0.01 * m->settings.end);
    KL_TRY(kl_parts_read(b, "inputs", "input", read_input));
    check_control(b, place_of(main, "integrator"));
    check_newmark(b, place_of(main, "integrator"));
    KL_TRY(kl_resources_read(b));
    int left_out = scope_of(b)->shared->dropped.n;
    KL_TRY(kl_parts_read(b, "bodies", "body", read_body));
    bool all_left_out = m->nbody <= 1 && scope_of(b)->shared->dropped.n > left_out &&
                        scope_of(b)->shared->broken.n == 0;
    if (kl_model_start_bodies(m, b->diag) == KL_E_MEMORY) return KL_E_MEMORY;
    if (!kl_diag_failed(b->diag) && kl_model_connect(m, b->diag) == KL_E_MEMORY) return KL_E_MEMORY;
    for (const kl_element_section *s = kl_element_sections; s->section; s++)
        KL_TRY(kl_parts_read(b, s->section, s->word, read_element));
    if (!kl_diag_failed(b->diag))
        KL_TRY(kl_joint_start_drivers(scope_of(b), m, b->driver, b->ndriver));
    if (!kl_diag_failed(b->diag)) KL_TRY(kl_implied_parts_add(m, b->diag));
    if (!kl_diag_failed(b->diag)) KL_TRY(kl_locks_add(m, b->locks));
    m->nmarker_elements = m->nmarker;
    bool sound          = !kl_diag_failed(b->diag) && m->nbody > 1;
    KL_TRY(kl_parts_read(b, "outputs", "output", kl_output_read));
    if (sound && kl_diag_failed(b->diag)) kl_outputs_check(b);
    if (kl_diag_failed(b->diag) ? all_left_out : m->nbody <= 1 && m->nelement == 0)
        kl_fail(b->diag, KL_E_MODEL, (kl_place){.file = m->file},
                all_left_out
                    ? "every body is left out by its `when`; change a condition or a parameter"
                    : "the model has no bodies; define them under `bodies:`");
    if (kl_diag_failed(b->diag)) return kl_diag_status(b->diag);
    b->now = b->part[0];
    kl_scope_report_unused(scope_of(b));
    if (kl_diag_failed(b->diag)) return kl_diag_status(b->diag);
    KL_TRY(kl_model_freeze(m, b->diag));
    warn_of_spin(b);
    const kl_node *state = kl_node_get(main, "state");
    if (state) m->settings.start = KL_START_GIVEN; /* a saved state replaces the initial values */
    if (state) m->nstart = 0;
    return kl_start_read(m, state, b->diag);
}

/* The inputs of a build. A model is built again with drivers for the initial values of joints, or
 * with joints added that hold locked rotations. */
typedef struct recipe {
    const kl_source   *source;
    const kl_override *set;
    int                nset;
    const kl_locks    *locks;
    bool               plain;
} recipe;

static kl_status build_with(const void *context, const kl_start_driver *list, int n, kl_diag *diag,
                            kl_model **out)
{
    const recipe *r = context;
    kl_builder    b = {.diag    = diag,
                       .m       = kl_model_create(),
                       .set     = r->set,
                       .nset    = r->nset,
                       .driver  = list,
                       .ndriver = n,
                       .locks   = r->locks,
                       .plain   = r->plain};
    *out            = b.m;
    if (!b.m) return KL_E_MEMORY;
    b.m->file        = r->source->file;
    kl_status status = build(&b, r->source);
    return status == KL_OK && !kl_arena_ok(b.m->arena) ? KL_E_MEMORY : status;
}

/* Builds the model and applies the `start` values of joints. */
static kl_status build_whole(const recipe *r, kl_diag *diag, kl_model **out)
{
    KL_TRY(build_with(r, NULL, 0, diag, out));
    return kl_joint_start_apply(*out, build_with, r, diag);
}

/* Finds joint directions that modes cannot follow. Virtual bodies and constrained reference
 * conditions add rows of their own that would hide these directions, so the search uses a model
 * without them (`plain`); the modes and the result are the same. */
static kl_status find_locks(const recipe *r, const kl_model *m, kl_diag *diag, kl_locks *locks)
{
    if (!kl_implied_parts_needed(m)) return kl_locks_find(m, diag, locks);
    recipe    plain  = {.source = r->source, .set = r->set, .nset = r->nset, .plain = true};
    kl_model *twin   = NULL;
    kl_diag  *quiet  = kl_diag_create();
    kl_status status = quiet ? build_whole(&plain, quiet, &twin) : KL_E_MEMORY;
    if (status == KL_OK) status = kl_locks_find(twin, diag, locks);
    else if (status != KL_E_MEMORY) status = KL_OK; /* the run reports it */
    kl_model_destroy(twin);
    kl_diag_destroy(quiet);
    return status;
}

/* Builds the model again with joints that hold the locked rotations. Its messages are discarded,
 * because the first build has already printed them. */
static kl_status rebuild_with_locks(const recipe *r, kl_diag *diag, kl_model **m)
{
    kl_locks  locks  = {0};
    kl_status status = find_locks(r, *m, diag, &locks);
    if (status == KL_OK && locks.n > 0) {
        recipe   held  = *r;
        kl_diag *quiet = kl_diag_create();
        held.locks     = &locks;
        kl_model_destroy(*m);
        *m     = NULL;
        status = quiet ? build_whole(&held, quiet, m) : KL_E_MEMORY;
        kl_diag_destroy(quiet);
    }
    if (status == KL_OK) status = kl_locks_store(*m, &locks);
    kl_arena_destroy(locks.arena);
    return status;
}

kl_status kl_source_build(const kl_source *s, const kl_override *set, int nset, kl_diag *diag,
                          kl_model **out)
{
    recipe    r      = {.source = s, .set = set, .nset = nset};
    kl_model *m      = NULL;
    kl_status status = build_whole(&r, diag, &m);
    *out             = NULL;
    if (status == KL_OK) status = rebuild_with_locks(&r, diag, &m);
    if (status == KL_OK) status = kl_attachments_check(m, diag);
    if (status != KL_OK) {
        if (status == KL_E_MEMORY && kl_diag_failed(diag)) status = kl_diag_status(diag);
        else if (status == KL_E_MEMORY)
            kl_fail(diag, status, KL_NOWHERE, "out of memory while building the model");
        kl_model_destroy(m);
        return status;
    }
    *out = m;
    return KL_OK;
}
