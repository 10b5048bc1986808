#include "base/units.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PI 3.14159265358979323846

enum { HIGHEST_POWER = 63, LONGEST_SYMBOL = 16 }; /* 63: what kl_dim can hold */

/* A unit symbol: its factor to SI, whole powers of the base dimensions, and the prefixes that make
 * sense with it ("Mm" would only ever be a slip for "mm"). */
typedef struct unit {
    const char *symbol;
    double      factor;
    signed char e[KL_NDIM]; /* length mass time angle current temperature */
    const char *prefixes;   /* u for micro */
} unit;

// clang-format off
static const unit units[] = {
    /* symbol     factor                L  M  T  A  I  K    prefixes */
    {"m",         1,                  { 1, 0, 0, 0, 0, 0}, "numcdk"},
    {"g",         1e-3,               { 0, 1, 0, 0, 0, 0}, "umk"},
    {"t",         1e3,                { 0, 1, 0, 0, 0, 0}, ""},
    {"s",         1,                  { 0, 0, 1, 0, 0, 0}, "num"},
    {"min",       60,                 { 0, 0, 1, 0, 0, 0}, ""},
    {"h",         3600,               { 0, 0, 1, 0, 0, 0}, ""},
    {"rad",       1,                  { 0, 0, 0, 1, 0, 0}, "um"},
    {"deg",       PI / 180,           { 0, 0, 0, 1, 0, 0}, ""},
    {"\xc2\xb0",  PI / 180,           { 0, 0, 0, 1, 0, 0}, ""},        /* degree sign */
    {"rev",       2 * PI,             { 0, 0, 0, 1, 0, 0}, ""},
    {"turn",      2 * PI,             { 0, 0, 0, 1, 0, 0}, ""},
    {"rpm",       2 * PI / 60,        { 0, 0,-1, 1, 0, 0}, ""},
    {"Hz",        1,                  { 0, 0,-1, 0, 0, 0}, "mkM"},
    {"N",         1,                  { 1, 1,-2, 0, 0, 0}, "umkMG"},
    {"Pa",        1,                  {-1, 1,-2, 0, 0, 0}, "mhkMG"},
    {"bar",       1e5,                {-1, 1,-2, 0, 0, 0}, "mk"},
    {"J",         1,                  { 2, 1,-2, 0, 0, 0}, "umkMG"},
    {"W",         1,                  { 2, 1,-3, 0, 0, 0}, "umkMG"},
    {"Wh",        3600,               { 2, 1,-2, 0, 0, 0}, "kMG"},
    {"l",         1e-3,               { 3, 0, 0, 0, 0, 0}, "m"},
    {"A",         1,                  { 0, 0, 0, 0, 1, 0}, "umk"},
    {"V",         1,                  { 2, 1,-3, 0,-1, 0}, "umkM"},
    {"ohm",       1,                  { 2, 1,-3, 0,-2, 0}, "mkM"},
    {"\xce\xa9",  1,                  { 2, 1,-3, 0,-2, 0}, "mkM"},     /* capital omega */
    {"C",         1,                  { 0, 0, 1, 0, 1, 0}, "num"},
    {"F",         1,                  {-2,-1, 4, 0, 2, 0}, "pnum"},
    {"H",         1,                  { 2, 1,-2, 0,-2, 0}, "um"},
    {"T",         1,                  { 0, 1,-2, 0,-1, 0}, "um"},
    {"Wb",        1,                  { 2, 1,-2, 0,-1, 0}, "m"},
    {"K",         1,                  { 0, 0, 0, 0, 0, 1}, "m"},
    {"in",        0.0254,             { 1, 0, 0, 0, 0, 0}, ""},        /* exact, 1959 agreement */
    {"ft",        0.3048,             { 1, 0, 0, 0, 0, 0}, ""},
    {"mi",        1609.344,           { 1, 0, 0, 0, 0, 0}, ""},
    {"mph",       0.44704,            { 1, 0,-1, 0, 0, 0}, ""},
    {"lb",        0.45359237,         { 0, 1, 0, 0, 0, 0}, ""},
    {"lbf",       4.4482216152605,    { 1, 1,-2, 0, 0, 0}, ""},
    {"psi",       6894.757293168361,  {-1, 1,-2, 0, 0, 0}, ""},
    {"%",         0.01,               { 0, 0, 0, 0, 0, 0}, ""},
    {"\xe2\x80\xb0", 0.001,           { 0, 0, 0, 0, 0, 0}, ""},        /* per mille sign */
    {"permille",  0.001,              { 0, 0, 0, 0, 0, 0}, ""},
};
static const struct { const char *text; char letter; double factor; } prefixes[] = {
    {"p", 'p', 1e-12}, {"n", 'n', 1e-9}, {"u", 'u', 1e-6}, {"\xc2\xb5", 'u', 1e-6},
    {"\xce\xbc", 'u', 1e-6}, {"m", 'm', 1e-3}, {"c", 'c', 1e-2}, {"d", 'd', 1e-1},
    {"h", 'h', 1e2}, {"k", 'k', 1e3}, {"M", 'M', 1e6}, {"G", 'G', 1e9},
};

