/* What the tests of the readers share. */
#ifndef KL_TESTS_FE_READ_HELP_H
#define KL_TESTS_FE_READ_HELP_H

#include "unit/test.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mesh/read.h"

#define DATA KL_SOURCE_DIR "/tests/data/mesh/"

/* All messages of a diag, one a line. */
static inline const char *all_messages(const kl_diag *diag)
{
    static char all[16384];
    all[0] = '\0';
    for (int i = 0; i < kl_diag_size(diag); i++) {
        size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, "%s\n", kl_diag_at(diag, i)->text);
    }
    return all;
}

static inline kl_mesh *mesh_of_file(const char *path, const kl_read_options *options)
{
    kl_diag *diag = kl_diag_create();
    kl_mesh *mesh;
    if (kl_mesh_read(path, options, &mesh, diag) != KL_OK) fail_msg("%s", all_messages(diag));
    kl_diag_destroy(diag);
    return mesh;
}

static inline kl_mesh *mesh_of_text(kl_mesh_format format, const char *text)
{
    const kl_read_options options = {.format = format};
    kl_diag              *diag    = kl_diag_create();
    kl_mesh              *mesh;
    if (kl_mesh_read_memory("test", text, strlen(text), &options, &mesh, diag) != KL_OK)
        fail_msg("%s", all_messages(diag));
    kl_diag_destroy(diag);
    return mesh;
}

/* Reading `text` must fail with a message that holds `words`. */
static inline void complains(kl_mesh_format format, const char *text, const char *words)
{
    const kl_read_options options = {.format = format};
    kl_diag              *diag    = kl_diag_create();
    kl_mesh              *mesh;
    kl_status status = kl_mesh_read_memory("test", text, strlen(text), &options, &mesh, diag);
    if (status == KL_OK) fail_msg("expected '%s', but it was read", words);
    if (!strstr(all_messages(diag), words))
        fail_msg("expected '%s', got\n%s", words, all_messages(diag));
    assert_null(mesh);
    kl_diag_destroy(diag);
}

/* Reading must succeed with a warning or note that holds `words`. */
static inline void remarks(kl_mesh_format format, const char *text, const char *words)
{
    const kl_read_options options = {.format = format};
    kl_diag              *diag    = kl_diag_create();
    kl_mesh              *mesh;
    if (kl_mesh_read_memory("test", text, strlen(text), &options, &mesh, diag) != KL_OK ||
        !strstr(all_messages(diag), words))
        fail_msg("expected '%s', got\n%s", words, all_messages(diag));
    kl_mesh_destroy(mesh);
    kl_diag_destroy(diag);
}

static inline const kl_set *set_of(const kl_mesh *m, kl_set_kind kind, const char *name)
{
    int i = kl_mesh_find_set(m, kind, name);
    if (i < 0) fail_msg("there is no set '%s'", name);
    return &m->set[i];
}

static inline kl_vec3 position(const kl_mesh *m, int id)
{
    int i = kl_mesh_find_node(m, id);
    if (i < 0) fail_msg("there is no node %d", id);
    return m->x[i];
}

#define assert_vec(a, ex, ey, ez, tolerance)                                                       \
    do {                                                                                           \
        kl_vec3 v_ = (a);                                                                          \
        assert_close(v_.x, ex, tolerance);                                                         \
        assert_close(v_.y, ey, tolerance);                                                         \
        assert_close(v_.z, ez, tolerance);                                                         \
    } while (0)

#endif
