/* Block Lanczos with thick restart; see the header. */
#include "algebra/lanczos.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algebra/dense.h"

typedef struct state {
    kl_lanczos         *l;
    const kl_symmetric *M;
    kl_factor          *factor;
    kl_diag            *diag;
    int                 n, block, cap; /* unknowns, columns a solve, basis vectors that fit */
    int                 locked;        /* known eigenvectors, kept in front of the basis */
    int                 m, width;      /* basis vectors; the last `width` are not yet used */
    double             *Q;             /* n x (locked + cap + block): locked, basis */
    double             *V;             /* the basis inside Q */
    double             *W, *MW, *MV;   /* n x block; MV = M V_last */
    double             *T;             /* cap x cap, projected operator of the used vectors */
    double             *H;             /* cap x block */
    double             *R;             /* block x block: what is left of W = V_next R */
    int                 rwidth;        /* columns of R */
    bool                chained;       /* the last block came from the one before it by R */
    double              size2;         /* largest M-norm squared of W before projection */
    double             *S, *theta;     /* cap x cap, cap: Ritz vectors and values */
} state;

static size_t at(const state *s, int column) { return (size_t)column * (size_t)s->n; }

static void release(state *s)
{
    free(s->Q);
    free(s->W);
    free(s->MW);
    free(s->MV);
    free(s->T);
    free(s->H);
    free(s->R);
    free(s->S);
    free(s->theta);
}

static double *allocate_matrix(size_t a, size_t b) { return calloc(a * b + 1, sizeof(double)); }

static kl_status prepare(state *s)
{
    size_t n = (size_t)s->n, b = (size_t)s->block, c = (size_t)s->cap;
    s->Q = malloc(n * ((size_t)s->locked + c + b) * sizeof(double));
    if (s->Q && s->locked > 0) memcpy(s->Q, s->l->deflate, at(s, s->locked) * sizeof(double));
    s->V = s->Q ? s->Q + at(s, s->locked) : NULL;
    s->W = allocate_matrix(n, b), s->MW = allocate_matrix(n, b), s->MV = allocate_matrix(n, b);
    s->T = allocate_matrix(c, c), s->H = allocate_matrix(c, b);
    s->R = allocate_matrix(b, b), s->S = allocate_matrix(c, c), s->theta = allocate_matrix(c, 1);
    bool ok = s->Q && s->W && s->MW && s->MV && s->T && s->H && s->R && s->S && s->theta;
    return ok ? KL_OK : kl_fail(s->diag, KL_E_MEMORY, KL_NOWHERE, "out of memory for eigenmodes");
}

/* W -= Q (Q' M W) for k columns of W, over the locked and m basis vectors; the coefficients of the
 * basis are added to H. Tells whether so much of a column went that rounding asks for another pass.
 */
static kl_status project_out(state *s, int m, int k, bool *again)
{
    int nq = s->locked + m;
    *again = false;
    if (nq == 0) return KL_OK;
    double *c = malloc((size_t)nq * (size_t)k * sizeof(double));
    if (!c) return KL_E_MEMORY;
    kl_symmetric_multiply(s->M, k, s->W, s->MW);
    kl_gemm(true, false, nq, k, s->n, 1, s->Q, s->n, s->MW, s->n, 0, c, nq);
    for (int j = 0; j < k; j++) {
        double before = kl_vdot(s->n, s->W + at(s, j), s->MW + at(s, j)),
               taken  = kl_vdot(nq, c + (size_t)j * (size_t)nq, c + (size_t)j * (size_t)nq);
        s->size2      = fmax(s->size2, before);
        if (taken > 0.5 * before) *again = true;
    }
    kl_gemm(false, false, s->n, k, nq, -1, s->Q, s->n, c, nq, 1, s->W, s->n);
    for (int j = 0; j < k; j++)
        for (int i = 0; i < m; i++) s->H[j * s->cap + i] += c[j * nq + s->locked + i];
    free(c);
    return KL_OK;
}

/* The part of W = OP V_last that the recurrence knows: R' on the block before, and what lies in
 * V_last itself, for which M V_last is at hand. It leaves only rounding for the full projection,
 * which then needs one pass, and one product with M, instead of two. */
