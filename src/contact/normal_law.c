#include "contact/normal_law.h"

#include <math.h>

#include "base/vec.h"

static double hunt_crossley(double e) { return 1.5 * (1.0 - e); }
static double lankarani_nikravesh(double e) { return 0.75 * (1.0 - e * e); }
static double flores(double e) { return e > 0.0 ? 1.6 * (1.0 - e) / e : (double)INFINITY; }

const kl_normal_row kl_normal_laws[KL_NORMAL_KINDS] = {
    [KL_NORMAL_LINEAR]              = {.name     = "linear",
                                       .equation = "f = k d^n + c d'",
                                       .source   = "spring and dashpot",
                                       .exponent = 1.0,
                                       .viscous  = true},
    [KL_NORMAL_HERTZ]               = {.name     = "hertz",
                                       .equation = "f = k d^n",
                                       .source   = "Hertz 1882, point contact",
                                       .exponent = 1.5},
    [KL_NORMAL_HERTZ_LINE]          = {.name     = "hertz-line",
                                       .equation = "d = (f s/L)(ln(4 L R/(f s)) + 1)",
                                       .source   = "Johnson 1985, line contact, as in Flores et al. 2008"},
    [KL_NORMAL_KELVIN_VOIGT]        = {.name     = "kelvin-voigt",
                                       .equation = "f = k d^n (e + (1 - e)(3 r^2 - 2 r^3))",
                                       .source   = "Ambrosio 2019, eq. 1.25",
                                       .exponent = 1.0,
                                       .rebounds = true},
    [KL_NORMAL_HUNT_CROSSLEY]       = {.name       = "hunt-crossley",
                                       .equation   = "f = k d^n (1 + 3/2 (1 - e) d'/v)",
                                       .source     = "Hunt and Crossley 1975",
                                       .exponent   = 1.5,
                                       .hysteresis = true,
                                       .rebounds   = true,
                                       .factor     = hunt_crossley},
    [KL_NORMAL_LANKARANI_NIKRAVESH] = {.name       = "lankarani-nikravesh",
                                       .equation   = "f = k d^n (1 + 3/4 (1 - e^2) d'/v)",
                                       .source     = "Lankarani and Nikravesh 1990, eq. 1.26",
                                       .exponent   = 1.5,
                                       .hysteresis = true,
                                       .rebounds   = true,
                                       .factor     = lankarani_nikravesh},
    [KL_NORMAL_FLORES]              = {.name       = "flores",
                                       .equation   = "f = k d^n (1 + 8 (1 - e)/(5 e) d'/v)",
                                       .source     = "Flores et al. 2011",
                                       .exponent   = 1.5,
                                       .hysteresis = true,
                                       .rebounds   = true,
                                       .factor     = flores},
    [KL_NORMAL_TABLE]               = {.name     = "table",
                                       .equation = "f = F(d) + c d'",
                                       .source   = "measured",
                                       .viscous  = true},
    [KL_NORMAL_INDENTATION]         = {.name     = "indentation",
                                       .equation = "f = k d; unloading from D: k/e^2",
                                       .source   = "Walton and Braun 1986",
                                       .exponent = 1.0,
                                       .rebounds = true},
};

const char *const kl_normal_words =
    "linear hertz hertz-line kelvin-voigt hunt-crossley lankarani-nikravesh flores table "
    "indentation";

void kl_normal_law_init(kl_normal_law *law)
{
    const kl_normal_row *row = &kl_normal_laws[law->kind];
    if (!(law->n > 0.0)) law->n = row->exponent;
    if (!(law->v0 > 0.0)) law->v0 = 0.1;
    if (!(law->speed_floor > 0.0)) law->speed_floor = 1e-3;
    if (!(law->rate_limit > 0.0)) law->rate_limit = 1.0;
    law->beta = !row->factor ? 0.0
                : law->exact ? kl_hysteresis_factor(law->restitution)
                             : row->factor(law->restitution);
}

/* ---- elastic parts ---- */

typedef struct elastic {
    double f, slope, energy;
} elastic;

static elastic power(double k, double n, double d)
{
    double slope = n == 1.0 ? k : n == 1.5 ? 1.5 * k * sqrt(d) : n * k * pow(d, n - 1.0);
    double f     = slope * d / n;
    return (elastic){f, slope, f * d / (n + 1.0)};
}

/* With x = f s/L: d(x) = x (ln(4 R/x) + 1). Its slope ln(4 R/x) vanishes at x = 4 R, far beyond
 * small strain; from ln = 2 on the force continues linearly with the slope at that point. */
