/* Models with an element that only the test knows: bodies, joints and settings come from a text, the
 * element is added in C. Shows that a new element needs no other source. */
#ifndef KL_TESTS_OWN_ELEMENT_H
#define KL_TESTS_OWN_ELEMENT_H

#include "base/rotation.h"
#include "unit/build_model.h"

typedef struct own_model {
    built     text; /* what was read: data of its bodies and joints are shared */
    kl_model *m;
} own_model;

/* A model like that of the text, not yet frozen. */
static inline own_model own_begin(const char *text)
{
    own_model o = {.text = must_build(text), .m = kl_model_create()};
    assert_non_null(o.m);
    const kl_model *from = o.text.model;
    o.m->settings        = from->settings;
    o.m->gravity         = from->gravity;
    for (int i = 0; i < from->nbody; i++) {
        const kl_body *b  = &from->body[i];
        kl_body       *to = kl_model_add_body(o.m, b->type, b->name, b->place);
        assert_non_null(to);
        to->own = b->own;
        if (b->type->data_size) memcpy(to->data, b->data, b->type->data_size);
    }
    assert_int_equal(kl_model_start_bodies(o.m, o.text.diag), KL_OK);
    for (int i = 0; i < from->nelement; i++) {
        const kl_element *e  = &from->element[i];
        kl_element       *to = kl_model_add_element(o.m, e->type, e->name, e->place, e->joint);
        assert_non_null(to);
        to->nmarker = e->nmarker;
        if (e->type->data_size) memcpy(to->data, e->data, e->type->data_size);
        for (int k = 0; k < e->nmarker; k++)
            assert_int_equal(kl_model_add_marker(o.m, from->marker[e->marker + k].body,
                                                 &from->marker[e->marker + k]),
                             KL_OK);
    }
    return o;
}

/* An element with a marker at the origin of each of the bodies named, ended by NULL; returns its
 * data. */
static inline void *own_add(own_model *o, const kl_element_type *type, const char *name,
                            const char *const *bodies)
{
    kl_element *e = kl_model_add_element(o->m, type, name, KL_NOWHERE, false);
    assert_non_null(e);
    for (; *bodies; bodies++, e->nmarker++) {
        int       body = kl_model_find_body(o->m, *bodies);
        kl_marker at   = {.A = kl_identity()};
        assert_true(body >= 0);
        assert_int_equal(kl_model_add_marker(o->m, body, &at), KL_OK);
    }
    return e->data;
}

/* After all elements. */
static inline void own_finish(own_model *o)
{
    o->m->nmarker_elements = o->m->nmarker;
    if (kl_model_freeze(o->m, o->text.diag) == KL_OK) return;
    print_messages(o->text.diag);
    fail_msg("the model was not frozen");
}

static inline void own_free(own_model *o)
{
    kl_model_destroy(o->m);
    built_free(&o->text);
}

#endif
