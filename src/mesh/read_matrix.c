/* K, M and node positions of another finite element program, as one system.
 *
 * CalculiX writes them in a step *FREQUENCY, SOLVER=MATRIXSTORAGE: JOB.sti (K), JOB.mas (M),
 * JOB.dof (node.direction of each row). Any program's matrices can be given in Matrix Market form,
 * the unknowns then going node by node, 3 or 6 each. Positions come from a table or from the mesh.
 */
#include "mesh/read_matrix.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char storage_advice[] = "run CalculiX with a step *FREQUENCY, SOLVER=MATRIXSTORAGE (a "
                                     "*STATIC step writes no mass), with "
                                     "*DENSITY in every material";

static bool has_extension(const char *path, const char *extension)
{
    const char *dot = strrchr(path, '.');
    return dot && kl_same_word(dot + 1, extension);
}

/* JOB.sti -> JOB.mas */
static const char *sibling(kl_import *r, const char *path, const char *extension)
{
    const char *dot = strrchr(path, '.');
    return dot ? kl_arena_format(r->arena, "%.*s.%s", (int)(dot - path), path, extension) : NULL;
}

/* ---- positions ---- */

static bool separates(char c) { return kl_is_blank(c) || c == ',' || c == ';'; }

/* id, x, y, z, or x, y, z with ids from 1 on; a first line of words and lines with # are passed
 * over. */
static void read_table(kl_import *r, kl_source *t)
{
    int         width = 0, rows = 0;
    const char *p = t->data;
    while (p < t->end) {
        const char *at = p, *nl = memchr(p, '\n', (size_t)(t->end - p)), *end = nl ? nl : t->end;
        double      v[4];
        int         n     = 0;
        bool        words = false;
        p                 = nl ? nl + 1 : t->end;
        for (const char *q = at; q < end && !words;) {
            while (q < end && separates(*q)) q++;
            if (q == end || *q == '#') break;
            double      value;
            const char *next = kl_scan_number(q, end, &value);
            words            = !next || (next < end && !separates(*next));
            if (!words && n < 4) v[n++] = value;
            if (!words) q = next;
        }
        if (n == 0 && !words) continue;
        if (words && rows == 0 && n == 0) continue; /* names of the columns */
        if (words || n < 3 || (width && n != width)) {
            kl_flaw(r, KL_FLAW_SYNTAX, t, at, "expected a node: number, x, y, z");
            continue;
        }
        width = n;
        rows++;
        bool whole = n == 3 || (v[0] == floor(v[0]) && fabs(v[0]) <= INT_MAX);
        if (!whole)
            kl_flaw(r, KL_FLAW_ID, t, at,
                    "'%g' is not the number of a node; node numbers are positive whole numbers",
                    v[0]);
        else kl_import_node(r, t, at, n == 3 ? rows : (long long)v[0], kl_load(v + n - 3));
    }
    if (rows == 0)
        kl_flaw(r, KL_FLAW_SYNTAX, t, NULL,
                "this table contains no nodes; give one line for each node: number, x, y, z");
}

/* Nodes into r->mesh, from a table or a mesh of any format; such a mesh comes back for its sets.
 * Elements that we could not compute do no harm there: the matrices have them already. */
static kl_mesh *read_positions(kl_import *r, const char *path)
{
    if (has_extension(path, "csv") || has_extension(path, "txt")) {
        kl_source *t = kl_import_load(r, path, NULL, NULL);
        if (t) read_table(r, t);
        return NULL;
    }
    kl_mesh        *mesh;
    kl_read_options options = r->options ? *r->options : (kl_read_options){0};
    options.lenient         = true;
    kl_status status        = kl_mesh_read(path, &options, &mesh, r->diag);
    if (status != KL_OK) {
        r->status = r->status == KL_OK ? status : r->status;
        return NULL;
    }
    for (int i = 0; i < mesh->nnode; i++)
        if (kl_mesh_add_node(r->mesh, mesh->node_id[i], mesh->x[i]) < 0) r->status = KL_E_MEMORY;
    return mesh;
}

/* ---- what each row is ---- */

