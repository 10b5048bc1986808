/* Running safety and track loading, in the manner of EN 14363 and UIC 518.
 *
 * A wheelset is an element W with channels W.Y_left, W.Y_right (outward) and W.Q_left, W.Q_right. The
 * track is divided into zones by radius and the zones into sections of equal length; what changes its
 * curvature belongs to no section. Forces are low-pass filtered; sum Y and Y/Q are sliding means over 2 m.
 * Each section gives one value (a percentile); a zone is judged by mean + k s of its sections, or by the
 * largest one where there are few. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "algebra/filter.h"
#include "post/assess_domains.h"
#include "post/statistics.h"
#include "post/welch.h"
#include "post/wheel_forces.h"

enum { MOST_ZONES = 12 };
static const char *const SECTION = "railway";

typedef struct track_zone {
    const char *name;
    double      least_radius, section; /* [m] */
} track_zone;

typedef struct track_section {
    int    zone, first, last; /* rows first .. last - 1 */
    double begin;             /* [m] */
} track_section;

/* Where a wheelset is, row by row, and the sections that it runs through. */
typedef struct course {
    const double  *distance;  /* rows, ascending [m] */
    const double  *curvature; /* rows [1/m] */
    track_section *section;
    int            nsection;
} course;

typedef struct wheelset {
    kl_wheel_forces force;
    course          course;
    double          frequency; /* of the strongest line of sum Y [Hz] */
} wheelset;

typedef struct ride {
    const kl_assess_input *in;
    track_zone             zone[MOST_ZONES];
    int                    nzone;
    wheelset              *set;
    int                    nset;
    double                 window, step, percentile, speed;
    double                *work; /* rows */
} ride;

static double setting(const ride *r, const char *group, const char *key, double otherwise)
{
    return kl_assess_setting(r->in, SECTION, group, key, otherwise);
}

/* ---- reading ---- */

/* Frequency of the largest density of sum Y above 1 Hz: where an unstable vehicle hunts. */
static double strongest_line(const ride *r, const double *x)
{
    kl_density d;
    int        segment = 2 * (int)fmin(0.5 * r->in->rows, 2.0 * r->in->rate);
    kl_welch   how     = {.segment = segment};
    double     best = 0.0, frequency = 0.0;
    if (kl_density_find(x, r->in->rows, r->in->rate, &how, &d) != KL_OK) return 0.0;
    for (int k = 1; k < d.n; k++)
        if (d.frequency[k] >= 1.0 && d.value[k] > best)
            best = d.value[k], frequency = d.frequency[k];
    kl_density_free(&d);
    return frequency;
}

/* Place and curvature of a wheelset; without a recorded curvature the track is straight. */
static kl_status set_course(const ride *r, const kl_wheel_forces *w, course *c)
{
    const kl_assess_input *in = r->in;
    if (!w->distance)
        return kl_fail(in->diag, KL_E_NAME, (kl_place){.file = in->file},
                       "`%s.distance` or `%s.running_speed` is needed to find the position on "
                       "the track; record it in `run: {record: ...}`",
                       w->name, w->name);
    if (!w->curvature && kl_assess_has(in, w->name, ".distance"))
        kl_warn(in->diag, (kl_place){.file = in->file},
                "`%s.curvature` was not recorded, so the track is taken as straight; record it in "
                "`run: {record: ...}`",
                w->name);
    c->distance  = w->distance;
    c->curvature = w->curvature ? w->curvature : kl_assess_space(in, in->rows);
    return c->curvature ? KL_OK : KL_E_MEMORY;
}

static kl_status read_wheelsets(ride *r)
{
    kl_wheel_forces *forces;
    int              n = r->in->rows;
    KL_TRY(kl_wheel_forces_read(r->in, &forces, &r->nset));
    r->set = kl_arena_array(r->in->arena, wheelset, r->nset);
    if (!r->set) return KL_E_MEMORY;
    for (int i = 0; i < r->nset; i++) {
        r->set[i] = (wheelset){.force = forces[i], .frequency = strongest_line(r, forces[i].sum)};
        KL_TRY(set_course(r, &forces[i], &r->set[i].course));
    }
    const double *s = r->set[0].course.distance;
    r->speed        = fabs(s[n - 1] - s[0]) * r->in->rate / (n - 1);
    return KL_OK;
}

