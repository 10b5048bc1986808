/* The interface to libyaml: its events become a tree of kl_node, its errors become messages of Klingel.
 *
 * An alias is a copy of the head of the node it names; the children are shared. So an alias costs
 * one node of memory however much it represents, and the limit on the expanded size protects
 * whoever walks the tree.
 */
#include "language/doc.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <yaml.h>

#include "base/files.h"
#include "base/number.h"

enum {
    DEEPEST       = 100,
    MOST_NODES    = 2000000,
    MOST_BYTES    = 64 * 1024 * 1024,
    SMALL_MAP     = 8,  /* up to here looking along the list is as fast as anything */
    NODES_AT_ONCE = 64, /* nodes and texts are taken from the arena in bulk: many are tiny */
    TEXT_AT_ONCE  = 16384
};

/* A map or list that is still open. */
typedef struct frame {
    kl_node    *node, *last; /* last child so far */
    const char *key;         /* read, its value still to come */
    kl_place    key_place;
    bool        key_quoted;
    const char *anchor; /* name to give it once complete, or NULL */
    bool        merges; /* holds a `<<` */
} frame;

typedef struct anchor {
    const char    *name; /* NULL: free slot */
    const kl_node *node; /* NULL: still open */
} anchor;

/* An entry of a map while its keys are sorted. */
typedef struct slot {
    kl_node *node;
    bool     own, dropped; /* own: written in the map itself, not merged in */
    int      order;
} slot;

typedef struct reader {
    kl_arena   *arena;
    kl_diag    *diag;
    const char *file;
    const char *text; /* whole, without byte order mark */
    size_t      length;
    kl_node    *root;
    frame       stack[DEEPEST];
    int         depth;
    long        total;  /* nodes so far, aliases expanded */
    kl_status   status; /* of mistakes that did not stop the reading */

    anchor *anchors; /* open addressing, a power of two */
    size_t  nanchor, anchor_cap;
    slot   *slots;
    int     slot_cap;

    kl_node *nodes; /* bulk not used yet */
    int      nnode;
    char    *bytes;
    size_t   nbyte;
} reader;

static kl_place place_at(const reader *r, yaml_mark_t mark)
{
    return (kl_place){r->file, (int)mark.line + 1, (int)mark.column + 1};
}

/* ---- memory ---- */

static kl_node *take_node(reader *r)
{
    if (r->nnode == 0) {
        r->nodes = kl_arena_array(r->arena, kl_node, NODES_AT_ONCE);
        if (!r->nodes) return NULL;
        r->nnode = NODES_AT_ONCE;
    }
    r->nnode--;
    return r->nodes++;
}

static char *take_text(reader *r, const char *text, size_t length)
{
    if (length >= TEXT_AT_ONCE / 4) return kl_arena_text_n(r->arena, text, length);
    if (length + 1 > r->nbyte) {
        r->bytes = kl_arena_take(r->arena, TEXT_AT_ONCE);
        if (!r->bytes) return NULL;
        r->nbyte = TEXT_AT_ONCE;
    }
    char *copy = r->bytes;
    memcpy(copy, text, length);
    copy[length] = '\0';
    r->bytes += length + 1;
    r->nbyte -= length + 1;
    return copy;
}

/* ---- anchors ---- */

static size_t hash(const char *name)
{
    uint64_t h = UINT64_C(14695981039346656037);    // FNV-1a
    for (; *name; name++) h = (h ^ (unsigned char)*name) * UINT64_C(1099511628211);
    return (size_t)(h ^ (h >> 32));
}

/* The slot of `name`, or the free one where it belongs. The table is never full. */
static anchor *find_anchor(anchor *table, size_t cap, const char *name)
{
    size_t i = hash(name) & (cap - 1);
    while (table[i].name && strcmp(table[i].name, name) != 0) i = (i + 1) & (cap - 1);
    return &table[i];
}

static kl_status set_anchor(reader *r, const char *name, const kl_node *node)
{
    if (2 * (r->nanchor + 1) > r->anchor_cap) {
        size_t  cap  = r->anchor_cap ? 2 * r->anchor_cap : 64;
        anchor *more = calloc(cap, sizeof *more);
        if (!more) return KL_E_MEMORY;
        for (size_t i = 0; i < r->anchor_cap; i++)
            if (r->anchors[i].name) *find_anchor(more, cap, r->anchors[i].name) = r->anchors[i];
        free(r->anchors);
        r->anchors    = more;
        r->anchor_cap = cap;
    }
    anchor *a = find_anchor(r->anchors, r->anchor_cap, name);
    if (!a->name) r->nanchor++;
    *a = (anchor){name, node};
    return KL_OK;
}

