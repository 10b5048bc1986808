#include "fe/read_import.h"

void kl_read_nastran(kl_import *r, kl_source *t)
{
    kl_flaw(r, KL_FLAW_UNSUPPORTED, t, NULL, "Nastran meshes cannot be read yet");
}
