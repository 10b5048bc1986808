/* klingel locus: eigenvalues over a parameter, and where the model becomes unstable.
 *
 * Between two values of the parameter at which the number of growing eigenvalues differs, the place
 * is bisected by that number, then the real part that passes through zero is solved for by the
 * secant rule, kept inside the bracket; where it does not pass but leaves zero, bisection goes on. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "cli/analysis.h"
#include "cli/commands.h"
#include "solve/eigenvalues.h"

static const double LEVEL = 1e-7; /* real parts below this share of the eigenvalue count as zero */

typedef struct locus {
    const kl_source  *source;
    kl_override      *set; /* others, and a last place for ours */
    int               nset;
    const char       *unit;
    char              value[128];
    kl_analysis_state where;
    kl_diag          *diag;
    bool              csv;
    FILE             *table; /* where the eigenvalues go */
    int               crossings;
} locus;

/* Eigenvalues at one value; NULL with reasons in `messages`, which may be NULL. */
static kl_spectrum *spectrum_at(locus *k, double value, kl_diag *messages)
{
    kl_model      *m   = NULL;
    kl_simulation *s   = NULL;
    kl_linear     *l   = NULL;
    kl_spectrum   *out = NULL;
    snprintf(k->value, sizeof k->value, "%.17g %s", value, k->unit);
    kl_diag  *diag   = kl_diag_create();
    kl_status status = diag ? kl_source_build(k->source, k->set, k->nset, diag, &m) : KL_E_MEMORY;
    if (status == KL_OK) status = kl_simulation_create(m, diag, &s);
    if (status == KL_OK) status = kl_analysis_find_state(s, k->where, diag);
    if (status == KL_OK) status = kl_linearize(s->solver, NULL, diag, &l);
    if (status == KL_OK) status = kl_spectrum_find(s->solver, l, false, diag, &out);
    if (status != KL_OK) { /* the same reasons, once, with the value they belong to */
        for (int i = 0; diag && i < kl_diag_size(diag); i++)
            if (kl_diag_at(diag, i)->severity == KL_ERROR)
                kl_fail(messages, status, KL_NOWHERE, "%s = %s: %s", k->set[k->nset - 1].name,
                        k->value, kl_diag_at(diag, i)->text);
        if (messages && !kl_diag_failed(messages))
            kl_fail(messages, status, KL_NOWHERE, "%s = %s: %s", k->set[k->nset - 1].name, k->value,
                    kl_status_text(status));
    }
    kl_linear_destroy(l);
    kl_simulation_destroy(s);
    kl_model_destroy(m);
    kl_diag_destroy(diag);
    return out;
}

static kl_spectrum *at(locus *k, double value) { return spectrum_at(k, value, k->diag); }

/* The eigenvalue (im >= 0) nearest to the axis that is not neutral, or nearest to a given one. */
static const kl_eigenmode *nearest(const kl_spectrum *s, const kl_eigenmode *to)
{
    const kl_eigenmode *best  = NULL;
    double              least = INFINITY;
    for (int i = 0; i < s->n; i++) {
        const kl_eigenmode *e = &s->mode[i];
        if (e->im < 0.0 || (e->neutral && !to)) continue;
        double d = to ? hypot(e->re - to->re, e->im - to->im) : fabs(e->re);
        if (d < least) least = d, best = e;
    }
    return best;
}

/* The eigenvalue (im >= 0) that grows fastest. */
static const kl_eigenmode *fastest_growing_mode(const kl_spectrum *s)
{
    const kl_eigenmode *best = NULL;
    for (int i = 0; i < s->n; i++)
        if (s->mode[i].im >= 0.0 && (!best || s->mode[i].re > best->re)) best = &s->mode[i];
    return best;
}

/* Where undamped eigenvalues meet, the real part is zero on one side and grows like a root on the
 * other: only the number of growing ones is reliable, so bisection is used to the end. What is about to buckle is
 * held by nothing: where no equilibrium is found in the end, there it is. */