/* The course of the wheelset that belongs to an object: their names have most in common. */
static const course *course_of(const ride *r, const char *object)
{
    size_t best = 0;
    int    set  = 0;
    for (int i = 0; i < r->nset; i++) {
        size_t n = 0;
        while (object[n] && object[n] == r->set[i].force.name[n]) n++;
        if (n > best) best = n, set = i;
    }
    return &r->set[set].course;
}

/* ---- zones and sections ---- */

static kl_status read_zones(ride *r)
{
    const kl_node *list = kl_node_get(kl_node_get(r->in->limits, SECTION), "zones");
    for (const kl_node *z = list ? list->first : NULL; z && r->nzone < MOST_ZONES; z = z->next) {
        const kl_node *name = kl_node_get(z, "name");
        track_zone new      = {.name         = name ? name->text : "zone",
                               .least_radius = kl_node_entry(z, "least_radius_m", 0.0),
                               .section      = kl_node_entry(z, "section_m", 100.0)};
        if (!(new.section > 0.0))
            return kl_fail(r->in->diag, KL_E_RANGE, z->place,
                           "the sections of a zone need a length, for example `section_m: 100`");
        r->zone[r->nzone++] = new;
    }
    if (r->nzone > 0) return KL_OK;
    return kl_fail(
        r->in->diag, KL_E_MODEL, (kl_place){.file = r->in->file},
        "the limits file has no `zones` under `railway`; see `klingel assess --print-limits`");
}

/* Change of the curvature for each metre, over a few metres, so that the scatter of measured tracks is no
 * transition. */
static double curvature_rate(const ride *r, const course *c, int i)
{
    const double half = 5.0; /* [m] */
    int          n = r->in->rows, a = i, b = i;
    while (a > 0 && c->distance[i] - c->distance[a] < half) a--;
    while (b < n - 1 && c->distance[b] - c->distance[i] < half) b++;
    double span = c->distance[b] - c->distance[a];
    return span > 0.0 ? fabs(c->curvature[b] - c->curvature[a]) / span : 0.0;
}

/* The zone of a row, or -1 where the curvature changes. */
static int zone_of(const ride *r, const course *c, int i)
{
    if (curvature_rate(r, c, i) > setting(r, NULL, "transition_1_per_m2", 2e-6)) return -1;
    for (int k = 0; k < r->nzone; k++)
        /* a curve of exactly the least radius belongs to the zone, whatever its last digits */
        if (fabs(c->curvature[i]) * r->zone[k].least_radius <= 1.0 + 1e-4) return k;
    return -1;
}

/* Cuts rows from..to of one zone into whole sections. */
static void cut(const ride *r, course *c, int from, int to, int zone, int *most)
{
    if (zone < 0) return;
    double length = r->zone[zone].section, begin = c->distance[from];
    for (int i = from, first = from; i < to; i++) {
        if (c->distance[i] - begin < length * (1.0 - 1e-9) && i < to - 1) continue;
        if (c->distance[i] - begin < 0.98 * length) break; /* what is left is too short */
        if (!kl_arena_grow(r->in->arena, (void **)&c->section, c->nsection, most,
                           sizeof *c->section))
            return;
        c->section[c->nsection++] =
            (track_section){.zone = zone, .first = first, .last = i, .begin = begin};
        begin = c->distance[i], first = i;
    }
}

/* `run`: the longest way in each zone without an end [m]. */
static void find_sections(const ride *r, course *c, double *run)
{
    int most = 0, from = 0, zone = zone_of(r, c, 0);
    for (int i = 1; i <= r->in->rows; i++) {
        int now = i < r->in->rows ? zone_of(r, c, i) : -2;
        if (now == zone) continue;
        cut(r, c, from, i, zone, &most);
        if (zone >= 0) run[zone] = fmax(run[zone], c->distance[i - 1] - c->distance[from]);
        from = i, zone = now;
    }
}

