/* Decimal text to double.
 *
 * The digits are gathered in a 64-bit integer m and a power of ten k, so that the number is m 10^k.
 *  1. m < 2^53 and |k| <= 22: both are exact doubles, and one operation of the machine rounds right
 *     (Clinger, How to read floating point numbers accurately, 1990).
 *  2. m < 2^64 and |k| <= 27: both are exact in a long double of 64 bits or more, so the one
 * operation there gives the number rounded to that length. Rounding again to 53 bits is right
 * unless that result lies exactly half way between two doubles: half-way points are representable,
 * so rounding cannot carry the number across one. The case is seen and goes to 3.
 *  3. The rest goes to strtod as digits and exponent without a point, which reads the same in every
 *     locale.
 */
#include "base/number.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_DIGITS  = 19,     /* that fit into 64 bits whatever they are */
    KEPT_DIGITS  = 770,    /* 767 decide every rounding of a double */
    FAR_EXPONENT = 100000, /* far beyond any double: more would only overflow the int */
};

typedef struct decimal {
    uint64_t    m; /* the first MOST_DIGITS digits */
    int         k; /* value = m 10^k, up to the digits left out */
    bool        negative;
    bool        cut;          /* digits were left out */
    const char *first, *last; /* digits and point, without sign and exponent */
    int         exponent;     /* as written */
} decimal;

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* Digits and point into d; returns the first character after them, NULL when there is no digit. */
static const char *scan_digits(const char *p, const char *end, decimal *d)
{
    uint64_t m    = 0;
    int      used = 0, k = 0;
    bool     any = false;
    d->first     = p;
    for (; p < end && is_digit(*p); p++) {
        any = true;
        if (used < MOST_DIGITS) {
            m = 10 * m + (uint64_t)(*p - '0');
            used += m != 0;
        } else {
            k += k < FAR_EXPONENT;
            d->cut |= *p != '0';
        }
    }
    if (p < end && *p == '.') {
        p++;
        for (; p < end && is_digit(*p); p++) {
            any = true;
            if (used < MOST_DIGITS) {
                m = 10 * m + (uint64_t)(*p - '0');
                used += m != 0;
                k -= k > -FAR_EXPONENT;
            } else {
                d->cut |= *p != '0';
            }
        }
    }
    d->last = p;
    d->m    = m;
    d->k    = k;
    return any ? p : NULL;
}

/* An exponent after the digits, if there is one: `letter` must announce it, or may (bare). */
static const char *scan_exponent(const char *p, const char *end, bool bare, decimal *d)
{
    const char *q = p;
    if (q < end && (*q == 'e' || *q == 'E' || *q == 'd' || *q == 'D')) q++;
    else if (!bare || q >= end || (*q != '+' && *q != '-')) return p;

    bool negative = false;
    if (q < end && (*q == '+' || *q == '-')) negative = *q++ == '-';
    if (q >= end || !is_digit(*q)) return p; /* 12dofs: the letter is not ours */
    int e = 0;
    for (; q < end && is_digit(*q); q++)
        if (e < FAR_EXPONENT) e = 10 * e + (*q - '0');
    d->exponent = negative ? -e : e;
    d->k += d->exponent;
    return q;
}

