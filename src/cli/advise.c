/* Advice on modes. The mesh is reduced once with many vibration modes of the free body. With k of
 * them a static load at an attachment is missed by the share d_k of compliance (reduce/compliance.h).
 * Static modes make up for it; what is left at frequency f is the dynamic part of the omitted ones,
 *
 *   e_k = d_k r^2 / (1 - r^2),   r = f / f_(k+1)
 *
 * because each omitted mode j answers 1/(1 - (f/f_j)^2) times its static share, at most. Mean axes
 * are proposed always: their static modes, with inertia relief, span weight and inertia of the body
 * on its supports too, which those of a held frame do not. The proposal is then reduced itself and
 * measured. */
#include "cli/advise.h"
#include "cli/commands.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "language/body.h"
#include "prepare/attachments.h"
#include "reduce/compliance.h"

enum {
    MOST_MODES = 160,
    FIRST_TRY  = 40,
    LEAST      = 4 /* cheap, and there for what comes suddenly */
};

typedef struct advice {
    const kl_advice_request *q;
    const kl_model          *model;
    const kl_attachment     *list; /* of the whole model */
    int                      n;
    char                     path[4096]; /* body file */
    kl_override              set[16];    /* its parameters that the model sets */
    int                      nset;
    const kl_kbody          *given; /* as the model has it now */
    double                   frequency;
    kl_diag                 *diag;
} advice;

static bool of_file(const advice *a, int i)
{
    kl_modal_body p;
    return kl_model_modal(a->model, a->list[i].body, &p) && p.file->body == a->given;
}

/* ---- measures ---- */

/* What is missed, of the give under forces and of that under moments; NaN: no such load. */
typedef struct miss {
    double force, moment;
} miss;

static bool can_turn(const kl_kbody *b, int marker)
{
    return b->marker[marker].kind != KL_MARKER_TRIAD;
}

/* the largest at one marker (-1: at all) with the first k modes of a body */
static kl_status find_miss(const advice *a, const kl_kbody *b, int k, int marker, double *G,
                           miss *out)
{
    int wide = 6 * b->nmarker;
    *out     = (miss){(double)NAN, (double)NAN};
    KL_TRY(kl_compliance_of_modes(b, k, NULL, G));
    for (int i = 0; i < a->n; i++)
        for (int j = 0; of_file(a, i) && j < a->list[i].n; j++) {
            int  at    = a->list[i].marker;
            bool force = kl_attachment_is_force(a->list[i].load[j]);
            if ((marker >= 0 && marker != at) || (!force && !can_turn(b, at))) continue;
            double *most = force ? &out->force : &out->moment;
            double  here = kl_attachment_omitted(b->compliance, G, wide, at, a->list[i].load[j]);
            *most        = fmax(*most, here); /* of NaN and a number the number */
        }
    return KL_OK;
}

static double larger(miss m) { return fmax(0.0, fmax(m.force, m.moment)); }

/* of all attachments, whatever the load */
static double miss_of(const advice *a, const kl_kbody *b, int k, double *G)
{
    miss m;
    return find_miss(a, b, k, -1, G, &m) == KL_OK ? larger(m) : (double)NAN;
}

/* the bound above; infinite where an omitted mode lies in reach */
static double dynamic_part(double missed, double f, double omitted)
{
    double r = f / omitted;
    return r < 1.0 ? missed * r * r / (1.0 - r * r) : HUGE_VAL;
}

/* ---- reducing ---- */

