/* klingel plot --auto: a set of figures that suits any results. Channels that
 * change are drawn, constant ones are left out, and no figure gets more than can be read. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "figures/plot.h"

enum {
    MOST_IN_PANEL = 6, /* curves of one unit in a figure */
    MOST_UNITS    = 4,
    MOST_SPLIT    = 4, /* figures of one kind */
    MOST_SPECTRA  = 6,
    MOST_FORCES   = 4, /* elements, by their largest force */
};

/* A channel of the first result with what it reaches. */
typedef struct item {
    int    channel;
    double low, high;
} item;

typedef struct items {
    item *list;
    int   n;
} items;

static bool moves(const item *i)
{
    return i->high - i->low > 1e-9 * fmax(fabs(i->low), fabs(i->high)) && i->high - i->low > 1e-12;
}

static double peak(const item *i) { return fmax(fabs(i->low), fabs(i->high)); }

static bool read_ranges(kl_reader *r, items *all)
{
    int     n = kl_reader_channels(r), rows = kl_reader_rows(r);
    double *y = malloc(((size_t)rows + 1) * sizeof *y);
    all->list = calloc((size_t)n + 1, sizeof *all->list);
    all->n    = n;
    for (int c = 0; y && all->list && c < n; c++) {
        all->list[c] = (item){c, HUGE_VAL, -HUGE_VAL};
        if (kl_reader_column(r, c, y) != KL_OK) break;
        for (int i = 0; i < rows; i++) {
            if (!isfinite(y[i])) continue;
            all->list[c].low  = fmin(all->list[c].low, y[i]);
            all->list[c].high = fmax(all->list[c].high, y[i]);
        }
    }
    bool good = y && all->list;
    free(y);
    return good;
}

/* ---- choosing ---- */

static bool ends_in_axis(const char *name, const char *quantity)
{
    size_t n = strlen(name), k = strlen(quantity);
    return n > k + 1 && strncmp(name + n - k - 1, quantity, k) == 0 &&
           strchr("xyz", name[n - 1]) != NULL;
}

static bool is_own(const kl_channel_info *c) { return c->own; }
static bool is_energy(const kl_channel_info *c)
{
    return !c->own && strncmp(c->name, "energy.", 7) == 0 && strcmp(c->name, "energy.balance") != 0;
}
static bool is_quality(const kl_channel_info *c)
{
    return !c->own &&
           (strncmp(c->name, "drift.", 6) == 0 || strcmp(c->name, "energy.balance") == 0);
}
static bool is_position(const kl_channel_info *c)
{
    return !c->own && ends_in_axis(c->name, ".position.");
}
static bool is_acceleration(const kl_channel_info *c)
{
    return !c->own && ends_in_axis(c->name, ".acceleration.");
}
static bool is_force(const kl_channel_info *c)
{
    return !c->own && ends_in_axis(c->name, ".force.");
}
static bool is_angle(const kl_channel_info *c)
{
    size_t n = strlen(c->name);
    return !c->own && n > 6 && strcmp(c->name + n - 6, ".angle") == 0;
}

typedef bool (*chooser)(const kl_channel_info *c);

/* Channels that a chooser takes and that move; all of them when `constant_too` is set. */
static int choose(const kl_plot *p, const items *all, chooser takes, bool constant_too, int *chosen)
{
    int n = 0;
    for (int i = 0; i < all->n; i++)
        if (takes(kl_reader_channel(p->reader[0], i)) && (constant_too || moves(&all->list[i])))
            chosen[n++] = i;
    return n;
}

/* Of forces only those of the elements with the largest ones. */
static int keep_largest(const kl_plot *p, const items *all, int *chosen, int n)
{
    double limit = 0.0;
    for (int pass = 0; pass < MOST_FORCES; pass++) { /* the pass-th largest of all elements */
        double most = 0.0;
        for (int i = 0; i < n; i++) {
            double here = peak(&all->list[chosen[i]]);
            if ((pass == 0 || here < limit) && here > most) most = here;
        }
        if (most <= 0.0) break;
        limit = most;
    }
    int kept = 0;
    for (int i = 0; i < n && kept < MOST_FORCES; i++)
        if (peak(&all->list[chosen[i]]) >= limit) chosen[kept++] = chosen[i];
    (void)p;
    return kept;
}

/* ---- drawing ---- */

static int draw_some(kl_plot *p, const int *channels, int n, const char *path)
{
    int code = KL_EXIT_OK;
    kl_plot_clear(p);
    for (int f = 0; code == KL_EXIT_OK && f < p->nfile; f++)
        for (int i = 0; code == KL_EXIT_OK && i < n; i++) {
            const char *name = kl_reader_channel(p->reader[0], channels[i])->name;
            int         here = kl_reader_find(p->reader[f], name);
            if (here >= 0 && p->figure.ncurve < KL_MOST_CURVES) code = kl_plot_add(p, f, &here, 1);
        }
    if (code != KL_EXIT_OK || p->figure.ncurve == 0) return code;
    kl_plot_label(p);
    p->output = path;
    return kl_plot_draw(p);
}

