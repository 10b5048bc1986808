/* The locomotive with a rigid, flexible and cracked bogie frame: static wheel loads, the modes that a rigid frame does not have, and
 * the mirror image of a ride (mirrored mesh file with the crack on the other side, mirrored irregularities). */
#include "verify/example.h"

#include <unistd.h>

enum { NODES = 10, LARGEST = 1 << 20 };

static void wheels_carry_the_weight(void **unused)
{
    (void)unused;
    static const char *const wheels[] = {"front.w1.rails.Q_left",
                                         "front.w2.rails.Q_left",
                                         "front.w3.rails.Q_left",
                                         "rear.w1.rails.Q_left",
                                         "rear.w2.rails.Q_left",
                                         "rear.w3.rails.Q_left",
                                         NULL};
    static const char *const frames[] = {"frame=rigid", "frame=flexible"};
    for (int k = 0; k < 2; k++) {
        example e;
        double  sum = 0.0;
        example_run("locomotive", frames[k], 1e-3, 1e-3, wheels, &e);
        for (int i = 0; i < 6; i++) {
            sum += e.value[0][i];
            assert_close(e.value[0][i] / (13.5e3 * 9.81 / 2), 1.0, 0.1);
        }
        assert_close(sum / (81e3 * 9.81 / 2), 1.0, 1e-6); /* frame_mass is rounded */
    }
}

/* ---- mirror image ---- */

static int number_at(const char *p)
{
    int n;
    memcpy(&n, p, sizeof n);
    return n;
}

/* y changes its sign; so that elements are not inside out, corners 1 and 2 change places, and with them the middles of their sides */
static void mirror_tetrahedron(char *nodes)
{
    static const int from[NODES] = {1, 0, 2, 3, 4, 6, 5, 9, 8, 7};
    int              old[NODES];
    memcpy(old, nodes, sizeof old);
    for (int i = 0; i < NODES; i++) memcpy(nodes + 4 * i, &old[from[i]], 4);
}

/* Gmsh 2.2, binary: blocks of elements of one type, each block with type, number and number of tags */
static void mirror_elements(char *p, int n)
{
    for (int done = 0; done < n;) {
        int type = number_at(p), count = number_at(p + 4), ntag = number_at(p + 8);
        int size = 4 * (1 + ntag + (type == 11 ? NODES : 6));
        assert_true(type == 11 || type == 9);
        p += 12;
        for (int i = 0; i < count; i++, p += size)
            if (type == 11) mirror_tetrahedron(p + 4 * (1 + ntag));
        done += count;
    }
}

/* the first byte behind the line after a heading, and the number in that line */
static char *section(char *text, long length, const char *heading, int *n)
{
    size_t size = strlen(heading);
    for (char *p = text; p + size < text + length; p++)
        if (memcmp(p, heading, size) == 0) {
            *n = atoi(p + size);
            return strchr(p + size, '\n') + 1;
        }
    fail_msg("no %s", heading);
    return NULL;
}

/* Left and right groups follow each other: 2 8 "secondary-1-left", then 2 9 "secondary-1-right". Their numbers change places. */
static void exchange_sides(char *text)
{
    for (char *p = text; (p = strstr(p, "-left\"\n")); p++) {
        char *left = p, *right = strchr(p, '\n') + 1;
        while (left[-1] != '\n') left--;
        for (left += 2, right += 2; *left != ' '; left++, right++) {
            char digit = *left;
            *left      = *right;
            *right     = digit;
        }
    }
}

static void write_mirrored(const char *name, const char *path)
{
    static char text[LARGEST];
    char        from[512];
    int         n, groups;
    snprintf(from, sizeof from, "%s/examples/locomotive/%s", KL_SOURCE_DIR, name);
    FILE *f = fopen(from, "rb");
    assert_non_null(f);
    long length = (long)fread(text, 1, sizeof text, f);
    fclose(f);
    char *p = section(text, length, "$Nodes\n", &n);
    p[-1]   = '\0'; /* names come before */
    exchange_sides(section(text, length, "$PhysicalNames\n", &groups));
    p[-1] = '\n';
    for (int i = 0; i < n; i++, p += 28) {
        double y;
        memcpy(&y, p + 12, 8);
        y = -y;
        memcpy(p + 12, &y, 8);
    }
    p = section(text, length, "$Elements\n", &n);
    mirror_elements(p, n);
    assert_non_null(f = fopen(path, "wb"));
    fwrite(text, 1, (size_t)length, f);
    fclose(f);
}

/* Both frames are mirrored, because no mesh is symmetric in itself. In 5 s with half the irregularities, as in 0.2 s with twice as
 * large ones, no flange touches: where a second contact
 * begins, the Newton iteration of a fixed step may fail, rounding decides how much shorter the step becomes, and the rides part. */
static void a_mirrored_locomotive_rides_as_the_image(void **unused)
{
    (void)unused;
    bool                     slow = getenv("KL_SLOW") != NULL;
    double                   end = slow ? 5.0 : 0.2, every = end / 100.0;
    static const char *const right[] = {"P_lateral_acceleration", "Y_leading_left",
                                        "Q_leading_left", "leading_wheelset_lateral", NULL};
    static const char *const left[]  = {"P_left_lateral_acceleration", "front.w1.rails.Y_right",
                                        "front.w1.rails.Q_right", "leading_wheelset_lateral", NULL};
    static const double      sign[]  = {-1, 1, 1, -1};
    char           folder[] = "/tmp/klingel-locomotive-XXXXXX", mesh[256], crack[256], set[1024];
    static example a, b;
    assert_non_null(mkdtemp(folder));
    snprintf(mesh, sizeof mesh, "%s/frame.msh", folder);
    snprintf(crack, sizeof crack, "%s/crack.msh", folder);
    write_mirrored("frame-coarse.msh", mesh); /* of the rear frame */
    write_mirrored("frame-coarse-crack.msh", crack);
    snprintf(set, sizeof set, "frame=cracked roughness=%s step=5e-4 tolerance=1e-13",
             slow ? "1" : "2");
    example_run("locomotive", set, end, every, right, &a);
    snprintf(set + strlen(set), sizeof set - strlen(set), " image=-1 mesh=%s crack=%s", mesh,
             crack);
    example_run("locomotive", set, end, every, left, &b);
    for (int i = 0; i < 4; i++) {
        double apart = 0.0;
        for (int k = 0; k < a.n; k++)
            apart = fmax(apart, fabs(a.value[k][i] - sign[i] * b.value[k][i]));
        print_message("%s: %.2g of the largest value\n", right[i], apart / example_peak(&a, i));
        assert_int_equal(a.n, b.n);
        assert_true(apart < 1e-6 * example_peak(&a, i));
    }
    assert_true(example_peak(&a, 0) > 0.05);
    unlink(mesh), unlink(crack);
    rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wheels_carry_the_weight),
        cmocka_unit_test(a_mirrored_locomotive_rides_as_the_image),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