static int sections_in(const course *c, int zone)
{
    int n = 0;
    for (int i = 0; i < c->nsection; i++) n += c->section[i].zone == zone;
    return n;
}

/* Sections of all wheelsets; a zone that was met but has no whole section is a warning. Returns how many
 * sections the leading wheelset has. */
static int find_all_sections(ride *r)
{
    double run[MOST_ZONES] = {0};
    for (int i = 0; i < r->nset; i++) find_sections(r, &r->set[i].course, run);
    const course *c = &r->set[0].course;
    for (int z = 0; z < r->nzone && c->nsection > 0; z++)
        if (run[z] > 1.0 && sections_in(c, z) == 0)
            kl_warn(r->in->diag, (kl_place){.file = r->in->file},
                    "zone `%s` is not assessed: its longest part is %.0f m, a section needs %g m; "
                    "run farther, or shorten `section_m`",
                    r->zone[z].name, run[z], r->zone[z].section);
    return c->nsection;
}

/* ---- one value for each section ---- */

typedef struct estimate {
    double value, largest, place; /* place of the largest */
    int    n;
} estimate;

/* The larger size of the two percentiles of x, and where x is largest. */
static double section_value(const ride *r, const course *c, const track_section *s, double *x,
                            int n, double step, double *place)
{
    int most = 0;
    for (int i = 1; i < n; i++)
        if (fabs(x[i]) > fabs(x[most])) most = i;
    *place = s->begin +
             (step > 0.0 ? most * step + 0.5 * r->window : c->distance[s->first + most] - s->begin);
    kl_sort_numbers(x, n);
    double p = r->percentile / 100.0;
    return fmax(fabs(kl_percentile(x, n, p, KL_PERCENTILE_LINEAR)),
                fabs(kl_percentile(x, n, 1.0 - p, KL_PERCENTILE_LINEAR)));
}

typedef enum processing { SLIDING_MEAN, ROWS, MEDIAN } processing;

static double process(const ride *r, const course *c, const track_section *s, const double *x,
                      processing how, double *work, double *place)
{
    int n = s->last - s->first;
    if (how == SLIDING_MEAN) {
        kl_windows w     = {.first = s->begin, .length = r->window, .step = r->step, .most = n};
        int        count = kl_window_means(c->distance + s->first, x + s->first, n, &w, work);
        return count > 0 ? section_value(r, c, s, work, count, r->step, place) : 0.0;
    }
    memcpy(work, x + s->first, (size_t)n * sizeof *work);
    if (how == ROWS) return section_value(r, c, s, work, n, 0.0, place);
    kl_sort_numbers(work, n);
    *place = s->begin + 0.5 * (c->distance[s->last - 1] - s->begin);
    return fabs(kl_percentile(work, n, 0.5, KL_PERCENTILE_LINEAR));
}

/* Which signals of a wheelset a quantity looks at. */
typedef double *(*signal_of)(const wheelset *w, int k);
static double *sum_signal(const wheelset *w, int k) { return k == 0 ? w->force.sum : NULL; }
static double *ratio_signal(const wheelset *w, int k) { return k < 2 ? w->force.ratio[k] : NULL; }
static double *Q_signal(const wheelset *w, int k) { return k < 2 ? w->force.Q[k] : NULL; }
static double *Y_signal(const wheelset *w, int k) { return k < 2 ? w->force.Y[k] : NULL; }

/* For a quantity that no section may exceed: the largest section counts, however many there are. */
static const double LARGEST = -1.0;

