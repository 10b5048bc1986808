/* Ties between nodes, RBE2 and RBE3, by elimination of the dependent unknowns: u = T v, K := T'KT.
 *
 *   RBE2: u_f = u_r + th_r x (x_f - x_r), th_f = th_r
 *   RBE3: u_r = u_c + th x (x_r - x_c), th_r = th with the mean motion u_c, th (mean.h)
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fe/mean.h"

/* one dependent component as a sum over other components (q = 6 node + component) */
typedef struct row {
    int     n, cap;
    int    *q; /* NULL while it is independent */
    double *factor;
    int     tie; /* index of the tie that made it dependent */
} row;

typedef struct ties {
    kl_system    *s;
    row          *rows; /* 6 nnode */
    bool          failed;
    int           n;
    const kl_tie *tie;
} ties;

enum { NAME = 80 };

/* "marker 'hole'" or "RBE2 17" */
static const char *name_of(const kl_tie *tie, char text[NAME])
{
    if (tie->marker) snprintf(text, NAME, "marker '%.60s'", tie->marker);
    else snprintf(text, NAME, "%s %d", tie->kind == KL_RBE2 ? "RBE2" : "RBE3", tie->id);
    return text;
}

static void put(ties *t, row *r, int q, double factor)
{
    if (factor == 0.0) return;
    /* terms of one node come one after another; others of the same component meet in `gather` */
    for (int i = r->n - 1; i >= 0 && i >= r->n - 8; i--)
        if (r->q[i] == q) {
            r->factor[i] += factor;
            return;
        }
    if (r->n == r->cap) {
        int  cap = r->cap ? 2 * r->cap : 8;
        int *qs  = realloc(r->q, (size_t)cap * sizeof(int));
        if (qs) r->q = qs;
        double *fs = realloc(r->factor, (size_t)cap * sizeof(double));
        if (fs) r->factor = fs;
        if (!qs || !fs) {
            t->failed = true;
            return;
        }
        r->cap = cap;
    }
    r->q[r->n]        = q;
    r->factor[r->n++] = factor;
}

typedef struct term {
    int    q;
    double factor;
} term;

static int compare_terms(const void *a, const void *b)
{
    int x = ((const term *)a)->q, y = ((const term *)b)->q;
    return (x > y) - (x < y);
}

/* sorts a row and adds up the terms of the same component */
static void gather(ties *t, row *r)
{
    term *list = malloc(((size_t)r->n + 1) * sizeof *list);
    if (!list) {
        t->failed = true;
        return;
    }
    for (int i = 0; i < r->n; i++) list[i] = (term){r->q[i], r->factor[i]};
    qsort(list, (size_t)r->n, sizeof *list, compare_terms);
    int n = 0;
    for (int i = 0; i < r->n; i++) {
        if (n > 0 && r->q[n - 1] == list[i].q) r->factor[n - 1] += list[i].factor;
        else r->q[n] = list[i].q, r->factor[n++] = list[i].factor;
    }
    r->n = n;
    free(list);
}

/* [a] as used in th x a = -[a] th: component c of th x a, factor of th_k */
static double cross_factor(kl_vec3 a, int c, int k)
{
    kl_vec3 e = kl_vec(k == 0, k == 1, k == 2), v = kl_cross(e, a);
    return c == 0 ? v.x : c == 1 ? v.y : v.z;
}

static void free_row(row *r)
{
    free(r->q);
    free(r->factor);
    *r = (row){0};
}

/* takes the component as dependent on the tie */
static kl_status dependent(ties *t, int tie, int q, kl_diag *diag)
{
    char first[NAME], second[NAME];
    if (t->rows[q].n > 0)
        return kl_fail(diag, KL_E_MODEL, KL_NOWHERE,
                       "node %d depends on two ties, %s and %s; remove it from one of them",
                       t->s->node_id[q / 6], name_of(&t->tie[t->rows[q].tie], first),
                       name_of(&t->tie[tie], second));
    t->rows[q].tie = tie;
    return KL_OK;
}

/* Does the reference of an RBE2 get its rotations from anything but translations of followers? */
static bool turns_elsewhere(const ties *t, int which)
{
    const kl_system *s    = t->s;
    const kl_tie    *tie  = &t->tie[which];
    const int       *turn = &s->dof[6 * tie->reference + 3];
    for (int c = 0; c < 3; c++)
        if (turn[c] >= 0 && s->K.value[s->K.start[turn[c]]] != 0.0) return true;
    for (int i = 0; i < tie->n; i++)
        if (s->dof[6 * tie->node[i] + 3] >= 0) return true;
    for (int k = 0; k < t->n; k++) {
        if (k != which && t->tie[k].reference == tie->reference) return true;
        for (int i = 0; k != which && i < t->tie[k].n; i++)
            if (t->tie[k].node[i] == tie->reference) return true;
    }
    return false;
}

