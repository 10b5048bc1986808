/* klingel critical-speed: the speed above which a rail vehicle hunts.
 *
 * Linear: the lowest speed at which a motion of the linearised model begins to grow. Nonlinear: the
 * speed is lowered step by step from a limit cycle; the motion of one speed is the start of the next;
 * where it comes to rest, the limit cycle has ended. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/hunting.h"
#include "cli/shooting.h"
#include "figures/figure.h"
#include "figures/gnuplot.h"
#include "terminal/result_files.h"

enum { MOST_POINTS = 400 };

typedef struct request {
    kl_hunting  k;
    const char *parameter;
    double      from, to, step;
    bool        csv, linear, multipliers;
    double      low, low_amplitude; /* nonlinear critical speed; NaN: none [m/s], [mm] */
    double      rest;               /* amplitude below which the motion has come to rest [m] */
    const char *figure;
    const char *start;  /* parameter of the lateral displacement at the start; NULL: none */
    const char *centre; /* the same where it was not asked for but is there: zero for equilibria */
    double      speed[MOST_POINTS], amplitude[MOST_POINTS]; /* limit cycles [m/s], [mm] */
    int         n;
    double      edge_speed[MOST_POINTS], edge[MOST_POINTS]; /* unstable ones */
    int         nedge;
    bool        shooting;
    double     *settled; /* motion at the lowest grid speed with an even limit cycle; NULL: none */
    double      settled_speed, settled_frequency;
    kl_branch_point branch[MOST_POINTS];
    int             nbranch;
} request;

/* `multiplier`: the largest Floquet multiplier of a limit cycle; NaN: not known. */
static void print_cycle(const request *q, const char *kind, double speed, double frequency,
                        double amplitude, double multiplier)
{
    if (q->csv) {
        printf("%s,%.9g,%.9g,%.9g", kind, speed, frequency, amplitude);
        if (q->multipliers && isnan(multiplier)) printf(",");
        else if (q->multipliers) printf(",%.9g", multiplier);
        printf("\n");
    } else {
        printf("  %-18s %10.4f m/s  %8.4f Hz", kind, speed, frequency);
        if (amplitude > 0.0) printf("  amplitude %.4f mm", 1e3 * amplitude);
        printf("\n");
        if (!isnan(multiplier)) printf("  %-18s %10.4f\n", "Floquet multiplier", multiplier);
    }
    fflush(stdout);
}

static void print_row(const request *q, const char *kind, double speed, double frequency,
                      double amplitude)
{
    print_cycle(q, kind, speed, frequency, amplitude, (double)NAN);
}