static bool halve(locus *k, double low, double high, int nlow, int nhigh, double *place,
                  kl_eigenmode *mode)
{
    for (int pass = 0; pass < 60; pass++) {
        bool narrow    = fabs(high - low) <= 1e-6 * fmax(fabs(low), fabs(high));
        *place         = 0.5 * (low + high);
        kl_spectrum *s = spectrum_at(k, *place, narrow ? NULL : k->diag);
        if (!s) return narrow;
        const kl_eigenmode *e = fastest_growing_mode(s);
        if (e && s->unstable >= (nlow > nhigh ? nlow : nhigh)) *mode = *e;
        bool below = s->unstable == nlow;
        kl_spectrum_destroy(s);
        if (below) low = *place;
        else high = *place;
        if (fabs(high - low) <= 1e-11 * fmax(fabs(low), fabs(high))) break;
    }
    return true;
}

/* The slowest eigenvalue that is not neutral to rounding, and its square, if that is real: an undamped
 * motion, or what falls over. */
static bool slowest(const kl_spectrum *s, double *square, kl_eigenmode *mode)
{
    const kl_eigenmode *best = NULL;
    double              most = 0.0;
    for (int i = 0; i < s->n; i++) most = fmax(most, hypot(s->mode[i].re, s->mode[i].im));
    for (int i = 0; i < s->n; i++) {
        const kl_eigenmode *e    = &s->mode[i];
        double              size = hypot(e->re, e->im);
        if (e->im < 0.0 || (e->im == 0.0 && e->re < 0.0) || size < 1e-6 * most) continue;
        if (!best || size < hypot(best->re, best->im)) best = e;
    }
    if (!best || fmin(fabs(best->re), best->im) > LEVEL * hypot(best->re, best->im)) return false;
    *square = best->re * best->re - best->im * best->im;
    *mode   = *best;
    return true;
}

/* Buckling: the square passes through zero, and smoothly: secant on it; false: this is none. Where it
 * is, nothing holds the model, so that no equilibrium may be found there. */
static bool buckles(locus *k, double low, double high, double *place, kl_eigenmode *mode)
{
    double x[2] = {low, high}, f[2] = {0.0, 0.0};
    for (int pass = 0; pass < 20; pass++) {
        double now = pass < 2 ? x[pass] : x[0] - f[0] * (x[1] - x[0]) / (f[1] - f[0]), g = 0.0;
        kl_spectrum *s    = spectrum_at(k, now, NULL);
        bool         real = s && slowest(s, &g, mode);
        kl_spectrum_destroy(s);
        *place   = now;
        bool far = !real || fabs(g) > fabs(f[0]) + fabs(f[1]); /* another one: it is at zero */
        if (pass >= 2 && far) break;
        if (!real || (pass == 1 && (g > 0.0) == (f[0] > 0.0))) return false;
        int  end  = pass < 2 ? pass : (g > 0.0) == (f[0] > 0.0) ? 0 : 1;
        bool done = pass >= 2 && fabs(now - x[end]) <= 1e-10 * fabs(now);
        x[end] = now, f[end] = g;
        if (done) return true;
    }
    *mode = (kl_eigenmode){0};
    return true;
}

