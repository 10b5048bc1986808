#include <math.h>
#include <string.h>

#include "cosim/subsystem.h"

/* block: state 1 | state 2 | inputs 1 | inputs 2 | kept copy of states | inputs ahead | outputs */

static int state1(const kl_pair *p) { return p->first.type->state_size(p->first.data); }
static int state2(const kl_pair *p) { return p->second.type->state_size(p->second.data); }

int kl_pair_size(const kl_pair *p)
{
    int inputs = p->first.ninput + p->second.ninput;
    return 2 * (state1(p) + state2(p)) + 3 * inputs;
}

double *kl_pair_first(const kl_pair *p, double *block)
{
    (void)p;
    return block;
}

double *kl_pair_second(const kl_pair *p, double *block) { return block + state1(p); }

double *kl_pair_first_input(const kl_pair *p, double *block)
{
    return block + state1(p) + state2(p);
}

double *kl_pair_second_input(const kl_pair *p, double *block)
{
    return kl_pair_first_input(p, block) + p->first.ninput;
}

double *kl_pair_assumed(const kl_pair *p, double *block)
{
    return kl_pair_second_input(p, block) + p->second.ninput + state1(p) + state2(p);
}

static void copy(double *to, const double *from, int n)
{
    memcpy(to, from, (size_t)n * sizeof *to);
}

void kl_pair_begin(const kl_pair *p, double *block, const double *first_state,
                   const double *second_state, const double *first_input,
                   const double *second_input)
{
    memset(block, 0, (size_t)kl_pair_size(p) * sizeof *block);
    copy(block, first_state, state1(p));
    copy(kl_pair_second(p, block), second_state, state2(p));
    copy(kl_pair_first_input(p, block), first_input, p->first.ninput);
    copy(kl_pair_second_input(p, block), second_input, p->second.ninput);
}

static double difference(const double *a, const double *b, int n)
{
    double most = 0.0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(a[i] - b[i]));
    return most;
}

kl_status kl_pair_step(const kl_pair *p, double t, double *block, kl_exchange *report)
{
    int     n1 = p->first.ninput, n2 = p->second.ninput, all = state1(p) + state2(p);
    double *in1 = kl_pair_first_input(p, block), *in2 = in1 + n1, *kept = in2 + n2;
    double *ahead1 = kept + all, *ahead2 = ahead1 + n1, *found = ahead2 + n2;
    copy(kept, block, all);
    if (p->predict) p->predict(in1, n1, p->step, ahead1);
    else copy(ahead1, in1, n1);
    for (report->iterations = 1;; report->iterations++) {
        KL_TRY(p->first.type->advance(p->first.data, block, t, p->step, in1, ahead1, ahead2));
        KL_TRY(p->second.type->advance(p->second.data, kl_pair_second(p, block), t, p->step, in2,
                                       ahead2, found));
        report->mismatch = difference(found, ahead1, n1);
        if (report->mismatch <= p->tolerance || report->iterations >= p->iterations) break;
        copy(ahead1, found, n1);
        copy(block, kept, all); /* rollback, bit for bit */
    }
    copy(in1, found, n1);
    copy(in2, ahead2, n2);
    return KL_OK;
}