/* The usual unit and word of a dimension; the first that matches is the one to show. */
static const struct { const char *unit, *word; } usual[] = {
    {"", "a number"},
    {"m", "a length"}, {"m2", "an area"}, {"m3", "a volume"}, {"1/m", "a curvature"},
    {"kg", "a mass"}, {"kg m", "a first moment of mass"}, {"kg m2", "a moment of inertia"},
    {"kg/m", "a mass per length"}, {"kg/m2", "a mass per area"}, {"kg/m3", "a density"},
    {"s", "a time"}, {"1/s", "a frequency"},
    {"m/s", "a velocity"}, {"m/s2", "an acceleration"}, {"m/s3", "a jerk"},
    {"rad", "an angle"}, {"rad/s", "an angular velocity"},
    {"rad/s2", "an angular acceleration"}, {"rad/m", "a twist"}, {"1/rad", NULL},
    {"N", "a force"}, {"N m", "a torque or energy"}, {"W", "a power"}, {"Pa", "a pressure"},
    {"N/m", "a stiffness"}, {"N s/m", "a damping"},
    {"N m/rad", "a rotational stiffness"}, {"N m s/rad", "a rotational damping"},
    {"N/rad", "a force per angle"}, {"N/m^1.5", "a Hertz stiffness"},
    {"N/m3", "a stiffness per area"}, {"N s/m2", "a viscosity"}, {"N s/m3", NULL},
    {"N s2/m2", "a quadratic damping"}, {"N/m^2.5", NULL},
    {"N s", "an impulse"}, {"N m s", "an angular momentum"}, {"N m2", "a bending stiffness"},
    {"N m2/rad", "a torsional rigidity"}, {"m2/s", "a diffusivity"},
    {"N s2/m", NULL},
    {"A", "a current"}, {"V", "a voltage"}, {"ohm", "a resistance"}, {"C", "a charge"},
    {"F", "a capacitance"}, {"H", "an inductance"}, {"T", "a magnetic field"},
    {"Wb", "a magnetic flux"}, {"N m/A", NULL}, {"N/A", NULL}, {"V s/rad", NULL},
    {"K", "a temperature"}, {"1/K", "a thermal expansion"},
};

static const char *const names[] = {
    "m", "mm", "cm", "dm", "km", "um", "nm", "in", "ft", "mi", "kg", "g", "mg", "t", "lb", "s",
    "ms", "us", "min", "h", "rad", "mrad", "deg", "rev", "turn", "rpm", "Hz", "kHz", "MHz", "N",
    "mN", "kN", "MN", "GN", "lbf", "Pa", "hPa", "kPa", "MPa", "GPa", "bar", "mbar", "psi", "J",
    "mJ", "kJ", "MJ", "W", "mW", "kW", "MW", "Wh", "kWh", "l", "ml", "A", "mA", "kA", "V", "mV",
    "kV", "ohm", "C", "F", "H", "T", "Wb", "K", "mph", "%", "permille", "km/h", "m/s", "m/s2",
    "N/m", "kN/m", "MN/m", "N/mm", "N m", "N s/m", "kg m2", "rad/s", "deg/s", NULL,
};
// clang-format on

const char *const *kl_unit_names(void) { return names; }

/* ---- dimensions ---- */

bool kl_dim_equal(kl_dim a, kl_dim b) { return memcmp(a.e, b.e, sizeof a.e) == 0; }

bool kl_dim_pure(kl_dim a) { return kl_dim_equal(a, (kl_dim){{0}}); }

static bool equal_but_for_angle(kl_dim a, kl_dim b)
{
    a.e[KL_DIM_ANGLE] = b.e[KL_DIM_ANGLE] = 0;
    return kl_dim_equal(a, b);
}

