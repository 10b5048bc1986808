#include "railway/irregularity.h"

#include <math.h>
#include <string.h>

#include "base/spline.h"
#include "base/vec.h"
#include "geometry/gauss.h"

const kl_irregularity_band kl_band_d1 = {3.0, 25.0}, kl_band_d2 = {25.0, 70.0},
                           kl_band_d3 = {70.0, 150.0};

typedef struct cosine {
    double amplitude, W, phase; /* [m], [rad/m], [rad] */
    double cos_step, sin_step;  /* of the angle from node to node */
} cosine;

enum { SHARED = 64 }; /* blocks kept for all cursors: together 256 times the shortest wave */

struct kl_irregularity {
    int                    nline;
    cosine                *line[KL_TRACK_CHANNELS]; /* nline each, or NULL */
    kl_irregularity_block *shared; /* SHARED, by index modulo their number, or NULL */
    kl_spline             *spline[KL_TRACK_CHANNELS]; /* sampled instead, or NULL */
    double                 step;                      /* between nodes [m] */
    double                 start, ramp;               /* [m] */
    bool                   ramped;
};

/* ---- synthesis ---- */

/* Uniform numbers in (0, 1) from a counter, the same on every machine: splitmix64 (Steele, Lea,
 * Flood 2014). */
static double uniform(unsigned long long *state)
{
    unsigned long long z = *state += 0x9e3779b97f4a7c15ull;
    z                    = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z                    = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return ((double)((z ^ (z >> 31)) >> 11) + 0.5) / 9007199254740992.0;
}

typedef struct density {
    const kl_irregularity_source *source;
    int                           channel;
} density;

static double density_at(const void *context, double W)
{
    const density *d = context;
    double         S = d->source->spectrum ? kl_track_density(d->source->spectrum, d->channel, W)
                                           : kl_spectrum_table_at(d->source->table, d->channel, W);
    return d->source->two_sided ? 2.0 * S : S;
}

static void fill_lines(const kl_irregularity_source *source, int channel, double step, int n,
                       cosine *line)
{
    density d  = {source, channel};
    double  W0 = 2.0 * KL_PI / source->band.longest, W1 = 2.0 * KL_PI / source->band.shortest;
    /* each channel has random numbers of its own, so that one may be scaled or left out */
    unsigned long long state = source->seed * 4ull + (unsigned long long)channel;
    uniform(&state);
    for (int k = 0; k < n; k++) {
        double a = W0 * pow(W1 / W0, (double)k / n), b = W0 * pow(W1 / W0, (k + 1.0) / n);
        double variance  = kl_gauss(density_at, &d, a, b);
        line[k]          = (cosine){.amplitude = source->scale[channel] * sqrt(2.0 * variance),
                                    .W         = a + (b - a) * uniform(&state),
                                    .phase     = 2.0 * KL_PI * uniform(&state)};
        line[k].cos_step = cos(line[k].W * step), line[k].sin_step = sin(line[k].W * step);
    }
}

kl_status kl_irregularity_synthesise(const kl_irregularity_source *source, kl_place place,
                                     kl_arena *arena, kl_diag *diag, kl_irregularity **out)
{
    kl_irregularity_band b = source->band;
    if (!(b.shortest > 0.0 && b.longest > b.shortest && isfinite(b.longest)))
        return kl_fail(diag, KL_E_RANGE, place,
                       "the wavelengths of the band, %g to %g m, must be positive and increase",
                       b.shortest, b.longest);
    kl_irregularity *i = kl_arena_array(arena, kl_irregularity, 1);
    if (!i) return KL_E_MEMORY;
    i->nline  = source->lines > 0 ? source->lines : 800;
    i->step   = b.shortest / 8.0;
    i->shared = kl_arena_array(arena, kl_irregularity_block, SHARED);
    if (!i->shared) return KL_E_MEMORY;
    for (int c = 0; c < KL_TRACK_CHANNELS; c++) {
        if (source->scale[c] == 0.0) continue;
        i->line[c] = kl_arena_array(arena, cosine, i->nline);
        if (!i->line[c]) return KL_E_MEMORY;
        fill_lines(source, c, i->step, i->nline, i->line[c]);
    }
    *out = i;
    return KL_OK;
}

kl_status kl_irregularity_wave(double wavelength, const double amplitude[KL_TRACK_CHANNELS],
                               kl_arena *arena, kl_irregularity **out)
{
    kl_irregularity *i = kl_arena_array(arena, kl_irregularity, 1);
    if (!i) return KL_E_MEMORY;
    double W = 2.0 * KL_PI / wavelength;
    i->nline = 1;
    i->step  = wavelength / 8.0;
    for (int c = 0; c < KL_TRACK_CHANNELS; c++) {
        if (amplitude[c] == 0.0) continue;
        i->line[c] = kl_arena_array(arena, cosine, 1);
        if (!i->line[c]) return KL_E_MEMORY;
        i->line[c][0] = (cosine){.amplitude = amplitude[c],
                                 .W         = W,
                                 .cos_step  = cos(W * i->step),
                                 .sin_step  = sin(W * i->step)};
    }
    *out = i;
    return KL_OK;
}

