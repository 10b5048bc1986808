/* Motion for other programs: a body with shapes of every kind, as VTK, glTF and pictures. */
#include "post/motion_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "language/gltf.h"

#include "unit/test.h"

static const char scene[] =
    "{\"version\": 1, \"gravity\": [0, 0, -9.81], \"length\": 1, \"bodies\": ["
    "{\"name\": \"ground\", \"type\": \"ground\", \"mass\": 0, \"points\": []},"
    "{\"name\": \"a\", \"type\": \"rigid\", \"mass\": 1, \"center\": [0, 0, 0], \"points\": [],"
    " \"shapes\": [{\"kind\": \"box\", \"at\": [0, 0, 0], \"orientation\": [1, 0, 0, 0], \"size\": "
    "[2, 4, 6], \"color\": \"#ff0000\"}]},"
    "{\"name\": \"b\", \"type\": \"rigid\", \"mass\": 1, \"center\": [0, 0, 0], \"points\": [[1, "
    "0, "
    "0], [0, 1, 0]]},"
    "{\"name\": \"c\", \"type\": \"rigid\", \"hidden\": true, \"points\": []}], \"elements\": []}";

typedef struct world {
    char       path[64];
    kl_reader *r;
    kl_arena  *arena;
    kl_diag   *diag;
    kl_solids  s;
    double     time[5];
    kl_frames  frames;
} world;

/* Body a moves along x and turns about z by a quarter in all; b stands still. */
static int setup(void **state)
{
    world                       *w      = calloc(1, sizeof *w);
    static const kl_channel_info info[] = {
        {.name = "a.position.x"},    {.name = "a.position.y"},    {.name = "a.position.z"},
        {.name = "a.orientation.0"}, {.name = "a.orientation.1"}, {.name = "a.orientation.2"},
        {.name = "a.orientation.3"}, {.name = "a.w.1"},           {.name = "a.w.2"}};
    kl_results_info head = {.title = "film", .scene_json = scene};
    kl_writer      *out  = NULL;
    snprintf(w->path, sizeof w->path, "/tmp/klingel-motion-%ld.h5", (long)getpid());
    w->diag = kl_diag_create();
    assert_int_equal(kl_writer_create(w->path, &head, info, 9, w->diag, &out), KL_OK);
    for (int i = 0; i < 5; i++) {
        double turn   = 1.5707963267948966 * i / 4,
               row[9] = {0.5 * i, 0, 0, cos(turn / 2), 0, 0, sin(turn / 2), 0.25 * i, -0.5 * i};
        w->time[i]    = 0.1 * i;
        assert_int_equal(kl_writer_row(out, w->time[i], row), KL_OK);
    }
    assert_int_equal(kl_writer_close(out), KL_OK);
    assert_int_equal(kl_reader_open(w->path, w->diag, &w->r), KL_OK);
    w->arena = kl_arena_create();
    assert_int_equal(kl_solids_read(w->r, w->path, w->arena, w->diag, &w->s), KL_OK);
    w->frames = (kl_frames){w->r, w->time, 0, 5, 1};
    *state    = w;
    return 0;
}

static int teardown(void **state)
{
    world *w = *state;
    kl_reader_close(w->r);
    kl_arena_destroy(w->arena);
    kl_diag_destroy(w->diag);
    unlink(w->path);
    free(w);
    return 0;
}

static void shapes_are_closed_surfaces_of_the_right_volume(void **state)
{
    world *w = *state;
    assert_int_equal(w->s.n, 2); /* neither ground nor what is hidden */
    const kl_solid *a      = &w->s.list[0];
    double          volume = 0.0;
    for (int t = 0; t < a->ntriangle; t++) {
        const int *i = a->triangle + 3 * t; /* divergence theorem: outward normals count positive */
        volume += kl_dot(a->vertex[i[0]], kl_cross(a->vertex[i[1]], a->vertex[i[2]])) / 6.0;
    }
    assert_close(volume, 48.0, 1e-12);
    assert_int_equal(a->ink[0], 255);
    assert_int_equal(a->ink[1], 0);
    assert_true(w->s.list[1].ntriangle > 0);
}

