/* What all readers share: whole files in memory, places in them, flaws counted by kind, and the
 * checked ways of putting nodes and elements into the mesh. Private to the read_*.c files. */
#ifndef KL_MESH_READ_IMPORT_H
#define KL_MESH_READ_IMPORT_H

#include <stdint.h>

#include "base/number.h"
#include "mesh/read.h"

/* A file in memory. The byte at `end` is a NUL. */
typedef struct kl_source {
    struct kl_source *next, *parent; /* all texts of a reader; the one that included this */
    const char       *name;
    const char       *data, *end;
    char             *owned;     /* what to free, or NULL */
    const char       *last_at;   /* where the last place was asked for ... */
    int               last_line; /* ... and its line, so that counting goes on from there */
    bool              binary;    /* places are bytes, not lines */
} kl_source;

/* Kinds of flaws: enum, status, plural for "and 12 more ...". */
#define KL_FLAW_LIST(X)                                                                            \
    X(KL_FLAW_SYNTAX, KL_E_SYNTAX, "lines that are not well formed")                               \
    X(KL_FLAW_NUMBER, KL_E_SYNTAX, "unreadable numbers")                                           \
    X(KL_FLAW_FINITE, KL_E_RANGE, "numbers that are not finite")                                   \
    X(KL_FLAW_TRUNCATED, KL_E_SYNTAX, "places where the file ends too early")                      \
    X(KL_FLAW_COUNT, KL_E_SYNTAX, "wrong counts")                                                  \
    X(KL_FLAW_ID, KL_E_RANGE, "numbers of nodes or elements out of range")                         \
    X(KL_FLAW_DUPLICATE_NODE, KL_E_MODEL, "nodes given twice")                                     \
    X(KL_FLAW_DUPLICATE_ELEMENT, KL_E_MODEL, "elements given twice")                               \
    X(KL_FLAW_UNKNOWN_NODE, KL_E_NAME, "references to missing nodes")                              \
    X(KL_FLAW_UNKNOWN_ELEMENT, KL_E_NAME, "references to missing elements")                        \
    X(KL_FLAW_UNKNOWN_NAME, KL_E_NAME, "references to missing names")                              \
    X(KL_FLAW_UNKNOWN_PROPERTY, KL_E_NAME, "references to missing materials or properties")        \
    X(KL_FLAW_RANGE, KL_E_RANGE, "values out of range")                                            \
    X(KL_FLAW_UNSUPPORTED, KL_E_MODEL, "structural parts that cannot be used")                     \
    X(KL_FLAW_FILE, KL_E_FILE, "files that cannot be read")

typedef enum kl_flaw_kind {
#define KL_FLAW_ENUM(name, status, plural) name,
    KL_FLAW_LIST(KL_FLAW_ENUM)
#undef KL_FLAW_ENUM
        KL_FLAW_KINDS
} kl_flaw_kind;

/* One reading of one mesh. */
typedef struct kl_import {
    kl_mesh               *mesh;
    kl_diag               *diag;
    const kl_read_options *options;
    kl_arena              *arena; /* scratch: dies with the reader */
    kl_source             *texts;
    int                    count[KL_FLAW_KINDS], lenient_count;
    int                    nrepeat;      /* nodes given again as they were ... */
    kl_place               first_repeat; /* ... and the first of them */
    kl_status              status;       /* of the first flaw */
} kl_import;

/* ---- life ---- */

kl_status kl_import_open(kl_import *r, const char *name, const kl_read_options *options,
                         kl_diag *diag);
/* Says how many more flaws of each kind there were; the status of the first. */
kl_status kl_import_status(kl_import *r);
/* Gives the verdict, finishes the mesh and hands it over, or
 * destroys it and returns what was wrong. Releases everything else. */
kl_status kl_import_close(kl_import *r, kl_mesh **mesh);
void      kl_import_free(kl_import *r); /* without handing over */

/* The file `path`; NULL with a flaw noted at `from`:`at` (which may be NULL). */
kl_source *kl_import_load(kl_import *r, const char *path, kl_source *from, const char *at);
kl_source *kl_import_borrow(kl_import *r, const char *name, const char *data, size_t size);
/* Opens the file that line `at` of `from` includes: beside `from`, or as given. Cycles are named.
 */
kl_source *kl_import_include(kl_import *r, const char *path, kl_source *from, const char *at);

/* ---- messages ---- */

kl_place kl_source_place(kl_source *t, const char *at); /* line and column of `at` */
int      kl_source_line(kl_source *t, const char *at);
void kl_flaw(kl_import *r, kl_flaw_kind kind, kl_source *t, const char *at, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/* A structural part that cannot be used: a flaw, or a warning when lenient. Listed as left over. */
void kl_unsupported(kl_import *r, kl_source *t, const char *at, const char *what,
                    const char *format, ...) __attribute__((format(printf, 5, 6)));
/* Something harmless that was not understood. */
void kl_import_ignore(kl_import *r, kl_source *t, const char *at, const char *what);
bool kl_import_failed(const kl_import *r); /* any flaw, or out of memory */

/* ---- checked building ---- */

/* A list of int that grows; malloc, freed by kl_int_list_free. */
typedef struct kl_int_list {
    int   *v;
    size_t n, cap;
} kl_int_list;
bool kl_int_list_push(kl_import *r, kl_int_list *list, int value); /* false: out of memory, noted */
void kl_int_list_free(kl_int_list *list);

/* Index, or -1 with a flaw noted. */
int kl_import_node(kl_import *r, kl_source *t, const char *at, long long id, kl_vec3 x);
int kl_import_find_node(kl_import *r, kl_source *t, const char *at, long long id, const char *who,
                        long long who_id);
int kl_import_element(kl_import *r, kl_source *t, const char *at, kl_shape shape, long long id,
                      int property, const int *node);

/* Appends the ids first, first + step, ... last that exist as nodes or elements. Takes no longer
 * than the mesh is large, however wide the range. */
void kl_import_range(kl_import *r, bool elements, long long first, long long last, long long step,
                     kl_int_list *ids);

/* ---- words ---- */

static inline bool kl_is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
static inline char kl_upper(char c) { return c >= 'a' && c <= 'z' ? (char)(c - 32) : c; }
/* Equal but for the case of letters. */
bool kl_same_word(const char *a, const char *b);
/* A copy of a piece of text for a message, cut to a readable length, in the reader's arena. */
const char *kl_quote(kl_import *r, const char *first, const char *last);

/* Names to indices, case ignored: open addressing, in the arena. */
typedef struct kl_name_map {
    int          n, size;
    const char **name;
    int         *value;
} kl_name_map;
int  kl_name_map_find(const kl_name_map *t, const char *name); /* or -1 */
bool kl_name_map_put(kl_arena *a, kl_name_map *t, const char *name, int value);

/* Whole numbers to indices: open addressing, in the arena. */
typedef struct kl_int_map {
    int       n, size;
    uint64_t *key;
    int      *value; /* plus one; 0 is free */
} kl_int_map;
int  kl_int_map_find(const kl_int_map *t, uint64_t key); /* or -1 */
bool kl_int_map_put(kl_arena *a, kl_int_map *t, uint64_t key, int value);

/* ---- the readers: each fills r->mesh from `t` and notes flaws in r ---- */

void kl_read_gmsh(kl_import *r, kl_source *t);
void kl_read_abaqus(kl_import *r, kl_source *t);
void kl_read_nastran(kl_import *r, kl_source *t);

#endif