/* `masks`: components of all markers that get static modes, or NULL */
static kl_status reduce(const advice *a, int modes, const unsigned *masks, kl_kbody **out)
{
    kl_body_file       file;
    kl_reduce_report   effort;
    kl_status          status = kl_body_file_read_with(a->path, a->set, a->nset, &file, a->diag);
    kl_recipe         *r      = &file.recipe;
    kl_marker_request *markers =
        status == KL_OK ? malloc(((size_t)r->nmarker + 1) * sizeof *markers) : NULL;
    if (status == KL_OK && !markers) status = KL_E_MEMORY;
    if (status == KL_OK) {
        if (r->nmarker) memcpy(markers, r->marker, (size_t)r->nmarker * sizeof *markers);
        bool any = false;
        for (int i = 0; i < r->nmarker; i++) {
            markers[i].interface_components = masks ? masks[i] : 0;
            any |= markers[i].interface_components != 0;
        }
        r->marker = markers;
        r->modes = modes, r->statics = any ? KL_ATTACHMENT : KL_NO_STATICS;
        r->reference = KL_MEAN_AXIS;
        r->nfix      = 0;
        r->plain = r->stiffening = r->count_check = false;
        r->stress_elements = r->stress_nodes = NULL;
        r->no_skin = true, r->nuser = 0, r->threads = a->q->threads;
        status =
            kl_reduce(file.mesh, file.has_matrices ? &file.system : NULL, r, out, &effort, a->diag);
    }
    kl_body_file_free(&file);
    free(markers);
    return status;
}

/* as many modes as reach beyond the excitation, if the mesh has so many */
static kl_status try_modes(const advice *a, kl_kbody **out)
{
    kl_status status = KL_OK;
    for (int n = FIRST_TRY; n <= MOST_MODES; n *= 2) {
        kl_kbody *b = NULL;
        status      = reduce(a, n, NULL, &b);
        if (status != KL_OK && *out) return KL_OK; /* the mesh has fewer: take what there is */
        if (status != KL_OK) return status;
        kl_kbody_destroy(*out);
        *out = b;
        if (b->nmode < n || b->frequency[b->nmode - 1] > 2.0 * a->frequency) return KL_OK;
    }
    return status;
}

/* ---- what is proposed ---- */

typedef struct proposal {
    unsigned *mask; /* nmarker: components that get static modes */
    int       modes;
} proposal;

/* components that are loaded, from all attachments of a marker */
static unsigned loaded(const advice *a, const kl_kbody *b, int marker)
{
    unsigned mask = 0;
    for (int i = 0; i < a->n; i++)
        for (int j = 0; of_file(a, i) && a->list[i].marker == marker && j < a->list[i].n; j++)
            for (int c = 0; c < 6; c++)
                if (fabs(a->list[i].load[j][c]) > 1e-6) mask |= 1u << c;
    return b->marker[marker].kind == KL_MARKER_TRIAD ? mask & 0x07u : mask;
}

static int enough_modes(const advice *a, const kl_kbody *b, double *G)
{
    for (int k = LEAST; k < b->nmode - 1; k++) {
        if (b->frequency[k] <= a->frequency) continue;
        double e = dynamic_part(miss_of(a, b, k, G), a->frequency, b->frequency[k]);
        if (e <= a->q->error) return k;
    }
    return b->nmode;
}

/* "   12.3 %", or nothing where there is no such load */
static void print_share(double share)
{
    if (isnan(share)) printf("%12s", "-  ");
    else printf("%10.3g %%", share < 1e-8 ? 0.0 : 100 * share);
}

/* `left`: with what static modes leave */
static void print_table(const advice *a, const kl_kbody *b, bool left, double *G)
{
    static const int rows[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 40, 60, 80, 120, 160};
    printf("#                       omitted static compliance\n");
    printf("#   modes   first omitted      forces     moments");
    if (left) printf("   error at %.4g Hz with static modes", a->frequency);
    printf("\n");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int  k = rows[i];
        miss m;
        if (k >= b->nmode || find_miss(a, b, k, -1, G, &m) != KL_OK) break;
        double e = dynamic_part(larger(m), a->frequency, b->frequency[k]);
        printf("#   %5d %12.5g Hz", k, b->frequency[k]);
        print_share(m.force), print_share(m.moment);
        if (left && isinf(e)) printf("   an excited mode is missing");
        else if (left) printf(" %14.3g %%", 100 * e);
        printf("\n");
    }
}

