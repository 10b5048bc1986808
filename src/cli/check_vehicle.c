#include "cli/check_vehicle.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "forces/forces.h"
#include "railway/railway.h"
#include "solve/eigenvalues.h"
#include "solve/sag.h"
#include "solve/simulation.h"
#include "solve/static_start.h"
#include "solve/statics.h"

static const double G = 9.81; /* axle loads are given in tonnes too [m/s2] */

static bool is_wheelset(const kl_element *e) { return e->type == &kl_wheel_rail; }

/* ---- symmetry ---- */

/* Are the two points mirror images in the plane y = 0? */
static bool mirrored(kl_vec3 a, kl_vec3 b)
{
    const double near = 1e-3; /* [m] */
    return fabs(a.x - b.x) < near && fabs(a.y + b.y) < near && fabs(a.z - b.z) < near;
}

/* Where a force acts, seen from the middle plane of the vehicle, which goes through its first wheelset. */
static kl_vec3 end_of(const kl_model *m, const kl_work *w, const kl_element *e, int k)
{
    const kl_element *set = m->element;
    while (!is_wheelset(set)) set++;
    kl_vec3 r = w->motion[e->marker + k].r;
    r.y -= w->motion[set->marker + 1].r.y;
    return r;
}

static bool on_ground(const kl_model *m, const kl_element *e)
{
    return m->marker[e->marker].body == 0 || m->marker[e->marker + 1].body == 0;
}

static bool counterparts(const kl_model *m, const kl_work *w, const kl_element *a,
                         const kl_element *b)
{
    if (a->type != b->type || a->nmarker != 2 || b->nmarker != 2) return false;
    bool straight = true, crossed = true;
    for (int k = 0; k < 2; k++) {
        straight = straight && mirrored(end_of(m, w, a, k), end_of(m, w, b, k));
        crossed  = crossed && mirrored(end_of(m, w, a, k), end_of(m, w, b, 1 - k));
    }
    return straight || crossed;
}

/* The first key that is a number and differs; NULL: none. */
static const char *different_key(const kl_element *a, const kl_element *b)
{
    for (const kl_key *k = a->type->keys; k && k->name; k++) {
        bool          matrix = k->kind == KL_KEY_MATRIX6;
        const double *x      = (const double *)(const void *)((const char *)a->data + k->offset);
        const double *y      = (const double *)(const void *)((const char *)b->data + k->offset);
        if (k->kind != KL_KEY_NUMBER && !matrix) continue;
        for (int i = 0; i < (matrix ? 36 : 1); i += 7) /* of a matrix its diagonal */
            if (!(isnan(x[i]) && isnan(y[i])) &&
                !(fabs(x[i] - y[i]) <= 1e-9 * fmax(fabs(x[i]), fabs(y[i]))))
                return k->name;
    }
    return NULL;
}

/* The force at the mirror image of `a`, where there are several one with the same numbers; NULL: none. */
static const kl_element *counterpart_of(const kl_model *m, const kl_work *w, const kl_element *a)
{
    const kl_element *best = NULL;
    for (int j = 0; j < m->nelement; j++) {
        const kl_element *b = &m->element[j];
        if (!counterparts(m, w, a, b)) continue;
        if (!different_key(a, b)) return b;
        if (!best) best = b;
    }
    return best;
}

static void check_symmetry(const kl_model *m, const kl_work *w, kl_diag *diag)
{
    for (int i = 0; i < m->nelement; i++) {
        const kl_element *a = &m->element[i], *other = NULL;
        bool              aside = a->nmarker == 2 && !a->joint && !on_ground(m, a) &&
                     /* Elements in the plane y = 0 are their own mirror image. */
                     (fabs(end_of(m, w, a, 0).y) > 1e-3 || fabs(end_of(m, w, a, 1).y) > 1e-3);
        if (!aside) continue;
        other = counterpart_of(m, w, a);
        if (!other)
            kl_warn(diag, a->place,
                    "force '%s' has no counterpart on the other side of the vehicle; add it with "
                    "`mirror: y`, or ignore this if the vehicle is not symmetric",
                    a->name);
        /* `other > a`: each pair is compared once. */
        const char *key = other && other > a ? different_key(a, other) : NULL;
        if (key)
            kl_warn(diag, other->place,
                    "forces '%s' and '%s' are on opposite sides of the vehicle and differ in `%s`; "
                    "give them the same value, or ignore this if the vehicle is not symmetric",
                    a->name, other->name, key);
    }
}

/* ---- loads ---- */

static double channel(const kl_simulation *s, const double *value, const kl_element *e,
                      const char *what)
{
    char name[256];
    snprintf(name, sizeof name, "%s.%s", e->name, what);
    int k = kl_channels_find(s->channels, name);
    return k >= 0 ? value[k] : 0.0;
}

