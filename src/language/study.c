#include "language/study.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/shortest.h"
#include "base/units.h"
#include "language/doc.h"

enum { MOST_RUNS = 10000000 };

/* A parameter as written. */
typedef struct range {
    const kl_node *node;
    double         from, to;
    int            count;  /* of a grid; 0: not said */
    double        *values; /* of a list, else NULL */
    int            n;
} range;

typedef struct reader {
    kl_study *s;
    kl_diag  *diag;
    range    *range;
    int       method, samples;
    uint64_t  seed;
} reader;

static const char *const methods[]  = {"grid", "list", "random", "latin-hypercube", NULL};
static const char *const analyses[] = {"run", "modes", "statics", "assess", NULL};
static const char *const takes[]    = {"min",     "max",       "mean",        "rms",
                                       "last",    "amplitude", "growth",      "frequency",
                                       "damping", "value",     "utilisation", NULL};

/* ---- words and numbers ------------------------------------------------------------------------
 */

/* Index of the word in `words`; -1 with a message. */
static int word_of(const reader *r, const kl_node *n, const char *what, const char *const *words)
{
    for (int i = 0; n->kind == KL_SCALAR && words[i]; i++)
        if (strcmp(n->text, words[i]) == 0) return i;
    const char *near = n->kind == KL_SCALAR ? kl_nearest(n->text, words) : NULL;
    char        all[200];
    int         end = 0;
    for (int i = 0; words[i] && end < (int)sizeof all; i++)
        end += snprintf(all + end, sizeof all - (size_t)end, "%s%s", i ? ", " : "", words[i]);
    kl_fail(r->diag, KL_E_MODEL, n->place, "`%s` is %s%s%s%s", what,
            n->kind == KL_SCALAR ? n->text : kl_node_kind_word(n->kind),
            near ? "; did you mean `" : "; one of ", near ? near : all, near ? "`?" : "");
    return -1;
}

/* With 15 digits: 0.1 + (1.5 - 0.1) 3/7 is 0.7 m, not 0.69999999999999984 m. */
static double plain(double x)
{
    char text[40];
    snprintf(text, sizeof text, "%.15g", x);
    return strtod(text, NULL);
}

/* "12.5 m/s": the number in the unit of the first value of the parameter; a number alone is in it too. */
static kl_status number_of(reader *r, const kl_node *n, const char **unit, double *out)
{
    char *end = NULL;
    if (n->kind == KL_SCALAR) *out = strtod(n->text, &end);
    if (!end || end == n->text || !isfinite(*out))
        return kl_fail(r->diag, KL_E_MODEL, n->place,
                       "a value of a study is a number with a unit, such as 50 m/s; this is %s",
                       n->kind == KL_SCALAR ? n->text : kl_node_kind_word(n->kind));
    while (*end == ' ') end++;
    if (*end && !kl_unit_parse(end, NULL, NULL))
        return kl_fail(r->diag, KL_E_MODEL, n->place,
                       "`%s` is not a unit; `klingel help units` lists the units", end);
    if (!*end || strcmp(end, *unit) == 0) return KL_OK;
    if (!**unit) {
        *unit = kl_arena_text(r->s->arena, end);
        return KL_OK;
    }
    kl_dim one, other;
    double factor, first;
    (void)kl_unit_parse(end, &factor, &one), (void)kl_unit_parse(*unit, &first, &other);
    if (memcmp(&one, &other, sizeof one) != 0)
        return kl_fail(r->diag, KL_E_MODEL, n->place,
                       "all values of a parameter must have units of the same dimension: this one "
                       "is in %s, an earlier one in %s",
                       end, *unit);
    *out = plain(*out * (factor / first));
    return KL_OK;
}

static bool is_number(const kl_node *n)
{
    char *end = NULL;
    return n->kind == KL_SCALAR && isfinite(strtod(n->text, &end)) && end != n->text;
}