/* A pure number or a power of time: there a forgotten rad means a factor of 2 pi, not a habit. */
static bool counts(kl_dim d)
{
    d.e[KL_DIM_TIME] = 0;
    return kl_dim_pure(d);
}

bool kl_dim_fits(kl_dim have, kl_dim want)
{
    if (kl_dim_equal(have, want)) return true;
    return equal_but_for_angle(have, want) && want.e[KL_DIM_ANGLE] >= 0 &&
           have.e[KL_DIM_ANGLE] > want.e[KL_DIM_ANGLE] && !counts(want);
}

bool kl_quantity_fits(kl_quantity q, kl_dim want) { return q.bare || kl_dim_fits(q.dim, want); }

const char *kl_dim_hint(kl_dim have, kl_dim want)
{
    if (kl_dim_fits(have, want) || !equal_but_for_angle(have, want)) return NULL;
    int  lack      = want.e[KL_DIM_ANGLE] - have.e[KL_DIM_ANGLE];
    bool frequency = !kl_dim_pure(have) && counts(have);
    if (lack == 2 && frequency) return "multiply by `1 rev` if it counts revolutions, otherwise by `1 rad`";
    if (lack == 2) return "multiply by `1 rad`";
    if (lack == -2 && counts(want) && !kl_dim_pure(want))
        return "divide by `1 rev` to count revolutions, otherwise by `1 rad`";
    if (lack == -2) return "divide by `1 rad`";
    return lack > 0 ? "the unit lacks rad" : "the unit must not contain rad";
}

static bool in_range(int halves) { return halves >= -127 && halves <= 127; }

bool kl_dim_combine(kl_dim a, kl_dim b, int n, kl_dim *out)
{
    for (int i = 0; i < KL_NDIM; i++) {
        int h = a.e[i] + n * b.e[i];
        if (!in_range(h)) return false;
        a.e[i] = (signed char)h;
    }
    *out = a;
    return true;
}

bool kl_dim_power(kl_dim a, double p, kl_dim *out)
{
    for (int i = 0; i < KL_NDIM; i++) {
        double h = a.e[i] * p, whole = round(h);
        if (!(fabs(h) <= 127) || fabs(h - whole) > 1e-9) return false;    // 1e-9: (m3)^(1/3) is m
        a.e[i] = (signed char)whole;
    }
    *out = a;
    return true;
}

/* ---- reading ---- */

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
static bool starts(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static bool word_goes_on(char c)
{
    return is_letter(c) || is_digit(c) || c == '_' || c == '.' || (unsigned char)c >= 0x80;
}

/* Bytes of letters and letter-like signs at the start of `text`. */
static size_t symbol_length(const char *text)
{
    static const char *const signs[] = {
        "\xc2\xb5", "\xce\xbc",     "\xc2\xb0",
        "\xce\xa9", "\xe2\x80\xb0", NULL}; /* micro, mu, degree, ohm, permille */
    if (text[0] == '%') return 1;
    size_t n = 0;
    for (;;) {
        size_t step = is_letter(text[n]) ? 1 : 0;
        for (int i = 0; !step && signs[i]; i++)
            if (starts(text + n, signs[i])) step = strlen(signs[i]);
        if (!step) return n;
        n += step;
    }
}

static const unit *find_unit(const char *symbol, size_t n)
{
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strlen(units[i].symbol) == n && memcmp(units[i].symbol, symbol, n) == 0)
            return &units[i];
    return NULL;
}

/* A symbol of n bytes, whole or behind a prefix; whole wins, so `min` is a minute. */
static bool find_symbol(const char *symbol, size_t n, double *factor, kl_dim *dim)
{
    const unit *u = find_unit(symbol, n);
    *factor       = u ? u->factor : 0;
    for (size_t i = 0; !u && i < sizeof prefixes / sizeof *prefixes; i++) {
        size_t m = strlen(prefixes[i].text);
        if (n <= m || memcmp(symbol, prefixes[i].text, m) != 0) continue;
        u = find_unit(symbol + m, n - m);
        if (u && !strchr(u->prefixes, prefixes[i].letter)) u = NULL;
        if (u) *factor = prefixes[i].factor * u->factor;
    }
    if (!u) return false;
    for (int i = 0; i < KL_NDIM; i++) dim->e[i] = (signed char)(2 * u->e[i]);
    return true;
}

