/* Layout and script of a figure. Colours: Okabe and Ito (2008), distinguished by colour-blind readers
 * too. Several results lie over each other, distinguished by colour when a panel has one channel, by
 * dashes when it has several. */
#include "figures/figure.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "figures/gnuplot.h"

enum {
    BINS        = 2000,  /* over time: lowest and highest value of each are drawn */
    MOST_POINTS = 40000, /* over another channel */
};

/* Sizes in units of a canvas 800 wide. */
enum {
    WIDTH    = 800,
    LEFT     = 88,
    RIGHT    = 24,
    BOTTOM   = 62,
    TOP      = 14,
    TITLE    = 30,
    KEY_LINE = 22,
    GAP      = 16
};
static const double LETTER = 8.2; /* width of a letter in the legend */

/* ---- curves and panels ---- */

/* Over time: of each bin the lowest and the highest point, so that no peak is lost. Works in place.
 */
static int thin_over_time(double *x, double *y, int n)
{
    if (n <= 2 * BINS) return n;
    int kept = 0;
    for (int bin = 0; bin < BINS; bin++) {
        int first = (int)((long long)n * bin / BINS), end = (int)((long long)n * (bin + 1) / BINS);
        int low = first, high = first;
        for (int i = first; i < end; i++) {
            if (y[i] < y[low] || !isfinite(y[low])) low = i;
            if (y[i] > y[high] || !isfinite(y[high])) high = i;
        }
        int    a = low < high ? low : high, b = low < high ? high : low;
        double xa = x[a], ya = y[a], xb = x[b], yb = y[b];
        x[kept] = xa, y[kept++] = ya;
        if (b != a) x[kept] = xb, y[kept++] = yb;
    }
    return kept;
}

static int thin_evenly(double *x, double *y, int n)
{
    int every = n / MOST_POINTS + 1, kept = 0;
    for (int i = 0; i < n; i += every) x[kept] = x[i], y[kept++] = y[i];
    return kept;
}

static int panel_of(kl_figure *f, const char *unit)
{
    for (int i = 0; i < f->npanel; i++)
        if (strcmp(f->panels[i].unit, unit) == 0) return i;
    f->panels[f->npanel] = (kl_panel){.unit = unit, .low = HUGE_VAL, .high = -HUGE_VAL};
    return f->npanel++;
}

static bool channel_is_new(const kl_figure *f, const kl_curve *c)
{
    for (int i = 0; i < f->ncurve; i++)
        if (f->curves[i].panel == c->panel && strcmp(f->curves[i].name, c->name) == 0) return false;
    return true;
}

static void widen(double value, double *low, double *high)
{
    if (!isfinite(value)) return;
    if (value < *low) *low = value;
    if (value > *high) *high = value;
}

void kl_figure_init(kl_figure *f)
{
    *f       = (kl_figure){.title = ""};
    f->x_low = HUGE_VAL, f->x_high = -HUGE_VAL;
}

bool kl_figure_has_room(const kl_figure *f, const char *unit)
{
    bool known = false;
    for (int i = 0; i < f->npanel && !known; i++) known = strcmp(f->panels[i].unit, unit) == 0;
    return f->ncurve < KL_MOST_CURVES && (known || f->npanel < KL_MOST_PANELS);
}

void kl_figure_add(kl_figure *f, kl_curve c)
{
    c.panel     = panel_of(f, c.unit);
    kl_panel *p = &f->panels[c.panel];
    p->nchannel += channel_is_new(f, &c);
    p->ncurve++;
    for (int i = 0; i < c.n; i++) {
        widen(c.y[i], &p->low, &p->high);
        widen(c.x[i], &f->x_low, &f->x_high);
    }
    c.n                    = f->x_unit ? thin_evenly(c.x, c.y, c.n) : thin_over_time(c.x, c.y, c.n);
    f->curves[f->ncurve++] = c;
}

void kl_figure_free(kl_figure *f)
{
    for (int i = 0; i < f->ncurve; i++) free(f->curves[i].x), free(f->curves[i].y);
}

/* ---- labels and scales ---- */

/* Letters of a text in UTF-8: bytes that do not continue a letter. */
static int letters(const char *text)
{
    int n = 0;
    for (; *text; text++) n += ((unsigned char)*text & 0xC0) != 0x80;
    return n;
}