/* Words of a list such as [true, false] or [linear, hertz]: its values are their places in it. */
static kl_status read_words(reader *r, const kl_node *n, const char ***words, range *out)
{
    int i  = 0;
    *words = kl_arena_array(r->s->arena, const char *, n->size + 1);
    if (!*words) return KL_E_MEMORY;
    for (const kl_node *k = n->first; k; k = k->next, i++) {
        if (k->kind != KL_SCALAR || strpbrk(k->text, ",\"\n\r"))
            return kl_fail(r->diag, KL_E_MODEL, k->place,
                           "a value of a study is a number with a unit, such as 50 m/s, or a word "
                           "without commas and quotes, such as true; this is %s",
                           k->kind == KL_SCALAR ? k->text : kl_node_kind_word(k->kind));
        (*words)[i]    = k->text;
        out->values[i] = i;
    }
    return KL_OK;
}

static kl_status count_of(reader *r, const kl_node *n, const char *what, int least, int *out)
{
    char *end   = NULL;
    long  value = n->kind == KL_SCALAR ? strtol(n->text, &end, 10) : 0;
    if (!end || end == n->text || *end || value < least || value > MOST_RUNS)
        return kl_fail(r->diag, KL_E_MODEL, n->place, "`%s` must be a whole number, at least %d",
                       what, least);
    *out = (int)value;
    return KL_OK;
}

static void check_keys(reader *r, const kl_node *map, const char *what, const char *const *known)
{
    for (const kl_node *n = map->first; n; n = n->next) {
        bool found = false;
        for (int i = 0; known[i]; i++) found |= strcmp(known[i], n->key) == 0;
        const char *near = found ? NULL : kl_nearest(n->key, known);
        if (!found)
            kl_fail(r->diag, KL_E_NAME, n->key_place, "unknown key `%s` in %s%s%s%s", n->key, what,
                    near ? "; did you mean `" : "", near ? near : "", near ? "`?" : "");
    }
}

/* ---- sections
 * ------------------------------------------------------------------------------------ */

static kl_status read_range(reader *r, const kl_node *n, const char **unit, const char ***words,
                            range *out)
{
    *out = (range){.node = n};
    if (n->kind == KL_MAP) {
        static const char *const known[] = {"from", "to", "count", NULL};
        const kl_node           *from = kl_node_get(n, "from"), *to = kl_node_get(n, "to"),
                      *count = kl_node_get(n, "count");
        check_keys(r, n, "a range", known);
        if (!from || !to)
            return kl_fail(
                r->diag, KL_E_MODEL, n->place,
                "parameter '%s': give for example {from: 50, to: 100}, and `count: 11` for a grid",
                n->key);
        KL_TRY(number_of(r, from, unit, &out->from));
        KL_TRY(number_of(r, to, unit, &out->to));
        return count ? count_of(r, count, "count", 1, &out->count) : KL_OK;
    }
    out->n      = n->kind == KL_LIST ? n->size : 1;
    out->values = kl_arena_array(r->s->arena, double, out->n + 1);
    if (!out->values) return KL_E_MEMORY;
    if (n->kind == KL_SCALAR) return number_of(r, n, unit, out->values);
    int  i       = 0;
    bool numbers = true;
    for (const kl_node *k = n->first; k; k = k->next) numbers &= is_number(k);
    /* One word in the list makes all of its values words: [true, false], [cone, S1002]. */
    if (!numbers) return read_words(r, n, words, out);
    for (const kl_node *k = n->first; k; k = k->next)
        KL_TRY(number_of(r, k, unit, &out->values[i++]));
    if (out->n == 0)
        return kl_fail(r->diag, KL_E_MODEL, n->place, "parameter '%s' has no values", n->key);
    return KL_OK;
}