static void project_out_neighbours(state *s, int k)
{
    int m = s->m, first = m - k, before = first - s->rwidth;
    for (int j = 0; j < k; j++)
        for (int i = 0; i < s->rwidth; i++) s->H[j * s->cap + before + i] = s->R[i * s->block + j];
    kl_gemm(false, false, s->n, k, s->rwidth, -1, s->V + at(s, before), s->n, s->H + before, s->cap,
            1, s->W, s->n);
    kl_gemm(true, false, k, k, s->n, 1, s->MV, s->n, s->W, s->n, 0, s->H + first, s->cap);
    kl_gemm(false, false, s->n, k, k, -1, s->V + at(s, first), s->n, s->H + first, s->cap, 1, s->W,
            s->n);
    for (int j = 0; j < k; j++) {
        const double *h = s->H + j * s->cap + before;
        s->size2        = fmax(s->size2, kl_vdot(s->rwidth + k, h, h));
    }
}

static kl_status project_out_all(state *s, int m, int k)
{
    bool again = true;
    for (int pass = 0; pass < 3 && again; pass++) KL_TRY(project_out(s, m, k, &again));
    return KL_OK;
}

/* M-orthonormalises k columns of W into V[m..]; R (kept x k) with W = V_new R. Directions that are
 * lost in rounding are dropped. */
static kl_status orthonormalise(state *s, int k)
{
    double *V  = s->V + at(s, s->m);
    size_t  kk = (size_t)k;
    double *G = allocate_matrix(kk, kk), *w = allocate_matrix(kk, 1), *C = allocate_matrix(kk, kk);
    kl_status status = G && w && C ? KL_OK : KL_E_MEMORY;
    if (status == KL_OK) {
        kl_symmetric_multiply(s->M, k, s->W, s->MW);
        kl_gemm(true, false, k, k, s->n, 1, s->W, s->n, s->MW, s->n, 0, G, k);
        status = kl_symmetric_eigen(k, G, w);
    }
    int kept = 0;
    if (status == KL_OK) {
        /* V = W U / sqrt(w) for the directions that survive, largest last */
        int first = 0;
        /* nothing but rounding is left when the space is exhausted */
        double least = fmax(1e-13 * w[k - 1], 1e-24 * s->size2);
        while (first < k && !(w[first] > least && w[first] > 0)) first++;
        kept = k - first;
        for (int j = 0; j < kept; j++) {
            double root = sqrt(w[first + j]);
            for (int i = 0; i < k; i++) {
                s->R[i * s->block + j] = root * G[(first + j) * k + i];
                G[(first + j) * k + i] /= root;
            }
        }
        kl_gemm(false, false, s->n, kept, k, 1, s->W, s->n, G + (size_t)first * kk, k, 0, V, s->n);
        s->rwidth = k;
        /* M V follows from M W unless the block is nearly dependent, where rounding would grow */
        if (kept > 0 && w[k - 1] < 1e6 * w[first])
            kl_gemm(false, false, s->n, kept, k, 1, s->MW, s->n, G + (size_t)first * kk, k, 0,
                    s->MV, s->n);
        else kl_symmetric_multiply(s->M, kept, V, s->MV);
    }
    /* second pass by Cholesky: V = V2 C, R := C R */
    if (status == KL_OK && kept > 0) {
        kl_gemm(true, false, kept, kept, s->n, 1, V, s->n, s->MV, s->n, 0, C, kept);
        status = kl_cholesky(kept, C);
    }
    if (status == KL_OK && kept > 0) {
        kl_right_divide(s->n, kept, C, V, s->n);
        kl_right_divide(s->n, kept, C, s->MV, s->n);
        for (int j = 0; j < k; j++) { /* upper triangular times column */
            double *r = s->R + (size_t)j * (size_t)s->block;
            for (int i = 0; i < kept; i++) {
                double sum = 0;
                for (int p = i; p < kept; p++) sum += C[p * kept + i] * r[p];
                r[i] = sum;
            }
        }
    }
    free(G);
    free(w);
    free(C);
    s->width = kept;
    s->m += kept;
    return status;
}

