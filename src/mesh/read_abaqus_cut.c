/* Abaqus input: from the file to a list of cards, following *INCLUDE and copying parts to
 * instances; and the lines and fields of a card. See read_abaqus.h. */
#include "mesh/read_abaqus.h"

#include <math.h>
#include <string.h>

enum { MOST_CARDS = 2000000 }; /* beyond any real model: parts copied for instances without end */

/* ---- lines and fields ---- */

inp_cursor inp_data(const inp_card *c)
{
    return (inp_cursor){c->data, c->data ? c->data->first : NULL};
}

/* The next line that is neither empty nor a comment. */
bool inp_next_line(inp_cursor *c, inp_line *line)
{
    while (c->range) {
        if (c->p >= c->range->last) {
            c->range = c->range->next;
            if (c->range) c->p = c->range->first;
            continue;
        }
        const char *first = c->p, *end = c->range->last;
        const char *nl   = memchr(first, '\n', (size_t)(end - first));
        const char *last = nl ? nl : end;
        c->p             = nl ? nl + 1 : end;
        while (first < last && kl_is_blank(*first)) first++;
        while (last > first && kl_is_blank(last[-1])) last--;
        if (first == last || (last - first > 1 && first[0] == '*' && first[1] == '*')) continue;
        *line = (inp_line){c->range->t, first, last};
        return true;
    }
    return false;
}

int inp_split(const inp_line *line, inp_field field[INP_FIELDS])
{
    int         n = 0;
    const char *p = line->first;
    while (n < INP_FIELDS && p < line->last) {
        const char *comma = memchr(p, ',', (size_t)(line->last - p));
        inp_field   f     = {p, comma ? comma : line->last};
        p                 = comma ? comma + 1 : line->last;
        while (f.first < f.last && kl_is_blank(*f.first)) f.first++;
        while (f.last > f.first && kl_is_blank(f.last[-1])) f.last--;
        field[n++] = f;
    }
    for (int i = n; i < INP_FIELDS; i++) field[i] = (inp_field){line->last, line->last};
    return n;
}

bool inp_number(inp *a, const inp_line *line, inp_field f, double otherwise, double *value)
{
    *value = otherwise;
    if (f.first == f.last) return true;
    const char *end = kl_scan_number(f.first, f.last, value);
    if (end != f.last) {
        kl_flaw(a->r, KL_FLAW_NUMBER, line->t, f.first, "'%s' is not a number",
                kl_quote(a->r, f.first, f.last));
        return false;
    }
    if (isfinite(*value)) return true;
    kl_flaw(a->r, KL_FLAW_FINITE, line->t, f.first, "'%s' is not finite",
            kl_quote(a->r, f.first, f.last));
    return false;
}

bool inp_numbers(inp *a, const inp_line *line, int n, double otherwise, double *value)
{
    inp_field field[INP_FIELDS];
    inp_split(line, field);
    for (int i = 0; i < n; i++)
        if (!inp_number(a, line, field[i], otherwise, &value[i])) return false;
    return true;
}

const char *inp_word(inp *a, inp_field f)
{
    if (f.last - f.first >= 2 && *f.first == '"' && f.last[-1] == '"') f.first++, f.last--;
    const char *word = kl_arena_text_n(a->r->arena, f.first, (size_t)(f.last - f.first));
    return word ? word : "";
}

bool inp_whole(inp_field f, long long *value)
{
    return f.first < f.last && kl_scan_integer(f.first, f.last, value) == f.last;
}

const char *inp_parameter_of(const inp_card *c, const char *name)
{
    for (const inp_parameter *p = c->parameters; p; p = p->next)
        if (strcmp(p->name, name) == 0) return p->value ? p->value : "";
    return NULL;
}

bool inp_has(const inp_card *c, const char *name, const char *value)
{
    const char *given = inp_parameter_of(c, name);
    return given && kl_same_word(given, value);
}

const char *inp_required(inp *a, inp_card *c, const char *name)
{
    const char *value = inp_parameter_of(c, name);
    if (value && *value) return value;
    kl_flaw(a->r, KL_FLAW_SYNTAX, c->t, c->at, "%s needs %s=", c->name, name);
    return NULL;
}

/* ---- cutting into cards ---- */

typedef struct part {
    const char *name;
    int        *cards; /* indices in inp.cards */
    int         n, cap;
} part;

