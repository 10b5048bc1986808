/* The reference pages of the model language, made from the tables of the types: what `klingel
 * list`, `klingel help NAME` and docs/reference show. */
#ifndef KL_REFERENCE_REFERENCE_H
#define KL_REFERENCE_REFERENCE_H

#include "base/text.h"
#include "model/resource.h"

typedef enum kl_page_style { KL_PAGE_TERMINAL, KL_PAGE_MARKDOWN } kl_page_style;

/* A page that has a name: a type, a section of the model file, or a topic. */
typedef struct kl_page {
    const char             *name;
    const char             *kind;    /* "body", "joint", "force", ..., "section", "topic" */
    const char             *help;    /* one line */
    const kl_body_type     *body;    /* or */
    const kl_element_type  *element; /* or */
    const kl_resource_type *resource;
    const kl_key           *keys; /* of a section or type, may be NULL */
    const char             *text; /* of a section or topic */
} kl_page;

/* All pages, in the order of a table of contents; returns how many, writes at most `capacity`. */
int kl_reference_pages(kl_page *pages, int capacity);
/* The page of that name; false: none. */
bool kl_reference_find(const char *name, kl_page *page);

/* Appends a page, or the list of all. */
void kl_reference_write(kl_text *t, const kl_page *page, kl_page_style style);
void kl_reference_list(kl_text *t, kl_page_style style);

/* Appends a whole small model around the example of a type, ready to run. */
void kl_reference_example(kl_text *t, const kl_page *page);

/* "number", "3 numbers", "function of time", ...: what a key takes, in words. */
void kl_reference_kind(const kl_key *key, char *text, size_t size);

/* The default of a key in words: "must be given", "none" or the text of the default. */
const char *kl_reference_default(const kl_key *k);

/* Topics: topics.c */
typedef struct kl_topic {
    const char *name, *kind, *help, *text;
} kl_topic;
extern const kl_topic kl_topics[]; /* ended by a NULL name */

#endif
