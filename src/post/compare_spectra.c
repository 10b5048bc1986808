#include "post/compare_spectra.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "post/statistics.h"

/* Logarithms of the densities of all parts, those of the first record in front: part by part, `stride`
 * values each: n lines, and behind them the level. */
typedef struct parts {
    double *log;
    int     n, count[2];
    size_t  stride;
} parts;

static const double *part_at(const parts *p, int part) { return p->log + (size_t)part * p->stride; }

/* ---- one frequency ---- */

typedef struct student {
    double difference, deviation, freedom;
} student;

/* Mean and variance of the mean over the parts of one record. */
static void mean_of(const parts *p, int record, int line, double overlap, double *mean,
                    double *variance)
{
    int first = record == 0 ? 0 : p->count[0], n = p->count[record];
    *mean = *variance = 0.0;
    for (int i = 0; i < n; i++) *mean += part_at(p, first + i)[line] / n;
    for (int i = 0; i < n; i++) {
        double apart = part_at(p, first + i)[line] - *mean;
        *variance += overlap * apart * apart / (n * (n - 1.0));
    }
}

static student student_of(const parts *p, int line, const double *overlap)
{
    double ma, mb, va, vb;
    mean_of(p, 0, line, overlap[0], &ma, &va);
    mean_of(p, 1, line, overlap[1], &mb, &vb);
    double v = va + vb, fa = p->count[0] - 1.0, fb = p->count[1] - 1.0;
    return (student){.difference = mb - ma,
                     .deviation  = sqrt(v),
                     .freedom    = v > 0.0 ? v * v / (va * va / fa + vb * vb / fb) : fa + fb};
}

/* Probability of a Student variable at least as far from 0: t^2 follows F with 1 and n degrees. */
static double two_sided(student s)
{
    double t = fabs(s.difference) / s.deviation;
    if (!(fabs(s.difference) > 0.0)) return 1.0;
    return isfinite(t) ? kl_f_distribution(1.0 / (t * t), s.freedom, 1.0) : 0.0;
}

/* ---- all frequencies ---- */

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Divides each part by its level: the mean of the middle half of its lines, in logarithms. */
static void take_level(parts *p, double *work)
{
    for (int i = 0; i < p->count[0] + p->count[1]; i++) {
        double *x = p->log + (size_t)i * p->stride;
        memcpy(work, x, (size_t)p->n * sizeof *work);
        qsort(work, (size_t)p->n, sizeof *work, by_size);
        int first = p->n / 4, last = p->n - first;
        x[p->n] = 0.0;
        for (int k = first; k < last; k++) x[p->n] += work[k] / (last - first);
        for (int k = 0; k < p->n; k++) x[k] -= x[p->n];
    }
}

/* Benjamini and Hochberg's threshold; without any difference that of the smallest p. */
static double threshold_of(double *p, int n, double alpha)
{
    double found = alpha / n;
    qsort(p, (size_t)n, sizeof *p, by_size);
    for (int k = 0; k < n; k++)
        if (p[k] <= alpha * (k + 1) / n) found = alpha * (k + 1) / n;
    return found;
}

static void judge(kl_spectral_line *l, const student *s, double threshold)
{
    l->limit     = exp(s->deviation * kl_student_quantile(1.0 - 0.5 * threshold, s->freedom));
    l->different = l->p <= threshold;
}

/* work: n + 1 */
static void judge_lines(kl_comparison *c, const parts *p, const double *overlap, double alpha,
                        double *work)
{
    student level = student_of(p, p->n, overlap);
    for (int k = 0; k < c->n; k++) {
        student s    = student_of(p, k, overlap);
        c->line[k].p = work[k] = two_sided(s);
        c->line[k].ratio       = exp(s.difference);
    }
    c->level.p = work[c->n] = two_sided(level);
    c->level.ratio          = exp(level.difference);
    c->threshold            = threshold_of(work, c->n + 1, alpha);
    judge(&c->level, &level, c->threshold);
    for (int k = 0; k < c->n; k++) {
        student s = student_of(p, k, overlap);
        judge(&c->line[k], &s, c->threshold);
        work[k] = c->line[k].limit;
        c->different += c->line[k].different;
    }
    qsort(work, (size_t)c->n, sizeof *work, by_size);
    c->limit = work[c->n / 2];
}

/* ---- the whole ---- */

/* Sum over the lines of t^2 with a common variance, up to a constant factor: B/(T - B) with the squares
 * between the groups, B = (sum_a - n_a/n sum)^2, and those in all, T, to the scale n_a n_b/n. */