/* mean + k s over the sections of a zone, for the worst wheelset. */
static estimate judge(const ride *r, int zone, const wheelset *w, signal_of signal, processing how,
                      double k)
{
    const course *c     = &w->course;
    double       *value = kl_assess_space(r->in, c->nsection + 1), *work = r->work;
    estimate      e = {.place = (double)NAN};
    double       *x;
    for (int j = 0; value && work && (x = signal(w, j)); j++) {
        int n = 0;
        for (int i = 0; i < c->nsection; i++) {
            double place;
            if (c->section[i].zone != zone) continue;
            value[n] = process(r, c, &c->section[i], x, how, work, &place);
            if (value[n] > e.largest) e.largest = value[n], e.place = place;
            n++;
        }
        e.n            = n;
        double few     = setting(r, NULL, "estimate_from_sections", 10.0);
        double largest = 0.0;
        for (int i = 0; i < n; i++) largest = fmax(largest, value[i]);
        double estimated = n >= few && k >= 0.0
                               ? kl_mean(value, n) + k * kl_standard_deviation(value, n)
                               : largest;
        e.value          = fmax(e.value, estimated);
    }
    return e;
}

/* ---- limits ---- */

static double sum_limit(const ride *r, const wheelset *w)
{
    return setting(r, "sum_Y_2m", "factor", 1.0) *
           (setting(r, "sum_Y_2m", "constant_N", 1e4) +
            setting(r, "sum_Y_2m", "per_axle_load", 1.0 / 3.0) * 2.0 * w->force.Q0);
}

static double Q_limit(const ride *r, const wheelset *w)
{
    double limit = setting(r, "Q_max", "constant_N", 9e4) +
                   setting(r, "Q_max", "per_wheel_load", 1.0) * w->force.Q0;
    const kl_node *caps =
        kl_node_get(kl_node_get(kl_node_get(r->in->limits, SECTION), "Q_max"), "caps_kmh_N");
    for (const kl_node *c = caps ? caps->first : NULL; c; c = c->next) {
        double pair[2];
        if (kl_node_numbers(c, pair, 2) == 2 && 3.6 * r->speed <= pair[0] + 0.5)
            return fmin(limit, pair[1]);
    }
    return limit;
}

static double mean_curvature(const ride *r, int zone)
{
    double        sum = 0.0;
    int           n   = 0;
    const course *c   = &r->set[0].course;
    for (int i = 0; i < c->nsection; i++)
        if (c->section[i].zone == zone)
            sum += fabs(c->curvature[(c->section[i].first + c->section[i].last) / 2]), n++;
    return n ? sum / n : 0.0;
}

/* 60 kN; in tight curves 30 kN + 10500 kN m/R, which is more from 350 m down. */
static double Y_limit(const ride *r, int zone)
{
    double limit = setting(r, "Y_quasi_static", "limit_N", 6e4), c = mean_curvature(r, zone);
    double tight = setting(r, "Y_quasi_static", "tight_constant_N", 3e4) +
                   setting(r, "Y_quasi_static", "tight_per_curvature_N_m", 10.5e6) * c;
    return c > 1.0 / 400.0 ? fmax(limit, tight) : limit;
}

/* ---- rows ---- */

/* Adds the worst wheelset of one quantity in one zone. */
static void add_worst(const ride *r, int zone, const char *quantity, const char *unit,
                      signal_of signal, processing how, double k,
                      double (*limit)(const ride *, const wheelset *), double fixed,
                      kl_assessment *out)
{
    estimate worst = {0};
    double   bound = fixed, most = -1.0;
    for (int i = 0; i < r->nset; i++) {
        estimate e = judge(r, zone, &r->set[i], signal, how, k);
        double   b = limit ? limit(r, &r->set[i]) : fixed;
        if (e.value / (isnan(b) ? 1.0 : b) > most)
            most = e.value / (isnan(b) ? 1.0 : b), worst = e, bound = b;
    }
    kl_assess_add(out, worst.place, worst.value, unit, bound, "%s.%s", r->zone[zone].name,
                  quantity);
}

