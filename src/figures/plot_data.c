/* Curves of a figure from channels: over time, over each other, rates, spectra.
 *
 * The rate of a channel is the channel that holds it where there is one (velocity for position),
 * else the derivative of the parabola through each row and its neighbours. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "figures/plot.h"
#include "terminal/options.h"

/* ---- rows of one channel between the two times ---- */

typedef struct rows {
    double *time, *y;
    int     n;
} rows;

static void rows_free(rows *r)
{
    free(r->time);
    free(r->y);
}

static bool rows_read(const kl_plot *p, kl_reader *r, int channel, rows *out)
{
    int n = kl_reader_rows(r), kept = 0;
    out->time = malloc(((size_t)n + 1) * sizeof *out->time);
    out->y    = malloc(((size_t)n + 1) * sizeof *out->y);
    if (!out->time || !out->y || kl_reader_time(r, out->time) != KL_OK) return false;
    if (channel < 0) memcpy(out->y, out->time, (size_t)n * sizeof *out->y);
    else if (kl_reader_column(r, channel, out->y) != KL_OK) return false;
    for (int i = 0; i < n; i++) {
        if (out->time[i] < p->from || out->time[i] > p->to) continue;
        out->time[kept] = out->time[i];
        out->y[kept++]  = out->y[i];
    }
    out->n = kept;
    return true;
}

/* ---- rates ---- */

/* The channel that holds the rate of another, or -1. */
static int rate_channel(const kl_reader *r, const char *name)
{
    static const char *const pairs[][2] = {{".position.", ".velocity."},
                                           {".velocity.", ".acceleration."},
                                           {".omega.", ".alpha."},
                                           {".angle", ".angular_speed"}};
    char                     other[KL_LABEL];
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        const char *at = strstr(name, pairs[i][0]);
        if (!at) continue;
        snprintf(other, sizeof other, "%.*s%s%s", (int)(at - name), name, pairs[i][1],
                 at + strlen(pairs[i][0]));
        int found = kl_reader_find(r, other);
        if (found >= 0) return found;
    }
    return -1;
}

static void differentiate(const rows *r, double *rate)
{
    for (int i = 0; i < r->n; i++) {
        int    a = i > 0 ? i - 1 : i, b = i + 1 < r->n ? i + 1 : i;
        double h = r->time[i] - r->time[a], k = r->time[b] - r->time[i];
        double left  = h > 0.0 ? (r->y[i] - r->y[a]) / h : (double)NAN;
        double right = k > 0.0 ? (r->y[b] - r->y[i]) / k : (double)NAN;
        rate[i] = h > 0.0 && k > 0.0 ? (k * left + h * right) / (h + k) : h > 0.0 ? left : right;
    }
    if (r->n < 3) return;
    /* the ends on the parabola of their neighbour: a chord has the mean of the rates at its ends */
    rate[0]        = 2.0 * rate[0] - rate[1];
    rate[r->n - 1] = 2.0 * rate[r->n - 1] - rate[r->n - 2];
}

static kl_status find_rate(kl_plot *p, kl_reader *r, int channel, const rows *own, double *rate,
                           char *unit, size_t size)
{
    const kl_channel_info *info = kl_reader_channel(r, channel);
    int                    of   = rate_channel(r, info->name);
    snprintf(unit, size, "%.60s%s", of >= 0 ? kl_reader_channel(r, of)->unit : info->unit,
             of >= 0 ? "" : "/s");
    if (of < 0) {
        differentiate(own, rate);
        return KL_OK;
    }
    rows other = {0};
    bool good  = rows_read(p, r, of, &other);
    if (good) memcpy(rate, other.y, (size_t)own->n * sizeof *rate);
    rows_free(&other);
    return good ? KL_OK : KL_E_FILE;
}

/* ---- spectra ---- */

/* "m2/Hz" for m, "(m/s)2/Hz" for m/s */
static void density_unit(const char *unit, char *text, size_t size)
{
    bool plain  = !*unit || strcmp(unit, "1") == 0,
         simple = strcspn(unit, "/ 0123456789^*") == strlen(unit);
    if (plain) snprintf(text, size, "1/Hz");
    else snprintf(text, size, simple ? "%.60s2/Hz" : "(%.60s)2/Hz", unit);
}

static int no_spectrum(const kl_plot *p, int file, const char *name, kl_status status)
{
    if (status == KL_E_MEMORY) return kl_exit_code(status);
    kl_fail(p->diag, KL_E_RANGE, (kl_place){.file = p->file[file]},
            "'%s' has no spectrum: it needs at least %d rows at different times and finite values",
            name, KL_SPECTRUM_LEAST);
    return KL_EXIT_USAGE;
}

/* Frequency zero is the mean, which was taken off. */
static kl_status psd_curve(const kl_plot *p, const rows *r, kl_curve *c)
{
    kl_spectrum_map m;
    KL_TRY(kl_psd_find(r->time, r->y, r->n, p->window, &m));
    c->n = m.nfrequency - 1;
    c->x = malloc((size_t)m.nfrequency * sizeof *c->x);
    c->y = malloc((size_t)m.nfrequency * sizeof *c->y);
    for (int i = 0; c->x && c->y && i < c->n; i++) {
        c->x[i] = m.frequency[i + 1];
        c->y[i] = m.density[i + 1] > 0.0 ? m.density[i + 1] : (double)NAN;
    }
    kl_spectrum_map_free(&m);
    return c->x && c->y ? KL_OK : KL_E_MEMORY;
}

