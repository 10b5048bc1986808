#include "dynamics/channels.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dynamics/channel_list.h"
#include "model/groups.h"
#include "model/key_unit.h"

/* ---- what bodies, elements and the system offer: the tables behind the names
 * ------------------------------------------ */

typedef struct group {
    const char *name, *unit, *help;
    const char *parts; /* one letter a component, "" for a single number */
    bool        recorded;
} group;

static const group body_groups[] = {
    {"position", "m", "position of the reference point", "xyz", true},
    {"orientation", "1", "Euler parameters, scalar first", "0123", true},
    {"velocity", "m/s", "velocity of the reference point", "xyz", true},
    {"omega", "rad/s", "angular velocity, global axes", "xyz", true},
    {"acceleration", "m/s2", "acceleration of the reference point", "xyz", true},
    {"alpha", "rad/s2", "angular acceleration, global axes", "xyz", true},
    {"omega_body", "rad/s", "angular velocity, body axes", "xyz", false},
    {"center", "m", "centre of mass", "xyz", false},
    {"momentum", "kg m/s", "linear momentum", "xyz", false},
    {"angular_momentum", "kg m2 rad/s", "angular momentum about the global origin", "xyz", false},
    {"kinetic_energy", "J", "kinetic energy", "", false},
    {0}};

static const group element_groups[] = {
    {"force", "N", "force on the second body (or the only one), global axes", "xyz", true},
    {"torque", "N m",
     "torque on the second body (or the only one) about the marker of that body, global axes",
     "xyz", true},
    {"local_force", "N", "force in the axes of its marker", "xyz", false},
    {"local_torque", "N m", "torque in the axes of its marker", "xyz", false},
    {"energy", "J", "stored energy", "", false},
    {"loss", "W", "dissipated power", "", false},
    {"plastic_energy", "J", "energy dissipated by yielding since the start", "", false},
    {0}};

static const group node_groups[] = {
    {"force", "N", "force on the node, global axes", "xyz", true},
    {"torque", "N m", "torque on the node, global axes", "xyz", true},
    {0}};

static const group system_groups[] = {
    {"energy.kinetic", "J", "kinetic energy of all bodies", "", true},
    {"energy.potential", "J", "potential energy of gravity and springs", "", true},
    {"energy.total", "J", "kinetic and potential energy", "", true},
    {"energy.lost", "J", "energy dissipated since the start", "", true},
    {"energy.supplied", "J", "energy supplied by drivers, actuators and loads since the start", "",
     true},
    {"energy.balance", "J", "total + lost - supplied; constant for an exact solution", "", true},
    {"drift.position", "m", "largest position error of a joint", "", true},
    {"drift.rotation", "rad", "largest angle error of a joint", "", true},
    {"drift.rate", "m/s", "largest velocity error of a constraint (m/s or rad/s)", "", true},
    {"time", "s", "simulated time", "", false},
    {"step.size", "s", "last step size of the integrator", "", true},
    {"step.order", "1", "order of the integration formula in this step", "", true},
    {0}};

static const group point_groups[] = {
    {"position", "m", "position of the point", "xyz", false},
    {"displacement", "m", "displacement of the point since the start", "xyz", false},
    {"velocity", "m/s", "velocity of the point", "xyz", false},
    {"acceleration", "m/s2", "acceleration of the point", "xyz", false},
    {"omega", "rad/s", "angular velocity", "xyz", false},
    {"alpha", "rad/s2", "angular acceleration", "xyz", false},
    {"accelerometer", "m/s2", "accelerometer reading: acceleration minus gravity, in body axes",
     "xyz", false},
    {"body_velocity", "m/s", "velocity of the point, in body axes", "xyz", false},
    {"body_acceleration", "m/s2", "acceleration of the point (without gravity), in body axes",
     "xyz", false},
    {0}};

static const group compound_groups[] = {
    {"center", "m", "centre of mass of all its bodies", "xyz", true},
    {"momentum", "kg m/s", "linear momentum", "xyz", false},
    {"angular_momentum", "kg m2 rad/s", "angular momentum about the global origin", "xyz", false},
    {"kinetic_energy", "J", "kinetic energy of all its bodies", "", true},
    {"elastic_energy", "J", "energy stored in all its elements", "", true},
    {"loss", "W", "power dissipated by all its elements", "", true},
    {"plastic_energy", "J", "energy dissipated by yielding since the start", "", true},
    {0}};