/* The power behind a symbol, in halves: 2, ^2, ^-1, ^1.5, a superscript; 2 (one) when none stands
 * there. False when something is there that is no power of a unit. */
static bool scan_power(const char *text, size_t *used, int *halves)
{
    size_t n  = 0;
    bool   up = text[0] == '^', negative = false;
    *halves = 2;
    *used   = 0;
    if (starts(text, "\xc2\xb2") || starts(text, "\xc2\xb3")) {
        *halves = text[1] == '\xb2' ? 4 : 6;
        *used   = 2;
        return true;
    }
    if (up) n++;
    if (up && (text[n] == '-' || text[n] == '+')) negative = text[n++] == '-';
    if (!is_digit(text[n])) return !up;

    int whole = 0;
    while (is_digit(text[n]) && whole <= HIGHEST_POWER) whole = 10 * whole + (text[n++] - '0');
    int half = 0;
    if (text[n] == '.' && is_digit(text[n + 1])) {
        if (text[n + 1] != '0' && text[n + 1] != '5') return false;
        half = text[n + 1] == '5';
        n += 2;
        while (text[n] == '0') n++;
    }
    if (is_digit(text[n]) || whole > HIGHEST_POWER || 2 * whole + half == 0) return false;
    *halves = (negative ? -1 : 1) * (2 * whole + half);
    *used   = n;
    return true;
}

/* One symbol with its power at the start of `text`. */
static kl_unit_scan_result scan_symbol(const char *text, size_t *used, double *factor, kl_dim *dim)
{
    size_t n = symbol_length(text), m;
    int    halves;
    double f;
    kl_dim d;
    if (n == 0 || n > LONGEST_SYMBOL || !find_symbol(text, n, &f, &d)) return KL_UNIT_NONE;
    if (!scan_power(text + n, &m, &halves)) {
        *used = n;
        return KL_UNIT_POWER;
    }
    n += m;
    if (word_goes_on(text[n]) && !starts(text + n, "\xc2\xb7")) return KL_UNIT_NONE;
    if (text[n] == '^') {
        *used = n;
        return KL_UNIT_POWER;
    }
    if (text[n] == '(') return KL_UNIT_NONE;    // a function such as min(...)
    *used   = n;
    *factor = pow(f, 0.5 * halves);
    return kl_dim_power(d, 0.5 * halves, dim) ? KL_UNIT_FOUND : KL_UNIT_POWER;
}

/* A running product of symbols. */
typedef struct product {
    double factor;
    kl_dim dim;
} product;

static bool multiply(product *p, double factor, kl_dim dim, int sign)
{
    if (!kl_dim_combine(p->dim, dim, sign, &p->dim)) return false;
    p->factor = sign > 0 ? p->factor * factor : p->factor / factor;
    return p->factor > 0 && isfinite(p->factor);
}

/* What joins two symbols: a space, a middle dot, or a `/` with no space around it. Bytes, or 0. */
static size_t scan_joint(const char *text, bool *divides)
{
    size_t n = 0;
    *divides = text[0] == '/';
    if (*divides) return 1;
    if (starts(text, "\xc2\xb7")) return 2;
    while (is_space(text[n])) n++;
    return n;
}

/* `(kg K)` behind a `/`: two symbols or more, for in front of one symbol the brackets are the
 * reader's arithmetic. */
static kl_unit_scan_result scan_group(const char *text, size_t *used, product *out)
{
    product p     = {1, {{0}}};
    size_t  n     = 1;
    int     count = 0;
    for (;;) {
        double factor;
        kl_dim dim;
        size_t m;
        bool   divides;
        while (is_space(text[n])) n++;
        if (text[n] == ')') break;
        if (scan_symbol(text + n, &m, &factor, &dim) != KL_UNIT_FOUND) return KL_UNIT_NONE;
        if (!multiply(&p, factor, dim, 1)) return KL_UNIT_NONE;
        n += m, count++;
        m = scan_joint(text + n, &divides);
        if (divides || (m == 0 && text[n] != ')')) return KL_UNIT_NONE;
        n += m;
    }
    if (count < 2) return KL_UNIT_NONE;
    *used = n + 1;
    *out  = p;
    return KL_UNIT_FOUND;
}

