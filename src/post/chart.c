#include "post/chart.h"

#include <math.h>
#include <stdio.h>

enum { WIDTH = 720, HEIGHT = 240, LEFT = 74, RIGHT = 12, TOP = 26, BOTTOM = 40 };

/* Okabe and Ito's colours, which colour-blind people can distinguish, and dashes for print. */
static const char *const inks[KL_CHART_MOST_CURVES]   = {"#0072b2", "#d55e00", "#009e73", "#b0568a",
                                                         "#b07a00", "#3a9bdc", "#555555", "#7a4fbf"};
static const char *const dashes[KL_CHART_MOST_CURVES] = {"none", "7 3", "2 3", "9 3 2 3",
                                                         "12 4", "4 2", "1 2", "9 2 2 2 2 2"};

static const double ROUNDING = 1e-9; /* five parts of 5e-6 are 2.5e-5, whatever the last bit says */

static const double NEAR = 0.3; /* from this share of a limit on it is drawn */

typedef struct axes {
    double x0, x1, y0, y1;
} axes;

double kl_chart_step(double span, int most)
{
    if (!(span > 0.0) || !isfinite(span)) return 1.0;
    double raw = span / most, power = pow(10.0, floor(log10(raw))), m = raw / power;
    return power * (m < 1.0 + ROUNDING   ? 1.0
                    : m < 2.0 + ROUNDING ? 2.0
                    : m < 5.0 + ROUNDING ? 5.0
                                         : 10.0);
}

static const double *x_of(const kl_chart *c, int k)
{
    return c->curves[k].x ? c->curves[k].x : c->x;
}

static double px(const axes *a, double x)
{
    return LEFT + (x - a->x0) / (a->x1 - a->x0) * (WIDTH - LEFT - RIGHT);
}

static double py(const axes *a, double y)
{
    return HEIGHT - BOTTOM - (y - a->y0) / (a->y1 - a->y0) * (HEIGHT - TOP - BOTTOM);
}

/* The whole range, widened to round numbers; a constant gets room around it. */
static axes axes_of(const kl_chart *c)
{
    axes a = {.x0 = 0.0, .x1 = 1.0, .y0 = HUGE_VAL, .y1 = -HUGE_VAL};
    if (c->n > 0) a.x0 = c->x[0], a.x1 = c->x[c->n - 1];
    for (int k = 0; k < c->ncurve && c->n > 0; k++)
        a.x0 = fmin(a.x0, x_of(c, k)[0]), a.x1 = fmax(a.x1, x_of(c, k)[c->n - 1]);
    if (!(a.x1 > a.x0)) a.x1 = a.x0 + 1.0;
    for (int k = 0; k < c->ncurve; k++)
        for (int i = 0; i < c->n; i++) {
            double y = c->curves[k].y[i];
            if (!isfinite(y)) continue;
            a.y0 = fmin(a.y0, y);
            a.y1 = fmax(a.y1, y);
        }
    for (int k = 0; k < c->ncurve; k++) { /* a limit belongs into the picture if it is near */
        double limit = c->curves[k].limit, most = fmax(a.y1, -a.y0);
        if (limit > 0.0 && most > NEAR * limit && a.y1 == most) a.y1 = fmax(a.y1, limit);
        else if (limit > 0.0 && most > NEAR * limit) a.y0 = fmin(a.y0, -limit);
    }
    if (c->stacked) a.y0 = fmin(a.y0, 0.0);
    if (!(a.y0 <= a.y1)) a.y0 = 0.0, a.y1 = 1.0;
    if (!(a.y1 - a.y0 > 1e-12 * fmax(fabs(a.y0), fabs(a.y1)))) {
        double room = a.y0 != 0.0 ? 0.1 * fabs(a.y0) : 1.0;
        a.y0 -= room;
        a.y1 += room;
    }
    double step = kl_chart_step(a.y1 - a.y0, 5);
    a.y0        = step * floor(a.y0 / step + 1e-9);
    a.y1        = step * ceil(a.y1 / step - 1e-9);
    return a;
}

static void add_grid(kl_text *t, const axes *a, const kl_chart *c)
{
    double dx = kl_chart_step(a->x1 - a->x0, 8), dy = kl_chart_step(a->y1 - a->y0, 5);
    int    bottom = HEIGHT - BOTTOM, right = WIDTH - RIGHT;
    for (double x = dx * ceil(a->x0 / dx - 1e-9); x <= a->x1 + 1e-9 * dx; x += dx)
        kl_text_add(t,
                    "<line class=\"grid\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\"/><text "
                    "class=\"tick\" x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%.6g</text>",
                    px(a, x), px(a, x), TOP, bottom, px(a, x), bottom + 14,
                    fabs(x) < 1e-9 * dx ? 0.0 : x);
    for (double y = a->y0; y <= a->y1 + 1e-9 * dy; y += dy)
        kl_text_add(t,
                    "<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/><text "
                    "class=\"tick\" x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.6g</text>",
                    LEFT, right, py(a, y), py(a, y), LEFT - 6, py(a, y) + 4,
                    fabs(y) < 1e-9 * dy ? 0.0 : y);
    kl_text_add(t, "<text class=\"label\" x=\"%d\" y=\"%d\" text-anchor=\"middle\">",
                (LEFT + right) / 2, HEIGHT - 6);
    kl_text_html(t, c->x_label);
    kl_text_add(t,
                "</text><text class=\"label\" transform=\"translate(14 %d) rotate(-90)\" "
                "text-anchor=\"middle\">",
                (TOP + bottom) / 2);
    kl_text_html(t, c->y_label);
    kl_text_add(t, "</text>");
}

