/* Klingel from C: read a model, change a parameter, run it, read what moves, free it.
 *
 *     kl_machine *swing = kl_machine_load("swing.yaml");
 *     if (kl_machine_start(swing) != KL_OK) puts(kl_machine_message(swing, 0));
 *     int angle = kl_machine_channel(swing, "pivot.angle");
 *     for (double t = 0.0; t < 10.0; t += 0.01) {
 *         if (kl_machine_advance(swing, t) != KL_OK) break;
 *         printf("%g %g\n", t, kl_machine_value(swing, angle));
 *     }
 *     kl_machine_free(swing);
 *
 * Everything is in SI units: metre, kilogram, second, radian.
 *
 * A machine belongs to one thread at a time. Different machines know nothing of each other, so that
 * as many threads as you like may each work on their own. The library keeps no state of its own,
 * and never prints, exits or raises a signal.
 *
 * A call that can fail returns a kl_status: KL_OK is zero, anything else is a reason, which
 * kl_status_text() puts into words (klingel/status.h has the list). The messages of such a call
 * say more: what, where and what to do.
 *
 * Every call takes a NULL machine and answers with an error, zero or NULL. */
#ifndef KLINGEL_KLINGEL_H
#define KLINGEL_KLINGEL_H

#include <stdbool.h>
#include <stddef.h>

#include "klingel/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The version of the library, such as "0.1.0". */
const char *kl_version(void);

/* A mechanism or vehicle that can be run: the model as written, its parameters, and its motion so
 * far. */
typedef struct kl_machine kl_machine;

/* ---- reading a model ------------------------------------------------------------------------- */

/* Reads a model file. The result is NULL only when there is no memory for it. Otherwise it is a
 * machine whose kl_machine_status() tells how it went, and it must be freed, even when the model has
 * mistakes. */
kl_machine *kl_machine_load(const char *path);

/* Reads a model from a text of `length` bytes. `name` takes the place of a file name in messages.
 * The text is copied. */
kl_machine *kl_machine_parse(const char *text, size_t length, const char *name);

/* Frees a machine and all that it handed out. NULL is taken quietly. */
void kl_machine_free(kl_machine *machine);

/* ---- what went wrong ------------------------------------------------------------------------- */

/* The status of the last call on this machine that returns one, or of reading it. */
kl_status kl_machine_status(const kl_machine *machine);

/* The messages of that call: how many, and each as a line such as
 * "swing.yaml:4:11: body 'arm': mass is -1; it must not be negative". A call that went well may
 * leave warnings and notes here. A text is valid until the next call that returns a status. */
int         kl_machine_messages(const kl_machine *machine);
const char *kl_machine_message(const kl_machine *machine, int i);

/* ---- parameters ------------------------------------------------------------------------------ */

/* Gives a parameter of the model another value and builds the model again; nothing is parsed. What
 * was set before stays set. The machine is then back before its start. When the value does not make
 * a model, the machine stays as it was. */
kl_status kl_machine_set(kl_machine *machine, const char *parameter, double si_value);

/* The same with a text as a model file may have it: "276 mm", "2*pi*r", or a word. */
kl_status kl_machine_set_text(kl_machine *machine, const char *parameter, const char *value);

/* The value of a parameter that is a number. NaN: there is no such parameter. */
double kl_machine_parameter(const kl_machine *machine, const char *parameter);

/* ---- moving ---------------------------------------------------------------------------------- */

/* Brings the bodies onto the joints and makes ready to move, at the start time. Once more: back to
 * the start. An input that was set is held at the value of the last call (c[0] of a polynomial),
 * others have the value of the model. */
kl_status kl_machine_start(kl_machine *machine);

/* Moves on to time `until` [s], in as many steps as accuracy needs; starts the machine when that
 * has not been done. A time that has passed already is an error. On failure the machine stands at
 * the last good step. */
kl_status kl_machine_advance(kl_machine *machine, double until);

/* Moves on by one step of the integrator, not beyond `until`. */
kl_status kl_machine_step(kl_machine *machine, double until);

/* The time that the machine has reached [s]. */
double kl_machine_time(const kl_machine *machine);

/* The present state as numbers, to return to it later, in this process or another one: time,
 * coordinates, velocities, states, history, inputs and the counts of the run. The first number is the
 * version of the layout. A state belongs to the model that it was saved from, with the same
 * parameters; one of another model or version, or with any number changed, is refused, and the machine
 * is then before its start.
 * After a restore the integrator restarts, so that the motion that follows is the same, bit for bit,
 * after each restore of one state. */
size_t    kl_machine_state_size(const kl_machine *machine); /* numbers in a state */
kl_status kl_machine_save(kl_machine *machine, double *state, size_t n);
kl_status kl_machine_restore(kl_machine *machine, const double *state, size_t n);

/* Holds an input of the model (named under `inputs`) at a value from now on, until it is set
 * again. Channels show it from the next step on: until then they are those of the step before. */
kl_status kl_machine_input(kl_machine *machine, const char *input, double si_value);

/* Gives an input a course instead: c[0] + c[1] (t - now) + c[2] (t - now)^2 + c[3] (t - now)^3 with `n`
 * coefficients, 1 to 4, in SI units. It holds until the input is set again. With an exchange every H
 * seconds the error of the motion is of the order H for held values, H^2 for straight lines and H^3 for
 * parabolas. A driver whose value is the input itself follows its rate too; expressions take inputs as
 * held. */
kl_status kl_machine_input_polynomial(kl_machine *machine, const char *input,
                                      const double *coefficients, int n);

/* The straight line from `begin` now to `end` at time `until` [s]. */
kl_status kl_machine_input_ramp(kl_machine *machine, const char *input, double begin, double end,
                                double until);

/* ---- reading values -------------------------------------------------------------------------- */

/* The channels: every number that the machine offers, by index from zero. They are known as soon as
 * the model is read. Indices and texts stay valid until a parameter is set. */
int         kl_machine_channels(const kl_machine *machine);
const char *kl_machine_channel_name(const kl_machine *machine,
                                    int               channel); /* "crank.position.x" */
const char *kl_machine_channel_unit(const kl_machine *machine, int channel); /* "m" */

/* The index of a channel by its name, or -1. `klingel list` and the documentation name them:
 * "crank.position.x", "pivot.force.z", "energy.total", and what the model has under `outputs`. */
int kl_machine_channel(const kl_machine *machine, const char *name);

/* The value of a channel at the time that the machine has reached. NaN: there is no such channel,
 * or the machine has not been started. */
double kl_machine_value(const kl_machine *machine, int channel);

/* ---- a whole run ----------------------------------------------------------------------------- */

/* How long the model file wants to run, and the time between two recorded rows [s]. */
double kl_machine_end(const kl_machine *machine);
double kl_machine_every(const kl_machine *machine);

/* From the start to the end into a results file (HDF5), exactly as `klingel run` does. What was
 * computed before a failure is in the file. */
kl_status kl_machine_run(kl_machine *machine, const char *results_path);

/* From now on `continue_run` is asked after each step, in all calls that move; when it says false they
 * return KL_E_INTERRUPTED, and the machine can be moved on later. NULL: nobody is asked. */
void kl_machine_watch(kl_machine *machine, bool (*continue_run)(void *context, double time),
                      void       *context);

#ifdef __cplusplus
}
#endif

#endif