/* ---- the list -------------------------------------------------------------------------------- */

static int add(kl_channels *c, const char *name, const char *unit, const char *help, bool recorded,
               bool own)
{
    kl_channel *k = kl_arena_grow(c->arena, (void **)&c->list, c->n, &c->cap, sizeof *k);
    double      factor;
    if (!k) return -1;
    *k = (kl_channel){
        .name = name, .unit = unit, .description = help, .recorded = recorded, .own = own};
    if (!kl_unit_parse(unit, &factor, &k->dim)) memset(&k->dim, 0, sizeof k->dim);
    return c->n++;
}

static void add_groups(kl_channels *c, const char *object, const group *g)
{
    for (; g->name; g++) {
        const char *base = object ? kl_arena_format(c->arena, "%s.%s", object, g->name) : g->name;
        if (!*g->parts) add(c, base, g->unit, g->help, g->recorded, false);
        for (const char *p = g->parts; *p; p++)
            add(c, kl_arena_format(c->arena, "%s.%c", base ? base : "", *p), g->unit, g->help,
                g->recorded, false);
    }
}

static const char *unit_of(kl_channels *c, const kl_element *e, const char *unit)
{
    char text[64];
    if (!strchr(unit, '?')) return unit;
    kl_key_unit(e->type->keys, e->data, unit, text, sizeof text);
    return kl_arena_text(c->arena, text);
}

static const kl_output *list_of(const kl_element *e)
{
    return e->type->describe ? e->type->describe(e->data) : e->type->outputs;
}

int kl_channel_outputs(const kl_element *e)
{
    const kl_output *list = list_of(e);
    int              n    = 0;
    while (list && list[n].name) n++;
    return n;
}

int kl_channel_marker(const kl_element *e)
{
    int which = e->type->attach ? e->type->attach->loaded : 0;
    if (which > 0) return e->marker + which - 1;
    return which == 0 && e->nmarker >= 1 && e->nmarker <= 2 ? e->marker + e->nmarker - 1 : -1;
}

bool kl_channel_nodes(const kl_element *e) { return e->type->attach && e->type->attach->nodes; }

/* Of a set: force and torque on each node, by the name of its body. */
static void add_nodes(kl_channels *c, const kl_model *m, const kl_element *e)
{
    for (int k = 1; k < e->nmarker; k += 2) {
        const char *node = m->body[m->marker[e->marker + k].body].name;
        add_groups(c, kl_arena_format(c->arena, "%s.%s", e->name, node), node_groups);
    }
}

int kl_channel_locked_modes(const kl_body *b)
{
    return !kl_body_deforms(b) && b->type->locked_modes ? b->type->locked_modes(b->data) : 0;
}

static void add_modes(kl_channels *c, const kl_body *b)
{
    int n = kl_body_modes(b) + kl_channel_locked_modes(b);
    for (int j = 1; j <= n; j++)
        add(c, kl_arena_format(c->arena, "%s.w.%d", b->name, j), "1",
            "modal coordinate: factor of the mode shape in deformation and stress",
            kl_body_deforms(b), false);
    for (int j = 1; j <= n; j++)
        add(c, kl_arena_format(c->arena, "%s.w_rate.%d", b->name, j), "1/s",
            "rate of a modal coordinate", false, false);
    if (n > 0)
        add(c, kl_arena_format(c->arena, "%s.elastic_energy", b->name), "J",
            "energy stored in the deformation", false, false);
}