/* Followers without rotations that lie on one line through the reference do not determine its rotation
 * about that line: the matrix is singular. */
static kl_status check_rbe2(const ties *t, int which, kl_diag *diag)
{
    const kl_tie *tie = &t->tie[which];
    kl_vec3       at = t->s->x[tie->reference], longest = {0, 0, 0};
    for (int i = 0; i < tie->n; i++) {
        kl_vec3 arm = kl_sub(t->s->x[tie->node[i]], at);
        if (kl_norm(arm) > kl_norm(longest)) longest = arm;
    }
    for (int i = 0; i < tie->n; i++) {
        kl_vec3 arm = kl_sub(t->s->x[tie->node[i]], at);
        if (kl_norm(kl_cross(arm, longest)) > 1e-6 * kl_dot(longest, longest)) return KL_OK;
    }
    if (turns_elsewhere(t, which)) return KL_OK;
    char name[NAME];
    return kl_fail(diag, KL_E_MODEL, KL_NOWHERE,
                   "%s: its %d nodes have no rotations and lie on one line, so its rotation about "
                   "that line is not determined; use nodes that span a surface",
                   name_of(tie, name), tie->n);
}

static kl_status add_rbe2(ties *t, int which, kl_diag *diag)
{
    const kl_system *s   = t->s;
    const kl_tie    *tie = &t->tie[which];
    KL_TRY(check_rbe2(t, which, diag));
    for (int i = 0; i < tie->n; i++) {
        int     f   = tie->node[i];
        kl_vec3 arm = kl_sub(s->x[f], s->x[tie->reference]);
        if (f == tie->reference) continue;
        for (int c = 0; c < 6; c++) {
            int q = 6 * f + c;
            if (!(tie->components >> c & 1u) || s->dof[q] < 0) continue;
            KL_TRY(dependent(t, which, q, diag));
            put(t, &t->rows[q], 6 * tie->reference + c, 1.0);
            for (int k = 0; c < 3 && k < 3; k++)
                put(t, &t->rows[q], 6 * tie->reference + 3 + k, cross_factor(arm, c, k));
        }
    }
    return KL_OK;
}

/* Shifts of the nodes do not determine a turn, and there are no rotations that do. */
static kl_status report_undetermined_rotation(const kl_tie *tie, const kl_mean *k, kl_diag *diag)
{
    char name[NAME];
    if (k->unknown > 1)
        return kl_fail(diag, KL_E_MODEL, KL_NOWHERE,
                       "%s: its nodes coincide and have no rotations, so its rotation is not "
                       "determined; use nodes that span a surface",
                       name_of(tie, name));
    return kl_fail(
        diag, KL_E_MODEL, KL_NOWHERE,
        "%s: its nodes lie on one line along (%.3g, %.3g, %.3g) and have no rotations, so its "
        "rotation about that line is not determined; use nodes that span a surface",
        name_of(tie, name), k->axis.x, k->axis.y, k->axis.z);
}

/* Component c of the reference by node i: factors of three components of the node from q on, which
 * turn the mean by `turn`. */
static void put_turn(ties *t, row *r, int c, kl_vec3 arm, int q, const kl_mat3 *turn)
{
    for (int j = 0; j < 3; j++) {
        double factor = c < 3 ? 0.0 : turn->m[c - 3][j];
        for (int k = 0; c < 3 && k < 3; k++) factor += cross_factor(arm, c, k) * turn->m[k][j];
        put(t, r, q + j, factor);
    }
}

static kl_status add_rbe3(ties *t, int which, kl_diag *diag)
{
    const kl_system *s   = t->s;
    const kl_tie    *tie = &t->tie[which];
    char             name[NAME];
    double           sum = 0.0;
    kl_mean          mean;
    for (int i = 0; i < tie->n; i++) sum += kl_mean_weight(tie, i);
    if (!(sum > 0.0))
        return kl_fail(diag, KL_E_MODEL, KL_NOWHERE,
                       "%s has no nodes with a weight above 0; give its nodes weights",
                       name_of(tie, name));
    kl_status status = kl_mean_find(s, tie, &mean);
    if (status == KL_E_SINGULAR) return report_undetermined_rotation(tie, &mean, diag);
    KL_TRY(status);
    kl_vec3 arm = kl_sub(s->x[tie->reference], mean.middle);
    for (int i = 0; i < tie->n; i++) {
        int     node  = tie->node[i];
        kl_mat3 shift = kl_mean_by_shift(&mean, s, tie, i),
                turn  = kl_mean_by_turn(&mean, s, tie, i);
        for (int c = 0; c < 6; c++) {
            int q = 6 * tie->reference + c;
            if (!(tie->components >> c & 1u)) continue;
            if (i == 0) KL_TRY(dependent(t, which, q, diag));
            if (c < 3) put(t, &t->rows[q], 6 * node + c, kl_mean_weight(tie, i) / sum);
            put_turn(t, &t->rows[q], c, arm, 6 * node, &shift);
            put_turn(t, &t->rows[q], c, arm, 6 * node + 3, &turn);
        }
    }
    return KL_OK;
}

