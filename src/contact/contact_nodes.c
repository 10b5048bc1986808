/* A shape that is carried by a row of nodes, such as those of a beam, and touches another body: wheels on
 * a flexible rail (Craveiro Neto 2020, section 5.1).
 *
 * Between nodes a and b, a distance L apart at the start, the carrier is the curve
 *
 *   r(s) = h00 r_a + h10 L t_a + h01 r_b + h11 L t_b      (Hermite; t: tangents that the nodes carry)
 *
 * and the section at s has the axes z = r'/|r'|, x: the mean of the x axes that both nodes carry, across z.
 * The section that faces the other body carries the shape; the curve has a continuous tangent, so a wheel
 * rolls from one piece to the next without a kink. Velocities of the section are linear in those of the
 * nodes, V = T (V_a, V_b), and forces go back by T': no power is lost. Only the body and the two nodes are
 * coupled in the matrix (kl_element_type.link). */
#include "contact/contact_nodes.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "contact/contact_data.h"

typedef struct nodes {
    kl_contact_data c; /* first: contact functions read it */
    kl_vec3         x_axis;
    int             n;       /* nodes */
    kl_vec3        *t0, *x0; /* tangent and x axis of each node, in its own axes */
    double         *length;  /* n - 1: of the pieces at the start [m] */
} nodes;

typedef struct station { /* cache: where the section is, and what was found there */
    kl_contact_found found;
    int              piece; /* -1: beyond the ends */
    double           s;
} station;

/* ---- the section ---- */

typedef struct section {
    kl_vec3 r, z, x, y, p;
    double  h[4], d[4], L, size, across; /* Hermite weights and slopes; |r'|; |p across z| */
    kl_vec3 t[2], xs[2];                 /* tangents and x axes of both nodes, global */
    double  s;
} section;

static void hermite(double s, double h[4], double d[4])
{
    double q = s * s, c = q * s;
    h[0] = 2 * c - 3 * q + 1, h[1] = c - 2 * q + s, h[2] = -2 * c + 3 * q, h[3] = c - q;
    d[0] = 6 * q - 6 * s, d[1] = 3 * q - 4 * s + 1, d[2] = -d[0], d[3] = 3 * q - 2 * s;
}

static kl_vec3 blend(const double w[4], double L, kl_vec3 a, kl_vec3 ta, kl_vec3 b, kl_vec3 tb)
{
    kl_vec3 x = kl_axpy(w[2], b, kl_scale(w[0], a));
    return kl_axpy(w[3] * L, tb, kl_axpy(w[1] * L, ta, x));
}

static section section_at(const nodes *p, const kl_motion *m, int piece, double s)
{
    const kl_motion *a = &m[1 + piece], *b = a + 1;
    section          x = {.L = p->length[piece], .s = s};
    hermite(s, x.h, x.d);
    x.t[0]      = kl_mul(&a->A, p->t0[piece]);
    x.t[1]      = kl_mul(&b->A, p->t0[piece + 1]);
    x.xs[0]     = kl_mul(&a->A, p->x0[piece]);
    x.xs[1]     = kl_mul(&b->A, p->x0[piece + 1]);
    x.r         = blend(x.h, x.L, a->r, x.t[0], b->r, x.t[1]);
    kl_vec3 dr  = blend(x.d, x.L, a->r, x.t[0], b->r, x.t[1]);
    x.size      = kl_norm(dr);
    x.z         = kl_scale(1.0 / x.size, dr);
    x.p         = kl_axpy(s, x.xs[1], kl_scale(1.0 - s, x.xs[0]));
    kl_vec3 off = kl_axpy(-kl_dot(x.p, x.z), x.z, x.p);
    x.across    = kl_norm(off);
    x.x         = kl_scale(1.0 / x.across, off);
    x.y         = kl_cross(x.z, x.x);
    return x;
}

/* Velocity and angular velocity of the section for those of both nodes. */
static void twist_of(const section *x, const kl_vec3 v[2], const kl_vec3 w[2], kl_vec3 *vs,
                     kl_vec3 *ws)
{
    kl_vec3 ta = kl_cross(w[0], x->t[0]), tb = kl_cross(w[1], x->t[1]);
    *vs        = blend(x->h, x->L, v[0], ta, v[1], tb);
    kl_vec3 dz = kl_scale(1.0 / x->size, blend(x->d, x->L, v[0], ta, v[1], tb));
    kl_vec3 dp =
        kl_axpy(x->s, kl_cross(w[1], x->xs[1]), kl_scale(1.0 - x->s, kl_cross(w[0], x->xs[0])));
    double spin = (kl_dot(x->y, dp) - kl_dot(x->p, x->z) * kl_dot(x->y, dz)) / x->across;
    *ws         = kl_axpy(spin, x->z, kl_cross(x->z, dz));
}