/* One point; a gap before it starts a new line. */
static void add_point(kl_text *t, const axes *a, double x, double y, bool *pen_down)
{
    kl_text_add(t, "%s%.1f %.1f", *pen_down ? "L" : "M", px(a, x), py(a, y));
    *pen_down = true;
}

/* Parts of a stack keep their colours whatever lies above them. */
static int ink_of(const kl_chart *c, int k) { return c->stacked ? c->ncurve - 1 - k : k; }

static void add_curve(kl_text *t, const axes *a, const kl_chart *c, int k)
{
    const double *y = c->curves[k].y, *x = x_of(c, k);
    /* two points a pixel column are all that can be seen */
    int  bucket = c->n > 2 * WIDTH ? c->n / WIDTH + 1 : 1;
    bool down   = false;
    if (c->stacked)
        kl_text_add(t, "<path class=\"area\" fill=\"%s\" d=\"M%.1f %.1f", inks[ink_of(c, k)],
                    px(a, a->x0), py(a, 0.0)),
            down = true;
    else
        kl_text_add(t, "<path class=\"curve\" stroke=\"%s\" stroke-dasharray=\"%s\" d=\"", inks[k],
                    dashes[k]);
    for (int from = 0; from < c->n; from += bucket) {
        int low = -1, high = -1;
        for (int i = from; i < from + bucket && i < c->n; i++) {
            if (!isfinite(y[i])) {
                down = down && bucket > 1;
                continue;
            }
            if (low < 0 || y[i] < y[low]) low = i;
            if (high < 0 || y[i] > y[high]) high = i;
        }
        if (low < 0) continue;
        int first = low < high ? low : high, second = low < high ? high : low;
        add_point(t, a, x[first], y[first], &down);
        if (second != first) add_point(t, a, x[second], y[second], &down);
    }
    if (c->stacked) kl_text_add(t, "L%.1f %.1fZ", px(a, a->x1), py(a, 0.0));
    kl_text_add(t, "\"/>");
}

/* The lines at plus and minus the limit that lie within the picture. */
static void add_limit(kl_text *t, const axes *a, double limit, const char *ink)
{
    for (int sign = -1; limit > 0.0 && sign <= 1; sign += 2) {
        double y = sign * limit;
        if (y < a->y0 || y > a->y1) continue;
        kl_text_add(t,
                    "<line class=\"limit\" stroke=\"%s\" stroke-dasharray=\"10 4 1 4\" x1=\"%d\" "
                    "x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>",
                    ink, LEFT, WIDTH - RIGHT, py(a, y), py(a, y));
    }
}

static void add_legend(kl_text *t, const kl_chart *c)
{
    int room = (WIDTH - LEFT - RIGHT) / (c->ncurve > 0 ? c->ncurve : 1);
    for (int k = 0; k < c->ncurve; k++) {
        int x = LEFT + k * room;
        if (c->stacked)
            kl_text_add(t,
                        "<rect fill=\"%s\" x=\"%d\" y=\"7\" width=\"12\" height=\"10\"/><text "
                        "class=\"label\" x=\"%d\" y=\"16\">",
                        inks[ink_of(c, k)], x, x + 16);
        else
            kl_text_add(t,
                        "<line class=\"curve\" stroke=\"%s\" stroke-dasharray=\"%s\" x1=\"%d\" "
                        "x2=\"%d\" y1=\"12\" y2=\"12\"/><text class=\"label\" x=\"%d\" y=\"16\">",
                        inks[k], dashes[k], x, x + 22, x + 27);
        kl_text_html(t, c->curves[k].name);
        kl_text_add(t, "</text>");
    }
}

void kl_chart_add(kl_text *page, const kl_chart *c)
{
    axes a = axes_of(c);
    kl_text_add(page, "<svg class=\"chart\" viewBox=\"0 0 %d %d\" role=\"img\">", WIDTH, HEIGHT);
    add_grid(page, &a, c);
    for (int k = 0; k < c->ncurve; k++) {
        add_curve(page, &a, c, k);
        add_limit(page, &a, c->curves[k].limit, inks[k]);
    }
    add_legend(page, c);
    kl_text_add(page, "</svg>\n");
}
