/* Tracks of spatial segments: lengths, curvatures and roll in the rider's own frame. */
#include <math.h>

#include "base/rotation.h"
#include "language/track_parts.h"
#include "language/values.h"

/* One number, or two: at the start and at the end. */
static bool read_pair(kl_track_reader *r, const kl_node *map, const char *key, const char *unit,
                      double out[2])
{
    const kl_node *n = kl_node_get(map, key);
    if (!n) return true;
    if (n->kind == KL_SCALAR) {
        if (kl_scope_number(r->s, n, key, unit, &out[0]) != KL_OK) return false;
        out[1] = out[0];
        return true;
    }
    if (n->kind != KL_LIST || n->size != 2) {
        kl_fail(r->diag, KL_E_MODEL, n->place,
                "%s: give one value for all of it, or two, for start and end: [0, 1/20]", key);
        return false;
    }
    return kl_scope_number(r->s, n->first, key, unit, &out[0]) == KL_OK &&
           kl_scope_number(r->s, n->first->next, key, unit, &out[1]) == KL_OK;
}

/* Curvatures towards left and up and the rate of roll, each constant or from a start to an end
 * value; `shape` says how they change between both. `roll` gives the
 * change of the roll angle over the segment instead of its rate. */
static void read_segment(kl_track_reader *r, const kl_node *n, kl_spatial_segment *g)
{
    static const char *const keys[] = {"length",    "left",  "up",         "roll",
                                       "roll_rate", "shape", "roll_shape", NULL};
    const char              *word;
    g->place = n->place;
    if (!kl_track_keys(r, n, "a segment", keys)) return;
    if (!kl_node_get(n, "length"))
        kl_fail(r->diag, KL_E_MODEL, n->place,
                "a segment needs a length: {length: 20 m, up: 1/15}");
    kl_track_number(r, n, "length", "m", &g->length);
    kl_track_number(r, n, "roll", "rad", &g->roll);
    read_pair(r, n, "left", "1/m", g->left);
    read_pair(r, n, "up", "1/m", g->up);
    read_pair(r, n, "roll_rate", "rad/m", g->roll_rate);
    if (kl_track_word(r, n, "shape", kl_shape_names(), &word)) g->shape = kl_shape_find(word);
    if (kl_track_word(r, n, "roll_shape", kl_shape_names(), &word))
        g->roll_shape = kl_shape_find(word);
}

/* Position and axes at the start: heading about z, slope up, then roll. */
static void read_start(kl_track_reader *r, kl_spatial *in)
{
    static const char *const keys[]  = {"position", "heading", "slope", "roll", NULL};
    const kl_node           *n       = kl_node_get(r->node, "start");
    double                   heading = 0.0, slope = 0.0, roll = 0.0;
    in->A = kl_identity();
    if (!n || !kl_track_keys(r, n, "start", keys)) return;
    const kl_node *position = kl_node_get(n, "position");
    if (position) kl_value_vec3(r->s, position, "position", "m", &in->start);
    kl_track_number(r, n, "heading", "rad", &heading);
    kl_track_number(r, n, "slope", "rad", &slope);
    kl_track_number(r, n, "roll", "rad", &roll);
    kl_mat3 Z = kl_rotation_exp(kl_vec(0, 0, heading)), Y = kl_rotation_exp(kl_vec(0, -slope, 0));
    kl_mat3 X = kl_rotation_exp(kl_vec(roll, 0, 0)), ZY = kl_matmul(&Z, &Y);
    in->A = kl_matmul(&ZY, &X);
}

kl_status kl_track_segments(kl_track_reader *r)
{
    const kl_node *n = kl_node_get(r->node, "segments");
    if (n->kind != KL_LIST)
        return kl_fail(r->diag, KL_E_MODEL, n->place,
                       "segments is %s; give a list: [{length: 20 m}, {length: 30 m, up: 1/15}]",
                       kl_node_kind_word(n->kind));
    kl_spatial          in      = {.n = n->size, .most = r->options->most, .place = n->place};
    kl_spatial_segment *segment = kl_arena_array(r->arena, kl_spatial_segment, n->size + 1);
    r->roll                     = kl_arena_array(r->arena, kl_piecewise, 1);
    if (!kl_arena_ok(r->arena)) return KL_E_MEMORY;
    int i = 0;
    for (const kl_node *c = n->first; c; c = c->next) read_segment(r, c, &segment[i++]);
    read_start(r, &in);
    if (kl_diag_failed(r->diag)) return KL_E_MODEL;
    in.segment = segment;
    KL_TRY(kl_spatial_build(&in, r->arena, r->diag, &r->curve, r->roll));
    r->what = kl_arena_format(r->arena, "%d spatial segments", in.n);
    return r->what ? KL_OK : KL_E_MEMORY;
}
