#include "model/key_unit.h"

#include <stdio.h>
#include <string.h>

#include "base/units.h"

static const kl_key *key_called(const kl_key *keys, const char *name, size_t length)
{
    for (const kl_key *k = keys; k && k->name; k++)
        if (strlen(k->name) == length && strncmp(k->name, name, length) == 0) return k;
    return NULL;
}

/* "KEY?a|b" of `length` bytes: that of the choice */
static void chosen(const kl_key *keys, const void *data, const char *unit, size_t length,
                   char *text, size_t size)
{
    const char *mark = memchr(unit, '?', length);
    snprintf(text, size, "%.*s", (int)length, unit);
    if (!mark) return;
    const kl_key *k      = key_called(keys, unit, (size_t)(mark - unit));
    int           choice = k ? *(const int *)(const void *)((const char *)data + k->offset) : 0;
    const char   *from = mark + 1, *end = unit + length, *bar;
    for (; choice > 0 && (bar = memchr(from, '|', (size_t)(end - from))); choice--) from = bar + 1;
    bar = memchr(from, '|', (size_t)(end - from));
    snprintf(text, size, "%.*s", (int)((bar ? bar : end) - from), from);
}

void kl_key_unit(const kl_key *keys, const void *data, const char *unit, char *text, size_t size)
{
    const char *over = strstr(unit, " over "), *power = strstr(unit, " ^ ");
    if (!over) {
        chosen(keys, data, unit, strlen(unit), text, size);
        return;
    }
    char          upper[64], lower[64];
    const char   *below = over + strlen(" over ");
    const kl_key *k     = power ? key_called(keys, power + 3, strlen(power + 3)) : NULL;
    double        p     = k ? *(const double *)(const void *)((const char *)data + k->offset) : 1.0;
    kl_dim        dim, raised;
    chosen(keys, data, unit, (size_t)(over - unit), upper, sizeof upper);
    chosen(keys, data, below, power ? (size_t)(power - below) : strlen(below), lower, sizeof lower);
    if (!kl_dim_power(kl_dim_of(lower), p, &raised) ||
        !kl_dim_combine(kl_dim_of(upper), raised, -1, &dim)) {
        snprintf(text, size, "*");
        return;
    }
    char plain[KL_UNIT_TEXT];
    kl_unit_format(dim, plain, sizeof plain);
    snprintf(text, size, "%s", *plain ? plain : "1");
}