/* A sentence in place of a row: in the table, or beside the CSV. */
static void print_unless_csv(const request *q, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void print_unless_csv(const request *q, const char *format, ...)
{
    char    text[300];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (q->csv) kl_note(q->k.diag, KL_NOWHERE, "%s", text);
    else printf("  %s\n", text);
}

/* ---- linear ---- */

/* Between a stable speed and an unstable one: regula falsi (Illinois) on the growth. */
static kl_status refine(request *q, double low, double flow, double high, double fhigh,
                        double *speed, double *frequency)
{
    double f    = 0.0;
    int    side = 0;
    for (int pass = 0; pass < 40; pass++) {
        *speed = (low * fhigh - high * flow) / (fhigh - flow);
        KL_TRY(kl_hunting_growth(&q->k, *speed, &f, frequency));
        if (fabs(high - low) < 1e-7 * high || fabs(f) < 1e-9) break;
        if (f < 0.0) {
            low = *speed, flow = f;
            if (side == -1) fhigh *= 0.5;
            side = -1;
        } else {
            high = *speed, fhigh = f;
            if (side == 1) flow *= 0.5;
            side = 1;
        }
    }
    return KL_OK;
}

/* The motion grows at `from` already: towards lower speeds until it decays. `speed` is NaN where it never
 * does. */
static kl_status search_below(request *q, double growth, double *speed, double *frequency)
{
    const double slowest = 1.0; /* [m/s]: below it nothing hunts */
    double       high = q->from, low = fmax(high - q->step, 0.5 * high), now;
    for (; low >= slowest; low = fmax(high - q->step, 0.5 * high)) {
        KL_TRY(kl_hunting_growth(&q->k, low, &now, frequency));
        if (now < 0.0) {
            kl_note(q->k.diag, KL_NOWHERE,
                    "unstable at %g m/s already; the critical speed is lower than --from", q->from);
            return refine(q, low, now, high, growth, speed, frequency);
        }
        high   = low;
        growth = now;
    }
    if (q->linear)
        return kl_fail(
            q->k.diag, KL_E_RANGE, KL_NOWHERE,
            "unstable at %g m/s already and at every speed down to %.3g m/s, so there is "
            "no linear critical speed; check springs and dampers with `klingel modes`",
            q->from, high);
    print_unless_csv(q, "linear: unstable at %g m/s already and at every speed down to %.3g m/s",
                     q->from, high);
    return KL_OK;
}

/* The first speed at which a motion begins to grow; NaN: none up to `to`, or there is none at which all
 * motions decay. */
static kl_status linear_speed(request *q, double *speed, double *frequency)
{
    double last = q->from, growth = 0.0, before;
    *speed = NAN;
    KL_TRY(kl_hunting_growth(&q->k, last, &before, frequency));
    if (before > 0.0) return search_below(q, before, speed, frequency);
    for (double at = last + q->step; at <= q->to * (1.0 + 1e-12); at += q->step) {
        KL_TRY(kl_hunting_growth(&q->k, at, &growth, frequency));
        if (growth > 0.0) return refine(q, last, before, at, growth, speed, frequency);
        last   = at;
        before = growth;
    }
    print_unless_csv(q, "linear: stable from %g to %g m/s", q->from, q->to);
    return KL_OK;
}

/* ---- nonlinear ---- */

/* The motion that remains at a speed: the run continues while the amplitude decays and is not zero.
 * `alive`: it is a limit cycle, and not a motion that still decays. */
static kl_status settle(request *q, double speed, kl_cycle *c, bool *alive)
{
    const double even  = -0.03;
    bool         first = !q->k.q;
    KL_TRY(kl_hunting_cycle(&q->k, speed, c));
    if (first && c->travel < q->rest) {
        /* the model starts in its equilibrium, in which it would stay at any speed */
        kl_hunting_discard_copy(&q->k);
        q->k.kick = 0.2;
        kl_note(q->k.diag, KL_NOWHERE,
                "the model starts in its equilibrium, so its bodies were given a lateral velocity "
                "of %g m/s; give them a lateral position to start from another disturbance%s",
                q->k.kick, q->centre ? ", for example with --set \"y0=8 mm\"" : "");
        KL_TRY(kl_hunting_cycle(&q->k, speed, c));
    }
    for (int more = 0; more < 6 && c->amplitude > q->rest && c->change < even; more++)
        KL_TRY(kl_hunting_cycle(&q->k, speed, c));
    *alive = c->amplitude > q->rest && c->change >= even;
    return KL_OK;
}

static void record(request *q, double speed, const kl_cycle *c)
{
    print_row(q, "limit-cycle", speed, c->frequency, c->amplitude);
    if (q->n < MOST_POINTS) q->speed[q->n] = speed, q->amplitude[q->n++] = 1e3 * c->amplitude;
}

/* Between a speed where the motion ended and a higher one with the motion `alive`: halved. */
static kl_status close_in(request *q, double dead, const double *alive, double *speed,
                          kl_cycle *last)
{
    while (*speed - dead > q->step / 10.0) {
        kl_cycle c;
        double   at = 0.5 * (dead + *speed);
        bool     lives;
        kl_hunting_restore(&q->k, alive);
        KL_TRY(settle(q, at, &c, &lives));
        if (lives) {
            record(q, at, &c);
            *speed = at;
            *last  = c;
        } else {
            dead = at;
        }
    }
    return KL_OK;
}

static void keep_settled(request *q, double speed, double frequency)
{
    free(q->settled);
    q->settled           = kl_hunting_copy(&q->k);
    q->settled_speed     = speed;
    q->settled_frequency = frequency;
}

/* Lowers the speed from `top` on. `speed`: the lowest with a limit cycle; NaN: none at `top`. */
static kl_status nonlinear_speed(request *q, double top, double *speed, kl_cycle *last)
{
    kl_cycle  c      = {0};
    double   *alive  = NULL;
    kl_status status = KL_OK;
    *speed           = NAN;
    kl_hunting_discard_copy(&q->k);
    for (double at = top;; at = fmax(at - q->step, q->from)) {
        bool lives = false;
        status     = settle(q, at, &c, &lives);
        if (status != KL_OK) break;
        if (!lives) {
            if (alive) status = close_in(q, at, alive, speed, last);
            break;
        }
        record(q, at, &c);
        free(alive);
        alive = kl_hunting_copy(&q->k);
        if (fabs(c.change) < 0.01) keep_settled(q, at, c.frequency);
        *speed = at;
        *last  = c;
        if (at <= q->from * (1.0 + 1e-9)) break;
    }
    free(alive);
    return status;
}

/* ---- unstable limit cycles ---- */

/* At a fold the stable and the unstable branch meet like a parabola: the square of the difference of
 * their amplitudes falls to zero in proportion to the speed. From the two lowest speeds. */
static void print_fold(request *q, const double *gap, double frequency)
{
    int n = q->nedge;
    if (n < 2) return;
    double a = gap[n - 1] * gap[n - 1], b = gap[n - 2] * gap[n - 2];
    double V = q->edge_speed[n - 1], W = q->edge_speed[n - 2];
    if (!(a < b && V < W)) return;
    print_row(q, "fold", V - a * (W - V) / (b - a), frequency,
              1e-3 * (q->edge[n - 1] + 0.5e3 * gap[n - 1]));
}

/* The unstable limit cycle at each speed with a stable one, below the linear critical speed. */
static kl_status unstable_branch(request *q, double linear)
{
    double    gap[MOST_POINTS], frequency = 0.0;
    kl_status status = KL_OK;
    for (int i = 0; i < q->n && status == KL_OK; i++) {
        bool    found = false;
        kl_edge e;
        double  high = 1e-3 * q->amplitude[i];
        if (q->speed[i] >= linear || (i > 0 && q->speed[i] >= q->speed[i - 1])) continue;
        status = kl_hunting_edge(&q->k, q->speed[i], 1.5 * high, q->rest, high, &e, &found);
        if (status != KL_OK || !found) continue;
        print_cycle(q, "unstable", q->speed[i], e.frequency, e.amplitude, e.multiplier);
        q->edge_speed[q->nedge] = q->speed[i];
        q->edge[q->nedge]       = 1e3 * e.amplitude;
        gap[q->nedge++]         = high - e.amplitude;
        frequency               = e.frequency;
    }
    print_fold(q, gap, frequency);
    return status;
}

/* ---- the branch by shooting ---- */

static bool take_point(void *context, const kl_branch_point *p)
{
    request *q = context;
    print_cycle(q, p->multiplier < 1.0 ? "stable" : "unstable", p->speed, p->frequency,
                p->amplitude, p->multiplier);
    if (q->nbranch < MOST_POINTS) q->branch[q->nbranch++] = *p;
    return true;
}

/* Where the speed of the branch is least: the parabola through the three points about it, over the
 * amplitude. */
static void print_branch_fold(request *q)
{
    for (int i = 1; i + 1 < q->nbranch; i++) {
        const kl_branch_point *a = &q->branch[i - 1], *b = a + 1, *c = a + 2;
        if (!(b->speed <= a->speed && b->speed < c->speed)) continue;
        double da = a->amplitude - b->amplitude, dc = c->amplitude - b->amplitude;
        double sa = (a->speed - b->speed) / da, sc = (c->speed - b->speed) / dc;
        double bend = (sa - sc) / (da - dc), slope = sa - bend * da, x = -0.5 * slope / bend;
        bool   before               = (x > 0.0) == (da > 0.0);
        const kl_branch_point *d    = before ? a : c;
        double                 part = x / (before ? da : dc);
        print_row(q, "fold", b->speed + 0.5 * slope * x,
                  b->frequency + part * (d->frequency - b->frequency), b->amplitude + x);
        return;
    }
}

/* From the last even limit cycle on. */
static kl_status branch(request *q, double linear)
{
    double          speed = q->settled_speed;
    kl_branch_range range = {.from = 0.5 * q->from,
                             .to   = isnan(linear) ? q->to : fmax(linear, speed) + q->step,
                             .step = q->step,
                             .rest = q->rest,
                             .most = 100};
    kl_hunting_restore(&q->k, q->settled);
    kl_status status = kl_branch_follow(&q->k, speed, q->settled_frequency, &range, take_point, q);
    print_branch_fold(q);
    if (status != KL_RETRY && status != KL_E_STEP) return status;
    kl_warn(q->k.diag, KL_NOWHERE,
            q->nbranch ? "shooting ended after %d limit cycles: the next one was not found; use a "
                         "smaller --step or a smaller tolerance of the integrator"
                       : "shooting found no periodic motion near the limit cycle at the lowest "
                         "speed (%d found); the motion is irregular, or --settle is too short",
            q->nbranch);
    return KL_OK;
}

/* ---- figure ---- */

/* Points of the branch by shooting: stable or unstable ones; the ends of both lie on each other. */
static int write_branch(const request *q, FILE *out, bool stable)
{
    int n = 0;
    for (int i = 0; i < q->nbranch; i++) {
        const kl_branch_point *p   = &q->branch[i];
        bool                   now = p->multiplier<1.0, before = i> 0 && p[-1].multiplier < 1.0;
        if (now != stable && !(i > 0 && before == stable)) continue;
        fprintf(out, "%.9g %.9g\n", p->speed, 1e3 * p->amplitude);
        n++;
    }
    if (n == 0) fprintf(out, "%.9g 0\n", q->to);
    return n;
}

static void write_data(const request *q, double linear, FILE *out, int n[3])
{
    fprintf(out, "$cycle << EOD\n");
    for (int i = 0; i < q->n; i++) fprintf(out, "%.9g %.9g\n", q->speed[i], q->amplitude[i]);
    if (q->n == 0) fprintf(out, "%.9g 0\n", q->to);
    fprintf(out, "EOD\n$edge << EOD\n");
    for (int i = 0; i < q->nedge; i++) fprintf(out, "%.9g %.9g\n", q->edge_speed[i], q->edge[i]);
    if (!isnan(linear)) fprintf(out, "%.9g 0\n", linear);
    fprintf(out, "EOD\n$stable << EOD\n");
    n[0] = write_branch(q, out, true);
    fprintf(out, "EOD\n$unstable << EOD\n");
    n[1] = write_branch(q, out, false);
    fprintf(out, "EOD\n$linear << EOD\n%.9g 0\nEOD\n", isnan(linear) ? q->to : linear);
    n[2] = q->nedge;
}

/* A vertical line at a speed, so that it can be read off the axis. */
static void mark(FILE *out, double speed, int dash)
{
    if (isnan(speed)) return;
    fprintf(out,
            "set arrow from first %.9g, graph 0 to first %.9g, graph 1 nohead back dt %d lc rgb "
            "'#606060'\n",
            speed, speed, dash);
}

/* Amplitude over speed, and both critical speeds. The legend is above the axes and covers no point. */
static void write_script(const request *q, double linear, FILE *out)
{
    int n[3];
    fprintf(out, "set xlabel 'speed [m/s]'\nset ylabel 'amplitude [mm]'\nset grid\n"
                 "set key outside top center horizontal\nset yrange [0:*]\nset offsets graph "
                 "0.03, graph 0.03, graph 0.05, 0\n");
    mark(out, linear, 2);
    mark(out, q->low, 3);
    write_data(q, linear, out, n);
    fprintf(out, "$low << EOD\n%.9g %.9g\nEOD\n", q->low, q->low_amplitude);
    fprintf(out,
            "plot $cycle using 1:2 with points pt 7 ps 1.2 title 'limit cycle, falling speed'");
    if (n[0]) fprintf(out, ", $stable using 1:2 with lines lw 2 title 'stable, shooting'");
    if (n[1]) fprintf(out, ", $unstable using 1:2 with lines dt 2 lw 2 title 'unstable, shooting'");
    if (n[2])
        fprintf(out, ", $edge using 1:2 smooth unique with lines dt 3 lw 2 title 'largest "
                     "decaying disturbance'");
    if (!isnan(linear))
        fprintf(out,
                ", $linear using 1:2 with points pt 9 ps 2 title 'linear critical speed %.4g m/s'",
                linear);
    if (!isnan(q->low))
        fprintf(out,
                ", $low using 1:2 with points pt 6 ps 2.4 lw 2 title 'nonlinear critical speed "
                "%.4g m/s'",
                q->low);
    fprintf(out, "\n");
}

static bool draw(const request *q, double linear, const char *file)
{
    kl_new_file o;
    kl_gnuplot  g;
    if (!kl_output_open(&o, file)) return false;
    bool good = kl_gnuplot_start(&g, &o);
    if (good) {
        kl_figure_start(g.script, file, 800, 500);
        write_script(q, linear, g.script);
        good = kl_gnuplot_end(&g);
    }
    if (!good) kl_output_discard(&o);
    return good && kl_output_close(&o);
}

/* The lowest speed with a limit cycle, if the motion was seen to end below it. */
static void print_nonlinear(request *q, double top, double low, const kl_cycle *last)
{
    if (isnan(low))
        print_unless_csv(
            q,
            "nonlinear: the motion decays at %g m/s, so there is no limit cycle; start the model "
            "farther from the track centre%s",
            top, q->centre ? ", for example with --set \"y0=8 mm\"" : "");
    else if (low <= q->from * (1.0 + 1e-9))
        print_unless_csv(
            q,
            "nonlinear: below %g m/s; the limit cycle of %.4f mm is still there at this speed, the "
            "lowest one of the search; use a lower --from",
            low, 1e3 * last->amplitude);
    else {
        print_row(q, "nonlinear", low, last->frequency, last->amplitude);
        q->low = low, q->low_amplitude = 1e3 * last->amplitude;
    }
}

static kl_status critical(request *q)
{
    double   speed, frequency = 0.0, low = NAN;
    kl_cycle last = {0};
    if (q->csv)
        printf("kind,speed_m_per_s,frequency_hz,amplitude_m%s\n",
               q->multipliers ? ",floquet_multiplier" : "");
    kl_status status = linear_speed(q, &speed, &frequency);
    if (status == KL_E_STEP && !q->linear) {
        /* profiles whose contact jumps may have no equilibrium that a start far from it leads to */
        kl_diag_clear(q->k.diag);
        kl_warn(q->k.diag, KL_NOWHERE,
                "no steady rolling motion was found at %s, so the linear critical speed cannot be "
                "computed; start the model centred on the track",
                q->k.value);
        speed = NAN;
    } else if (status != KL_OK) {
        return status;
    }
    if (!isnan(speed)) print_row(q, "linear", speed, frequency, 0.0);
    if (q->linear) return KL_OK;
    double top = isnan(speed) ? q->to : fmin(q->to, ceil(1.02 * speed / q->step) * q->step);
    if (speed < q->from) q->from = 0.5 * speed; /* a limit cycle may begin far below */
    q->from = fmin(q->from, top);
    KL_TRY(nonlinear_speed(q, top, &low, &last));
    print_nonlinear(q, top, low, &last);
    if (q->shooting && q->settled) KL_TRY(branch(q, speed));
    if (q->start) KL_TRY(unstable_branch(q, isnan(speed) ? HUGE_VAL : speed));
    if (q->figure && !draw(q, speed, q->figure)) return KL_E_FILE; /* the reason is printed */
    if (q->figure && !q->csv) printf("%s\n", q->figure);
    return KL_OK;
}

/* ---- the command ---- */

static kl_status overrides(request *q, const kl_texts *set, kl_arena *arena)
{
    q->k.nset = set->n + 1;
    q->k.set  = kl_overrides(set, 2, arena, q->k.diag);
    if (!q->k.set) return kl_diag_failed(q->k.diag) ? KL_E_USAGE : KL_E_MEMORY;
    q->k.set[set->n]     = (kl_override){q->parameter, q->k.value};
    q->k.set[set->n + 1] = (kl_override){q->start ? q->start : q->centre, q->k.start};
    q->k.centred         = q->k.set[set->n + 1].name != NULL;
    return KL_OK;
}

/* The parameter `y0` of the model, by which examples and templates start off the centre; NULL: none. */
static const char *centre_of(const kl_model *m)
{
    for (int i = 0; i < m->nparameter; i++)
        if (strcmp(m->parameter[i].name, "y0") == 0) return "y0";
    return NULL;
}

static int critical_speed_run(int argc, char **argv)
{
    kl_texts set = {0};
    request  q   = {
           .parameter = "speed", .from = 10.0, .to = 150.0, .step = 5.0, .rest = 1e-4, .low = NAN};
    q.k.settle                = 8.0;
    const kl_option options[] = {
        {"set", 's', "NAME=VALUE", KL_OPTION_TEXTS, &set, "set a parameter (may be repeated)"},
        {"parameter", 'p', "NAME", KL_OPTION_TEXT, &q.parameter,
         "parameter for the running speed (default: speed)"},
        {"from", 0, "V", KL_OPTION_NUMBER, &q.from, "lowest speed [m/s] (default 10)"},
        {"to", 0, "V", KL_OPTION_NUMBER, &q.to, "highest speed [m/s] (default 150)"},
        {"step", 0, "V", KL_OPTION_NUMBER, &q.step, "speed increment [m/s] (default 5)"},
        {"linear", 0, NULL, KL_OPTION_FLAG, &q.linear, "compute only the linear critical speed"},
        {"settle", 0, "T", KL_OPTION_TIME, &q.k.settle,
         "simulated time at each speed (default 8 s)"},
        {"channel", 0, "NAME", KL_OPTION_TEXT, &q.k.channel,
         "channel of the amplitude (default: wheelset shift)"},
        {"start", 0, "NAME", KL_OPTION_TEXT, &q.start,
         "parameter of initial displacement: unstable cycles"},
        {"shooting", 0, NULL, KL_OPTION_FLAG, &q.shooting,
         "limit cycles by shooting, with Floquet multipliers"},
        {"output", 'o', "FIGURE", KL_OPTION_TEXT, &q.figure,
         "draw amplitude over speed (.svg, .png or .pdf)"},
        {"csv", 0, NULL, KL_OPTION_FLAG, &q.csv, "print CSV"},
        {"multipliers", 0, NULL, KL_OPTION_FLAG, &q.multipliers,
         "append Floquet multipliers as a column of the CSV"},
        {0},
    };
    kl_arguments rest;
    int          code = kl_options_parse(&kl_command_critical_speed, options, argc, argv, &rest);
    if (code == KL_OPTIONS_OK && rest.n != 1)
        code = kl_usage_error(&kl_command_critical_speed,
                              rest.n ? "give one model file"
                                     : "the model is missing; name its file, such as model.yaml");
    if (code == KL_OPTIONS_OK && q.figure && q.linear)
        code = kl_usage_error(&kl_command_critical_speed,
                              "a figure shows limit cycles, which --linear does not compute; leave "
                              "out --linear or -o");
    if (code == KL_OPTIONS_OK && q.figure && !kl_figure_can_draw(q.figure))
        code = kl_usage_error(&kl_command_critical_speed,
                              "the name of a figure must end in .svg, .png or .pdf");
    if (code == KL_OPTIONS_OK && !(q.from > 0.0 && q.to > q.from && q.step > 0.0))
        code = kl_usage_error(&kl_command_critical_speed,
                              "speeds must be positive, and --to must be larger than --from");
    if (code == KL_OPTIONS_OK) {
        kl_arena *arena = kl_arena_create();
        kl_loaded l;
        q.k.diag = kl_diag_create();
        /* This model only gives its parameters and the centre of the track; each speed builds its
         * own copy from the source. */
        code = kl_loaded_open(&kl_command_critical_speed, rest.items[0], &set, q.k.diag, &l);
        if (code == KL_EXIT_OK) {
            q.k.source       = l.source;
            q.centre         = centre_of(l.model);
            kl_status status = arena ? overrides(&q, &set, arena) : KL_E_MEMORY;
            if (status == KL_OK) status = critical(&q);
            code = kl_exit_code(status);
            kl_loaded_close(&l);
        }
        kl_print_diag(q.k.diag, NULL);
        kl_hunting_discard_copy(&q.k);
        free(q.settled);
        kl_diag_destroy(q.k.diag);
        kl_arena_destroy(arena);
    }
    kl_texts_free(&set);
    return code;
}

const kl_command kl_command_critical_speed = {
    .name      = "critical-speed",
    .arguments = "MODEL.yaml",
    .summary   = "linear and nonlinear critical speed of a rail vehicle",
    .run       = critical_speed_run,
    .help      = "  klingel critical-speed examples/bogie-hunting/model.yaml\n"
                 "linear: lowest speed with an eigenvalue whose real part is positive\n"
                 "nonlinear: lowest speed with a stable limit cycle, found by reducing the speed\n"
                 "unstable: limit cycles with a Floquet multiplier above 1; fold: where both meet\n"};