static kl_motion motion_of(const section *x, const kl_motion *a, const kl_motion *b)
{
    kl_motion out  = {.r = x->r};
    kl_vec3   v[2] = {a->v, b->v}, w[2] = {a->w, b->w};
    double    ax[3], ay[3], az[3];
    kl_store(ax, x->x), kl_store(ay, x->y), kl_store(az, x->z);
    for (int i = 0; i < 3; i++) out.A.m[i][0] = ax[i], out.A.m[i][1] = ay[i], out.A.m[i][2] = az[i];
    twist_of(x, v, w, &out.v, &out.w);
    return out;
}

/* T (6 x 12): the twist of the section for unit velocities of the nodes. */
static void map_of(const section *x, double T[72])
{
    for (int j = 0; j < 12; j++) {
        kl_vec3 v[2] = {{0}}, w[2] = {{0}}, vs, ws;
        double  e[3]                         = {0}, out[6];
        e[j % 3]                             = 1.0;
        *(j % 6 < 3 ? &v[j / 6] : &w[j / 6]) = kl_load(e);
        twist_of(x, v, w, &vs, &ws);
        kl_store(out, vs), kl_store(out + 3, ws);
        for (int i = 0; i < 6; i++) T[12 * i + j] = out[i];
    }
}

/* Where on a piece the section faces point c: (c - r).r' = 0 by Newton's method; where the curve bends
 * round the point its curvature is left out. */
static double facing(const nodes *p, const kl_motion *m, int piece, kl_vec3 c)
{
    double s = 0.5;
    for (int k = 0; k < 60; k++) {
        section x     = section_at(p, m, piece, s);
        double  w[4]  = {12 * s - 6, 6 * s - 4, 6 - 12 * s, 6 * s - 2};
        kl_vec3 bend  = blend(w, x.L, m[1 + piece].r, x.t[0], m[2 + piece].r, x.t[1]); /* r'' */
        kl_vec3 d     = kl_sub(c, x.r);
        double  slope = x.size * x.size - kl_dot(d, bend);
        if (!(slope > 0.1 * x.size * x.size)) slope = x.size * x.size;
        double step = kl_dot(d, x.z) * x.size / slope;
        s += step;
        if (fabs(step) < 1e-14 || s < -1.0 || s > 2.0) break;
    }
    return s;
}

/* The piece that faces the other body: nearest chord first, then its neighbours. */
static void find_station(const nodes *p, const kl_motion *m, kl_vec3 c, station *out)
{
    double least = (double)INFINITY;
    int    at    = 0;
    for (int i = 0; i + 1 < p->n; i++) {
        kl_vec3 a = m[1 + i].r, d = kl_sub(m[2 + i].r, a);
        double  s   = fmin(fmax(kl_dot(kl_sub(c, a), d) / kl_dot(d, d), 0.0), 1.0);
        double  far = kl_norm(kl_sub(c, kl_axpy(s, d, a)));
        if (far < least) least = far, at = i;
    }
    double s = facing(p, m, at, c);
    if (s < 0.0 && at > 0) s = facing(p, m, --at, c);
    else if (s > 1.0 && at + 2 < p->n) s = facing(p, m, ++at, c);
    bool inside = s > -1e-9 && s < 1.0 + 1e-9;
    out->piece  = inside ? at : -1;
    out->s      = s;
}

/* ---- the contact of two frames ---- */

static bool reading_of(const kl_reading *in, kl_motion m[2], kl_reading *one)
{
    const station *x = in->cache;
    if (x->piece < 0) return false;
    const kl_motion *a = &in->m[1 + x->piece];
    section          f = section_at(in->data, in->m, x->piece, x->s);
    *one               = *in;
    m[0] = in->m[0], m[1] = motion_of(&f, a, a + 1);
    one->m = m, one->nmarker = 2;
    one->cache = &x->found;
    return true;
}

static kl_status nodes_locate(const kl_reading *in, void *cache)
{
    station *x = cache;
    memset(x, 0, sizeof *x);
    const nodes *p     = in->data;
    kl_vec3      local = p->c.shapes.item[0].pose.r;
    find_station(p, in->m, kl_add(in->m[0].r, kl_mul(&in->m[0].A, local)), x);
    kl_motion  m[2];
    kl_reading here = *in, one;
    here.cache      = x;
    if (!reading_of(&here, m, &one)) return KL_OK;
    /* the section goes along with the body, so that places on both shapes stay near those found last */
    one.accepted = in->accepted ? &((const station *)in->accepted)->found : NULL;
    return kl_contact_locate(&one, &x->found);
}

