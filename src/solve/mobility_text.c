#include "solve/mobility_text.h"

#include <math.h>
#include <string.h>

#include "catalogue.h"
#include "solve/motion_text.h"

enum { MOST_REPORTED = 24, MOST_REPEATS = 8 };

static int body_of_column(const kl_model *m, int column)
{
    int b = 0;
    while (b + 1 < m->nbody && column >= m->body[b].v + m->body[b].nv) b++;
    return b;
}

static int element_of_row(const kl_model *m, int row)
{
    int e = 0;
    while (e + 1 < m->nelement && row >= m->element[e].phi + m->element[e].nphi) e++;
    return e;
}

/* Who leads a motion: the first body that moves well and hangs on the ground by a joint, or the one
 * that the direction was found from. */
static int leader_of(const kl_model *m, const double *dx, int found)
{
    double most = 0.0;
    for (int b = 0; b < m->nbody; b++) most = fmax(most, kl_motion_amount(m, dx, b));
    for (int b = 0; b < m->nbody; b++) {
        if (kl_motion_amount(m, dx, b) < 0.2 * most || m->body[b].nv == 0) continue;
        for (int i = 0; i < m->nelement; i++) {
            const kl_element *e    = &m->element[i];
            bool              mine = false, ground = false;
            for (int k = 0; k < e->nmarker; k++) {
                int body = m->marker[e->marker + k].body;
                mine |= body == b;
                ground |= m->body[body].nv == 0;
            }
            if (mine && ground && e->nphi >= 3) return b;
        }
    }
    return found;
}

kl_status kl_mobility_describe_motions(kl_mobility_search *a, const kl_rank *by_bodies)
{
    const kl_model *m      = a->m;
    kl_mobility    *b      = a->b;
    const int      *column = kl_rank_free(by_bodies);
    int             n      = b->freedom < MOST_REPORTED ? b->freedom : MOST_REPORTED;
    b->motion              = kl_arena_array(b->arena, kl_free_motion, n + 1);
    for (int i = 0; b->motion && i < n; i++) {
        double *dx = kl_arena_array(b->arena, double, m->nv + 1), most = 0.0;
        if (!dx) return KL_E_MEMORY;
        dx[column[i]] = 1.0;
        kl_rank_null(by_bodies, dx);
        for (int k = 0; k < m->nv; k++) dx[k] *= a->column[k];
        for (int k = 0; k < m->nbody; k++) most = fmax(most, kl_motion_amount(m, dx, k));
        for (int k = 0; k < m->nv; k++) dx[k] /= most;
        /* a body leads one motion only, or many would begin alike */
        int found = body_of_column(m, column[i]), lead = leader_of(m, dx, found);
        for (int k = 0; k < b->nmotion; k++)
            if (b->motion[k].body == lead) lead = found;
        b->motion[b->nmotion++] = (kl_free_motion){
            .body = lead, .dx = dx, .text = kl_motion_text(b->arena, m, a->x->w, dx, lead, 1e-6)};
    }
    return kl_arena_ok(b->arena) ? KL_OK : KL_E_MEMORY;
}

/* "along z" for a row that holds a point, "about x" for one that holds an angle */
static void line_row(kl_line *l, const kl_model *m, const kl_work *w, int row)
{
    const kl_element *e = &m->element[element_of_row(m, row)];
    const double     *r =
        w->rows + e->rows + (size_t)(row - e->phi) * 6 * (size_t)e->nmarker + 6 * (e->nmarker - 1);
    kl_vec3 force = kl_load(r), moment = kl_load(r + 3);
    bool    point = kl_norm(force) > 0.0;
    kl_line_add(l, point ? "along " : "about ");
    kl_line_axis(l, point ? force : moment);
}

static const char *kind_word(const kl_element *e) { return kl_element_word(e->type); }

/* One element that repeats `count` rows of the elements in `with`. */
static const char *repeat_text(kl_mobility_search *a, const kl_rank *r, int element, int count,
                               const int *with, int nwith)
{
    const kl_model *m      = a->m;
    kl_line         l      = {.arena = a->b->arena};
    const int      *column = kl_rank_free(r);
    kl_line_add(&l, "%s %s has %d redundant constraint%s: direction%s that ",
                kind_word(&m->element[element]), m->element[element].name, count,
                count == 1 ? "" : "s", count == 1 ? "" : "s");
    if (nwith == 0) {
        kl_line_add(&l, "it constrains twice, or in which no body can move");
    } else {
        kl_line_add(&l, nwith == 1 ? "joint " : "joints ");
        kl_line_elements(&l, m, with, nwith);
        kl_line_add(&l, nwith == 1 ? " already constrains" : " already constrain");
    }
    for (int i = 0, listed = 0; i < kl_rank_nullity(r); i++) {
        if (element_of_row(m, column[i]) != element) continue;
        kl_line_add(&l, listed++ ? ", " : ": ");
        line_row(&l, m, a->x->w, column[i]);
    }
    return l.text;
}