static void add_model(kl_channels *c, const kl_model *m)
{
    c->body    = kl_arena_array(c->arena, int, m->nbody + 1);
    c->element = kl_arena_array(c->arena, int, m->nelement + 1);
    c->input   = kl_arena_array(c->arena, int, m->ninput + 1);
    if (!kl_arena_ok(c->arena)) return;
    for (int i = 1; i < m->nbody; i++) {
        c->body[i] = c->n;
        if (m->body[i].quiet) continue;
        if (!m->body[i].own) add_groups(c, m->body[i].name, body_groups);
        add_modes(c, &m->body[i]);
        const kl_output *more = m->body[i].type->outputs;
        for (; more && more->name; more++)
            add(c, kl_arena_format(c->arena, "%s.%s", m->body[i].name, more->name), more->unit,
                more->help, true, false);
    }
    for (int i = 0; i < m->nelement; i++) {
        const kl_element *e = &m->element[i];
        c->element[i]       = c->n;
        if (e->quiet) continue;
        for (int k = 0; k < kl_channel_outputs(e); k++)
            add(c, kl_arena_format(c->arena, "%s.%s", e->name, list_of(e)[k].name),
                unit_of(c, e, list_of(e)[k].unit), list_of(e)[k].help, true, false);
        if (kl_channel_nodes(e)) add_nodes(c, m, e);
        else if (kl_channel_marker(e) >= 0) add_groups(c, e->name, element_groups);
    }
    c->compound = c->n;
    for (int i = 0; i < m->ncompound; i++) add_groups(c, m->compound[i].name, compound_groups);
    for (int i = 0; i < m->ninput; i++)
        c->input[i] = add(c, kl_arena_format(c->arena, "input.%s", m->input[i].name),
                          m->input[i].unit, "named input", true, false);
    c->system = c->n;
    add_groups(c, NULL, system_groups);
}

/* ---- names in expressions
 * --------------------------------------------------------------------------------------------- */

typedef struct entry {
    const char *name;
    int         index;
} entry;

static int by_name(const void *a, const void *b)
{
    return strcmp(((const entry *)a)->name, ((const entry *)b)->name);
}

static void sort_names(kl_channels *c)
{
    entry *e  = kl_arena_array(c->arena, entry, c->n + 1);
    c->sorted = kl_arena_array(c->arena, int, c->n + 1);
    c->names  = kl_arena_array(c->arena, const char *, c->n + c->model->nparameter + 1);
    if (!kl_arena_ok(c->arena)) return;
    for (int i = 0; i < c->n; i++) e[i] = (entry){c->list[i].name, i};
    qsort(e, (size_t)c->n, sizeof *e, by_name);
    for (int i = 0; i < c->n; i++) c->sorted[i] = e[i].index, c->names[i] = e[i].name;
    for (int i = 0; i < c->model->nparameter; i++) c->names[c->n + i] = c->model->parameter[i].name;
    c->nsorted = c->n;
}

int kl_channels_find(const kl_channels *c, const char *name)
{
    int low = 0, high = c->nsorted - 1;
    while (low <= high) {
        int mid = (low + high) / 2, order = strcmp(name, c->list[c->sorted[mid]].name);
        if (order == 0) return c->sorted[mid];
        if (order < 0) high = mid - 1;
        else low = mid + 1;
    }
    for (int i = c->nsorted; i < c->n; i++)
        if (strcmp(c->list[i].name, name) == 0) return i;
    return -1;
}

/* The last part of a name in older models, and its present name. */
static const char *const old_part = ".spent", *const new_part = ".plastic_energy";

/* Of a name that ends in `spent`: the channel with its present name. */
static int find_renamed(const kl_channels *c, const char *name)
{
    char   text[512];
    size_t n = strlen(name), k = strlen(old_part);
    if (n <= k || n + 16 > sizeof text || strcmp(name + n - k, old_part) != 0) return -1;
    snprintf(text, sizeof text, "%.*s%s", (int)(n - k), name, new_part);
    return kl_channels_find(c, text);
}

/* Channels by their index, parameters behind all channels that there will be. */
static bool find_symbol(const void *context, const char *name, int *index, kl_dim *dim, bool *bare)
{
    const kl_channels *c = context;
    const kl_model    *m = c->model;
    int                i = kl_channels_find(c, name);
    if (i < 0) i = find_renamed(c, name);
    if (i >= 0) {
        *index = i;
        *dim   = c->list[i].dim;
        *bare  = false;
        return true;
    }
    for (int k = 0; k < m->nparameter; k++)
        if (strcmp(m->parameter[k].name, name) == 0) {
            *index = c->nsorted + m->nwanted + k;
            *dim   = m->parameter[k].value.dim;
            *bare  = m->parameter[k].value.bare;
            return true;
        }
    return false;
}

static const char *const *symbol_names(const void *context)
{
    return ((const kl_channels *)context)->names;
}

