/* Pictures of the motion without a graphics card: triangles with a depth buffer, flat light, drawn
 * at twice the size and averaged. Parallel projection from obliquely above, all of the motion in
 * the picture; what travels far is followed instead. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "post/motion_file.h"

enum { FINE = 2, GRID = 24 };
static const double FAR_AWAY = 6.0; /* times its own size: then it is followed */

typedef struct camera {
    kl_vec3 right, over, back, target;
    double  scale; /* fine pixels a metre */
    int     w, h;  /* fine pixels */
} camera;

typedef struct canvas {
    camera         c;
    float         *depth;
    unsigned char *rgb;
} canvas;

/* Axes with "up" as third. */
static kl_mat3 floor_axes(kl_vec3 up)
{
    kl_vec3 x = fabs(up.x) < 0.9 ? kl_vec(1, 0, 0) : kl_vec(0, 0, 1);
    x         = kl_unit(kl_sub(x, kl_scale(kl_dot(x, up), up)));
    return kl_from_axes(x, kl_cross(up, x), up);
}

static void orient_camera(camera *c, kl_vec3 up)
{
    kl_mat3 A = floor_axes(up);
    c->back   = kl_mul(&A, kl_unit(kl_vec(0.9, -1.5, 0.75)));
    c->right  = kl_unit(kl_cross(up, c->back));
    c->over   = kl_cross(c->back, c->right);
}

/* ---- drawing ---- */

static kl_vec3 project(const camera *c, kl_vec3 p)
{
    kl_vec3 d = kl_sub(p, c->target);
    return kl_vec(0.5 * c->w + c->scale * kl_dot(d, c->right),
                  0.5 * c->h - c->scale * kl_dot(d, c->over), kl_dot(d, c->back));
}

static void dot(canvas *v, int x, int y, double z, const unsigned char ink[3])
{
    if (x < 0 || y < 0 || x >= v->c.w || y >= v->c.h) return;
    size_t i = (size_t)y * (size_t)v->c.w + (size_t)x;
    if ((float)z <= v->depth[i]) return;
    v->depth[i] = (float)z;
    memcpy(v->rgb + 3 * i, ink, 3);
}

static void draw_triangle(canvas *v, kl_vec3 a, kl_vec3 b, kl_vec3 c, const unsigned char ink[3])
{
    double area = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
    if (!(fabs(area) > 1e-9) || !isfinite(area)) return;
    int x0 = (int)floor(fmax(0.0, fmin(a.x, fmin(b.x, c.x)))),
        x1 = (int)ceil(fmin(v->c.w - 1.0, fmax(a.x, fmax(b.x, c.x)))),
        y0 = (int)floor(fmax(0.0, fmin(a.y, fmin(b.y, c.y)))),
        y1 = (int)ceil(fmin(v->c.h - 1.0, fmax(a.y, fmax(b.y, c.y))));
    for (int y = y0; y <= y1; y++)
        for (int x = x0; x <= x1; x++) {
            double px = x + 0.5, py = y + 0.5;
            double u = ((b.x - px) * (c.y - py) - (b.y - py) * (c.x - px)) / area;
            double w = ((c.x - px) * (a.y - py) - (c.y - py) * (a.x - px)) / area;
            if (u < 0.0 || w < 0.0 || u + w > 1.0) continue;
            dot(v, x, y, u * a.z + w * b.z + (1.0 - u - w) * c.z, ink);
        }
}

static void draw_line(canvas *v, kl_vec3 a, kl_vec3 b, const unsigned char ink[3])
{
    double length = fmax(fabs(b.x - a.x), fabs(b.y - a.y));
    if (!isfinite(length)) return;
    int n = (int)fmin(length, 4.0 * (v->c.w + v->c.h)) + 1;
    for (int i = 0; i <= n; i++) {
        double s = (double)i / n, x = a.x + s * (b.x - a.x), y = a.y + s * (b.y - a.y);
        for (int k = 0; k < 2; k++)
            dot(v, (int)floor(x) + k, (int)floor(y), a.z + s * (b.z - a.z), ink);
    }
}