double kl_irregularity_variance(const kl_irregularity *i, int channel)
{
    double sum = 0.0;
    for (int k = 0; i->line[channel] && k < i->nline; k++)
        sum += 0.5 * i->line[channel][k].amplitude * i->line[channel][k].amplitude;
    return sum;
}

/* ---- samples ---- */

kl_status kl_irregularity_sampled(const double *s, const double *const value[KL_TRACK_CHANNELS],
                                  int n, kl_place place, kl_arena *arena, kl_diag *diag,
                                  kl_irregularity **out)
{
    int bad = kl_spline_check(s, n);
    if (n < 4) return kl_fail(diag, KL_E_RANGE, place, "an irregularity needs at least 4 rows");
    if (bad >= 0)
        return kl_fail(diag, KL_E_RANGE, place,
                       "the length must increase: row %d has s = %g m after %g m; sort the rows",
                       bad + 1, s[bad], bad > 0 ? s[bad - 1] : s[bad]);
    kl_irregularity *i = kl_arena_array(arena, kl_irregularity, 1);
    if (!i) return KL_E_MEMORY;
    for (int c = 0; c < KL_TRACK_CHANNELS; c++) {
        if (!value[c]) continue;
        i->spline[c] = kl_spline_create(arena, s, value[c], n, KL_SPLINE_CUBIC, KL_ENDS_CONSTANT);
        if (!i->spline[c]) return KL_E_MEMORY;
    }
    *out = i;
    return KL_OK;
}

/* mean and difference: of lateral these are lateral and gauge, of vertical vertical and cross level */
static kl_status mean_and_difference(const double *left, const double *right, int n,
                                     kl_arena *arena, const double **mean,
                                     const double **difference)
{
    double *m = kl_arena_array(arena, double, n), *d = kl_arena_array(arena, double, n);
    if (!kl_arena_ok(arena)) return KL_E_MEMORY;
    for (int i = 0; i < n; i++) {
        double l = left ? left[i] : 0.0, r = right ? right[i] : 0.0;
        m[i] = 0.5 * (l + r), d[i] = l - r;
    }
    *mean = m, *difference = d;
    return KL_OK;
}

kl_status kl_irregularity_of_rails(const double *s, const double *const left[2],
                                   const double *const right[2], int n, kl_place place,
                                   kl_arena *arena, kl_diag *diag, kl_irregularity **out)
{
    const double *v[KL_TRACK_CHANNELS];
    KL_TRY(
        mean_and_difference(left[0], right[0], n, arena, &v[KL_TRACK_LATERAL], &v[KL_TRACK_GAUGE]));
    KL_TRY(mean_and_difference(left[1], right[1], n, arena, &v[KL_TRACK_VERTICAL],
                               &v[KL_TRACK_CROSS_LEVEL]));
    return kl_irregularity_sampled(s, v, n, place, arena, diag, out);
}

void kl_irregularity_start(kl_irregularity *i, double start, double ramp)
{
    i->start = start, i->ramp = ramp, i->ramped = true;
}

bool kl_irregularity_extent(const kl_irregularity *i, double *first, double *last)
{
    bool found = false;
    for (int c = 0; c < KL_TRACK_CHANNELS; c++) {
        const kl_spline *p = i->spline[c];
        if (p)
            found = true, *first = kl_spline_x(p, 0), *last = kl_spline_x(p, kl_spline_size(p) - 1);
    }
    return found;
}

/* ---- values ---- */

/* Two lines side by side, so that compilers use vector instructions on every machine. */
typedef double lanes __attribute__((vector_size(2 * sizeof(double))));
enum { TOGETHER = 2 };

/* Sums of lines at the nodes of a block, side by side: value, slope and bend. */
typedef lanes sums[KL_IRREGULARITY_BLOCK + 1][3];

/* Adds up to TOGETHER lines of a channel to the sums at the nodes. From node to node the angle of a line
 * grows by x = W step, so that c = a cos and e = W a sin of it turn:
 *
 *     c' = c cos x - e sin x / W,   e' = e cos x + c W sin x
 *
 * Rounding errors of one block are 1e-15. Six numbers a line are all that fit into the registers. */
static void add_lines(const kl_irregularity *i, int channel, int first, double s, sums sum)
{
    lanes c = {0}, e = {0}, turn = {0}, over = {0}, times = {0}, WW = {0};
    for (int k = 0; k < TOGETHER && first + k < i->nline; k++) {
        const cosine *l = &i->line[channel][first + k];
        double        x = l->W * s + l->phase;
        c[k] = l->amplitude * cos(x), e[k] = l->W * l->amplitude * sin(x);
        turn[k] = l->cos_step, WW[k] = l->W * l->W;
        over[k] = l->sin_step / l->W, times[k] = l->sin_step * l->W;
    }
    for (int n = 0; n <= KL_IRREGULARITY_BLOCK; n++) {
        lanes turned = c * turn - e * over;
        sum[n][0] += c;
        sum[n][1] -= e;
        sum[n][2] -= WW * c;
        e = e * turn + c * times;
        c = turned;
    }
}