typedef struct cutter {
    inp        *a;
    part       *parts;
    int         npart, part_cap;
    int         part;  /* being defined, or -1 */
    int         scope; /* of cards outside of parts */
    int         card;  /* whose data lines follow, or -1: none */
    kl_name_map part_map;
    bool        full;
} cutter;

/* Capitals without blanks. */
static const char *uppercase_without_blanks(kl_import *r, const char *first, const char *last)
{
    char *word = kl_arena_take(r->arena, (size_t)(last - first) + 1), *w = word;
    for (; word && first < last; first++)
        if (!kl_is_blank(*first) && *first != '\n') *w++ = kl_upper(*first);
    return word ? word : "";
}

static void add_parameter(inp *a, inp_card *c, const char *first, const char *last)
{
    while (first < last && (kl_is_blank(*first) || *first == '\n')) first++;
    while (last > first && (kl_is_blank(last[-1]) || last[-1] == '\n')) last--;
    if (first == last) return;
    const char    *equals = memchr(first, '=', (size_t)(last - first));
    inp_parameter *p      = kl_arena_array(a->r->arena, inp_parameter, 1);
    if (!p) return;
    p->name = uppercase_without_blanks(a->r, first, equals ? equals : last);
    if (equals) {
        inp_field f = {equals + 1, last};
        while (f.first < f.last && kl_is_blank(*f.first)) f.first++;
        p->value = inp_word(a, f);
    }
    p->next       = c->parameters;
    c->parameters = p;
}

/* The keyword line at `first` with its continuations; returns where the data begin. */
static const char *parse_header(cutter *u, kl_source *t, const char *first, inp_card *c)
{
    inp        *a   = u->a;
    const char *end = first, *p;
    for (bool more = true; more;) {
        const char *nl   = memchr(end, '\n', (size_t)(t->end - end));
        const char *last = nl ? nl : t->end;
        end              = nl ? nl + 1 : t->end;
        while (last > first && kl_is_blank(last[-1])) last--;
        more = last > first && last[-1] == ',' && end < t->end && *end != '*';
    }
    /* cut at commas outside of quotes */
    bool        quoted = false;
    const char *piece  = first + 1;
    for (p = piece; p <= end; p++) {
        if (p < end && *p == '"') quoted = !quoted;
        if (p < end && (*p != ',' || quoted)) continue;
        if (!c->name) {
            const char *q = p;
            while (q > piece && (kl_is_blank(q[-1]) || q[-1] == '\n')) q--;
            c->name    = kl_arena_format(a->r->arena, "*%s", kl_quote(a->r, piece, q));
            c->key     = uppercase_without_blanks(a->r, piece, p);
            c->keyword = inp_keyword_of(c->key);
        } else {
            add_parameter(a, c, piece, p);
        }
        piece = p + 1;
    }
    c->t  = t;
    c->at = first;
    if (!c->name) c->name = "*", c->key = "";
    return end;
}

static int add_card(cutter *u, const inp_card *c)
{
    inp *a  = u->a;
    u->full = a->ncard >= MOST_CARDS;
    if (u->full) return -1;
    inp_card *slot =
        kl_arena_grow(a->r->arena, (void **)&a->cards, a->ncard, &a->card_cap, sizeof *slot);
    if (!slot) return -1;
    *slot = *c;
    return a->ncard++;
}

static void add_range(inp *a, inp_card *c, kl_source *t, const char *first, const char *last)
{
    if (first >= last) return;
    inp_range *r = kl_arena_array(a->r->arena, inp_range, 1);
    if (!r) return;
    *r = (inp_range){NULL, t, first, last};
    if (c->data_end) c->data_end->next = r;
    else c->data = r;
    c->data_end = r;
}

static int add_scope(inp *a, const char *name)
{
    inp_scope *s =
        kl_arena_grow(a->r->arena, (void **)&a->scopes, a->nscope, &a->scope_cap, sizeof *s);
    if (!s) return -1;
    *s = (inp_scope){.name = name, .A = kl_identity(), .system = kl_identity()};
    return a->nscope++;
}

static void begin_part(cutter *u, inp_card *c)
{
    kl_arena   *arena = u->a->r->arena;
    const char *name  = inp_parameter_of(c, "NAME");
    part *slot = kl_arena_grow(arena, (void **)&u->parts, u->npart, &u->part_cap, sizeof *slot);
    if (!slot) return;
    *slot = (part){.name = name ? name : ""};
    kl_name_map_put(arena, &u->part_map, slot->name, u->npart);
    u->part = u->npart++;
    u->card = -1;
}

