/* Four files in one input, cut at bytes 0xff: stiffness, mass, unknowns, nodes. The system that
 * comes out is sound, or there is none and a reason. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "mesh_law.h"

static void write_part(const char *path, const uint8_t *first, const uint8_t *last)
{
    FILE *f = fopen(path, "wb");
    expect(f != NULL);
    if (last > first) fwrite(first, 1, (size_t)(last - first), f);
    fclose(f);
}

static void expect_sound_system(const kl_system *s)
{
    expect(s->K.n == s->ndof && s->M.n == s->ndof);
    for (int i = 0; i < s->ndof; i++) {
        expect(s->dof_node[i] >= 0 && s->dof_node[i] < s->nnode && s->dof_component[i] < 6);
        expect(s->dof[6 * s->dof_node[i] + s->dof_component[i]] == i);
        expect(s->K.row[s->K.start[i]] == i && s->M.row[s->M.start[i]] == i);
    }
    for (int64_t k = 0; k < s->K.start[s->ndof]; k++)
        expect(s->K.row[k] < s->ndof && isfinite(s->K.value[k]));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char           path[4][64];
    const uint8_t *p = data, *end = data + size;
    for (int i = 0; i < 4; i++) {
        const uint8_t *cut = p < end ? memchr(p, 0xff, (size_t)(end - p)) : NULL;
        snprintf(path[i], sizeof path[i], "/tmp/klingel-fuzz-%d.%s", (int)getpid(),
                 i == 0   ? "sti"
                 : i == 1 ? "mas"
                 : i == 2 ? "dof"
                          : "csv");
        write_part(path[i], p, cut ? cut : end);
        p = cut ? cut + 1 : end;
    }
    bool                  by_order = size > 0 && (data[0] == '%');
    const kl_matrix_files files    = {
           .stiffness = path[0], .mass = path[1], .dof = by_order ? NULL : path[2], .nodes = path[3]};
    kl_diag  *diag = kl_diag_create();
    kl_system s;
    kl_status status = kl_system_read(&s, &files, NULL, NULL, diag);
    expect((status == KL_OK) == !kl_diag_failed(diag));
    if (status == KL_OK) expect_sound_system(&s);
    kl_system_free(&s);
    kl_diag_destroy(diag);
    for (int i = 0; i < 4; i++) remove(path[i]);
    return 0;
}
