#include "post/assess.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "post/welch.h"

/* ---- settings ---- */

double kl_assess_setting(const kl_assess_input *in, const char *section, const char *group,
                         const char *key, double otherwise)
{
    const kl_node *map = kl_node_get(in->limits, section);
    if (group) map = kl_node_get(map, group);
    return kl_node_entry(map, key, otherwise);
}

/* ---- channels ---- */

static int channel_of(const kl_assess_input *in, const char *object, const char *part)
{
    char name[512];
    snprintf(name, sizeof name, "%s%s", object, part);
    return kl_reader_find(in->reader, name);
}

bool kl_assess_has(const kl_assess_input *in, const char *object, const char *part)
{
    return channel_of(in, object, part) >= 0;
}

double *kl_assess_space(const kl_assess_input *in, int n)
{
    double *x = kl_arena_array(in->arena, double, n > 0 ? n : 1);
    if (x) memset(x, 0, (size_t)(n > 0 ? n : 1) * sizeof *x);
    return x;
}

/* How many of `unit` one of the channel's unit is. A unit of another kind is refused. */
static double factor_to(const kl_assess_input *in, const kl_channel_info *c, const char *unit)
{
    double have = 1.0, want = 1.0;
    kl_dim kind = {0};
    bool   read = kl_unit_parse(c->unit, &have, &kind);
    (void)kl_unit_parse(unit, &want, NULL);
    if (read && kl_dim_fits(kind, kl_dim_of(unit))) return have / want;
    *in->refused = true;
    kl_fail(in->diag, KL_E_MODEL, (kl_place){.file = in->file},
            "channel `%s` has the unit %s, but the assessment needs %s [%s]; change the output of "
            "this name in the model, or give it another name",
            c->name, *c->unit ? c->unit : "1 (a number)",
            kl_dim_word(kl_dim_of(unit)) ? kl_dim_word(kl_dim_of(unit)) : "a value",
            *unit ? unit : "1");
    return 1.0;
}

static bool reads(const kl_assess_domain *d, const char *name)
{
    size_t size = strlen(name);
    for (const char *const *p = d->reads; p && *p; p++) {
        size_t tail = strlen(*p);
        if (**p == '.' ? size > tail && strcmp(name + size - tail, *p) == 0
                       : kl_assess_named(name, *p))
            return true;
    }
    return false;
}

/* Reads the channels of a domain in one pass. */
static kl_status read_ahead(kl_assess_input *in, const kl_assess_domain *d)
{
    int      n = 0, all = kl_reader_channels(in->reader);
    int     *channel = kl_arena_array(in->arena, int, all + 1);
    double **values  = kl_arena_array(in->arena, double *, all + 1);
    if (!channel || !values) return KL_E_MEMORY;
    for (int k = 0; k < all; k++) {
        if (in->raw[k] || in->column[k] || !reads(d, kl_reader_channel(in->reader, k)->name))
            continue;
        channel[n] = k;
        values[n] = in->raw[k] = kl_assess_space(in, in->rows);
        if (!values[n++]) return KL_E_MEMORY;
    }
    return kl_reader_columns(in->reader, channel, n, values);
}

double *kl_assess_column(const kl_assess_input *in, const char *object, const char *part,
                         const char *unit)
{
    int k = channel_of(in, object, part);
    if (k < 0) return NULL;
    if (in->column[k]) return in->column[k];
    double  factor = factor_to(in, kl_reader_channel(in->reader, k), unit);
    double *raw = in->raw[k], *even = kl_assess_space(in, in->rows);
    if (!raw) {
        raw = kl_assess_space(in, in->rows);
        if (!raw || kl_reader_column(in->reader, k, raw) != KL_OK) return NULL;
    }
    if (!even) return NULL;
    kl_equal_steps(in->time, raw, in->rows, even);
    for (int i = 0; factor != 1.0 && i < in->rows; i++) even[i] *= factor;
    return in->column[k] = even;
}

const char *kl_assess_object(const kl_assess_input *in, const char *part, int n)
{
    size_t tail = strlen(part);
    for (int i = 0; i < kl_reader_channels(in->reader); i++) {
        const char *name = kl_reader_channel(in->reader, i)->name;
        size_t      size = strlen(name);
        if (size <= tail || strcmp(name + size - tail, part) != 0) continue;
        if (n-- == 0) return kl_arena_text_n(in->arena, name, size - tail);
    }
    return NULL;
}

bool kl_assess_named(const char *object, const char *begin)
{
    const char *dot = strrchr(object, '.');
    return strncmp(dot ? dot + 1 : object, begin, strlen(begin)) == 0;
}

/* ---- rows ---- */