static int add_map(kl_plot *p, int file, int channel, const rows *r)
{
    const kl_channel_info *info = kl_reader_channel(p->reader[file], channel);
    if (p->nmap == KL_MOST_MAPS)
        return kl_usage_error(p->command,
                              "a figure shows at most %d spectrograms; choose fewer channels",
                              KL_MOST_MAPS);
    kl_status status = kl_spectrogram_find(r->time, r->y, r->n, p->window, &p->map[p->nmap]);
    if (status != KL_OK) return no_spectrum(p, file, info->name, status);
    p->map_name[p->nmap] = info->name;
    p->map_unit[p->nmap] = p->units[p->nmap];
    density_unit(info->unit, p->units[p->nmap], sizeof p->units[0]);
    p->nmap++;
    return KL_EXIT_OK;
}

/* ---- curves ---- */

static int too_much(const kl_plot *p)
{
    return kl_usage_error(
        p->command,
        "a figure shows at most %d curves with %d different units; choose fewer channels",
        KL_MOST_CURVES, KL_MOST_PANELS);
}

/* x and y of a curve from the rows, which it takes over where they are what is drawn. */
static kl_status make_curve(kl_plot *p, int file, int channel, rows *r, kl_curve *c, char *unit,
                            size_t size)
{
    kl_reader             *reader = p->reader[file];
    const kl_channel_info *info   = kl_reader_channel(reader, channel);
    c->unit                       = info->unit;
    if (p->kind == KL_PLOT_PSD) {
        density_unit(info->unit, unit, size);
        c->unit = unit;
        return psd_curve(p, r, c);
    }
    c->n = r->n;
    if (p->kind == KL_PLOT_PHASE) {
        c->unit = unit;
        c->y    = malloc(((size_t)r->n + 1) * sizeof *c->y);
        if (!c->y) return KL_E_MEMORY;
        KL_TRY(find_rate(p, reader, channel, r, c->y, unit, size));
        c->x = r->y;
        free(r->time);
    } else if (p->kind == KL_PLOT_OVER) {
        rows x    = {0};
        bool good = rows_read(p, reader, kl_reader_find(reader, p->x), &x);
        c->x = x.y, c->y = r->y;
        r->y = NULL;
        free(x.time);
        return good ? KL_OK : KL_E_FILE;
    } else c->x = r->time, c->y = r->y;
    *r = (rows){0};
    return KL_OK;
}

static int phase_units_differ(const kl_plot *p, const char *unit)
{
    return kl_usage_error(p->command,
                          "'%s' and '%s' have different units; draw a phase plane for each",
                          p->figure.x_unit, unit);
}

static int add_one(kl_plot *p, int file, int channel)
{
    const kl_channel_info *info = kl_reader_channel(p->reader[file], channel);
    kl_figure             *f    = &p->figure;
    rows                   r    = {0};
    kl_curve               c    = {.source = file, .name = info->name};
    if (f->ncurve == KL_MOST_CURVES) return too_much(p);
    if (p->kind == KL_PLOT_PHASE && f->ncurve && strcmp(f->x_unit, info->unit) != 0)
        return phase_units_differ(p, info->unit);
    if (p->kind == KL_PLOT_PHASE) f->x_unit = info->unit;
    char     *unit   = p->units[f->ncurve];
    kl_status status = rows_read(p, p->reader[file], channel, &r) ? KL_OK : KL_E_FILE;
    int       code   = KL_EXIT_OK;
    if (status == KL_OK && p->kind == KL_PLOT_SPECTROGRAM) code = add_map(p, file, channel, &r);
    else if (status == KL_OK) {
        status = make_curve(p, file, channel, &r, &c, unit, sizeof p->units[0]);
        if (status == KL_OK && !kl_figure_has_room(f, c.unit)) code = too_much(p);
        else if (status == KL_OK) kl_figure_add(f, c), c.x = c.y = NULL;
        else if (p->kind == KL_PLOT_PSD) code = no_spectrum(p, file, info->name, status);
        free(c.x);
        free(c.y);
    }
    rows_free(&r);
    return code == KL_EXIT_OK && status != KL_OK ? KL_EXIT_MODEL : code;
}

int kl_plot_add(kl_plot *p, int file, const int *channels, int n)
{
    int code = KL_EXIT_OK;
    if (p->kind == KL_PLOT_PSD) p->figure.log_x = p->figure.log_y = true, p->figure.x_unit = "Hz";
    for (int i = 0; code == KL_EXIT_OK && i < n; i++) code = add_one(p, file, channels[i]);
    return code;
}

static int fill_from(kl_plot *p, int file)
{
    const char  *name = p->file[file];
    kl_selection chosen;
    if (!p->reader[file]) p->reader[file] = kl_open_results(name, p->diag);
    kl_reader *r = p->reader[file];
    if (!r) return KL_EXIT_MODEL;
    if (p->kind == KL_PLOT_OVER) {
        int x = kl_select_one(r, name, p->x, p->diag);
        if (x < 0) return KL_EXIT_USAGE;
        p->figure.x_unit = kl_reader_channel(r, x)->unit;
    }
    bool some = p->nchannel > 0
                    ? kl_select_channels(r, name, p->channels, p->nchannel, p->diag, &chosen)
                    : kl_select_default(r, false, &chosen);
    if (!some) return KL_EXIT_USAGE;
    int code = kl_plot_add(p, file, chosen.channels, chosen.n);
    kl_selection_free(&chosen);
    return code;
}

int kl_plot_fill(kl_plot *p)
{
    int code = KL_EXIT_OK;
    if (p->kind == KL_PLOT_ENERGIES) return kl_plot_energies(p);
    for (int i = 0; code == KL_EXIT_OK && i < p->nfile; i++) code = fill_from(p, i);
    return code;
}

void kl_plot_clear(kl_plot *p)
{
    kl_figure_free(&p->figure);
    kl_figure_init(&p->figure);
    for (int i = 0; i < p->nmap; i++) kl_spectrum_map_free(&p->map[i]);
    p->nmap = 0;
}
