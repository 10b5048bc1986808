/* Filter and axes: ASTM F2137 (x forwards, y to the left, z along the spine; what an accelerometer
 * shows, so it is +1 g in z at rest). Limits by duration: the curves of ASTM F2291 (base
 * case) and EN 13814 as they are commonly described, not checked against their text, simplified to
 * straight pieces. They are here to show where a ride is hard; who signs a ride takes the figures
 * from the edition of the standard in force. HIC: Versace 1971, 49 CFR 571.208 S6.2. */
#include "post/ride.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algebra/filter.h"
#include "post/chart.h"

static const double G = 9.80665;

const kl_ride_limit kl_ride_limits[KL_NRIDE] = {
    [KL_RIDE_BACK]  = {"+Gx, eyes back", 0, +1, 5, {1, 4, 11.8, 12, 40}, {6, 4, 4, 3, 2.5}},
    [KL_RIDE_FRONT] = {"-Gx, eyes front", 0, -1, 3, {0.5, 4, 14}, {2, 1.5, 1.5}},
    [KL_RIDE_LEFT]  = {"+Gy, to the left", 1, +1, 3, {1, 2, 14}, {3, 2, 2}},
    [KL_RIDE_RIGHT] = {"-Gy, to the right", 1, -1, 3, {1, 2, 14}, {3, 2, 2}},
    [KL_RIDE_DOWN]  = {"+Gz, eyes down", 2, +1, 6, {1, 4, 11.8, 12, 40, 41}, {6, 4, 4, 3, 3, 2}},
    [KL_RIDE_UP]    = {"-Gz, eyes up", 2, -1, 4, {0.5, 4, 7, 14}, {2, 1.5, 1.1, 1.1}},
};

double kl_ride_level(const kl_ride_limit *l, double duration)
{
    if (duration <= l->time[0]) return l->g[0];
    for (int i = 1; i < l->n; i++)
        if (duration <= l->time[i])
            return l->g[i - 1] + (l->g[i] - l->g[i - 1]) * (duration - l->time[i - 1]) /
                                     (l->time[i] - l->time[i - 1]);
    return l->g[l->n - 1];
}

void kl_ride_filter(const double *x, int n, double dt, double corner, double *out)
{
    kl_filter f;
    memmove(out, x, (size_t)n * sizeof *out);
    /* rows too far apart for the corner keep what they can show */
    if (kl_filter_lowpass(&f, 4, fmin(corner, 0.49 / dt), 1.0 / dt) == KL_OK)
        kl_filter_run(&f, out, n);
}

/* A queue of places whose values ascend: its head is the least in the window. */
double kl_ride_kept(const double *x, int n, int window, int *queue)
{
    double best = -HUGE_VAL;
    int    head = 0, tail = 0;
    for (int i = 0; i < n; i++) {
        while (tail > head && x[queue[tail - 1]] >= x[i]) tail--;
        queue[tail++] = i;
        if (queue[head] <= i - window) head++;
        if (i >= window - 1 && x[queue[head]] > best) best = x[queue[head]];
    }
    return best;
}

/* Integral of the acceleration, straight between samples, up to the time t. */
static double speed_at(const double *a, const double *sum, int n, double dt, double t)
{
    int    i = (int)fmin(fmax(floor(t / dt), 0.0), n - 2);
    double x = t / dt - i;
    return sum[i] + dt * x * (a[i] + 0.5 * x * (a[i + 1] - a[i]));
}

static double hic_of(const double *a, const double *sum, int n, double dt, double begin, double end)
{
    double span = end - begin;
    double mean = (speed_at(a, sum, n, dt, end) - speed_at(a, sum, n, dt, begin)) / span;
    return mean > 0.0 ? span * pow(mean, 2.5) : 0.0;
}

/* Windows begin and end at any time: on a grid of the samples or of a twentieth of the longest
 * window, whichever is finer (but no more than so many between two samples); and each, with its length
 * kept, is tried as the longest one, too. */