void kl_assess_add(kl_assessment *out, double place, double value, const char *unit, double limit,
                   const char *quantity, ...)
{
    char    name[256];
    va_list list;
    va_start(list, quantity);
    vsnprintf(name, sizeof name, quantity, list);
    va_end(list);
    if (!kl_arena_grow(out->arena, (void **)&out->row, out->n, &out->most, sizeof *out->row))
        return;
    double      share  = limit == 0.0 && value == 0.0 ? 0.0 : value / limit;
    kl_assessed row    = {.quantity    = kl_arena_text(out->arena, name),
                          .unit        = unit,
                          .place       = place,
                          .value       = value,
                          .limit       = limit,
                          .utilisation = isnan(limit) ? (double)NAN : share,
                          .verdict     = isnan(limit)   ? KL_NO_LIMIT
                                         : share <= 1.0 ? KL_WITHIN_LIMIT
                                                        : KL_EXCEEDS_LIMIT};
    out->row[out->n++] = row;
}

double kl_assess_shown(const kl_assessed *r, double x, const char **unit)
{
    bool kilo = strcmp(r->unit, "N") == 0 && !strstr(r->quantity, "_N");
    *unit     = kilo ? "kN" : strcmp(r->unit, "1") == 0 ? "" : r->unit;
    return kilo ? 1e-3 * x : x;
}

bool kl_assess_rate_suffices(const kl_assess_input *in, const char *domain, double least)
{
    if (in->rate >= least * (1.0 - 1e-9)) return true;
    kl_fail(in->diag, KL_E_RANGE, (kl_place){.file = in->file},
            "%s needs at least %g rows per second, but the results have %.4g; run the model again "
            "with `run: {every: %g ms}` or shorter",
            domain, least, in->rate, 1000.0 / least);
    return false;
}

/* ---- all domains ---- */

kl_status kl_assess_begin(kl_assess_input *in)
{
    in->rows     = kl_reader_rows(in->reader);
    double *time = kl_assess_space(in, in->rows);
    int     all  = kl_reader_channels(in->reader) + 1;
    in->column   = kl_arena_array(in->arena, double *, all);
    in->raw      = kl_arena_array(in->arena, double *, all);
    in->refused  = kl_arena_array(in->arena, bool, 1);
    if (!time || !in->column || !in->raw || !in->refused) return KL_E_MEMORY;
    *in->refused = false;
    memset(in->column, 0, (size_t)all * sizeof *in->column);
    memset(in->raw, 0, (size_t)all * sizeof *in->raw);
    KL_TRY(kl_reader_time(in->reader, time));
    in->time = time;
    if (in->rows < 2 || !(time[in->rows - 1] > time[0])) {
        kl_fail(in->diag, KL_E_RANGE, (kl_place){.file = in->file},
                "the results have %d row%s; an assessment needs a run over time", in->rows,
                in->rows == 1 ? "" : "s");
        return KL_E_RANGE;
    }
    in->rate = (in->rows - 1) / (time[in->rows - 1] - time[0]);
    return KL_OK;
}

static bool known_domain(const char *name)
{
    for (int i = 0; kl_assess_domains[i]; i++)
        if (strcmp(kl_assess_domains[i]->name, name) == 0) return true;
    return false;
}

static kl_status report_no_domain(const kl_assess_input *in, const char *domain)
{
    if (domain && !known_domain(domain))
        kl_fail(in->diag, KL_E_NAME, (kl_place){.file = "--only"},
                "there is no assessment `%s`; `klingel assess --list` lists them", domain);
    else if (domain)
        kl_fail(in->diag, KL_E_NAME, (kl_place){.file = in->file},
                "the results have no channels for the assessment `%s`; `klingel assess --list` "
                "lists the channels that each assessment needs",
                domain);
    else
        kl_fail(in->diag, KL_E_NAME, (kl_place){.file = in->file},
                "the channels of these results suit no assessment; `klingel assess --list` lists "
                "the channels that each assessment needs");
    return KL_E_NAME;
}

kl_status kl_assess(kl_reader *reader, const char *file, const kl_node *limits, const char *domain,
                    kl_arena *arena, kl_diag *diag, kl_assessment *out)
{
    kl_assess_input in = {
        .reader = reader, .file = file, .limits = limits, .arena = arena, .diag = diag};
    *out     = (kl_assessment){.arena = arena};
    int done = 0;
    KL_TRY(kl_assess_begin(&in));
    for (int i = 0; kl_assess_domains[i]; i++) {
        const kl_assess_domain *d = kl_assess_domains[i];
        if (domain && strcmp(domain, d->name) != 0) continue;
        if (!d->suits(&in)) continue;
        KL_TRY(read_ahead(&in, d));
        kl_status status = d->run(&in, out);
        if (*in.refused) return KL_E_MODEL;
        KL_TRY(status);
        done++;
    }
    if (done == 0) return report_no_domain(&in, domain);
    return kl_arena_ok(arena) ? KL_OK : KL_E_MEMORY;
}