static kl_status read_parameters(reader *r, const kl_node *n)
{
    kl_study *s = r->s;
    if (!n || n->kind != KL_MAP || n->size == 0)
        return kl_fail(
            r->diag, KL_E_MODEL, n ? n->place : (kl_place){.file = s->file},
            "a study needs `parameters`, such as {speed: {from: 50, to: 100, count: 11}}");
    s->parameter = kl_arena_array(s->arena, const char *, n->size + 1);
    s->unit      = kl_arena_array(s->arena, const char *, n->size + 1);
    s->words     = kl_arena_array(s->arena, const char **, n->size + 1);
    r->range     = kl_arena_array(s->arena, range, n->size + 1);
    if (!kl_arena_ok(s->arena)) return KL_E_MEMORY;
    for (const kl_node *k = n->first; k; k = k->next) {
        int i           = s->nparameter++;
        s->parameter[i] = k->key;
        s->unit[i]      = "";
        KL_TRY(read_range(r, k, &s->unit[i], &s->words[i], &r->range[i]));
    }
    return KL_OK;
}

/* Parameters that are the same in every run, words and numbers as a model file has them. */
static kl_status read_fixed(reader *r, const kl_node *n)
{
    kl_study *s = r->s;
    if (!n) return KL_OK;
    if (n->kind != KL_MAP)
        return kl_fail(r->diag, KL_E_MODEL, n->place,
                       "`set` is a map of parameters, such as {irregularities: good, speed: 50}");
    s->fixed      = kl_arena_array(s->arena, const char *, n->size + 1);
    s->fixed_text = kl_arena_array(s->arena, const char *, n->size + 1);
    if (!kl_arena_ok(s->arena)) return KL_E_MEMORY;
    for (const kl_node *k = n->first; k; k = k->next) {
        if (k->kind != KL_SCALAR)
            return kl_fail(r->diag, KL_E_MODEL, k->place,
                           "set: give `%s` one word or number; several values belong under "
                           "`parameters`",
                           k->key);
        s->fixed[s->nfixed]        = k->key;
        s->fixed_text[s->nfixed++] = k->text;
    }
    return KL_OK;
}

/* The analysis that a result needs. */
static bool take_suits(kl_study_quantity take, kl_study_analysis analysis)
{
    if (analysis == KL_STUDY_ASSESS) return take >= KL_QUANTITY_VALUE;
    if (analysis == KL_STUDY_MODES) return take >= KL_QUANTITY_GROWTH && take < KL_QUANTITY_VALUE;
    return take < KL_QUANTITY_GROWTH;
}

/* A time in seconds. */
static kl_status seconds_of(reader *r, const kl_node *n, double *out)
{
    const char *unit = "s";
    return number_of(r, n, &unit, out);
}

static kl_status read_results(reader *r, const kl_node *n)
{
    static const char *const known[] = {"of", "take", "from", NULL};
    kl_study                *s       = r->s;
    if (!n || n->kind != KL_MAP || n->size == 0)
        return kl_fail(r->diag, KL_E_MODEL, n ? n->place : (kl_place){.file = s->file},
                       "a study needs `results`, such as {y_max: {of: y_m, take: max}}");
    s->result = kl_arena_array(s->arena, kl_study_result, n->size + 1);
    if (!s->result) return KL_E_MEMORY;
    for (const kl_node *k = n->first; k; k = k->next) {
        kl_study_result *out = &s->result[s->nresult++];
        *out                 = (kl_study_result){
                            .name = k->key, .take = KL_QUANTITY_LAST, .from = -HUGE_VAL, .place = k->place};
        const kl_node *of = kl_node_get(k, "of"), *take = kl_node_get(k, "take"),
                      *from = kl_node_get(k, "from");
        if (from) (void)seconds_of(r, from, &out->from);
        if (k->kind == KL_MAP) check_keys(r, k, "a result", known);
        if (k->kind == KL_SCALAR) out->channel = k->text; /* just the channel: its last value */
        else if (of && of->kind == KL_SCALAR) out->channel = of->text;
        int word = take ? word_of(r, take, "take", takes) : (int)KL_QUANTITY_LAST;
        if (word < 0) continue;
        out->take = (kl_study_quantity)word;
        if (!take && s->analysis == KL_STUDY_ASSESS) out->take = KL_QUANTITY_UTILISATION;
        if (!take_suits(out->take, s->analysis))
            kl_fail(r->diag, KL_E_MODEL, k->place,
                    "result '%s': growth, frequency and damping need `analysis: modes`, value and "
                    "utilisation need `analysis: assess`, all other results need `run` or "
                    "`statics`",
                    k->key);
        bool of_channel = out->take < KL_QUANTITY_GROWTH;
        if (of_channel && !out->channel)
            kl_fail(r->diag, KL_E_MODEL, k->place,
                    "result '%s': the channel is missing; give {of: NAME, take: max}", k->key);
        if (out->take >= KL_QUANTITY_GROWTH && out->take < KL_QUANTITY_VALUE) out->channel = NULL;
        if (out->take == KL_QUANTITY_VALUE && !out->channel)
            kl_fail(r->diag, KL_E_MODEL, k->place,
                    "result '%s': the quantity is missing; give {of: straight.sum_Y_2m, take: "
                    "value}, with a name that `klingel assess` prints",
                    k->key);
    }
    return kl_diag_failed(r->diag) ? KL_E_MODEL : KL_OK;
}

