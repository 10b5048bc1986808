/* New kinds in one file: two named resources, a force that uses them, and an element with a way of its
 * own to attach in a section of its own, without a change to any other source. The catalogue is the only list of kinds, so that a program (here this test) can
 * bring its own in its place.
 *
 *   fluids:   {lake: {density: 1000, table: depth.csv}}       described by keys alone; water is built in
 *   basins:   {pool: {fluid: lake, levels: [[0, 1], [2, 3]]}} refers to a fluid, reads a list itself
 *   forces:   {lift: {type: buoyancy, on: ball, basin: pool, volume: 2 l}}
 *   membranes: {roof: {corners: [a, b.tip, c], tension: 3 N}}   three markers; it needs no `type` */
#include <stdlib.h>

#include "base/text.h"
#include "bodies/bodies.h"
#include "catalogue.h"
#include "forces/forces.h"
#include "joints/joints.h"
#include "language/attach.h"
#include "language/resources.h"
#include "reference/reference.h"
#include "reference/schema.h"
#include "reference/write_model.h"
#include "unit/build_model.h"

/* ---- the resources --------------------------------------------------------------------------- */

typedef struct fluid {
    double  density, weight; /* given; density * 10, computed */
    kl_file table;
} fluid;

static int destroyed;

static kl_status fluid_setup(void *data, const kl_setup *s)
{
    fluid *f = data;
    if (f->density > 20000)
        return kl_fail(s->diag, KL_E_RANGE, s->place, "fluid '%s' is too heavy", s->name);
    f->weight = 10 * f->density;
    return KL_OK;
}

static kl_status fluid_make(void *data, const char *name, const kl_setup *s)
{
    assert_string_equal(name, "water");
    ((fluid *)data)->density = 998;
    return fluid_setup(data, s);
}

static void fluid_destroy(void *data)
{
    (void)data;
    destroyed++;
}

static const char *const built_in_fluids[] = {"water", NULL};
static const kl_key      fluid_keys[]      = {{.name   = "density",
                                               .kind   = KL_KEY_NUMBER,
                                               .offset = offsetof(fluid, density),
                                               .unit   = "kg/m3",
                                               .min    = 1e-300,
                                               .max    = 1e300,
                                               .help   = "mass of a volume"},
                                              {.name     = "table",
                                               .kind     = KL_KEY_FILE,
                                               .offset   = offsetof(fluid, table),
                                               .fallback = "",
                                               .help     = "density over depth"},
                                              {0}};

static const kl_resource_type fluids = {.section   = "fluids",
                                        .word      = "fluid",
                                        .help      = "liquids and gases that bodies swim in",
                                        .text      = "    fluids: {lake: {density: 1000}}\n",
                                        .example   = "{density: 1000 kg/m3}",
                                        .data_size = sizeof(fluid),
                                        .keys      = fluid_keys,
                                        .setup     = fluid_setup,
                                        .built_in  = built_in_fluids,
                                        .make      = fluid_make,
                                        .destroy   = fluid_destroy};

typedef struct basin {
    const fluid *of;
    const fluid *layer[2];
    double       level; /* sum of all levels */
} basin;

static const kl_key basin_keys[] = {{.name   = "fluid",
                                     .kind   = KL_KEY_RESOURCE,
                                     .words  = "fluids",
                                     .offset = offsetof(basin, of),
                                     .help   = "what it holds"},
                                    {.name     = "layers",
                                     .kind     = KL_KEY_RESOURCE,
                                     .words    = "fluids",
                                     .size     = 2,
                                     .offset   = offsetof(basin, layer),
                                     .fallback = "",
                                     .help     = "above and below"},
                                    {0}};

static kl_status basin_read(kl_resource_reader *r, void *data)
{
    basin         *b    = data;
    const kl_node *list = kl_entry_get(r->e, "levels");
    for (const kl_node *c = list ? list->first : NULL; c; c = c->next) {
        double pair[2];
        KL_TRY(kl_value_numbers(r->s, c, "levels", "m", 2, pair));
        b->level += pair[1];
    }
    return KL_OK;
}

