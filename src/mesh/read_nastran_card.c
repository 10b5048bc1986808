/* Nastran bulk data: from the file to cards, and from a card to fields. See read_nastran.h. */
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "mesh/read_nastran.h"

enum { SMALL = 8, LARGE = 16, LINE_FIELDS = 8 };

/* One line of the file without its comment. */
typedef struct line {
    const char *first, *last;
    const char *next; /* where the next one begins */
} line;

static line line_at(const char *p, const char *end)
{
    const char *nl   = memchr(p, '\n', (size_t)(end - p));
    line        l    = {p, nl ? nl : end, nl ? nl + 1 : end};
    const char *note = memchr(l.first, '$', (size_t)(l.last - l.first));
    if (note) l.last = note;
    while (l.last > l.first && kl_is_blank(l.last[-1])) l.last--;
    return l;
}

static bool starts(const char *p, const char *last, const char *word)
{
    for (; *word; p++, word++)
        if (p >= last || kl_upper(*p) != *word) return false;
    return true;
}

static bool is_continuation(const line *l)
{
    char c = *l->first;
    if (c == '+' || c == '*' || c == ',') return true;
    if (c == '\t') return true;
    const char *p = l->first;
    while (p < l->last && *p == ' ') p++;
    return p - l->first >= SMALL || (p > l->first && (*p == ',' || *p == '+'));
}

/* ---- cutting ---- */

typedef struct cutter {
    bulk            *b;
    bool             in_bulk, ended;
    const bulk_kind *last_kind;
    char             last_name[SMALL + 1];
} cutter;

static void cut(cutter *u, kl_source *t);

/* INCLUDE 'path', the path perhaps over several lines. Returns where reading goes on. */
static const char *include(cutter *u, kl_source *t, const line *l)
{
    const char *p = l->first + strlen("INCLUDE");
    while (p < t->end && kl_is_blank(*p)) p++;
    char        quote = p < t->end && (*p == '\'' || *p == '"') ? *p : 0;
    const char *next = l->next, *end = l->last;
    if (quote) {
        p++;
        end = memchr(p, quote, (size_t)(t->end - p));
        if (!end) {
            kl_flaw(u->b->r, KL_FLAW_SYNTAX, t, p,
                    "the quote around the included file is not closed; close it in the same line");
            return l->next;
        }
        const char *nl = memchr(end, '\n', (size_t)(t->end - end));
        next           = nl ? nl + 1 : t->end;
    }
    char *path = kl_arena_take(u->b->r->arena, (size_t)(end - p) + 1), *w = path;
    for (; path && p < end; p++)
        if (*p != '\n' && *p != '\r') *w++ = *p;
    kl_source *inner = path ? kl_import_include(u->b->r, path, t, l->first) : NULL;
    if (inner) cut(u, inner);
    return next;
}

static bool is_include(const char *word, const char *last)
{
    if (!starts(word, last, "INCLUDE")) return false;
    const char *after = word + strlen("INCLUDE");
    return after == last || kl_is_blank(*after) || *after == '\'' || *after == '"';
}

static const bulk_kind *kind_at(cutter *u, const line *l)
{
    size_t      n = 0;
    char        name[SMALL + 1];
    const char *p = l->first;
    while (p < l->last && kl_is_blank(*p)) p++;
    for (; p < l->last && n < SMALL; p++) {
        if (*p == ',' || *p == '*' || kl_is_blank(*p)) break;
        name[n++] = kl_upper(*p);
    }
    name[n] = '\0';
    if (strcmp(name, u->last_name) != 0) { /* mostly one kind after another */
        u->last_kind = bulk_kind_of(name, n);
        strcpy(u->last_name, name);
    }
    return u->last_kind;
}

static void open_card(cutter *u, kl_source *t, const line *l)
{
    bulk      *b = u->b;
    bulk_card *c =
        kl_arena_grow(b->r->arena, (void **)&b->cards, b->ncard, &b->card_cap, sizeof *c);
    if (!c) return;
    *c = (bulk_card){kind_at(u, l), t, l->first, l->last};
    b->ncard++;
}

