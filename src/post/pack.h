/* Bytes made small enough to travel inside a page: zlib's format, then base64.
 *
 * The only file that knows zlib is pack.c. */
#ifndef KL_POST_PACK_H
#define KL_POST_PACK_H

#include <stddef.h>
#include <stdio.h>

#include "klingel/status.h"

/* Floats change little from row to row, so their high bytes repeat: byte 0 of all values, then byte
 * 1, and so on, deflates to about half. `planes` holds 4 n bytes, little endian whatever the
 * machine. */
void kl_pack_planes(const float *values, size_t n, unsigned char *planes);

/* Writes the deflated bytes as base64; `written` counts characters. KL_E_MEMORY or KL_E_FILE. */
kl_status kl_pack_write(FILE *f, const void *bytes, size_t n, size_t *written);

/* Deflates into a new block, to be freed. NULL when out of memory. */
unsigned char *kl_pack_deflate(const void *bytes, size_t n, size_t *packed);

/* Base64 of bytes; returns false when the stream fails. */
int kl_pack_base64(FILE *f, const unsigned char *bytes, size_t n, size_t *written);

#endif