/* marker by marker, with all modes */
static kl_status print_markers(const advice *a, const kl_kbody *b, double *G)
{
    for (int k = 0; k < b->nmarker; k++) {
        bool turned = false;
        miss m;
        KL_TRY(find_miss(a, b, b->nmode, k, G, &m));
        for (int i = 0; i < a->n; i++)
            for (int j = 0; of_file(a, i) && a->list[i].marker == k && j < a->list[i].n; j++)
                turned |= !kl_attachment_is_force(a->list[i].load[j]);
        if (!isnan(m.force))
            printf("#   forces at %s: %.2g %% of the static compliance omitted\n",
                   b->marker[k].name, m.force < 1e-8 ? 0.0 : 100 * m.force);
        if (!isnan(m.moment))
            printf("#   moments at %s: %.2g %% of the static compliance omitted\n",
                   b->marker[k].name, m.moment < 1e-8 ? 0.0 : 100 * m.moment);
        else if (turned)
            printf("#   moments at %s: not evaluated, the node has no rotational degrees of "
                   "freedom; connect a node set there with `ties:`\n",
                   b->marker[k].name);
    }
    return KL_OK;
}

static void print_components(unsigned mask)
{
    static const char *const names[] = {"x", "y", "z", "rx", "ry", "rz"};
    bool                     first   = true;
    printf("[");
    for (int c = 0; c < 6; c++)
        if (mask >> c & 1u) printf("%s%s", first ? "" : ", ", names[c]), first = false;
    printf("]");
}

static void print_attachments(const advice *a, const kl_kbody *b)
{
    for (int k = 0; k < b->nmarker; k++) {
        bool first = true;
        for (int i = 0; i < a->n; i++) {
            if (!of_file(a, i) || a->list[i].marker != k) continue;
            if (first) printf("#   %s (node %d): ", b->marker[k].name, b->marker[k].node_id);
            printf("%s%s", first ? "" : ", ", a->model->element[a->list[i].element].name);
            first = false;
        }
        if (!first && b->marker[k].kind == KL_MARKER_TRIAD)
            printf("; single node of solid elements: its compliance grows with mesh refinement; "
                   "connect a node set with `ties:`");
        if (!first) printf("\n");
    }
}

static void print_proposal(const kl_kbody *b, const proposal *p)
{
    bool any = false;
    printf("modes: %d\n", p->modes);
    printf("reference: mean-axis\n");
    for (int k = 0; k < b->nmarker; k++) any |= p->mask[k] != 0;
    if (!any) return;
    printf("statics: attachment\ninterfaces: {");
    any = false;
    for (int k = 0; k < b->nmarker; k++) {
        if (!p->mask[k]) continue;
        printf("%s%s: ", any ? ", " : "", b->marker[k].name);
        print_components(p->mask[k]);
        any = true;
    }
    printf("}\n");
}

/* the proposal reduced and measured */
static kl_status print_measured(const advice *a, const proposal *p, double *G)
{
    kl_kbody *b = NULL;
    KL_TRY(reduce(a, p->modes, p->mask, &b));
    printf("# result with these %d modes (vibration and static):\n", b->nmode);
    kl_status status = print_markers(a, b, G);
    kl_kbody_destroy(b);
    return status;
}

/* The smallest number of modes with which static modes at the loaded markers keep the error below
 * the limit. With r = f/f_omitted the omitted modes respond d/(1 - r^2) instead of their static
 * part d, which the static modes contain: an error of d r^2/(1 - r^2). */
static kl_status propose(const advice *a, const kl_kbody *b, double *G)
{
    proposal p = {.mask = calloc((size_t)b->nmarker + 1, sizeof *p.mask)};
    if (!p.mask) return KL_E_MEMORY;
    for (int k = 0; k < b->nmarker; k++) p.mask[k] = loaded(a, b, k);
    p.modes       = enough_modes(a, b, G);
    int    last   = p.modes < b->nmode ? p.modes : b->nmode - 1;
    double missed = miss_of(a, b, last, G);
    print_table(a, b, true, G);
    if (p.modes == b->nmode)
        printf("# %d modes are not enough up to %.4g Hz for an error of %g %%\n", b->nmode,
               a->frequency, 100 * a->q->error);
    printf("# %d vibration modes and static modes for the loaded markers; error at %.4g Hz: at "
           "most %.2g %%\n",
           p.modes, a->frequency, 100 * dynamic_part(missed, a->frequency, b->frequency[last]));
    print_proposal(b, &p);
    kl_status status = print_measured(a, &p, G);
    free(p.mask);
    return status;
}

