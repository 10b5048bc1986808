#include "base/diag.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

enum { MOST_MESSAGES = 200, LONGEST_WORD = 64 }; /* more messages are not useful to a reader */

typedef struct placed_part {
    const char *name;
    kl_place    place;
} placed_part;

struct kl_diag {
    kl_arena    *arena;
    kl_message  *messages;
    int          n, cap;
    placed_part *parts; /* placed by the model itself, not by a template */
    int          nparts, cap_parts;
    int          count[3]; /* by severity, including what was not kept */
    kl_status    first;
};

const char *kl_status_text(kl_status status)
{
    switch (status) {
#define KL_STATUS_CASE(name, value, text)                                                          \
    case name: return text;
        KL_STATUS_LIST(KL_STATUS_CASE)
#undef KL_STATUS_CASE
    }
    return "unknown status";
}

kl_diag *kl_diag_create(void)
{
    kl_diag *d = calloc(1, sizeof *d);
    if (d && !(d->arena = kl_arena_create())) {
        free(d);
        return NULL;
    }
    return d;
}

void kl_diag_destroy(kl_diag *d)
{
    if (!d) return;
    kl_arena_destroy(d->arena);
    free(d);
}

void kl_diag_clear(kl_diag *d)
{
    kl_arena *fresh = kl_arena_create();
    if (!fresh) return;
    kl_arena_destroy(d->arena);
    *d = (kl_diag){.arena = fresh};
}

/* A loop or a template makes the same mistake many times over; one message is enough. */
static bool already_reported(const kl_diag *d, const char *place, const char *word,
                             const char *body)
{
    size_t np = strlen(place), nw = strlen(word);
    for (int i = d->n - 1; *place && i >= 0; i--) {
        const char *t = d->messages[i].text;
        if (strncmp(t, place, np) == 0 && strncmp(t + np, word, nw) == 0 &&
            strcmp(t + np + nw, body) == 0)
            return true;
    }
    return false;
}

void kl_diag_part(kl_diag *d, const char *name, kl_place place)
{
    if (!d || !place.file) return;
    for (int i = 0; i < d->nparts; i++) /* models are read several times */
        if (strcmp(d->parts[i].name, name) == 0 && d->parts[i].place.line == place.line &&
            d->parts[i].place.column == place.column &&
            strcmp(d->parts[i].place.file, place.file) == 0)
            return;
    place.file       = kl_arena_text(d->arena, place.file);
    const char *copy = kl_arena_text(d->arena, name);
    if (!copy || !place.file) return;
    placed_part *p =
        kl_arena_grow(d->arena, (void **)&d->parts, d->nparts, &d->cap_parts, sizeof *p);
    if (!p) return;
    *p = (placed_part){.name = copy, .place = place};
    d->nparts++;
}

/* Whether `text` names something of the part: 'coach.front.rails' belongs to coach. */
static bool names_member(const char *text, const char *part)
{
    size_t n = strlen(part);
    for (const char *at = text; (at = strstr(at, part)) != NULL; at++) {
        bool begins = at == text || (!isalnum((unsigned char)at[-1]) && !strchr("._-", at[-1]));
        if (begins && at[n] == '.' && isalpha((unsigned char)at[n + 1])) return true;
    }
    return false;
}

/* The part that a message in the file of a template is about: named in the message, or the only one
 * there is. NULL: unknown, or the message is in the file that places the part. */
static const placed_part *part_of_message(const kl_diag *d, kl_place at, const char *body)
{
    const placed_part *found = d->nparts == 1 ? &d->parts[0] : NULL;
    if (!at.file || at.line == 0) return NULL;
    for (int i = d->nparts - 1; i >= 0; i--) /* the model that was read last */
        if (names_member(body, d->parts[i].name)) {
            found = &d->parts[i];
            break;
        }
    return found && strcmp(found->place.file, at.file) != 0 ? found : NULL;
}

