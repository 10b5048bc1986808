#include "base/share.h"

#include <string.h>

const kl_share *kl_share_find(const char *name)
{
    for (const kl_share *s = kl_share_files; s->name; s++)
        if (strcmp(s->name, name) == 0) return s;
    return NULL;
}