/* Each column of the table has a name of its own. */
static void refuse_same_names(reader *r)
{
    const kl_study *s = r->s;
    for (int i = 0; i < s->nresult; i++) {
        bool taken =
            strcmp(s->result[i].name, "run") == 0 || strcmp(s->result[i].name, "status") == 0;
        for (int p = 0; p < s->nparameter; p++)
            if (strcmp(s->result[i].name, s->parameter[p]) == 0)
                kl_fail(r->diag, KL_E_NAME, s->result[i].place,
                        "result '%s' has the name of a parameter, so two columns of the table "
                        "would have the same name; rename it, for example to '%s_result'",
                        s->result[i].name, s->result[i].name);
        if (taken)
            kl_fail(r->diag, KL_E_NAME, s->result[i].place,
                    "`%s` is reserved for a column of every results table; rename this result",
                    s->result[i].name);
    }
}

/* ---- values
 * ------------------------------------------------------------------------------------------ */

/* splitmix64 (Steele, Lea, Flood 2014): the same numbers on every machine */
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15u;
    z          = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z          = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static double next_unit(uint64_t *state) { return (double)(next_random(state) >> 11) * 0x1p-53; }

static double place_in(const range *p, double u)
{
    if (!p->values) return p->from + (p->to - p->from) * u;
    int i = (int)(u * p->n);
    return p->values[i < p->n ? i : p->n - 1];
}

static int grid_count(const range *p) { return p->values ? p->n : p->count > 0 ? p->count : 2; }

static double grid_value(const range *p, int i)
{
    if (p->values) return p->values[i];
    int n = grid_count(p);
    return n > 1 ? plain(p->from + (p->to - p->from) * i / (n - 1)) : p->from;
}

static void fill_grid(reader *r)
{
    kl_study *s = r->s;
    for (int run = 0; run < s->nrun; run++)
        for (int p = s->nparameter - 1, rest = run; p >= 0; p--) {
            int n = grid_count(&r->range[p]);
            s->value[(size_t)run * (size_t)s->nparameter + (size_t)p] =
                grid_value(&r->range[p], rest % n);
            rest /= n;
        }
}

static void fill_list(reader *r)
{
    kl_study *s = r->s;
    for (int run = 0; run < s->nrun; run++)
        for (int p = 0; p < s->nparameter; p++) {
            int n = grid_count(&r->range[p]);
            s->value[(size_t)run * (size_t)s->nparameter + (size_t)p] =
                grid_value(&r->range[p], n == 1 ? 0 : run);
        }
}