static void take_line(cutter *u, kl_source *t, const line *l)
{
    bulk *b = u->b;
    if (!is_continuation(l)) {
        open_card(u, t, l);
        return;
    }
    bulk_card *c = b->ncard ? &b->cards[b->ncard - 1] : NULL;
    if (c && c->t == t) c->last = l->last;
    else
        kl_flaw(b->r, KL_FLAW_SYNTAX, t, l->first,
                "this line continues a card, but there is none before it; remove it or add the "
                "first line of the card");
}

static void cut(cutter *u, kl_source *t)
{
    for (const char *p = t->data; p < t->end && !u->ended;) {
        line l = line_at(p, t->end);
        p      = l.next;
        if (l.first == l.last) continue;
        const char *word = l.first;
        while (word < l.last && kl_is_blank(*word)) word++;
        if (word == l.last) continue;
        if (is_include(word, l.last)) {
            l.first = word;
            p       = include(u, t, &l);
        } else if (!u->in_bulk) {
            u->in_bulk = u->b->begun = starts(word, l.last, "BEGIN");
        } else if (starts(word, l.last, "ENDDATA")) {
            u->ended = u->b->ended = true;
        } else if (!starts(word, l.last, "BEGIN")) {
            take_line(u, t, &l);
        }
    }
}

static bool has_begin(const kl_source *t)
{
    for (const char *p = t->data; p < t->end;) {
        line        l    = line_at(p, t->end);
        const char *word = l.first;
        while (word < l.last && kl_is_blank(*word)) word++;
        if (starts(word, l.last, "BEGIN")) return true;
        p = l.next;
    }
    return false;
}

void bulk_cut(bulk *b, kl_source *t)
{
    cutter u = {.b = b, .in_bulk = !has_begin(t)};
    cut(&u, t);
}

/* ---- fields ---- */

/* `place` where the field is not part of the file itself. */
static void add_field(bulk *b, const char *first, const char *last, const char *place)
{
    while (first < last && kl_is_blank(*first)) first++;
    while (last > first && kl_is_blank(last[-1])) last--;
    bulk_field *f =
        kl_arena_grow(b->r->arena, (void **)&b->field, b->nfield, &b->field_cap, sizeof *f);
    if (!f) return;
    *f = (bulk_field){first, last, place ? place : first};
    b->nfield++;
}

/* A line with tabs as it looks with a stop every eight columns; its place is then its beginning. */
static bool expand_tabs(bulk *b, line *l)
{
    size_t n = SMALL * (size_t)(l->last - l->first) + 1, k = 0;
    char  *copy = kl_arena_take(b->r->arena, n);
    if (!copy) return false;
    for (const char *p = l->first; p < l->last; p++) {
        if (*p != '\t') {
            copy[k++] = *p;
            continue;
        }
        do copy[k++] = ' ';
        while (k % SMALL);
    }
    l->first = copy;
    l->last  = copy + k;
    return true;
}

/* Fields of one line; `first` line of the card has its name, others a mark of continuation. Returns
 * the mark at its end (field ten). */
static bulk_field split_free(bulk *b, const line *l, bool large)
{
    int         most = large ? LINE_FIELDS / 2 : LINE_FIELDS, n = -1;
    bulk_field  mark = {NULL, NULL, NULL};
    const char *p    = l->first;
    while (p <= l->last) {
        const char *comma = p < l->last ? memchr(p, ',', (size_t)(l->last - p)) : NULL;
        const char *end   = comma ? comma : l->last;
        if (n >= 0 && n < most) add_field(b, p, end, NULL);
        else if (n == most) mark = (bulk_field){p, end, p};
        n++;
        if (!comma) break;
        p = comma + 1;
    }
    for (; n < most; n++) add_field(b, l->last, l->last, NULL);
    return mark;
}

