#include "language/outputs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "language/attach.h"
#include "solve/simulation.h"

static kl_scope *scope_of(kl_builder *b) { return &b->now->scope; }

/* `frame.position.x` inside the part `front` is `front.frame.position.x` outside. */
static const char *whole_channel(const void *context, const char *word)
{
    kl_builder *b = *(kl_builder *const *)context;
    kl_scope   *s = scope_of(b);
    char        base[256];
    for (const char *dot = word + strlen(word); dot > word; dot--) {
        if ((*dot && *dot != '.') || (size_t)(dot - word) >= sizeof base) continue;
        snprintf(base, sizeof base, "%.*s", (int)(dot - word), word);
        const char *name = kl_attach_whole_name(s, b->m, base, &b->outputs);
        if (name) return kl_arena_format(s->arena, "%s%s", name, dot);
    }
    return NULL;
}

/* `limit` and `rule`, which any output may have. */
static kl_status output_limit(kl_builder *b, const kl_entry *e, kl_wanted *w)
{
    const kl_node *limit = kl_entry_get(e, "limit"), *rule = kl_entry_get(e, "rule");
    if (rule && (!limit || rule->kind != KL_SCALAR))
        return kl_fail(b->diag, KL_E_MODEL, rule->place,
                       "output '%s': `rule` must be a text that names the source of its `limit`",
                       e->name);
    if (!limit) return KL_OK;
    KL_TRY(kl_scope_quantity(scope_of(b), limit, &w->limit));
    if (rule) w->rule = rule->text;
    if (isfinite(w->limit.value) && w->limit.value > 0.0) return KL_OK;
    return kl_fail(
        b->diag, KL_E_MODEL, limit->place,
        "output '%s': limit is %g; give the largest permitted magnitude, a number above 0", e->name,
        w->limit.value);
}

/* `lowpass`: what the expression names is filtered when the run has ended. */
static kl_status output_lowpass(kl_builder *b, const kl_entry *e, kl_wanted *w)
{
    const kl_node *n = kl_entry_get(e, "lowpass");
    char           what[160];
    if (!n) return KL_OK;
    snprintf(what, sizeof what, "output '%.100s': lowpass", e->name);
    KL_TRY(kl_scope_number(scope_of(b), n, what, "Hz", &w->lowpass));
    if (!(w->lowpass > 0.0))
        return kl_fail(b->diag, KL_E_RANGE, n->place, "%s is %g Hz; give a frequency above 0", what,
                       w->lowpass);
    for (int i = 0; i < b->m->nwanted; i++)
        if (strcmp(b->m->wanted[i].name, w->expression) == 0 && &b->m->wanted[i] != w) return KL_OK;
    return kl_fail(b->diag, KL_E_MODEL, n->place,
                   "%s filters an output that is listed above; `expression` must be the name of "
                   "such an output, not `%s`",
                   what, w->expression);
}

/* Says so where a name of an expression belongs to what a `when` left out. */
static kl_status output_dropped(kl_builder *b, const kl_entry *e, kl_place place, const char *text)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";
    char word[256];
    for (const char *c = text; *c;) {
        size_t n = strspn(c, letters);
        if (n > 0 && n < sizeof word) {
            snprintf(word, sizeof word, "%.*s", (int)n, c);
            int line = strchr(word, '.') ? kl_attach_dropped(scope_of(b), word) : 0;
            if (line > 0 && !whole_channel(&b, word))
                return kl_fail(b->diag, KL_E_NAME, place,
                               "output '%s': the element of `%s` is left out by the `when` in line "
                               "%d; give the output the same `when`",
                               e->name, word, line);
        }
        c += n > 0 ? n : 1;
    }
    return KL_OK;
}