static const kl_word_key basin_more[] = {{"levels", "list of pairs", "m", "none", "heights"}, {0}};

static const kl_resource_type basins = {.section   = "basins",
                                        .word      = "basin",
                                        .help      = "what fluids are in",
                                        .example   = "{fluid: water}",
                                        .data_size = sizeof(basin),
                                        .keys      = basin_keys,
                                        .more      = basin_more,
                                        .read      = basin_read};

/* ---- the force ------------------------------------------------------------------------------- */

typedef struct buoyancy {
    const basin *in;
    double       volume;
} buoyancy;

static kl_status buoyancy_setup(void *data, const kl_setup *s, const kl_motion *m, int nmarker,
                                kl_element_size *size)
{
    (void)data, (void)s, (void)m, (void)nmarker, (void)size;
    return KL_OK;
}

static kl_status buoyancy_eval(const kl_reading *in, kl_writing *out)
{
    const buoyancy *p = in->data;
    if (out->wrench) out->wrench[2] = p->in->of->weight * p->volume;
    return KL_OK;
}

static const kl_key buoyancy_keys[] = {{.name   = "basin",
                                        .kind   = KL_KEY_RESOURCE,
                                        .words  = "basins",
                                        .offset = offsetof(buoyancy, in),
                                        .help   = "where it swims"},
                                       {.name   = "volume",
                                        .kind   = KL_KEY_NUMBER,
                                        .offset = offsetof(buoyancy, volume),
                                        .unit   = "m3",
                                        .help   = "displaced"},
                                       {0}};

static const kl_element_type buoyancy_type = {
    .name      = "buoyancy",
    .help      = "weight of the displaced fluid",
    .example   = "lift: {type: buoyancy, on: ball, basin: pool, volume: 2 l}",
    .keys      = buoyancy_keys,
    .attach    = &kl_attach_one,
    .data_size = sizeof(buoyancy),
    .setup     = buoyancy_setup,
    .eval      = buoyancy_eval};

/* ---- a way to attach: any number of corners, in a list ---- */

static kl_status attach_corners(kl_attaching *a)
{
    const kl_node *list = kl_entry_get(a->e, "corners");
    if (!list) return kl_attach_missing(a, "`corners` is missing; give its bodies: [a, b, c]");
    for (const kl_node *c = list->first; c; c = c->next) {
        kl_body_frame f;
        KL_TRY(kl_attach_find_frame(a, c, &f));
        if (!f.named) kl_model_pose(a->m, f.body, &f.r, &f.A);
        KL_TRY(kl_attach_add_frame(a, &f, false));
    }
    return KL_OK;
}

static kl_status check_corners(kl_attaching *a)
{
    const kl_element *e = &a->m->element[a->m->nelement - 1];
    if (a->m->nmarker - e->marker >= 3) return KL_OK;
    return kl_attach_missing(a, "it has less than three corners");
}

static void write_corners(kl_text *t, const kl_model *m, const kl_element *e)
{
    for (int i = 0; i < e->nmarker; i++) {
        char name[KL_MARKER_NAME];
        kl_text_add(t, "%s%s", i ? ", " : "    corners: [",
                    kl_attach_marker_name(m, e->marker + i, name));
    }
    kl_text_add(t, "]\n");
}

static const kl_word_key corner_keys[] = {
    {"corners", "bodies", "", NULL, "three bodies or more, or markers of them"}, {0}};

static const kl_attachment_kind attach_to_corners = {.name   = "corners",
                                                     .keys   = corner_keys,
                                                     .attach = attach_corners,
                                                     .check  = check_corners,
                                                     .write  = write_corners,
                                                     .loaded = 3,
                                                     .sample = "corners: [a, b, c]"};

/* pulls each corner to the next with a constant force */
typedef struct membrane {
    double tension;
} membrane;