/* ---- maps ---- */

static int compare_slots(const void *pa, const void *pb)
{
    const slot *a = pa, *b = pb;
    int         c = strcmp(a->node->key, b->node->key);
    if (c != 0) return c;
    if (a->own != b->own) return a->own ? -1 : 1;
    return (a->order > b->order) - (a->order < b->order);
}

static int compare_order(const void *pa, const void *pb)
{
    const slot *a = pa, *b = pb;
    return (a->order > b->order) - (a->order < b->order);
}

static kl_status add_slot(reader *r, int n, kl_node *node, bool own)
{
    if (n == r->slot_cap) {
        int   cap  = r->slot_cap ? 2 * r->slot_cap : 64;
        slot *more = realloc(r->slots, (size_t)cap * sizeof *more);
        if (!more) return KL_E_MEMORY;
        r->slots    = more;
        r->slot_cap = cap;
    }
    r->slots[n] = (slot){.node = node, .own = own, .order = n};
    return KL_OK;
}

static kl_status count_nodes(reader *r, long n, kl_place place)
{
    r->total += n;
    if (r->total <= MOST_NODES) return KL_OK;
    return kl_fail(r->diag, KL_E_RANGE, place,
                   "more than %d values once aliases are expanded; use fewer aliases of aliases, "
                   "or move large tables to separate files",
                   MOST_NODES);
}

/* Copies the entries of `source` behind the n slots there are. */
static kl_status merge_map(reader *r, const kl_node *source, kl_place place, int *n)
{
    if (source->kind != KL_MAP)
        return kl_fail(r->diag, KL_E_SYNTAX, place,
                       "`<<` takes the alias of a map, as in `<<: *name`, or a list of such; this "
                       "is %s",
                       kl_node_kind_word(source->kind));
    for (const kl_node *entry = source->first; entry; entry = entry->next) {
        kl_node *copy = take_node(r);
        if (!copy) return KL_E_MEMORY;
        *copy = *entry;
        KL_TRY(count_nodes(r, copy->total, place));
        KL_TRY(add_slot(r, (*n)++, copy, false));
    }
    return KL_OK;
}

static bool is_merge(const kl_node *entry) { return strcmp(entry->key, "<<") == 0; }

/* All entries of a map as slots, with `<<` replaced by what it represents. */
static kl_status collect_slots(reader *r, const kl_node *map, bool merges, int *n)
{
    *n = 0;
    for (kl_node *entry = map->first; entry; entry = entry->next) {
        if (!merges || !is_merge(entry)) {
            KL_TRY(add_slot(r, (*n)++, entry, true));
        } else if (entry->kind == KL_LIST) {
            for (const kl_node *source = entry->first; source; source = source->next)
                KL_TRY(merge_map(r, source, entry->key_place, n));
        } else {
            KL_TRY(merge_map(r, entry, entry->key_place, n));
        }
    }
    return KL_OK;
}

static void report_duplicate(reader *r, const kl_node *first, const kl_node *second)
{
    r->status = kl_fail(
        r->diag, KL_E_SYNTAX, second->key_place,
        "key `%.60s` occurs twice; it is already given in line %d, column %d: remove or rename one",
        second->key, first->key_place.line, first->key_place.column);
}

/* Links the slots that were kept, in order, as the children of `map`. */
static void link_slots(kl_node *map, const slot *slots, int n)
{
    kl_node **tail = &map->first;
    map->size      = 0;
    map->total = map->height = 1;
    for (int i = 0; i < n; i++) {
        if (slots[i].dropped) continue;
        *tail = slots[i].node;
        tail  = &slots[i].node->next;
        map->size++;
        map->total += slots[i].node->total;
        if (slots[i].node->height >= map->height) map->height = slots[i].node->height + 1;
    }
    *tail = NULL;
}

/* A map is complete: expands merges, finds keys that stand twice, and indexes a large one. Of equal
 * keys the own one counts, then the one merged first. Sorting keeps this fast for any size. */
