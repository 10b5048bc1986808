/* One exact conversion to 17 digits, which always suffice; then 15 and 16 digits are tried, rounded
 * from these and read back. A second rounding may miss a shorter form in a tie, never the value. */
#include "base/shortest.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"

enum { DIGITS = 17 };

typedef struct decimal {
    char digit[DIGITS]; /* as characters; the point is after the first */
    int  n, exponent;
    bool negative;
} decimal;

static decimal to_decimal(double value)
{
    char    text[KL_SHORTEST];
    decimal d = {.n = DIGITS, .negative = signbit(value) != 0};
    snprintf(text, sizeof text, "%.16e", fabs(value)); /* d?dddddddddddddddde+XXX */
    d.digit[0] = text[0];
    memcpy(d.digit + 1, text + 2, DIGITS - 1);
    d.exponent = atoi(text + DIGITS + 2);
    return d;
}

/* The first n digits, rounded, without zeros at the end. */
static decimal rounded(decimal d, int n)
{
    bool up = d.digit[n] >= '5';
    d.n     = n;
    for (int i = n - 1; up && i >= 0; i--) {
        up         = d.digit[i] == '9';
        d.digit[i] = up ? '0' : (char)(d.digit[i] + 1);
    }
    if (up) { /* 9.99 became 10.0 */
        d.digit[0] = '1';
        d.exponent++;
    }
    while (d.n > 1 && d.digit[d.n - 1] == '0') d.n--;
    return d;
}

/* As %g does: plain between 1e-4 and 1e17, otherwise with an exponent. */
static int write_decimal(char *text, const decimal *d)
{
    char *p = text;
    if (d->negative) *p++ = '-';
    if (d->exponent < -4 || d->exponent >= DIGITS) {
        *p++ = d->digit[0];
        if (d->n > 1) *p++ = '.';
        memcpy(p, d->digit + 1, (size_t)d->n - 1);
        p += d->n - 1;
        return (int)(p - text) + snprintf(p, 8, "e%+03d", d->exponent);
    }
    int before = d->exponent + 1; /* digits before the point */
    if (before <= 0) {
        *p++ = '0', *p++ = '.';
        for (int i = before; i < 0; i++) *p++ = '0';
    }
    for (int i = 0; i < d->n || i < before; i++) {
        if (i == before && i > 0) *p++ = '.';
        *p++ = i < d->n ? d->digit[i] : '0';
    }
    *p = '\0';
    return (int)(p - text);
}

static bool reads_back(const char *text, int n, double value)
{
    double again = 0.0;
    return kl_scan_number(text, text + n, &again) == text + n && again == value;
}

int kl_print_shortest(char text[KL_SHORTEST], double value)
{
    if (isnan(value)) return snprintf(text, KL_SHORTEST, "nan");
    if (isinf(value)) return snprintf(text, KL_SHORTEST, value > 0.0 ? "inf" : "-inf");
    if (value == 0.0) return snprintf(text, KL_SHORTEST, signbit(value) ? "-0" : "0");
    decimal exact = to_decimal(value);
    for (int digits = 15; digits < DIGITS; digits++) {
        decimal d = rounded(exact, digits);
        int     n = write_decimal(text, &d);
        if (reads_back(text, n, value)) return n;
    }
    return write_decimal(text, &exact);
}
