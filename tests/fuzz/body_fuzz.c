/* A body file beside a small sound mesh, m.inp: whatever stands in it, there comes a body whose
 * numbers are finite and whose frequencies ascend, or a reason why not. */
#include <stdio.h>
#include <unistd.h>

#include "language/body.h"
#include "mesh_law.h"

enum { MOST_BYTES = 4096 };

/* a bar of two hexahedra with named ends */
static const char mesh[] =
    "*NODE\n1,0,0,0\n2,.1,0,0\n3,.1,.1,0\n4,0,.1,0\n5,0,0,.2\n6,.1,0,.2\n7,.1,.1,.2\n8,0,.1,.2\n"
    "9,0,0,.4\n10,.1,0,.4\n11,.1,.1,.4\n12,0,.1,.4\n"
    "*ELEMENT,TYPE=C3D8,ELSET=EALL\n1,1,2,3,4,5,6,7,8\n2,5,6,7,8,9,10,11,12\n"
    "*NSET,NSET=root\n1,2,3,4\n*NSET,NSET=tip\n9,10,11,12\n";

static void write_file(const char *path, const void *data, size_t size)
{
    FILE *f = fopen(path, "wb");
    expect(f != NULL);
    fwrite(data, 1, size, f);
    fclose(f);
}

static void expect_sound_body(const kl_kbody *b)
{
    expect(b->nmode > 0 && isfinite(b->inertia.m) && b->inertia.m > 0);
    for (int j = 0; j < b->nmode; j++) {
        expect(isfinite(b->frequency[j]) && b->frequency[j] >= 0);
        expect(j == 0 || b->frequency[j] >= b->frequency[j - 1] * (1 - 1e-9));
    }
    for (int k = 0; k < b->nmode * b->nmode; k++)
        expect(isfinite(b->Kff[k]) && isfinite(b->Mff[k]));
}

static void reduce(kl_body_file *file, kl_diag *diag)
{
    kl_kbody *body   = NULL;
    kl_status status = kl_reduce(file->mesh, file->has_matrices ? &file->system : NULL,
                                 &file->recipe, &body, NULL, diag);
    expect(status == KL_OK ? body && !kl_diag_failed(diag) : !body && kl_diag_failed(diag));
    if (body && !file->recipe.plain) expect_sound_body(body);
    kl_kbody_destroy(body);
}

static char folder[] = "/tmp/klingel-fuzz-XXXXXX", path[64], beside[64];

static void clean(void)
{
    remove(path);
    remove(beside);
    remove(folder);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > MOST_BYTES) return 0;
    if (path[0] == '\0') {
        expect(mkdtemp(folder) != NULL);
        snprintf(path, sizeof path, "%s/body.yaml", folder);
        snprintf(beside, sizeof beside, "%s/m.inp", folder);
        write_file(beside, mesh, sizeof mesh - 1);
        atexit(clean);
    }
    write_file(path, data, size);
    kl_diag     *diag = kl_diag_create();
    kl_body_file file;
    kl_status    status = kl_body_file_read(path, &file, diag);
    expect((status == KL_OK) == !kl_diag_failed(diag));
    if (status == KL_OK) reduce(&file, diag);
    kl_body_file_free(&file);
    kl_diag_destroy(diag);
    return 0;
}