static void a_body_is_where_its_channels_say(void **state)
{
    world  *w = *state;
    double  row[9];
    kl_vec3 x[64];
    assert_int_equal(kl_frames_row(&w->frames, 4, row), KL_OK);
    kl_solid_place(&w->s.list[0], row, x);
    /* turned by a quarter about z, the box of 2 x 4 is 4 x 2 */
    double low = 1e9, high = -1e9;
    for (int i = 0; i < w->s.list[0].nvertex; i++)
        low = fmin(low, x[i].x), high = fmax(high, x[i].x);
    assert_close(low, 2.0 - 2.0, 1e-12);
    assert_close(high, 2.0 + 2.0, 1e-12);
}

static char *written(FILE *f, size_t *n)
{
    long  size = ftell(f);
    char *data = calloc((size_t)size + 1, 1);
    rewind(f);
    *n = fread(data, 1, (size_t)size, f);
    fclose(f);
    return data;
}

static void vtk_counts_what_it_holds(void **state)
{
    world   *w = *state;
    double   row[9];
    size_t   n;
    char     head[200];
    FILE    *f = tmpfile();
    kl_vec3 *x = calloc((size_t)w->s.nvertex, sizeof *x);
    assert_int_equal(kl_frames_row(&w->frames, 0, row), KL_OK);
    assert_int_equal(kl_vtp_write(f, &w->s, row, x), KL_OK);
    char *text = written(f, &n);
    snprintf(head, sizeof head, "NumberOfPoints=\"%d\"", w->s.nvertex);
    assert_non_null(strstr(text, head));
    /* base64 of 4 + 12 nvertex bytes */
    char *points = strstr(text, "Name=\"Points\"");
    assert_non_null(points);
    char *from = strchr(points, '>') + 1, *to = strchr(from, '<');
    assert_int_equal(to - from, (4 + 12 * w->s.nvertex + 2) / 3 * 4);
    free(text);
    free(x);
}

static unsigned u32(const char *p)
{
    const unsigned char *b = (const unsigned char *)p;
    return b[0] | b[1] << 8 | b[2] << 16 | (unsigned)b[3] << 24;
}

static void gltf_is_whole_and_animates_what_moves(void **state)
{
    world *w = *state;
    size_t n;
    FILE  *f = tmpfile();
    assert_int_equal(kl_glb_write(f, &w->s, &w->frames, "a \"title\""), KL_OK);
    char *data = written(f, &n);
    assert_memory_equal(data, "glTF", 4);
    assert_int_equal(u32(data + 8), n);
    unsigned json = u32(data + 12);
    assert_int_equal(json % 4, 0);
    assert_int_equal(20 + json + 8 + u32(data + 20 + json), n);
    char *text = calloc(json + 1, 1);
    memcpy(text, data + 20, json);
    assert_non_null(strstr(text, "\"path\":\"rotation\""));
    assert_non_null(strstr(text, "a \\\"title\\\""));
    assert_null(strstr(text, "\"node\":2")); /* b has no channels */
    free(text);
    free(data);
}

