/* From a reduced body to what a time step needs: choice of modes, invariants in the order in which
 * they are summed, damping, frames for markers. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algebra/dense.h"
#include "bodies/flexible.h"

/* ---- choice of modes ---- */

/* as messages call it: a body that is in the model has no name of a file */
static const char *file_of(const flexible *p)
{
    return p->file.file && *p->file.file != '{' ? p->file.file : "its `file: {...}`";
}

/* the largest share of the body's mass or of a moment of inertia that mode j carries */
static double largest_share(const kl_kbody *b, int j)
{
    double  L[6], effective[6], share = 0.0;
    kl_mat3 J = kl_kbody_central_inertia(b);
    kl_kbody_participation(b, j, L, effective);
    for (int k = 0; k < 6; k++) {
        double whole = k < 3 ? b->inertia.m : J.m[k - 3][k - 3];
        if (whole > 0.0) share = fmax(share, effective[k] / whole);
    }
    return share;
}

/* `modes` cuts the list short */
static kl_status choose_listed(flexible *p, const kl_setup *s, double most)
{
    const kl_kbody *b = p->file.body;
    if (!isnan(p->count) && most > p->chosen.n)
        return kl_fail(s->diag, KL_E_RANGE, s->place,
                       "body '%s': `modes: %g` exceeds the %d modes in `pick`; list more modes or "
                       "lower `modes`",
                       s->name, most, p->chosen.n);
    for (int i = 0; i < p->chosen.n && p->n < most; i++) {
        double number = p->chosen.value[i];
        int    j      = (int)number - 1;
        bool   twice  = false;
        for (int k = 0; k < p->n; k++) twice |= p->mode[k] == j;
        if (!(number >= 1 && number <= b->nmode) || number != floor(number))
            return kl_fail(s->diag, KL_E_RANGE, s->place,
                           "body '%s': there is no mode %g; %s has modes 1 to %d", s->name, number,
                           file_of(p), b->nmode);
        if (twice)
            return kl_fail(s->diag, KL_E_RANGE, s->place,
                           "body '%s': mode %d occurs twice in `pick`; remove one", s->name, j + 1);
        p->mode[p->n++] = j;
    }
    return KL_OK;
}

static kl_status choose_modes(flexible *p, const kl_setup *s)
{
    const kl_kbody *b = p->file.body;
    p->mode           = kl_arena_array(s->arena, int, b->nmode + p->chosen.n + 7);
    p->n              = 0;
    if (!p->mode) return KL_E_MEMORY;
    if (!p->deforms) return KL_OK;
    double most = !isnan(p->count) ? p->count : p->chosen.n > 0 ? p->chosen.n : b->nmode;
    if (!(most >= 0) || most != floor(most))
        return kl_fail(s->diag, KL_E_RANGE, s->place,
                       "body '%s': modes is %g; give a whole number, such as 8", s->name, most);
    if (p->chosen.n > 0 && (!isnan(p->up_to) || !isnan(p->share)))
        return kl_fail(s->diag, KL_E_MODEL, s->place,
                       "body '%s': give either `pick` or %s, not both", s->name,
                       isnan(p->up_to) ? "`effective_mass`" : "`up_to`");
    if (p->chosen.n > 0) return choose_listed(p, s, most);
    if (most > b->nmode)
        return kl_fail(s->diag, KL_E_RANGE, s->place,
                       "body '%s': `modes: %g` is requested, but %s has %d; request fewer here or "
                       "more in the body file",
                       s->name, most, file_of(p), b->nmode);
    if (!isnan(p->share) && strcmp(b->reference, "mean-axis") == 0)
        return kl_fail(
            s->diag, KL_E_MODEL, s->place,
            "body '%s': with mean axes all effective masses are zero, so modes cannot be selected "
            "by them; select modes by number (`modes`) or frequency (`up_to`)",
            s->name);
    for (int j = 0; j < b->nmode && p->n < most; j++) {
        if (!isnan(p->up_to) && b->frequency[j] > p->up_to) continue;
        if (!isnan(p->share) && largest_share(b, j) < p->share) continue;
        p->mode[p->n++] = j;
    }
    if (p->n == 0 && most > 0)
        return kl_fail(s->diag, KL_E_RANGE, s->place,
                       "body '%s': none of the %d modes of %s is selected (the lowest has %.4g "
                       "Hz); raise `up_to`, or make the body rigid with `flexible: false`",
                       s->name, b->nmode, file_of(p), b->nmode ? b->frequency[0] : 0.0);
    return KL_OK;
}

