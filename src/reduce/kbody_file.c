/* Reading and writing reduced bodies; the layout is in docs/kbody-format.md. */
#include "reduce/kbody_file.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/files.h"
#include "store/h5.h"

static const char format_name[] = "klingel-kbody";

/* ---- writing ---- */

typedef struct out {
    kl_h5 *f;
    bool   ok;
} out;

static void write_doubles(out *o, const char *name, const double *values, int rank, const int *size)
{
    o->ok = o->ok && kl_h5_write_doubles(o->f, name, values, rank, size);
}

static void write_ints(out *o, const char *name, const int *values, int n)
{
    o->ok = o->ok && kl_h5_write_ints(o->f, name, values, n);
}

static void text(out *o, const char *name, const char *value)
{
    o->ok = o->ok && kl_h5_write_text(o->f, name, value ? value : "");
}

static void head(out *o)
{
    char      version[32], created[32] = "";
    time_t    t = time(NULL);
    struct tm utc;
    if (gmtime_r(&t, &utc)) strftime(created, sizeof created, "%Y-%m-%dT%H:%M:%SZ", &utc);
    snprintf(version, sizeof version, "%d.%d", KL_KBODY_MAJOR, KL_KBODY_MINOR);
    const char *const pairs[][2] = {{"format", format_name},
                                    {"version", version},
                                    {"program", "klingel " KL_VERSION},
                                    {"created", created}};
    for (int i = 0; i < 4; i++)
        o->ok = o->ok && kl_h5_write_attribute(o->f, "/", pairs[i][0], pairs[i][1]);
}

static void write_inertia(out *o, const kl_kbody *b)
{
    const kl_invariants *t = &b->inertia;
    int                  n = b->nmode;
    double               s0[3];
    kl_store(s0, t->s0);
    write_doubles(o, "inertia/m", &t->m, 1, (const int[]){1});
    write_doubles(o, "inertia/s0", s0, 1, (const int[]){3});
    write_doubles(o, "inertia/S1", t->S1, 2, (const int[]){n, 3});
    write_doubles(o, "inertia/J0", &t->J0.m[0][0], 2, (const int[]){3, 3});
    write_doubles(o, "inertia/G0", &t->G0[0].m[0][0], 3, (const int[]){n, 3, 3});
    write_doubles(o, "inertia/J2", &t->J2[0].m[0][0], 4, (const int[]){n, n, 3, 3});
    write_doubles(o, "inertia/H0", t->H0, 2, (const int[]){n, 3});
    write_doubles(o, "inertia/H1", t->H1, 3, (const int[]){n, n, 3});
}

static void write_marker(out *o, const kl_kbody *b, int i)
{
    const kl_kbody_marker *m = &b->marker[i];
    char                   name[64];
    int                    n = b->nmode,
        ids[5] = {m->kind, m->node_id, m->triad_id[0], m->triad_id[1], m->triad_id[2]};
    double frame[12];
    kl_store(frame, m->position);
    memcpy(frame + 3, m->axes.m, 9 * sizeof(double));
#define NAME(part) (snprintf(name, sizeof name, "markers/%d/" part, i), name)
    text(o, NAME("name"), m->name);
    write_ints(o, NAME("ids"), ids, 5);
    write_doubles(o, NAME("frame"), frame, 1, (const int[]){12});
    write_doubles(o, NAME("translation"), m->translation, 2, (const int[]){n, 3});
    write_doubles(o, NAME("rotation"), m->rotation, 2, (const int[]){n, 3});
    if (m->second) write_doubles(o, NAME("second"), m->second, 3, (const int[]){6, n, n});
    for (int c = 0; m->kind == KL_MARKER_TRIAD && c < 3; c++) {
        double x[3];
        kl_store(x, m->triad[c]);
        static const char letters[] = "kmn";
        snprintf(name, sizeof name, "markers/%d/triad_%c_position", i, letters[c]);
        write_doubles(o, name, x, 1, (const int[]){3});
        snprintf(name, sizeof name, "markers/%d/triad_%c_motion", i, letters[c]);
        write_doubles(o, name, m->triad_motion[c], 2, (const int[]){n, 3});
    }
#undef NAME
}

static void write_stress(out *o, const kl_kbody *b)
{
    const kl_kbody_stress *s = &b->stress;
    if (s->n == 0) return;
    write_ints(o, "stress/element_id", s->element_id, s->n);
    write_ints(o, "stress/node_id", s->node_id, s->n);
    if (s->layer) write_ints(o, "stress/layer", s->layer, s->n);
    if (s->face) write_ints(o, "stress/face", s->face, s->n);
    write_doubles(o, "stress/position", &s->position[0].x, 2, (const int[]){s->n, 3});
    write_doubles(o, "stress/strain", s->strain, 3, (const int[]){s->n, b->nmode, 6});
    write_doubles(o, "stress/stress", s->stress, 3, (const int[]){s->n, b->nmode, 6});
}