static void fill_random(reader *r)
{
    kl_study *s = r->s;
    for (int run = 0; run < s->nrun; run++)
        for (int p = 0; p < s->nparameter; p++)
            s->value[(size_t)run * (size_t)s->nparameter + (size_t)p] =
                place_in(&r->range[p], next_unit(&r->seed));
}

/* one sample in each slice of each parameter, the slices shuffled (Fisher and Yates) */
static kl_status fill_latin(reader *r)
{
    kl_study *s     = r->s;
    int      *slice = kl_arena_array(s->arena, int, s->nrun + 1);
    if (!slice) return KL_E_MEMORY;
    for (int p = 0; p < s->nparameter; p++) {
        for (int i = 0; i < s->nrun; i++) slice[i] = i;
        for (int i = s->nrun - 1; i > 0; i--) {
            int j = (int)(next_random(&r->seed) % (uint64_t)(i + 1)), kept = slice[i];
            slice[i] = slice[j];
            slice[j] = kept;
        }
        for (int run = 0; run < s->nrun; run++)
            s->value[(size_t)run * (size_t)s->nparameter + (size_t)p] =
                place_in(&r->range[p], (slice[run] + next_unit(&r->seed)) / s->nrun);
    }
    return KL_OK;
}

/* The table of parameter values, one row for each run. grid: all combinations, the product of the
 * counts; list: the k-th value of each parameter in run k; random and latin-hypercube: `samples`
 * rows. */
static kl_status fill_values(reader *r, const kl_node *root)
{
    kl_study *s = r->s;
    double    n = 1.0;
    if (r->method == 0) {
        for (int p = 0; p < s->nparameter; p++) n *= grid_count(&r->range[p]);
    } else if (r->method == 1) {
        for (int p = 0; p < s->nparameter; p++) n = fmax(n, grid_count(&r->range[p]));
        for (int p = 0; p < s->nparameter; p++) {
            int own = grid_count(&r->range[p]);
            if (own != 1 && own != (int)n)
                return kl_fail(r->diag, KL_E_MODEL, r->range[p].node->place,
                               "in a list every parameter must have the same number of values, or "
                               "one value: '%s' has %d, another has %g",
                               s->parameter[p], own, n);
        }
    } else {
        if (r->samples == 0)
            return kl_fail(r->diag, KL_E_MODEL, root->place,
                           "random and latin-hypercube need `samples`, such as samples: 200");
        n = r->samples;
    }
    if (n > MOST_RUNS)
        return kl_fail(
            r->diag, KL_E_RANGE, root->place,
            "the study would need %.3g runs, which is too many; use fewer values or samples", n);
    s->nrun  = (int)n;
    s->value = kl_arena_array(s->arena, double, (size_t)s->nrun *(size_t)s->nparameter + 1);
    if (!s->value) return KL_E_MEMORY;
    if (r->method == 0) fill_grid(r);
    else if (r->method == 1) fill_list(r);
    else if (r->method == 2) fill_random(r);
    else return fill_latin(r);
    return KL_OK;
}

/* A path in the study's folder, unless it is absolute. */
static const char *beside(kl_arena *a, const char *file, const char *path)
{
    const char *slash = strrchr(file, '/');
    if (path[0] == '/' || !slash) return path;
    return kl_arena_format(a, "%.*s/%s", (int)(slash - file), file, path);
}

/* The values of all runs must be known. */
static kl_status read_keep(reader *r, const kl_node *n)
{
    if (!n) return KL_OK;
    if (n->kind != KL_SCALAR || !*n->text)
        return kl_fail(r->diag, KL_E_MODEL, n->place,
                       "`keep` is a folder or the name of a file for each run, such as runs or "
                       "\"runs/{%s}.h5\"",
                       r->s->parameter[0]);
    return kl_study_keep(r->s, beside(r->s->arena, r->s->file, n->text), n->place, r->diag);
}