/* ---- invariants ---- */

/* chosen columns of three of a 3 x nmode array */
static double *columns(const flexible *p, kl_arena *a, const double *from)
{
    double *to = kl_arena_array(a, double, 3 * (size_t)p->n + 1);
    for (int j = 0; to && j < p->n; j++)
        memcpy(to + 3 * j, from + 3 * (size_t)p->mode[j], 3 * sizeof(double));
    return to;
}

static double *square(const flexible *p, kl_arena *a, const double *from)
{
    int     all = p->file.body->nmode;
    double *to  = kl_arena_array(a, double, (size_t)(p->n * p->n) + 1);
    for (int i = 0; to && i < p->n; i++)
        for (int j = 0; j < p->n; j++)
            to[i * p->n + j] = 0.5 * (from[(size_t)p->mode[i] * (size_t)all + (size_t)p->mode[j]] +
                                      from[(size_t)p->mode[j] * (size_t)all + (size_t)p->mode[i]]);
    return to;
}

/* What rotation is measured by: the lowest natural frequency and the largest moment of inertia. */
static kl_status take_sizes(flexible *p)
{
    double J[9], size[3];
    memcpy(J, p->J0.m, sizeof J);
    KL_TRY(kl_symmetric_eigen(3, J, size));
    p->largest_inertia = size[2];
    for (int j = 0; j < p->n; j++) {
        double w = p->mode[j] < 0 ? 0.0 : 2.0 * KL_PI * p->file.body->frequency[p->mode[j]];
        if (w > 0.0 && (p->first == 0.0 || w < p->first)) p->first = w;
    }
    return KL_OK;
}

/* Copies the invariants of the selected modes. J2 is stored transposed (mode j, then i) and H1 in both orders,
 * because sums over either index then run through adjacent memory. */
static kl_status take_invariants(flexible *p, kl_arena *a)
{
    const kl_kbody      *b = p->file.body;
    const kl_invariants *v = &b->inertia;
    size_t               n = (size_t)p->n, all = (size_t)b->nmode;
    p->m = v->m, p->s0 = v->s0, p->J0 = v->J0;
    p->S1  = columns(p, a, v->S1);
    p->H0  = columns(p, a, v->H0);
    p->G0  = kl_arena_array(a, double, 9 * n + 1);
    p->J2  = kl_arena_array(a, double, 9 * n * n + 1);
    p->H1  = kl_arena_array(a, double, 3 * n * n + 1);
    p->H1t = kl_arena_array(a, double, 3 * n * n + 1);
    p->M   = square(p, a, b->Mff);
    p->K   = square(p, a, b->Kff);
    p->D   = kl_arena_array(a, double, n *n + 1);
    if (!kl_arena_ok(a)) return KL_E_MEMORY;
    for (size_t i = 0; i < n; i++) {
        size_t at = (size_t)p->mode[i];
        memcpy(p->G0 + 9 * i, v->G0[at].m, 9 * sizeof(double));
        for (size_t j = 0; j < n; j++) {
            size_t        other = (size_t)p->mode[j];
            const double *h     = v->H1 + 3 * (at * all + other);
            memcpy(p->J2 + 9 * (i * n + j), v->J2[other * all + at].m, 9 * sizeof(double));
            memcpy(p->H1 + 3 * (i * n + j), h, 3 * sizeof(double));
            memcpy(p->H1t + 3 * (j * n + i), h, 3 * sizeof(double));
        }
    }
    p->gyration = sqrt(0.5 * (p->J0.m[0][0] + p->J0.m[1][1] + p->J0.m[2][2]) / p->m);
    return take_sizes(p);
}

/* ---- second-order motion ---- */

/* blocks i, mode j of `rows` numbers, from as many matrices of the file */
static double *take_second(const flexible *p, kl_arena *a, size_t rows, const double *from)
{
    size_t  n = (size_t)p->n, all = (size_t)p->file.body->nmode;
    double *to = kl_arena_array(a, double, rows *n *n + 1);
    for (size_t i = 0; to && i < n; i++)
        for (size_t j = 0; j < n; j++)
            for (size_t c = 0; c < rows; c++)
                to[rows * (i * n + j) + c] =
                    from[(c * all + (size_t)p->mode[i]) * all + (size_t)p->mode[j]];
    return to;
}

/* What is bent in two planes turns about its axis in second order. Where none of the modes gives way to
 * a moment there, this would lock what the real body, soft in torsion, is free to do: it is left out.
 * (Length is another matter: hardly anything stretches.) */