static void write_skin(out *o, const kl_kbody *b)
{
    const kl_kbody_skin *s = &b->skin;
    if (s->nnode == 0) return;
    write_ints(o, "skin/node_id", s->node_id, s->nnode);
    write_doubles(o, "skin/position", &s->x[0].x, 2, (const int[]){s->nnode, 3});
    write_ints(o, "skin/triangles", s->triangle, 3 * s->ntriangle);
    write_ints(o, "skin/lines", s->line, 2 * s->nline);
    o->ok = o->ok && kl_h5_write_floats(o->f, "skin/motion", s->motion, 3,
                                        (const int[]){s->nnode, b->nmode, 3});
}

static bool write_all(kl_h5 *f, const kl_kbody *b)
{
    out o = {f, true};
    int n = b->nmode;
    kl_h5_guard(f);
    head(&o);
    text(&o, "title", b->title);
    text(&o, "source", b->source);
    text(&o, "reference", b->reference);
    text(&o, "mass_rule", b->mass_rule);
    write_doubles(&o, "modes/frequency", b->frequency, 1, &n);
    write_doubles(&o, "modes/residual", b->residual, 1, &n);
    write_doubles(&o, "modes/Mff", b->Mff, 2, (const int[]){n, n});
    write_doubles(&o, "modes/Kff", b->Kff, 2, (const int[]){n, n});
    write_inertia(&o, b);
    if (b->second_mass)
        write_doubles(&o, "inertia/second", b->second_mass, 3, (const int[]){12, n, n});
    write_ints(&o, "markers/count", &b->nmarker, 1);
    for (int i = 0; i < b->nmarker; i++) write_marker(&o, b, i);
    int wide = 6 * b->nmarker;
    if (b->compliance)
        write_doubles(&o, "markers/compliance", b->compliance, 2, (const int[]){wide, wide});
    write_stress(&o, b);
    write_skin(&o, b);
    return o.ok;
}

/* a device or a folder must not be replaced by a file */
static kl_status check_kind(const char *path, kl_diag *diag)
{
    struct stat s;
    if (stat(path, &s) == 0 && !S_ISREG(s.st_mode))
        return kl_fail(diag, KL_E_FILE, (kl_place){path, 0, 0},
                       "is not a regular file; give another name");
    return KL_OK;
}

kl_status kl_kbody_check_name(const char *path, kl_diag *diag)
{
    kl_place    at = {path, 0, 0};
    kl_h5_start found;
    KL_TRY(check_kind(path, diag));
    if (kl_h5_probe(path, &found) && !found.empty && !found.is_h5)
        return kl_fail(diag, KL_E_FILE, at,
                       "exists and is not a body file; choose another name or remove it first");
    const char *slash = strrchr(path, '/');
    char        folder[4096];
    int length = snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) + 1 : 1,
                          slash ? path : ".");
    if (length >= (int)sizeof folder) return kl_fail(diag, KL_E_FILE, at, "the name is too long");
    if (access(folder, W_OK) == 0) return KL_OK;
    return kl_fail(diag, KL_E_FILE, at, "cannot be written: %s: %s", folder, kl_file_reason(errno));
}

kl_status kl_kbody_write(const kl_kbody *b, const char *path, kl_diag *diag)
{
    char     why[KL_H5_WHY] = "", part[4096];
    kl_place at             = {path, 0, 0};
    KL_TRY(check_kind(path, diag));
    if (snprintf(part, sizeof part, "%s.%ld.part", path, (long)getpid()) >= (int)sizeof part)
        return kl_fail(diag, KL_E_FILE, at, "the name is too long");
    kl_h5 *f  = kl_h5_create(part, why);
    bool   ok = f && write_all(f, b);
    if (f) ok = kl_h5_close(f, why) && ok;
    if (ok && rename(part, path) == 0) return KL_OK;
    if (ok) snprintf(why, sizeof why, "%s", kl_file_reason(errno));
    remove(part);
    return kl_fail(diag, KL_E_FILE, at, "cannot be written: %s", why[0] ? why : "HDF5 refused");
}

/* ---- reading ---- */

typedef struct in {
    kl_h5      *f;
    kl_kbody   *b;
    const char *path;
    kl_diag    *diag;
    bool        ok;
} in;

static void report_damaged(in *i, const char *name)
{
    if (i->ok)
        kl_fail(i->diag, KL_E_FILE, (kl_place){i->path, 0, 0},
                "is damaged: '%s' is missing or not as expected; write it again with `klingel fe`",
                name);
    i->ok = false;
}