/* Two roads: what is written as glTF with y up comes back with z up, where it was. */
static void gltf_reads_back_where_it_was(void **state)
{
    world       *w = *state;
    size_t       n;
    double       row[9];
    kl_triangles t;
    FILE        *f = tmpfile();
    assert_int_equal(kl_glb_write(f, &w->s, &w->frames, "film"), KL_OK);
    char *data = written(f, &n);
    assert_int_equal(kl_gltf_parse("a.glb", data, n, 1.0, w->arena, KL_NOWHERE, w->diag, &t),
                     KL_OK);
    assert_int_equal(t.ntriangle, w->s.ntriangle);
    assert_int_equal(kl_frames_row(&w->frames, 0, row), KL_OK);
    kl_vec3 *x = calloc((size_t)w->s.nvertex, sizeof *x);
    kl_solid_place(&w->s.list[0], row, x);
    for (int i = 0; i < 3 * w->s.list[0].ntriangle; i++) {
        kl_vec3      want = x[w->s.list[0].triangle[i]];
        const float *got  = t.vertex + 3 * t.triangle[i];
        assert_close((double)got[0], want.x, 1e-6);
        assert_close((double)got[1], want.y, 1e-6);
        assert_close((double)got[2], want.z, 1e-6);
    }
    free(x);
    /* every shorter file is refused, and none is read beyond its end */
    for (size_t cut = 0; cut < n; cut += cut < 3000 ? 7 : n / 40) {
        char *shorter = malloc(cut + 1);
        memcpy(shorter, data, cut);
        shorter[cut]    = '\0';
        kl_arena *arena = kl_arena_create();
        assert_int_not_equal(kl_gltf_parse("a.glb", shorter, cut, 1.0, arena, KL_NOWHERE, NULL, &t),
                             KL_OK);
        kl_arena_destroy(arena);
        free(shorter);
    }
    free(data);
}

static void a_gltf_text_holds_its_numbers_or_is_refused(void **state)
{
    world       *w = *state;
    kl_triangles t;
    /* one triangle: (0,0,0) (1,0,0) (0,1,0) as floats */
    const char *text =
        "{\"asset\":{\"version\":\"2.0\"},\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"mesh\":0,"
        "\"translation\":[0,2,0]}],\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}"
        "],"
        "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"}],"
        "\"bufferViews\":[{\"buffer\":0,\"byteLength\":36}],\"buffers\":[{\"byteLength\":36,"
        "\"uri\":"
        "\"data:application/"
        "octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA\"}]}";
    assert_int_equal(
        kl_gltf_parse("a.gltf", text, strlen(text), 0.5, w->arena, KL_NOWHERE, w->diag, &t), KL_OK);
    assert_int_equal(t.ntriangle, 1);
    assert_close((double)t.vertex[2], 1.0, 1e-7); /* 2 m up, half the scale */
    assert_close((double)t.vertex[8], 1.5, 1e-7);
    const char *other =
        "{\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{}],\"buffers\":[{\"uri\":\"b.bin\"}]}";
    assert_int_not_equal(
        kl_gltf_parse("a.gltf", other, strlen(other), 1, w->arena, KL_NOWHERE, w->diag, &t), KL_OK);
    const char *circle = "{\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"children\":[0,0]}],"
                         "\"buffers\":[{\"uri\":\"data:;base64,AAAA\"}]}";
    assert_int_not_equal(
        kl_gltf_parse("a.gltf", circle, strlen(circle), 1, w->arena, KL_NOWHERE, w->diag, &t),
        KL_OK);
}