/* True when the channel would make the figure crowded. */
static bool is_crowded(const kl_plot *p, const int *channels, int n, int next)
{
    const char *unit = kl_reader_channel(p->reader[0], next)->unit;
    int         same = 0, units = 0;
    for (int i = 0; i < n; i++) {
        const char *u = kl_reader_channel(p->reader[0], channels[i])->unit;
        bool new      = true;
        for (int k = 0; k < i && new; k++)
            new = strcmp(kl_reader_channel(p->reader[0], channels[k])->unit, u) != 0;
        units += new;
        same += strcmp(u, unit) == 0;
    }
    return same >= MOST_IN_PANEL || (same == 0 && units >= MOST_UNITS);
}

typedef struct folder {
    char        name[3800];
    const char *ending;      /* ".svg" */
    int         drawn, left; /* figures, channels that found no place */
} folder;

/* Channels into as many figures as they need, up to a limit. */
static int draw_split(kl_plot *p, folder *d, const char *name, const int *channels, int n)
{
    char path[4096];
    int  from = 0, code = KL_EXIT_OK;
    for (int part = 1; from < n && code == KL_EXIT_OK && part <= MOST_SPLIT; part++) {
        int end = from + 1;
        while (end < n && !is_crowded(p, channels + from, end - from, channels[end])) end++;
        bool alone = part == 1 && end == n;
        if (alone) snprintf(path, sizeof path, "%s/%s%s", d->name, name, d->ending);
        else snprintf(path, sizeof path, "%s/%s-%d%s", d->name, name, part, d->ending);
        code = draw_some(p, channels + from, end - from, path);
        d->drawn += code == KL_EXIT_OK;
        from = end;
    }
    d->left += n - from;
    return code;
}

typedef struct entry {
    const char  *name;
    kl_plot_kind kind;
    chooser      takes;
    bool         constant_too; /* draw it although it is constant */
    int          most;         /* channels; 0: any number */
} entry;

static const entry entries[] = {
    {"outputs", KL_PLOT_TIME, is_own, false, 0},
    {"positions", KL_PLOT_TIME, is_position, false, 0},
    {"accelerations", KL_PLOT_TIME, is_acceleration, false, 2 * MOST_IN_PANEL},
    {"forces", KL_PLOT_TIME, is_force, false, 0},
    {"phase", KL_PLOT_PHASE, is_angle, false, MOST_IN_PANEL},
    {"spectra", KL_PLOT_PSD, is_own, false, MOST_SPECTRA},
    {"energy", KL_PLOT_TIME, is_energy, true, 0},
    {"quality", KL_PLOT_TIME, is_quality, true, 0},
};

static int draw_entry(kl_plot *p, folder *d, const items *all, const entry *e, int *chosen)
{
    int n   = choose(p, all, e->takes, e->constant_too, chosen);
    p->kind = e->kind;
    if (e->takes == is_force) n = keep_largest(p, all, chosen, n);
    if (e->kind == KL_PLOT_PSD && n == 0) n = choose(p, all, is_acceleration, false, chosen);
    if (e->kind == KL_PLOT_PSD && kl_reader_rows(p->reader[0]) < 4 * KL_SPECTRUM_LEAST) n = 0;
    if (e->most > 0 && n > e->most) {
        d->left += n - e->most;
        n = e->most;
    }
    return draw_split(p, d, e->name, chosen, n);
}

static bool make_folder(const char *name)
{
    struct stat s;
    if (mkdir(name, 0777) == 0) return true;
    if (errno == EEXIST && stat(name, &s) == 0 && S_ISDIR(s.st_mode)) return true;
    fprintf(stderr, "cannot create the folder %s: %s\n", name,
            errno == EEXIST ? "a file of this name exists" : strerror(errno));
    return false;
}

int kl_plot_auto(kl_plot *p, const char *ending)
{
    folder d    = {.ending = ending};
    items  all  = {0};
    int    code = KL_EXIT_OK;
    snprintf(d.name, sizeof d.name, "%s", p->output ? p->output : "figures");
    for (int i = 0; i < p->nfile; i++)
        if (!(p->reader[i] = kl_open_results(p->file[i], p->diag))) return KL_EXIT_MODEL;
    if (kl_reader_rows(p->reader[0]) == 0) {
        fprintf(stderr, "%s: the results contain no rows to draw\n", p->file[0]);
        return KL_EXIT_MODEL;
    }
    if (!make_folder(d.name)) return KL_EXIT_MODEL;
    int *chosen = calloc((size_t)kl_reader_channels(p->reader[0]) + 1, sizeof *chosen);
    if (!chosen || !read_ranges(p->reader[0], &all)) code = KL_EXIT_MODEL;
    for (size_t i = 0; code == KL_EXIT_OK && i < sizeof entries / sizeof *entries; i++)
        code = draw_entry(p, &d, &all, &entries[i], chosen);
    if (code == KL_EXIT_OK)
        fprintf(stderr, "%s: %d figures%s\n", d.name, d.drawn,
                d.left ? "; draw other channels with `klingel plot OUT.h5 CHANNEL...`" : "");
    else kl_print_diag(p->diag, NULL);
    free(chosen);
    free(all.list);
    return code;
}
