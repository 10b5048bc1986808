#include "language/attach_parts.h"

#include <string.h>

/* Does the axis belong to a turn? See kl_element_type. */
static bool is_axial(const kl_element_type *type, const void *data)
{
    if (!type->axial || !*type->axial) return type->axial != NULL;
    for (const kl_key *k = type->keys; k->name; k++) {
        if (strcmp(k->name, type->axial) != 0) continue;
        int         choice = *(const int *)(const void *)((const char *)data + k->offset);
        const char *word   = k->words;
        for (; choice > 0 && strchr(word, ' '); choice--) word = strchr(word, ' ') + 1;
        return strncmp(word, "angle", 5) == 0;
    }
    return false;
}

kl_status kl_attach_element(kl_scope *s, kl_model *m, const kl_entry *e,
                            const kl_element_type *type, void *data)
{
    kl_attaching a = {.s = s, .m = m, .e = e, .type = type, .data = data};
    a.axial        = is_axial(type, data);
    KL_TRY(type->attach->attach(&a));
    return type->attach->check ? type->attach->check(&a) : KL_OK;
}

int kl_attach_keys(const kl_element_type *type, const char **names, int most)
{
    static const char *const common[] = {"type",  "like",      "for",    "when",
                                         "start", "clearance", "limits", "friction"};
    int                      n        = 0;
    for (size_t i = 0; i < sizeof common / sizeof *common && n < most - 1; i++)
        names[n++] = common[i];
    for (const kl_word_key *k = type->attach->keys; k && k->name && n < most - 1; k++)
        names[n++] = k->name;
    names[n] = NULL;
    return n;
}