/* Secant on the real part inside [low, high], which it changes its sign over. */
static bool refine(locus *k, double low, double high, int nlow, int nhigh, kl_eigenmode from,
                   double *place, kl_eigenmode *mode)
{
    double a = low, b = high, fa = NAN, fb = NAN;
    for (int pass = 0; pass < 60; pass++) {
        double x = isnan(fa) ? a : isnan(fb) ? b : a - fa * (b - a) / (fb - fa);
        if (!(x >= fmin(a, b) && x <= fmax(a, b)) || (pass > 2 && pass % 4 == 0)) x = 0.5 * (a + b);
        bool         loose = pass >= 2 && from.im == 0.0; /* about to fall over: as above */
        kl_spectrum *s     = spectrum_at(k, x, loose ? NULL : k->diag);
        *place             = x;
        if (!s) return loose;
        const kl_eigenmode *e = nearest(s, &from);
        if (!e) {
            kl_spectrum_destroy(s);
            return false;
        }
        *mode = from = *e;
        double f = e->re, size = hypot(e->re, e->im);
        kl_spectrum_destroy(s);
        if (isnan(fa)) fa = f;
        else if (isnan(fb)) fb = f;
        else if ((f > 0.0) == (fa > 0.0)) a = x, fa = f;
        else b = x, fb = f;
        bool both = !isnan(fa) && !isnan(fb);
        if (pass == 1 && both &&
            (fmin(fabs(fa), fabs(fb)) <= LEVEL * size || (fa > 0.0) == (fb > 0.0)))
            return buckles(k, low, high, place, mode) ||
                   halve(k, low, high, nlow, nhigh, place, mode);
        if (both && (fa > 0.0) == (fb > 0.0)) return true; /* at the limit */
        if (pass < 2) continue; /* both ends first: there it may be zero for good */
        if (fabs(f) <= 1e-12 * size || fabs(b - a) <= 1e-10 * fmax(fabs(a), fabs(b))) return true;
    }
    return true;
}

/* All places between two values where the number of growing eigenvalues changes. */
static bool bisect(locus *k, double low, double high, int nlow, int nhigh, double width)
{
    if (nlow == nhigh) return true;
    double       middle = 0.5 * (low + high);
    kl_spectrum *s      = at(k, middle);
    if (!s) return false;
    int n = s->unstable;
    if (fabs(high - low) > 1e-3 * width) {
        kl_spectrum_destroy(s);
        return bisect(k, low, middle, nlow, n, width) && bisect(k, middle, high, n, nhigh, width);
    }
    const kl_eigenmode *e    = nearest(s, NULL);
    kl_eigenmode        from = e ? *e : (kl_eigenmode){0}, mode = from;
    kl_spectrum_destroy(s);
    double place = middle;
    if (e && !refine(k, low, high, nlow, nhigh, from, &place, &mode)) return false;
    k->crossings++;
    fprintf(k->csv ? stderr : stdout,
            "crossing: %s = %.10g%s%s, %s there; eigenvalue %.3g %+.9g i, %.9g Hz\n",
            k->set[k->nset - 1].name, place, *k->unit ? " " : "", k->unit,
            nhigh > nlow ? "becomes unstable" : "becomes stable", mode.re, mode.im,
            mode.im / (2.0 * KL_PI));
    return true;
}

static void print_spectrum(FILE *f, double value, const kl_spectrum *s)
{
    for (int i = 0; i < s->n; i++)
        fprintf(f, "%.15g,%.15g,%.15g,%.15g,%.15g\n", value, s->mode[i].re, s->mode[i].im,
                s->mode[i].frequency, s->mode[i].damping);
}

static bool walk(locus *k, double from, double to, int count)
{
    double  old   = from;
    int     n_old = 0;
    bool    ok    = true;
    double *place = calloc((size_t)count + 1, sizeof *place);
    int    *grow  = calloc((size_t)count + 1, sizeof *grow);
    ok            = place && grow;
    for (int i = 0; i < count && ok; i++) {
        place[i]       = count > 1 ? from + (to - from) * i / (count - 1) : from;
        kl_spectrum *s = at(k, place[i]);
        ok             = s != NULL;
        if (!ok) break;
        grow[i] = s->unstable;
        if (i == 0) /* not before a model could be built */
            fprintf(k->table, "%s,real,imag,frequency_hz,damping_ratio\n",
                    k->set[k->nset - 1].name);
        print_spectrum(k->table, place[i], s);
        kl_spectrum_destroy(s);
    }
    for (int i = 0; i < count && ok; i++) {
        if (i > 0) ok = bisect(k, old, place[i], n_old, grow[i], fabs(place[i] - old));
        old   = place[i];
        n_old = grow[i];
    }
    if (ok && k->crossings == 0)
        fprintf(k->csv ? stderr : stdout, "no stability limit: %s at all %d values\n",
                n_old ? "unstable" : "stable", count);
    free(place);
    free(grow);
    return ok;
}