static kl_status compile(kl_channels *c, const char *text, kl_place place, kl_diag *diag,
                         kl_expression **out)
{
    kl_symbols symbols = {.context = c, .find = find_symbol, .names = symbol_names};
    KL_TRY(kl_expression_compile(text, place, &symbols, c->arena, diag, out));
    const char *old = strstr(text, old_part), *end = old ? old + strlen(old_part) : NULL;
    if (old && !isalnum((unsigned char)*end) && *end != '_')
        kl_note(diag, place, "the channel `spent` of an element is now called `%s`", new_part + 1);
    return KL_OK;
}

/* ---- what the model file asks for
 * ------------------------------------------------------------------------------------- */

/* Index of "velocity.y" among POINT_VALUES, its unit in *unit; -1: no such. */
static int point_value(const char *quantity, const char **unit)
{
    int index = 0;
    for (const group *g = point_groups; g->name; g++)
        for (const char *p = g->parts; *p; p++, index++) {
            size_t n = strlen(g->name);
            *unit    = g->unit;
            if (strncmp(quantity, g->name, n) == 0 && quantity[n] == '.' && quantity[n + 1] == *p &&
                !quantity[n + 2])
                return index;
        }
    return -1;
}

/* The quantity under its present name; older models have `felt`, which gives a note. */
static const char *present_quantity(const kl_channels *c, const kl_wanted *w, kl_diag *diag)
{
    static const char old[] = "felt.";
    if (strncmp(w->quantity, old, sizeof old - 1) != 0) return w->quantity;
    const char *name = kl_arena_format(c->arena, "accelerometer.%s", w->quantity + sizeof old - 1);
    kl_note(diag, w->place, "output '%s': the quantity '%s' is now called '%s'", w->name,
            w->quantity, name);
    return name;
}

/* Unit of an expression. Products with angular velocities are powers and speeds: N m rad/s is W, m rad/s is
 * m/s. An angle is dropped where a usual unit remains. */
static void unit_of_expression(kl_dim dim, char *text, size_t size)
{
    kl_dim plain          = dim;
    plain.e[KL_DIM_ANGLE] = 0;
    bool usual            = kl_dim_word(dim) || kl_dim_pure(plain) || !kl_dim_word(plain);
    kl_unit_format(usual ? dim : plain, text, size);
}

/* A limit has the unit of what it limits. */
static void check_limit(const kl_wanted *w, const char *unit, kl_diag *diag)
{
    char written[KL_UNIT_TEXT];
    if (isnan(w->limit.value) || w->limit.bare || kl_dim_equal(w->limit.dim, kl_dim_of(unit)))
        return;
    kl_unit_format(w->limit.dim, written, sizeof written);
    kl_fail(
        diag, KL_E_MODEL, w->place,
        "output '%s' is in %s, but its limit is in %s; give the limit in the unit of the output",
        w->name, unit, *written ? written : "1");
}

static void add_wanted(kl_channels *c, const kl_wanted *w, kl_diag *diag)
{
    output     *o    = &c->outputs[c->noutput];
    const char *unit = "1", *quantity = NULL;
    *o = (output){.marker = -1};
    if (kl_channels_find(c, w->name) >= 0) {
        kl_fail(diag, KL_E_NAME, w->place,
                "output '%s' has the name of an existing channel; choose another name", w->name);
        return;
    }
    if (w->quantity) {
        o->marker = w->marker;
        quantity  = present_quantity(c, w, diag);
        o->value  = point_value(quantity, &unit);
        if (o->value < 0) {
            kl_fail(diag, KL_E_NAME, w->place,
                    "output '%s': there is no quantity '%s'; give one with its component, such as "
                    "position.x: position, displacement, velocity, acceleration, omega, alpha, "
                    "accelerometer, body_velocity or body_acceleration, with .x, .y or .z",
                    w->name, w->quantity);
            return;
        }
    } else {
        if (compile(c, w->expression, w->place, diag, &o->expression) != KL_OK) return;
        o->memory = kl_arena_array(c->arena, double, kl_expression_nmemory(o->expression) + 1);
        char text[64];
        unit_of_expression(kl_expression_dim(o->expression), text, sizeof text);
        unit = kl_arena_text(c->arena, *text ? text : "1");
    }
    check_limit(w, unit, diag);
    o->channel = add(c, w->name, unit, quantity ? quantity : w->expression, true, true);
    c->noutput++;
}

