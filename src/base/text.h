/* A text that grows: pages, JSON, model files. A text that ran out of memory stays failed and is
 * asked once, at the end.
 *
 *     kl_text t = {0};
 *     kl_text_add(&t, "mass: %g\n", mass);
 *     char *text = kl_text_finish(&t);    (NULL when out of memory; the caller frees it)
 */
#ifndef KL_BASE_TEXT_H
#define KL_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

typedef struct kl_text {
    char  *data; /* ended by a NUL once anything was added */
    size_t n, cap;
    bool   failed;
} kl_text;

void kl_text_add(kl_text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void kl_text_put(kl_text *t, const char *text, size_t length);
/* `s` as a JSON string, with its quotes. */
void kl_text_json(kl_text *t, const char *s);
/* A number that reads back to the same bits. */
void  kl_text_number(kl_text *t, double value);
char *kl_text_finish(kl_text *t);
/* `s` as text of a page: & < > and quotes replaced. */
void kl_text_html(kl_text *t, const char *s);
/* For a text that was not handed on. */
void kl_text_free(kl_text *t);

#endif