static kl_status membrane_eval(const kl_reading *in, kl_writing *out)
{
    const membrane *p = in->data;
    for (int i = 0; out->wrench && i < in->nmarker; i++) {
        int     j = (i + 1) % in->nmarker;
        kl_vec3 f = kl_scale(p->tension, kl_unit(kl_sub(in->m[j].r, in->m[i].r)));
        kl_store(out->wrench + 6 * i, kl_add(kl_load(out->wrench + 6 * i), f));
        kl_store(out->wrench + 6 * j, kl_sub(kl_load(out->wrench + 6 * j), f));
    }
    return KL_OK;
}

static const kl_key          membrane_keys[] = {{.name   = "tension",
                                                 .kind   = KL_KEY_NUMBER,
                                                 .offset = offsetof(membrane, tension),
                                                 .unit   = "N",
                                                 .help   = "along each edge"},
                                                {0}};
static const kl_element_type membrane_type   = {.name    = "membrane",
                                                .help    = "pulls its corners together",
                                                .example = "roof: {corners: [a, b, c], tension: 3 N}",
                                                .keys    = membrane_keys,
                                                .attach  = &attach_to_corners,
                                                .data_size = sizeof(membrane),
                                                .setup     = buoyancy_setup,
                                                .eval      = membrane_eval};

/* ---- the catalogue of this program ----------------------------------------------------------- */

const kl_body_type *const           kl_body_types[]  = {&kl_ground, &kl_rigid, NULL};
const kl_element_type *const        kl_joint_types[] = {&kl_revolute, &kl_path_joint, NULL};
const kl_element_type *const        kl_force_types[] = {&buoyancy_type, NULL};
static const kl_element_type *const membranes[]      = {&membrane_type, NULL};

const kl_element_section kl_element_sections[] = {
    {"joints", "joint", "joints", "", kl_joint_types, NULL, true},
    {"forces", "force", "forces", "", kl_force_types, NULL, false},
    {"membranes", "membrane", "what is stretched", "    membranes: ...\n", membranes,
     &membrane_type, false},
    {0},
};
const kl_resource_type *const kl_resource_types[] = {&kl_tracks, &fluids, &basins, NULL};

/* ---- tests ----------------------------------------------------------------------------------- */

#define HEAD "klingel: 1\nparameters: {rho: 1000 kg/m3, deep: true, n: 3}\n"
#define BALL                                                                                       \
    "bodies: {ball: {mass: 1, inertia: [1, 1, 1]}}\n"                                              \
    "forces: {lift: {type: buoyancy, on: ball, basin: pool, volume: 0.002}}\n"

static const void *data_of(const kl_model *m, const char *section, const char *name)
{
    const kl_resource *r = kl_model_find_resource(m, section, name);
    assert_non_null(r);
    return r->data;
}

static void an_element_gets_the_data_of_what_it_names(void **unused)
{
    (void)unused;
    built           b    = must_build(HEAD "fluids: {lake: {density: 2*rho}}\n"
                                                        "basins: {pool: {fluid: lake, levels: [[0, 1], [2, 3]]}}\n" BALL);
    const buoyancy *lift = b.model->element[0].data;
    assert_ptr_equal(lift->in, data_of(b.model, "basins", "pool"));
    assert_ptr_equal(lift->in->of, data_of(b.model, "fluids", "lake"));
    assert_true(lift->in->of->weight == 20000);
    assert_true(lift->in->level == 4);
    assert_null(lift->in->layer[0]);
    assert_null(lift->in->of->table.path);
    built_free(&b);
    assert_int_equal(destroyed, 1);
}