static elastic line(const kl_normal_law *law, double d)
{
    double a = 4.0 * law->radius, x_end = a * exp(-2.0), d_end = 3.0 * x_end;
    double unit = law->length / law->compliance; /* f = unit x */
    double d_in = fmin(d, d_end);
    double x    = d_in > 0.0 ? d_in / (log(a / d_in) + 1.0) : 0.0;
    /* d(x) is concave: after one step Newton comes from below and stays there */
    for (int i = 0; i < 50 && x > 0.0; i++) {
        double step = (x * (log(a / x) + 1.0) - d_in) / log(a / x);
        x -= step;
        if (fabs(step) <= 1e-15 * x) break;
    }
    double l = x > 0.0 ? log(a / x) : (double)INFINITY;
    /* integral of f dd = unit x^2 (ln(4 R/x)/2 + 1/4) */
    elastic e = {unit * x, x > 0.0 ? unit / l : 0.0,
                 x > 0.0 ? unit * x * x * (0.5 * l + 0.25) : 0.0};
    if (d > d_end) {
        double more = d - d_end;
        e.energy += more * (e.f + 0.5 * e.slope * more);
        e.f += e.slope * more;
    }
    return e;
}

static elastic tabulated(const kl_characteristic *table, double d)
{
    double y[3];
    kl_function_eval(table->f, d, NULL, y);
    return (elastic){y[0], y[1], kl_characteristic_work(table, d, NULL)};
}

static elastic elastic_of(const kl_normal_law *law, double d)
{
    if (law->kind == KL_NORMAL_HERTZ_LINE) return line(law, d);
    if (law->kind == KL_NORMAL_TABLE) return tabulated(&law->table, d);
    return power(law->k, law->n, d);
}

/* ---- the law ---- */

/* Share of the elastic force that acts, and its derivative by the rate. */
static double share(const kl_normal_law *law, double rate, double impact, double *by_rate)
{
    *by_rate = 0.0;
    if (law->kind == KL_NORMAL_KELVIN_VOIGT) {
        double e = law->restitution, r = fmin(fmax(rate / law->v0, 0.0), 1.0);
        *by_rate = (1.0 - e) * 6.0 * r * (1.0 - r) / law->v0;
        return e + (1.0 - e) * r * r * (3.0 - 2.0 * r);
    }
    if (law->beta == 0.0) return 1.0;
    double v = fmax(impact, law->speed_floor);
    if (rate >= law->rate_limit * v) return 1.0 + law->beta * law->rate_limit;
    /* where the impact begins its speed is the rate itself, and the share does not change with it */
    *by_rate = v == rate ? 0.0 : law->beta / v;
    return 1.0 + law->beta * rate / v;
}

kl_normal_force kl_normal_eval(const kl_normal_law *law, double depth, double rate, double impact)
{
    if (!(depth > 0.0)) return (kl_normal_force){0};
    elastic e = elastic_of(law, depth);
    double  share_by_rate, s = share(law, rate, impact, &share_by_rate);
    /* what comes back when the body leaves: of kelvin-voigt the share e */
    double          kept = law->kind == KL_NORMAL_KELVIN_VOIGT ? law->restitution : 1.0;
    kl_normal_force out  = {.f        = e.f * s + law->c * rate,
                            .by_depth = e.slope * s,
                            .by_rate  = e.f * share_by_rate + law->c,
                            .energy   = kept * e.energy,
                            .spring   = e.f * s};
    if (out.f <= 0.0) out.f = out.by_depth = out.by_rate = 0.0;
    out.loss = (out.f - kept * e.f) * rate;
    return out;
}

kl_indented kl_normal_indent(const kl_normal_law *law, double depth, double deepest)
{
    double      e2 = law->restitution * law->restitution, D = fmax(depth, deepest);
    kl_indented x = {.stays = D * (1.0 - e2), .spent = 0.5 * law->k * D * D * (1.0 - e2)};
    if (!(depth > x.stays)) return x;
    double back    = law->k / e2;
    x.force        = depth >= deepest ? (kl_normal_force){.f = law->k * depth, .by_depth = law->k}
                                      : (kl_normal_force){.f = back * (depth - x.stays), .by_depth = back};
    x.force.energy = 0.5 * x.force.f * x.force.f / back;
    return x;
}

/* ---- restitution ---- */

/* w - ln(1 + beta w)/beta over beta: integral of w dw/(1 + beta w); a series where beta w is small */
static double work_of(double beta, double w)
{
    double x = beta * w;
    if (fabs(x) < 1e-4) return w * w * (0.5 - x / 3.0 + x * x / 4.0);
    return (x - log1p(x)) / (beta * beta);
}

/* w dw/(1 + beta w) = -k d^n dd/(m v^2) with w = d'/v: the way in and the way out have the same
 * length, work(1) = work(-e). The force does not pull, so e < 1/beta. */
double kl_hysteresis_delivered(double beta)
{
    if (!(beta > 0.0)) return 1.0;
    if (isinf(beta)) return 0.0;
    double low = 0.0, high = fmin(1.0, 1.0 / beta), want = work_of(beta, 1.0);
    for (int i = 0; i < 200 && high - low > 1e-16 * high; i++) {
        double e = 0.5 * (low + high);
        if (beta * e < 1.0 && work_of(beta, -e) < want) low = e;
        else high = e;
    }
    return 0.5 * (low + high);
}