/* "name=from:to:count", numbers with one unit behind either */
static bool parse_over(const char *text, char *name, size_t size, double *from, double *to,
                       int *count, char *unit, size_t unit_size)
{
    const char *sign = strchr(text, '=');
    if (!sign || sign == text || (size_t)(sign - text) >= size) return false;
    memcpy(name, text, (size_t)(sign - text));
    name[sign - text] = '\0';
    char       *end;
    const char *p        = sign + 1;
    double     *number[] = {from, to};
    unit[0]              = '\0';
    for (int i = 0; i < 2; i++) {
        *number[i] = strtod(p, &end);
        if (end == p || !isfinite(*number[i])) return false;
        while (*end == ' ') end++;
        size_t length = strcspn(end, ":");
        if (end[length] != ':' || length >= unit_size) return false;
        if (length > 0) {
            char here[64];
            memcpy(here, end, length);
            here[length] = '\0';
            if (unit[0] && strcmp(unit, here) != 0) return false; /* one unit for both */
            snprintf(unit, unit_size, "%s", here);
        }
        p = end + length + 1;
    }
    long n = strtol(p, &end, 10);
    if (end == p || *end || n < 1 || n > 1000000) return false;
    *count = (int)n;
    return true;
}

typedef struct range {
    double from, to;
    int    count;
} range;

/* walks over the parameter `name` with what `set` changes beside it */
static int trace(locus *k, const kl_texts *set, const char *name, const char *output, range r)
{
    int    code  = KL_EXIT_MODEL;
    char **texts = calloc((size_t)set->n + 1, sizeof *texts);
    bool   good  = texts != NULL;
    k->nset      = set->n + 1;
    k->set       = calloc((size_t)k->nset, sizeof *k->set);
    for (int i = 0; good && k->set && i < set->n; i++) {
        texts[i]   = strdup(set->items[i]);
        char *sign = texts[i] ? strchr(texts[i], '=') : NULL;
        good       = sign != NULL;
        if (!sign) continue;
        *sign     = '\0';
        k->set[i] = (kl_override){.name = texts[i], .text = sign + 1};
    }
    if (good && k->set) {
        k->set[set->n] = (kl_override){.name = name, .text = k->value};
        kl_new_file file;
        bool        opened = !output || kl_new_file_open(&file, output);
        k->table           = !opened ? NULL : output ? file.stream : stdout;
        good               = opened && walk(k, r.from, r.to, r.count);
        if (!opened || (output && !kl_new_file_close(&file)))
            fprintf(stderr, "%s: cannot be written: %s\n", output, kl_file_reason(errno));
        else code = good ? KL_EXIT_OK : kl_exit_code(kl_diag_status(k->diag));
    } else kl_fail(k->diag, KL_E_MEMORY, KL_NOWHERE, "out of memory");
    for (int i = 0; texts && i < set->n; i++) free(texts[i]);
    free(texts);
    free(k->set);
    return code;
}

/* The parameter that --over names must be one of the model. */
static int check_parameter(const kl_model *m, const char *name, kl_diag *diag)
{
    char   list[512] = "";
    size_t n         = 0;
    for (int i = 0; i < m->nparameter; i++) {
        if (strcmp(m->parameter[i].name, name) == 0) return KL_EXIT_OK;
        if (n < sizeof list)
            n += (size_t)snprintf(list + n, sizeof list - n, "%s%s", i ? ", " : "",
                                  m->parameter[i].name);
    }
    return kl_exit_code(kl_fail(diag, KL_E_NAME, (kl_place){.file = "--over"},
                                "there is no parameter `%s`; %s%s", name,
                                m->nparameter ? "parameters are " : "the model has none", list));
}