static kl_status keep_turns(int n, flexible_frame *f)
{
    double turns[9] = {0}, size[3];
    for (int j = 0; j < n; j++)
        for (int a = 0; a < 9; a++) turns[a] += f->Y[3 * j + a / 3] * f->Y[3 * j + a % 3];
    KL_TRY(kl_symmetric_eigen(3, turns, size));
    for (int k = 0; k < 3 && size[k] < 1e-6 * size[2]; k++) {
        kl_vec3 e = kl_load(turns + 3 * k);
        for (int i = 0; i < n * n; i++) {
            kl_vec3 y = kl_load(f->Y2 + 3 * i);
            kl_store(f->Y2 + 3 * i, kl_axpy(-kl_dot(e, y), e, y));
        }
    }
    return KL_OK;
}

static kl_status stiffen(flexible *p, const kl_setup *s)
{
    const kl_kbody *b  = p->file.body;
    size_t          nn = (size_t)b->nmode * (size_t)b->nmode;
    if (!p->stiffening || p->n == 0) return KL_OK;
    if (!b->second_mass)
        return kl_fail(s->diag, KL_E_MODEL, s->place,
                       "body '%s': %s contains no data for stiffening; write `stiffening: yes` in "
                       "the body file and reduce it again",
                       s->name, file_of(p));
    p->S2     = take_second(p, s->arena, 3, b->second_mass);
    p->second = take_second(p, s->arena, FLEXIBLE_FIELDS, b->second_mass);
    if (!kl_arena_ok(s->arena)) return KL_E_MEMORY;
    flexible_add_second(p->n, p->second, 1.0, p->J2, p->H1, p->H1t);
    for (int i = 0; i < p->nframe; i++) {
        p->frame[i].X2 = take_second(p, s->arena, 3, b->marker[i].second);
        if (p->frame[i].kind != KL_FRAME_ROTATION) continue;
        p->frame[i].Y2 = take_second(p, s->arena, 3, b->marker[i].second + 3 * nn);
        if (!p->frame[i].Y2) return KL_E_MEMORY;
        KL_TRY(keep_turns(p->n, &p->frame[i]));
    }
    return kl_arena_ok(s->arena) ? KL_OK : KL_E_MEMORY;
}

/* ---- damping ---- */

static bool is_diagonal(int n, const double *A)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (i != j && fabs(A[i * n + j]) > 1e-10 * sqrt(fabs(A[i * n + i] * A[j * n + j])))
                return false;
    return true;
}

/* the leading n x n of a matrix with N columns */
static void leading(int n, int N, const double *A, double *to)
{
    for (int i = 0; i < n; i++) memcpy(to + i * n, A + i * N, (size_t)n * sizeof(double));
}

/* In principal axes a body that swings freely moves its frame: M less what the momentum of the modes
 * over that of rigid motions takes, S'S/m + L'J^-1 L with L about the centre of mass, is the mass of its
 * free modes. False: the modes carry none. */
static bool take_momentum(const flexible *p, double *M)
{
    const kl_kbody *b         = p->file.body;
    bool            principal = flexible_reference_of(p) == FLEXIBLE_PRINCIPAL_AXIS;
    bool            some      = false;
    kl_vec3         c         = kl_kbody_centre(b);
    kl_mat3         J = kl_kbody_central_inertia(b), inverse = kl_inverse(&J);
    for (int i = 0; principal && !p->conditioned && i < p->n; i++)
        for (int j = 0; j < p->n; j++) {
            kl_vec3 Si = kl_load(p->S1 + 3 * i), Sj = kl_load(p->S1 + 3 * j);
            kl_vec3 Li   = kl_sub(kl_load(p->H0 + 3 * i), kl_cross(c, Si));
            kl_vec3 Lj   = kl_sub(kl_load(p->H0 + 3 * j), kl_cross(c, Sj));
            double  take = kl_dot(Si, Sj) / p->m + kl_dot(Li, kl_mul(&inverse, Lj));
            some |= fabs(take) > 1e-10 * sqrt(p->M[i * (p->n + 1)] * p->M[j * (p->n + 1)]);
            M[i * p->n + j] -= take;
        }
    return some;
}

