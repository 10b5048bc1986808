/* {"version": 1, "title": ..., "gravity": [x, y, z], "length": L,
 *  "bodies":   [{"name", "type", "mass", "center": [x, y, z], "inertia": [xx, yy, zz, xy, xz, yz],
 *                "points": [[x, y, z], ...], "shapes": [...], "frequencies": [...]}],
 *  "elements": [{"name", "type", "joint", "markers": [{"body": name, "r": [x, y, z],
 *                "axis": [x, y, z]}],
 *                "wheels": [{"side": 1, "radius", "half", "wheel": [[y, z], ...], "rail": [...]}]}],
 *  "watched":  [{"name", "body", "r": [x, y, z]}]}
 *
 * Everything of a body is in body axes; inertia is about the centre of mass, and absent where a
 * body has none. `watched` are the points that the model's outputs ask for. `wheels` (of
 * wheel-rail) are outlines, see railway/wheel_rail_drawn.h; side 1 is left, -1 right. */
#include "results/scene.h"

#include <stdlib.h>
#include <string.h>

#include "base/rotation.h"
#include "base/text.h"
#include "model/groups.h"
#include "railway/railway.h"
#include "railway/wheel_rail_drawn.h"
#include "reduce/kbody.h"

static void write_vec(kl_text *t, kl_vec3 a)
{
    kl_text_add(t, "[%.9g, %.9g, %.9g]", a.x, a.y, a.z);
}

int kl_scene_frequencies(const kl_model *m, int body, double *f)
{
    kl_modal_body p;
    int           n = 0;
    if (!kl_model_modal(m, body, &p)) return 0;
    for (int j = 0; j < p.n; j++) {
        if (p.mode[j] < 0) continue;
        if (f) f[n] = p.file->body->frequency[p.mode[j]];
        n++;
    }
    return n;
}

/* With these frequencies a program that builds the model again can detect a changed body file. */
static void write_frequencies(kl_text *t, const kl_model *m, int body)
{
    int     n = kl_scene_frequencies(m, body, NULL);
    double *f = n > 0 ? malloc((size_t)n * sizeof *f) : NULL;
    if (n == 0) return;
    if (!f) {
        t->failed = true;
        return;
    }
    (void)kl_scene_frequencies(m, body, f);
    for (int i = 0; i < n; i++) kl_text_add(t, "%s%.9g", i ? ", " : ", \"frequencies\": [", f[i]);
    kl_text_add(t, "]");
    free(f);
}

static kl_measures measures_of(kl_text *t, const kl_model *m, int body)
{
    kl_measures out;
    if (!kl_model_measures(m, body, &out)) t->failed = true;
    return out;
}

/* Inertia about the centre of mass from the body's mass matrix: the block of its rotation is J about
 * the reference point. */
static void write_inertia(kl_text *t, const kl_model *m, int body, double mass, kl_vec3 c)
{
    const kl_body *b     = &m->body[body];
    int            n     = b->nv;
    void          *cache = calloc(1, b->ncache + 1);
    double        *M     = calloc((size_t)n * (size_t)n + 1, sizeof *M);
    double        *s     = calloc((size_t)n + 1, sizeof *s);
    if (!cache || !M || !s) {
        t->failed = true;
    } else {
        b->type->position(b->data, m->q0 + b->q, cache);
        b->type->velocity(b->data, m->v0 + b->v, cache);
        b->type->inertia(b->data, cache, M, s);
        int           turn = kl_body_group(b, KL_ROTATION).v - b->v;
        const double *J    = M + turn * n + turn;
        /* Steiner: J_c = J - m (c.c I - c c') */
        kl_text_add(t, ", \"inertia\": [%.9g, %.9g, %.9g, %.9g, %.9g, %.9g]",
                    J[0] - mass * (c.y * c.y + c.z * c.z),
                    J[n + 1] - mass * (c.x * c.x + c.z * c.z),
                    J[2 * n + 2] - mass * (c.x * c.x + c.y * c.y), J[1] + mass * c.x * c.y,
                    J[2] + mass * c.x * c.z, J[n + 2] + mass * c.y * c.z);
    }
    free(s);
    free(M);
    free(cache);
}