static kl_status finish_map(reader *r, kl_node *map, bool merges)
{
    int n;
    if (!merges && map->size <= SMALL_MAP) {
        for (const kl_node *b = map->first; b; b = b->next)
            for (const kl_node *a = map->first; a != b; a = a->next)
                if (strcmp(a->key, b->key) == 0) {
                    report_duplicate(r, a, b);
                    break;
                }
        return KL_OK;
    }
    KL_TRY(collect_slots(r, map, merges, &n));
    if (n > 0) qsort(r->slots, (size_t)n, sizeof *r->slots, compare_slots);
    int kept = n > 0;
    for (int i = 1; i < n; i++) {
        bool same           = strcmp(r->slots[i - 1].node->key, r->slots[i].node->key) == 0;
        r->slots[i].dropped = same;
        kept += !same;
        if (same && r->slots[i].own) report_duplicate(r, r->slots[i - 1].node, r->slots[i].node);
    }
    if (kept > SMALL_MAP) {
        const kl_node **sorted = kl_arena_array(r->arena, const kl_node *, kept);
        if (!sorted) return KL_E_MEMORY;
        for (int i = 0, k = 0; i < n; i++)
            if (!r->slots[i].dropped) sorted[k++] = r->slots[i].node;
        map->sorted = sorted;
    }
    if (n > 0) qsort(r->slots, (size_t)n, sizeof *r->slots, compare_order);
    link_slots(map, r->slots, n);
    return KL_OK;
}

/* ---- the tree ---- */

/* A scalar where a key should stand becomes the key of what comes next. */
static kl_status take_key(reader *r, frame *f, const kl_node *node)
{
    if (node->kind != KL_SCALAR)
        return kl_fail(r->diag, KL_E_SYNTAX, node->place,
                       "a key must be a word, this is %s; check for a missing `:` or quote",
                       kl_node_kind_word(node->kind));
    if (node->text[0] == '\0')
        return kl_fail(r->diag, KL_E_SYNTAX, node->place,
                       "a name is missing before `:`; write one");
    const char *colon = node->quoted ? NULL : strchr(node->text, ':');
    if (colon && colon[1] && strchr("{[", colon[1])) /* `A:{type: fixed}` has the key `A:{type` */
        return kl_fail(r->diag, KL_E_SYNTAX, node->place,
                       "a space is missing after the `:` of `%.*s`", (int)(colon - node->text),
                       node->text);
    f->key        = node->text;
    f->key_place  = node->place;
    f->key_quoted = node->quoted;
    if (!node->quoted && strcmp(node->text, "<<") == 0) f->merges = true;
    return KL_OK;
}

/* A complete node goes where the text has it: root, item, key or value. */
static kl_status attach(reader *r, kl_node *node)
{
    if (r->depth == 0) {
        r->root = node;
        return KL_OK;
    }
    frame *f = &r->stack[r->depth - 1];
    if (f->node->kind == KL_MAP && !f->key) return take_key(r, f, node);
    const char *gap = f->key ? strchr(f->key, ' ') : NULL;
    if (gap && node->kind == KL_SCALAR && !node->quoted && !*node->text && !f->key_quoted)
        return kl_fail(r->diag, KL_E_SYNTAX, f->key_place, "a `:` is missing; write `%.*s: %s`",
                       (int)(gap - f->key), f->key, gap + 1);
    node->key       = f->key;
    node->key_place = f->key ? f->key_place : (kl_place){0};
    f->key          = NULL;
    if (f->last) f->last->next = node;
    else f->node->first = node;
    f->last = node;
    f->node->size++;
    f->node->total += node->total;
    if (node->height >= f->node->height) f->node->height = node->height + 1;
    return KL_OK;
}

static kl_status new_node(reader *r, kl_node_kind kind, yaml_mark_t mark, kl_node **out)
{
    kl_node *node = take_node(r);
    if (!node) return KL_E_MEMORY;
    *node = (kl_node){.kind = kind, .place = place_at(r, mark), .total = 1, .height = 1};
    *out  = node;
    return count_nodes(r, 1, node->place);
}

/* Tags of plain YAML say nothing we do not know; others would be ignored silently. */
static kl_status check_tag(reader *r, const yaml_char_t *tag, yaml_mark_t mark)
{
    const char *t = (const char *)tag, *plain = "tag:yaml.org,2002:";
    if (!t || strcmp(t, "!") == 0 || strncmp(t, plain, strlen(plain)) == 0) return KL_OK;
    return kl_fail(
        r->diag, KL_E_SYNTAX, place_at(r, mark),
        "`%.60s` is a YAML tag, and models have no tags; put a text that starts with `!` in quotes",
        t);
}

