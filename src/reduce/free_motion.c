/* Rigid motions that held unknowns leave free; see the header.
 *
 * The held unknowns span what they take away: the motions left are the null space of their rows of the
 * rigid motions, each about the middle of the held nodes and of the size of the body. In it motions
 * without a turn are shifts; a turn e with the shift s of the middle m is, but for a shift along e, one
 * about the line through m + e x s. What stops them is found as by pivoting: the unknown that moves
 * most, then the one that moves most in what is still left. */
#include "reduce/free_motion.h"

#include <math.h>
#include <string.h>

#include "algebra/dense.h"

static const char *const axis_names[3] = {"x", "y", "z"};

/* unknown d of the six rigid motions */
static void row_of(const kl_system *s, const kl_free_motions *f, int d, double row[6])
{
    int     c   = s->dof_component[d];
    kl_vec3 arm = kl_scale(1 / f->size, kl_sub(s->x[s->dof_node[d]], f->middle));
    for (int a = 0; a < 3; a++) {
        double turn[3];
        kl_store(turn, kl_cross(kl_vec(a == 0, a == 1, a == 2), arm));
        row[a] = c == a, row[3 + a] = c < 3 ? turn[c] : c - 3 == a;
    }
}

void kl_free_motions_find(const kl_system *s, const unsigned char *fixed, kl_free_motions *f)
{
    double w[6];
    int    held = 0;
    *f          = (kl_free_motions){.n = 6};
    for (int d = 0; fixed && d < s->ndof; d++)
        if (fixed[d]) f->middle = kl_add(f->middle, s->x[s->dof_node[d]]), held++;
    if (held > 0) f->middle = kl_scale(1.0 / held, f->middle);
    for (int i = 0; i < s->nnode; i++) f->size = fmax(f->size, kl_norm(kl_sub(s->x[i], f->middle)));
    if (!(f->size > 0)) f->size = 1;
    for (int d = 0; held > 0 && d < s->ndof; d++) {
        double row[6];
        if (!fixed[d]) continue;
        row_of(s, f, d, row);
        for (int i = 0; i < 36; i++) f->v[i] += row[i / 6] * row[i % 6];
    }
    if (held == 0 || kl_symmetric_eigen(6, f->v, w) != KL_OK) {
        for (int i = 0; i < 36; i++) f->v[i] = i % 7 == 0;
        return;
    }
    f->n = 0;
    while (f->n < 6 && !(w[f->n] > 1e-12 * w[5])) f->n++;
}

/* ---- in words ---- */

/* An orthonormal basis of the span of n vectors of three (rows `part` of each motion), along x, y and
 * z where they lie in it; how many there are. */
static int span_of(int n, const double *v, int part, kl_vec3 e[3])
{
    double A[9] = {0}, w[3], P[9] = {0};
    for (int k = 0; k < n; k++)
        for (int i = 0; i < 9; i++) A[i] += v[6 * k + part + i / 3] * v[6 * k + part + i % 3];
    if (n == 0 || kl_symmetric_eigen(3, A, w) != KL_OK) return 0;
    int rank = 0, found = 0;
    for (int k = 0; k < 3; k++) {
        if (!(w[k] > 1e-10)) continue;
        rank++;
        for (int i = 0; i < 9; i++) P[i] += A[3 * k + i / 3] * A[3 * k + i % 3];
    }
    while (found < rank) { /* the axis that lies most in what is left of the span */
        kl_vec3 best = {0, 0, 0};
        for (int a = 0; a < 3; a++) {
            kl_vec3 p = kl_load(P + 3 * a);
            for (int k = 0; k < found; k++) p = kl_axpy(-kl_dot(p, e[k]), e[k], p);
            if (kl_norm(p) > 1.0001 * kl_norm(best)) best = p;
        }
        e[found++] = kl_scale(1 / kl_norm(best), best);
    }
    return rank;
}

static double clean(double value, double size) { return fabs(value) < 1e-6 * size ? 0.0 : value; }

static void add_point(kl_text *t, kl_vec3 p, double size)
{
    kl_text_add(t, "(%.4g, %.4g, %.4g)", clean(p.x, size), clean(p.y, size), clean(p.z, size));
}

static void add_direction(kl_text *t, kl_vec3 e)
{
    double c[3];
    kl_store(c, e);
    for (int a = 0; a < 3; a++)
        if (fabs(c[a]) > 1 - 1e-9) {
            kl_text_add(t, "%s", axis_names[a]);
            return;
        }
    add_point(t, e, 1);
}

/* Motions without a turn, orthonormal, in front of the others: V := V Q. How many. */
static int shifts_first(kl_free_motions *f)
{
    double A[36] = {0}, w[6], V[36] = {0};
    int    n = f->n, shifts = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int c = 3; c < 6; c++) A[n * i + j] += f->v[6 * i + c] * f->v[6 * j + c];
    if (kl_symmetric_eigen(n, A, w) != KL_OK) return 0;
    while (shifts < n && !(w[shifts] > 1e-10)) shifts++;
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n; i++)
            for (int c = 0; c < 6; c++) V[6 * k + c] += A[n * k + i] * f->v[6 * i + c];
    memcpy(f->v, V, sizeof V);
    return shifts;
}

/* The shift of the middle while the body turns about e: the motions' turns are orthogonal, not of
 * length one. */