/* Copies the part's cards into the scope of a new instance. */
static void begin_instance(cutter *u, inp_card *c)
{
    inp        *a    = u->a;
    const char *name = inp_parameter_of(c, "NAME"), *of = inp_parameter_of(c, "PART");
    int         scope = add_scope(a, name ? name : "");
    int         p     = of ? kl_name_map_find(&u->part_map, of) : -1;
    if (scope < 0) return;
    if (of && p < 0)
        kl_flaw(a->r, KL_FLAW_UNKNOWN_NAME, c->t, c->at,
                "there is no part '%s' above; define it with *PART before the assembly", of);
    for (int i = 0; p >= 0 && i < u->parts[p].n; i++) {
        inp_card copy = a->cards[u->parts[p].cards[i]];
        copy.scope    = scope;
        if (add_card(u, &copy) < 0) return;
    }
    u->scope = scope;
}

static void remember_in_part(cutter *u, int card)
{
    part *p    = &u->parts[u->part];
    int  *slot = kl_arena_grow(u->a->r->arena, (void **)&p->cards, p->n, &p->cap, sizeof *slot);
    if (slot) p->cards[p->n++] = card;
}

static void cut(cutter *u, kl_source *t);

static void include(cutter *u, inp_card *c)
{
    const char *path = inp_required(u->a, c, "INPUT");
    kl_source  *t    = path ? kl_import_include(u->a->r, path, c->t, c->at) : NULL;
    if (t) cut(u, t);
}

static void end_part(cutter *u, inp_card *c)
{
    (void)c;
    u->part = -1;
    u->card = -1;
}

static void end_instance(cutter *u, inp_card *c)
{
    (void)c;
    u->scope = 0;
    u->card  = -1;
}

/* Cards that steer the cutting. */
static const struct {
    const char *name;
    void (*act)(cutter *, inp_card *);
} steering[] = {
    {"INCLUDE", include},         {"PART", begin_part},          {"ENDPART", end_part},
    {"INSTANCE", begin_instance}, {"ENDINSTANCE", end_instance},
};

/* A keyword line: opens a new card, which gets the data lines after it. */
static const char *open_card(cutter *u, kl_source *t, const char *first)
{
    inp_card    c    = {0};
    const char *rest = parse_header(u, t, first, &c);
    for (size_t i = 0; i < sizeof steering / sizeof *steering; i++) {
        if (strcmp(c.key, steering[i].name) != 0) continue;
        steering[i].act(u, &c);
        if (!c.keyword) return rest;
    }
    c.scope = u->part >= 0 ? -1 : u->scope;
    u->card = add_card(u, &c);
    if (u->part >= 0 && u->card >= 0) remember_in_part(u, u->card);
    return rest;
}

/* Data lines up to the next keyword. */
static const char *take_data(cutter *u, kl_source *t, const char *first)
{
    const char *p = first;
    while (p < t->end) {
        const char *word = p;
        while (word < t->end && kl_is_blank(*word)) word++;
        if (word + 1 < t->end && word[0] == '*' && word[1] != '*') break;
        const char *nl = memchr(word, '\n', (size_t)(t->end - word));
        p              = nl ? nl + 1 : t->end;
    }
    if (u->card >= 0) add_range(u->a, &u->a->cards[u->card], t, first, p);
    return p;
}

static void cut(cutter *u, kl_source *t)
{
    for (const char *p = t->data; p < t->end;) {
        const char *before = p;
        p                  = take_data(u, t, p);
        while (p < t->end && kl_is_blank(*p)) p++;
        if (p < t->end) p = open_card(u, t, p);
        if (p == before || u->full || !kl_arena_ok(u->a->r->arena)) return;
    }
}

void inp_cut(inp *a, kl_source *t)
{
    cutter u = {.a = a, .part = -1, .card = -1};
    if (add_scope(a, "") < 0) return;
    cut(&u, t);
    if (u.full)
        kl_flaw(a->r, KL_FLAW_SYNTAX, t, NULL,
                "more than %d cards: the instances are too many; write the mesh without parts and "
                "instances",
                MOST_CARDS);
    if (u.part >= 0)
        kl_flaw(a->r, KL_FLAW_TRUNCATED, t, t->end,
                "part '%s' is not closed by *END PART; add this line", u.parts[u.part].name);
}