/* ---- each body file once ---- */

static kl_status advise_file(advice *a, const char *body)
{
    kl_kbody *b = NULL;
    printf("# %s, body '%s'", a->path, body);
    for (int i = 0; i < a->nset; i++) printf(", %s = %s", a->set[i].name, a->set[i].text);
    printf("\n");
    kl_status status = try_modes(a, &b);
    /* Compliance between all markers, six components each. */
    double *G = b ? malloc((36 * (size_t)b->nmarker * (size_t)b->nmarker + 1) * sizeof *G) : NULL;
    if (status == KL_OK && !G) status = KL_E_MEMORY;
    if (status == KL_OK) {
        print_attachments(a, b);
        status = propose(a, b, G);
    }
    free(G);
    kl_kbody_destroy(b);
    return status;
}

/* ---- bodies that are reduced already ---- */

/* the fewest modes of the file that do, and reach beyond the excitation; 0: none */
static int enough_of_file(const advice *a, const kl_kbody *b, double *G)
{
    for (int k = 1; k <= b->nmode; k++)
        if ((k == b->nmode || b->frequency[k] > a->frequency) && miss_of(a, b, k, G) <= a->q->error)
            return k;
    return 0;
}

static void print_wanted(const advice *a, const kl_kbody *b)
{
    bool any = false;
    printf("statics: attachment, interfaces: {");
    for (int k = 0; k < b->nmarker; k++) {
        unsigned mask = loaded(a, b, k);
        if (!mask) continue;
        printf("%s%s: ", any ? ", " : "", b->marker[k].name);
        print_components(mask);
        any = true;
    }
    printf("}");
}

/* A reduced body keeps the compliance of its mesh at the markers: the static error of its modes can be
 * computed, the effect of other modes cannot. */
static kl_status judge(const advice *a, int body, const char *why)
{
    const kl_body  *at = &a->model->body[body];
    const kl_kbody *b  = a->given;
    printf("# body '%s' %s: only its %d existing modes can be evaluated, not other choices\n",
           at->name, why, b->nmode);
    if (!b->compliance)
        return kl_fail(
            a->diag, KL_E_MODEL, at->place,
            "body '%s' %s and its file does not contain the static compliance at the markers "
            "(written by an older version, or without markers), so its modes cannot be evaluated; "
            "reduce it again with `klingel fe`, or name the body file (.yaml) with the mesh",
            at->name, why);
    double *G = malloc((36 * (size_t)b->nmarker * (size_t)b->nmarker + 1) * sizeof *G);
    if (!G) return KL_E_MEMORY;
    print_attachments(a, b);
    print_table(a, b, false, G);
    printf("# with all %d modes:\n", b->nmode);
    kl_status status = print_markers(a, b, G);
    int       enough = enough_of_file(a, b, G);
    if (status == KL_OK && enough > 0)
        printf("# %d modes omit at most %g %% and reach %.4g Hz:\nmodes: %d\n", enough,
               100 * a->q->error, a->frequency, enough);
    else if (status == KL_OK) {
        printf("# no choice of these modes has an error below %g %%; write in the body file\n#   ",
               100 * a->q->error);
        print_wanted(a, b);
        printf("\n# and reduce the body again\n");
    }
    free(G);
    if (status != KL_E_SINGULAR) return status;
    return kl_fail(
        a->diag, KL_E_MODEL, at->place,
        "body '%s' %s; the modes contain rigid body motion, so their completeness cannot be judged",
        at->name, why);
}

static const char *path_of(const kl_model *m, const kl_kbody *b)
{
    for (int i = 0; i < m->nkbody; i++)
        if (m->kbody[i] == b) return m->kbody_path[i];
    return NULL;
}