/* .dof: node.direction a line. Returns the number of rows. */
static int read_dof_file(kl_import *r, kl_source *t, kl_system *s)
{
    int n = 0;
    for (const char *p = t->data; p < t->end;) {
        while (p < t->end && (kl_is_blank(*p) || *p == '\n')) p++;
        if (p == t->end) break;
        long long   id, direction;
        const char *at = p, *q = kl_scan_integer(p, t->end, &id);
        const char *end =
            q && q < t->end && *q == '.' ? kl_scan_integer(q + 1, t->end, &direction) : NULL;
        const char *nl = memchr(p, '\n', (size_t)(t->end - p));
        p              = nl ? nl + 1 : t->end;
        if (!end || direction < 1 || direction > 6) {
            kl_flaw(r, KL_FLAW_SYNTAX, t, at,
                    "expected node.direction such as 12.3, with a direction from 1 to 6");
            n++;
            continue;
        }
        int node = id >= 1 && id <= INT_MAX ? kl_mesh_find_node(r->mesh, (int)id) : -1;
        if (node < 0)
            kl_flaw(r, KL_FLAW_UNKNOWN_NODE, t, at,
                    "node %lld of row %d has no position: give the mesh that was solved (CalculiX "
                    "expands shells and beams to solids with nodes of its own; use solids)",
                    id, n + 1);
        else if (s->dof[6 * node + (int)direction - 1] >= 0)
            kl_flaw(r, KL_FLAW_RANGE, t, at,
                    "node %lld has direction %lld twice; remove one of the rows", id, direction);
        else s->dof[6 * node + (int)direction - 1] = n;
        n++;
    }
    return n;
}

/* Node by node, 3 or 6 each. False with a flaw when the size does not fit. */
static bool number_in_order(kl_import *r, kl_source *t, int rows, int each, kl_system *s)
{
    long long nnode = s->nnode;
    if (each == 0) each = rows == 6 * nnode ? 6 : 3;
    if ((each != 3 && each != 6) || rows != each * nnode) {
        kl_flaw(r, KL_FLAW_COUNT, t, NULL,
                "the matrix has %d rows, but %d nodes with 3 or 6 unknowns each have %lld or %lld; "
                "give the nodes in the order of the unknowns, or a .dof file",
                rows, s->nnode, 3 * nnode, 6 * nnode);
        return false;
    }
    for (int i = 0; i < s->nnode; i++)
        for (int k = 0; k < each; k++) s->dof[6 * i + k] = each * i + k;
    return true;
}

/* ---- the two matrices ---- */

static kl_source *read_file(kl_import *r, const char *path, kl_triplets *m, bool *storage)
{
    kl_source *t = kl_import_load(r, path, NULL, NULL);
    if (!t) return NULL;
    const char *p = t->data;
    while (p < t->end && (kl_is_blank(*p) || *p == '\n')) p++;
    *storage = p < t->end && *p != '%';
    if (p == t->end)
        kl_flaw(r, KL_FLAW_TRUNCATED, t, NULL, "the file is empty; %s", storage_advice);
    else if (*storage) kl_read_matrix_storage(r, t, m);
    else kl_read_matrix_market(r, t, m);
    return t;
}

/* A column of n numbers is lumped mass: the diagonal. */
static void lumped_to_diagonal(kl_triplets *m)
{
    if (m->columns != 1 || m->rows == 1) return;
    for (int64_t k = 0; k < m->n; k++) m->column[k] = m->row[k];
    m->columns   = m->rows;
    m->symmetric = true;
}

static void check_mass(kl_import *r, kl_source *t, const kl_system *s)
{
    int  empty = 0, light = -1, negative = 0, first = -1;
    bool any = false;
    for (int i = 0; i < s->ndof; i++) {
        double d = s->M.value[s->M.start[i]];
        any |= d != 0.0;
        empty += d == 0.0;
        if (d == 0.0 && light < 0 && s->dof_component[i] < 3) light = i;
        if (d < 0.0 && negative++ == 0) first = i;
    }
    if (!any) {
        kl_flaw(r, KL_FLAW_RANGE, t, NULL, "the mass matrix is zero; %s", storage_advice);
        return;
    }
    if (negative)
        kl_flaw(r, KL_FLAW_RANGE, t, NULL,
                "%d entries on the diagonal of the mass matrix are negative (first: node %d, "
                "direction %d); use another lumping method",
                negative, s->node_id[s->dof_node[first]], s->dof_component[first] + 1);
    if (light >= 0)
        kl_warn(r->diag, (kl_place){t->name, 0, 0},
                "%d of %d unknowns have no mass (first displacement: node %d, direction %d); check "
                "that the file is complete",
                empty, s->ndof, s->node_id[s->dof_node[light]], s->dof_component[light] + 1);
    else if (empty) /* rotations of lumped mass */
        kl_note(r->diag, (kl_place){t->name, 0, 0}, "%d of %d unknowns have no mass", empty,
                s->ndof);
}