/* W = OP V_last, orthogonal to everything; the projected matrix gets its new columns */
static kl_status step(state *s)
{
    int k = s->width, m = s->m, first = m - k;
    memcpy(s->W, s->MV, at(s, k) * sizeof(double));
    KL_TRY(kl_factor_solve(s->factor, k, s->W, s->diag));
    s->l->nsolve += k;
    s->l->nblock++;
    memset(s->H, 0, (size_t)s->cap * (size_t)s->block * sizeof(double));
    s->size2 = 0;
    if (s->chained) project_out_neighbours(s, k);
    KL_TRY(project_out_all(s, m, k));
    for (int j = 0; j < k; j++)
        for (int i = 0; i < m; i++)
            s->T[(size_t)(first + j) * (size_t)s->cap + i] =
                s->T[(size_t)i * (size_t)s->cap + first + j] = s->H[j * s->cap + i];
    s->chained = true;
    return orthonormalise(s, k);
}

/* Ritz pairs of the used basis (mu vectors), descending theta; residual of pair i */
static kl_status ritz(state *s, int mu)
{
    for (int j = 0; j < mu; j++)
        for (int i = 0; i < mu; i++)
            s->S[j * mu + i] =
                0.5 * (s->T[(size_t)j * (size_t)s->cap + i] + s->T[(size_t)i * (size_t)s->cap + j]);
    KL_TRY(kl_symmetric_eigen(mu, s->S, s->theta));
    for (int i = 0, j = mu - 1; i < j; i++, j--) {
        double t    = s->theta[i];
        s->theta[i] = s->theta[j], s->theta[j] = t;
        for (int r = 0; r < mu; r++) {
            double v         = s->S[i * mu + r];
            s->S[i * mu + r] = s->S[j * mu + r];
            s->S[j * mu + r] = v;
        }
    }
    return KL_OK;
}

/* |R s_last| where s_last are the last rwidth rows of the Ritz vector: the part that OP leads out
 */
static double residual(const state *s, int mu, int pair)
{
    const double *tail = s->S + (size_t)pair * (size_t)mu + (mu - s->rwidth);
    double        sum  = 0;
    for (int i = 0; i < s->width; i++) {
        double r = 0;
        for (int j = 0; j < s->rwidth; j++) r += s->R[j * s->block + i] * tail[j];
        sum += r * r;
    }
    return sqrt(sum);
}

/* V[0..k) := V[0..mu) S[:, 0..k), by strips of rows so that no second basis is needed */
static kl_status rotate_basis(state *s, int mu, int k)
{
    enum { STRIP = 2048 };
    double *strip = malloc(STRIP * (size_t)k * sizeof(double));
    if (!strip) return KL_E_MEMORY;
    for (int r = 0; r < s->n; r += STRIP) {
        int rows = s->n - r < STRIP ? s->n - r : STRIP;
        kl_gemm(false, false, rows, k, mu, 1, s->V + r, s->n, s->S, mu, 0, strip, rows);
        for (int j = 0; j < k; j++)
            memcpy(s->V + at(s, j) + r, strip + (size_t)j * (size_t)rows,
                   (size_t)rows * sizeof(double));
    }
    free(strip);
    return KL_OK;
}

static kl_status restart(state *s, int mu)
{
    int keep = s->l->nev + s->block;
    if (keep > mu - s->block) keep = mu - s->block;
    KL_TRY(rotate_basis(s, mu, keep));
    memmove(s->V + at(s, keep), s->V + at(s, mu), at(s, s->width) * sizeof(double));
    memset(s->T, 0, (size_t)s->cap * (size_t)s->cap * sizeof(double));
    for (int i = 0; i < keep; i++) s->T[(size_t)i * (size_t)s->cap + i] = s->theta[i];
    s->m       = keep + s->width;
    s->chained = false; /* the next block couples to all that were kept */
    return KL_OK;
}

/* fixed pseudo-random numbers, so that equal input gives equal bits */
static void random_columns(state *s, int first, int columns, unsigned seed)
{
    for (size_t i = at(s, first); i < at(s, first + columns); i++) {
        seed     = seed * 1664525u + 1013904223u;
        s->MW[i] = (double)seed / 4294967296.0 - 0.5;
    }
}

/* W = OP MW, away from the m vectors there are, orthonormal behind them */
static kl_status new_block(state *s, int m)
{
    kl_symmetric_multiply(s->M, s->block, s->MW, s->W);
    KL_TRY(kl_factor_solve(s->factor, s->block, s->W, s->diag));
    s->l->nsolve += s->block;
    s->l->nblock++;
    s->size2 = 0;
    memset(s->H, 0, (size_t)s->cap * (size_t)s->block * sizeof(double));
    KL_TRY(project_out_all(s, m, s->block));
    s->m       = m;
    s->chained = false;
    return orthonormalise(s, s->block);
}

