/* Pieces are quintic Hermite polynomials: position, first and second derivative are exact at both
 * ends, so that an arc of radius R cut into pieces of length h is met to about R (h/R)^6/46000. */
#include "railway/outline.h"

#include <math.h>

#include "geometry/gauss.h"

void kl_outline_begin(kl_outline *o, kl_arena *arena) { *o = (kl_outline){.arena = arena}; }

void kl_outline_piece_add(kl_outline *o, const kl_outline_piece *piece)
{
    void             *data = o->piece;
    kl_outline_piece *slot = kl_arena_grow(o->arena, &data, o->n, &o->capacity, sizeof *slot);
    if (!slot) return;
    o->piece = data;
    *slot    = *piece;
    o->n++;
}

static int pieces_for(double length)
{
    return length > 0.0 ? (int)ceil(length / KL_OUTLINE_STEP) : 0;
}

void kl_outline_line(kl_outline *o, double y0, double z0, double y1, double z1)
{
    int n = pieces_for(hypot(y1 - y0, z1 - z0));
    for (int i = 0; i < n; i++) {
        double dy = (y1 - y0) / n, dz = (z1 - z0) / n;
        kl_outline_piece_add(o, &(kl_outline_piece){{y0 + i * dy, dy}, {z0 + i * dz, dz}});
    }
}

void kl_outline_arc(kl_outline *o, double yc, double zc, double radius, double from, double to)
{
    int n = pieces_for(radius * fabs(to - from));
    for (int i = 0; i < n; i++) {
        double h = (to - from) / n, y[2][3], z[2][3];
        for (int e = 0; e < 2; e++) {
            double c = radius * cos(from + (i + e) * h), s = radius * sin(from + (i + e) * h);
            y[e][0] = yc + c, y[e][1] = -h * s, y[e][2] = -h * h * c;
            z[e][0] = zc + s, z[e][1] = h * c, z[e][2] = -h * h * s;
        }
        kl_outline_piece piece;
        kl_hermite_quintic(1.0, y[0], y[1], piece.y);
        kl_hermite_quintic(1.0, z[0], z[1], piece.z);
        kl_outline_piece_add(o, &piece);
    }
}

void kl_outline_polynomial(kl_outline *o, const double *p, int n, double y0, double y1)
{
    int pieces = pieces_for(fabs(y1 - y0));
    for (int i = 0; i < pieces; i++) {
        double h = (y1 - y0) / pieces, v[2][3] = {{0}};
        for (int e = 0; e < 2; e++) {
            double y = y0 + (i + e) * h;
            for (int k = n - 1; k >= 0; k--) { /* Horner's scheme with two derivatives */
                v[e][2] = v[e][2] * y + 2 * v[e][1];
                v[e][1] = v[e][1] * y + v[e][0];
                v[e][0] = v[e][0] * y + p[k];
            }
            v[e][1] *= h, v[e][2] *= h * h;
        }
        kl_outline_piece piece = {.y = {y0 + i * h, h}};
        kl_hermite_quintic(1.0, v[0], v[1], piece.z);
        kl_outline_piece_add(o, &piece);
    }
}

static double speed(const void *piece, double t)
{
    kl_outline one     = {.n = 1, .piece = (kl_outline_piece[]){*(const kl_outline_piece *)piece}};
    kl_outline_rates r = kl_outline_rates_at(&one, (kl_outline_place){0, t});
    return sqrt(r.y1 * r.y1 + r.z1 * r.z1);
}

/* The angle of the tangent goes through a piece as the cubic with its values and rates at both ends;
 * `start` is the angle at the first end, on return that at the last. */
static void fill_turn(const kl_outline *o, int i, double *start)
{
    kl_outline_rates a = kl_outline_rates_at(o, (kl_outline_place){i, 0.0}),
                     b = kl_outline_rates_at(o, (kl_outline_place){i, 1.0});
    double by          = atan2(a.y1 * b.z1 - a.z1 * b.y1, a.y1 * b.y1 + a.z1 * b.z1);
    double rate        = (a.y1 * a.z2 - a.z1 * a.y2) / (a.y1 * a.y1 + a.z1 * a.z1);
    double last        = (b.y1 * b.z2 - b.z1 * b.y2) / (b.y1 * b.y1 + b.z1 * b.z1);
    o->turn[i] =
        (kl_outline_turn){{*start, rate, 3.0 * by - 2.0 * rate - last, rate + last - 2.0 * by}};
    *start += by;
}

kl_status kl_outline_end(kl_outline *o)
{
    o->s    = kl_arena_array(o->arena, double, o->n + 1);
    o->turn = kl_arena_array(o->arena, kl_outline_turn, o->n);
    if (!kl_arena_ok(o->arena)) return KL_E_MEMORY;
    kl_outline_rates first = kl_outline_rates_at(o, (kl_outline_place){0, 0.0});
    double           angle = atan2(first.z1, first.y1);
    for (int i = 0; i < o->n; i++) {
        o->s[i + 1] = o->s[i] + kl_gauss(speed, &o->piece[i], 0.0, 1.0);
        fill_turn(o, i, &angle);
    }
    return KL_OK;
}

