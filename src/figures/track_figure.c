#include "figures/track_figure.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "figures/gnuplot.h"
#include "terminal/result_files.h"

/* What is drawn, sampled along the track: one row a place. */
enum { S, X, Y, Z, LEFT, UP, BEND, ROLL, RATE, AX, AY, AZ, COLUMNS }; /* A: the axis to the left */

typedef struct samples {
    double (*row)[COLUMNS];
    int    n;
    double low[3], high[3]; /* of x, y, z [m] */
    double gauge;           /* [m] */
} samples;

static const double DEGREE = 57.29577951308232;

static void fill_row(const kl_path_point *p, double s, double *row)
{
    kl_vec3 left = kl_axis(&p->A, 1), up = kl_axis(&p->A, 2);
    double  y = left.z, z = up.z, w = y * y + z * z;
    double  y1 = kl_path_axis_d1(p, 1).z, z1 = kl_path_axis_d1(p, 2).z;
    bool    steep = w < 0.25; /* above 60 degrees roll against level says little */
    row[S] = s, row[X] = p->r.x, row[Y] = p->r.y, row[Z] = p->r.z;
    row[LEFT] = kl_dot(p->dt, left), row[UP] = kl_dot(p->dt, up), row[BEND] = kl_norm(p->dt);
    row[ROLL] = steep ? (double)NAN : DEGREE * atan2(y, z);
    row[RATE] = DEGREE * (steep ? kl_dot(p->kappa, p->t) : (y1 * z - y * z1) / w);
    kl_store(row + AX, left);
}

/* Turns count on: no jumps from 180 to -180 degrees. */
static void unwrap(samples *d)
{
    double before = 0.0;
    for (int i = 0; i < d->n; i++) {
        double *roll = &d->row[i][ROLL];
        if (!isfinite(*roll)) continue;
        *roll -= 360.0 * round((*roll - before) / 360.0);
        before = *roll;
    }
}

/* Even steps, and both sides of every joint so that jumps show as such. */
static bool sample(const kl_path *path, kl_arena *arena, samples *out)
{
    enum { STEPS = 3000, JOINTS = 20000 };
    int            joints = path->njoint < JOINTS ? path->njoint : 0, next = 0;
    kl_path_cursor cursor;
    out->row = kl_arena_take_array(arena, (size_t)(STEPS + 1 + 2 * joints), sizeof *out->row);
    if (!out->row || kl_path_cursor_init(path, arena, &cursor) != KL_OK) return false;
    for (int i = 0; i <= STEPS; i++) {
        double s = path->length * i / STEPS;
        for (; next < joints && path->joint[next] <= s; next++)
            for (int side = -1; side <= 1; side += 2) {
                kl_path_point p;
                if (kl_path_eval_side(path, path->joint[next], side, &cursor, &p) != KL_OK)
                    return false;
                fill_row(&p, path->joint[next], out->row[out->n++]);
            }
        kl_path_point p;
        if (kl_path_eval_side(path, s, i == STEPS ? -1 : 1, &cursor, &p) != KL_OK) return false;
        fill_row(&p, s, out->row[out->n++]);
    }
    for (int k = 0; k < 3; k++) out->low[k] = out->high[k] = out->row[0][X + k];
    for (int i = 0; i < out->n; i++)
        for (int k = 0; k < 3; k++) {
            out->low[k]  = fmin(out->low[k], out->row[i][X + k]);
            out->high[k] = fmax(out->high[k], out->row[i][X + k]);
        }
    unwrap(out);
    return true;
}

/* ---- scripts ---- */

static void begin(FILE *f, const char *title, double width, double height)
{
    fprintf(f,
            "set encoding utf8\n"
            "set terminal svg noenhanced font 'Helvetica,14' background 'white' size %g,%g\n"
            "set border 3 lc rgb '#555555' lw 1\n"
            "set tics nomirror out scale 0.6 textcolor rgb '#222222'\n"
            "set grid xtics ytics lt 1 lw 0.8 lc rgb '#e4e4e4'\n"
            "set key above left Left reverse\n"
            "set title ",
            width, height);
    kl_gnuplot_quote(f, title);
    fprintf(f, " noenhanced\n");
}

static void data(FILE *f, const samples *d, const char *name, const int *column, int n)
{
    fprintf(f, "%s << EOD\n", name);
    for (int i = 0; i < d->n; i++) {
        bool whole = true;
        for (int k = 0; k < n; k++) whole = whole && isfinite(d->row[i][column[k]]);
        for (int k = 0; whole && k < n; k++) fprintf(f, "%.10g ", d->row[i][column[k]]);
        fprintf(f, "\n"); /* an empty line interrupts the curve */
    }
    fprintf(f, "EOD\n");
}

static const char *const BLUE = "#0072b2", *const ORANGE = "#d55e00", *const GREY = "#888888";