double kl_hysteresis_factor(double e)
{
    if (e >= 1.0) return 0.0;
    if (!(e > 0.0)) return (double)INFINITY;
    double low = 0.0, high = 1.0 / e;
    for (int i = 0; i < 200 && high - low > 1e-16 * high; i++) {
        double beta = 0.5 * (low + high);
        if (kl_hysteresis_delivered(beta) > e) low = beta;
        else high = beta;
    }
    return 0.5 * (low + high);
}

typedef struct impact {
    const kl_normal_law *law;
    double               mass, speed;
} impact;

static void rates(const impact *p, const double y[2], double dy[2])
{
    dy[0] = y[1];
    dy[1] = -kl_normal_eval(p->law, fmax(y[0], 1e-300), y[1], p->speed).f / p->mass;
}

static void runge_kutta(const impact *p, double h, double y[2])
{
    double a[2], b[2], c[2], d[2], s[2];
    rates(p, y, a);
    for (int i = 0; i < 2; i++) s[i] = y[i] + 0.5 * h * a[i];
    rates(p, s, b);
    for (int i = 0; i < 2; i++) s[i] = y[i] + 0.5 * h * b[i];
    rates(p, s, c);
    for (int i = 0; i < 2; i++) s[i] = y[i] + h * c[i];
    rates(p, s, d);
    for (int i = 0; i < 2; i++) y[i] += h / 6.0 * (a[i] + 2.0 * b[i] + 2.0 * c[i] + d[i]);
}

/* Depth at which the elastic part has stored the approach energy: sets the time step. */
static double full_depth(const kl_normal_law *law, double energy)
{
    double d = 1e-12;
    while (d < 1e3 && elastic_of(law, d).energy < energy) d *= 1.1;
    return d;
}

double kl_normal_delivered(const kl_normal_law *law, double mass, double speed)
{
    if (law->kind == KL_NORMAL_INDENTATION) return law->restitution;
    if (kl_normal_laws[law->kind].hysteresis && speed >= law->speed_floor)
        return kl_hysteresis_delivered(law->beta);
    impact p    = {law, mass, speed};
    double y[2] = {0.0, speed}, h = full_depth(law, 0.5 * mass * speed * speed) / speed / 2000.0;
    double least = 1e-6 * h;
    for (long i = 0; i < 1000000 && h > least; i++) {
        double before[2] = {y[0], y[1]};
        runge_kutta(&p, h, y);
        /* the force has vanished: the bodies separate with their present speed */
        if (y[1] < 0.0 && y[0] > 0.0 && kl_normal_eval(law, y[0], y[1], speed).f == 0.0) break;
        if (y[0] > 0.0) continue;
        y[0] = before[0], y[1] = before[1]; /* come closer to separation */
        h *= 0.5;
    }
    return fmax(0.0, -y[1] / speed);
}

/* ---- Hertz ---- */

double kl_hertz_compliance(double young, double poisson)
{
    return (1.0 - poisson * poisson) / (KL_PI * young);
}

/* Complete elliptic integrals K and (K - E)/m of parameter m, by the arithmetic-geometric mean. */
static void elliptic(double m, double *K, double *D)
{
    double a = 1.0, b = sqrt(1.0 - m), sum = 0.5 * m, two = 1.0;
    for (int i = 0; i < 40 && fabs(a - b) > 1e-16 * a; i++) {
        double mean = 0.5 * (a + b), half = 0.5 * (a - b);
        b = sqrt(a * b);
        a = mean;
        sum += two * half * half;
        two *= 2.0;
    }
    *K = KL_PI / (2.0 * a);
    *D = m > 0.0 ? *K * sum / m : KL_PI / 4.0; /* K - E = K sum */
}

/* B/A of a contact ellipse with parameter m = 1 - (b/a)^2. */
static double curvature_ratio(double m)
{
    double K, D;
    elliptic(m, &K, &D);
    double E = K - m * D;
    return (E / (1.0 - m) - K) / (m * D);
}

double kl_hertz_stiffness(double A, double B, double compliance)
{
    double e_star = 1.0 / (KL_PI * compliance), low = 0.0, high = 1.0, K, D;
    if (A > B) {
        double swap = A;
        A = B, B = swap;
    }
    if (B / A > 1.0 + 1e-9) {
        for (int i = 0; i < 100 && high - low > 1e-15; i++) {
            double m = 0.5 * (low + high);
            if (curvature_ratio(m) < B / A) low = m;
            else high = m;
        }
    } else {
        high = 0.0;
        A = B = 0.5 * (A + B);
    }
    elliptic(0.5 * (low + high), &K, &D);
    return 2.0 * KL_PI / 3.0 * e_star * sqrt(D / A) / (K * sqrt(K));
}

double kl_hertz_speed_limit(double young, double density) { return 1e-5 * sqrt(young / density); }