/* Which elements repeat which, from the null space of the multipliers at the evaluated position. */
kl_status kl_mobility_describe_redundant(kl_mobility_search *a, const kl_rank *r)
{
    const kl_model *m      = a->m;
    kl_mobility    *b      = a->b;
    const int      *column = kl_rank_free(r);
    int             n      = kl_rank_nullity(r);
    double         *lambda = kl_arena_array(a->scratch, double, m->nlam + 1);
    int            *with   = kl_arena_array(a->scratch, int, m->nelement + 1);
    bool           *in     = kl_arena_array(a->scratch, bool, m->nelement + 1);
    bool           *all    = kl_arena_array(a->scratch, bool, m->nelement + 1);
    b->repeat              = kl_arena_array(b->arena, kl_repeat, n + 1);
    if (!kl_arena_ok(a->scratch) || !b->repeat) return KL_E_MEMORY;

    for (int i = 0; i < n;) {
        int element = element_of_row(m, column[i]), count = 0, nwith = 0;
        memset(in, 0, (size_t)m->nelement * sizeof *in);
        for (; i < n && element_of_row(m, column[i]) == element; i++, count++) {
            memset(lambda, 0, (size_t)m->nlam * sizeof *lambda);
            lambda[column[i]] = 1.0;
            kl_rank_null(r, lambda);
            for (int e = 0; e < m->nelement; e++)
                for (int k = 0; k < m->element[e].nphi; k++)
                    in[e] |= fabs(lambda[m->element[e].phi + k]) > 1e-6;
        }
        for (int e = 0; e < m->nelement; e++) {
            all[e] |= in[e];
            if (in[e] && e != element) with[nwith++] = e;
        }
        b->repeat[b->nrepeat++] =
            (kl_repeat){.element = element,
                        .count   = count,
                        .text    = repeat_text(a, r, element, count, with, nwith)};
    }
    int nall = 0;
    for (int e = 0; e < m->nelement; e++)
        if (all[e]) with[nall++] = e;
    kl_line l = {.arena = b->arena};
    if (nall) kl_line_elements(&l, m, with, nall);
    b->undetermined = nall ? l.text : NULL;
    return kl_arena_ok(b->arena) ? KL_OK : KL_E_MEMORY;
}

/* Names of the core elements for the sentences about positions. */
static const char *core_names(kl_mobility_search *a, const bool *core)
{
    const kl_model *m = a->m;
    kl_line         l = {.arena = a->b->arena};
    int            *e = kl_arena_array(a->scratch, int, m->nelement + 1), n = 0;
    for (int i = 0; e && i < m->nelement; i++)
        if (core[i]) e[n++] = i;
    if (e) kl_line_elements(&l, m, e, n);
    return l.text;
}

static bool is_driver(const kl_element *e) { return strcmp(e->type->name, "driver") == 0; }

/* Joints that each leave something free, and together nothing: a rigid beam between two pins. A
 * driver of a joint in the loop, or of one of its bodies, is meant to hold it. */
static bool hold_each_other(const kl_mobility_search *a, const bool *core, const bool *body)
{
    const kl_model *m    = a->m;
    bool            free = false;
    if (a->ndirection > 0 || a->b->redundant <= 0) return false;
    for (int i = 0; i < m->nelement; i++) {
        const kl_element *e = &m->element[i];
        for (int k = 0; is_driver(e) && k < e->nmarker; k++)
            if (m->marker[e->marker + k].body > 0 && body[m->marker[e->marker + k].body])
                return false;
        free |= core[i] && e->nphi < 6;
    }
    return free;
}

