/* Matrix files: Matrix Market (Boisvert, Pozo, Remington: The Matrix Market Exchange Formats,
 * NISTIR 5935, 1996) and the matrix storage of CalculiX (row, column, value a line, the upper
 * triangle).
 *
 * Every entry is checked: a number, finite, inside the matrix. A general matrix must be symmetric
 * to 1e-8 of its largest entry, because a stiffness that is not would be taken for another one. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mesh/read_matrix.h"

static const double asymmetry = 1e-8; /* of the largest entry; programs write 6 to 16 digits */

/* ---- triplets ---- */

bool kl_triplets_put(kl_import *r, kl_triplets *m, int row, int column, double value)
{
    if (m->n == m->cap) {
        int64_t cap = m->cap ? 2 * m->cap : 1024;
        void   *a   = realloc(m->row, (size_t)cap * sizeof *m->row);
        if (a) m->row = a;
        void *b = realloc(m->column, (size_t)cap * sizeof *m->column);
        if (b) m->column = b;
        void *c = realloc(m->value, (size_t)cap * sizeof *m->value);
        if (c) m->value = c;
        if (!a || !b || !c) {
            r->status = KL_E_MEMORY;
            return false;
        }
        m->cap = cap;
    }
    m->row[m->n]     = row;
    m->column[m->n]  = column;
    m->value[m->n++] = value;
    return true;
}

void kl_triplets_free(kl_triplets *m)
{
    free(m->row);
    free(m->column);
    free(m->value);
    *m = (kl_triplets){0};
}

/* ---- scanning ---- */

typedef struct scanner {
    kl_import  *r;
    kl_source  *t;
    const char *p, *end;
    bool        stop; /* the file is at its end, or not to be understood further */
} scanner;

static void skip_line(scanner *s)
{
    const char *nl = memchr(s->p, '\n', (size_t)(s->end - s->p));
    s->p           = nl ? nl + 1 : s->end;
}

static void skip_space(scanner *s)
{
    while (s->p < s->end && (kl_is_blank(*s->p) || *s->p == '\n')) s->p++;
}

static bool token_ends(const char *p, const char *end)
{
    return p >= end || kl_is_blank(*p) || *p == '\n';
}

static const char *token_end(const char *p, const char *end)
{
    while (!token_ends(p, end)) p++;
    return p;
}

static void not_a_number(scanner *s)
{
    kl_flaw(s->r, KL_FLAW_NUMBER, s->t, s->p, "'%s' is not a number",
            kl_quote(s->r, s->p, token_end(s->p, s->end)));
    skip_line(s);
}

static bool take_index(scanner *s, long long *value)
{
    skip_space(s);
    const char *q = kl_scan_integer(s->p, s->end, value);
    if (!q || !token_ends(q, s->end)) return false;
    s->p = q;
    return true;
}

static bool take_value(scanner *s, double *value)
{
    skip_space(s);
    const char *q = kl_scan_number(s->p, s->end, value);
    if (!q || !token_ends(q, s->end)) return false;
    if (!isfinite(*value))
        kl_flaw(s->r, KL_FLAW_FINITE, s->t, s->p,
                "the value '%s' is not finite; write the matrices again", kl_quote(s->r, s->p, q));
    s->p = q;
    return true;
}

/* One line row, column, value into m; rows and columns 0 mean no limit. */
static void take_entry(scanner *s, kl_triplets *m)
{
    long long   i, j;
    double      v;
    const char *at = s->p;
    if (!take_index(s, &i) || !take_index(s, &j) || !take_value(s, &v)) {
        if (s->p < s->end) {
            not_a_number(s);
            return;
        }
        kl_flaw(s->r, KL_FLAW_TRUNCATED, s->t, s->end,
                "the file ends within an entry: write or copy it again");
        s->stop = true;
        return;
    }
    long long rows = m->rows ? m->rows : INT_MAX, columns = m->columns ? m->columns : INT_MAX;
    if (i < 1 || i > rows || j < 1 || j > columns)
        kl_flaw(s->r, KL_FLAW_RANGE, s->t, at,
                "entry (%lld, %lld) is outside the matrix of %lld rows and %lld columns", i, j,
                rows, columns);
    else if (!kl_triplets_put(s->r, m, (int)i - 1, (int)j - 1, v)) s->stop = true;
}

/* ---- Matrix Market ---- */

static bool next_word(const char **p, const char *end, const char **first, const char **last)
{
    while (*p < end && kl_is_blank(**p)) (*p)++;
    *first = *p;
    while (*p < end && !kl_is_blank(**p)) (*p)++;
    *last = *p;
    return *first < *last;
}