static kl_status find_loads(const kl_simulation *s, const double *value, kl_diag *diag,
                            kl_vehicle *v)
{
    const kl_model *m = s->model;
    v->load           = kl_arena_array(v->arena, kl_wheelset_load, m->nelement + 1);
    if (!v->load) return KL_E_MEMORY;
    for (int i = 0; i < m->nelement; i++) {
        const kl_element *e = &m->element[i];
        if (!is_wheelset(e)) continue;
        double left = channel(s, value, e, "Q_left"), right = channel(s, value, e, "Q_right");
        v->load[v->nload++] = (kl_wheelset_load){e->name, left, right};
        if (fabs(left - right) > 0.01 * (left + right) && m->gravity.y == 0.0)
            kl_warn(diag, e->place,
                    "the wheels of '%s' carry different loads: %.4g kN left, %.4g kN right; check "
                    "where masses and springs are",
                    e->name, 1e-3 * left, 1e-3 * right);
    }
    return KL_OK;
}

static void find_centre(const kl_model *m, const kl_solver *x, kl_diag *diag, kl_vehicle *v)
{
    double heaviest = 0.0;
    for (int i = 1; i < m->nbody; i++) {
        kl_measures t;
        if (m->body[i].own) continue;
        m->body[i].type->measures(m->body[i].data, kl_work_cache(m, x->w, i), &t);
        v->mass += t.mass;
        v->centre = kl_axpy(t.mass, t.center, v->centre);
        heaviest  = fmax(heaviest, t.mass);
    }
    /* bodies of at least half the mass of the heaviest are taken for car bodies; names of motions refer to them */
    v->car = kl_arena_array(v->arena, bool, m->nbody);
    for (int i = 1; v->car && i < m->nbody; i++) {
        kl_measures t;
        if (m->body[i].own) continue;
        m->body[i].type->measures(m->body[i].data, kl_work_cache(m, x->w, i), &t);
        v->car[i] = t.mass >= 0.5 * heaviest;
    }
    v->centre = kl_scale(1.0 / v->mass, v->centre);
    if (fabs(v->centre.y) > 1e-3 && m->gravity.y == 0.0)
        kl_warn(diag, (kl_place){.file = m->file},
                "the centre of mass is %.3g mm beside the middle of the track; check the positions "
                "of the bodies",
                1e3 * v->centre.y);
}

/* ---- natural frequencies ---- */

/* Friction damps though the linear equations, in which it sticks, do not show it. */
static bool has_friction(const kl_model *m)
{
    for (int i = 0; i < m->nelement; i++)
        if (m->element[i].type == &kl_friction_spring) return true;
    return false;
}

/* The body that the text of a motion begins with; 0: none. */
static int body_of_motion(const kl_model *m, const char *motion)
{
    for (int i = 1; motion && i < m->nbody; i++) {
        size_t n = strlen(m->body[i].name);
        if (strncmp(motion, m->body[i].name, n) == 0 && motion[n] == ' ') return i;
    }
    return 0;
}

/* What railway engineers call the motions of a vehicle, from the bodies and motions that have most of the
 * energy: "car sway 82 %, roll 18 %" is the lower sway, "car roll 62 %, sway 37 %" the upper one; the cars of a train
 * may sway together. Sway of other bodies, or together with them, is the hunting of the running gear. */
static const char *railway_name(const kl_vehicle *v, const kl_model *m, const char *motion)
{
    static const char *const words[] = {"bounce", "pitch", "yaw", "surge", "roll"};
    const char              *first   = strchr(motion, ' ');
    if (!first++ || !v->car) return "";
    bool car = v->car[body_of_motion(m, motion)], alone = true;
    for (const char *p = strstr(motion, "; "); p; p = strstr(p + 2, "; "))
        alone = alone && v->car[body_of_motion(m, p + 2)];
    bool sways = strncmp(first, "sway", 4) == 0;
    if (car && alone && sways && strstr(first, "roll")) return "lower sway";
    if (car && alone && strncmp(first, "roll", 4) == 0 && strstr(first, "sway"))
        return "upper sway";
    if (sways || (!car && strncmp(first, "yaw", 3) == 0)) return car && alone ? "sway" : "hunting";
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strncmp(first, words[i], strlen(words[i])) == 0)
            return car ? words[i] : kl_arena_format(v->arena, "bogie %s", words[i]);
    return "";
}

/* Where the body is defined that moves most. */
static kl_place place_of_motion(const kl_model *m, const char *motion)
{
    int body = body_of_motion(m, motion);
    return body ? m->body[body].place : (kl_place){.file = m->file};
}

