#include "terminal/interrupt.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t interrupted;

static void on_interrupt(int signal)
{
    (void)signal;
    interrupted = 1;
}

void kl_interrupt_watch(void)
{
    /* SA_RESETHAND: the second signal finds the usual action, which ends the program */
    struct sigaction once = {.sa_handler = on_interrupt, .sa_flags = SA_RESETHAND | SA_RESTART};
    sigemptyset(&once.sa_mask);
    sigaction(SIGINT, &once, NULL);
    sigaction(SIGTERM, &once, NULL);
}

bool kl_interrupted(void) { return interrupted; }
