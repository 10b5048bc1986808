/* MATLAB level 5 MAT files (version 6 of `save`), written in one go to a stream: read by MATLAB,
 * Octave, scipy and Julia. Source: MathWorks, MAT-File Format (level 5 chapter).
 *
 * Errors are those of the stream: ask ferror() at the end. */
#ifndef KL_STORE_MAT_H
#define KL_STORE_MAT_H

#include <stdbool.h>
#include <stdio.h>

/* The largest matrix: a variable of this format has less than 2^31 bytes. */
bool kl_mat_fits(long long nrow, long long ncolumn);

/* 128 bytes; `text` (116 bytes are kept) says what it is. Must come first. */
void kl_mat_begin(FILE *f, const char *text);

/* A text; a list of texts (cell array, n x 1). UTF-8 in, UTF-16 in the file. */
void kl_mat_text(FILE *f, const char *name, const char *text);
void kl_mat_texts(FILE *f, const char *name, const char *const *texts, int n);

/* Announces a matrix of doubles: the caller writes nrow * ncolumn of them next, column by column.
 */
void kl_mat_matrix(FILE *f, const char *name, int nrow, int ncolumn);

#endif