/* the first block: guesses in one half, random in the other, so that no symmetry of the guesses can
 * hide a mode */
static kl_status begin(state *s)
{
    int given = s->l->nstart < s->block / 2 ? s->l->nstart : s->block / 2;
    if (given > 0) memcpy(s->MW, s->l->start, at(s, given) * sizeof(double));
    random_columns(s, given, s->block - given, 12345u);
    return new_block(s, 0);
}

/* the space is exhausted: look for more outside it; nothing couples the new block to the old */
static kl_status refill(state *s, int mu, unsigned seed)
{
    if (mu + s->block > s->cap) return KL_OK;
    random_columns(s, 0, s->block, seed);
    int rwidth = s->rwidth;
    KL_TRY(new_block(s, mu));
    memset(s->R, 0, (size_t)s->block * (size_t)s->block * sizeof(double));
    s->rwidth = rwidth;
    return KL_OK;
}

static int converged_count(const state *s, int mu)
{
    int done = 0;
    while (done < s->l->nev && done < mu && s->theta[done] > 0 &&
           residual(s, mu, done) <= s->l->tolerance * s->theta[done])
        done++;
    return done;
}

static kl_status iterate(state *s, int *mu_out)
{
    enum { MOST_BLOCKS = 1000 };
    KL_TRY(begin(s));
    for (int count = 0; count < MOST_BLOCKS; count++) {
        int mu = s->m; /* vectors that OP has been applied to after this step */
        if (s->width == 0) break;
        KL_TRY(step(s));
        KL_TRY(ritz(s, mu));
        int done = converged_count(s, mu);
        if (s->l->progress && !s->l->progress(s->l->context, (double)done / s->l->nev))
            return KL_E_INTERRUPTED;
        *mu_out = mu;
        if (done >= s->l->nev) return KL_OK;
        if (s->width == 0) KL_TRY(refill(s, mu, 777u + (unsigned)count));
        if (s->width == 0) return KL_OK;
        if (s->m + s->width > s->cap) KL_TRY(restart(s, mu));
    }
    if (s->width == 0) return KL_OK;
    return kl_fail(s->diag, KL_E_SINGULAR, KL_NOWHERE,
                   "the eigenmodes did not converge after %d solves; request fewer modes",
                   s->l->nsolve);
}

kl_status kl_lanczos_solve(kl_lanczos *l, const kl_symmetric *M, kl_factor *factor, double *value,
                           double *vector, int *found, kl_diag *diag)
{
    state s    = {.l = l, .M = M, .factor = factor, .diag = diag, .n = M->n, .locked = l->ndeflate};
    int   room = M->n - l->ndeflate;
    *found     = 0;
    l->nsolve = l->nblock = 0;
    if (l->nev < 1 || room < 1) return KL_OK;
    /* measured on 171 000 unknowns: eight columns a solve need the least time in all, and a product
     * with M takes eight together */
    s.block = l->block > 0 ? l->block : 8;
    if (s.block > room) s.block = room;
    s.cap = l->basis > 0 ? l->basis : 3 * l->nev + 6 * s.block;
    if (s.cap < l->nev + 3 * s.block) s.cap = l->nev + 3 * s.block;
    int       mu     = 0;
    kl_status status = prepare(&s);
    if (status == KL_OK) status = iterate(&s, &mu);
    if (status == KL_OK) {
        int k = l->nev < mu ? l->nev : mu;
        while (k > 0 && !(s.theta[k - 1] > 0)) k--;
        status = rotate_basis(&s, mu, k);
        for (int i = 0; i < k; i++) value[i] = l->sigma + 1 / s.theta[i];
        /* not needed any more, before memory is at its most */
        free(s.W), free(s.MW), free(s.MV);
        s.W = s.MW = s.MV = NULL;
        memcpy(vector, s.V, at(&s, k) * sizeof(double));
        *found = k;
    }
    if (status == KL_E_MEMORY) kl_fail(diag, status, KL_NOWHERE, "out of memory for eigenmodes");
    release(&s);
    return status;
}
