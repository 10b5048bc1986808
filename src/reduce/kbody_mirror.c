/* The mirror image of a reduced body.
 *
 * S = diag(1, .., -1, ..) takes a point x of the body to S x, in axes that stay right-handed. What
 * is an arrow (displacements, s0, S1, first moments of the second-order motion) goes with S, what
 * is a turn or a moment (rotations, H0, H1) with -S, a tensor (J0, G0, J2, stress) with S T S. The
 * modal coordinates, their mass and stiffness are the same: the image bends as the body does. */
#include <string.h>

#include "reduce/kbody.h"

typedef struct image {
    kl_arena *a;
    double    s[3]; /* diagonal of S */
} image;

static kl_vec3 arrow(const image *g, kl_vec3 v)
{
    return kl_vec(g->s[0] * v.x, g->s[1] * v.y, g->s[2] * v.z);
}

static kl_mat3 tensor(const image *g, const kl_mat3 *T)
{
    kl_mat3 out;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) out.m[i][j] = g->s[i] * g->s[j] * T->m[i][j];
    return out;
}

/* n columns of three; sign 1: arrows, -1: turns. NULL stays NULL */
static double *columns(const image *g, const double *from, size_t n, double sign)
{
    double *to = from ? kl_arena_array(g->a, double, 3 * n + 1) : NULL;
    for (size_t i = 0; to && i < 3 * n; i++) to[i] = sign * g->s[i % 3] * from[i];
    return to;
}

static kl_vec3 *points(const image *g, const kl_vec3 *from, int n)
{
    kl_vec3 *to = from ? kl_arena_array(g->a, kl_vec3, n + 1) : NULL;
    for (int i = 0; to && i < n; i++) to[i] = arrow(g, from[i]);
    return to;
}

static kl_mat3 *tensors(const image *g, const kl_mat3 *from, size_t n)
{
    kl_mat3 *to = from ? kl_arena_array(g->a, kl_mat3, n + 1) : NULL;
    for (size_t i = 0; to && i < n; i++) to[i] = tensor(g, &from[i]);
    return to;
}

/* rows of n numbers, each with its sign */
static double *rows(const image *g, const double *from, int nrow, const double *sign, size_t n)
{
    double *to = from ? kl_arena_array(g->a, double, (size_t)nrow *n + 1) : NULL;
    for (int r = 0; to && r < nrow; r++)
        for (size_t i = 0; i < n; i++) to[(size_t)r * n + i] = sign[r] * from[(size_t)r * n + i];
    return to;
}

static void mirror_inertia(const image *g, const kl_kbody *b, kl_kbody *to)
{
    const kl_invariants *f = &b->inertia;
    size_t               n = (size_t)b->nmode;
    double               sign[12];
    for (int c = 0; c < 3; c++) {
        sign[c] = g->s[c];
        for (int d = 0; d < 3; d++) sign[3 + 3 * c + d] = g->s[c] * g->s[d];
    }
    to->inertia     = (kl_invariants){.m  = f->m,
                                      .s0 = arrow(g, f->s0),
                                      .S1 = columns(g, f->S1, n, 1.0),
                                      .J0 = tensor(g, &f->J0),
                                      .G0 = tensors(g, f->G0, n),
                                      .J2 = tensors(g, f->J2, n * n),
                                      .H0 = columns(g, f->H0, n, -1.0),
                                      .H1 = columns(g, f->H1, n * n, -1.0)};
    to->second_mass = rows(g, b->second_mass, 12, sign, n * n);
}

/* x and z of its axes are arrows, y follows: as markers of mirrored bodies are placed */
static kl_mat3 mirror_axes(const image *g, const kl_mat3 *A)
{
    kl_vec3 x = arrow(g, kl_axis(A, 0)), z = arrow(g, kl_axis(A, 2));
    return kl_from_axes(x, kl_cross(z, x), z);
}

static void mirror_markers(const image *g, const kl_kbody *b, kl_kbody *to)
{
    size_t n = (size_t)b->nmode, wide = 6 * (size_t)b->nmarker;
    double sign[6];
    for (int c = 0; c < 6; c++) sign[c] = c < 3 ? g->s[c] : -g->s[c - 3];
    to->marker = kl_arena_array(g->a, kl_kbody_marker, b->nmarker + 1);
    for (int i = 0; to->marker && i < b->nmarker; i++) {
        const kl_kbody_marker *from = &b->marker[i];
        kl_kbody_marker       *m    = &to->marker[i];
        *m                          = *from;
        m->position                 = arrow(g, from->position);
        m->axes                     = mirror_axes(g, &from->axes);
        m->translation              = columns(g, from->translation, n, 1.0);
        m->rotation                 = columns(g, from->rotation, n, -1.0);
        m->second                   = rows(g, from->second, 6, sign, n * n);
        for (int k = 0; k < 3; k++) {
            m->triad[k]        = arrow(g, from->triad[k]);
            m->triad_motion[k] = columns(g, from->triad_motion[k], n, 1.0);
        }
    }
    to->compliance = b->compliance ? kl_arena_array(g->a, double, wide *wide + 1) : NULL;
    for (size_t i = 0; to->compliance && i < wide * wide; i++)
        to->compliance[i] = sign[i / wide % 6] * sign[i % wide % 6] * b->compliance[i];
}

static double *mirror_stresses(const image *g, const double *from, size_t n)
{
    static const int at[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {2, 0}};
    double          *to       = from ? kl_arena_array(g->a, double, 6 * n + 1) : NULL;
    for (size_t i = 0; to && i < 6 * n; i++)
        to[i] = g->s[at[i % 6][0]] * g->s[at[i % 6][1]] * from[i];
    return to;
}

/* outside stays outside: triangles are counted the other way round */
static void mirror_skin(const image *g, const kl_kbody *b, kl_kbody *to)
{
    const kl_kbody_skin *from = &b->skin;
    size_t               n    = 3 * (size_t)from->nnode * (size_t)b->nmode;
    to->skin                  = *from;
    to->skin.x                = points(g, from->x, from->nnode);
    to->skin.triangle =
        from->triangle ? kl_arena_array(g->a, int, 3 * (size_t)from->ntriangle + 1) : NULL;
    to->skin.motion = from->motion ? kl_arena_array(g->a, float, n + 1) : NULL;
    for (int i = 0; to->skin.triangle && i < from->ntriangle; i++) {
        static const int order[3] = {0, 2, 1};
        for (int k = 0; k < 3; k++) to->skin.triangle[3 * i + k] = from->triangle[3 * i + order[k]];
    }
    for (size_t i = 0; to->skin.motion && i < n; i++)
        to->skin.motion[i] = (float)g->s[i % 3] * from->motion[i];
}

kl_kbody *kl_kbody_mirrored(const kl_kbody *b, int axis)
{
    kl_kbody *to = kl_kbody_create();
    if (!to) return NULL;
    kl_arena *arena = to->arena;
    image     g     = {.a = arena, .s = {1.0, 1.0, 1.0}};
    size_t    n     = (size_t)b->stress.n * (size_t)b->nmode;
    g.s[axis]       = -1.0;
    *to             = *b; /* what does not change is shared */
    to->arena       = arena;
    mirror_inertia(&g, b, to);
    mirror_markers(&g, b, to);
    mirror_skin(&g, b, to);
    to->stress.position = points(&g, b->stress.position, b->stress.n);
    to->stress.strain   = mirror_stresses(&g, b->stress.strain, n);
    to->stress.stress   = mirror_stresses(&g, b->stress.stress, n);
    if (kl_arena_ok(arena)) return to;
    kl_kbody_destroy(to);
    return NULL;
}
