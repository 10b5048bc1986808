#include "terminal/progress.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { BAR_WIDTH = 10 };           /* a line of numbers fits beside it in 80 columns */
static const double BETWEEN = 0.1; /* seconds between two updates */

static double clock_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void kl_progress_begin(kl_progress *p, double begin, double end, bool quiet)
{
    *p          = (kl_progress){.begin = begin, .end = end, .quiet = quiet};
    p->terminal = !quiet && isatty(STDERR_FILENO);
    p->started = p->shown = clock_now();
}

double kl_progress_elapsed(const kl_progress *p) { return clock_now() - p->started; }

/* "45 s", "3:20 min", "2:05 h" */
static void format_duration(char *text, size_t size, double seconds)
{
    if (seconds < 9.95) snprintf(text, size, "%.1f s", seconds);
    else if (seconds < 99.5) snprintf(text, size, "%.0f s", seconds);
    else if (seconds < 5999.5)
        snprintf(text, size, "%d:%02d min", (int)(seconds + 0.5) / 60, (int)(seconds + 0.5) % 60);
    else if (seconds < 3.6e6)
        snprintf(text, size, "%d:%02d h", (int)(seconds / 3600), (int)(seconds / 60) % 60);
    else snprintf(text, size, "more than 1000 h");
}

/* "12 times real time": twelve simulated seconds per second. */
static void format_numbers(char *text, size_t size, const kl_progress *p, double time, double now)
{
    char   rest[32];
    double elapsed = now - p->started, done = time - p->begin;
    double factor = elapsed > 0.0 ? done / elapsed : 0.0;
    format_duration(rest, sizeof rest, done > 0.0 ? elapsed * (p->end - time) / done : HUGE_VAL);
    snprintf(text, size, "t = %.4g of %.4g s, %.3g times real time, %s left", time, p->end, factor,
             rest);
}

static double share(const kl_progress *p, double time)
{
    double span = p->end - p->begin;
    double done = span > 0.0 ? (time - p->begin) / span : 1.0;
    return done < 0.0 ? 0.0 : done > 1.0 ? 1.0 : done;
}

static void draw_bar(kl_progress *p, double time, double now)
{
    char   text[120], bar[BAR_WIDTH + 1];
    double done   = share(p, time);
    int    filled = (int)(done * BAR_WIDTH + 0.5);
    memset(bar, '.', BAR_WIDTH);
    memset(bar, '#', (size_t)filled);
    bar[BAR_WIDTH] = '\0';
    format_numbers(text, sizeof text, p, time, now);
    /* back to the start of the line, the line, clear what is left of a longer one */
    fprintf(stderr, "\r[%s] %3.0f %% %s\033[K", bar, 100.0 * done, text);
    fflush(stderr);
    p->drawn = true;
}

static void print_tenth(kl_progress *p, double time, double now)
{
    char text[120];
    int  tenth = (int)(10.0 * share(p, time) + 1e-9);
    if (tenth <= p->tenth) return;
    p->tenth = tenth;
    format_numbers(text, sizeof text, p, time, now);
    fprintf(stderr, "%3d %%  %s\n", 10 * tenth, text);
}

void kl_progress_update(kl_progress *p, double time)
{
    if (p->quiet) return;
    double now = clock_now();
    if (now - p->shown < BETWEEN) return;
    p->shown = now;
    if (p->terminal) draw_bar(p, time, now);
    else print_tenth(p, time, now);
}

void kl_progress_end(kl_progress *p)
{
    if (p->drawn) fprintf(stderr, "\r\033[K");
    p->drawn = false;
}
