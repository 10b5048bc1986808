#include "bodies/free_start.h"

#include <string.h>

#include "base/rotation.h"

void kl_free_start_write(const kl_free_start *s, double *q, double *v, unsigned char *held_position,
                         unsigned char *held_velocity)
{
    kl_vec3 velocity = kl_load(s->velocity), omega = kl_load(s->omega);
    if (s->in_body) velocity = kl_mul(s->orientation, velocity);
    else omega = kl_mul_t(s->orientation, omega);
    memcpy(q, s->position, 3 * sizeof *q);
    kl_quat_from_matrix(s->orientation, q + 3);
    kl_store(v, velocity);
    kl_store(v + 3, omega);
    for (int i = 0; i < 3; i++) {
        held_position[i]     = s->fixed & 1;
        held_position[3 + i] = (s->fixed >> 1) & 1;
        held_velocity[i]     = (s->fixed >> 2) & 1;
        held_velocity[3 + i] = (s->fixed >> 3) & 1;
    }
}
