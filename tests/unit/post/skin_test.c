/* A skin in a page: sizes, scales, the modes that were used, and what is left out when it is large.
 */
#include "post/skin.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "results/modes_file.h"
#include "unit/test.h"

enum { NODES = 4, MODES = 3 };

static kl_kbody *body(int nodes, int modes, bool stress)
{
    kl_kbody *b       = kl_kbody_create();
    b->nmode          = modes;
    b->skin.nnode     = nodes;
    b->skin.node_id   = kl_arena_array(b->arena, int, nodes);
    b->skin.x         = kl_arena_array(b->arena, kl_vec3, nodes);
    b->skin.ntriangle = 2;
    b->skin.triangle  = kl_arena_array(b->arena, int, 6);
    b->skin.motion    = kl_arena_array(b->arena, float, 3 * (size_t)nodes * (size_t)modes);
    b->stress.n       = stress ? nodes : 0;
    b->stress.node_id = kl_arena_array(b->arena, int, nodes);
    b->stress.stress  = kl_arena_array(b->arena, double, 6 * (size_t)nodes * (size_t)modes);
    assert_true(kl_arena_ok(b->arena));
    for (int i = 0; i < nodes; i++) {
        b->skin.node_id[i]   = 100000 - i;
        b->stress.node_id[i] = 100000 - (nodes - 1 - i); /* in another order than the skin's */
        b->skin.x[i]         = kl_vec(i, 0, 0);
        for (int j = 0; j < modes; j++)
            b->skin.motion[((size_t)i * (size_t)modes + (size_t)j) * 3 + 1] =
                (float)(0.1 * i * (j + 1));
    }
    if (stress)
        b->stress.stress[6 * (size_t)((nodes - 1 - 2) * modes + 1)] = 8e6; /* of skin node 2 */
    return b;
}

static int16_t short_at(const unsigned char *p) { return (int16_t)(p[0] | p[1] << 8); }

static void numbers_come_back_within_a_step_of_their_scale(void **unused)
{
    (void)unused;
    kl_kbody      *b      = body(NODES, MODES, true);
    const int      used[] = {2, 1};
    kl_skin        s      = kl_skin_plan("frame \"1\"", b, used, NULL, 2);
    kl_text        head   = {0};
    size_t         n      = 0;
    unsigned char *bytes  = kl_skin_pack(&s, &head, &n);
    assert_true(s.stress && s.kept == 2);
    assert_int_equal(n, 12 * NODES + 24 + 2 * 9 * NODES * 2);
    assert_non_null(strstr(head.data, "\"body\": \"frame \\\"1\\\"\""));
    assert_non_null(strstr(head.data, "\"modes\": 2, \"of\": 2"));
    const unsigned char *motion = bytes + 12 * NODES + 24, *stress = motion + 2 * 3 * NODES * 2;
    const char          *scale = strstr(head.data, "\"scale\": [") + 10;
    double               first = strtod(scale, NULL);
    for (int i = 0; i < NODES;
         i++) /* mode 2 of the file stands first, its y in the second column */
        assert_close(first * short_at(motion + 2 * (NODES + i)), 0.3 * i, first);
    const char *top  = strstr(head.data, "\"stress\": [") + 11;
    double      unit = strtod(strchr(top, ',') + 1, NULL); /* of mode 1, which stands second */
    assert_close(unit * short_at(stress + 2 * (6 * NODES + 2)), 8e6, unit);
    assert_int_equal(short_at(stress + 2 * (6 * NODES + 1)), 0);
    free(bytes);
    kl_text_free(&head);
    kl_kbody_destroy(b);
}

static void a_skin_that_is_too_large_loses_stress_first_then_modes(void **unused)
{
    (void)unused;
    kl_kbody *b = body(4000, 1000, true);
    kl_skin   s = kl_skin_plan("b", b, NULL, NULL, 1000);
    assert_true(!s.stress && s.no_room && s.kept == 1000);
    kl_kbody_destroy(b);
    b = body(10000, 1000, false);
    s = kl_skin_plan("b", b, NULL, NULL, 1000);
    assert_true(!s.stress && !s.no_room && s.kept == 800);
    kl_kbody_destroy(b);
}

static void stress_that_most_of_the_skin_lacks_is_not_shown(void **unused)
{
    (void)unused;
    kl_kbody *b = body(NODES, MODES, true);
    for (int i = 1; i < NODES; i++) b->stress.node_id[i] = -1;
    kl_skin s = kl_skin_plan("b", b, NULL, NULL, MODES);
    assert_false(s.stress);
    kl_kbody_destroy(b);
}

static void what_is_no_file_of_modes_is_refused(void **unused)
{
    (void)unused;
    kl_modes_scene s;
    kl_arena      *arena = kl_arena_create();
    kl_diag       *diag  = kl_diag_create();
    assert_false(kl_modes_file("/nowhere/modes.h5"));
    assert_false(kl_modes_file(KL_SOURCE_DIR "/examples/double-pendulum/model.yaml"));
    assert_int_equal(kl_modes_scene_read("/nowhere/modes.h5", arena, diag, &s), KL_E_FILE);
    assert_non_null(strstr(kl_diag_at(diag, 0)->text, "/nowhere/modes.h5"));
    kl_diag_destroy(diag);
    kl_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_come_back_within_a_step_of_their_scale),
        cmocka_unit_test(a_skin_that_is_too_large_loses_stress_first_then_modes),
        cmocka_unit_test(stress_that_most_of_the_skin_lacks_is_not_shown),
        cmocka_unit_test(what_is_no_file_of_modes_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