void kl_contact_nodes_spots(const kl_reading *in, kl_spots *out)
{
    const station *x = in->cache;
    out->n           = 0;
    if (x && x->piece >= 0) *out = x->found.spots;
}

static kl_status nodes_eval(const kl_reading *in, kl_writing *out)
{
    const station *x          = in->cache;
    double         wrench[12] = {0}, T[72];
    kl_writing     to         = {.wrench = wrench};
    kl_motion      m[2];
    kl_reading     one;
    if (!reading_of(in, m, &one)) return KL_OK;
    KL_TRY(kl_contact_eval(&one, &to));
    section f = section_at(in->data, in->m, x->piece, x->s);
    map_of(&f, T);
    for (int i = 0; i < 6; i++) out->wrench[i] += wrench[i];
    for (int j = 0; j < 12; j++)
        for (int i = 0; i < 6; i++)
            out->wrench[6 * (1 + x->piece) + j] += T[12 * i + j] * wrench[6 + i];
    out->energy += to.energy, out->loss += to.loss, out->spent += to.spent;
    return KL_OK;
}

static bool nodes_link(const kl_reading *in, int k, kl_link *out)
{
    const station *x   = in->cache;
    bool           any = false;
    for (int i = 0; x->piece >= 0 && i < x->found.spots.n; i++)
        any |= x->found.spots.item[i].gap < 0.0;
    if (k > 0 || !any) return false;
    *out = (kl_link){.n = 3, .marker = {0, 1 + x->piece, 2 + x->piece}};
    return true;
}

/* S' K S with S = diag(1, T). The rotation of the section by its own load is left out: it is as small
 * against the stiffness of the contact as the penetration is against the length of a piece. */
static void nodes_link_tangent(const kl_reading *in, int k, kl_slopes *out)
{
    const station *x            = in->cache;
    double         part[2][144] = {{0}}, T[72], S[12 * 18] = {0};
    kl_slopes      two = {.K = part[0], .C = part[1]};
    kl_motion      m[2];
    kl_reading     one;
    (void)k;
    if (!reading_of(in, m, &one)) return;
    kl_contact_tangent(&one, NULL, &two);
    section f = section_at(in->data, in->m, x->piece, x->s);
    map_of(&f, T);
    for (int i = 0; i < 6; i++) {
        S[18 * i + i] = 1.0;
        memcpy(S + 18 * (6 + i) + 6, T + 12 * i, 12 * sizeof *T);
    }
    for (int w = 0; w < 2; w++)
        for (int i = 0; i < 12; i++)
            for (int j = 0; j < 12; j++) {
                double v = part[w][12 * i + j];
                if (v == 0.0) continue;
                for (int r = 0; r < 18; r++)
                    for (int c = 0; c < 18; c++)
                        (w ? out->C : out->K)[18 * r + c] += S[18 * i + r] * v * S[18 * j + c];
            }
}

static void nodes_crossings(const kl_reading *in, kl_crossing *out)
{
    const nodes *p = in->data;
    int          n = kl_contact_events(&p->c);
    kl_motion    m[2];
    kl_reading   one;
    for (int k = 0; k < n; k++) out[k] = (kl_crossing){.value = (double)NAN, .rate = (double)NAN};
    if (reading_of(in, m, &one)) kl_contact_crossings(&one, out);
}

static void nodes_commit(const kl_reading *in, double *h)
{
    kl_motion  m[2];
    kl_reading one;
    if (reading_of(in, m, &one)) kl_contact_commit(&one, h);
}

static kl_status nodes_start(const kl_reading *in, const kl_setup *s, kl_element_start *out)
{
    kl_motion  m[2];
    kl_reading one;
    return reading_of(in, m, &one) ? kl_contact_start(&one, s, out) : KL_OK;
}

/* ---- setting up ---- */