double kl_hic(const double *a, int n, double dt, double longest)
{
    enum { PARTS = 20 };
    if (n < 2) return 0.0;
    double  fine = ceil(fmin(fmax(1.0, dt * PARTS / longest), PARTS)), step = dt / fine, best = 0.0;
    double  whole = (n - 1) * dt;
    double *sum   = calloc((size_t)n + 1, sizeof *sum);
    if (!sum) return (double)NAN;
    for (int i = 1; i < n; i++) sum[i] = sum[i - 1] + 0.5 * dt * (a[i] + a[i - 1]);
    long count = (long)(n - 1) * (long)fine, most = (long)floor(longest / step + 1e-9);
    for (long i = 0; i < count; i++) {
        double begin = (double)i * step;
        for (long k = 1; k <= most && i + k <= count; k++)
            best = fmax(best, hic_of(a, sum, n, dt, begin, begin + (double)k * step));
        if (begin + longest <= whole)
            best = fmax(best, hic_of(a, sum, n, dt, begin, begin + longest));
    }
    free(sum);
    return best;
}

enum { DURATIONS = 40 };

/* From a fifth of a second to the longest that is limited, evenly on a logarithmic scale. */
static double duration_of(int i) { return 0.2 * pow(200.0, (double)i / (DURATIONS - 1)); }

static void assess_direction(const kl_ride_limit *l, const double *x, int n, double dt,
                             double *turned, int *scratch, kl_ride_verdict *v)
{
    *v = (kl_ride_verdict){0};
    for (int i = 0; i < n; i++) {
        turned[i] = l->sign * x[i];
        v->peak   = fmax(v->peak, turned[i]);
    }
    for (int i = 0; i < DURATIONS; i++) {
        double duration = duration_of(i);
        int    window   = (int)fmin(2e9, ceil(duration / dt));
        if (window > n) break;
        double level = kl_ride_kept(turned, n, window, scratch);
        double share = level / kl_ride_level(l, duration);
        if (share > v->share) v->share = share, v->duration = duration, v->level = level;
    }
}

kl_status kl_ride_assess(const double *const a[3], int n, double dt, kl_arena *arena, kl_ride *out)
{
    double *turned  = kl_arena_array(arena, double, n + 1);
    int    *scratch = kl_arena_array(arena, int, n + 1);
    for (int k = 0; k < 3; k++) out->g[k] = kl_arena_array(arena, double, n + 1);
    if (!kl_arena_ok(arena)) return KL_E_MEMORY;
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < n; i++) turned[i] = a[k][i] / G;
        kl_ride_filter(turned, n, dt, 5.0, out->g[k]);
        out->jerk[k] = 0.0;
        for (int i = 1; i < n; i++)
            out->jerk[k] = fmax(out->jerk[k], fabs(out->g[k][i] - out->g[k][i - 1]) / dt);
    }
    for (int w = 0; w < KL_NRIDE; w++) {
        const kl_ride_limit *l = &kl_ride_limits[w];
        assess_direction(l, out->g[l->axis], n, dt, turned, scratch, &out->way[w]);
    }
    return KL_OK;
}

/* ---- the section of a report ---- */

bool kl_ride_is_reading(const char *description, char axis)
{
    static const char *const names[] = {"accelerometer.", "felt."}; /* the second: older results */
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        size_t n = strlen(names[k]);
        if (strncmp(description, names[k], n) == 0 && description[n] == axis && !description[n + 1])
            return true;
    }
    return false;
}

/* The channel beside `name` whose last letter is x, with another letter. */
static int beside(const kl_reader *r, const char *name, char letter)
{
    char   other[512];
    size_t n = strlen(name);
    if (n == 0 || n >= sizeof other) return -1;
    memcpy(other, name, n + 1);
    other[n - 1] = letter;
    int i        = kl_reader_find(r, other);
    return i >= 0 && kl_ride_is_reading(kl_reader_channel(r, i)->description, letter) ? i : -1;
}