static kl_vec3 shift_with(int n, const double *v, kl_vec3 e)
{
    kl_vec3 shift = {0, 0, 0};
    for (int k = 0; k < n; k++) {
        kl_vec3 turn  = kl_load(v + 6 * k + 3);
        double  share = kl_dot(turn, e) / kl_dot(turn, turn);
        shift         = kl_axpy(share, kl_load(v + 6 * k), shift);
    }
    return shift;
}

static void add_turn(kl_text *t, const kl_free_motions *f, int shifts, kl_vec3 e)
{
    kl_vec3 shift = shift_with(f->n - shifts, f->v + 6 * shifts, e);
    double  along = kl_dot(shift, e);
    kl_vec3 at    = kl_axpy(f->size, kl_cross(e, shift), f->middle);
    kl_text_add(t, "rotation about the line through ");
    add_point(t, at, f->size);
    kl_text_add(t, " along ");
    add_direction(t, e);
    if (fabs(along) > 1e-6) kl_text_add(t, " with a shift of %.3g m/rad", f->size * along);
}

static bool turns_about_middle(const kl_free_motions *f, int shifts)
{
    for (int k = shifts; k < f->n; k++)
        if (kl_norm(kl_load(f->v + 6 * k)) > 1e-6) return false;
    return true;
}

/* ---- what stops them ---- */

static bool is_held(const kl_system *s, const unsigned char *fixed, int node)
{
    for (int c = 0; fixed && c < 6; c++) {
        int d = s->dof[6 * node + c];
        if (d >= 0 && fixed[d]) return true;
    }
    return false;
}

/* The unknown that moves most, and how in each motion. A node that is held already does, where it
 * moves half as much: fewer nodes are easier to understand. */
static int largest_unknown(const kl_system *s, const unsigned char *fixed, const kl_free_motions *f,
                           double best[6])
{
    double most  = 0;
    int    found = -1;
    for (int d = 0; d < s->ndof; d++) {
        double row[6], moved[6] = {0}, size = 0;
        if (s->dof_component[d] > 2 || (fixed && fixed[d])) continue;
        row_of(s, f, d, row);
        for (int k = 0; k < f->n; k++) {
            for (int c = 0; c < 6; c++) moved[k] += row[c] * f->v[6 * k + c];
            size += moved[k] * moved[k];
        }
        if (is_held(s, fixed, s->dof_node[d])) size *= 4;
        if (size > 1.0001 * most) {
            most = size, found = d;
            memcpy(best, moved, 6 * sizeof(double));
        }
    }
    return most > 1e-9 ? found : -1;
}

/* Takes the motion that moves an unknown as `row` out of the others, which stay orthonormal:
 * a reflection makes it the last one. */
static void stop(kl_free_motions *f, double *row)
{
    int    n    = f->n;
    double size = kl_vnorm(n, row), sign = row[n - 1] < 0 ? -1.0 : 1.0, square = 0;
    row[n - 1] += sign * size;
    for (int k = 0; k < n; k++) square += row[k] * row[k];
    for (int c = 0; c < 6 && square > 0; c++) {
        double sum = 0;
        for (int k = 0; k < n; k++) sum += row[k] * f->v[6 * k + c];
        for (int k = 0; k < n; k++) f->v[6 * k + c] -= 2 * sum / square * row[k];
    }
    f->n--;
}

static void add_name(kl_text *t, const kl_system *s, const kl_node_names *names, int node)
{
    for (int i = 0; names && i < names->n; i++)
        if (names->node[i] == node) {
            kl_text_add(t, "%s", names->name[i]);
            return;
        }
    kl_text_add(t, "%d", s->node_id[node]);
}

static void add_remedy(const kl_system *s, const unsigned char *fixed, kl_free_motions left,
                       const kl_node_names *names, kl_text *t)
{
    int    n          = 0, node[6];
    bool   hold[6][3] = {{false}};
    double row[6];
    for (int d; left.n > 0 && (d = largest_unknown(s, fixed, &left, row)) >= 0; stop(&left, row)) {
        int k = 0;
        while (k < n && node[k] != s->dof_node[d]) k++;
        if (k == n) node[n++] = s->dof_node[d];
        hold[k][s->dof_component[d]] = true;
    }
    if (n == 0) return;
    kl_text_add(t, "; fix also {");
    for (int k = 0; k < n; k++) {
        kl_text_add(t, k ? ", " : "");
        add_name(t, s, names, node[k]);
        const char *before = ": [";
        for (int c = 0; c < 3; c++) {
            if (!hold[k][c]) continue;
            kl_text_add(t, "%s%s", before, axis_names[c]);
            before = ", ";
        }
        kl_text_add(t, "]");
    }
    kl_text_add(t, "}");
}

void kl_free_motions_describe(const kl_system *s, const unsigned char *fixed,
                              const kl_free_motions *f, const kl_node_names *names, kl_text *t)
{
    kl_free_motions m      = *f;
    int             shifts = shifts_first(&m), n;
    const char     *before = "";
    kl_vec3         e[3];
    n = span_of(shifts, m.v, 0, e);
    for (int k = 0; k < n; k++, before = ", ") {
        kl_text_add(t, "%sshift along ", before);
        add_direction(t, e[k]);
    }
    n = span_of(m.n - shifts, m.v + 6 * shifts, 3, e);
    if (n == 3 && turns_about_middle(&m, shifts)) {
        kl_text_add(t, "%severy rotation about ", before);
        add_point(t, m.middle, m.size);
        n = 0;
    }
    for (int k = 0; k < n; k++, before = ", ") {
        kl_text_add(t, "%s", before);
        add_turn(t, &m, shifts, e[k]);
    }
    add_remedy(s, fixed, *f, names, t);
}