static void entries_take_for_like_when_and_templates(void **unused)
{
    (void)unused;
    built b = must_build(
        HEAD
        "fluids:\n"
        "  base: {density: rho, table: sub/depth.csv}\n"
        "  \"mix{i}\": {for: {i: 1..n}, like: base, density: i*rho}\n"
        "  oil: {like: base, when: not deep}\n"
        "basins: {pool: {fluid: mix3, layers: [base, mix2]}, tub: {fluid: base, layers: mix1}}\n"
        "templates:\n"
        "  tank:\n"
        "    parameters: {f: 0.5}\n"
        "    fluids: {own: {density: f*rho}}\n"
        "    basins: {inner: {fluid: own, levels: [[0, f*4]]}, outer: {fluid: mix2}}\n"
        "    bodies: {ball: {mass: 1, inertia: [1, 1, 1]}}\n"
        "    forces: {lift: {type: buoyancy, on: ball, basin: inner, volume: 1}}\n"
        "parts: {left: {template: tank}, right: {template: tank, parameters: {f: 0.25}}}\n" BALL);
    const basin *pool = data_of(b.model, "basins", "pool"),
                *tub  = data_of(b.model, "basins", "tub");
    assert_true(pool->of->density == 3000);
    assert_string_equal(pool->of->table.name, "sub/depth.csv");
    assert_true(pool->layer[0]->density == 1000 && pool->layer[1]->density == 2000);
    assert_ptr_equal(tub->layer[0], tub->layer[1]);
    assert_null(kl_model_find_resource(b.model, "fluids", "oil"));
    const basin *inner = data_of(b.model, "basins", "right.inner");
    assert_true(inner->of->density == 250 && inner->level == 1);
    assert_ptr_equal(((const basin *)data_of(b.model, "basins", "left.outer"))->of,
                     data_of(b.model, "fluids", "mix2"));
    built_free(&b);
}

static void a_built_in_name_needs_no_entry(void **unused)
{
    (void)unused;
    built           b    = must_build(HEAD "basins: {pool: {fluid: water}}\n" BALL);
    const buoyancy *lift = b.model->element[0].data;
    assert_true(lift->in->of->density == 998);
    built_free(&b);
}

/* A track of a part stands where the part stands, turned with it. */
static void a_track_of_a_template_is_placed_with_its_part(void **unused)
{
    (void)unused;
    built b = must_build(
        "klingel: 1\ntemplates:\n  run:\n"
        "    tracks: {line: {points: [[0, 0, 0], [1, 0, 0], [2, 0, 0]]}}\n"
        "    bodies: {car: {mass: 1, inertia: [1, 1, 1], position: [0.5, 0, 0]}}\n"
        "    joints: {guide: {type: path, body: car, track: line}}\n"
        "parts: {p: {template: run, at: [5, 1, 0], orientation: {axis: z, angle: 90 deg}}}\n");
    const kl_marker *carrier = &b.model->marker[b.model->element[0].marker];
    assert_int_equal(carrier->body, 0);
    assert_true(kl_norm(kl_sub(carrier->r, kl_vec(5, 1, 0))) < 1e-14);
    assert_true(kl_norm(kl_sub(kl_axis(&carrier->A, 0), kl_vec(0, 1, 0))) < 1e-14);
    built_free(&b);
}

/* Builds a model that is wrong; its first message must hold `words`. */
static void refuse(const char *text, const char *words)
{
    built b;
    assert_int_not_equal(try_build(text, &b), KL_OK);
    if (!strstr(kl_diag_at(b.diag, 0)->text, words)) print_messages(b.diag);
    assert_non_null(strstr(kl_diag_at(b.diag, 0)->text, words));
    built_free(&b);
}