static double *get(in *i, const char *name, int64_t n)
{
    double *v = i->ok ? kl_h5_read_doubles(i->f, name, n, i->b->arena) : NULL;
    if (!v) report_damaged(i, name);
    for (int64_t k = 0; v && k < n; k++)
        if (!isfinite(v[k])) {
            report_damaged(i, name);
            return NULL;
        }
    return v;
}

static int *get_ints(in *i, const char *name, int n)
{
    int *v = i->ok ? kl_h5_read_ints(i->f, name, n, i->b->arena) : NULL;
    if (!v) report_damaged(i, name);
    return v;
}

static const char *get_text(in *i, const char *name)
{
    const char *v = i->ok ? kl_h5_read_text(i->f, name, i->b->arena) : NULL;
    if (!v) report_damaged(i, name);
    return v;
}

static kl_status check_head(in *i)
{
    kl_place    at      = {i->path, 0, 0};
    const char *format  = kl_h5_read_attribute(i->f, "/", "format", i->b->arena);
    const char *version = kl_h5_read_attribute(i->f, "/", "version", i->b->arena);
    int         major = 0, minor = 0;
    if (!format || strcmp(format, format_name) != 0)
        return kl_fail(i->diag, KL_E_FILE, at,
                       "is not a reduced body (format '%s'); write one with `klingel fe`",
                       format ? format : "none");
    if (!version || sscanf(version, "%d.%d", &major, &minor) != 2)
        return kl_fail(i->diag, KL_E_FILE, at, "is damaged: its version is '%s'",
                       version ? version : "none");
    if (major > KL_KBODY_MAJOR)
        return kl_fail(
            i->diag, KL_E_VERSION, at,
            "has format version %d.%d, this program reads up to %d.x; use a newer klingel", major,
            minor, KL_KBODY_MAJOR);
    return KL_OK;
}

static void read_inertia(in *i)
{
    kl_invariants *t = &i->b->inertia;
    int64_t        n = i->b->nmode;
    const double  *m = get(i, "inertia/m", 1), *s0 = get(i, "inertia/s0", 3),
                 *J0 = get(i, "inertia/J0", 9);
    t->S1            = get(i, "inertia/S1", 3 * n);
    t->H0            = get(i, "inertia/H0", 3 * n);
    t->H1            = get(i, "inertia/H1", 3 * n * n);
    void *G0 = get(i, "inertia/G0", 9 * n), *J2 = get(i, "inertia/J2", 9 * n * n);
    t->G0 = G0, t->J2 = J2; /* nine doubles a matrix, row by row */
    if (!i->ok) return;
    t->m  = *m;
    t->s0 = kl_load(s0);
    memcpy(t->J0.m, J0, 9 * sizeof(double));
    if (!(t->m > 0)) report_damaged(i, "inertia/m");
}

static void read_marker(in *i, int k)
{
    kl_kbody_marker *m = &i->b->marker[k];
    char             name[64];
    int64_t          n = i->b->nmode;
#define NAME(part) (snprintf(name, sizeof name, "markers/%d/" part, k), name)
    m->name             = get_text(i, NAME("name"));
    const int    *ids   = get_ints(i, NAME("ids"), 5);
    const double *frame = get(i, NAME("frame"), 12);
    m->translation      = get(i, NAME("translation"), 3 * n);
    m->rotation         = get(i, NAME("rotation"), 3 * n);
    if (i->b->second_mass) m->second = get(i, NAME("second"), 6 * n * n);
#undef NAME
    if (!i->ok) return;
    m->kind    = ids[0] == KL_MARKER_TRIAD ? KL_MARKER_TRIAD : KL_MARKER_NODE;
    m->node_id = ids[1];
    memcpy(m->triad_id, ids + 2, 3 * sizeof(int));
    m->position = kl_load(frame);
    memcpy(m->axes.m, frame + 3, 9 * sizeof(double));
    for (int c = 0; m->kind == KL_MARKER_TRIAD && c < 3; c++) {
        static const char letters[] = "kmn";
        snprintf(name, sizeof name, "markers/%d/triad_%c_position", k, letters[c]);
        const double *x = get(i, name, 3);
        snprintf(name, sizeof name, "markers/%d/triad_%c_motion", k, letters[c]);
        m->triad_motion[c] = get(i, name, 3 * n);
        if (x) m->triad[c] = kl_load(x);
    }
}

