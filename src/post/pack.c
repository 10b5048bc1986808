#include "post/pack.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

void kl_pack_planes(const float *values, size_t n, unsigned char *planes)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        for (int k = 0; k < 4; k++) planes[(size_t)k * n + i] = (unsigned char)(bits >> (8 * k));
    }
}

unsigned char *kl_pack_deflate(const void *bytes, size_t n, size_t *packed)
{
    uLongf         size = compressBound((uLong)n);
    unsigned char *out  = malloc(size);
    if (!out) return NULL;
    if (compress2(out, &size, bytes, (uLong)n, 6) != Z_OK) {
        free(out);
        return NULL;
    }
    *packed = size;
    return out;
}

int kl_pack_base64(FILE *f, const unsigned char *bytes, size_t n, size_t *written)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    enum { GROUPS = 1024 };
    char line[4 * GROUPS];
    for (size_t i = 0; i < n;) {
        size_t k = 0;
        for (; i < n && k < sizeof line; i += 3, k += 4) {
            unsigned left = n - i > 2 ? 3 : (unsigned)(n - i);
            unsigned v = (unsigned)bytes[i] << 16 | (left > 1 ? (unsigned)bytes[i + 1] << 8 : 0) |
                         (left > 2 ? bytes[i + 2] : 0);
            line[k]     = digits[v >> 18];
            line[k + 1] = digits[v >> 12 & 63];
            line[k + 2] = left > 1 ? digits[v >> 6 & 63] : '=';
            line[k + 3] = left > 2 ? digits[v & 63] : '=';
        }
        if (fwrite(line, 1, k, f) != k) return 0;
        *written += k;
    }
    return 1;
}

kl_status kl_pack_write(FILE *f, const void *bytes, size_t n, size_t *written)
{
    size_t         packed = 0;
    unsigned char *small  = kl_pack_deflate(bytes, n, &packed);
    if (!small) return KL_E_MEMORY;
    int good = kl_pack_base64(f, small, packed, written);
    free(small);
    return good ? KL_OK : KL_E_FILE;
}