static kl_status output_expression(kl_builder *b, const kl_entry *e, const kl_node *n)
{
    kl_scope  *s = scope_of(b);
    kl_wanted *w = kl_model_add_wanted(b->m, e->name, n->place);
    if (!w) return KL_E_MEMORY;
    w->expression = "0"; /* until it is known, or because of what was said of it */
    if (n->kind != KL_SCALAR)
        return kl_fail(b->diag, KL_E_MODEL, n->place,
                       "output '%s': expression is %s; give one text", e->name,
                       kl_node_kind_word(n->kind));
    kl_names_put(&b->outputs, b->m->arena, w->name, 0);
    KL_TRY(output_limit(b, e, w));
    const char *text;
    KL_TRY(kl_scope_text(s, n->text, n->place, &text));
    KL_TRY(output_dropped(b, e, n->place, text));
    w->expression = text;
    /* only where names mean something of their own: in parts and loops */
    struct {
        kl_builder *b;
    } context = {b};
    if (b->now->template || s->n != b->nglobal)
        KL_TRY(kl_scope_plain(s, w->expression, kl_expression_functions(), whole_channel, &context,
                              &w->expression));
    return output_lowpass(b, e, w);
}

static kl_status output_point(kl_builder *b, const kl_entry *e, const kl_node *of,
                              const kl_node *point, kl_marker *local)
{
    char      what[160];
    kl_scope *s = scope_of(b);
    if (!point) return KL_OK;
    if (local->node || kl_norm(local->r) > 0.0)
        return kl_fail(b->diag, KL_E_MODEL, point->place,
                       "output '%s': the marker `of: %s` already defines a point; give a body with "
                       "`point`, or the marker alone",
                       e->name, of->text);
    snprintf(what, sizeof what, "output '%.100s': point", e->name);
    KL_TRY(kl_value_vec3(s, point, what, "m", &local->r));
    /* The point is given in axes of the template; in a mirrored part the body is the mirror
     * image. */
    local->r = kl_mirror(&s->place, local->r);
    return KL_OK;
}

kl_status kl_output_read(kl_builder *b, kl_entry *e)
{
    static const char *const also[] = {"of",  "point", "quantity", "expression", "limit", "rule",
                                       "for", "like",  "when",     "lowpass",    NULL};
    kl_values_unknown(scope_of(b), e, "output", NULL, also);
    const kl_node *of = kl_entry_get(e, "of"), *point = kl_entry_get(e, "point"),
                  *quantity   = kl_entry_get(e, "quantity");
    const kl_node *expression = kl_entry_get(e, "expression");
    if (expression && !of && !point && !quantity) return output_expression(b, e, expression);
    if (expression || !of || !quantity)
        return kl_fail(b->diag, KL_E_MODEL, e->place, "output '%s': %s", e->name,
                       expression ? "`expression` cannot be combined with `of`, `point` or "
                                    "`quantity`; remove them, or remove `expression`"
                       : of ? "`quantity` is missing; give one, such as `quantity: position.x`"
                       : quantity
                           ? "`of` is missing; give a body or a marker, such as `of: crank.pin`"
                           : "give {of: body, point: [x, y, z], quantity: position.x} or "
                             "{expression: ...}");
    const char *word;
    kl_marker   local = {.A = kl_identity()};
    kl_scope   *s     = scope_of(b);
    int         index = 0; /* other mistakes are reported too */
    KL_TRY(kl_value_word(s, quantity, "quantity", &word));
    kl_status found = kl_attach_point(s, b->m, of, &index, &local);
    KL_TRY(output_point(b, e, of, point, &local));
    KL_TRY(kl_model_add_marker(b->m, index, &local));
    kl_wanted *w = kl_model_add_wanted(b->m, e->name, quantity->place);
    if (!w) return KL_E_MEMORY;
    kl_names_put(&b->outputs, b->m->arena, w->name, 0);
    w->marker   = b->m->nmarker - 1;
    w->quantity = word;
    KL_TRY(output_limit(b, e, w));
    return found;
}

void kl_outputs_check(kl_builder *b)
{
    kl_channels *c    = NULL;
    int          said = kl_diag_size(b->diag);
    if (kl_model_freeze(b->m, b->diag) == KL_E_MEMORY || kl_diag_size(b->diag) > said) return;
    (void)kl_channels_create(b->m, b->diag, &c);
    kl_channels_destroy(c);
}