static kl_status read_all(reader *r, const kl_node *root)
{
    static const char *const known[] = {"model", "analysis",   "method",  "samples",
                                        "seed",  "parameters", "results", "set",
                                        "end",   "keep",       NULL};
    kl_study                *s       = r->s;
    if (root->kind != KL_MAP)
        return kl_fail(r->diag, KL_E_MODEL, root->place,
                       "a study is a map with `model`, `parameters` and `results`");
    if (kl_node_get(root, "klingel") && kl_node_get(root, "bodies"))
        return kl_fail(r->diag, KL_E_MODEL, root->place,
                       "this is a model; write a study that names it: `klingel help study` shows "
                       "an example");
    check_keys(r, root, "a study", known);
    const kl_node *model = kl_node_get(root, "model"), *analysis = kl_node_get(root, "analysis"),
                  *method = kl_node_get(root, "method"), *samples = kl_node_get(root, "samples"),
                  *seed = kl_node_get(root, "seed");
    if (!model || model->kind != KL_SCALAR || !*model->text)
        kl_fail(r->diag, KL_E_MODEL, model ? model->place : root->place,
                "the model is missing; give `model: FILE.yaml`");
    else s->model = beside(s->arena, s->file, model->text);
    int word = analysis ? word_of(r, analysis, "analysis", analyses) : 0, number = 1;
    s->analysis = word < 0 ? KL_STUDY_RUN : (kl_study_analysis)word;
    r->method   = method ? word_of(r, method, "method", methods) : 0;
    if (samples) (void)count_of(r, samples, "samples", 1, &r->samples);
    if (seed) (void)count_of(r, seed, "seed", 0, &number);
    r->seed = (uint64_t)number;
    s->end  = NAN;
    if (kl_node_get(root, "end")) (void)seconds_of(r, kl_node_get(root, "end"), &s->end);
    KL_TRY(read_fixed(r, kl_node_get(root, "set")));
    (void)read_results(r, kl_node_get(root, "results"));
    KL_TRY(read_parameters(r, kl_node_get(root, "parameters")));
    refuse_same_names(r);
    if (kl_diag_failed(r->diag)) return kl_diag_status(r->diag);
    KL_TRY(fill_values(r, root));
    return read_keep(r, kl_node_get(root, "keep"));
}

kl_status kl_study_read(const char *path, kl_diag *diag, kl_study **out)
{
    kl_arena *arena = kl_arena_create();
    kl_study *s     = kl_arena_array(arena, kl_study, 1);
    kl_node  *root  = NULL;
    *out            = NULL;
    if (!s) {
        kl_arena_destroy(arena);
        return KL_E_MEMORY;
    }
    s->arena         = arena;
    s->file          = kl_arena_text(arena, path);
    reader    r      = {.s = s, .diag = diag};
    kl_status status = kl_doc_read(path, arena, diag, &root, &s->text);
    if (status == KL_OK) status = read_all(&r, root);
    if (status == KL_OK && kl_diag_failed(diag)) status = kl_diag_status(diag);
    if (status == KL_OK && !kl_arena_ok(arena)) status = KL_E_MEMORY;
    if (status != KL_OK) {
        kl_arena_destroy(arena);
        return status;
    }
    *out = s;
    return KL_OK;
}

void kl_study_destroy(kl_study *s)
{
    if (s) kl_arena_destroy(s->arena); /* the study itself lives in it */
}

void kl_study_text(const kl_study *s, int run, int p, char *text, size_t size)
{
    char value[160];
    kl_study_number(s, run, p, value, sizeof value);
    snprintf(text, size, "%s%s%s", value, *s->unit[p] ? " " : "", s->unit[p]);
}

void kl_study_number(const kl_study *s, int run, int p, char *text, size_t size)
{
    char   number[KL_SHORTEST];
    double value = s->value[(size_t)run * (size_t)s->nparameter + (size_t)p];
    kl_print_shortest(number, value);
    snprintf(text, size, "%s", s->words[p] ? s->words[p][(int)value] : number);
}