static bulk_field split_fixed(bulk *b, const line *l, const char *place, bool large)
{
    ptrdiff_t width = large ? LARGE : SMALL, length = l->last - l->first;
    int       n = large ? LINE_FIELDS / 2 : LINE_FIELDS;
    for (int i = 0; i < n; i++) {
        ptrdiff_t from = SMALL + i * width, to = from + width;
        if (from > length) from = length;
        if (to > length) to = length;
        add_field(b, l->first + from, l->first + to, place);
    }
    ptrdiff_t mark = SMALL + n * width;
    if (mark >= length) return (bulk_field){NULL, NULL, NULL};
    return (bulk_field){l->first + mark, l->last, place ? place : l->first + mark};
}

static void trim_mark(bulk_field *f)
{
    while (f->first < f->last && (kl_is_blank(*f->first) || *f->first == '+' || *f->first == '*'))
        f->first++;
    while (f->last > f->first && kl_is_blank(f->last[-1])) f->last--;
}

/* Old decks name continuations; they may then be in any order, which is not followed here. */
static void check_mark(bulk *b, bulk_field mark, const line *l, bool is_free)
{
    const char *comma = is_free ? memchr(l->first, ',', (size_t)(l->last - l->first)) : NULL;
    const char *end   = comma ? comma : l->last - l->first > SMALL ? l->first + SMALL : l->last;
    bulk_field  here  = {l->first, end, l->first};
    if (!mark.first) return;
    trim_mark(&mark);
    trim_mark(&here);
    size_t n = (size_t)(mark.last - mark.first), m = (size_t)(here.last - here.first);
    if (n == 0 || m == 0 || (n == m && memcmp(mark.first, here.first, n) == 0)) return;
    kl_flaw(b->r, KL_FLAW_SYNTAX, b->card->t, l->first,
            "continuation +%s follows a card that expects +%s; sort the lines",
            kl_quote(b->r, here.first, here.last), kl_quote(b->r, mark.first, mark.last));
}

void bulk_open(bulk *b, bulk_card *c)
{
    b->card         = c;
    b->nfield       = 0;
    bulk_field mark = {NULL, NULL, NULL};
    add_field(b, c->first, c->first, NULL); /* field 0 represents the name */
    bool first_line = true;
    for (const char *p = c->first; p < c->last;) {
        line l = line_at(p, c->last);
        p      = l.next;
        if (l.first == l.last) continue;
        const char *place   = NULL;
        bool        is_free = memchr(l.first, ',', (size_t)(l.last - l.first)) != NULL;
        const char *head    = l.first;
        while (head < l.last && kl_is_blank(*head)) head++;
        if (head == l.last) continue;
        if (is_free && first_line) l.first = head;
        if (!is_free && memchr(l.first, '\t', (size_t)(l.last - l.first))) {
            place = l.first;
            if (!expand_tabs(b, &l)) return;
        }
        /* large: a star within the first eight columns or the first free field */
        const char *stop = l.first;
        while (stop < l.last && stop - l.first < SMALL && *stop != ',') stop++;
        bool large = memchr(l.first, '*', (size_t)(stop - l.first)) != NULL;
        if (!first_line && !place) check_mark(b, mark, &l, is_free);
        mark = is_free ? split_free(b, &l, large) : split_fixed(b, &l, place, large);
        if (place) mark.first = NULL;
        first_line = false;
    }
    while (b->nfield > 1 && bulk_empty(b, b->nfield - 1)) b->nfield--;
}

/* ---- values ---- */

bulk_field bulk_at(const bulk *b, int i)
{
    if (i < b->nfield) return b->field[i];
    const char *end = b->card->first;
    return (bulk_field){end, end, end};
}

bool bulk_empty(const bulk *b, int i)
{
    bulk_field f = bulk_at(b, i);
    return f.first == f.last;
}

bool bulk_is(const bulk *b, int i, const char *word)
{
    bulk_field f = bulk_at(b, i);
    size_t     n = strlen(word);
    return (size_t)(f.last - f.first) == n && starts(f.first, f.last, word);
}

