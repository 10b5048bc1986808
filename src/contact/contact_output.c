/* What can be recorded of a contact, and what it shows during a run. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "contact/contact_data.h"

typedef struct totals {
    kl_vec3 T, point, n;
    double  gap, normal, slip, state, indentation;
    int     contacts, part[2];
} totals;

static totals total_of(const kl_reading *in)
{
    const kl_contact_data  *p = in->data;
    const kl_contact_found *f = in->cache;
    totals                  t = {.gap = (double)INFINITY};
    for (int i = 0; i < f->spots.n; i++)
        if (f->spots.item[i].gap < t.gap)
            t.gap = f->spots.item[i].gap, t.point = f->spots.item[i].p1;
    for (int k = 0; k < p->slots; k++) {
        kl_contact_state x;
        bool             there = kl_contact_state_of(in, k, &x);
        t.indentation =
            fmax(t.indentation, kl_contact_indented(in, k, there ? x.depth : 0.0).stays);
        if (!there) continue;
        if (-x.depth <= t.gap) t.slip = kl_norm(x.u), t.point = x.c, t.n = x.n;
        if (!x.closed) continue;
        t.normal += x.normal.f;
        t.T     = kl_add(t.T, x.friction.f);
        t.state = fmax(t.state, x.friction.slips ? 2.0 : 1.0);
        t.contacts++;
        if (-x.depth <= t.gap) memcpy(t.part, kl_contact_spot(&f->spots, k)->part, sizeof t.part);
    }
    return t;
}

/* Arcs that touch now as a sum of powers of two: arcs 7 and 8 are 64 + 128. */
static double set_of_arcs(const kl_reading *in, int side)
{
    const kl_contact_data  *p   = in->data;
    const kl_contact_found *f   = in->cache;
    long                    set = 0;
    for (int k = 0; k < p->slots; k++) {
        const kl_spot *s = kl_contact_spot(&f->spots, k);
        if (s && s->gap < 0.0) set |= 1L << s->part[side];
    }
    return (double)set;
}

void kl_contact_output(const kl_reading *in, const double *lambda, double *v)
{
    totals t = total_of(in);
    (void)lambda;
    v[0] = t.gap;
    v[1] = fmax(0.0, -t.gap);
    v[2] = t.normal;
    v[3] = kl_norm(t.T);
    v[4] = t.slip;
    v[5] = t.state;
    v[6] = in->h[KL_CONTACT_LOST];
    v[7] = in->h[KL_CONTACT_IMPACTS];
    v[8] = in->h[KL_CONTACT_SPEED];
    kl_store(v + 9, t.point);
    kl_store(v + 12, t.n);
    kl_store(v + 15, t.T);
    v[18] = t.contacts;
    v[19] = t.indentation;
    v[20] = in->h[KL_CONTACT_PEAK];
    v[21] = in->h[KL_CONTACT_RUBBED];
}

void kl_contact_arcs(const kl_reading *in, double *v)
{
    totals t = total_of(in);
    v[0]     = t.contacts ? t.part[0] + 1 : 0;
    v[1]     = t.contacts ? t.part[1] + 1 : 0;
    v[2]     = set_of_arcs(in, 0);
    v[3]     = set_of_arcs(in, 1);
}

/* The usual factors of the laws with hysteresis hold for restitutions near 1: say so where the law
 * rebounds otherwise than asked. */
static void add_rebound(const kl_contact_data *p, kl_notice *notice)
{
    double asked = p->laws.normal.restitution;
    size_t used  = strlen(notice->text);
    if (fabs(p->rebound - asked) <= 0.05 * asked) return;
    snprintf(notice->text + used, sizeof notice->text - used,
             "; restitution %.2g is asked for, law %s rebounds with %.2g in a free impact: write "
             "`exact: true` for %.2g",
             asked, kl_normal_laws[p->laws.normal.kind].name, p->rebound, asked);
}

void kl_contact_watch(const kl_reading *in, kl_notice *notice)
{
    const kl_contact_data *p    = in->data;
    bool                   fast = in->h[KL_CONTACT_SPEED] > p->speed_limit;
    /* first touch, first separation, a warning of the speed: reported when the count grows. Once the speed
     * is reported, the separation is no news */
    bool parted     = in->h[KL_CONTACT_IMPACTS] > 0.0 && in->h[KL_CONTACT_PARTED] > 0.0;
    notice->count   = in->h[KL_CONTACT_IMPACTS] == 0.0 ? 0 : fast ? 3 : 1 + parted;
    notice->is_note = !fast;
    if (fast)
        snprintf(notice->text, sizeof notice->text,
                 "has an impact speed of %.3g m/s, above %.3g m/s = 1e-5 sqrt(E/rho), the limit of "
                 "the theory of Hertz: real parts yield and rebound less",
                 in->h[KL_CONTACT_SPEED], p->speed_limit);
    else if (parted)
        snprintf(notice->text, sizeof notice->text,
                 "opens for the first time; it closed at %.4g m/s and has dissipated %.4g J",
                 in->h[KL_CONTACT_SPEED], in->h[KL_CONTACT_LOST]);
    else
        snprintf(notice->text, sizeof notice->text,
                 "has its first contact, at an approach speed of %.4g m/s",
                 in->h[KL_CONTACT_SPEED]);
    if (fast || !parted) add_rebound(p, notice);
}