static void mistakes_are_told_with_a_remedy(void **unused)
{
    (void)unused;
    refuse(HEAD "fluids: {lake: {density: 1000}}\nbasins: {pool: {fluid: lkae}}\n" BALL,
           "basin 'pool': fluid: there is no fluid 'lkae'; did you mean 'lake'?");
    refuse(HEAD "basins: {pool: {fluid: wate}}\n" BALL, "did you mean 'water'?");
    refuse(HEAD "basins: {pool: {fluid: honey}}\n" BALL,
           "there is no fluid 'honey'; define it under `fluids:`");
    refuse(HEAD
           "fluids: {lake: {density: 1000, when: not deep}}\nbasins: {pool: {fluid: lake}}\n" BALL,
           "the fluid 'lake' is left out by its `when` in line 3");
    refuse(HEAD "fluids: {lake: {density: -1}}\nbasins: {pool: {fluid: lake}}\n" BALL,
           "fluid 'lake': density is -1; it must be positive");
    refuse(HEAD "fluids: {lake: {densty: 1}}\n" BALL, "did you mean `density`?");
    refuse(HEAD "fluids: {lake: 3}\n" BALL, "give its keys, such as {density: 1000 kg/m3}");
    refuse(HEAD "fluids: {lake: {density: 30000}}\nbasins: {pool: {fluid: lake}}\n" BALL,
           "fluid 'lake' is too heavy");
    refuse(HEAD "fluid: {lake: {density: 1}}\n" BALL, "did you mean `fluids`?");
    refuse(HEAD "basins: {pool: {fluid: water, layers: [water, water, water]}}\n" BALL,
           "has 3 names; give 2, or one for all");
    refuse("klingel: 1\ntemplates:\n  run:\n"
           "    tracks: {line: {points: [[0, 0, 0], [1, 0, 0], [2, 0, 0]]}}\n"
           "    bodies: {car: {mass: 1, inertia: [1, 1, 1]}}\n"
           "parts: {p: {template: run, mirror: y}}\n",
           "this part has `mirror`, but a track cannot be mirrored");
    refuse(HEAD BALL, "force 'lift': basin: there is no basin 'pool'");
}

static char *written(const kl_model *m)
{
    kl_text t = {0};
    kl_write_model(&t, m);
    char *text = kl_text_finish(&t);
    assert_non_null(text);
    return text;
}

static void a_model_written_in_full_gives_the_same_resources(void **unused)
{
    (void)unused;
    built b = must_build(
        HEAD "fluids: {\"mix{i}\": {for: {i: 1..n}, density: i*rho, table: depth.csv}}\n"
             "basins: {\"pool{i}\": {for: {i: 1..2}, fluid: \"mix{i}\", levels: [[0, i*2]]},\n"
             "  pool: {like: pool2, layers: [water, mix1]}}\n" BALL);
    char   *once               = written(b.model);
    built   c                  = must_build(once);
    char   *again              = written(c.model);
    kl_text t                  = {0};
    *strstr(once, "\nbodies:") = *strstr(again, "\nbodies:") = 0;
    assert_string_equal(once, again);
    assert_int_equal(kl_model_diff(&t, b.model, c.model), 0);
    assert_true(((const basin *)data_of(c.model, "basins", "pool"))->level == 4);
    assert_true(((const basin *)data_of(c.model, "basins", "pool"))->layer[0]->density == 998);
    free(kl_text_finish(&t));
    free(once), free(again);
    built d =
        must_build(HEAD "fluids: {mix1: {density: 5}, mix2: {density: 2*rho, table: depth.csv}}\n"
                        "basins: {pool: {fluid: mix2, levels: [[0, 3]]}}\n" BALL);
    t = (kl_text){0};
    assert_true(kl_model_diff(&t, b.model, d.model) > 0);
    char *text = kl_text_finish(&t);
    assert_non_null(strstr(text, "fluid 'mix3' was removed"));
    assert_non_null(strstr(text, "fluid 'mix1': density was 1000, is 5 kg/m3"));
    assert_non_null(strstr(text, "basin 'pool': was {"));
    free(text);
    built_free(&b), built_free(&c), built_free(&d);
}

static void help_and_schema_know_them(void **unused)
{
    (void)unused;
    kl_page page;
    kl_text t = {0};
    assert_true(kl_reference_find("fluids", &page));
    kl_reference_write(&t, &page, KL_PAGE_TERMINAL);
    assert_true(kl_reference_find("buoyancy", &page));
    kl_reference_write(&t, &page, KL_PAGE_TERMINAL);
    kl_reference_list(&t, KL_PAGE_TERMINAL);
    kl_schema_write(&t);
    char *text = kl_text_finish(&t);
    assert_non_null(strstr(text, "fluids (section): liquids and gases that bodies swim in"));
    assert_non_null(strstr(text, "`water`"));
    assert_non_null(strstr(text, "name of a basin"));
    assert_non_null(strstr(text, "\"additionalProperties\": {\"$ref\": \"#/definitions/fluid\"}"));
    free(text);
    t = (kl_text){0};
    kl_reference_example(&t, &page);
    text    = kl_text_finish(&t);
    built b = must_build(text);
    built_free(&b);
    free(text);
}