static void fill_channel(const kl_irregularity *i, int channel, double s,
                         kl_irregularity_block *block)
{
    sums sum = {{{0}}};
    for (int k = 0; k < i->nline; k += TOGETHER) add_lines(i, channel, k, s, sum);
    for (int n = 0; n <= KL_IRREGULARITY_BLOCK; n++)
        for (int order = 0; order < 3; order++)
            for (int k = 0; k < TOGETHER; k++) block->at[n][channel][order] += sum[n][order][k];
}

static void fill_block(const kl_irregularity *i, long long index, kl_irregularity_block *block)
{
    memset(block->at, 0, sizeof block->at);
    double s = (double)(index * KL_IRREGULARITY_BLOCK) * i->step;
    for (int c = 0; c < KL_TRACK_CHANNELS; c++)
        if (i->line[c]) fill_channel(i, c, s, block);
    block->known = true, block->index = index;
}

/* The wheelsets of a vehicle pass the same nodes one after the other: what the first one computed is
 * copied by the others. */
static void find_block(const kl_irregularity *i, long long index, kl_irregularity_block *block)
{
    if (!i->shared) {
        fill_block(i, index, block);
        return;
    }
    kl_irregularity_block *kept = &i->shared[(unsigned long long)index % SHARED];
    if (!kept->known || kept->index != index) fill_block(i, index, kept);
    *block = *kept;
}

static void interpolate(const kl_irregularity *i, double s, kl_irregularity_cursor *cursor,
                        kl_irregularity_value out)
{
    long long node = (long long)floor(s / i->step), index = node / KL_IRREGULARITY_BLOCK;
    if (node < index * KL_IRREGULARITY_BLOCK) index--;
    kl_irregularity_block *block = &cursor->block[index & 1];
    if (!block->known || block->index != index) find_block(i, index, block);
    kl_irregularity_value *at = &block->at[node - index * KL_IRREGULARITY_BLOCK];
    double                 x  = s - (double)node * i->step;
    for (int c = 0; c < KL_TRACK_CHANNELS; c++) {
        double p[6];
        kl_hermite_quintic(i->step, at[0][c], at[1][c], p);
        out[c][0] = p[0] + x * (p[1] + x * (p[2] + x * (p[3] + x * (p[4] + x * p[5]))));
        out[c][1] = p[1] + x * (2 * p[2] + x * (3 * p[3] + x * (4 * p[4] + x * 5 * p[5])));
        out[c][2] = 2 * p[2] + x * (6 * p[3] + x * (12 * p[4] + x * 20 * p[5]));
    }
}

static void sampled(const kl_irregularity *i, double s, kl_irregularity_value out)
{
    for (int c = 0; c < KL_TRACK_CHANNELS; c++) {
        const kl_spline *p = i->spline[c];
        memset(out[c], 0, sizeof out[c]);
        if (p && s >= kl_spline_x(p, 0) && s <= kl_spline_x(p, kl_spline_size(p) - 1))
            kl_spline_eval(p, s, out[c]);
    }
}

/* Factor 0 before the start, 1 behind the ramp, 10 x^3 - 15 x^4 + 6 x^5 between. */
static void apply_ramp(const kl_irregularity *i, double s, kl_irregularity_value v)
{
    double x = i->ramp > 0.0 ? (s - i->start) / i->ramp : s >= i->start ? 1.0 : 0.0;
    if (x >= 1.0) return;
    x        = fmax(x, 0.0);
    double h = i->ramp > 0.0 ? i->ramp : 1.0, y = 1.0 - x;
    double f = x * x * x * (10 - x * (15 - 6 * x)), f1 = 30 * x * x * y * y / h,
           f2 = 60 * x * y * (y - x) / (h * h);
    for (int c = 0; c < KL_TRACK_CHANNELS; c++) {
        double a = v[c][0], b = v[c][1], d = v[c][2];
        v[c][0] = f * a;
        v[c][1] = f * b + f1 * a;
        v[c][2] = f * d + 2 * f1 * b + f2 * a;
    }
}

void kl_irregularity_at(const kl_irregularity *i, double s, kl_irregularity_cursor *cursor,
                        kl_irregularity_value out)
{
    if (!cursor->known || s != cursor->s) {
        if (i->nline > 0) interpolate(i, s, cursor, cursor->last);
        else sampled(i, s, cursor->last);
        if (i->ramped) apply_ramp(i, s, cursor->last);
        cursor->known = true, cursor->s = s;
    }
    memcpy(out, cursor->last, sizeof cursor->last);
}
