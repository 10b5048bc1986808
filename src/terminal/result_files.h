/* What the subcommands that read results share: opening with a word on how the run ended, choosing
 * channels, and files that appear only when they are whole. */
#ifndef KL_TERMINAL_RESULT_FILES_H
#define KL_TERMINAL_RESULT_FILES_H

#include <stdbool.h>
#include <stdio.h>

#include "base/files.h"
#include "results/results.h"
#include "terminal/terminal.h"

/* Opens results; on failure the reason is printed and NULL comes back. A run that is not complete
 * is noted on standard error. `diag` must outlive the reader. */
kl_reader *kl_open_results(const char *path, kl_diag *diag);

/* Channels by number, in the order asked for, each once. */
typedef struct kl_selection {
    int *channels;
    int  n;
} kl_selection;

/* All channels that the names or patterns (`crank.*`, `*.force.?`) mean. Every name that means
 * nothing is reported with a suggestion; then false. The name `time` is passed over. */
bool kl_select_channels(const kl_reader *r, const char *file, char *const *patterns, int n,
                        kl_diag *diag, kl_selection *out);

/* The number of the one channel of that name; -1 when there is none, which is reported. */
int kl_select_one(const kl_reader *r, const char *file, const char *name, kl_diag *diag);

/* The channels that the model defines as outputs, or all when it defines none or `all` is set. */
bool kl_select_default(const kl_reader *r, bool all, kl_selection *out);
void kl_selection_free(kl_selection *s);

/* True when both names lead to one file. */
bool kl_same_file(const char *a, const char *b);

/* Files that appear whole (base/files.h). Both print the reason of a failure and return false. */
bool kl_output_open(kl_new_file *o, const char *path);
bool kl_output_close(kl_new_file *o);
/* Removes the unfinished file; prints the reason if writing to it failed. */
bool kl_output_discard(kl_new_file *o);

#endif