static void zone_rows(const ride *r, int zone, kl_assessment *out)
{
    bool   tight = mean_curvature(r, zone) > 1.0 / 250.0;
    double angle = setting(r, "nadal", "flange_angle_deg", 70.0) * acos(-1.0) / 180.0;
    double mu    = setting(r, "nadal", "friction", 0.36),
           nadal = (tan(angle) - mu) / (1.0 + mu * tan(angle));
    int count    = sections_in(&r->set[0].course, zone);
    kl_assess_add(out, (double)NAN, count, "1", (double)NAN, "%s.sections", r->zone[zone].name);
    add_worst(r, zone, "sum_Y_2m", "N", sum_signal, SLIDING_MEAN, setting(r, "sum_Y_2m", "k", 3.0),
              sum_limit, 0.0, out);
    add_worst(r, zone, "Y_over_Q_2m", "1", ratio_signal, SLIDING_MEAN,
              setting(r, "Y_over_Q_2m", "k", 3.0), NULL,
              setting(r, "Y_over_Q_2m", tight ? "limit_tight" : "limit", 0.8), out);
    add_worst(r, zone, "Y_over_Q_nadal", "1", ratio_signal, SLIDING_MEAN, LARGEST, NULL, nadal,
              out);
    add_worst(r, zone, "Q_max", "N", Q_signal, ROWS, setting(r, "Q_max", "k", 2.2), Q_limit, 0.0,
              out);
    add_worst(r, zone, "Y_quasi_static", "N", Y_signal, MEDIAN, 0.0, NULL, Y_limit(r, zone), out);
    add_worst(r, zone, "Q_quasi_static", "N", Q_signal, MEDIAN, 0.0, NULL,
              setting(r, "Q_quasi_static", "limit_N", 145e3), out);
}

/* Largest sliding rms of sum Y in the band about the strongest line. */
static void instability_row(const ride *r, kl_assessment *out)
{
    double half = setting(r, "instability", "half_band_hz", 2.0), most = -1.0, value = 0.0,
           place = 0.0;
    double    *x = kl_assess_space(r->in, r->in->rows), *rms = kl_assess_space(r->in, r->in->rows);
    kl_windows w     = {.first  = 0.0,
                        .length = setting(r, "instability", "window_m", 100.0),
                        .step   = setting(r, "instability", "window_step_m", 10.0),
                        .most   = r->in->rows};
    double     limit = (double)NAN;
    for (int i = 0; x && rms && i < r->nset; i++) {
        const wheelset *set = &r->set[i];
        kl_filter       f;
        double          low = fmax(set->frequency - half, 0.2);
        if (kl_filter_bandpass(&f, 2, low, fmax(set->frequency, low) + half, r->in->rate) != KL_OK)
            continue;
        memcpy(x, set->force.sum, (size_t)r->in->rows * sizeof *x);
        kl_filter_run_both_ways(&f, x, r->in->rows);
        const double *s = set->course.distance;
        w.first         = s[0];
        int    n        = kl_window_rms(s, x, r->in->rows, &w, rms);
        double bound    = setting(r, "instability", "share_of_sum_Y", 0.5) * sum_limit(r, set);
        for (int k = 0; k < n; k++)
            if (rms[k] / bound > most)
                most = rms[k] / bound, value = rms[k], limit = bound,
                place = s[0] + k * w.step + 0.5 * w.length;
    }
    if (most >= 0.0) kl_assess_add(out, place, value, "N", limit, "instability_sum_Y_rms");
}