kl_status kl_outline_moved(const kl_outline *o, double angle, double dy, double dz, kl_arena *arena,
                           kl_outline *out)
{
    double c = cos(angle), s = sin(angle);
    kl_outline_begin(out, arena);
    for (int i = 0; i < o->n; i++) {
        kl_outline_piece        moved;
        const kl_outline_piece *p = &o->piece[i];
        for (int k = 0; k < 6; k++) {
            moved.y[k] = c * p->y[k] - s * p->z[k];
            moved.z[k] = s * p->y[k] + c * p->z[k];
        }
        moved.y[0] += dy, moved.z[0] += dz;
        kl_outline_piece_add(out, &moved);
    }
    return kl_outline_end(out);
}

kl_outline_place kl_outline_find(const kl_outline *o, double s)
{
    int low = 0, high = o->n;
    while (high - low > 1) {
        int mid = (low + high) / 2;
        if (o->s[mid] <= s) low = mid;
        else high = mid;
    }
    /* Newton's method from the linear guess; the speed along a piece is all but constant */
    double t = fmin(fmax((s - o->s[low]) / (o->s[low + 1] - o->s[low]), 0.0), 1.0);
    for (int k = 0; k < 2; k++) {
        double error = o->s[low] + kl_gauss(speed, &o->piece[low], 0.0, t) - s;
        t            = fmin(fmax(t - error / speed(&o->piece[low], t), 0.0), 1.0);
    }
    return (kl_outline_place){low, t};
}

/* Moves `p` by `step` pieces and holds it within the ends; true when an end holds it. */
static bool advance(const kl_outline *o, kl_outline_place *p, double step)
{
    double t = p->t + step, jump = floor(t);
    if (t >= 0.0 && t <= 1.0) {
        p->t = t;
        return false;
    }
    p->i += (int)jump, p->t = t - jump;
    if (p->i < 0) return *p = (kl_outline_place){0, 0.0}, true;
    if (p->i >= o->n) return *p = (kl_outline_place){o->n - 1, 1.0}, true;
    return false;
}

kl_outline_place kl_outline_foot(const kl_outline *o, double y, double z, kl_outline_place p)
{
    enum { MOST = 30 };
    for (int k = 0; k < MOST; k++) {
        kl_outline_rates r  = kl_outline_rates_at(o, p);
        double           dy = y - r.y, dz = z - r.z, vv = r.y1 * r.y1 + r.z1 * r.z1;
        double slope = vv - dy * r.y2 - dz * r.z2; /* of half the squared distance, twice */
        if (slope < 0.3 * vv) slope = 0.3 * vv;
        double step = (dy * r.y1 + dz * r.z1) / slope;
        step        = step < -6.0 ? -6.0 : step > 6.0 ? 6.0 : step;
        if (advance(o, &p, step) && k > 0) {
            kl_outline_rates e       = kl_outline_rates_at(o, p);
            double           outward = (y - e.y) * e.y1 + (z - e.z) * e.z1;
            if (p.i == 0 ? outward <= 0.0 : outward >= 0.0) return p;
        }
        if (fabs(step) < 1e-6) return p; /* convergence is quadratic: 1e-12 is left */
    }
    return p;
}

kl_outline_place kl_outline_nearest(const kl_outline *o, double y, double z)
{
    double           best  = INFINITY;
    kl_outline_place start = {0, 0.0};
    for (int i = 0; i < o->n; i++) {
        kl_outline_rates r = kl_outline_rates_at(o, (kl_outline_place){i, 0.5});
        double           d = (y - r.y) * (y - r.y) + (z - r.z) * (z - r.z);
        if (d < best) best = d, start = (kl_outline_place){i, 0.5};
    }
    return kl_outline_foot(o, y, z, start);
}

kl_outline_place kl_outline_extreme(const kl_outline *o, int sign)
{
    /* the highest joint, then Newton's method on z1 = 0 between its neighbours */
    kl_outline_place best = {0, 0.0};
    double           top  = -INFINITY;
    for (int i = 0; i <= 2 * o->n; i++) {
        kl_outline_place p = i < 2 * o->n ? (kl_outline_place){i / 2, 0.5 * (i % 2)}
                                          : (kl_outline_place){o->n - 1, 1.0};
        double           z = sign * kl_outline_rates_at(o, p).z;
        if (z > top) top = z, best = p;
    }
    for (int k = 0; k < 20; k++) {
        kl_outline_rates r = kl_outline_rates_at(o, best);
        if (sign * r.z2 >= 0.0) break;
        double step = fmin(fmax(-r.z1 / r.z2, -1.0), 1.0);
        if (advance(o, &best, step) || fabs(step) < 1e-12) break;
    }
    return best;
}