/* D += sum over the eigenmodes of (K, M) of 2 zeta omega (M phi)(M phi)', of the first n modes */
static kl_status add_ratio(flexible *p, int n, kl_arena *a)
{
    int     N   = p->n;
    double *phi = kl_arena_array(a, double, 3 * (size_t)(n * n) + (size_t)n + 1);
    if (!phi) return KL_E_MEMORY;
    double *B = phi + n * n, *M = B + n * n, *w = M + n * n;
    leading(n, N, p->K, phi);
    leading(n, N, p->M, M);
    if (n == N) (void)take_momentum(p, M);
    memcpy(B, M, (size_t)(n * n) * sizeof(double));
    KL_TRY(kl_generalized_eigen(n, phi, B, w));
    for (int k = 0; k < n; k++) {
        double size = 2.0 * p->damping * sqrt(fmax(w[k], 0.0));
        for (int i = 0; i < n; i++) { /* B, free again, holds M phi_k */
            B[i] = 0.0;
            for (int j = 0; j < n; j++) B[i] += M[i * n + j] * phi[k * n + j];
        }
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) p->D[i * N + j] += size * B[i] * B[j];
    }
    return KL_OK;
}

/* Where the nodes of the body file hold, its modes swing as they do there, though rigid motions
 * are behind them. */
static int damped_modes(const flexible *p)
{
    return p->conditioned && p->reference == FLEXIBLE_AS_IN_FILE ? p->n - 6 : p->n;
}

static kl_status make_damping(flexible *p, kl_arena *a)
{
    int n = p->n;
    for (int i = 0; i < n * n; i++) p->D[i] = p->rayleigh[0] * p->M[i] + p->rayleigh[1] * p->K[i];
    bool    apart = is_diagonal(n, p->M) && is_diagonal(n, p->K);
    double *free  = kl_arena_array(a, double, (size_t)(n * n) + 1);
    if (!free) return KL_E_MEMORY;
    if (p->damping > 0.0 && take_momentum(p, free)) apart = false;
    if (apart) {
        /* exact zeros off the diagonal: modes of an eigenproblem do not couple */
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                if (i != j) p->M[i * n + j] = p->K[i * n + j] = p->D[i * n + j] = 0.0;
        for (int i = 0; i < n; i++)
            p->D[i * n + i] +=
                2.0 * p->damping * sqrt(fmax(p->K[i * n + i] * p->M[i * n + i], 0.0));
    }
    p->diagonal = apart;
    return !apart && p->damping > 0.0 ? add_ratio(p, damped_modes(p), a) : KL_OK;
}

/* Whatever frame a body was given, its modes are damped as they swing in the file that holds its
 * nodes: the coordinates are the same, with rigid motions behind them where these stay in the
 * basis. */
static kl_status damp_as_in_file(flexible *p, flexible *file, kl_arena *a)
{
    KL_TRY(make_damping(file, a));
    memset(p->D, 0, (size_t)(p->n * p->n) * sizeof(double));
    for (int i = 0; i < file->n; i++)
        memcpy(p->D + i * p->n, file->D + i * file->n, (size_t)file->n * sizeof(double));
    p->diagonal = is_diagonal(p->n, p->K) && is_diagonal(p->n, p->D);
    return KL_OK;
}

/* ---- frames ---- */

static kl_status take_frame(const flexible *p, const kl_setup *s, const kl_kbody_marker *m,
                            flexible_frame *f)
{
    int n       = p->n;
    f->name     = m->name;
    f->position = m->position;
    f->kind     = m->kind == KL_MARKER_TRIAD ? KL_FRAME_TRIAD : KL_FRAME_ROTATION;
    f->X        = columns(p, s->arena, m->translation);
    f->Y        = kl_arena_array(s->arena, double, (size_t)n *(size_t)f->kind + 1);
    f->start    = kl_identity();
    if (!kl_arena_ok(s->arena)) return KL_E_MEMORY;
    if (f->kind == KL_FRAME_ROTATION) {
        for (int j = 0; j < n; j++)
            memcpy(f->Y + 3 * j, m->rotation + 3 * (size_t)p->mode[j], 3 * sizeof(double));
        return KL_OK;
    }
    for (int arm = 0; arm < 2; arm++) {
        kl_store(f->y0 + 3 * arm, kl_sub(m->triad[1 + arm], m->triad[0]));
        for (int j = 0; j < n; j++) {
            size_t at = 3 * (size_t)p->mode[j];
            kl_store(f->Y + 6 * j + 3 * arm, kl_sub(kl_load(m->triad_motion[1 + arm] + at),
                                                    kl_load(m->triad_motion[0] + at)));
        }
    }
    kl_mat3 axes  = kl_node_frame_axes(f->kind, f->y0);
    f->start      = kl_transpose(&axes);
    double spread = kl_node_frame_spread(f->kind, f->y0);
    if (!(spread > 0.01))
        return kl_fail(
            s->diag, KL_E_SINGULAR, s->place,
            "body '%s': the nodes %d, %d, %d of marker '%s' lie on a line (sine of the angle %.2g) "
            "and define no frame; choose another node or connect a node set to the marker",
            s->name, m->triad_id[0], m->triad_id[1], m->triad_id[2], m->name, spread);
    return KL_OK;
}