static kl_status on_scalar(reader *r, const yaml_event_t *e)
{
    kl_node    *node;
    const char *text = (const char *)e->data.scalar.value;
    size_t      n    = e->data.scalar.length;
    KL_TRY(new_node(r, KL_SCALAR, e->start_mark, &node));
    KL_TRY(check_tag(r, e->data.scalar.tag, e->start_mark));
    if (memchr(text, '\0', n))
        return kl_fail(r->diag, KL_E_SYNTAX, node->place,
                       "this text contains \\0, which is not allowed; remove it");
    yaml_scalar_style_t style = e->data.scalar.style;
    node->quoted              = style != YAML_PLAIN_SCALAR_STYLE;
    node->block = style == YAML_LITERAL_SCALAR_STYLE || style == YAML_FOLDED_SCALAR_STYLE;
    if (style == YAML_SINGLE_QUOTED_SCALAR_STYLE || style == YAML_DOUBLE_QUOTED_SCALAR_STYLE)
        node->place.column++;
    node->text = take_text(r, text, n);
    if (!node->text) return KL_E_MEMORY;
    if (e->data.scalar.anchor) {
        const char *name = (const char *)e->data.scalar.anchor;
        name             = take_text(r, name, strlen(name));
        if (!name) return KL_E_MEMORY;
        KL_TRY(set_anchor(r, name, node));
    }
    return attach(r, node);
}

static kl_status on_start(reader *r, const yaml_event_t *e, kl_node_kind kind,
                          const yaml_char_t *anchor_name, const yaml_char_t *tag)
{
    kl_node *node;
    KL_TRY(new_node(r, kind, e->start_mark, &node));
    KL_TRY(check_tag(r, tag, e->start_mark));
    if (r->depth == DEEPEST)
        return kl_fail(r->diag, KL_E_RANGE, node->place,
                       "nested more than %d levels deep; use fewer levels", DEEPEST);
    frame f = {.node = node};
    if (anchor_name) {
        f.anchor = take_text(r, (const char *)anchor_name, strlen((const char *)anchor_name));
        if (!f.anchor) return KL_E_MEMORY;
        KL_TRY(set_anchor(r, f.anchor, NULL));
    }
    r->stack[r->depth++] = f;
    return KL_OK;
}

static kl_status on_end(reader *r)
{
    frame f = r->stack[--r->depth];
    if (f.node->kind == KL_MAP) KL_TRY(finish_map(r, f.node, f.merges));
    if (f.anchor) KL_TRY(set_anchor(r, f.anchor, f.node));
    return attach(r, f.node);
}

static kl_status on_alias(reader *r, const yaml_event_t *e)
{
    const char *name  = (const char *)e->data.alias.anchor;
    kl_place    place = place_at(r, e->start_mark);
    anchor     *a     = r->anchor_cap ? find_anchor(r->anchors, r->anchor_cap, name) : NULL;
    if (!a || !a->name)
        return kl_fail(
            r->diag, KL_E_NAME, place,
            "`*%.60s` refers to a value marked `&%.60s`, but no value above is marked so; "
            "mark one, as in `&%.60s {mass: 1 kg}`, or write the value here",
            name, name, name);
    if (!a->node)
        return kl_fail(r->diag, KL_E_SYNTAX, place,
                       "alias `*%.60s` is used inside its own anchor; move it out", name);
    const frame *f = r->depth ? &r->stack[r->depth - 1] : NULL;
    if (f && f->node->kind == KL_MAP && !f->key)
        return kl_fail(r->diag, KL_E_SYNTAX, place, "an alias cannot be a key");
    if (r->depth + a->node->height > DEEPEST)
        return kl_fail(r->diag, KL_E_RANGE, place,
                       "the model is nested more than %d levels deep after this alias is expanded",
                       DEEPEST);
    KL_TRY(count_nodes(r, a->node->total, place));
    kl_node *copy = take_node(r);
    if (!copy) return KL_E_MEMORY;
    *copy      = *a->node;
    copy->next = NULL;
    copy->key  = NULL;
    return attach(r, copy);
}

static kl_status on_document_start(reader *r, const yaml_event_t *e)
{
    if (!r->root) return KL_OK;
    return kl_fail(r->diag, KL_E_SYNTAX, place_at(r, e->start_mark),
                   "a second YAML document starts here; a model file has one: remove the `---`, or "
                   "move the rest to another file");
}

static kl_status on_event(reader *r, const yaml_event_t *e)
{
    switch (e->type) {
    case YAML_DOCUMENT_START_EVENT: return on_document_start(r, e);
    case YAML_SCALAR_EVENT: return on_scalar(r, e);
    case YAML_ALIAS_EVENT: return on_alias(r, e);
    case YAML_SEQUENCE_START_EVENT:
        return on_start(r, e, KL_LIST, e->data.sequence_start.anchor, e->data.sequence_start.tag);
    case YAML_MAPPING_START_EVENT:
        return on_start(r, e, KL_MAP, e->data.mapping_start.anchor, e->data.mapping_start.tag);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT: return on_end(r);
    default: return KL_OK;
    }
}

/* ---- complaints of libyaml in our words ---- */

