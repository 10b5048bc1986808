#include "base/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool make_room(kl_text *t, size_t more)
{
    if (t->failed) return false;
    if (t->n + more + 1 <= t->cap) return true;
    size_t cap  = 2 * (t->n + more + 256);
    char  *data = realloc(t->data, cap);
    if (!data) {
        t->failed = true;
        return false;
    }
    t->data = data;
    t->cap  = cap;
    return true;
}

void kl_text_put(kl_text *t, const char *text, size_t length)
{
    if (!make_room(t, length)) return;
    memcpy(t->data + t->n, text, length);
    t->n += length;
    t->data[t->n] = '\0';
}

void kl_text_add(kl_text *t, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int more = vsnprintf(NULL, 0, format, args);
    if (more >= 0 && make_room(t, (size_t)more)) {
        vsnprintf(t->data + t->n, (size_t)more + 1, format, again);
        t->n += (size_t)more;
    }
    va_end(again);
    va_end(args);
}

void kl_text_json(kl_text *t, const char *s)
{
    kl_text_put(t, "\"", 1);
    for (; s && *s; s++) {
        unsigned char c = (unsigned char)*s;
        if (c == '"' || c == '\\') kl_text_add(t, "\\%c", c);
        else if (c == '\n') kl_text_put(t, "\\n", 2);
        else if (c < 0x20) kl_text_add(t, "\\u%04x", c);
        else kl_text_put(t, s, 1);
    }
    kl_text_put(t, "\"", 1);
}

void kl_text_number(kl_text *t, double value)
{
    /* the shortest of the usual lengths that reads back */
    char text[40];
    for (int digits = 6; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value || !isfinite(value)) break;
    }
    kl_text_add(t, "%s", text);
}

char *kl_text_finish(kl_text *t)
{
    make_room(t, 0);
    if (t->failed) {
        free(t->data);
        t->data = NULL;
        return NULL;
    }
    if (t->n == 0) t->data[0] = '\0';
    return t->data;
}

void kl_text_html(kl_text *t, const char *s)
{
    static const char        marks[] = "&<>\"'";
    static const char *const names[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
    for (; s && *s; s++) {
        const char *mark = strchr(marks, *s);
        if (mark) kl_text_add(t, "%s", names[mark - marks]);
        else kl_text_put(t, s, 1);
    }
}

void kl_text_free(kl_text *t)
{
    free(t->data);
    *t = (kl_text){0};
}