static bool is_word(const char *first, const char *last, const char *word)
{
    for (; *word; first++, word++)
        if (first >= last || kl_upper(*first) != kl_upper(*word)) return false;
    return first == last;
}

typedef struct header {
    bool coordinate, symmetric;
} header;

/* %%MatrixMarket matrix coordinate real symmetric */
static bool read_header(scanner *s, header *h)
{
    const char *end = memchr(s->p, '\n', (size_t)(s->end - s->p)), *p = s->p, *at = s->p;
    const char *first, *last;
    bool        word[5] = {false};
    if (!end) end = s->end;
    for (int i = 0; i < 5 && next_word(&p, end, &first, &last); i++) {
        if (last > first && last[-1] == '\r') last--;
        if (i == 0) word[0] = is_word(first, last, "%%MatrixMarket");
        else if (i == 1) word[1] = is_word(first, last, "matrix");
        else if (i == 2) {
            h->coordinate = is_word(first, last, "coordinate");
            word[2]       = h->coordinate || is_word(first, last, "array");
        } else if (i == 3) {
            word[3] = is_word(first, last, "real") || is_word(first, last, "integer") ||
                      is_word(first, last, "double");
        } else {
            h->symmetric = is_word(first, last, "symmetric");
            word[4]      = h->symmetric || is_word(first, last, "general");
        }
    }
    skip_line(s);
    if (!word[0])
        kl_flaw(
            s->r, KL_FLAW_SYNTAX, s->t, at,
            "this is not a Matrix Market file; its first line must begin with %%%%MatrixMarket");
    else if (!word[1] || !word[2] || !word[3] || !word[4])
        kl_flaw(s->r, KL_FLAW_UNSUPPORTED, s->t, at,
                "only 'matrix coordinate|array real|integer symmetric|general' can be used");
    return word[0] && word[1] && word[2] && word[3] && word[4];
}

static void skip_comments(scanner *s)
{
    while (skip_space(s), s->p < s->end && *s->p == '%') skip_line(s);
}

static void read_coordinates(scanner *s, kl_triplets *m, long long n)
{
    for (long long i = 0; i < n && !s->stop; i++) {
        skip_comments(s);
        if (s->p >= s->end) {
            kl_flaw(s->r, KL_FLAW_TRUNCATED, s->t, s->end,
                    "the file ends after %lld of %lld entries: write or copy it again", i, n);
            return;
        }
        take_entry(s, m);
    }
}

/* Dense: column by column; symmetric: the lower triangle of each. Zeros are not kept. */
static void read_array(scanner *s, kl_triplets *m)
{
    for (int j = 0; j < m->columns && !s->stop; j++)
        for (int i = m->symmetric ? j : 0; i < m->rows && !s->stop; i++) {
            double v;
            skip_comments(s);
            if (!take_value(s, &v)) {
                if (s->p < s->end) not_a_number(s);
                else
                    kl_flaw(s->r, KL_FLAW_TRUNCATED, s->t, s->end,
                            "the file ends in column %d of %d: write or copy it again", j + 1,
                            m->columns);
                s->stop = true;
            } else if ((v != 0.0 || i == j) && !kl_triplets_put(s->r, m, i, j, v)) {
                s->stop = true;
            }
        }
}

void kl_read_matrix_market(kl_import *r, kl_source *t, kl_triplets *m)
{
    scanner   s = {r, t, t->data, t->end, false};
    header    h = {0};
    long long rows, columns, n = 0;
    if (!read_header(&s, &h)) return;
    skip_comments(&s);
    const char *at = s.p;
    if (!take_index(&s, &rows) || !take_index(&s, &columns) ||
        (h.coordinate && !take_index(&s, &n))) {
        kl_flaw(r, KL_FLAW_SYNTAX, t, s.p, "expected the size: rows, columns%s",
                h.coordinate ? ", entries" : "");
        return;
    }
    if (rows < 1 || columns < 1 || rows > INT_MAX || columns > INT_MAX || n < 0) {
        kl_flaw(r, KL_FLAW_RANGE, t, at,
                "a matrix cannot have %lld rows and %lld columns; correct the line with the size",
                rows, columns);
        return;
    }
    m->rows      = (int)rows;
    m->columns   = (int)columns;
    m->symmetric = h.symmetric;
    if (h.coordinate) read_coordinates(&s, m, n);
    else read_array(&s, m);
    skip_comments(&s);
    if (s.p < s.end && !s.stop && r->status == KL_OK)
        kl_flaw(r, KL_FLAW_COUNT, t, s.p,
                "the file contains more entries than it declares; correct the number of entries in "
                "the line with the size");
}