static void draw_plan(FILE *f, const samples *d, const char *title)
{
    /* as high as the track asks for at equal scales */
    double wide = d->high[0] - d->low[0], deep = d->high[1] - d->low[1];
    double height = wide > 0.0 ? 800.0 * deep / wide : 800.0;
    begin(f, title, 900, fmin(fmax(height, 160.0), 900.0) + 120.0);
    data(f, d, "$line", (const int[]){X, Y}, 2);
    fprintf(f,
            "set size ratio -1\nset xlabel 'x [m]'\nset ylabel 'y [m]'\nunset key\n"
            "set offsets graph 0.03, graph 0.03, graph 0.05, graph 0.05\n"
            "set label 1 'start' at %.10g, %.10g point pt 7 ps 0.8 offset 0.6,0.6\n"
            "plot $line with lines lw 2 lc rgb '%s'\n",
            d->row[0][X], d->row[0][Y], BLUE);
}

static void draw_profile(FILE *f, const samples *d, const char *title)
{
    begin(f, title, 900, 420);
    data(f, d, "$line", (const int[]){S, Z}, 2);
    fprintf(f,
            "set xlabel 'length [m]'\nset ylabel 'height z [m]'\nunset key\n"
            "plot $line with lines lw 2 lc rgb '%s'\n",
            BLUE);
}

static void draw_curvature(FILE *f, const samples *d, const char *title)
{
    begin(f, title, 900, 420);
    data(f, d, "$line", (const int[]){S, LEFT, UP, BEND}, 4);
    fprintf(f,
            "set xlabel 'length [m]'\n"
            "set ylabel 'curvature [1/m]'\n"
            "plot $line using 1:4 with lines lw 1 lc rgb '%s' title 'total', $line using 1:2 with "
            "lines lw 2 lc rgb '%s' title 'lateral', $line using 1:3 with lines lw 2 lc rgb '%s' "
            "dt 2 title 'vertical'\n",
            GREY, BLUE, ORANGE);
}

static void draw_cant(FILE *f, const samples *d, const char *title)
{
    begin(f, title, 900, 560);
    data(f, d, "$roll", (const int[]){S, ROLL}, 2);
    data(f, d, "$rate", (const int[]){S, RATE}, 2);
    fprintf(f,
            "set multiplot layout 2,1\nunset key\nset lmargin 10\n"
            "set ylabel 'roll [deg]'\n"
            "plot $roll with lines lw 2 lc rgb '%s'\n"
            "unset title\nset xlabel 'length [m]'\nset ylabel 'roll rate [deg/m]'\n"
            "plot $rate with lines lw 2 lc rgb '%s'\nunset multiplot\n",
            BLUE, ORANGE);
}

/* ---- the view in space, projected by ourselves so that it fills the page ---- */

typedef struct view {
    double c, s;    /* the direction that lies across the page */
    double tilt;    /* how much of the depth is seen: sine of the elevation */
    double upright; /* cosine of it */
    double ground;  /* height of the ground */
    double half;    /* half the distance of the rails as drawn */
} view;

static void project(const view *v, const double r[3], double out[2])
{
    double across = v->c * r[0] + v->s * r[1], depth = -v->s * r[0] + v->c * r[1];
    out[0] = across;
    out[1] = v->upright * r[2] + v->tilt * depth;
}

/* Across the page goes the long side of the track, turned a little. */
static view choose_view(const samples *d)
{
    double x = 0, y = 0, xx = 0, xy = 0, yy = 0, n = d->n;
    for (int i = 0; i < d->n; i++) x += d->row[i][X] / n, y += d->row[i][Y] / n;
    for (int i = 0; i < d->n; i++) {
        double a = d->row[i][X] - x, b = d->row[i][Y] - y;
        xx += a * a, xy += a * b, yy += b * b;
    }
    double angle = 0.5 * atan2(2.0 * xy, xx - yy) + 0.35, elevation = 0.45;
    double size =
        fmax(d->high[0] - d->low[0], fmax(d->high[1] - d->low[1], d->high[2] - d->low[2]));
    view v = {cos(angle),
              sin(angle),
              sin(elevation),
              cos(elevation),
              d->low[2] - 0.04 * size,
              0.5 * fmax(d->gauge, size / 150.0)};
    return v;
}

static void rail_point(const view *v, const double *row, double side, double out[2])
{
    double r[3] = {row[X] + side * v->half * row[AX], row[Y] + side * v->half * row[AY],
                   row[Z] + side * v->half * row[AZ]};
    project(v, r, out);
}

static void rail(FILE *f, const samples *d, const view *v, const char *name, double side)
{
    fprintf(f, "%s << EOD\n", name);
    for (int i = 0; i < d->n; i++) {
        double p[2];
        rail_point(v, d->row[i], side, p);
        fprintf(f, "%.8g %.8g\n", p[0], p[1]);
    }
    fprintf(f, "EOD\n");
}

