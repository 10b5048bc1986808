/* Status codes: one list from which the enum, the texts and the documentation come.
 *
 * Zero is good. Positive means "not now": shorten the step and call again. Negative means stop. */
#ifndef KLINGEL_STATUS_H
#define KLINGEL_STATUS_H

#define KL_STATUS_LIST(X)                                                                          \
    X(KL_OK, 0, "done")                                                                            \
    X(KL_RETRY, 1, "cannot be evaluated here; a shorter step may help")                            \
    X(KL_E_MEMORY, -1, "out of memory")                                                            \
    X(KL_E_FILE, -2, "a file could not be read or written")                                        \
    X(KL_E_SYNTAX, -3, "the text is not well formed")                                              \
    X(KL_E_MODEL, -4, "the model contains errors")                                                    \
    X(KL_E_RANGE, -5, "a value is outside its range")                                              \
    X(KL_E_NAME, -6, "there is no object of this name")                                                               \
    X(KL_E_ASSEMBLY, -7, "the joints cannot be closed")                                            \
    X(KL_E_SINGULAR, -8, "the equations have no unique solution")                                  \
    X(KL_E_STEP, -9, "the step became too small")                                                  \
    X(KL_E_NAN, -10, "a value is not finite")                                                      \
    X(KL_E_INTERRUPTED, -11, "interrupted")                                                        \
    X(KL_E_VERSION, -12, "the file was written by a newer version")                                \
    X(KL_E_USAGE, -13, "a function of the library was called with invalid arguments")                                      \
    X(KL_E_INTERNAL, -14, "this is a bug in klingel: please report it")                            \
    X(KL_E_STOPPED, -15, "the motion reached a place where it cannot continue")

typedef enum kl_status {
#define KL_STATUS_ENUM(name, value, text) name = value,
    KL_STATUS_LIST(KL_STATUS_ENUM)
#undef KL_STATUS_ENUM
} kl_status;

/* The text of a status, for people. */
const char *kl_status_text(kl_status status);

/* Passes any status but KL_OK on to the caller. */
#define KL_TRY(call)                                                                               \
    do {                                                                                           \
        kl_status kl_try_status_ = (call);                                                         \
        if (kl_try_status_ != KL_OK) return kl_try_status_;                                        \
    } while (0)

#endif
