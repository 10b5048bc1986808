/* Numbers to text that reads back to the same bits, with no digit too many. */
#ifndef KL_BASE_SHORTEST_H
#define KL_BASE_SHORTEST_H

enum { KL_SHORTEST = 32 }; /* bytes that any number fits, with its NUL */

/* Writes `value` with 15, 16 or 17 digits, the fewest that read back as the same double, and
 * returns the length: 0.1, -2.5, 1e+300, 0.30000000000000004, nan, inf, -inf. The locale is not
 * asked. */
int kl_print_shortest(char text[KL_SHORTEST], double value);

#endif