/* A triangle whose first mode lifts its tip and whose second stretches it, worn by body a. */
static void a_skin_deforms_with_the_modal_coordinates(void **state)
{
    world   *w          = *state;
    kl_vec3  corner[3]  = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    int      around[3]  = {0, 1, 2};
    float    motion[18] = {0, 0, 0, 0, 0, 0, 0, 0, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0};
    kl_kbody body       = {
              .nmode = 2,
              .skin  = {.nnode = 3, .ntriangle = 1, .x = corner, .triangle = around, .motion = motion}};
    kl_skin skin = kl_skin_plan("a", &body, NULL, NULL, 2);
    double  row[9];
    size_t  n;
    kl_vec3 x[3];
    int     before = w->s.ntriangle - w->s.list[0].ntriangle;
    assert_int_equal(kl_solids_wear(&w->s, w->r, &skin, 1, w->arena), KL_OK);
    assert_int_equal(w->s.ntriangle, before + 1);
    assert_int_equal(kl_frames_row(&w->frames, 4, row), KL_OK);
    kl_solid_place(&w->s.list[0], row, x);
    /* tip (1, 0, 0) + 1 (0, 0, 2) - 2 (1, 0, 0), a quarter turn about z, 2 m along x */
    assert_close(x[1].x, 2.0, 1e-12);
    assert_close(x[1].y, -1.0, 1e-12);
    assert_close(x[1].z, 2.0, 1e-12);
    assert_close(x[2].x, 1.0, 1e-12);

    FILE *f = tmpfile();
    assert_int_equal(kl_glb_write(f, &w->s, &w->frames, "soft"), KL_OK);
    char    *data = written(f, &n);
    unsigned json = u32(data + 12);
    char    *text = calloc(json + 1, 1);
    memcpy(text, data + 20, json);
    assert_non_null(strstr(text, "\"weights\":[0,0]"));
    assert_non_null(strstr(text, "\"node\":1,\"path\":\"weights\""));
    assert_null(strstr(text, "\"node\":2,\"path\":\"weights\""));
    free(text);
    free(data);

    /* coordinates that were not recorded leave the shape as it was */
    kl_solids plain;
    kl_skin   more = skin;
    more.kept      = 3;
    assert_int_equal(kl_solids_read(w->r, w->path, w->arena, w->diag, &plain), KL_OK);
    int triangles = plain.ntriangle;
    assert_int_equal(kl_solids_wear(&plain, w->r, &more, 1, w->arena), KL_OK);
    assert_int_equal(plain.ntriangle, triangles);
}

static void pictures_show_the_red_box_where_it_moves_to(void **state)
{
    world  *w    = *state;
    kl_film film = {.width = 160, .height = 90, .fps = 10, .speed = 1};
    size_t  n;
    int     count = 0;
    FILE   *f     = tmpfile();
    assert_int_equal(kl_film_write(f, &w->s, &w->frames, &film, &count), KL_OK);
    unsigned char *rgb = (unsigned char *)written(f, &n);
    assert_int_equal(count, 5);
    assert_int_equal(n, 5 * 160 * 90 * 3);
    double middle[2] = {0}, reds[2] = {0};
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 160 * 90; i++) {
            const unsigned char *p = rgb + 3 * ((size_t)k * 4 * 160 * 90 + (size_t)i);
            if (p[0] > 60 && p[1] < 40 && p[2] < 40) middle[k] += i % 160, reds[k]++;
        }
    assert_true(reds[0] > 200 && reds[1] > 200);
    assert_true(middle[1] / reds[1] > middle[0] / reds[0] + 5); /* +x is to the right */
    free(rgb);
}

static void results_without_a_scene_are_refused_with_a_word(void **state)
{
    world          *w   = *state;
    kl_channel_info c   = {.name = "x"};
    kl_writer      *out = NULL;
    kl_reader      *r   = NULL;
    kl_solids       s;
    char            path[80];
    snprintf(path, sizeof path, "%s.none", w->path);
    assert_int_equal(kl_writer_create(path, NULL, &c, 1, w->diag, &out), KL_OK);
    assert_int_equal(kl_writer_close(out), KL_OK);
    assert_int_equal(kl_reader_open(path, w->diag, &r), KL_OK);
    assert_int_equal(kl_solids_read(r, path, w->arena, w->diag, &s), KL_E_NAME);
    assert_non_null(strstr(kl_diag_at(w->diag, 0)->text, "does not describe its bodies"));
    kl_reader_close(r);
    unlink(path);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(shapes_are_closed_surfaces_of_the_right_volume),
        CASE(a_body_is_where_its_channels_say),
        CASE(vtk_counts_what_it_holds),
        CASE(gltf_is_whole_and_animates_what_moves),
        CASE(gltf_reads_back_where_it_was),
        CASE(a_gltf_text_holds_its_numbers_or_is_refused),
        CASE(a_skin_deforms_with_the_modal_coordinates),
        CASE(pictures_show_the_red_box_where_it_moves_to),
        CASE(results_without_a_scene_are_refused_with_a_word),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