void kl_mobility_describe_positions(kl_mobility_search *a, const bool *core, const bool *body)
{
    kl_mobility *b    = a->b;
    const char  *name = core_names(a, core);
    if (b->singular > 0)
        b->singular_text =
            kl_arena_format(b->arena,
                            "singular position: %d direction%s free here, %d in nearby positions; "
                            "joints %s are aligned so that %d of their constraints %s redundant in "
                            "this position only. The mechanism may change its branch here; start "
                            "it in a nearby position to choose a branch",
                            b->freedom, b->freedom == 1 ? " is" : "s are", b->freedom - b->singular,
                            name, b->singular, b->singular == 1 ? "is" : "are");
    if (b->locked > 0)
        b->locked_text = kl_arena_format(
            b->arena,
            "locked: joints %s leave %d direction%s free to first order, but no finite motion is "
            "possible. If the mechanism should move, release a direction (use a cylindrical or "
            "point-on-line joint for one of them), or make a body flexible",
            name, b->locked, b->locked == 1 ? "" : "s");
    else if (hold_each_other(a, core, body))
        b->locked_text =
            kl_arena_format(b->arena,
                            "locked: joints %s together allow no motion. If the mechanism should "
                            "move, release a direction (use a cylindrical or point-on-line joint "
                            "for one of them), or make a body flexible",
                            name);
}

void kl_mobility_describe(const kl_model *m, const kl_mobility *b, kl_diag *diag)
{
    kl_place whole = {.file = m->file};
    kl_note(diag, whole, "%d degree%s of freedom (%d velocities, %d constraints, rank %d)",
            b->mobility, b->mobility == 1 ? "" : "s", b->nv, b->nlam, b->rank);
    for (int i = 0; i < b->nmotion; i++) kl_note(diag, whole, "free: %s", b->motion[i].text);
    if (b->nmotion < b->freedom)
        kl_note(diag, whole, "free: %d more directions", b->freedom - b->nmotion);
    int listed = b->nrepeat > MOST_REPEATS ? MOST_REPEATS - 1 : b->nrepeat;
    for (int i = 0; i < listed; i++)
        kl_warn(diag, m->element[b->repeat[i].element].place, "%s", b->repeat[i].text);
    if (listed < b->nrepeat) {
        int rows = 0;
        for (int i = listed; i < b->nrepeat; i++) rows += b->repeat[i].count;
        kl_warn(diag, whole, "%d more joints have %d redundant constraints of the same kind",
                b->nrepeat - listed, rows);
    }
    if (b->undetermined)
        kl_warn(diag, whole,
                "the model runs, but the reactions of %s are not unique; the minimum-norm solution "
                "is reported",
                b->undetermined);
    if (b->singular_text) kl_warn(diag, whole, "%s", b->singular_text);
    if (b->locked_text) kl_warn(diag, whole, "%s", b->locked_text);
}

void kl_mobility_describe_incompatible(const kl_model *m, const kl_mobility *b, kl_diag *diag)
{
    if (m->nlock > 0 || (b->locked == 0 && b->singular == 0 && b->redundant == 0)) return;
    for (int i = 0; i < m->nunfollowed; i++)
        kl_warn(diag, m->unfollowed[i].place,
                "%s: there the body is rigid where the real body would deform, so these joints are "
                "redundant. Add modes that move there (more `modes`, or `statics: attachment` with "
                "these markers as `interfaces` in the body file), or free one of these directions",
                m->unfollowed[i].text);
}

void kl_mobility_warn(const kl_model *m, kl_diag *diag)
{
    kl_solver   *x     = NULL;
    kl_mobility *b     = NULL;
    kl_diag     *quiet = kl_diag_create(); /* what is wrong is said by the analysis itself */
    kl_place     place = {.file = m->file};
    bool         found = m->nlam > 0 && quiet && kl_solver_create(m, &x) == KL_OK &&
                 kl_assemble(x, quiet) == KL_OK && kl_mobility_find(x, quiet, &b) == KL_OK;
    if (found && b->redundant > 0 && b->undetermined)
        kl_warn(diag, place,
                "%d redundant constraint%s: reactions at %s are not unique; the minimum-norm "
                "solution is reported; `klingel check` lists the constraints",
                b->redundant, b->redundant == 1 ? "" : "s", b->undetermined);
    /* what joints lock that no mode can follow has been said with the joints that hold it */
    if (found && b->locked_text && m->nlock == 0) kl_warn(diag, place, "%s", b->locked_text);
    if (found) kl_mobility_describe_incompatible(m, b, diag);
    kl_mobility_destroy(b);
    kl_solver_destroy(x);
    kl_diag_destroy(quiet);
}
