#include "railway/track_spectrum.h"

#include <math.h>
#include <stddef.h>

/* FRA constants are given in cm2 rad/m. */
#define CM2 1e-4

const kl_track_spectrum kl_track_spectra[] = {
    {"erri-low", false, 4.032e-7, 2.119e-7, 5.32e-8, 0.8246, 0.0206, 0.4380},
    {"erri-high", false, 1.08e-6, 6.125e-7, 1.032e-7, 0.8246, 0.0206, 0.4380},
    {"fra-1", true, 1.2107 * CM2, 3.3634 * CM2, 0.0, 0.8245, 0.0, 0.6046},
    {"fra-2", true, 1.0181 * CM2, 1.2107 * CM2, 0.0, 0.8245, 0.0, 0.9308},
    {"fra-3", true, 0.6816 * CM2, 0.4128 * CM2, 0.0, 0.8245, 0.0, 0.8520},
    {"fra-4", true, 0.5376 * CM2, 0.3027 * CM2, 0.0, 0.8245, 0.0, 1.1312},
    {"fra-5", true, 0.2095 * CM2, 0.0762 * CM2, 0.0, 0.8245, 0.0, 0.8209},
    {"fra-6", true, 0.0339 * CM2, 0.0339 * CM2, 0.0, 0.8245, 0.0, 0.4380},
    {0},
};

const char *kl_track_channel_name(int channel)
{
    static const char *const names[] = {"vertical", "lateral", "cross level", "gauge"};
    return names[channel];
}

static double erri(const kl_track_spectrum *s, int channel, double W)
{
    double w = W * W, c = s->Wc * s->Wc, both = c / ((w + s->Wr * s->Wr) * (w + c));
    double edge = w / (w + s->Ws * s->Ws);
    switch (channel) {
    case KL_TRACK_VERTICAL: return s->Av * both;
    case KL_TRACK_LATERAL: return s->Aa * both;
    /* (2b)^2/b^2 = 4: the height over twice the half distance b of the angle's formula */
    case KL_TRACK_CROSS_LEVEL: return 4.0 * s->Av * both * edge;
    default: return s->Ag * both * edge;
    }
}

static double fra(const kl_track_spectrum *s, int channel, double W)
{
    const double k = 0.25;
    double       w = W * W, c = s->Wc * s->Wc;
    switch (channel) {
    case KL_TRACK_VERTICAL: return k * s->Av * c / (w * (w + c));
    case KL_TRACK_LATERAL: return k * s->Aa * c / (w * (w + c));
    default: return 4.0 * k * s->Av * c / ((w + c) * (w + s->Ws * s->Ws));
    }
}

double kl_track_density(const kl_track_spectrum *s, int channel, double W)
{
    return (s->fra ? fra : erri)(s, channel, W);
}

double kl_spectrum_table_at(const kl_spectrum_table *t, int channel, double W)
{
    const double *S = t->S[channel];
    if (!S || t->n < 2 || W < t->W[0] || W > t->W[t->n - 1]) return 0.0;
    int low = 0, high = t->n - 1;
    while (high - low > 1) {
        int mid = (low + high) / 2;
        if (t->W[mid] <= W) low = mid;
        else high = mid;
    }
    if (!(S[low] > 0.0 && S[high] > 0.0)) return 0.0;
    double x = log(W / t->W[low]) / log(t->W[high] / t->W[low]);
    return exp((1.0 - x) * log(S[low]) + x * log(S[high]));
}