static void write_surface(kl_text *t, const kl_triangles *s)
{
    kl_text_add(t, "\"kind\": \"mesh\", \"vertices\": [");
    for (int i = 0; i < 3 * s->nvertex; i++)
        kl_text_add(t, "%s%.6g", i ? "," : "", (double)s->vertex[i]);
    kl_text_add(t, "], \"triangles\": [");
    for (int i = 0; i < 3 * s->ntriangle; i++) kl_text_add(t, "%s%d", i ? "," : "", s->triangle[i]);
    kl_text_add(t, "]");
}

static void write_shape(kl_text *t, const kl_drawn *s)
{
    double p[4];
    kl_quat_from_matrix(&s->A, p);
    kl_text_add(t, "{\"at\": ");
    write_vec(t, s->at);
    kl_text_add(t, ", \"orientation\": [%.9g, %.9g, %.9g, %.9g], ", p[0], p[1], p[2], p[3]);
    if (s->color) kl_text_add(t, "\"color\": \"%s\", ", s->color);
    if (s->kind == KL_DRAWN_BOX) {
        kl_text_add(t, "\"kind\": \"box\", \"size\": ");
        write_vec(t, s->size);
    } else if (s->kind == KL_DRAWN_TRIANGLES) write_surface(t, &s->surface);
    else
        kl_text_add(t, "\"kind\": \"%s\", \"radius\": %.9g, \"length\": %.9g",
                    s->kind == KL_DRAWN_SPHERE ? "sphere" : "cylinder", s->radius, s->length);
    kl_text_add(t, "}");
}

static void write_shapes(kl_text *t, const kl_body *b)
{
    if (b->hidden) kl_text_add(t, ", \"hidden\": true");
    if (b->nshape == 0) return;
    kl_text_add(t, ", \"shapes\": [");
    for (int i = 0; i < b->nshape; i++) {
        kl_text_add(t, i ? ", " : "");
        write_shape(t, &b->shape[i]);
    }
    kl_text_add(t, "]");
}

static void write_body(kl_text *t, const kl_model *m, int index)
{
    const kl_body *b    = &m->body[index];
    kl_measures    mass = measures_of(t, m, index);
    kl_vec3        r;
    kl_mat3        A;
    bool           first = true;
    kl_model_pose(m, index, &r, &A);
    kl_text_add(t, "%s{\"name\": ", index ? ", " : "");
    kl_text_json(t, b->name);
    kl_text_add(t, ", \"type\": \"%s\", \"mass\": %.9g, \"center\": ", b->type->name, mass.mass);
    kl_vec3 center = index ? kl_mul_t(&A, kl_sub(mass.center, r)) : kl_vec(0, 0, 0);
    write_vec(t, center);
    if (kl_body_turns(b)) write_inertia(t, m, index, mass.mass, center);
    write_frequencies(t, m, index);
    write_shapes(t, b);
    kl_text_add(t, ", \"points\": [");
    for (int k = 0; k < m->nmarker_elements; k++)
        if (m->marker[k].body == index) {
            kl_text_add(t, first ? "" : ", ");
            write_vec(t, m->marker[k].r);
            first = false;
        }
    kl_text_add(t, "]}");
}

/* Bodies without channels do not move in the scene: nothing can be drawn on them. */
static bool is_shown(const kl_model *m, const kl_element *e)
{
    bool shown = !e->quiet;
    for (int k = 0; k < e->nmarker; k++) shown &= !m->body[m->marker[e->marker + k].body].quiet;
    return shown;
}

static void write_outline(kl_text *t, const char *name, double (*p)[2], int n)
{
    kl_text_add(t, ", \"%s\": [", name);
    for (int i = 0; i < n; i++) kl_text_add(t, "%s[%.5g, %.5g]", i ? ", " : "", p[i][0], p[i][1]);
    kl_text_add(t, "]");
}

/* Rails that belong to no track: straight along x of the element's first marker. */
static void write_straight_rails(kl_text *t, const kl_model *m, const kl_element *e)
{
    const kl_marker *p     = &m->marker[e->marker];
    double           gauge = kl_wheel_rail_straight_gauge(e->data);
    if (gauge == 0.0 || p->body != 0) return;
    kl_text_add(t, ", \"straight\": {\"from\": ");
    write_vec(t, p->r);
    kl_text_add(t, ", \"along\": ");
    write_vec(t, kl_axis(&p->A, 0));
    kl_text_add(t, ", \"up\": ");
    write_vec(t, kl_axis(&p->A, 2));
    kl_text_add(t, ", \"gauge\": %.6g}", gauge);
}