/* The next factor of a chain, a symbol or, behind a `/`, a group. */
static kl_unit_scan_result scan_factor(const char *text, bool divides, size_t *used, product *p)
{
    product             q;
    kl_unit_scan_result r = divides && text[0] == '(' ? scan_group(text, used, &q)
                                                      : scan_symbol(text, used, &q.factor, &q.dim);
    if (r != KL_UNIT_FOUND) return r;
    if (!multiply(p, q.factor, q.dim, divides ? -1 : 1)) {
        *used = 0;
        return KL_UNIT_POWER;
    }
    return KL_UNIT_FOUND;
}

kl_unit_scan_result kl_unit_scan(const char *text, size_t *used, double *factor, kl_dim *dim)
{
    product p       = {1, {{0}}};
    size_t  n       = 0, m;
    bool    divides = false, divided = false;
    while (is_space(text[n])) n++;
    if (starts(text + n, "1/")) {
        n += 2;
        divides = true;
    }

    // take factor after factor; `end` is behind the last one that was a unit
    size_t end = 0;
    for (;;) {
        product             next = p;
        kl_unit_scan_result r    = scan_factor(text + n, divides, &m, &next);
        if (r == KL_UNIT_NONE) break;
        *used = divided && !divides ? n : n + m;
        if (divided && !divides) return KL_UNIT_AMBIGUOUS;
        if (r == KL_UNIT_POWER) return r;
        p   = next;
        end = n += m;
        divided |= divides;
        m = scan_joint(text + n, &divides);
        if (m == 0) break;
        n += m;
    }
    if (end == 0) return KL_UNIT_NONE;
    *used   = end;
    *factor = p.factor;
    *dim    = p.dim;
    return KL_UNIT_FOUND;
}

bool kl_unit_parse(const char *text, double *factor, kl_dim *dim)
{
    double f    = 1;
    kl_dim d    = {{0}};
    size_t used = 0;
    while (is_space(*text)) text++;
    if (*text != '\0' && (text[0] != '1' || text[1] == '/') &&
        kl_unit_scan(text, &used, &f, &d) != KL_UNIT_FOUND)
        return false;
    if (text[0] == '1' && used == 0) used = 1;
    while (is_space(text[used])) used++;
    if (text[used] != '\0') return false;
    if (factor) *factor = f;
    if (dim) *dim = d;
    return true;
}

kl_dim kl_dim_of(const char *text)
{
    kl_dim d = {{0}};
    kl_unit_parse(text, NULL, &d);
    return d;
}

/* ---- writing ---- */

const char *kl_dim_word(kl_dim dim)
{
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        if (kl_dim_equal(kl_dim_of(usual[i].unit), dim)) return usual[i].word;
    return NULL;
}

/* Appends the base symbols whose power has the sign `sign`; returns how many. */
static int append_symbols(char *text, size_t size, kl_dim dim, int sign)
{
    static const int         order[KL_NDIM]  = {KL_DIM_MASS,    KL_DIM_LENGTH,      KL_DIM_TIME,
                                                KL_DIM_CURRENT, KL_DIM_TEMPERATURE, KL_DIM_ANGLE};
    static const char *const symbol[KL_NDIM] = {"m", "kg", "s", "rad", "A", "K"};
    int                      count           = 0;
    for (int k = 0; k < KL_NDIM; k++) {
        int    i = order[k], h = sign * dim.e[i];
        size_t n = strlen(text);
        if (h <= 0) continue;
        const char *gap = count++ ? " " : "";
        if (h == 2) snprintf(text + n, size - n, "%s%s", gap, symbol[i]);
        else if (h % 2 == 0) snprintf(text + n, size - n, "%s%s%d", gap, symbol[i], h / 2);
        else snprintf(text + n, size - n, "%s%s^%d.5", gap, symbol[i], h / 2);
    }
    return count;
}

void kl_unit_format(kl_dim dim, char *text, size_t size)
{
    if (size == 0) return;
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
        if (!kl_dim_equal(kl_dim_of(usual[i].unit), dim)) continue;
        snprintf(text, size, "%s", usual[i].unit);
        return;
    }
    char above[KL_UNIT_TEXT] = "", below[KL_UNIT_TEXT] = "";
    if (append_symbols(above, sizeof above, dim, 1) == 0) snprintf(above, sizeof above, "1");
    int n = append_symbols(below, sizeof below, dim, -1);
    if (n == 0) snprintf(text, size, "%s", above);
    else snprintf(text, size, n == 1 ? "%s/%s" : "%s/(%s)", above, below);
}