static kl_status take_frames(flexible *p, const kl_setup *s)
{
    const kl_kbody *b      = p->file.body;
    kl_status       status = KL_OK;
    p->nframe              = b->nmarker;
    p->frame               = kl_arena_array(s->arena, flexible_frame, b->nmarker + 1);
    p->used                = kl_arena_array(s->arena, unsigned char, b->nmarker + 1);
    if (!kl_arena_ok(s->arena)) return KL_E_MEMORY;
    for (int i = 0; i < b->nmarker; i++) {
        kl_status one = take_frame(p, s, &b->marker[i], &p->frame[i]);
        if (one != KL_OK) status = one;
    }
    return status;
}

/* What the reference conditions of the model added to the modes of the file, seen from the
 * invariants: sum m X and sum m (x - c) x X of a rigid motion are m times its shift and J its turn.
 */
static kl_status find_rigid(flexible *p, const kl_setup *s)
{
    const kl_kbody *b = p->file.body;
    if (p->reference == FLEXIBLE_AS_IN_FILE && !p->conditioned) return KL_OK;
    kl_vec3 c  = kl_kbody_centre(b);
    kl_mat3 Jc = kl_kbody_central_inertia(b), inverse = kl_inverse(&Jc);
    p->rigid = kl_arena_array(s->arena, double, 6 * (size_t)p->n + 1);
    if (!p->rigid) return KL_E_MEMORY;
    for (int j = 0; j < p->n; j++) {
        kl_vec3 S = kl_load(p->S1 + 3 * j), H = kl_load(p->H0 + 3 * j);
        if (p->mode[j] >= 0) {
            S = kl_sub(S, kl_load(b->inertia.S1 + 3 * (size_t)p->mode[j]));
            H = kl_sub(H, kl_load(b->inertia.H0 + 3 * (size_t)p->mode[j]));
        }
        kl_store(p->rigid + 6 * j, kl_scale(1.0 / p->m, S));
        kl_store(p->rigid + 6 * j + 3, kl_mul(&inverse, kl_sub(H, kl_cross(c, S))));
    }
    return KL_OK;
}

/* A stress given without a unit is in Pa, which few mean. */
static kl_status check_curve(const flexible *p, const kl_setup *s)
{
    const struct {
        const char *name;
        double      value;
    } stress[] = {{"sn_range", p->sn_range}, {"ultimate", p->ultimate}};
    for (int i = 0; i < 2; i++)
        if (stress[i].value < 1e4)
            kl_warn(s->diag, s->place, "body '%s': %s is %g Pa; did you mean %g MPa?", s->name,
                    stress[i].name, stress[i].value, stress[i].value);
    if (!isnan(p->sn_slope_after) && isnan(p->sn_knee))
        return kl_fail(
            s->diag, KL_E_MODEL, s->place,
            "body '%s': sn_slope_after needs sn_knee, the number of cycles at which it begins",
            s->name);
    if (p->sn_knee < p->sn_cycles)
        return kl_fail(s->diag, KL_E_MODEL, s->place,
                       "body '%s': sn_knee (%g cycles) must not be smaller than sn_cycles (%g)",
                       s->name, p->sn_knee, p->sn_cycles);
    bool wants = p->mean_stress == 1 || p->mean_stress == 2;
    if (wants && isnan(p->ultimate))
        return kl_fail(
            s->diag, KL_E_MODEL, s->place,
            "body '%s': this mean stress correction needs `ultimate`, the tensile strength",
            s->name);
    return KL_OK;
}