/* Sleepers from rail to rail, or columns from the track to the ground, evenly along the way. */
static void marks(FILE *f, const samples *d, const view *v, const char *name, int count,
                  bool column)
{
    double length = d->row[d->n - 1][S], next = 0.0;
    fprintf(f, "%s << EOD\n", name);
    for (int i = 0; i < d->n; i++) {
        const double *row = d->row[i];
        double p[2], q[2], r[3] = {row[X], row[Y], row[Z]}, g[3] = {row[X], row[Y], v->ground};
        if (row[S] < next) continue;
        next += length / count;
        if (column) project(v, r, p), project(v, g, q);
        else rail_point(v, row, 1.0, p), rail_point(v, row, -1.0, q);
        fprintf(f, "%.8g %.8g\n%.8g %.8g\n\n", p[0], p[1], q[0], q[1]);
    }
    fprintf(f, "EOD\n");
}

static void shadow(FILE *f, const samples *d, const view *v)
{
    fprintf(f, "$shadow << EOD\n");
    for (int i = 0; i < d->n; i++) {
        double g[3] = {d->row[i][X], d->row[i][Y], v->ground}, p[2];
        project(v, g, p);
        fprintf(f, "%.8g %.8g\n", p[0], p[1]);
    }
    fprintf(f, "EOD\n");
}

/* Height over width of the picture. */
static double aspect(const samples *d, const view *v)
{
    double low[2] = {HUGE_VAL, HUGE_VAL}, high[2] = {-HUGE_VAL, -HUGE_VAL};
    for (int i = 0; i < d->n; i++)
        for (int k = 0; k < 2; k++) {
            double r[3] = {d->row[i][X], d->row[i][Y], k ? v->ground : d->row[i][Z]}, p[2];
            project(v, r, p);
            for (int m = 0; m < 2; m++) low[m] = fmin(low[m], p[m]), high[m] = fmax(high[m], p[m]);
        }
    return high[0] > low[0] ? (high[1] - low[1]) / (high[0] - low[0]) : 1.0;
}

static void draw_space(FILE *f, const samples *d, const char *title)
{
    view v = choose_view(d);
    char words[500];
    snprintf(words, sizeof words, "%s%s", title,
             2.0 * v.half > 1.001 * d->gauge ? " (rails drawn farther apart)" : "");
    begin(f, words, 900, 120.0 + fmin(fmax(820.0 * aspect(d, &v), 160.0), 900.0));
    shadow(f, d, &v);
    marks(f, d, &v, "$columns", 60, true);
    marks(f, d, &v, "$sleepers", 400, false);
    rail(f, d, &v, "$right", -1.0);
    rail(f, d, &v, "$left", 1.0);
    fprintf(f,
            "set size ratio -1\n"
            "unset border\n"
            "unset tics\n"
            "unset grid\n"
            "plot $shadow with lines lw 1 lc rgb '#cccccc' title 'projection on the ground', "
            "$columns with lines lw 1 lc rgb '#dddddd' notitle, $sleepers with lines lw 1 lc rgb "
            "'#999999' notitle, $right with lines lw 1.5 lc rgb '%s' title 'right rail', $left "
            "with lines lw 1.5 lc rgb '%s' title 'left rail'\n",
            ORANGE, BLUE);
}

static const struct {
    const char *file, *what;
    void (*draw)(FILE *f, const samples *d, const char *title);
} figures[] = {
    {"plan.svg", "plan", draw_plan},
    {"profile.svg", "profile", draw_profile},
    {"curvature.svg", "curvature in the track frame", draw_curvature},
    {"cant.svg", "roll angle relative to the horizontal", draw_cant},
    {"space.svg", "in space", draw_space},
};

static bool draw(int i, const samples *d, const char *title, const char *folder)
{
    char        path[4096], words[400];
    kl_new_file o;
    kl_gnuplot  g;
    snprintf(path, sizeof path, "%s/%s", folder, figures[i].file);
    snprintf(words, sizeof words, "%.300s%s%s", title, *title ? ": " : "", figures[i].what);
    if (!kl_output_open(&o, path)) return false;
    bool good = kl_gnuplot_start(&g, &o);
    if (good) {
        figures[i].draw(g.script, d, words);
        good = kl_gnuplot_end(&g);
    }
    if (!good) {
        kl_output_discard(&o);
        return false;
    }
    if (!kl_output_close(&o)) return false;
    printf("%s\n", path);
    return true;
}

bool kl_track_figures(const kl_path *path, const char *title, double gauge, const char *folder)
{
    samples   d     = {.gauge = gauge};
    kl_arena *arena = kl_arena_create();
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        fprintf(stderr, "cannot write %s: %s\n", folder, strerror(errno));
        kl_arena_destroy(arena);
        return false;
    }
    bool good = sample(path, arena, &d);
    if (!good) fprintf(stderr, "klingel track: the track cannot be evaluated for its figures\n");
    for (size_t i = 0; good && i < sizeof figures / sizeof figures[0]; i++)
        good = draw((int)i, &d, title, folder);
    kl_arena_destroy(arena);
    return good;
}