static const char *superscript(char c)
{
    static const char *const digit[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    return c == '-' ? "⁻" : digit[c - '0'];
}

/* "10³" and the like, in UTF-8. */
static void power_of_ten(char *text, size_t size, int exponent)
{
    char plain[16];
    snprintf(plain, sizeof plain, "%d", exponent);
    size_t n = (size_t)snprintf(text, size, "10");
    for (const char *p = plain; *p && n < size; p++)
        n += (size_t)snprintf(text + n, size - n, "%s", superscript(*p));
}

/* "rad/s²" for rad/s2: a digit after a letter is a power. */
void kl_figure_unit(char *text, size_t size, const char *unit)
{
    size_t n = 0;
    for (const char *p = unit; *p && n + 4 < size; p++) {
        bool power = isdigit((unsigned char)*p) && p > unit &&
                     (isalpha((unsigned char)p[-1]) || p[-1] == ')');
        if (power) n += (size_t)snprintf(text + n, size - n, "%s", superscript(*p));
        else if (*p != '^') text[n++] = *p;
    }
    text[n] = '\0';
}

/* The unit in brackets, with a power of ten where the numbers are large or small. */
static void unit_label(char *text, size_t size, const kl_panel *p)
{
    char power[40] = "", unit[72]; /* all of it fits the 120 of a label */
    if (p->exponent) power_of_ten(power, sizeof power, p->exponent);
    bool plain = *p->unit == '\0' || strcmp(p->unit, "1") == 0 || strcmp(p->unit, "-") == 0;
    kl_figure_unit(unit, sizeof unit, plain ? (p->exponent ? "" : "-") : p->unit);
    snprintf(text, size, "[%s%s%s]", power, p->exponent && !plain ? " " : "", unit);
}

/* The words, separated by dots, that all channels of a panel have in common at the end of their
 * names ("position.x"), or at the start ("crank.position"). */
static void common_words(const kl_figure *f, int which, char *text, size_t size)
{
    const char *first = NULL;
    size_t      head = 0, tail = 0;
    for (int i = 0; i < f->ncurve; i++) {
        if (f->curves[i].panel != which) continue;
        const char *name = f->curves[i].name;
        size_t      n = strlen(name), m = first ? strlen(first) : 0;
        if (!first) {
            first = name;
            head = tail = n;
            continue;
        }
        size_t same = 0, same_end = 0;
        while (same < head && same < n && name[same] == first[same]) same++;
        while (same_end < tail && same_end < n && name[n - 1 - same_end] == first[m - 1 - same_end])
            same_end++;
        head = same;
        tail = same_end;
    }
    // cut to whole words; an "x" alone says nothing
    size_t m = first ? strlen(first) : 0;
    while (head > 0 && head < m && first[head] != '.') head--;
    while (tail > 0 && tail < m && first[m - tail] != '.') tail--;
    *text = '\0';
    if (tail > 2 && tail < m) snprintf(text, size, "%s", first + m - tail + 1);
    else if (head > 0) snprintf(text, size, "%.*s", (int)head, first);
}

/* Numbers such as 123456.78901 and 123456.78902 would all get one tick label: the common part is
 * taken off. */
static void choose_scale(kl_panel *p)
{
    if (p->low > p->high) return; /* no finite value at all */
    double span = p->high - p->low, most = fmax(fabs(p->low), fabs(p->high));
    if (span > 0.0 && span < 1e-4 * most && span > 1e-14 * most) {
        double step = pow(10.0, ceil(log10(span)));
        p->offset   = step * round(0.5 * (p->low + p->high) / step);
        most        = fmax(fabs(p->low - p->offset), fabs(p->high - p->offset));
    }
    // in steps of a thousand; 0.9 of a step still counts as one
    if (most >= 1e4 || (most > 0.0 && most < 1e-2))
        p->exponent = 3 * (int)floor(log10(1.1 * most) / 3.0);
}

/* Without blanks at the beginning and without double ones. */
static void tidy(char *text)
{
    char *to = text;
    for (const char *c = text; *c; c++)
        if (*c != ' ' || (to > text && to[-1] != ' ')) *to++ = *c;
    *to = '\0';
}

static void label_panel(const kl_figure *f, int which, kl_panel *p, double height)
{
    char words[KL_LABEL], unit[120], offset[40] = "";
    if (f->stacked) p->low = fmin(p->low, 0.0);
    if (!f->log_y) choose_scale(p);
    common_words(f, which, words, sizeof words);
    unit_label(unit, sizeof unit, p);
    if (p->offset != 0.0)
        snprintf(offset, sizeof offset, " %s %.12g", p->offset > 0.0 ? "−" : "+", fabs(p->offset));
    snprintf(p->label, sizeof p->label, "%s%.60s%s %s", p->prefix ? p->prefix : "", words, offset,
             unit);
    bool fits = LETTER * letters(p->label) < height;
    if (!fits) snprintf(p->label, sizeof p->label, "%s %s", offset, unit);
    tidy(p->label);
    p->named = fits && *words;
    p->key   = p->ncurve > 1 || !p->named;
}

/* What the legend calls a curve: the channel, the file, or both, as far as it needs them. */
static void name_curve(const kl_figure *f, const kl_curve *c, char *text, size_t size)
{
    const kl_panel *p = &f->panels[c->panel];
    if (f->nsource == 1) snprintf(text, size, "%s", c->name);
    else if (p->nchannel == 1 && p->named) snprintf(text, size, "%s", f->source_label[c->source]);
    else snprintf(text, size, "%s (%.100s)", c->name, f->source_label[c->source]);
}

/* ---- axes ---- */

/* Some room on both sides; for a constant, room enough to see it as one. */
static void pad_range(double low, double high, double share, double *from, double *to)
{
    double pad = share * (high - low);
    if (high - low <= 1e-12 * fmax(fabs(low), fabs(high))) pad = low != 0.0 ? 0.1 * fabs(low) : 1.0;
    *from = low - pad;
    *to   = high + pad;
}

/* Whole decades, not more than ten of them; a lone value gets one on either side. */
static void decades(double low, double high, double *from, double *to)
{
    if (!(high > 0.0) || low > high) low = 0.1, high = 10.0;
    low   = fmax(low, 1e-10 * high);
    *from = pow(10.0, floor(log10(low) + 1e-9));
    *to   = pow(10.0, ceil(log10(high) - 1e-9));
    if (*to <= *from) *from *= 0.1, *to *= 10.0;
}

static void choose_ranges(kl_figure *f)
{
    bool some = f->x_low <= f->x_high;
    pad_range(some ? f->x_low : 0.0, some ? f->x_high : 1.0, f->x_unit ? 0.04 : 0.0, &f->x_from,
              &f->x_to);
    if (f->log_x && some && f->x_low > 0.0) f->x_from = f->x_low, f->x_to = f->x_high;
    for (int i = 0; i < f->npanel; i++) {
        kl_panel *p = &f->panels[i];
        if (f->log_y) {
            decades(p->low, p->high, &p->from, &p->to);
            continue;
        }
        double scale = pow(10.0, -p->exponent);
        if (p->low > p->high) p->from = 0.0, p->to = 1.0;
        else
            pad_range(scale * (p->low - p->offset), scale * (p->high - p->offset), 0.06, &p->from,
                      &p->to);
        if (f->stacked && p->low == 0.0) p->from = 0.0;
    }
}

/* A path in the plane keeps its shape: both axes get one scale, unless one of them would shrink to
 * nothing. */
static void keep_shape(kl_figure *f, double width, double height)
{
    kl_panel *p = &f->panels[0];
    if (f->npanel > 1 || strcmp(f->x_unit, p->unit) != 0 || p->exponent || p->offset != 0.0) return;
    double x = (f->x_to - f->x_from) / width, y = (p->to - p->from) / height;
    if (x > 8.0 * y || y > 8.0 * x) return;
    double grow_x = 0.5 * fmax(0.0, (y - x) * width), grow_y = 0.5 * fmax(0.0, (x - y) * height);
    f->x_from -= grow_x, f->x_to += grow_x;
    p->from -= grow_y, p->to += grow_y;
}

/* ---- layout, in units of the canvas ---- */

typedef struct layout {
    int height, panel_height;
    int key_columns[KL_MOST_PANELS], key_lines[KL_MOST_PANELS];
} layout;

static void lay_out_key(const kl_figure *f, int which, layout *l)
{
    char name[2 * KL_LABEL];
    int  longest = 1;
    for (int i = 0; i < f->ncurve; i++) {
        if (f->curves[i].panel != which) continue;
        name_curve(f, &f->curves[i], name, sizeof name);
        if (letters(name) > longest) longest = letters(name);
    }
    int columns = (int)((WIDTH - LEFT - RIGHT) / (LETTER * (longest + 7)));
    int n       = f->panels[which].ncurve;
    if (columns < 1) columns = 1;
    if (columns > n) columns = n;
    l->key_columns[which] = columns;
    l->key_lines[which]   = f->panels[which].key ? (n + columns - 1) / columns : 0;
}

static layout lay_out(kl_figure *f)
{
    layout l = {.panel_height = f->npanel == 1   ? (f->x_unit && !f->log_y ? 480 : 360)
                                : f->npanel == 2 ? 260
                                                 : 200};
    l.height = BOTTOM + TOP + (*f->title ? TITLE : 0) + GAP * (f->npanel - 1);
    for (int i = 0; i < f->npanel; i++) {
        label_panel(f, i, &f->panels[i], l.panel_height);
        lay_out_key(f, i, &l);
        l.height += l.panel_height + KEY_LINE * l.key_lines[i];
    }
    choose_ranges(f);
    if (f->x_unit && !f->log_x && !f->log_y) keep_shape(f, WIDTH - LEFT - RIGHT, l.panel_height);
    return l;
}

/* ---- the script ---- */

static const char *const colours[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                      "#E69F00", "#56B4E9", "#000000", "#8C6D31"};
static const char *const dashes[]  = {"solid", "(10,5)", "(2,4)", "(12,4,2,4)", "(5,3)"};
enum { NCOLOUR = 8, NDASH = 5 };

typedef struct format {
    const char *suffix, *terminal; /* with width and height of the canvas to come */
    double      width, height;     /* a unit of the canvas in the terminal's measure */
} format;

/* The same picture thrice: pixels twice as fine for png, inches for pdf. */
static const format formats[] = {
    {".svg", "set terminal svg noenhanced font 'Helvetica,14' background 'white' size %g,%g\n", 1,
     1},
    {".png",
     "set terminal pngcairo noenhanced font 'Sans,10.5' fontscale 2 linewidth 2 size %g,%g\n", 2,
     2},
    {".pdf",
     "set terminal pdfcairo noenhanced font 'Sans,9.5' fontscale 1 linewidth 1.4 size %gin,%gin\n",
     0.01, 0.01},
};

static const format *find_format(const char *name)
{
    size_t n = strlen(name);
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (n > 4 && strcmp(name + n - 4, formats[i].suffix) == 0) return &formats[i];
    return NULL;
}

static void write_data(FILE *s, const kl_figure *f)
{
    for (int i = 0; i < f->ncurve; i++) {
        const kl_curve *c     = &f->curves[i];
        const kl_panel *p     = &f->panels[c->panel];
        double          scale = pow(10.0, -p->exponent);
        fprintf(s, "$curve%d << EOD\n", i);
        for (int k = 0; k < c->n; k++) {
            double y = (c->y[k] - p->offset) * scale;
            if (isfinite(y) && isfinite(c->x[k])) fprintf(s, "%.12g %.9g\n", c->x[k], y);
            else fputc('\n', s); /* an empty line interrupts the curve */
        }
        fprintf(s, "EOD\n");
    }
}

static void set_terminal(FILE *s, const format *how, int width, int height)
{
    fprintf(s, "set encoding utf8\n");
    fprintf(s, how->terminal, width * how->width, height * how->height);
}

/* Decades as 10⁻³, not more than eight of them. */
static void write_decades(FILE *s, char axis, double from, double to, bool labels)
{
    int  low = (int)lround(floor(log10(from) + 1e-9)), high = (int)lround(ceil(log10(to) - 1e-9));
    int  every = (high - low) / 8 + 1;
    char text[40];
    fprintf(s, "set logscale %c\nset %ctics (", axis, axis);
    for (int e = low; e <= high; e++) {
        power_of_ten(text, sizeof text, e);
        if (e == 0) snprintf(text, sizeof text, "1");
        if (e == 1) snprintf(text, sizeof text, "10");
        fprintf(s, "%s'%s' 1e%d", e > low ? ", " : "", labels && (e - low) % every == 0 ? text : "",
                e);
        for (int k = 2; k < 10 && every == 1; k++) fprintf(s, ", '' %de%d 1", k, e);
    }
    fprintf(s, ")\n");
}

static void write_style(FILE *s, const kl_figure *f, const format *how, const layout *l)
{
    set_terminal(s, how, WIDTH, l->height);
    fprintf(s,
            "set border 3 lc rgb '#555555' lw 1\n"
            "set tics nomirror out scale 0.6 textcolor rgb '#222222'\n"
            "set grid xtics ytics lt 1 lw 0.8 lc rgb '#e4e4e4'\n"
            "set datafile missing NaN\n"
            "set multiplot\n"
            "set lmargin at screen %g\nset rmargin at screen %g\n",
            (double)LEFT / WIDTH, 1.0 - (double)RIGHT / WIDTH);
    fprintf(s, "set xrange [%.12g:%.12g]\n", f->x_from, f->x_to);
}

/* Colours distinguish channels, dashes files; with one channel, colours distinguish files. */
static void write_curve(FILE *s, const kl_figure *f, int i, int channel)
{
    char            name[2 * KL_LABEL];
    const kl_curve *c       = &f->curves[i];
    const kl_panel *p       = &f->panels[c->panel];
    bool            by_file = f->nsource > 1 && p->nchannel == 1;
    int             colour  = by_file ? c->source : channel;
    int dash = by_file ? c->source / NCOLOUR : f->nsource > 1 ? c->source : channel / NCOLOUR;
    name_curve(f, c, name, sizeof name);
    if (f->stacked)
        fprintf(s, "$curve%d using 1:2 with filledcurves y1=0 fs solid 1.0 lc rgb '%s' ", i,
                colours[(f->ncurve - 1 - colour) % NCOLOUR]);
    else
        fprintf(s, "$curve%d using 1:2 with lines lw 2 lc rgb '%s' dt %s ", i,
                colours[colour % NCOLOUR], dashes[dash % NDASH]);
    if (!p->key) fprintf(s, "notitle");
    else {
        fprintf(s, "title ");
        kl_gnuplot_quote(s, name);
    }
}

/* The number of a curve's channel among the different ones of its panel. */
static int channel_number(const kl_figure *f, int i)
{
    int number = 0;
    for (int k = 0; k < i; k++) {
        if (f->curves[k].panel != f->curves[i].panel) continue;
        if (strcmp(f->curves[k].name, f->curves[i].name) == 0) return channel_number(f, k);
        bool first = true;
        for (int j = 0; j < k && first; j++)
            first = f->curves[j].panel != f->curves[k].panel ||
                    strcmp(f->curves[j].name, f->curves[k].name) != 0;
        number += first;
    }
    return number;
}

static void write_panel(FILE *s, const kl_figure *f, const layout *l, int which, int top)
{
    const kl_panel *p    = &f->panels[which];
    bool            last = which == f->npanel - 1;
    double          high = 1.0 - (double)top / l->height;
    double          low  = 1.0 - (double)(top + l->panel_height) / l->height;
    fprintf(s, "set tmargin at screen %.9g\nset bmargin at screen %.9g\n", high, low);
    fprintf(s, "set format x '%s'\n", last ? "%g" : "");
    if (f->log_x) write_decades(s, 'x', f->x_from, f->x_to, last);
    if (f->log_y) write_decades(s, 'y', p->from, p->to, true);
    fprintf(s, "set label 2 ");
    kl_gnuplot_quote(s, p->label);
    fprintf(s, " at screen %g, graph 0.5 center rotate by 90 noenhanced\n", 20.0 / WIDTH);
    if (p->key)
        fprintf(
            s,
            "set key at screen %.9g, screen %.9g left bottom horizontal maxcols %d Left reverse "
            "samplen 2.2 noenhanced\n",
            (double)LEFT / WIDTH - 0.01, high + 3.0 / l->height, l->key_columns[which]);
    fprintf(s, "set yrange [%.12g:%.12g]\n", p->from, p->to);
    fprintf(s, "set label 3 '%s' at graph 0.5, graph 0.5 center\n",
            p->low > p->high ? "no finite values" : "");
    const char *before = "plot ";
    for (int i = 0; i < f->ncurve; i++) {
        if (f->curves[i].panel != which) continue;
        fprintf(s, "%s", before);
        write_curve(s, f, i, channel_number(f, i));
        before = ", \\\n     ";
    }
    fprintf(s, "\nunset label 1\nunset label 4\n");
}

void kl_figure_start(FILE *s, const char *file_name, int width, int height)
{
    const format *how = find_format(file_name);
    if (how) set_terminal(s, how, width, height);
}

bool kl_figure_can_draw(const char *file_name) { return find_format(file_name) != NULL; }

void kl_figure_write(FILE *s, kl_figure *f, const char *file_name)
{
    const format *how = find_format(file_name);
    if (!how) return;
    layout l   = lay_out(f);
    int    top = TOP;
    write_data(s, f);
    write_style(s, f, how, &l);
    if (*f->title) {
        fprintf(s, "set label 1 ");
        kl_gnuplot_quote(s, f->title);
        fprintf(s, " at screen %g, screen %g left noenhanced\n", (double)LEFT / WIDTH,
                1.0 - (TOP + 0.4 * TITLE) / l.height);
        top += TITLE;
    }
    fprintf(s, "set label 4 ");
    kl_gnuplot_quote(s, f->x_label);
    fprintf(s, " at screen %g, screen %g center noenhanced\n", 0.5 * (LEFT + WIDTH - RIGHT) / WIDTH,
            15.0 / l.height);
    for (int i = 0; i < f->npanel; i++) {
        top += KEY_LINE * l.key_lines[i];
        write_panel(s, f, &l, i, top);
        top += l.panel_height + GAP;
    }
    fprintf(s, "unset multiplot\n");
}