/* ---- what `run: {record: }` chooses ---- */

/* Does the name fit a pattern in which * matches any characters? */
static bool fits(const char *pattern, const char *name)
{
    const char *star = NULL, *from = NULL;
    while (*name) {
        if (*pattern == '*') star = pattern++, from = name;
        else if (*pattern == *name) pattern++, name++;
        else if (star) pattern = star + 1, name = ++from;
        else return false;
    }
    while (*pattern == '*') pattern++;
    return !*pattern;
}

static void no_such_channel(const kl_channels *c, const char *pattern, kl_place place,
                            kl_diag *diag)
{
    const char *near = strchr(pattern, '*') ? NULL : kl_nearest(pattern, c->names);
    kl_fail(
        diag, KL_E_NAME, place, "run: record: no channel fits `%s`%s%s%s", pattern,
        near ? "; did you mean `"
             : "; `klingel help NAME` lists the channels of an element; `*` matches any characters",
        near ? near : "", near ? "`?" : "");
}

/* Outputs that the model defines are recorded whatever the choice. */
static void choose_recorded(kl_channels *c, kl_diag *diag)
{
    const kl_text_list *record = &c->model->settings.record;
    for (int i = 0; record->n > 0 && i < c->n; i++) c->list[i].recorded = c->list[i].own;
    for (int k = 0; k < record->n; k++) {
        bool any = false;
        for (int i = 0; i < c->n; i++) {
            if (!fits(record->item[k], c->list[i].name)) continue;
            c->list[i].recorded = any = true;
        }
        if (!any) no_such_channel(c, record->item[k], record->place[k], diag);
    }
}

void kl_channels_record(kl_channels *c, int channel) { c->list[channel].recorded = true; }

kl_status kl_channels_create(const kl_model *m, kl_diag *diag, kl_channels **out)
{
    kl_arena    *a = kl_arena_create();
    kl_channels *c = kl_arena_array(a, kl_channels, 1);
    *out           = NULL;
    if (!c) {
        kl_arena_destroy(a);
        return KL_E_MEMORY;
    }
    c->arena = a;
    c->model = m;
    add_model(c, m);
    sort_names(c);
    c->outputs = kl_arena_array(a, output, m->nwanted + 1);
    for (int i = 0; kl_arena_ok(a) && i < m->nwanted; i++) add_wanted(c, &m->wanted[i], diag);
    c->values       = kl_arena_array(a, double, c->nsorted + m->nwanted + m->nparameter + 1);
    c->body_part    = kl_arena_array(a, unsigned char, m->nbody + 1);
    c->element_part = kl_arena_array(a, unsigned char, m->nelement + 1);
    if (kl_arena_ok(a)) kl_channels_want_all(c);
    if (kl_arena_ok(a)) choose_recorded(c, diag);
    kl_status status = !kl_arena_ok(a)        ? KL_E_MEMORY
                       : kl_diag_failed(diag) ? kl_diag_status(diag)
                                              : KL_OK;
    if (status != KL_OK) {
        kl_arena_destroy(a);
        return status;
    }
    for (int i = 0; i < c->noutput; i++)
        if (c->outputs[i].marker >= 0) {
            /* displacement counts from where the point is given */
            const kl_marker *k = &m->marker[c->outputs[i].marker];
            kl_vec3          r;
            kl_mat3          A;
            kl_model_pose(m, k->body, &r, &A);
            c->outputs[i].start = kl_add(r, kl_mul(&A, k->r));
        }
    *out = c;
    return KL_OK;
}

void kl_channels_destroy(kl_channels *c)
{
    if (c) kl_arena_destroy(c->arena); /* it lives in its own arena */
}

int               kl_channels_count(const kl_channels *c) { return c->n; }
const kl_channel *kl_channels_at(const kl_channels *c, int i) { return &c->list[i]; }

kl_status kl_channels_compile(kl_channels *c, const char *text, kl_place place, kl_diag *diag,
                              kl_expression **out)
{
    KL_TRY(compile(c, text, place, diag, out));
    if (c->nfixed < MOST_FIXED) c->fixed[c->nfixed++] = *out;
    return KL_OK;
}

double kl_channels_value(const kl_channels *c, const kl_expression *e, double *memory)
{
    return kl_expression_eval(e, c->values, memory);
}