static void add_table(kl_text *page, const kl_ride *ride)
{
    kl_text_add(page, "<table><thead><tr><th>direction</th><th class=\"n\">largest [g]</th><th "
                      "class=\"n\">jerk [g/s]</th><th class=\"n\">closest to the limit [g]</th><th "
                      "class=\"n\">duration [s]</th><th class=\"n\">limit [g]</th><th "
                      "class=\"n\">utilisation</th></tr></thead><tbody>\n");
    for (int w = 0; w < KL_NRIDE; w++) {
        const kl_ride_limit   *l = &kl_ride_limits[w];
        const kl_ride_verdict *v = &ride->way[w];
        kl_text_add(page, "<tr><td>%s</td><td class=\"n\">%.3g</td><td class=\"n\">%.3g</td>",
                    l->name, v->peak, ride->jerk[l->axis]);
        if (v->share > 0.0)
            kl_text_add(
                page,
                "<td class=\"n\">%.3g</td><td class=\"n\">%.2g</td><td class=\"n\">%.3g</td>"
                "<td class=\"n\">%s%.0f %%%s</td></tr>\n",
                v->level, v->duration, kl_ride_level(l, v->duration), v->share > 1.0 ? "<b>" : "",
                100.0 * v->share, v->share > 1.0 ? " over</b>" : "");
        else
            kl_text_add(page, "<td class=\"n\">-</td><td class=\"n\">-</td><td class=\"n\">-</td>"
                              "<td class=\"n\">0 %%</td></tr>\n");
    }
    kl_text_add(page, "</tbody></table>\n");
}

static void add_signals(kl_text *page, const char *label, double *const signal[3],
                        const double *time, int n)
{
    kl_chart c = {.x_label = "time [s]", .y_label = label, .x = time, .n = n, .ncurve = 3};
    static const char *const names[3] = {"x, forwards", "y, to the left", "z, upwards"};
    for (int k = 0; k < 3; k++) c.curves[k] = (kl_chart_curve){.name = names[k], .y = signal[k]};
    kl_chart_add(page, &c);
}

static kl_status jerk_signals(const kl_ride *ride, int n, double dt, kl_arena *arena,
                              double *out[3])
{
    for (int k = 0; k < 3; k++) {
        out[k] = kl_arena_array(arena, double, n + 1);
        if (!out[k]) return KL_E_MEMORY;
        for (int i = 1; i < n; i++) out[k][i] = (ride->g[k][i] - ride->g[k][i - 1]) / dt;
    }
    return KL_OK;
}

/* How strong against how long, for the direction nearest to its limit. */
static kl_status add_durations(kl_text *page, const kl_ride *ride, int n, double dt,
                               kl_arena *arena)
{
    int worst = 0;
    for (int w = 1; w < KL_NRIDE; w++)
        if (ride->way[w].share > ride->way[worst].share) worst = w;
    const kl_ride_limit *l       = &kl_ride_limits[worst];
    double              *turned  = kl_arena_array(arena, double, n + 1);
    int                 *scratch = kl_arena_array(arena, int, n + 1);
    double              *x       = kl_arena_array(arena, double, DURATIONS),
           *kept                 = kl_arena_array(arena, double, DURATIONS),
           *limit                = kl_arena_array(arena, double, DURATIONS);
    if (!kl_arena_ok(arena)) return KL_E_MEMORY;
    for (int i = 0; i < n; i++) turned[i] = l->sign * ride->g[l->axis][i];
    int m = 0;
    for (; m < DURATIONS && duration_of(m) < 15.0; m++) {
        x[m]       = duration_of(m);
        limit[m]   = kl_ride_level(l, x[m]);
        int window = (int)ceil(x[m] / dt);
        kept[m]    = window <= n ? kl_ride_kept(turned, n, window, scratch) : (double)NAN;
    }
    char     label[64];
    kl_chart c = {
        .x_label = "duration [s]",
        .y_label = label,
        .x       = x,
        .n       = m,
        .ncurve  = 2,
        .curves  = {{.name = "sustained acceleration", .y = kept}, {.name = "limit", .y = limit}}};
    snprintf(label, sizeof label, "%s [g]", l->name);
    kl_chart_add(page, &c);
    return KL_OK;
}