typedef enum pointer { AT_PROBLEM, AT_CONTEXT, AT_BOTH } pointer; /* both: say where it began */

/* The first entry whose words occur in libyaml's problem (and context, if given) is the one. */
static const struct complaint {
    const char *problem, *context;
    pointer     where;
    const char *text;
} complaints[] = {
    {"tab character", NULL, AT_PROBLEM, "a tab indents this line; use spaces"},
    {"could not find expected ':'", NULL, AT_CONTEXT,
     "this is neither `key: value` nor a `- item`; add the missing `:`, or a space after it"},
    {"mapping values are not allowed", NULL, AT_PROBLEM,
     "unexpected `:`; put a value that contains `: ` in quotes, or indent the line like its "
     "neighbours"},
    {"block sequence entries are not allowed", NULL, AT_PROBLEM,
     "a `- item` cannot start here; put the list on lines of its own below its key, all indented "
     "alike"},
    {"mapping keys are not allowed", NULL, AT_PROBLEM,
     "a key cannot start here; indent the line like its neighbours"},
    {"did not find expected key", NULL, AT_PROBLEM,
     "this does not line up with the keys above it, or follows a value that has already ended; "
     "indent it like its neighbours, or put the whole value in quotes"},
    {"did not find expected '-' indicator", NULL, AT_PROBLEM,
     "this does not line up with the items above it; start it with `- ` and indent it like them"},
    {"did not find expected ',' or ']'", NULL, AT_BOTH, "`,` or `]` is missing here, in a list"},
    {"did not find expected ',' or '}'", NULL, AT_BOTH, "`,` or `}` is missing here, in a map"},
    {"did not find expected node content", NULL, AT_PROBLEM, "a value is missing here"},
    {"unexpected end of stream", "quoted scalar", AT_CONTEXT,
     "this quote is not closed; end the text with the same quotation mark"},
    {"unexpected document indicator", NULL, AT_CONTEXT,
     "this quote is not closed before the `---` or `...` that ends the document"},
    {"unknown escape character", NULL, AT_PROBLEM,
     "this is not an escape in double quotes; write `\\\\` for a backslash, or use single quotes"},
    {"did not find expected hexdecimal number", NULL, AT_PROBLEM,
     "hexadecimal digits are missing in this escape; use single quotes for a plain backslash"},
    {"invalid Unicode character escape", NULL, AT_PROBLEM,
     "this escape is not a character; remove it"},
    {"did not find expected alphabetic or numeric", NULL, AT_CONTEXT,
     "`&` and `*` begin the name of an anchor or alias; put a text that starts with one in quotes"},
    {"", "block scalar", AT_CONTEXT,
     "`|` and `>` begin a block of text; put a value that starts with one in quotes"},
    {"unexpected ':'", NULL, AT_PROBLEM, "unexpected `:`; put the value in quotes"},
    {"", "tag", AT_CONTEXT, "a `!` begins a YAML tag; put a text that starts with it in quotes"},
    {"tag handle", NULL, AT_PROBLEM,
     "a `!` begins a YAML tag; put a text that starts with it in quotes"},
    {"<document start>", NULL, AT_PROBLEM,
     "this line does not belong to the lines above it; indent it like its neighbours, or remove "
     "it"},
    {"", "directive", AT_CONTEXT, "a line that starts with `%` is not part of a model; remove it"},
    {"%YAML", NULL, AT_PROBLEM, "a line that starts with `%` is not part of a model; remove it"},
    {"%TAG", NULL, AT_PROBLEM, "a line that starts with `%` is not part of a model; remove it"},
    {"incompatible YAML", NULL, AT_PROBLEM, "this YAML version is not known; remove the line"},
};

/* The character at a mark, 0 at the end. Only for messages, so it may walk from the start. */
static char char_at(const reader *r, yaml_mark_t mark)
{
    const char *p = r->text, *end = r->text + r->length;
    for (size_t line = 0; line < mark.line && p < end; p++)
        if (*p == '\n' || (*p == '\r' && (p + 1 == end || p[1] != '\n'))) line++;
    for (size_t column = 0; column < mark.column && p < end; column++) {
        p++;
        while (p < end && ((unsigned char)*p & 0xc0) == 0x80) p++;
    }
    return p < end ? *p : '\0';
}

static kl_status complain_start(reader *r, const yaml_parser_t *p)
{
    char     c     = char_at(r, p->problem_mark);
    kl_place place = place_at(r, p->problem_mark);
    if (c == '\t')
        return kl_fail(r->diag, KL_E_SYNTAX, place, "a tab indents this line; use spaces");
    return kl_fail(r->diag, KL_E_SYNTAX, place,
                   "a value cannot start with `%c`; put the value in quotes", c > 0x20 ? c : '?');
}