static void find_modes(kl_simulation *s, kl_diag *diag, kl_vehicle *v)
{
    enum { SHOWN = 10, MOST = 400 };
    v->large = s->model->nv > MOST;
    v->mode  = kl_arena_array(v->arena, kl_vehicle_mode, SHOWN);
    if (v->large || !v->mode) return;
    kl_linear   *l        = NULL;
    kl_spectrum *spectrum = NULL;
    kl_diag     *quiet    = kl_diag_create();
    kl_status    status   = quiet ? kl_linearize(s->solver, NULL, quiet, &l) : KL_E_MEMORY;
    if (status == KL_OK) status = kl_spectrum_find(s->solver, l, true, quiet, &spectrum);
    for (int i = 0; status == KL_OK && i < spectrum->n && v->nmode < SHOWN; i++) {
        const kl_eigenmode *p = &spectrum->mode[i];
        /* Slower or not oscillating: creep of wheels and free rolling, not vibrations of the
         * vehicle. */
        if (!(p->im > 0.1) || p->neutral) continue;
        const char *motion  = kl_arena_text(v->arena, p->text ? p->text : "");
        v->mode[v->nmode++] = (kl_vehicle_mode){p->frequency, p->damping, motion ? motion : "",
                                                railway_name(v, s->model, motion ? motion : "")};
        if (fabs(p->damping) < 0.01 && !has_friction(s->model))
            kl_warn(diag, place_of_motion(s->model, p->text),
                    "the motion at %.3g Hz (%s) has a damping ratio of only %.2g %%; add dampers, "
                    "or `damping` to springs",
                    p->frequency, p->text ? p->text : "", 100.0 * p->damping);
    }
    v->steady = status == KL_OK;
    kl_spectrum_destroy(spectrum);
    kl_linear_destroy(l);
    kl_diag_destroy(quiet);
}

/* ---- all ---- */

/* Why there are no loads: the first error of the search. */
static void report_not_found(const kl_model *m, const kl_diag *quiet, kl_diag *diag)
{
    for (int i = 0; i < kl_diag_size(quiet); i++) {
        if (kl_diag_at(quiet, i)->severity != KL_ERROR) continue;
        kl_warn(diag, (kl_place){.file = m->file},
                "the vehicle's steady motion was not found, so its wheel loads are not known: %s",
                kl_diag_at(quiet, i)->text);
        return;
    }
}

static kl_status settle(kl_simulation *s, double *z, kl_diag *diag, kl_diag *messages)
{
    kl_equilibrium e = {.moving = true};
    KL_TRY(kl_assemble_start(s->solver, diag));
    KL_TRY(kl_eval(s->model, s->solver->s, s->solver->w));
    kl_sag_heights(s->model, s->solver, z);
    check_symmetry(s->model, s->solver->w, messages);
    return kl_find_equilibrium(s->solver, &e, diag);
}

kl_status kl_vehicle_find(const kl_model *m, kl_arena *arena, kl_diag *diag, kl_vehicle *out)
{
    kl_simulation *s      = NULL;
    kl_diag       *quiet  = kl_diag_create();
    double        *z      = calloc((size_t)m->nbody, sizeof *z);
    const double  *value  = NULL;
    kl_status      status = quiet && z ? kl_simulation_create(m, quiet, &s) : KL_E_MEMORY;
    *out                  = (kl_vehicle){.arena = arena};
    if (status == KL_OK) status = settle(s, z, quiet, diag);
    if (status == KL_OK) status = kl_simulation_sample(s, quiet, &value);
    if (status == KL_OK) status = find_loads(s, value, diag, out);
    if (status == KL_OK) {
        find_centre(m, s->solver, diag, out);
        out->sag = kl_sag_check(m, s->solver, z, diag);
        find_modes(s, diag, out);
    } else if (quiet) {
        report_not_found(m, quiet, diag);
    }
    kl_simulation_destroy(s);
    kl_diag_destroy(quiet);
    free(z);
    return status;
}

/* Zero instead of -0.0000 m. */
static double without_noise(double x) { return fabs(x) < 5e-5 ? 0.0 : x; }

static void print_vehicle(const kl_vehicle *v)
{
    printf("vehicle: loads of the steady motion\n");
    for (int i = 0; i < v->nload; i++) {
        const kl_wheelset_load *w    = &v->load[i];
        double                  axle = w->left + w->right;
        printf("  %-24s axle load %8.3f kN (%.3f t)   Q left %8.3f kN, right %8.3f kN\n", w->name,
               1e-3 * axle, 1e-3 * axle / G, 1e-3 * w->left, 1e-3 * w->right);
    }
    printf("  centre of mass at %.4f %.4f %.4f m, mass %.6g t\n", without_noise(v->centre.x),
           without_noise(v->centre.y), without_noise(v->centre.z), 1e-3 * v->mass);
    if (v->large) {
        printf("  natural frequencies are not computed for a model of this size; use `klingel "
               "modes`\n");
        return;
    }
    if (!v->steady)
        printf("  natural frequencies were not found: the motion is not steady (run `klingel "
               "modes` for details)\n");
    if (v->nmode > 0) printf("  natural frequencies of the steady motion\n");
    for (int i = 0; i < v->nmode; i++)
        printf("  %8.3f Hz, damping ratio %6.2f %%   %-12s %s\n", v->mode[i].frequency,
               100.0 * v->mode[i].damping, v->mode[i].name, v->mode[i].motion);
}

int kl_vehicle_wheelsets(const kl_model *m)
{
    int n = 0;
    for (int i = 0; i < m->nelement; i++) n += is_wheelset(&m->element[i]);
    return n;
}

kl_status kl_check_vehicle(const kl_model *m, kl_diag *diag)
{
    kl_vehicle v     = {0};
    kl_arena  *arena = kl_arena_create();
    if (arena && kl_vehicle_wheelsets(m) > 0 && kl_vehicle_find(m, arena, diag, &v) == KL_OK)
        print_vehicle(&v);
    kl_arena_destroy(arena);
    return v.sag;
}
