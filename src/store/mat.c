/* A file is a head and elements: tag (type, bytes), data, padding to 8 bytes. An array is an
 * element made of elements: flags with the class, dimensions, name, contents. All sizes are known
 * before anything is written, so the stream needs no way back. */
#include "store/mat.h"

#include <limits.h>
#include <stdint.h>
#include <string.h>

enum { MI_INT8 = 1, MI_INT32 = 5, MI_UINT32 = 6, MI_DOUBLE = 9, MI_MATRIX = 14, MI_UTF16 = 17 };
enum { CLASS_CELL = 1, CLASS_CHAR = 4, CLASS_DOUBLE = 6 };
enum { TAG = 8, HEAD_TEXT = 116 };

static uint32_t padded(size_t bytes) { return (uint32_t)((bytes + 7) / 8 * 8); }

static void put_tag(FILE *f, uint32_t type, uint32_t bytes)
{
    const uint32_t tag[2] = {type, bytes};
    fwrite(tag, sizeof tag, 1, f);
}

/* A whole element. */
static void put(FILE *f, uint32_t type, const void *data, size_t bytes)
{
    static const char zeros[8] = {0};
    put_tag(f, type, (uint32_t)bytes);
    fwrite(data, 1, bytes, f);
    fwrite(zeros, 1, padded(bytes) - bytes, f);
}

/* Flags, dimensions and name of an array; its contents follow. */
static void put_array_head(FILE *f, uint32_t class, int nrow, int ncolumn, const char *name)
{
    const uint32_t flags[2] = {class, 0};
    const int32_t  size[2]  = {nrow, ncolumn};
    put(f, MI_UINT32, flags, sizeof flags);
    put(f, MI_INT32, size, sizeof size);
    put(f, MI_INT8, name, strlen(name));
}

static uint32_t array_head_bytes(const char *name)
{
    return 2 * (TAG + 8) + TAG + padded(strlen(name));
}

/* ---- UTF-8 to UTF-16 ---- */

/* The letter at *p, which moves on; what is not UTF-8 becomes U+FFFD. */
static uint32_t next_letter(const unsigned char **p)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    unsigned              first   = *(*p)++;
    int                   length  = first < 0x80 ? 1 : first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    if (length == 1) return first;
    if (first < 0xC2 || first > 0xF4) return 0xFFFD;
    uint32_t letter = first & (0xFFu >> (length + 1));
    for (int i = 1; i < length; i++) {
        if ((**p & 0xC0) != 0x80) return 0xFFFD;
        letter = letter << 6 | (*(*p)++ & 0x3Fu);
    }
    bool wrong = letter < least[length] || letter > 0x10FFFF || (letter & 0xFFFFF800) == 0xD800;
    return wrong ? 0xFFFD : letter;
}

/* Number of UTF-16 units; written when `f` is given. */
static int put_utf16(FILE *f, const char *text)
{
    const unsigned char *p = (const unsigned char *)text;
    int                  n = 0;
    while (*p) {
        uint32_t letter  = next_letter(&p);
        bool     pair    = letter >= 0x10000;
        uint16_t unit[2] = {(uint16_t)letter, 0};
        if (pair) {
            unit[0] = (uint16_t)(0xD800 + ((letter - 0x10000) >> 10));
            unit[1] = (uint16_t)(0xDC00 + ((letter - 0x10000) & 0x3FF));
        }
        if (f) fwrite(unit, sizeof *unit, pair ? 2 : 1, f);
        n += pair ? 2 : 1;
    }
    return n;
}

/* ---- variables ---- */

static uint32_t text_bytes(const char *name, const char *text)
{
    return array_head_bytes(name) + TAG + padded(2 * (size_t)put_utf16(NULL, text));
}

static void put_text(FILE *f, const char *name, const char *text)
{
    static const char zeros[8] = {0};
    int               n        = put_utf16(NULL, text);
    size_t            bytes    = 2 * (size_t)n;
    put_tag(f, MI_MATRIX, text_bytes(name, text));
    put_array_head(f, CLASS_CHAR, n > 0 ? 1 : 0, n, name);
    put_tag(f, MI_UTF16, (uint32_t)bytes);
    put_utf16(f, text);
    fwrite(zeros, 1, padded(bytes) - bytes, f);
}

bool kl_mat_fits(long long nrow, long long ncolumn)
{
    long long most = (INT_MAX - 1024) / 8;
    return nrow >= 0 && ncolumn >= 0 && (ncolumn == 0 || nrow <= most / ncolumn);
}

void kl_mat_begin(FILE *f, const char *text)
{
    char           head[HEAD_TEXT];
    const uint32_t no_subsystem[2] = {0, 0};
    const uint16_t version[2]      = {0x0100, 'M' << 8 | 'I'}; /* "MI" in the writer's byte order */
    size_t         n               = strlen(text);
    memset(head, ' ', sizeof head);
    memcpy(head, text, n < sizeof head ? n : sizeof head);
    fwrite(head, sizeof head, 1, f);
    fwrite(no_subsystem, sizeof no_subsystem, 1, f);
    fwrite(version, sizeof version, 1, f);
}

void kl_mat_text(FILE *f, const char *name, const char *text) { put_text(f, name, text); }

void kl_mat_texts(FILE *f, const char *name, const char *const *texts, int n)
{
    uint32_t bytes = array_head_bytes(name);
    for (int i = 0; i < n; i++) bytes += TAG + text_bytes("", texts[i]);
    put_tag(f, MI_MATRIX, bytes);
    put_array_head(f, CLASS_CELL, n, 1, name);
    for (int i = 0; i < n; i++) put_text(f, "", texts[i]);
}

void kl_mat_matrix(FILE *f, const char *name, int nrow, int ncolumn)
{
    size_t bytes = (size_t)nrow * (size_t)ncolumn * sizeof(double);
    put_tag(f, MI_MATRIX, array_head_bytes(name) + TAG + (uint32_t)bytes);
    put_array_head(f, CLASS_DOUBLE, nrow, ncolumn, name);
    put_tag(f, MI_DOUBLE, (uint32_t)bytes);
}