static double whole(const parts *p, const int *order, const double *sum, const double *square,
                    double *work)
{
    double na = p->count[0], nb = p->count[1], n = na + nb, total = 0.0;
    memset(work, 0, (size_t)p->n * sizeof *work);
    for (int i = 0; i < p->count[0]; i++) {
        const double *x = part_at(p, order[i]);
        for (int k = 0; k < p->n; k++) work[k] += x[k];
    }
    for (int k = 0; k < p->n; k++) {
        double apart = work[k] - na / n * sum[k], between = apart * apart * n / (na * nb);
        total +=
            between / fmax(square[k] - sum[k] * sum[k] / n - between, 1e-12 * square[k] + 1e-300);
    }
    return total;
}

/* Numbers below n from a counter (splitmix64, Steele, Lea and Flood 2014): the same on every machine. */
static int below(int n, unsigned long long *state)
{
    unsigned long long z = *state += 0x9e3779b97f4a7c15ull;
    z                    = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z                    = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return (int)((z ^ (z >> 31)) % (unsigned long long)n);
}

/* work: 3 n; order: as many as parts */
static double p_of_whole(const parts *p, double alpha, double *work, int *order)
{
    int     nparts = p->count[0] + p->count[1], least = 2000, as_far = 1;
    int     deals = (int)fmin(fmax(least, 20.0 / alpha), 1e5);
    double *sum = work + p->n, *square = sum + p->n;
    memset(sum, 0, 2 * (size_t)p->n * sizeof *sum);
    for (int i = 0; i < nparts; i++) {
        order[i] = i;
        for (int k = 0; k < p->n; k++) {
            double x = part_at(p, i)[k];
            sum[k] += x, square[k] += x * x;
        }
    }
    double             seen  = whole(p, order, sum, square, work);
    unsigned long long state = 1;
    for (int d = 0; d < deals; d++) {
        for (int i = nparts - 1; i > 0; i--) { /* Fisher and Yates */
            int j = below(i + 1, &state), o = order[i];
            order[i] = order[j], order[j] = o;
        }
        as_far += whole(p, order, sum, square, work) >= seen * (1.0 - 1e-12);
    }
    return as_far / (deals + 1.0);
}

/* ---- both ---- */

static void fill_lines(const kl_density *a, const kl_density *b, double from, double to,
                       kl_comparison *c, parts *p)
{
    const kl_density *d[2] = {a, b};
    for (int k = 1; k < a->n - 1; k++) { /* the mean and half the rate have other distributions */
        if (a->frequency[k] < from || a->frequency[k] > to) continue;
        c->line[c->n++] = (kl_spectral_line){
            .frequency = a->frequency[k], .first = a->value[k], .second = b->value[k]};
    }
    p->n = c->n;
    for (int r = 0, part = 0; r < 2; r++)
        for (int i = 0; i < d[r]->batches; i++, part++)
            for (int k = 1, line = 0; line < c->n; k++)
                if (a->frequency[k] == c->line[line].frequency) {
                    double x = d[r]->batch[(size_t)i * (size_t)d[r]->n + (size_t)k];
                    p->log[(size_t)part * p->stride + (size_t)line++] = log(fmax(x, 1e-300));
                }
}

kl_status kl_spectra_compare(const kl_density *a, const kl_density *b, double from, double to,
                             double alpha, kl_comparison *out)
{
    *out = (kl_comparison){0};
    if (a->n != b->n || a->n < 3 || a->batches < 2 || b->batches < 2 ||
        fabs(a->frequency[1] - b->frequency[1]) > 1e-9 * a->frequency[1])
        return KL_E_RANGE;
    size_t    n = (size_t)a->n, nparts = (size_t)(a->batches + b->batches);
    double    overlap[2] = {a->overlap, b->overlap};
    parts     p          = {.stride = n, .count = {a->batches, b->batches}};
    double   *work       = calloc(3 * n, sizeof *work);
    int      *order      = calloc(nparts, sizeof *order);
    kl_status status     = KL_E_MEMORY;
    p.log                = calloc(nparts * n, sizeof *p.log);
    out->line            = calloc(n, sizeof *out->line);
    if (out->line && p.log && work && order) {
        fill_lines(a, b, from, to, out, &p);
        status = out->n > 0 ? KL_OK : KL_E_RANGE;
    }
    if (status == KL_OK) {
        if (out->n >= KL_LEAST_LINES) take_level(&p, work);
        judge_lines(out, &p, overlap, 0.5 * alpha, work);
        out->p       = p_of_whole(&p, alpha, work, order);
        out->differs = out->different > 0 || out->level.different || out->p <= 0.5 * alpha;
    }
    free(p.log), free(work), free(order);
    if (status != KL_OK) kl_comparison_free(out);
    return status;
}

void kl_comparison_free(kl_comparison *c)
{
    free(c->line);
    *c = (kl_comparison){0};
}