/* Over the whole record: wheel unloading, Weinstock's axle sum, wear. */
static void record_rows(const ride *r, kl_assessment *out)
{
    double unload = 0.0, axle = 0.0, where[2] = {0.0, 0.0};
    double angle = setting(r, "nadal", "flange_angle_deg", 70.0) * acos(-1.0) / 180.0;
    double mu    = setting(r, "nadal", "friction", 0.36),
           nadal = (tan(angle) - mu) / (1.0 + mu * tan(angle));
    for (int i = 0; i < r->nset; i++) {
        const wheelset *w = &r->set[i];
        for (int k = 0; k < r->in->rows; k++) {
            /* a wheel that lifts is unloaded wholly; less than nothing is ringing of the filter */
            double least = fmax(0.0, fmin(w->force.Q[0][k], w->force.Q[1][k]));
            double less  = 1.0 - least / w->force.Q0;
            double sum   = fabs(w->force.ratio[0][k]) + fabs(w->force.ratio[1][k]);
            if (less > unload) unload = less, where[0] = w->course.distance[k];
            if (sum > axle) axle = sum, where[1] = w->course.distance[k];
        }
    }
    kl_assess_add(out, where[0], unload, "1", setting(r, "wheel_unloading", "limit", 0.6),
                  "wheel_unloading");
    kl_assess_add(out, where[1], axle, "1", nadal + mu, "axle_Y_over_Q_weinstock");
    for (int i = 0; i < r->nset; i++) {
        double *a = kl_assess_column(r->in, r->set[i].force.name, ".wear_left", "N");
        double *b = kl_assess_column(r->in, r->set[i].force.name, ".wear_right", "N");
        if (a && b)
            kl_assess_add(out, (double)NAN, fmax(kl_mean(a, r->in->rows), kl_mean(b, r->in->rows)),
                          "N", (double)NAN, "%s.wear_number", r->set[i].force.name);
    }
}

/* The impact of wheels that do not start at their static height is assessed with the ride; the largest of both wheel
 * loads at the start and later on shows it. */
static void warn_of_start(const ride *r)
{
    const double start = 0.5, share = 1.2; /* [s]; an ordinary ride has its largest load anywhere */
    int          rows = (int)(start * r->in->rate);
    for (int i = 0; i < r->nset && r->in->rows > 4 * rows; i++) {
        const wheelset *w       = &r->set[i];
        double          most[2] = {0.0, 0.0};
        for (int k = 0; k < r->in->rows; k++)
            most[k >= rows] = fmax(most[k >= rows], fmax(w->force.Q[0][k], w->force.Q[1][k]));
        if (most[0] < share * most[1]) continue;
        kl_warn(
            r->in->diag, (kl_place){.file = r->in->file},
            "wheelset `%s` has its largest wheel load, %.4g kN, in the first %.1f s of the run "
            "(%.4g kN later): the impact of the start is assessed too; begin the run with `run: "
            "{start: steady}`, or place the wheels at their static height",
            w->force.name, 1e-3 * most[0], start, 1e-3 * most[1]);
        return;
    }
}

/* Median of the lateral acceleration of a floor in each zone: what cant deficiency leaves. */
static void quasi_static_rows(const ride *r, const char *object, const double *a, double *work,
                              kl_assessment *out)
{
    const course *c = course_of(r, object);
    for (int z = 0; z < r->nzone; z++) {
        double worst = -1.0, where = (double)NAN, place;
        for (int i = 0; i < c->nsection; i++) {
            if (c->section[i].zone != z) continue;
            double value = process(r, c, &c->section[i], a, MEDIAN, work, &place);
            if (value > worst) worst = value, where = place;
        }
        if (worst >= 0.0)
            kl_assess_add(out, where, worst, "m/s2",
                          setting(r, "body_acceleration", "quasi_static_m_s2", 1.5),
                          "%s.%s.lateral_acceleration_quasi_static", r->zone[z].name, object);
    }
}