static void check_stiffness(kl_import *r, kl_source *t, const kl_system *s)
{
    int bad = 0, first = -1;
    for (int i = 0; i < s->ndof; i++)
        if (!(s->K.value[s->K.start[i]] > 0.0) && bad++ == 0) first = i;
    if (bad)
        kl_flaw(r, KL_FLAW_RANGE, t, NULL,
                "%d unknowns have no stiffness (first: node %d, direction %d); check that this is "
                "the stiffness matrix and that both files belong to one model",
                bad, s->node_id[s->dof_node[first]], s->dof_component[first] + 1);
}

/* Held unknowns are not in the matrices, nor is what they carry of the body's inertia. */
static void check_held(kl_import *r, kl_source *t, const kl_system *s)
{
    int held = 0, first = -1;
    for (int i = 0; i < s->nnode; i++) {
        const int *dof = s->dof + 6 * i;
        if (dof[0] >= 0 && dof[1] >= 0 && dof[2] >= 0) continue;
        if (held++ == 0) first = i;
    }
    if (held)
        kl_warn(r->diag, (kl_place){t->name, 0, 0},
                "%d of %d nodes lack unknowns (first: %d): if the other program fixed them, their "
                "mass is missing; write the matrices without boundary conditions and fix nodes "
                "with `reference:`",
                held, s->nnode, s->node_id[first]);
}

static void fill_nodes(const kl_mesh *m, kl_system *s)
{
    for (int i = 0; i < m->nnode; i++) {
        s->node_id[i] = m->node_id[i];
        s->x[i]       = m->x[i];
    }
}

typedef struct job {
    const char *mass, *dof;
    kl_triplets K, M;
    kl_source  *K_text, *M_text, *dof_text;
    bool        storage;
} job;

/* Of a modal model: mass alone. */
static bool load_mass(kl_import *r, const kl_matrix_files *f, job *j)
{
    j->mass   = f->mass;
    j->M_text = j->K_text = read_file(r, f->mass, &j->M, &j->storage);
    if (f->dof) j->dof_text = kl_import_load(r, f->dof, NULL, NULL);
    if (!j->M_text || (f->dof && !j->dof_text)) return false;
    lumped_to_diagonal(&j->M);
    j->K.rows = j->M.rows, j->K.columns = j->M.columns;
    return r->status == KL_OK;
}

/* Loads all files of the job; what is missing is said. */
static bool load(kl_import *r, const kl_matrix_files *f, job *j)
{
    bool storage = false;
    if (!f->stiffness) return load_mass(r, f, j);
    j->K_text = read_file(r, f->stiffness, &j->K, &j->storage);
    if (!j->K_text) return false;
    j->mass = f->mass ? f->mass : j->storage ? sibling(r, f->stiffness, "mas") : NULL;
    j->dof  = f->dof ? f->dof : j->storage ? sibling(r, f->stiffness, "dof") : NULL;
    if (!j->mass) {
        kl_flaw(r, KL_FLAW_FILE, j->K_text, NULL, "the mass matrix is missing; give its file");
        return false;
    }
    j->M_text = read_file(r, j->mass, &j->M, &storage);
    if (!j->M_text && j->storage)
        kl_flaw(r, KL_FLAW_FILE, j->K_text, NULL, "the mass matrix '%s' is missing; %s", j->mass,
                storage_advice);
    if (j->dof) j->dof_text = kl_import_load(r, j->dof, NULL, NULL);
    if (j->dof && !j->dof_text && !f->dof)
        kl_flaw(r, KL_FLAW_FILE, j->K_text, NULL,
                "'%s', which assigns rows to nodes and directions, is missing; %s", j->dof,
                storage_advice);
    if (!j->M_text || (j->dof && !j->dof_text)) return false;
    lumped_to_diagonal(&j->M);
    return r->status == KL_OK;
}