/* ---- CalculiX ---- */

void kl_read_matrix_storage(kl_import *r, kl_source *t, kl_triplets *m)
{
    scanner s    = {r, t, t->data, t->end, false};
    m->symmetric = true;
    while (skip_space(&s), s.p < s.end && !s.stop) take_entry(&s, m);
}

/* ---- to a symmetric matrix ---- */

/* General: both triangles must say the same. The lower one is used. */
static void check_symmetry(kl_import *r, kl_source *t, const kl_triplets *m,
                           const kl_symmetric *lower)
{
    int64_t nupper = 0, nlower = 0;
    double  largest = 0.0;
    for (int64_t k = 0; k < m->n; k++) {
        nupper += m->row[k] < m->column[k];
        nlower += m->row[k] > m->column[k];
        largest = fmax(largest, fabs(m->value[k]));
    }
    if (nupper == 0 && nlower > 0) {
        kl_flaw(r, KL_FLAW_SYNTAX, t, NULL,
                "the header says general, but the file contains only one triangle; write "
                "'symmetric' in the header");
        return;
    }
    for (int64_t k = 0; k < m->n; k++) {
        int i = m->row[k], j = m->column[k];
        if (i >= j) continue;
        int64_t at    = kl_symmetric_find(lower, j, i);
        double  other = at >= 0 ? lower->value[at] : 0.0;
        if (fabs(other - m->value[k]) > asymmetry * largest)
            kl_flaw(r, KL_FLAW_RANGE, t, NULL,
                    "the matrix is not symmetric: entry (%d, %d) is %g, entry (%d, %d) is %g; "
                    "stiffness and mass must be symmetric, so check both files",
                    i + 1, j + 1, m->value[k], j + 1, i + 1, other);
    }
}

static int compare_key(const void *p, const void *q)
{
    uint64_t a = *(const uint64_t *)p, b = *(const uint64_t *)q;
    return (a > b) - (a < b);
}

/* How many entries of the file were added to others: those used, less those that came out. */
static int64_t repeats(const kl_triplets *m, const kl_symmetric *A, unsigned char *has_diagonal)
{
    int64_t used = 0, diagonals = 0;
    for (int64_t k = 0; k < m->n; k++) {
        used += m->symmetric || m->row[k] >= m->column[k];
        if (m->row[k] != m->column[k] || has_diagonal[m->row[k]]) continue;
        has_diagonal[m->row[k]] = 1;
        diagonals++;
    }
    return used - (kl_symmetric_nnz(A) - (A->n - diagonals));
}

/* An entry given twice would be added: in a file it is a mistake. */
static void check_repeats(kl_import *r, kl_source *t, const kl_triplets *m, const kl_symmetric *A)
{
    unsigned char *has_diagonal = calloc((size_t)A->n + 1, 1);
    int64_t        n            = has_diagonal ? repeats(m, A, has_diagonal) : 0;
    free(has_diagonal);
    if (n == 0) return;
    uint64_t *key = malloc((size_t)(m->n ? m->n : 1) * sizeof *key);
    if (!key) {
        r->status = KL_E_MEMORY;
        return;
    }
    for (int64_t k = 0; k < m->n; k++) {
        uint64_t i = (uint64_t)m->row[k], j = (uint64_t)m->column[k];
        key[k] = m->symmetric && i < j ? j << 32 | i : i << 32 | j;
    }
    qsort(key, (size_t)m->n, sizeof *key, compare_key);
    for (int64_t k = 1; k < m->n; k++)
        if (key[k] == key[k - 1])
            kl_flaw(r, KL_FLAW_RANGE, t, NULL, "entry (%d, %d) is given twice; remove one",
                    (int)(key[k] >> 32) + 1, (int)(key[k] & 0xffffffff) + 1);
    free(key);
}

void kl_triplets_to_symmetric(kl_import *r, kl_source *t, const kl_triplets *m, int n,
                              kl_symmetric *A)
{
    for (int64_t k = 0; k < m->n; k++)
        if (m->row[k] >= n || m->column[k] >= n) {
            kl_flaw(
                r, KL_FLAW_RANGE, t, NULL,
                "entry (%d, %d) is outside the %d unknowns; give files that belong to one model",
                m->row[k] + 1, m->column[k] + 1, n);
            return;
        }
    kl_status status = (m->symmetric ? kl_symmetric_from_triplets : kl_symmetric_from_full)(
        A, n, m->n, m->row, m->column, m->value);
    if (status != KL_OK) {
        r->status = status;
        return;
    }
    check_repeats(r, t, m, A);
    if (!m->symmetric) check_symmetry(r, t, m, A);
}