/* Wheels on rails, so that a picture shows their profiles. */
static void write_wheels(kl_text *t, const kl_model *m, const kl_element *e)
{
    bool           first = true;
    kl_wheel_drawn w;
    if (e->type != &kl_wheel_rail) return;
    write_straight_rails(t, m, e);
    kl_text_add(t, ", \"wheels\": [");
    for (int k = 0; k < 2; k++) {
        if (!kl_wheel_rail_drawn(e->data, k, &w)) continue;
        kl_text_add(t, "%s{\"side\": %d, \"radius\": %.6g, \"half\": %.6g", first ? "" : ", ",
                    k == 0 ? 1 : -1, w.radius, w.half);
        write_outline(t, "wheel", w.wheel, w.nwheel);
        write_outline(t, "rail", w.rail, w.nrail);
        kl_text_add(t, "}");
        first = false;
    }
    kl_text_add(t, "]");
}

static void write_element(kl_text *t, const kl_model *m, int index, bool *first)
{
    const kl_element *e = &m->element[index];
    kl_text_add(t, "%s{\"name\": ", *first ? "" : ", ");
    *first = false;
    kl_text_json(t, e->name);
    kl_text_add(t, ", \"type\": \"%s\", \"joint\": %s, \"markers\": [", e->type->name,
                e->joint ? "true" : "false");
    for (int k = 0; k < e->nmarker; k++) {
        const kl_marker *p = &m->marker[e->marker + k];
        if (m->body[p->body].own) continue;
        kl_text_add(t, "%s{\"body\": ", k ? ", " : "");
        kl_text_json(t, m->body[p->body].name);
        kl_text_add(t, ", \"r\": ");
        write_vec(t, p->r);
        kl_text_add(t, ", \"axis\": ");
        write_vec(t, kl_axis(&p->A, 2));
        kl_text_add(t, "}");
    }
    kl_text_add(t, "]");
    write_wheels(t, m, e);
    kl_text_add(t, "}");
}

/* Points of the model's outputs, each once. */
static void write_output_points(kl_text *t, const kl_model *m)
{
    bool first = true;
    for (int i = 0; i < m->nwanted; i++) {
        if (!m->wanted[i].quantity) continue;
        const kl_marker *p    = &m->marker[m->wanted[i].marker];
        bool             seen = false;
        for (int k = 0; k < i && !seen; k++) {
            if (!m->wanted[k].quantity) continue;
            const kl_marker *o = &m->marker[m->wanted[k].marker];
            seen               = o->body == p->body && kl_norm(kl_sub(o->r, p->r)) == 0.0;
        }
        if (seen || m->body[p->body].quiet) continue;
        kl_text_add(t, "%s{\"name\": ", first ? "" : ", ");
        kl_text_json(t, m->wanted[i].name);
        kl_text_add(t, ", \"body\": ");
        kl_text_json(t, m->body[p->body].name);
        kl_text_add(t, ", \"r\": ");
        write_vec(t, p->r);
        kl_text_add(t, "}");
        first = false;
    }
}

char *kl_scene_json(const kl_model *m)
{
    kl_text t = {0};
    kl_text_add(&t, "{\"version\": 1, \"title\": ");
    kl_text_json(&t, m->title);
    kl_text_add(&t, ", \"gravity\": ");
    write_vec(&t, m->gravity);
    kl_text_add(&t, ", \"length\": %.9g, \"bodies\": [", m->length);
    for (int i = 0; i < m->nbody; i++)
        if (!m->body[i].own && !m->body[i].quiet) write_body(&t, m, i);
    kl_text_add(&t, "], \"elements\": [");
    bool first = true;
    for (int i = 0; i < m->nelement; i++)
        if (is_shown(m, &m->element[i])) write_element(&t, m, i, &first);
    kl_text_add(&t, "], \"watched\": [");
    write_output_points(&t, m);
    kl_text_add(&t, "]}");
    if (t.failed) {
        kl_text_free(&t);
        return NULL;
    }
    return t.data;
}
