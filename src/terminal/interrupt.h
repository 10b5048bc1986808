/* Ctrl-C and the end signal of a run: the first one asks the run to stop after its step, so that its results are complete; a
 * second one ends the program at once, which is the way out of a step that does not end. */
#ifndef KL_TERMINAL_INTERRUPT_H
#define KL_TERMINAL_INTERRUPT_H

#include <stdbool.h>

/* Call this when there are results to keep. Before it a signal ends the program as usual. */
void kl_interrupt_watch(void);

bool kl_interrupted(void);

#endif