const char *bulk_name(const bulk *b) { return b->card->kind ? b->card->kind->name : "card"; }

bool bulk_is_whole(const bulk *b, int i, long long *value)
{
    bulk_field f = bulk_at(b, i);
    return f.first < f.last && kl_scan_integer(f.first, f.last, value) == f.last;
}

bool bulk_is_real(const bulk *b, int i)
{
    bulk_field f = bulk_at(b, i);
    double     v;
    long long  n;
    return f.first < f.last && !bulk_is_whole(b, i, &n) &&
           kl_scan_number_bare_exponent(f.first, f.last, &v) == f.last;
}

bool bulk_whole(bulk *b, int i, int otherwise, int *value)
{
    long long v;
    *value = otherwise;
    if (bulk_empty(b, i)) return true;
    if (bulk_is_whole(b, i, &v) && v >= INT_MIN && v <= INT_MAX) {
        *value = (int)v;
        return true;
    }
    bulk_field f = bulk_at(b, i);
    bulk_flaw(b, KL_FLAW_NUMBER, i, "%s, field %d: '%s' is not a whole number", bulk_name(b), i + 1,
              kl_quote(b->r, f.first, f.last));
    return false;
}

bool bulk_real(bulk *b, int i, double otherwise, double *value)
{
    *value = otherwise;
    if (bulk_empty(b, i)) return true;
    bulk_field  f   = bulk_at(b, i);
    const char *end = kl_scan_number_bare_exponent(f.first, f.last, value);
    if (end == f.last && isfinite(*value)) return true;
    bulk_flaw(b, end == f.last ? KL_FLAW_FINITE : KL_FLAW_NUMBER, i,
              "%s, field %d: '%s' is not a %s", bulk_name(b), i + 1,
              kl_quote(b->r, f.first, f.last), end == f.last ? "finite number" : "number");
    return false;
}

bool bulk_reals(bulk *b, int i, int n, double otherwise, double *value)
{
    for (int k = 0; k < n; k++)
        if (!bulk_real(b, i + k, otherwise, &value[k])) return false;
    return true;
}

bool bulk_directions(bulk *b, int i, unsigned *bits)
{
    bulk_field f = bulk_at(b, i);
    *bits        = 0;
    for (const char *p = f.first; p < f.last; p++) {
        if (*p < '1' || *p > '6') {
            bulk_flaw(b, KL_FLAW_RANGE, i, "%s: directions '%s' must be digits from 1 to 6",
                      bulk_name(b), kl_quote(b->r, f.first, f.last));
            return false;
        }
        *bits |= 1u << (*p - '1');
    }
    return true;
}

int bulk_list(bulk *b, int i, bool elements, kl_int_list *out)
{
    long long v, last;
    while (i < b->nfield) {
        if (bulk_empty(b, i)) {
            i++;
            continue;
        }
        if (!bulk_is_whole(b, i, &v) || v < 1 || v > INT_MAX) return i;
        if (!kl_int_list_push(b->r, out, (int)v)) return b->nfield;
        i++;
        if (!bulk_is(b, i, "THRU") || !bulk_is_whole(b, i + 1, &last)) continue;
        long long step = 1;
        int       next = i + 2;
        if (bulk_is(b, next, "BY") && bulk_is_whole(b, next + 1, &step)) next += 2;
        if (step > 0) kl_import_range(b->r, elements, v + step, last, step, out);
        i = next;
    }
    return i;
}

void bulk_flaw(bulk *b, kl_flaw_kind kind, int i, const char *format, ...)
{
    char    text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    kl_flaw(b->r, kind, b->card->t, i > 0 ? bulk_at(b, i).at : b->card->first, "%s", text);
}

void bulk_refuse(bulk *b, int i, const char *format, ...)
{
    char    text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    kl_unsupported(b->r, b->card->t, i > 0 ? bulk_at(b, i).at : b->card->first, bulk_name(b), "%s",
                   text);
}