kl_status flexible_check_damping(const flexible *p, const kl_setup *s)
{
    if (p->damping > 1.0)
        kl_warn(s->diag, s->place,
                "body '%s': damping is %g, %.0f %% of critical damping; for %g %% write `damping: "
                "%g`",
                s->name, p->damping, 100.0 * p->damping, p->damping, 0.01 * p->damping);
    if (p->rayleigh[0] >= 0.0 && p->rayleigh[1] >= 0.0) return KL_OK;
    return kl_fail(s->diag, KL_E_RANGE, s->place,
                   "body '%s': rayleigh is [%g, %g]; Rayleigh coefficients must not be negative",
                   s->name, p->rayleigh[0], p->rayleigh[1]);
}

static kl_status check_start(const flexible *p, const kl_setup *s)
{
    if (p->start && (p->fixed >> 4 & 1) && p->n > 0)
        return kl_fail(s->diag, KL_E_MODEL, s->place,
                       "body '%s': `start: static` computes the deformation, but `fixed` keeps the "
                       "given one; remove one of them",
                       s->name);
    const kl_list *lists[] = {&p->deformation, &p->deformation_rate};
    for (int i = 0; i < 2; i++)
        if (lists[i]->n > p->n && p->deforms)
            return kl_fail(
                s->diag, KL_E_RANGE, s->place,
                "body '%s': %s has %d numbers, but the body has only %d modes; remove the rest",
                s->name, i ? "deformation_rate" : "deformation", lists[i]->n, p->n);
    return KL_OK;
}

static kl_body_size size_of(const flexible *p, int modes)
{
    kl_body_size size = {.cache = flexible_cache_bytes(p)};
    kl_size_add(&size, KL_TRANSLATION, 3, 3);
    kl_size_add(&size, KL_ROTATION, 4, 3);
    kl_size_add(&size, KL_MODAL, modes, modes);
    return size;
}

static kl_status take_all(flexible *p, const kl_setup *s, kl_body_size *size)
{
    if (!p->file.body) return KL_E_MODEL; /* reported when it was read */
    KL_TRY(choose_modes(p, s));
    KL_TRY(take_invariants(p, s->arena));
    KL_TRY(take_frames(p, s));
    KL_TRY(stiffen(p, s));
    flexible before = *p;
    KL_TRY(flexible_refer(p, s));
    KL_TRY(find_rigid(p, s));
    KL_TRY(check_curve(p, s));
    KL_TRY(flexible_check_damping(p, s));
    KL_TRY(p->reframed ? damp_as_in_file(p, &before, s->arena) : make_damping(p, s->arena));
    KL_TRY(flexible_second_setup(p, s->arena));
    *size = size_of(p, p->n);
    return check_start(p, s);
}

kl_status flexible_setup(void *data, const kl_setup *s, kl_body_size *size)
{
    flexible *p      = data;
    kl_status status = take_all(p, s, size);
    if (status == KL_OK) return KL_OK;
    /* use a frame, so that other mistakes of the model are found too */
    p->n = p->nframe = 0;
    p->plain         = NULL;
    *size            = size_of(p, 0);
    return status;
}

/* ---- markers of elements ---- */

kl_status flexible_attach(void *data, const kl_setup *s, kl_marker *marker)
{
    flexible *p    = data;
    double    best = HUGE_VAL;
    int       node = marker->node - 1; /* a named marker knows its own */
    if (!p->file.body) return KL_E_MODEL;
    if (marker->node == KL_MARKER_CONDITIONS || marker->node == KL_MARKER_FRAME) return KL_OK;
    if (marker->node <= KL_MARKER_SKIN)
        return flexible_attach_skin(p, s, KL_MARKER_SKIN - marker->node);
    for (int i = 0; marker->node == 0 && i < p->nframe; i++) {
        double d = kl_norm(kl_sub(p->frame[i].position, marker->r));
        if (d < best) best = d, node = i;
    }
    if (node < 0)
        return kl_fail(s->diag, KL_E_MODEL, s->place,
                       "body '%s': %s has no markers for joints and forces; define them in the "
                       "body file: markers: {pin: {at: [x, y, z]}}",
                       s->name, file_of(p));
    if (marker->node == 0 && best > 0.02 * p->gyration && p->n > 0)
        kl_warn(s->diag, s->place,
                "body '%s': the point (%.6g, %.6g, %.6g) is attached to marker '%s' by a rigid arm "
                "of %.4g mm; to avoid the arm, add a marker in the body file: markers: {name: {at: "
                "[%.6g, %.6g, %.6g]}}",
                s->name, marker->r.x, marker->r.y, marker->r.z, p->frame[node].name, 1e3 * best,
                marker->r.x, marker->r.y, marker->r.z);
    marker->node  = node + 1;
    p->used[node] = 1;
    return KL_OK;
}