/* Rows of a matrix as its file says, or the number of unknowns where it does not. */
static bool size_fits(kl_import *r, kl_source *t, const kl_triplets *m, int n)
{
    if (m->rows == 0 || (m->rows == n && m->columns == n)) return true;
    kl_flaw(r, KL_FLAW_COUNT, t, NULL,
            "the matrix is %d x %d, but there are %d unknowns; give files that belong to one model",
            m->rows, m->columns, n);
    return false;
}

static void build(kl_import *r, const kl_matrix_files *f, job *j, kl_system *s)
{
    fill_nodes(r->mesh, s);
    int n = j->K.rows;
    if (j->dof_text) n = read_dof_file(r, j->dof_text, s);
    else if (!number_in_order(r, j->K_text, n, f->dofs_per_node, s)) return;
    if (!size_fits(r, j->K_text, &j->K, n) || !size_fits(r, j->M_text, &j->M, n)) return;
    if (r->status != KL_OK) return;
    kl_status status = kl_system_number(s);
    if (status != KL_OK) {
        r->status = status;
        return;
    }
    if (f->stiffness) kl_triplets_to_symmetric(r, j->K_text, &j->K, n, &s->K);
    else r->status = kl_symmetric_from_triplets(&s->K, n, 0, NULL, NULL, NULL); /* not known */
    if (r->status == KL_OK) kl_triplets_to_symmetric(r, j->M_text, &j->M, n, &s->M);
    if (r->status != KL_OK) return;
    if (f->stiffness) check_stiffness(r, j->K_text, s);
    check_mass(r, j->M_text, s);
    check_held(r, j->K_text, s);
}

kl_status kl_system_read(kl_system *system, const kl_matrix_files *files,
                         const kl_read_options *options, kl_mesh **sets, kl_diag *diag)
{
    kl_import r;
    job       j = {0};
    *system     = (kl_system){0};
    if (sets) *sets = NULL;
    const char *first = files->modal && !files->stiffness ? files->mass : files->stiffness;
    if (!first || !files->nodes)
        return kl_fail(
            diag, KL_E_USAGE, KL_NOWHERE,
            files->modal
                ? "a modal model needs a file with the mass matrix and a file with node positions"
                : "matrices need a file with the stiffness matrix and a file with node positions; "
                  "without a stiffness matrix give `frequencies:` and `vectors:`");
    KL_TRY(kl_import_open(&r, first, options, diag));
    kl_mesh *nodes = read_positions(&r, files->nodes);
    if (load(&r, files, &j)) {
        kl_status status = kl_system_init(system, r.mesh->nnode);
        if (status != KL_OK) r.status = status;
        else build(&r, files, &j, system);
    }
    kl_status status = kl_import_status(&r);
    if (status != KL_OK) kl_system_free(system);
    if (status == KL_OK && sets) *sets = nodes;
    else kl_mesh_destroy(nodes);
    kl_triplets_free(&j.K);
    kl_triplets_free(&j.M);
    kl_import_free(&r);
    return status;
}

/* ---- units ---- */

/* Entries between translations scale by t, with one rotation by t L, with two by t L^2. */
static void scale(kl_symmetric *A, const unsigned char *component, double t, double L)
{
    for (int j = 0; j < A->n; j++)
        for (int64_t k = A->start[j]; k < A->start[j + 1]; k++) {
            int rotations = (component[j] >= 3) + (component[A->row[k]] >= 3);
            A->value[k] *= rotations == 0 ? t : rotations == 1 ? t * L : t * L * L;
        }
}

void kl_system_to_si(kl_system *s, double length, double mass, double time)
{
    for (int i = 0; i < s->nnode; i++) s->x[i] = kl_scale(length, s->x[i]);
    scale(&s->K, s->dof_component, mass / (time * time), length);
    scale(&s->M, s->dof_component, mass, length);
}
