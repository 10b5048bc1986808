/* Numbers in text: scanned fast, rounded right, never asking the locale.
 *
 * For readers of large files (meshes, matrices, tables). The text need not end in a NUL. */
#ifndef KL_BASE_NUMBER_H
#define KL_BASE_NUMBER_H

#include <stddef.h>

/* Reads the decimal number at `p` (sign, digits, point, exponent; `nan` and `inf` too) and returns
 * the first character after it, or NULL when no number starts there. The value is the double
 * nearest to what is written, as strtod gives it in the C locale. Beside e and E, the exponent
 * letters d and D of Fortran are taken. No blanks are skipped. */
const char *kl_scan_number(const char *p, const char *end, double *value);

/* The same, and an exponent may stand without its letter, as Nastran writes: 1.5-3 is 0.0015. */
const char *kl_scan_number_bare_exponent(const char *p, const char *end, double *value);

/* Reads a whole number with sign; NULL when none starts at `p` or it does not fit. A point or
 * exponent after it is not looked at: the caller sees what follows. */
const char *kl_scan_integer(const char *p, const char *end, long long *value);

#endif
