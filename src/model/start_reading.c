#include "model/start_reading.h"

#include <stdlib.h>
#include <string.h>

static size_t room(size_t bytes) { return (bytes + 63) / 64 * 64; }

kl_status kl_start_reading_open(const kl_model *m, const kl_element *e, kl_start_reading *out)
{
    size_t         nz = (size_t)e->nz, nh = (size_t)e->nh, nu = KL_INPUT_VALUES * (size_t)m->ninput;
    size_t         motions = room((size_t)e->nmarker * sizeof(kl_motion));
    size_t         numbers = room((nz + nh + nu) * sizeof(double)), cache = room((size_t)e->ncache);
    unsigned char *block = aligned_alloc(64, motions + numbers + 2 * cache + 64);
    *out                 = (kl_start_reading){.block = block};
    if (!block) return KL_E_MEMORY;
    memset(block, 0, motions + numbers + 2 * cache);
    kl_motion *motion = (kl_motion *)(void *)block;
    double    *z = (double *)(void *)(block + motions), *h = z + nz, *u = h + nh;
    void      *found = block + motions + numbers;
    for (int i = 0; i < e->nmarker; i++) kl_model_motion(m, &m->marker[e->marker + i], &motion[i]);
    if (nz) memcpy(z, m->z0 + e->z, nz * sizeof *z);
    if (nh) memcpy(h, m->h0 + e->h, nh * sizeof *h);
    for (int i = 0; i < m->ninput; i++) u[i] = m->input[i].value;
    out->in = (kl_reading){
        .t = m->t0, .m = motion, .z = z, .h = h, .u = u, .data = e->data, .nmarker = e->nmarker};
    if (cache == 0) return KL_OK;
    out->in.cache    = found;
    out->in.accepted = block + motions + numbers + cache;
    return e->type->locate ? e->type->locate(&out->in, found) : KL_OK;
}

void kl_start_reading_drop(kl_start_reading *r) { free(r->block); }