/* Accelerations of car body floors and bogie frames. */
static kl_status acceleration_rows(const ride *r, kl_assessment *out)
{
    static const char *const part[2] = {"_y", "_z"}, *const word[2] = {"lateral", "vertical"};
    static const char *const limit[2] = {"rms_lateral_m_s2", "rms_vertical_m_s2"};
    const char              *object;
    double                  *x = kl_assess_space(r->in, r->in->rows);
    if (!x) return KL_E_MEMORY;
    for (int axis = 0; axis < 2; axis++)
        for (int i = 0; (object = kl_assess_object(r->in, part[axis], i)); i++) {
            bool floor = kl_assess_named(object, "floor_"),
                 bogie = kl_assess_named(object, "bogie_") && axis == 0;
            if (!floor && !bogie) continue;
            const char *group = floor ? "body_acceleration" : "bogie_acceleration";
            kl_filter   f;
            double     *a = kl_assess_column(r->in, object, part[axis], "m/s2");
            if (!a) return KL_E_FILE;
            memcpy(x, a, (size_t)r->in->rows * sizeof *x);
            kl_status made =
                floor
                    ? kl_filter_bandpass(&f, 2, setting(r, group, "low_hz", 0.4),
                                         setting(r, group, "high_hz", 10.0), r->in->rate)
                    : kl_filter_lowpass(&f, 4, setting(r, group, "low_pass_hz", 10.0), r->in->rate);
            if (made != KL_OK)
                return kl_assess_no_filter(r->in, group, floor ? "high_hz" : "low_pass_hz");
            kl_filter_run_both_ways(&f, x, r->in->rows);
            double        rms   = kl_root_mean_square(x, r->in->rows), peak, place;
            const course *c     = course_of(r, object);
            track_section whole = {.first = 0, .last = r->in->rows, .begin = c->distance[0]};
            peak                = section_value(r, c, &whole, x, r->in->rows, 0.0, &place);
            double most         = floor ? setting(r, group, "peak_m_s2", 2.5)
                                        : setting(r, group, "constant_m_s2", 12.0) -
                                      setting(r, group, "per_tonne_m_s2", 0.2) *
                                          setting(r, group, "bogie_mass_t", 6.0);
            kl_assess_add(out, place, peak, "m/s2", most, "%s.%s_acceleration", object, word[axis]);
            kl_assess_add(out, (double)NAN, rms, "m/s2",
                          floor ? setting(r, group, limit[axis], 0.5) : 0.5 * most,
                          "%s.%s_acceleration_rms", object, word[axis]);
            if (floor && axis == 0) quasi_static_rows(r, object, a, x, out);
        }
    return KL_OK;
}

static kl_status railway_run(const kl_assess_input *in, kl_assessment *out)
{
    ride r       = {.in = in};
    r.window     = setting(&r, NULL, "window_m", 2.0);
    r.step       = setting(&r, NULL, "window_step_m", 0.5);
    r.percentile = setting(&r, NULL, "percentile", 99.85);
    if (!kl_assess_rate_suffices(in, "railway", setting(&r, NULL, "least_rate_hz", 100.0)))
        return KL_E_RANGE;
    r.work = kl_assess_space(in, in->rows);
    if (!r.work) return KL_E_MEMORY;
    KL_TRY(read_zones(&r));
    KL_TRY(read_wheelsets(&r));
    const double *way = r.set[0].course.distance;
    if (find_all_sections(&r) == 0)
        return kl_fail(
            in->diag, KL_E_RANGE, (kl_place){.file = in->file},
            "the run covers %.4g m and no section is complete: the shortest section of the limits "
            "file "
            "needs constant curvature over its length; run farther, or shorten `section_m`",
            way[in->rows - 1] - way[0]);
    for (int z = 0; z < r.nzone; z++) {
        if (sections_in(&r.set[0].course, z) > 0) zone_rows(&r, z, out);
    }
    warn_of_start(&r);
    instability_row(&r, out);
    record_rows(&r, out);
    return acceleration_rows(&r, out);
}

static const char *const channels[] = {".Y_left",   ".Y_right",   ".Q_left",    ".Q_right",
                                       ".distance", ".curvature", ".wear_left", ".wear_right",
                                       "floor_",    "bogie_",     NULL};

const kl_assess_domain kl_assess_railway = {
    .reads = channels,
    .name  = "railway",
    .help  = "running safety and track loading following EN 14363; needs Y_left, Y_right, Q_left, "
             "Q_right of the wheel-rail elements, and distance and curvature or running_speed",
    .suits = kl_has_wheelsets,
    .run   = railway_run,
};
