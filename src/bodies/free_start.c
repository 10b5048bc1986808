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

void kl_free_carry(const double *dx, bool transposed, double *x, int n, int nv)
{
    kl_vec3 turn = kl_load(dx + 3);
    /* the transpose of T(phi) is T(-phi) */
    kl_mat3 T = kl_rotation_tangent_inverse(transposed ? kl_neg(turn) : turn);
    for (int i = 0; i < n; i++, x += nv) kl_store(x + 3, kl_mul(&T, kl_load(x + 3)));
}