/* A line of the text without its end; lines are counted from 0. Empty if there is none. */
static const char *line_at(const reader *r, size_t line, size_t *length)
{
    const char *p = r->text, *end = r->text + r->length;
    for (; line > 0 && p < end; p++) line -= *p == '\n';
    const char *stop = memchr(p, '\n', (size_t)(end - p));
    *length          = (size_t)((stop ? stop : end) - p);
    return p;
}

/* Column (from 1) of a `:` that ends the key of a line but has no space behind it; 0: there is
 * none. YAML reads `A:{type: fixed}` as a text. */
static int colon_without_space(const reader *r, size_t line)
{
    size_t      n, i = 0;
    const char *p = line_at(r, line, &n);
    while (i < n && (p[i] == ' ' || p[i] == '-')) i++;
    for (size_t first = i; i < n && p[i] != ' ' && p[i] != '#'; i++)
        if (p[i] == ':' && i > first) return i + 1 < n && !strchr(" \r", p[i + 1]) ? (int)i + 1 : 0;
    return 0;
}

/* Is this line a key without `:`, as in `length 3 m`? */
static bool lacks_colon(const reader *r, size_t line)
{
    size_t      n;
    const char *p = line_at(r, line, &n);
    while (n > 0 && *p == ' ') p++, n--;
    return n > 0 && !strchr("#-\r", *p) && !memchr(p, ':', n);
}

/* A mistake in this line or the one before that explains the problem better than its place. */
static bool report_missing_colon(reader *r, const yaml_parser_t *p, const char *problem)
{
    bool   value = strstr(problem, "mapping values are not allowed") != NULL;
    size_t here  = p->problem_mark.line;
    if (!value && !strstr(problem, "expected key") && !strstr(problem, "expected ':'"))
        return false;
    size_t lines[] = {here, here > 0 ? here - 1 : 0, p->context ? p->context_mark.line : here};
    for (int i = 0; i < 3; i++) {
        int column = colon_without_space(r, lines[i]);
        if (column > 0)
            kl_fail(r->diag, KL_E_SYNTAX, (kl_place){r->file, (int)lines[i] + 1, column},
                    "a space is missing after this `:`");
        if (column > 0) return true;
    }
    if (!value || here == 0 || !lacks_colon(r, here - 1)) return false;
    kl_fail(r->diag, KL_E_SYNTAX, (kl_place){r->file, (int)here, 1},
            "a `:` is missing in this line; write `key: value`");
    return true;
}

/* `[1, 2, 3] kg m2`: a unit behind a list. */
static bool complain_unit(reader *r, const yaml_parser_t *p, const char *problem)
{
    size_t      n, i = p->problem_mark.column;
    const char *line = line_at(r, p->problem_mark.line, &n);
    if (!strstr(problem, "expected ','") || i >= n || !isalpha((unsigned char)line[i]))
        return false;
    while (i > 0 && line[i - 1] == ' ') i--;
    if (i == 0 || line[i - 1] != ']') return false;
    kl_fail(r->diag, KL_E_SYNTAX, place_at(r, p->problem_mark),
            "a unit cannot follow a list; write it behind each number, as in [1 mm, 2 mm, 3 mm]");
    return true;
}

static kl_status report_parser_error(reader *r, const yaml_parser_t *p)
{
    if (p->error == YAML_MEMORY_ERROR) return KL_E_MEMORY;
    const char *problem = p->problem ? p->problem : "", *context = p->context ? p->context : "";
    if (strstr(problem, "cannot start any token")) return complain_start(r, p);
    if (report_missing_colon(r, p, problem) || complain_unit(r, p, problem)) return KL_E_SYNTAX;
    for (size_t i = 0; i < sizeof complaints / sizeof *complaints; i++) {
        const struct complaint *c = &complaints[i];
        if (!strstr(problem, c->problem) || (c->context && !strstr(context, c->context))) continue;
        kl_place at = place_at(r, p->problem_mark), began = place_at(r, p->context_mark);
        if (c->where == AT_BOTH && p->context)
            return kl_fail(r->diag, KL_E_SYNTAX, at, "%s that began in line %d, column %d", c->text,
                           began.line, began.column);
        return kl_fail(r->diag, KL_E_SYNTAX, c->where == AT_CONTEXT && p->context ? began : at,
                       "%s", c->text);
    }
    return kl_fail(r->diag, KL_E_SYNTAX, place_at(r, p->problem_mark),
                   "this is not well-formed YAML (%s)", problem);
}

/* ---- the text itself ---- */