static void add(kl_diag *d, kl_severity severity, kl_status status, kl_place at, const char *format,
                va_list args)
{
    if (!d) return;
    char body[2800], place[600] = "";
    int  n                  = vsnprintf(body, 2048, format, args);
    n                       = n < 2047 ? n + 1 : 2048; /* with the zero at its end */
    const placed_part *part = part_of_message(d, at, body);
    if (part) {
        char where[740];
        int  nw = snprintf(where, sizeof where, "in part '%.200s' (%.500s:%d:%d): ", part->name,
                           part->place.file, part->place.line, part->place.column);
        memmove(body + nw, body, (size_t)n);
        memcpy(body, where, (size_t)nw);
    }
    static const char *const word[] = {"note: ", "warning: ", ""};
    if (at.file && at.line > 0)
        snprintf(place, sizeof place, "%.500s:%d:%d: ", at.file, at.line, at.column);
    else if (at.file) snprintf(place, sizeof place, "%.500s: ", at.file);
    if (already_reported(d, place, word[severity], body)) return;
    d->count[severity]++;
    if (severity == KL_ERROR && d->first == KL_OK) d->first = status;
    if (d->n >= MOST_MESSAGES) return;

    kl_message *m = kl_arena_grow(d->arena, (void **)&d->messages, d->n, &d->cap, sizeof *m);
    char       *t = kl_arena_format(d->arena, "%s%s%s", place, word[severity], body);
    if (!m || !t) return;
    *m = (kl_message){.severity = severity, .status = status, .text = t};
    d->n++;
}

kl_status kl_fail(kl_diag *d, kl_status status, kl_place place, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add(d, KL_ERROR, status, place, format, args);
    va_end(args);
    return status;
}

void kl_warn(kl_diag *d, kl_place place, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add(d, KL_WARNING, KL_OK, place, format, args);
    va_end(args);
}

void kl_note(kl_diag *d, kl_place place, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add(d, KL_NOTE, KL_OK, place, format, args);
    va_end(args);
}

int  kl_diag_count(const kl_diag *d, kl_severity severity) { return d ? d->count[severity] : 0; }
int  kl_diag_size(const kl_diag *d) { return d ? d->n : 0; }
bool kl_diag_failed(const kl_diag *d) { return d && d->count[KL_ERROR] > 0; }

kl_status kl_diag_status(const kl_diag *d) { return d ? d->first : KL_OK; }

const kl_message *kl_diag_at(const kl_diag *d, int i) { return &d->messages[i]; }

/* Edit distance with neighbours swapped as one edit (Damerau, restricted), case ignored. */
static int distance(const char *a, const char *b)
{
    int na = (int)strlen(a), nb = (int)strlen(b);
    int row[3][LONGEST_WORD + 1];
    for (int j = 0; j <= nb; j++) row[1][j] = j;
    for (int i = 1; i <= na; i++) {
        int *two = row[(i + 2) % 3], *one = row[i % 3],
            *now = row[(i + 1) % 3]; /* rows i-2, i-1, i */
        now[0]   = i;
        for (int j = 1; j <= nb; j++) {
            int ca = tolower((unsigned char)a[i - 1]), cb = tolower((unsigned char)b[j - 1]);
            int best = one[j - 1] + (ca != cb);
            if (one[j] + 1 < best) best = one[j] + 1;
            if (now[j - 1] + 1 < best) best = now[j - 1] + 1;
            bool swapped = i > 1 && j > 1 && ca == tolower((unsigned char)b[j - 2]) &&
                           cb == tolower((unsigned char)a[i - 2]);
            if (swapped && two[j - 2] + 1 < best) best = two[j - 2] + 1;
            now[j] = best;
        }
    }
    return row[(na + 1) % 3][nb];
}

const char *kl_nearest(const char *word, const char *const *words)
{
    const char *best  = NULL;
    size_t      n     = strlen(word);
    int         least = n <= 1 ? 0 : n <= 3 ? 1 : n <= 6 ? 2 : 3; /* a third may be wrong */
    if (n == 0 || n > LONGEST_WORD) return NULL;
    for (; *words; words++) {
        if (strlen(*words) > LONGEST_WORD) continue;
        int d = distance(word, *words);
        if (d <= least && (!best || d < least)) {
            best  = *words;
            least = d;
        }
    }
    return best;
}