/* Tangents at the start: along the chord, at inner nodes the mean of both. */
static kl_status carry_axes(nodes *p, const kl_setup *s, const kl_motion *m)
{
    p->t0     = kl_arena_array(s->arena, kl_vec3, p->n);
    p->x0     = kl_arena_array(s->arena, kl_vec3, p->n);
    p->length = kl_arena_array(s->arena, double, p->n);
    if (!kl_arena_ok(s->arena)) return KL_E_MEMORY;
    for (int i = 0; i < p->n; i++) {
        kl_vec3 t = {0};
        if (i > 0) t = kl_add(t, kl_unit(kl_sub(m[1 + i].r, m[i].r)));
        if (i + 1 < p->n) {
            kl_vec3 d    = kl_sub(m[2 + i].r, m[1 + i].r);
            p->length[i] = kl_norm(d);
            if (!(p->length[i] > 0.0))
                return kl_fail(
                    s->diag, KL_E_MODEL, s->place,
                    "contact '%s': two consecutive nodes are at the same place; remove one",
                    s->name);
            t = kl_add(t, kl_unit(d));
        }
        kl_vec3 x = kl_norm(p->x_axis) > 0.0 ? p->x_axis : kl_vec(0, 0, 1);
        if (kl_norm(kl_cross(x, t)) < 1e-6 * kl_norm(t))
            return kl_fail(s->diag, KL_E_MODEL, s->place,
                           "contact '%s': `x_axis` points along the nodes; give a direction across",
                           s->name);
        p->t0[i] = kl_mul_t(&m[1 + i].A, kl_unit(t));
        p->x0[i] = kl_mul_t(&m[1 + i].A, x);
    }
    return KL_OK;
}

static kl_status nodes_setup(void *data, const kl_setup *s, const kl_motion *m, int nmarker,
                             kl_element_size *size)
{
    nodes *p = data;
    p->n     = nmarker - 1;
    if (p->n < 2)
        return kl_fail(s->diag, KL_E_MODEL, s->place, "contact '%s': give at least two `nodes`",
                       s->name);
    KL_TRY(carry_axes(p, s, m));
    station   x = {0};
    kl_motion two[2];
    find_station(p, m, m[0].r, &x);
    section f = section_at(p, m, x.piece < 0 ? 0 : x.piece, x.piece < 0 ? 0.0 : x.s);
    two[0] = m[0], two[1] = motion_of(&f, &m[1], &m[2]);
    p->c.point = KL_CONTACT_MIDDLE;
    KL_TRY(kl_contact_setup(&p->c, s, two, 2, size));
    if (size->nz > 0)
        return kl_fail(s->diag, KL_E_MODEL, s->place,
                       "contact '%s': friction lugre is not available on nodes; choose stick-slip "
                       "or stribeck",
                       s->name);
    size->cache = sizeof(station);
    /* its curve bends otherwise behind each node, and no crossing meets that: long explicit steps lose energy there */
    size->path_dependent = true;
    return KL_OK;
}

static void nodes_output(const kl_reading *in, const double *lambda, double *v)
{
    const station *x = in->cache;
    kl_motion      m[2];
    kl_reading     one;
    memset(v, 0, (KL_CONTACT_OUTPUTS + 1) * sizeof *v);
    v[0] = (double)NAN;
    if (!reading_of(in, m, &one)) return;
    kl_contact_output(&one, lambda, v);
    v[KL_CONTACT_OUTPUTS] = x->piece + 1 + x->s;
}

static const kl_key nodes_keys[] = {
    {.name   = "shapes",
     .kind   = KL_KEY_SHAPES,
     .offset = offsetof(kl_contact_data, shapes),
     .help   = "shape of the body, and shape that the nodes carry: z along them, x as `x_axis`"},
    {.name     = "x_axis",
     .kind     = KL_KEY_AXIS,
     .offset   = offsetof(nodes, x_axis),
     .fallback = "",
     .help     = "x of the carried shape at the start, across the row of nodes (default: z)"},
    KL_CONTACT_LAW_KEYS,
    {0}};

static const kl_output nodes_outputs[] = {
    KL_CONTACT_OUTPUT_ROWS,
    {"station", "1",
     "position along the row of nodes: 2.5 is half way from the second node to the third"},
    {0}};

const kl_element_type kl_contact_on_nodes = {
    .name     = "contact-on-nodes",
    .help     = "a body that touches a shape carried by a row of nodes: a wheel on a flexible rail",
    .equation = "F = -N(d, d') n + T(u, N), spread over both nodes by the shape of the beam",
    .example  = "ride: {type: contact-on-nodes, body: wheel, nodes: [a, b, c], shapes: [{sphere: "
                "0.1, at: [0, 0, 0.12]}, "
                "{cylinder: {radius: 20 mm, length: 2 m}}], law: linear, stiffness: 1 MN/m}",
    .too_stiff    = KL_CONTACT_TOO_STIFF,
    .keys         = nodes_keys,
    .outputs      = nodes_outputs,
    .attach       = &kl_attach_row,
    .data_size    = sizeof(nodes),
    .setup        = nodes_setup,
    .start        = nodes_start,
    .locate       = nodes_locate,
    .eval         = nodes_eval,
    .link         = nodes_link,
    .link_tangent = nodes_link_tangent,
    .crossings    = nodes_crossings,
    .commit       = nodes_commit,
    .output       = nodes_output};