/* Length of the well-formed UTF-8 character at `p`, 0 if there is none; *code receives it. */
static int decode(const unsigned char *p, const unsigned char *end, unsigned *code)
{
    static const unsigned least[] = {0, 0, 0x80, 0x800, 0x10000};
    int                   n       = *p < 0x80                  ? 1
                                    : *p >= 0xc2 && *p <= 0xdf ? 2
                                    : *p >= 0xe0 && *p <= 0xef ? 3
                                    : *p >= 0xf0 && *p <= 0xf4 ? 4
                                                               : 0;
    if (n == 0 || end - p < n) return 0;
    *code = n == 1 ? *p : *p & (0xffu >> (n + 1));
    for (int i = 1; i < n; i++) {
        if ((p[i] & 0xc0) != 0x80) return 0;
        *code = *code << 6 | (p[i] & 0x3fu);
    }
    bool surrogate = *code >= 0xd800 && *code <= 0xdfff;
    return *code < least[n] || surrogate || *code > 0x10ffff ? 0 : n;
}

/* What YAML admits in a text. */
static bool printable(unsigned code)
{
    if (code < 0x20) return code == '\t' || code == '\n' || code == '\r';
    if (code < 0xa0) return code < 0x7f || code == 0x85;
    return code != 0xfeff && code != 0xfffe && code != 0xffff;
}

/* The signature of HDF5, and the mark that results of runs keep in their attribute `format`. */
static kl_status refuse_hdf5(const reader *r)
{
    static const char signature[] = "\x89HDF\r\n\x1a\n", mark[] = "klingel-results";
    size_t            n       = sizeof mark - 1;
    bool              results = false;
    if (r->length < 8 || memcmp(r->text, signature, 8) != 0) return KL_OK;
    for (size_t i = 0; i + n <= r->length && !results; i++)
        results = memcmp(r->text + i, mark, n) == 0;
    return kl_fail(r->diag, KL_E_SYNTAX, (kl_place){r->file, 0, 0},
                   results ? "this is a results file; open it with `klingel view` or `klingel plot`"
                           : "this is an HDF5 file; a model is a YAML text");
}

static kl_status check_text(const reader *r)
{
    KL_TRY(refuse_hdf5(r));
    const unsigned char *p = (const unsigned char *)r->text, *end = p + r->length;
    bool                 utf16 = r->length >= 2 && ((p[0] == 0xff && p[1] == 0xfe) ||
                                    (p[0] == 0xfe && p[1] == 0xff) || (p[0] == 0) != (p[1] == 0));
    if (utf16)
        return kl_fail(r->diag, KL_E_SYNTAX, (kl_place){r->file, 0, 0},
                       "this is a binary or UTF-16 file; a model is a YAML text in UTF-8");
    kl_place place = {r->file, 1, 1};
    while (p < end) {
        unsigned code;
        int      n = decode(p, end, &code);
        if (n == 0)
            return kl_fail(r->diag, KL_E_SYNTAX, place,
                           "byte 0x%02X is not UTF-8; save the file as UTF-8", *p);
        if ((code < 0x20 || code == 0x7f) && !printable(code))
            return kl_fail(r->diag, KL_E_SYNTAX, place,
                           "control character U+%04X: this is not a text file; a model is a YAML "
                           "text, so remove the character or name another file",
                           code);
        if (!printable(code))
            return kl_fail(r->diag, KL_E_SYNTAX, place,
                           "YAML does not allow the character U+%04X; remove it", code);
        p += n;
        place.column++;
        if (code == '\n' || (code == '\r' && (p == end || *p != '\n'))) {
            place.line++;
            place.column = 1;
        }
    }
    return KL_OK;
}

/* ---- reading ---- */

static kl_status read_events(reader *r, yaml_parser_t *parser)
{
    for (;;) {
        yaml_event_t e;
        if (!yaml_parser_parse(parser, &e)) return report_parser_error(r, parser);
        kl_status status = on_event(r, &e);
        bool      done   = e.type == YAML_STREAM_END_EVENT;
        yaml_event_delete(&e);
        if (status != KL_OK) return status;
        if (done) return r->status;
    }
}

static kl_status read_text(reader *r)
{
    kl_place whole = {r->file, 0, 0};
    if (r->length > MOST_BYTES)
        return kl_fail(r->diag, KL_E_RANGE, whole,
                       "the text is larger than %d MB; move large tables to separate files",
                       MOST_BYTES / (1024 * 1024));
    KL_TRY(check_text(r));
    yaml_parser_t parser;
    if (!yaml_parser_initialize(&parser)) return KL_E_MEMORY;
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser, (const unsigned char *)r->text, r->length);
    kl_status status = read_events(r, &parser);
    yaml_parser_delete(&parser);
    KL_TRY(status);
    bool empty =
        !r->root || (r->root->kind == KL_SCALAR && !r->root->quoted && r->root->text[0] == '\0');
    if (empty)
        return kl_fail(r->diag, KL_E_SYNTAX, whole,
                       "the file is empty; a model begins with a line such as `klingel: 1`");
    return KL_OK;
}

