/* The deformed surface of each mode, seen obliquely, coloured by the size of the motion, before the
 * shadow of the body at rest. Triangles and lines are painted here into pixels with a depth each
 * (z-buffer), so that a surface of any fineness takes the same time; gnuplot puts the pictures
 * beside each other and writes the file. */
#include "figures/mode_figure.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "figures/gnuplot.h"
#include "terminal/result_files.h"

enum { WIDTH = 480, HEIGHT = 320, FINE = 2, W = WIDTH * FINE, H = HEIGHT * FINE, MOST = 6 };

typedef struct canvas {
    float   *depth; /* W x H, nearest so far */
    uint8_t *rgb;   /* 3 W x H, rows from below */
} canvas;

/* A corner on the canvas: pixels, depth towards the eye, colour 0..1. */
typedef struct corner {
    double x, y, near, value;
} corner;

typedef struct camera {
    kl_vec3 right, up, eye; /* unit */
    double  scale, x, y;    /* pixels a metre; what is in the middle */
} camera;

/* ---- paint ---- */

static void put(canvas *c, int x, int y, double near, const double rgb[3])
{
    if (x < 0 || y < 0 || x >= W || y >= H) return;
    size_t at = (size_t)y * W + (size_t)x;
    if ((float)near <= c->depth[at]) return;
    c->depth[at] = (float)near;
    for (int k = 0; k < 3; k++) c->rgb[3 * at + (size_t)k] = (uint8_t)(rgb[k] + 0.5);
}

/* grey - blue - red */
static void colour(double value, double light, double rgb[3])
{
    static const double at[3][3] = {{216, 221, 230}, {90, 155, 212}, {192, 57, 43}};
    int                 i        = value < 0.5 ? 0 : 1;
    double              t        = fmin(fmax(2 * value - i, 0), 1);
    for (int k = 0; k < 3; k++) rgb[k] = light * ((1 - t) * at[i][k] + t * at[i + 1][k]);
}

static const double shadow[3] = {238, 240, 243};

/* a negative `light` paints the shadow */
static void fill_triangle(canvas *c, const corner p[3], double light)
{
    double area = (p[1].x - p[0].x) * (p[2].y - p[0].y) - (p[2].x - p[0].x) * (p[1].y - p[0].y);
    if (area == 0 || !isfinite(area)) return;
    double x0 = fmin(p[0].x, fmin(p[1].x, p[2].x)), x1 = fmax(p[0].x, fmax(p[1].x, p[2].x)),
           y0 = fmin(p[0].y, fmin(p[1].y, p[2].y)), y1 = fmax(p[0].y, fmax(p[1].y, p[2].y));
    for (int y = (int)fmax(floor(y0), 0); y <= fmin(y1, H - 1); y++)
        for (int x = (int)fmax(floor(x0), 0); x <= fmin(x1, W - 1); x++) {
            double share[3], rgb[3], value = 0, near = 0;
            bool   inside = true;
            for (int k = 0; k < 3; k++) {
                const corner *a = &p[(k + 1) % 3], *b = &p[(k + 2) % 3];
                share[k] = ((b->x - a->x) * (y - a->y) - (x - a->x) * (b->y - a->y)) / area;
                inside   = inside && share[k] >= -1e-9;
                value += share[k] * p[k].value, near += share[k] * p[k].near;
            }
            if (!inside) continue;
            if (light >= 0) colour(value, light, rgb);
            put(c, x, y, light >= 0 ? near : -1e30, light >= 0 ? rgb : shadow);
        }
}

static void draw_line(canvas *c, const corner *a, const corner *b, bool rest)
{
    enum { RADIUS = 2 * FINE };
    double length = hypot(b->x - a->x, b->y - a->y);
    int    steps  = (int)fmin(length, 4 * W) + 1;
    for (int i = 0; i <= steps; i++) {
        double t = (double)i / steps, rgb[3], near = a->near + t * (b->near - a->near);
        int    x = (int)(a->x + t * (b->x - a->x)), y = (int)(a->y + t * (b->y - a->y));
        colour(a->value + t * (b->value - a->value), 0.9, rgb);
        for (int dy = -RADIUS; dy <= RADIUS; dy++)
            for (int dx = -RADIUS; dx <= RADIUS; dx++)
                if (dx * dx + dy * dy <= RADIUS * RADIUS)
                    put(c, x + dx, y + dy, rest ? -1e30 : near, rest ? shadow : rgb);
    }
}

/* ---- the body ---- */

static kl_vec3 motion_of(const kl_kbody *b, int node, int mode)
{
    const float *u = b->skin.motion + 3 * ((size_t)node * (size_t)b->nmode + (size_t)mode);
    return kl_vec((double)u[0], (double)u[1], (double)u[2]);
}

static double largest_motion(const kl_kbody *b, int mode)
{
    double most = 0;
    for (int i = 0; i < b->skin.nnode; i++) most = fmax(most, kl_norm(motion_of(b, i, mode)));
    return most;
}