static int locus_run(int argc, char **argv)
{
    kl_texts        set  = {0};
    const char     *over = NULL, *at_text = "equilibrium", *output = NULL;
    locus           k         = {0};
    bool            rest_flag = false;
    const kl_option options[] = {
        {"over", 0, "NAME=FROM:TO:COUNT", KL_OPTION_TEXT, &over,
         "parameter and values: from 50 to 100, 11 values"},
        {"set", 's', "NAME=VALUE", KL_OPTION_TEXTS, &set, "set a parameter (may be repeated)"},
        {"output", 'o', "FILE.csv", KL_OPTION_TEXT, &output,
         "table to write; `klingel view FILE.csv` shows it"},
        {"csv", 0, NULL, KL_OPTION_FLAG, &k.csv,
         "print the table as CSV, stability limits to standard error"},
        {"at", 0, "WHERE", KL_OPTION_TEXT, &at_text,
         "equilibrium (default; keeps initial velocities) or start"},
        {"rest", 0, NULL, KL_OPTION_FLAG, &rest_flag, "linearise at the equilibrium at rest"},
        {0},
    };
    kl_arguments rest;
    int          code = kl_options_parse(&kl_command_locus, options, argc, argv, &rest);
    char         name[128], unit[64];
    double       from = 0.0, to = 0.0;
    int          count = 0;
    if (code == KL_OPTIONS_OK && rest.n != 1)
        code = kl_usage_error(&kl_command_locus,
                              rest.n ? "give one model file"
                                     : "the model is missing; name its file, such as model.yaml");
    if (code == KL_OPTIONS_OK && !over)
        code = kl_usage_error(&kl_command_locus,
                              "give a parameter and its values: --over speed=50:100:11");
    if (code == KL_OPTIONS_OK &&
        !parse_over(over, name, sizeof name, &from, &to, &count, unit, sizeof unit))
        code = kl_usage_error(&kl_command_locus,
                              "--over needs NAME=FROM:TO:COUNT, such as speed=50:100:11, not '%s'",
                              over);
    if (code == KL_OPTIONS_OK && strcmp(at_text, "equilibrium") != 0 &&
        strcmp(at_text, "start") != 0)
        code = kl_usage_error(&kl_command_locus, "--at must be equilibrium or start, not '%s'",
                              at_text);
    if (code != KL_OPTIONS_OK) {
        kl_texts_free(&set);
        return code;
    }
    k.where = strcmp(at_text, "start") == 0 ? KL_AT_START
              : rest_flag                   ? KL_AT_REST
                                            : KL_AT_EQUILIBRIUM;
    k.diag  = kl_diag_create();
    k.unit  = unit;
    kl_loaded l;
    code = kl_loaded_open(&kl_command_locus, rest.items[0], &set, k.diag, &l);
    if (code == KL_EXIT_OK) {
        k.source = l.source;
        code     = check_parameter(l.model, name, k.diag);
    }
    if (code == KL_EXIT_OK) code = trace(&k, &set, name, output, (range){from, to, count});
    kl_loaded_close(&l);
    kl_print_diag(k.diag, NULL);
    kl_diag_destroy(k.diag);
    kl_texts_free(&set);
    return code;
}

const kl_command kl_command_locus = {
    .name      = "locus",
    .arguments = "MODEL.yaml --over NAME=FROM:TO:COUNT",
    .summary   = "eigenvalues over a parameter, with the stability limit",
    .run       = locus_run,
    .help      = "  klingel locus examples/carter-wheelset/model.yaml --over speed=50:100:11\n"
                 "  klingel locus model.yaml --over 'speed=180 km/h:360 km/h:10'\n"
                 "\n"
                 "Prints one line per eigenvalue, then the parameter values at which the number of\n"
                 "unstable eigenvalues changes, with a relative accuracy of 1e-6.\n"};