static kl_status circle(const ties *t, kl_diag *diag)
{
    char list[3 * NAME] = "", name[NAME];
    int  last = -1, listed = 0;
    for (int q = 0; q < 6 * t->s->nnode && listed < 3; q++) {
        const row *r    = &t->rows[q];
        bool       deep = false;
        for (int i = 0; i < r->n; i++) deep = deep || t->rows[r->q[i]].n > 0;
        if (!deep || r->tie == last) continue;
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, listed++ ? ", %s" : "%s",
                 name_of(&t->tie[r->tie], name));
        last = r->tie;
    }
    return kl_fail(diag, KL_E_MODEL, KL_NOWHERE,
                   "ties depend on each other in a cycle (first: %s); remove one of them", list);
}

/* replaces dependent components inside rows until none is left */
static kl_status substitute(ties *t, kl_diag *diag)
{
    int total = 6 * t->s->nnode;
    for (int pass = 0; pass < 20 && !t->failed; pass++) {
        bool changed = false;
        for (int q = 0; q < total; q++) {
            row *r    = &t->rows[q];
            bool deep = false;
            for (int i = 0; i < r->n; i++) deep = deep || t->rows[r->q[i]].n > 0;
            if (!deep) continue;
            row flat = {0};
            for (int i = 0; i < r->n; i++) {
                const row *inner = &t->rows[r->q[i]];
                if (inner->n == 0) put(t, &flat, r->q[i], r->factor[i]);
                for (int k = 0; k < inner->n; k++)
                    put(t, &flat, inner->q[k], r->factor[i] * inner->factor[k]);
            }
            flat.tie = r->tie;
            free_row(r);
            gather(t, &flat);
            *r      = flat;
            changed = true;
        }
        if (!changed) return KL_OK;
    }
    return t->failed ? KL_E_MEMORY : circle(t, diag);
}

/* new numbers of the independent unknowns; terms of every component */
static kl_status renumber(ties *t, int *number, kl_diag *diag)
{
    kl_system *s = t->s;
    int        n = 0, nterm = 0, total = 6 * s->nnode;
    for (int q = 0; q < total; q++) {
        number[q] = -1;
        nterm += t->rows[q].n > 0 ? t->rows[q].n : 1;
    }
    /* in the order of the unknowns, which is one of places */
    for (int d = 0; d < s->ndof; d++) {
        int q = 6 * s->dof_node[d] + s->dof_component[d];
        if (t->rows[q].n == 0) number[q] = n++;
    }
    int *start     = malloc(((size_t)total + 1) * sizeof(int)),
        *dof       = malloc((size_t)nterm * sizeof(int));
    double *factor = malloc((size_t)nterm * sizeof(double));
    if (!start || !dof || !factor) {
        free(start);
        free(dof);
        free(factor);
        return KL_E_MEMORY;
    }
    int used = 0, lost = 0, first = 0;
    for (int q = 0; q < total; q++) {
        start[q] = used;
        if (number[q] >= 0) dof[used] = number[q], factor[used++] = 1.0;
        for (int i = 0; i < t->rows[q].n; i++) {
            int master = number[t->rows[q].q[i]];
            if (master < 0) {
                if (lost++ == 0) first = s->node_id[t->rows[q].q[i] / 6];
                continue;
            }
            dof[used] = master, factor[used++] = t->rows[q].factor[i];
        }
    }
    start[total] = used;
    free(s->term_start);
    free(s->term_dof);
    free(s->term_factor);
    s->term_start = start, s->term_dof = dof, s->term_factor = factor;
    s->ndof = n;
    if (lost > 0)
        return kl_fail(diag, KL_E_MODEL, KL_NOWHERE,
                       "ties use %d components that their nodes do not have (first: node %d); "
                       "remove these components, or use nodes of shells or beams",
                       lost, first);
    return KL_OK;
}