#define CORNERS                                                                                    \
    "klingel: 1\nbodies:\n  a: {mass: 1, inertia: [1, 1, 1]}\n"                                    \
    "  b: {mass: 1, inertia: [1, 1, 1], position: [2, 0, 0], markers: {tip: {at: [0, 0, 1]}}}\n"   \
    "  c: {mass: 1, inertia: [1, 1, 1], position: [0, 2, 0]}\n"

static void a_new_way_to_attach_needs_one_file(void **unused)
{
    (void)unused;
    built b =
        must_build(CORNERS "membranes:\n"
                           "  roof: {corners: [a, b.tip, c], tension: 3 N}\n"
                           "  wall: {type: membrane, like: roof, corners: [c, ground, b, a]}\n");
    const kl_element *e = &b.model->element[0], *wall = &b.model->element[1];
    assert_int_equal(e->nmarker, 3);
    assert_int_equal(wall->nmarker, 4);
    assert_false(e->joint);
    assert_true(b.model->marker[e->marker + 1].r.z == 1);
    assert_int_equal(b.model->marker[wall->marker + 1].body, 0);
    char *full = written(b.model);
    built c    = must_build(full);
    assert_int_equal(c.model->nelement, 2);
    kl_text t = {0};
    assert_int_equal(kl_model_diff(&t, b.model, c.model), 0);
    free(kl_text_finish(&t));
    free(full);
    built_free(&b), built_free(&c);
    refuse(CORNERS "membranes: {roof: {tension: 3}}\n",
           "membrane 'roof': `corners` is missing; give its bodies: [a, b, c]");
    refuse(CORNERS "membranes: {roof: {corners: [a, b], tension: 3}}\n", "less than three corners");
    refuse(CORNERS "membranes: {roof: {corners: [a, b, d], tension: 3}}\n", "there is no body 'd'");
    refuse(CORNERS "membranes: {roof: {corners: [a, b, c], tension: 3, between: [a, b]}}\n",
           "unknown key `between` in membrane 'roof'");
    refuse(CORNERS "forces: {roof: {type: membrane, corners: [a, b, c], tension: 3}}\n",
           "'membrane' belongs under `membranes:`; move it there");
    refuse(CORNERS "membrane: {}\n", "did you mean `membranes`?");
}

static void its_section_has_help_and_schema(void **unused)
{
    (void)unused;
    kl_page page;
    kl_text t = {0};
    assert_true(kl_reference_find("membrane", &page));
    assert_string_equal(page.kind, "membrane");
    kl_reference_write(&t, &page, KL_PAGE_TERMINAL);
    kl_reference_list(&t, KL_PAGE_TERMINAL);
    kl_schema_write(&t);
    char *text = kl_text_finish(&t);
    assert_non_null(strstr(text, "three bodies or more, or markers of them"));
    assert_non_null(strstr(text, "\nMembranes\n  membrane"));
    assert_non_null(strstr(text, "\"membrane-membrane\""));
    free(text);
    t = (kl_text){0};
    kl_reference_example(&t, &page);
    text    = kl_text_finish(&t);
    built b = must_build(text);
    built_free(&b);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_element_gets_the_data_of_what_it_names),
        cmocka_unit_test(entries_take_for_like_when_and_templates),
        cmocka_unit_test(a_track_of_a_template_is_placed_with_its_part),
        cmocka_unit_test(a_built_in_name_needs_no_entry),
        cmocka_unit_test(mistakes_are_told_with_a_remedy),
        cmocka_unit_test(a_model_written_in_full_gives_the_same_resources),
        cmocka_unit_test(help_and_schema_know_them),
        cmocka_unit_test(a_new_way_to_attach_needs_one_file),
        cmocka_unit_test(its_section_has_help_and_schema),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
