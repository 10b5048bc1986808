/* Any text is either a number or one message with a place inside the text. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "script/expression.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(bool law)
{
    if (!law) abort();
}

static const struct {
    const char *name, *unit;
} things[] = {{"L", "m"},    {"m", "kg"},        {"rear-hinge.angle", "rad"},
              {"rear", "m"}, {"omega", "rad/s"}, {"k", NULL},
              {"ratio", ""}, {"t", "s"}};
enum { NTHING = sizeof things / sizeof *things };

static bool find(const void *context, const char *name, int *index, kl_dim *dim, bool *bare)
{
    (void)context;
    for (int i = 0; i < NTHING; i++) {
        if (strcmp(name, things[i].name) != 0) continue;
        *index = i;
        *bare  = !things[i].unit;
        *dim   = kl_dim_of(things[i].unit ? things[i].unit : "");
        return true;
    }
    return false;
}

static const char *const *names(const void *context)
{
    static const char *const list[] = {"L", "m", "rear-hinge.angle", "rear", "omega", "k", NULL};
    (void)context;
    return list;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const kl_symbols model          = {NULL, find, names};
    const double     values[NTHING] = {0.3, 2, -1, 3, 10, 7, 0.5, 0};
    char            *text           = malloc(size + 1);
    kl_diag         *diag           = kl_diag_create();
    kl_arena        *arena          = kl_arena_create();
    kl_quantity      q;
    kl_expression   *e = NULL;
    if (size) memcpy(text, data, size);
    text[size] = '\0';

    kl_status s = kl_expression_number(text, (kl_place){"f", 1, 1}, &model, values, diag, &q);
    expect(s == KL_OK ? kl_diag_size(diag) == 0 : kl_diag_size(diag) == 1);
    if (s == KL_OK) expect(isfinite(q.value));
    char unit[KL_UNIT_TEXT];
    if (s == KL_OK && !q.bare) {
        kl_dim back;
        kl_unit_format(q.dim, unit, sizeof unit);
        expect(kl_unit_parse(unit, NULL, &back) && kl_dim_equal(back, q.dim));
    }
    if (kl_diag_size(diag) == 1) {
        int         column = 0;
        const char *m      = kl_diag_at(diag, 0)->text;
        expect(strncmp(m, "f:1:", 4) == 0);
        column = atoi(m + 4);
        expect(column >= 1 && column <= (int)strlen(text) + 1);
    }

    // two roads: the compiled form gives what the number gave
    if (kl_expression_compile(text, KL_NOWHERE, &model, arena, NULL, &e) == KL_OK) {
        double *memory = calloc((size_t)kl_expression_nmemory(e) + 1, sizeof *memory);
        double  value  = kl_expression_eval(e, values, memory);
        expect(s == KL_OK ? fabs(value - q.value) <= 1e-12 * fabs(q.value) : !isfinite(value));
        kl_expression_eval(e, values, memory);
        free(memory);
        double out[3];
        kl_expression_derivatives(e, values[0], values + 1, out);
        expect(out[0] == value || (isnan(out[0]) && isnan(value)));
    } else {
        expect(s != KL_OK);
    }
    kl_arena_destroy(arena);
    kl_diag_destroy(diag);
    free(text);
    return 0;
}
