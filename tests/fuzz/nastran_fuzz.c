#include "mesh_law.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_mesh(data, size, KL_FORMAT_NASTRAN);
}