/* looks down from the side; the body at rest takes three quarters of the picture */
static camera camera_for(const kl_kbody *b)
{
    const double turn = 0.7, lift = 0.45; /* rad */
    camera       v = {.right = kl_vec(cos(turn), sin(turn), 0),
                      .eye   = kl_vec(sin(turn) * cos(lift), -cos(turn) * cos(lift), sin(lift))};
    v.up           = kl_cross(v.eye, v.right);
    double x[2] = {INFINITY, -INFINITY}, y[2] = {INFINITY, -INFINITY};
    for (int i = 0; i < b->skin.nnode; i++) {
        double r = kl_dot(v.right, b->skin.x[i]), u = kl_dot(v.up, b->skin.x[i]);
        x[0] = fmin(x[0], r), x[1] = fmax(x[1], r), y[0] = fmin(y[0], u), y[1] = fmax(y[1], u);
    }
    v.x = 0.5 * (x[0] + x[1]), v.y = 0.5 * (y[0] + y[1]);
    v.scale = 0.75 * fmin(W / fmax(x[1] - x[0], 1e-12), H / fmax(y[1] - y[0], 1e-12));
    return v;
}

static corner project(const camera *v, kl_vec3 r, double value)
{
    return (corner){0.5 * W + v->scale * (kl_dot(v->right, r) - v->x),
                    0.5 * H + v->scale * (kl_dot(v->up, r) - v->y), v->scale * kl_dot(v->eye, r),
                    value};
}

/* the body with its motion times `scale`; zero draws the shadow of the body at rest */
static void draw_body(canvas *c, const camera *v, const kl_kbody *b, int mode, double scale)
{
    const kl_kbody_skin *s     = &b->skin;
    kl_vec3              light = kl_unit(kl_vec(0.3, -0.8, 1));
    double               most  = largest_motion(b, mode);
    for (int t = 0; t < s->ntriangle + s->nline; t++) {
        bool       line = t >= s->ntriangle;
        const int *node = line ? s->line + 2 * (t - s->ntriangle) : s->triangle + 3 * t;
        kl_vec3    r[3];
        corner     p[3];
        for (int k = 0; k < (line ? 2 : 3); k++) {
            kl_vec3 u = motion_of(b, node[k], mode);
            r[k]      = kl_axpy(scale, u, s->x[node[k]]);
            p[k]      = project(v, r[k], most > 0 ? kl_norm(u) / most : 0);
        }
        if (line) {
            draw_line(c, &p[0], &p[1], scale == 0);
            continue;
        }
        kl_vec3 normal = kl_unit(kl_cross(kl_sub(r[1], r[0]), kl_sub(r[2], r[0])));
        fill_triangle(c, p, scale == 0 ? -1 : 0.7 + 0.3 * fabs(kl_dot(normal, light)));
    }
}

/* means of FINE x FINE pixels go to gnuplot */
static void send(FILE *script, const canvas *c)
{
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            for (int k = 0; k < 3; k++) {
                int sum = 0;
                for (int d = 0; d < FINE * FINE; d++)
                    sum += c->rgb[3 * ((size_t)(FINE * y + d / FINE) * W +
                                       (size_t)(FINE * x + d % FINE)) +
                                  (size_t)k];
                fputc(sum / (FINE * FINE), script);
            }
}

static void draw_mode(FILE *script, canvas *c, const camera *v, const kl_kbody *b, int mode)
{
    double most = largest_motion(b, mode), size = 0.75 * fmin(W, H) / v->scale;
    for (size_t i = 0; i < (size_t)W * H; i++) c->depth[i] = -INFINITY;
    memset(c->rgb, 255, 3 * (size_t)W * H);
    draw_body(c, v, b, mode, 0);
    for (size_t i = 0; i < (size_t)W * H; i++) c->depth[i] = -INFINITY;
    draw_body(c, v, b, mode, most > 0 ? 0.12 * size / most : 1e-300);
    fprintf(script,
            "set title 'mode %d: %.5g Hz'\nplot '-' binary array=(%d,%d) format='%%uchar' with "
            "rgbimage\n",
            mode + 1, b->frequency[mode], WIDTH, HEIGHT);
    send(script, c);
}

bool kl_mode_figure(const kl_kbody *b, const char *path)
{
    int count = b->nmode < MOST ? b->nmode : MOST, columns = count < 3 ? count : 3;
    if (count < 1) return false;
    int         rows = (count + columns - 1) / columns;
    size_t      n    = strlen(path);
    bool        svg  = n > 4 && strcmp(path + n - 4, ".svg") == 0;
    canvas      c    = {malloc((size_t)W * H * sizeof(float)), malloc(3 * (size_t)W * H)};
    kl_new_file out;
    bool        opened = c.depth && c.rgb && kl_output_open(&out, path), ok = false;
    kl_gnuplot  g;
    if (opened && kl_gnuplot_start(&g, &out)) {
        camera v = camera_for(b);
        fprintf(g.script,
                "set terminal %s size %d,%d\nset multiplot layout %d,%d\nunset key\nunset border\n"
                "unset tics\nset size ratio -1\nset margins 0,0,0,2\n",
                svg ? "svg" : "pngcairo", WIDTH * columns, (HEIGHT + 40) * rows, rows, columns);
        for (int j = 0; j < count; j++) draw_mode(g.script, &c, &v, b, j);
        fprintf(g.script, "unset multiplot\n");
        ok = kl_gnuplot_end(&g);
    }
    free(c.depth);
    free(c.rgb);
    if (opened && !ok) kl_output_discard(&out);
    return ok && kl_output_close(&out);
}