static const double power[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                               1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                               1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

#if LDBL_MANT_DIG >= 64
static const long double long_power[] = {1e0L,  1e1L,  1e2L,  1e3L,  1e4L,  1e5L,  1e6L,
                                         1e7L,  1e8L,  1e9L,  1e10L, 1e11L, 1e12L, 1e13L,
                                         1e14L, 1e15L, 1e16L, 1e17L, 1e18L, 1e19L, 1e20L,
                                         1e21L, 1e22L, 1e23L, 1e24L, 1e25L, 1e26L, 1e27L};

/* m 10^k by one long operation; false when the result lies half way between doubles. */
static bool scale_by_long_product(uint64_t m, int k, double *value)
{
    long double v = k < 0 ? (long double)m / long_power[-k] : (long double)m * long_power[k];
    double      d = (double)v;
    /* the distance to the nearest double and to the neighbour beyond v are exact: both fit */
    long double rest = v - (long double)d;
    double      next = nextafter(d, rest > 0 ? HUGE_VAL : -HUGE_VAL);
    if (rest != 0 && (long double)next - v == rest) return false;
    *value = d;
    return true;
}
#endif

/* strtod on a copy of at most KEPT_DIGITS digits, the point moved into the exponent. */
static double convert_by_strtod(const decimal *d)
{
    char buffer[KEPT_DIGITS + 32];
    int  n = 0, exponent = d->exponent;
    bool point = false, started = false, dropped = false;
    for (const char *p = d->first; p < d->last; p++) {
        if (*p == '.') {
            point = true;
            continue;
        }
        started |= *p != '0';
        if (started && n < KEPT_DIGITS) {
            buffer[n++] = *p;
            if (point && exponent > -4 * FAR_EXPONENT) exponent--;
        } else if (started) {
            dropped |= *p != '0';
            if (!point && exponent < 4 * FAR_EXPONENT) exponent++;
        } else if (point && exponent > -4 * FAR_EXPONENT) {
            exponent--;
        }
    }
    if (n == 0) return 0.0;
    if (dropped) { /* one more digit represents all that were dropped */
        buffer[n++] = '1';
        exponent--;
    }
    buffer[n++]     = 'e';
    unsigned digits = (unsigned)(exponent < 0 ? -exponent : exponent);
    if (exponent < 0) buffer[n++] = '-';
    char reversed[12];
    int  nr = 0;
    do reversed[nr++] = (char)('0' + digits % 10);
    while (digits /= 10);
    while (nr) buffer[n++] = reversed[--nr];
    buffer[n] = '\0';
    return strtod(buffer, NULL); /* holds no point: the same in every locale */
}

static double to_double(const decimal *d)
{
    if (d->m == 0) return 0.0;
    if (!d->cut && d->m <= (UINT64_C(1) << 53) && d->k >= -22 && d->k <= 22)
        return d->k < 0 ? (double)d->m / power[-d->k] : (double)d->m * power[d->k];
#if LDBL_MANT_DIG >= 64
    double v;
    if (!d->cut && d->k >= -27 && d->k <= 27 && scale_by_long_product(d->m, d->k, &v)) return v;
#endif
    return convert_by_strtod(d);
}

/* nan, inf, infinity in any case */
static const char *scan_word(const char *p, const char *end, double *value)
{
    static const struct {
        const char *word;
        double      value;
    } words[] = {{"nan", NAN}, {"infinity", INFINITY}, {"inf", INFINITY}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t n = strlen(words[i].word), j = 0;
        if ((size_t)(end - p) < n) continue;
        while (j < n && (p[j] | 0x20) == words[i].word[j]) j++;
        if (j < n) continue;
        *value = words[i].value;
        return p + n;
    }
    return NULL;
}

static const char *scan(const char *p, const char *end, bool bare, double *value)
{
    decimal d = {0};
    if (p < end && (*p == '+' || *p == '-')) d.negative = *p++ == '-';
    const char *q = scan_digits(p, end, &d);
    double      v;
    if (q) {
        q = scan_exponent(q, end, bare, &d);
        v = to_double(&d);
    } else {
        q = scan_word(p, end, &v);
        if (!q) return NULL;
    }
    *value = d.negative ? -v : v;
    return q;
}

const char *kl_scan_number(const char *p, const char *end, double *value)
{
    return scan(p, end, false, value);
}

const char *kl_scan_number_bare_exponent(const char *p, const char *end, double *value)
{
    return scan(p, end, true, value);
}

const char *kl_scan_integer(const char *p, const char *end, long long *value)
{
    bool negative = false;
    if (p < end && (*p == '+' || *p == '-')) negative = *p++ == '-';
    if (p >= end || !is_digit(*p)) return NULL;
    unsigned long long v = 0;
    for (; p < end && is_digit(*p); p++) {
        unsigned digit = (unsigned)(*p - '0');
        if (v > ((unsigned long long)LLONG_MAX - digit) / 10) return NULL;
        v = 10 * v + digit;
    }
    *value = negative ? -(long long)v : (long long)v;
    return p;
}