static void read_stress(in *i)
{
    kl_kbody_stress *s = &i->b->stress;
    int              n = kl_h5_count(i->f, "stress/element_id");
    if (n <= 0) return;
    s->n          = n;
    s->element_id = get_ints(i, "stress/element_id", n);
    s->node_id    = get_ints(i, "stress/node_id", n);
    if (kl_h5_count(i->f, "stress/layer") > 0) s->layer = get_ints(i, "stress/layer", n);
    if (kl_h5_count(i->f, "stress/face") > 0) s->face = get_ints(i, "stress/face", n);
    for (int k = 0; i->ok && s->face && k < n; k++)
        if (s->face[k] < -1 || s->face[k] > 1) report_damaged(i, "stress/face");
    void *x     = get(i, "stress/position", 3 * (int64_t)n);
    s->position = x;
    s->strain   = get(i, "stress/strain", 6 * (int64_t)n * i->b->nmode);
    s->stress   = get(i, "stress/stress", 6 * (int64_t)n * i->b->nmode);
}

static bool within(const int *v, int n, int limit)
{
    for (int k = 0; k < n; k++)
        if (v[k] < 0 || v[k] >= limit) return false;
    return true;
}

static void read_skin(in *i)
{
    kl_kbody_skin *s = &i->b->skin;
    int            n = kl_h5_count(i->f, "skin/node_id");
    if (n <= 0) return;
    int nt = kl_h5_count(i->f, "skin/triangles"), nl = kl_h5_count(i->f, "skin/lines");
    if (nt < 0 || nl < 0 || nt % 3 || nl % 2) {
        report_damaged(i, "skin/triangles");
        return;
    }
    s->nnode = n, s->ntriangle = nt / 3, s->nline = nl / 2;
    s->node_id  = get_ints(i, "skin/node_id", n);
    void *x     = get(i, "skin/position", 3 * (int64_t)n);
    s->x        = x;
    s->triangle = get_ints(i, "skin/triangles", nt);
    s->line     = get_ints(i, "skin/lines", nl);
    s->motion =
        i->ok ? kl_h5_read_floats(i->f, "skin/motion", 3 * (int64_t)n * i->b->nmode, i->b->arena)
              : NULL;
    if (!s->motion) report_damaged(i, "skin/motion");
    if (i->ok && (!within(s->triangle, nt, n) || !within(s->line, nl, n)))
        report_damaged(i, "skin/triangles");
}

static kl_status read_all(in *i)
{
    kl_kbody *b = i->b;
    KL_TRY(check_head(i));
    b->title = get_text(i, "title"), b->source = get_text(i, "source");
    b->reference = get_text(i, "reference"), b->mass_rule = get_text(i, "mass_rule");
    b->nmode = kl_h5_count(i->f, "modes/frequency");
    if (b->nmode < 1 || b->nmode > 100000) report_damaged(i, "modes/frequency");
    if (!i->ok) return KL_E_FILE;
    int64_t n    = b->nmode;
    b->frequency = get(i, "modes/frequency", n);
    b->residual  = get(i, "modes/residual", n);
    b->Mff       = get(i, "modes/Mff", n * n);
    b->Kff       = get(i, "modes/Kff", n * n);
    read_inertia(i);
    if (kl_h5_count(i->f, "inertia/second") > 0)
        b->second_mass = get(i, "inertia/second", 12 * n * n);
    const int *count = get_ints(i, "markers/count", 1);
    if (count && (*count < 0 || *count > 1000000)) report_damaged(i, "markers/count");
    if (!i->ok) return KL_E_FILE;
    b->nmarker = *count;
    b->marker  = kl_arena_array(b->arena, kl_kbody_marker, b->nmarker + 1);
    if (!b->marker)
        return kl_fail(i->diag, KL_E_MEMORY, (kl_place){i->path, 0, 0}, "out of memory");
    for (int k = 0; k < b->nmarker && i->ok; k++) read_marker(i, k);
    if (kl_h5_count(i->f, "markers/compliance") > 0)
        b->compliance = get(i, "markers/compliance", 36 * (int64_t)b->nmarker * b->nmarker);
    read_stress(i);
    read_skin(i);
    return i->ok ? KL_OK : KL_E_FILE;
}

kl_status kl_kbody_read(const char *path, kl_kbody **body, kl_diag *diag)
{
    char        why[KL_H5_WHY] = "";
    kl_h5_start start;
    kl_place    at = {path, 0, 0};
    *body          = NULL;
    if (!kl_h5_probe(path, &start))
        return kl_fail(diag, KL_E_FILE, at, "cannot be opened: %s", kl_file_reason(errno));
    if (!start.is_h5)
        return kl_fail(diag, KL_E_FILE, at, "is not a reduced body; write one with `klingel fe`");
    kl_h5 *f = kl_h5_open(path, KL_H5_READ, why);
    if (!f) return kl_fail(diag, KL_E_FILE, at, "cannot be read: %s", why);
    in        i      = {f, kl_kbody_create(), path, diag, true};
    kl_status status = i.b ? read_all(&i) : KL_E_MEMORY;
    kl_h5_close(f, why);
    if (status == KL_OK) *body = i.b;
    else kl_kbody_destroy(i.b);
    return status;
}