/* "panel.yaml?ply=(30 deg)?modes=(8)" as language/reduced.c writes it */
static bool split(advice *a, const char *text)
{
    enum { MOST = sizeof a->set / sizeof *a->set };
    a->nset = 0;
    if (!text || strlen(text) >= sizeof a->path) return false;
    snprintf(a->path, sizeof a->path, "%s", text);
    for (char *p = strchr(a->path, '?'); p; p = strchr(p, '?')) {
        *p++        = '\0';
        char *equal = strchr(p, '=');
        if (!equal || a->nset == MOST) return false;
        *equal            = '\0';
        a->set[a->nset++] = (kl_override){.name = p, .text = equal + 1};
        p                 = equal + 1;
    }
    return true;
}

static bool seen_before(const kl_model *m, int body)
{
    kl_modal_body p, other;
    (void)kl_model_modal(m, body, &p);
    for (int k = 0; k < body; k++)
        if (kl_model_modal(m, k, &other) && other.file->body == p.file->body) return true;
    return false;
}

static bool has_attachments(const advice *a)
{
    for (int i = 0; i < a->n; i++)
        if (of_file(a, i)) return true;
    return false;
}

/* reduced from its body file, or from the reduced body */
static kl_status advise_body(advice *a, int body)
{
    const kl_model *m    = a->model;
    const char     *name = m->body[body].name;
    kl_modal_body   p;
    bool            read = kl_model_modal(m, body, &p);
    const char     *kept = path_of(m, p.file->body);
    if (!read || p.n == 0)
        return kl_fail(a->diag, KL_E_MODEL, m->body[body].place,
                       "body '%s' has no modes here (`flexible: false` or `modes: 0`), so there is "
                       "nothing to evaluate; make it flexible to get advice",
                       name);
    a->given = p.file->body;
    if (!has_attachments(a)) {
        printf("# body '%s': no joint or force acts on it, so no modes are proposed\n", name);
        return KL_OK;
    }
    if (p.file->mirror) return judge(a, body, "is a mirror image");
    if (kept && strchr(kept, '{')) return judge(a, body, "is defined in the model file");
    const char *dot = split(a, kept) ? strrchr(a->path, '.') : NULL;
    if (!dot || strcmp(dot, ".kbody") == 0) return judge(a, body, "is already reduced");
    return advise_file(a, name);
}

/* each body file once; what fails for one is said and the others go on */
static kl_status advise_all(advice *a)
{
    const kl_model *m      = a->model;
    kl_status       status = KL_OK;
    int             found  = 0;
    for (int i = 0; i < m->nbody; i++) {
        if (!m->body[i].type->modal || seen_before(m, i)) continue;
        if (found++) printf("\n");
        kl_status one = advise_body(a, i);
        if (one == KL_E_MEMORY) return one;
        if (one != KL_OK) status = one;
    }
    if (found) return status;
    return kl_fail(a->diag, KL_E_MODEL, (kl_place){.file = a->q->model},
                   "has no flexible bodies; --advise needs at least one");
}

int kl_advise(const kl_advice_request *q)
{
    kl_diag  *diag = kl_diag_create(), *build = kl_diag_create();
    kl_arena *arena = kl_arena_create();
    kl_loaded loaded_model;
    int       code = kl_loaded_open(&kl_command_fe, q->model, q->set, build, &loaded_model);
    if (code != KL_EXIT_OK) kl_print_diag(build, "no advice");
    else {
        kl_attachment *list;
        advice         a     = {.q = q, .model = loaded_model.model, .diag = diag};
        double         every = a.model->settings.every;
        /* Rows resolve half of their rate (Nyquist); a tenth leaves five rows in half a cycle. */
        a.frequency      = isnan(q->frequency) ? 0.1 / every : q->frequency;
        kl_status status = kl_attachments_find(a.model, arena, &list, &a.n);
        a.list           = list;
        printf("# excited up to %.4g Hz (%s)\n", a.frequency,
               isnan(q->frequency) ? "default: a tenth of the output rate; set it with --frequency"
                                   : "--frequency");
        if (status == KL_OK) status = advise_all(&a);
        kl_print_diag(diag, status == KL_OK ? NULL : "no advice");
        code = kl_exit_code(status);
        kl_loaded_close(&loaded_model);
    }
    kl_arena_destroy(arena);
    kl_diag_destroy(build);
    kl_diag_destroy(diag);
    return code;
}