static void draw_solid(canvas *v, const kl_solid *s, const kl_vec3 *x, kl_vec3 sun)
{
    for (int t = 0; t < s->ntriangle; t++) {
        const int *i = s->triangle + 3 * t;
        kl_vec3    n = kl_cross(kl_sub(x[i[1]], x[i[0]]), kl_sub(x[i[2]], x[i[0]]));
        double     l = kl_norm(n);
        if (!(l > 0.0)) continue;
        if (kl_dot(n, v->c.back) < 0.0) n = kl_neg(n); /* surfaces have two sides */
        double        light = 0.45 + 0.55 * fmax(0.0, kl_dot(n, sun) / l);
        unsigned char ink[3];
        for (int k = 0; k < 3; k++) ink[k] = (unsigned char)(light * s->ink[3 * t + k]);
        draw_triangle(v, project(&v->c, x[i[0]]), project(&v->c, x[i[1]]), project(&v->c, x[i[2]]),
                      ink);
    }
}

static void draw_floor(canvas *v, kl_vec3 up, double below, double step)
{
    static const unsigned char ink[3] = {205, 211, 218};
    kl_mat3                    A      = floor_axes(up);
    kl_vec3                    t      = kl_mul_t(&A, v->c.target);
    double cx = step * round(t.x / step), cy = step * round(t.y / step), r = step * GRID / 2.0;
    for (int i = -GRID / 2; i <= GRID / 2; i++) {
        kl_vec3 a = kl_vec(cx + i * step, cy - r, below), b = kl_vec(cx + i * step, cy + r, below);
        kl_vec3 c = kl_vec(cx - r, cy + i * step, below), d = kl_vec(cx + r, cy + i * step, below);
        draw_line(v, project(&v->c, kl_mul(&A, a)), project(&v->c, kl_mul(&A, b)), ink);
        draw_line(v, project(&v->c, kl_mul(&A, c)), project(&v->c, kl_mul(&A, d)), ink);
    }
}

/* Averages the fine pixels and writes the picture. */
static kl_status put_picture(FILE *f, const canvas *v, const kl_film *film, unsigned char *line)
{
    for (int y = 0; y < film->height; y++) {
        for (int x = 0; x < 3 * film->width; x++) {
            int sum = 0;
            for (int k = 0; k < FINE * FINE; k++)
                sum += v->rgb[3 * ((size_t)(FINE * y + k / FINE) * (size_t)v->c.w +
                                   (size_t)(FINE * (x / 3) + k % FINE)) +
                              (size_t)(x % 3)];
            line[x] = (unsigned char)(sum / (FINE * FINE));
        }
        if (fwrite(line, 3, (size_t)film->width, f) != (size_t)film->width) return KL_E_FILE;
    }
    return KL_OK;
}

/* ---- the way of the motion ---- */

typedef struct reach {
    double low[3], high[3]; /* along right, over, back */
    double floor;           /* lowest along up */
} reach;

static void reach_add(reach *r, const camera *c, kl_vec3 up, kl_vec3 p)
{
    double v[3] = {kl_dot(p, c->right), kl_dot(p, c->over), kl_dot(p, c->back)};
    if (!kl_finite(p)) return;
    for (int k = 0; k < 3; k++) {
        r->low[k]  = fmin(r->low[k], v[k]);
        r->high[k] = fmax(r->high[k], v[k]);
    }
    r->floor = fmin(r->floor, kl_dot(p, up));
}

static const reach NOTHING = {
    {HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}, HUGE_VAL};

static double span(const reach *r) { return hypot(r->high[0] - r->low[0], r->high[1] - r->low[1]); }

static kl_vec3 middle(const reach *r, const camera *c)
{
    kl_vec3 m = kl_scale(0.5 * (r->low[0] + r->high[0]), c->right);
    m         = kl_axpy(0.5 * (r->low[1] + r->high[1]), c->over, m);
    return kl_axpy(0.5 * (r->low[2] + r->high[2]), c->back, m);
}

typedef struct scene {
    const kl_solids *s;
    const kl_frames *frames;
    double          *row;
    kl_vec3         *x; /* of one body after the other */
    canvas           v;
    bool             follow;
    double           floor, step;
} scene;

static kl_status place_all(scene *n, int frame, reach *r)
{
    KL_TRY(kl_frames_row(n->frames, frame, n->row));
    kl_vec3 *x = n->x;
    for (int i = 0; i < n->s->n; x += n->s->list[i++].nvertex) {
        kl_solid_place(&n->s->list[i], n->row, x);
        for (int k = 0; r && k < n->s->list[i].nvertex; k++)
            if (n->s->list[i].channel[0] >= 0 || n->s->list[i].field)
                reach_add(r, &n->v.c, n->s->up, x[k]);
    }
    return KL_OK;
}