kl_status kl_doc_parse(const char *text, size_t length, const char *file, kl_arena *arena,
                       kl_diag *diag, kl_node **root)
{
    reader *r = calloc(1, sizeof *r);
    if (!r) return kl_fail(diag, KL_E_MEMORY, KL_NOWHERE, "out of memory");
    *r = (reader){.arena = arena, .diag = diag, .text = text, .length = length};
    if (length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) r->text += 3, r->length -= 3;
    r->file          = kl_arena_text(arena, file);
    kl_status status = kl_arena_ok(arena) ? read_text(r) : KL_E_MEMORY;
    if (status == KL_OK) *root = r->root;
    if (status == KL_E_MEMORY)
        kl_fail(diag, status, (kl_place){r->file, 0, 0}, "out of memory while reading");
    free(r->anchors);
    free(r->slots);
    free(r);
    return status;
}

/* All of an open file, ended by a NUL, in `*text`; at most MOST_BYTES + 1, which is too much. */
static kl_status read_all(FILE *f, char **text, size_t *length)
{
    size_t cap = 0, n = 0;
    char  *data = NULL;
    for (;;) {
        if (n == cap) {
            cap        = cap ? 2 * cap : 65536;
            char *more = realloc(data, cap + 1);
            if (!more) {
                free(data);
                return KL_E_MEMORY;
            }
            data = more;
        }
        size_t got = fread(data + n, 1, cap - n, f);
        n += got;
        if (got == 0 || n > MOST_BYTES) break;
    }
    data[n] = '\0';
    *text   = data;
    *length = n;
    return ferror(f) ? KL_E_FILE : KL_OK;
}

static kl_status cannot_read(kl_diag *diag, const char *path, int error)
{
    return kl_fail(diag, KL_E_FILE, (kl_place){path, 0, 0}, "%s", kl_file_reason(error));
}

kl_status kl_doc_read(const char *path, kl_arena *arena, kl_diag *diag, kl_node **root,
                      const char **text)
{
    FILE *f = kl_file_open(path);
    if (!f) return cannot_read(diag, path, errno);
    char     *data = NULL;
    size_t    n    = 0;
    kl_status s    = read_all(f, &data, &n);
    int       why  = errno;
    fclose(f);
    char *copy = s == KL_OK ? kl_arena_text_n(arena, data, n) : NULL;
    free(data);
    if (s == KL_E_FILE) return cannot_read(diag, path, why);
    if (!copy) return kl_fail(diag, KL_E_MEMORY, (kl_place){path, 0, 0}, "out of memory");
    if (text) *text = copy;
    return kl_doc_parse(copy, n, path, arena, diag, root);
}

/* ---- asking ---- */

static int compare_key(const void *key, const void *element)
{
    return strcmp(key, (*(const kl_node *const *)element)->key);
}

double kl_node_number(const kl_node *n, double otherwise)
{
    double value;
    if (!n || n->kind != KL_SCALAR) return otherwise;
    const char *end = n->text + strlen(n->text);
    return kl_scan_number(n->text, end, &value) == end && isfinite(value) ? value : otherwise;
}

double kl_node_entry(const kl_node *map, const char *key, double otherwise)
{
    return kl_node_number(kl_node_get(map, key), otherwise);
}

int kl_node_numbers(const kl_node *n, double *values, int most)
{
    int count = 0;
    if (!n || n->kind != KL_LIST) return 0;
    for (const kl_node *c = n->first; c && count < most; c = c->next)
        values[count++] = kl_node_number(c, 0.0);
    return count;
}

const kl_node *kl_node_get(const kl_node *map, const char *key)
{
    if (!map || map->kind != KL_MAP) return NULL;
    if (map->sorted) {
        const kl_node *const *found =
            bsearch(key, map->sorted, (size_t)map->size, sizeof *map->sorted, compare_key);
        return found ? *found : NULL;
    }
    for (const kl_node *entry = map->first; entry; entry = entry->next)
        if (strcmp(entry->key, key) == 0) return entry;
    return NULL;
}

const char *kl_node_kind_word(kl_node_kind kind)
{
    return kind == KL_MAP ? "a map" : kind == KL_LIST ? "a list" : "one value";
}