static void add_hic(kl_text *page, const double *const a[3], int n, double dt, kl_arena *arena)
{
    double *size = kl_arena_array(arena, double, n + 1), most = 0.0;
    if (!size) return;
    for (int i = 0; i < n; i++) {
        size[i] = hypot(hypot(a[0][i], a[1][i]), a[2][i]) / G;
        most    = fmax(most, size[i]);
    }
    kl_text_add(page,
                "<p>Head: largest resultant %.3g g; HIC15 %.4g (limit 700), HIC36 %.4g (limit "
                "1000), not filtered.</p>\n",
                most, kl_hic(size, n, dt, 0.015), kl_hic(size, n, dt, 0.036));
    if (dt > KL_HIC_ROWS)
        kl_text_add(page,
                    "<p><b>The output interval of %.3g ms is too long for HIC, so its value may be "
                    "far too low or too high. Set <code>run: {every: 1 ms}</code> (as SAE J211 "
                    "requires) and run the model again.</b></p>\n",
                    1e3 * dt);
}

static kl_status add_point(kl_text *page, kl_reader *r, const int channel[3], const double *time,
                           int n, kl_arena *arena)
{
    double *a[3], *jerk[3], dt = (time[n - 1] - time[0]) / (n - 1);
    kl_ride ride;
    for (int k = 0; k < 3; k++) {
        a[k] = kl_arena_array(arena, double, n + 1);
        if (!a[k]) return KL_E_MEMORY;
        KL_TRY(kl_reader_column(r, channel[k], a[k]));
    }
    const double *const all[3] = {a[0], a[1], a[2]};
    const char         *name   = kl_reader_channel(r, channel[0])->name;
    char                whole[512];
    snprintf(whole, sizeof whole, "%.*s", (int)strlen(name) - 1, name);
    KL_TRY(kl_ride_assess(all, n, dt, arena, &ride));
    kl_text_add(page, "<h3>");
    kl_text_html(page, whole);
    kl_text_add(page, "</h3>\n");
    /* limits by duration are for the body in its seat; a head in its own leaning axes has HIC */
    bool head = strstr(name, "head") != NULL;
    if (head) add_hic(page, all, n, dt, arena);
    else add_table(page, &ride);
    add_signals(page, "accelerometer, 5 Hz [g]", ride.g, time, n);
    KL_TRY(jerk_signals(&ride, n, dt, arena, jerk));
    add_signals(page, "jerk, 5 Hz [g/s]", jerk, time, n);
    return head ? KL_OK : add_durations(page, &ride, n, dt, arena);
}

kl_status kl_ride_section(kl_text *page, kl_reader *reader, const double *time, int rows,
                          kl_arena *arena)
{
    bool first = true;
    for (int i = 0; rows > 10 && i < kl_reader_channels(reader); i++) {
        const kl_channel_info *c = kl_reader_channel(reader, i);
        if (!kl_ride_is_reading(c->description, 'x')) continue;
        int channel[3] = {i, beside(reader, c->name, 'y'), beside(reader, c->name, 'z')};
        if (channel[1] < 0 || channel[2] < 0) continue;
        if (first)
            kl_text_add(
                page,
                "<h2>Accelerations of riders</h2>\n"
                "<p>Values of an accelerometer fixed to the body (1 g upwards at rest), low-pass "
                "filter of ASTM F2137 (4 poles, 5 Hz). The limits depend on the duration, from 0.2 "
                "s, as in ASTM F2291 and EN 13814. They are simplified and were not checked "
                "against the text of the standards: use the values of the edition in force. "
                "Shorter peaks are shown but not evaluated; the head is evaluated by HIC.</p>\n");
        first = false;
        KL_TRY(add_point(page, reader, channel, time, rows, arena));
    }
    return KL_OK;
}