/* All of the motion in view, or the start of it when it goes far. */
static kl_status frame_motion(scene *n)
{
    int   count = kl_frames_count(n->frames), step = count / 100 + 1;
    reach all = NOTHING, first = NOTHING;
    KL_TRY(place_all(n, 0, &first));
    for (int k = 0; k < count; k += step) KL_TRY(place_all(n, k, &all));
    n->follow    = span(&all) > FAR_AWAY * span(&first);
    reach *shown = n->follow ? &first : &all;
    if (!(span(shown) > 0.0)) {
        n->v.c.scale  = 0.3 * n->v.c.h / n->s->length;
        n->v.c.target = kl_vec(0, 0, 0);
        n->floor      = -n->s->length;
    } else {
        double w = shown->high[0] - shown->low[0], h = shown->high[1] - shown->low[1];
        n->v.c.scale  = 0.86 * fmin(n->v.c.w / fmax(w, 1e-9), n->v.c.h / fmax(h, 1e-9));
        n->v.c.target = middle(shown, &n->v.c);
        n->floor      = all.floor - 0.04 * span(shown);
    }
    double coarse = n->v.c.h / n->v.c.scale / 5.0, power = pow(10.0, floor(log10(coarse)));
    n->step = power * (coarse / power < 2.0 ? 1.0 : coarse / power < 5.0 ? 2.0 : 5.0);
    return KL_OK;
}

static kl_status draw_frame(scene *n, int frame)
{
    reach here = NOTHING;
    KL_TRY(place_all(n, frame, n->follow ? &here : NULL));
    if (n->follow && span(&here) > 0.0) n->v.c.target = middle(&here, &n->v.c);
    size_t pixels = (size_t)n->v.c.w * (size_t)n->v.c.h;
    for (size_t i = 0; i < pixels; i++) n->v.depth[i] = -HUGE_VALF;
    memset(n->v.rgb, 240, 3 * pixels);
    kl_mat3 A   = floor_axes(n->s->up);
    kl_vec3 sun = kl_mul(&A, kl_unit(kl_vec(0.45, -0.5, 1.1)));
    draw_floor(&n->v, n->s->up, n->floor, n->step);
    const kl_vec3 *x = n->x;
    for (int i = 0; i < n->s->n; x += n->s->list[i++].nvertex)
        draw_solid(&n->v, &n->s->list[i], x, sun);
    return KL_OK;
}

/* The frame nearest to a time. */
static int frame_at(const kl_frames *f, int count, double t, int from)
{
    while (from + 1 < count && f->time[f->row0 + (from + 1) * f->every] <= t) from++;
    return from;
}

static kl_status draw_all(FILE *f, scene *n, const kl_film *film, unsigned char *line, int *count)
{
    int    rows = kl_frames_count(n->frames), frame = 0;
    double start    = n->frames->time[n->frames->row0];
    double duration = n->frames->time[n->frames->row0 + (rows - 1) * n->frames->every] - start;
    int    pictures = (int)fmin(1e6, duration / film->speed * film->fps) + 1;
    KL_TRY(frame_motion(n));
    for (int k = 0; k < pictures; k++) {
        frame = frame_at(n->frames, rows, start + k * film->speed / film->fps, frame);
        KL_TRY(draw_frame(n, frame));
        KL_TRY(put_picture(f, &n->v, film, line));
    }
    if (count) *count = pictures;
    return KL_OK;
}

kl_status kl_film_write(FILE *f, const kl_solids *s, const kl_frames *frames, const kl_film *film,
                        int *count)
{
    scene n = {.s = s, .frames = frames};
    n.v.c   = (camera){.w = FINE * film->width, .h = FINE * film->height};
    if (kl_frames_count(frames) < 1) return KL_E_RANGE;
    orient_camera(&n.v.c, s->up);
    size_t pixels       = (size_t)n.v.c.w * (size_t)n.v.c.h;
    n.row               = malloc(((size_t)kl_solids_row_size(frames->reader) + 1) * sizeof *n.row);
    n.x                 = malloc(((size_t)s->nvertex + 1) * sizeof *n.x);
    n.v.depth           = malloc(pixels * sizeof *n.v.depth);
    n.v.rgb             = malloc(3 * pixels);
    unsigned char *line = malloc(3 * (size_t)film->width + 3);
    kl_status      status = n.row && n.x && n.v.depth && n.v.rgb && line ? KL_OK : KL_E_MEMORY;
    if (status == KL_OK) status = draw_all(f, &n, film, line, count);
    free(line);
    free(n.v.rgb);
    free(n.v.depth);
    free(n.x);
    free(n.row);
    return status;
}
