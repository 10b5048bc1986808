#include "post/fatigue.h"

#include <math.h>
#include <stddef.h>

const char *const kl_mean_words[] = {"none", "goodman", "gerber", "swt", NULL};

/* ---- cycles ---- */

/* Peaks and valleys only, into `turn`. */
static int reversals(const double *x, int n, double *turn)
{
    int k = 0;
    for (int i = 0; i < n; i++) {
        if (!isfinite(x[i]) || (k > 0 && x[i] == turn[k - 1])) continue;
        /* still on the way up or down: the last one was no reversal */
        if (k > 1 && (x[i] > turn[k - 1]) == (turn[k - 1] > turn[k - 2])) k--;
        turn[k++] = x[i];
    }
    return k;
}

static kl_cycle cycle_of(double from, double to, double count)
{
    return (kl_cycle){.range = fabs(to - from), .mean = 0.5 * (from + to), .count = count};
}

int kl_rainflow(const double *x, int n, double *scratch, kl_cycle *cycles)
{
    int found = 0, turns = reversals(x, n, scratch), k = 0;
    /* the stack takes the place of what was read: it is never longer */
    double *stack = scratch;
    for (int i = 0; i < turns; i++) {
        stack[k++] = scratch[i];
        while (k >= 3) {
            double last   = fabs(stack[k - 1] - stack[k - 2]),
                   before = fabs(stack[k - 2] - stack[k - 3]);
            if (last < before) break;
            if (k == 3) { /* the range holds the start: half a cycle, and the start moves on */
                cycles[found++] = cycle_of(stack[0], stack[1], 0.5);
                stack[0]        = stack[1];
                stack[1]        = stack[2];
                k               = 2;
            } else {
                cycles[found++] = cycle_of(stack[k - 3], stack[k - 2], 1.0);
                stack[k - 3]    = stack[k - 1];
                k -= 2;
            }
        }
    }
    for (int i = 0; i + 1 < k; i++) cycles[found++] = cycle_of(stack[i], stack[i + 1], 0.5);
    return found;
}

/* ---- curves ---- */

const char *kl_sn_fault(const kl_sn_curve *c)
{
    bool asks_ultimate = c->mean == KL_MEAN_GOODMAN || c->mean == KL_MEAN_GERBER;
    if (!(c->range > 0.0) || !isfinite(c->range)) return "the range must be positive";
    if (!(c->cycles > 0.0) || !isfinite(c->cycles)) return "the cycles must be positive";
    if (!(c->slope >= 1.0) || !isfinite(c->slope)) return "the slope must be 1 or more";
    if (c->knee != 0.0 && !(c->knee > 0.0)) return "the knee must be a positive number of cycles";
    if (c->knee != 0.0 && c->knee < c->cycles)
        return "the knee must not be at fewer cycles than the reference cycles (2e6 unless given)";
    if (c->slope_after != 0.0 && !(c->slope_after >= c->slope))
        return "the slope after the knee must not be less than before it";
    if (c->slope_after != 0.0 && c->knee == 0.0) return "a slope after the knee needs a knee";
    if (asks_ultimate && !(c->ultimate > 0.0))
        return "this mean stress correction needs the ultimate strength (--ultimate)";
    return NULL;
}

static double goodman(const kl_sn_curve *c, double range, double mean)
{
    double left = 1.0 - fmax(mean, 0.0) / c->ultimate;
    return left > 0.0 ? range / left : HUGE_VAL;
}

static double gerber(const kl_sn_curve *c, double range, double mean)
{
    double share = fmax(mean, 0.0) / c->ultimate, left = 1.0 - share * share;
    return left > 0.0 ? range / left : HUGE_VAL;
}

static double swt(const kl_sn_curve *c, double range, double mean)
{
    (void)c;
    double largest = mean + 0.5 * range;
    return largest > 0.0 ? 2.0 * sqrt(largest * 0.5 * range) : 0.0;
}

double kl_sn_equivalent(const kl_sn_curve *c, double range, double mean)
{
    static double (*const rule[])(const kl_sn_curve *, double, double) = {
        [KL_MEAN_GOODMAN] = goodman, [KL_MEAN_GERBER] = gerber, [KL_MEAN_SWT] = swt};
    return c->mean == KL_MEAN_NONE ? range : rule[c->mean](c, range, mean);
}

double kl_sn_life(const kl_sn_curve *c, double range)
{
    if (range <= 0.0) return HUGE_VAL;
    double life = c->cycles * pow(c->range / range, c->slope);
    if (c->knee == 0.0 || life <= c->knee) return life;
    if (c->slope_after == 0.0) return HUGE_VAL;
    double at_knee = c->range * pow(c->cycles / c->knee, 1.0 / c->slope);
    return c->knee * pow(at_knee / range, c->slope_after);
}

double kl_sn_damage(const kl_sn_curve *c, const kl_cycle *cycles, int n)
{
    double damage = 0.0;
    for (int i = 0; i < n; i++) {
        double life = kl_sn_life(c, kl_sn_equivalent(c, cycles[i].range, cycles[i].mean));
        if (life <= 0.0) return HUGE_VAL;
        damage += cycles[i].count / life;
    }
    return damage;
}