/* A := T'AT; `terms of old unknown d` are those of its component q_of[d] */
static kl_status transform(const kl_system *s, const int *q_of, kl_symmetric *A)
{
    int64_t    count = 0;
    const int *start = s->term_start;
    for (int j = 0; j < A->n; j++)
        for (int64_t p = A->start[j]; p < A->start[j + 1]; p++) {
            int64_t a = start[q_of[j] + 1] - start[q_of[j]];
            int64_t b = start[q_of[A->row[p]] + 1] - start[q_of[A->row[p]]];
            count += a * b;
        }
    int *rows        = malloc((size_t)(count + 1) * sizeof(int)),
        *columns     = malloc((size_t)(count + 1) * sizeof(int));
    double   *values = malloc((size_t)(count + 1) * sizeof(double));
    kl_status status = KL_E_MEMORY;
    if (rows && columns && values) {
        int64_t used = 0;
        for (int j = 0; j < A->n; j++)
            for (int64_t p = A->start[j]; p < A->start[j + 1]; p++) {
                int i = A->row[p];
                for (int k = start[q_of[i]]; k < start[q_of[i] + 1]; k++)
                    for (int l = start[q_of[j]]; l < start[q_of[j] + 1]; l++) {
                        int    r = s->term_dof[k], c = s->term_dof[l];
                        double v = A->value[p] * s->term_factor[k] * s->term_factor[l];
                        if (i == j && r < c) continue; /* the diagonal's own mirror image */
                        rows[used] = r, columns[used] = c;
                        values[used++] = i != j && r == c ? 2 * v : v;
                    }
            }
        kl_symmetric B;
        status = kl_symmetric_from_triplets(&B, s->ndof, used, rows, columns, values);
        if (status == KL_OK) {
            kl_symmetric_free(A);
            *A = B;
        }
    }
    free(rows);
    free(columns);
    free(values);
    return status;
}

/* keeps the nodes' own mass and numbering; a second call to tie keeps the first */
static kl_status keep_node_mass(kl_system *s)
{
    if (s->node_mass.n > 0) return KL_OK;
    size_t n               = (size_t)s->ndof;
    s->node_mass_ndof      = s->ndof;
    s->node_mass_node      = malloc((n + 1) * sizeof(int));
    s->node_mass_component = malloc(n + 1);
    if (!s->node_mass_node || !s->node_mass_component) return KL_E_MEMORY;
    memcpy(s->node_mass_node, s->dof_node, n * sizeof(int));
    memcpy(s->node_mass_component, s->dof_component, n);
    return kl_symmetric_copy(&s->node_mass, &s->M);
}

static kl_status eliminate(ties *t, kl_diag *diag)
{
    kl_system *s     = t->s;
    int        total = 6 * s->nnode, old = s->ndof;
    int       *number = malloc((size_t)total * sizeof(int)),
        *q_of         = malloc(((size_t)old + 1) * sizeof(int));
    kl_status status  = number && q_of ? keep_node_mass(s) : KL_E_MEMORY;
    if (status == KL_OK) {
        for (int d = 0; d < old; d++) q_of[d] = 6 * s->dof_node[d] + s->dof_component[d];
        status = renumber(t, number, diag);
    }
    if (status == KL_OK) status = transform(s, q_of, &s->K);
    if (status == KL_OK) status = transform(s, q_of, &s->M);
    if (status == KL_OK) {
        memcpy(s->dof, number, (size_t)total * sizeof(int));
        for (int q = 0; q < total; q++)
            if (number[q] >= 0)
                s->dof_node[number[q]]      = q / 6,
                s->dof_component[number[q]] = (unsigned char)(q % 6);
    }
    free(number);
    free(q_of);
    return status;
}

kl_status kl_system_tie(kl_system *s, int ntie, const kl_tie *tie, kl_diag *diag)
{
    if (ntie == 0) return KL_OK;
    size_t total = 6 * (size_t)s->nnode;
    ties   t     = {s, calloc(total, sizeof(row)), false, ntie, tie};
    if (!t.rows) return KL_E_MEMORY;
    kl_status status = KL_OK;
    for (int i = 0; i < ntie && status == KL_OK; i++)
        status = tie[i].kind == KL_RBE2 ? add_rbe2(&t, i, diag) : add_rbe3(&t, i, diag);
    if (status == KL_OK) status = substitute(&t, diag);
    if (status == KL_OK && t.failed) status = KL_E_MEMORY;
    if (status == KL_OK) status = eliminate(&t, diag);
    for (size_t q = 0; q < total; q++) free_row(&t.rows[q]);
    free(t.rows);
    return status;
}
