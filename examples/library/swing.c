/* The library in use: how the period of a swing grows with its rope, and what a push does.
 *
 *     cc swing.c $(pkg-config --cflags --libs klingel) -lm -o swing && ./swing swing.yaml
 *
 * For small angles theory says T = 2 pi sqrt(L/g). */
#include <math.h>
#include <stdio.h>

#include <klingel/klingel.h>

static int failed(kl_machine *swing, const char *doing)
{
    fprintf(stderr, "%s: %s\n", doing, kl_status_text(kl_machine_status(swing)));
    for (int i = 0; i < kl_machine_messages(swing); i++)
        fprintf(stderr, "%s\n", kl_machine_message(swing, i));
    kl_machine_free(swing);
    return 1;
}

/* Time between the first two passes through the middle, times two; negative: it failed. */
static double period_of(kl_machine *swing)
{
    int    x       = kl_machine_channel(swing, "seat.position.x");
    double pass[2] = {0}, before = 0.0;
    int    n = 0;
    if (kl_machine_start(swing) != KL_OK) return -1.0;
    before = kl_machine_value(swing, x);
    for (double t = 0.001; n < 2; t += 0.001) {
        if (kl_machine_advance(swing, t) != KL_OK) return -1.0;
        double now = kl_machine_value(swing, x);
        if (before * now < 0.0) pass[n++] = t - 0.001 * now / (now - before);
        before = now;
    }
    return 2.0 * (pass[1] - pass[0]);
}

int main(int argc, char **argv)
{
    kl_machine *swing = kl_machine_load(argc > 1 ? argv[1] : "swing.yaml");
    if (!swing || kl_machine_status(swing) != KL_OK) return failed(swing, "reading the model");

    /* change a parameter; the file is not read again */
    printf("rope [m]  period [s]  theory [s]\n");
    for (double rope = 1.0; rope <= 4.0; rope *= 2.0) {
        if (kl_machine_set(swing, "rope", rope) != KL_OK) return failed(swing, "setting the rope");
        double period = period_of(swing);
        if (period < 0.0) return failed(swing, "swinging");
        printf("%8.3f  %10.5f  %10.5f\n", rope, period, 2.0 * 3.14159265358979 * sqrt(rope / 9.81));
    }

    /* push whenever it swings away from us: an input is held until it is set again */
    int speed  = kl_machine_channel(swing, "seat.velocity.x");
    int energy = kl_machine_channel(swing, "energy.total");
    if (kl_machine_start(swing) != KL_OK) return failed(swing, "starting");
    double at_first = kl_machine_value(swing, energy);
    for (int i = 1; i <= 1000; i++) {
        double push = kl_machine_value(swing, speed) > 0.0 ? 20.0 : 0.0;
        if (kl_machine_input(swing, "push", push) != KL_OK ||
            kl_machine_advance(swing, 0.01 * i) != KL_OK)
            return failed(swing, "pushing");
    }
    printf("pushed for %g s: energy grew by %.1f %s\n", kl_machine_time(swing),
           kl_machine_value(swing, energy) - at_first, kl_machine_channel_unit(swing, energy));

    /* a whole run into a file, for `klingel view`, `klingel plot` or any program that reads HDF5 */
    if (argc > 2 && kl_machine_run(swing, argv[2]) != KL_OK) return failed(swing, "recording");
    kl_machine_free(swing);
    return 0;
}
