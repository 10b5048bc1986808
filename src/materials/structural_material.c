#include "materials/structural_material.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "contact/material.h"
#include "script/function.h"

#define AT(field) offsetof(kl_structural_material, field)

static const kl_key keys[] = {
    {.name   = "E",
     .kind   = KL_KEY_NUMBER,
     .offset = AT(E),
     .unit   = "Pa",
     .min    = 1e-300,
     .max    = 1e300,
     .help   = "Young's modulus"},
    {.name     = "nu",
     .kind     = KL_KEY_NUMBER,
     .offset   = AT(nu),
     .unit     = "1",
     .fallback = "0.3",
     .min      = -0.999999,
     .max      = 0.499999,
     .help     = "Poisson's ratio"},
    {.name     = "G",
     .kind     = KL_KEY_NUMBER,
     .offset   = AT(G),
     .unit     = "Pa",
     .fallback = "",
     .min      = 1e-300,
     .max      = 1e300,
     .help     = "shear modulus; default: E / (2 (1 + nu))"},
    {.name     = "density",
     .kind     = KL_KEY_NUMBER,
     .offset   = AT(density),
     .unit     = "kg/m3",
     .fallback = "0",
     .min      = 0,
     .max      = 1e300,
     .help     = "mass per volume"},
    {.name     = "yield_stress",
     .kind     = KL_KEY_NUMBER,
     .offset   = AT(yield),
     .unit     = "Pa",
     .fallback = "",
     .min      = 1e-300,
     .max      = 1e300,
     .help     = "stress at which the material begins to yield; default: it stays elastic"},
    {.name     = "tangent_modulus",
     .kind     = KL_KEY_NUMBER,
     .offset   = AT(tangent_modulus),
     .unit     = "Pa",
     .fallback = "0",
     .min      = 0,
     .max      = 1e300,
     .help     = "slope of stress over total strain beyond yield (bilinear material)"},
    {.name     = "plastic_curve",
     .kind     = KL_KEY_FUNCTION,
     .offset   = AT(curve),
     .unit     = "Pa",
     .by       = "1",
     .fallback = "",
     .help     = "yield stress over accumulated plastic strain, instead of yield_stress and "
                 "tangent_modulus"},
    {.name     = "hardening",
     .kind     = KL_KEY_WORD,
     .offset   = AT(hardening),
     .words    = "perfect isotropic kinematic",
     .fallback = "isotropic",
     .help     = "effect of yielding on the elastic range: none (perfect), enlarged (isotropic) or "
                 "shifted (kinematic)"},
    {0}};

/* A curve that falls has no unique stress; it is looked at up to 100 % plastic strain. */
static kl_status check_curve(const kl_structural_material *m, const kl_setup *s)
{
    enum { SAMPLES = 2000 };
    double before = 0.0;
    for (int i = 0; i <= SAMPLES; i++) {
        double p = (double)i / SAMPLES, y[3];
        kl_function_eval(m->curve, p, s->u, y);
        if (!(y[0] > 0.0))
            return kl_fail(s->diag, KL_E_RANGE, s->place,
                           "material '%s': `plastic_curve` gives a yield stress of %.4g Pa at the "
                           "plastic strain %.4g; give positive stresses",
                           s->name, y[0], p);
        if (y[0] < before * (1.0 - 1e-12))
            return kl_fail(s->diag, KL_E_RANGE, s->place,
                           "material '%s': `plastic_curve` falls at the plastic strain %.4g; a "
                           "material that softens has no unique solution, so give stresses that "
                           "increase or stay equal",
                           s->name, p);
        before = y[0];
    }
    return KL_OK;
}

static kl_status material_setup(void *data, const kl_setup *s)
{
    kl_structural_material *m = data;
    if (isnan(m->G)) m->G = m->E / (2.0 * (1.0 + m->nu));
    m->yields = m->curve || !isnan(m->yield);
    if (m->curve && !isnan(m->yield))
        return kl_fail(s->diag, KL_E_MODEL, s->place,
                       "material '%s': give `yield_stress` or `plastic_curve`, not both", s->name);
    if (m->curve) return check_curve(m, s);
    if (m->tangent_modulus > 0.0 && !m->yields)
        kl_warn(s->diag, s->place,
                "material '%s': `tangent_modulus` has no effect without `yield_stress`; give "
                "`yield_stress`, for example `yield_stress: 250 MPa`",
                s->name);
    if (m->tangent_modulus >= m->E)
        return kl_fail(s->diag, KL_E_RANGE, s->place,
                       "material '%s': `tangent_modulus` is %.4g GPa; it must be smaller than E "
                       "(%.4g GPa)",
                       s->name, 1e-9 * m->tangent_modulus, 1e-9 * m->E);
    m->plastic_modulus = m->hardening == KL_HARDENING_PERFECT
                             ? 0.0
                             : m->E * m->tangent_modulus / (m->E - m->tangent_modulus);
    return KL_OK;
}

double kl_material_yield(const kl_structural_material *m, double p, double *slope)
{
    double y[3] = {m->yield + m->plastic_modulus * p, m->plastic_modulus, 0.0};
    if (m->curve) kl_function_eval(m->curve, p, NULL, y);
    *slope = m->hardening == KL_HARDENING_PERFECT ? 0.0 : y[1];
    if (m->hardening == KL_HARDENING_PERFECT && m->curve) {
        kl_function_eval(m->curve, 0.0, NULL, y);
        *slope = 0.0;
    }
    return y[0];
}

static const char *const built_in[] = {"steel",  "cast-iron", "aluminium", "bronze", "concrete",
                                       "rubber", "nylon",     "glass",     NULL};

/* Elastic data of design standards (contact/material.h). */
static kl_status material_make(void *data, const char *name, const kl_setup *s)
{
    kl_structural_material *m     = data;
    const kl_material      *known = kl_material_find(name);
    if (!known) return KL_E_NAME;
    *m = (kl_structural_material){.E         = known->young,
                                  .nu        = known->poisson,
                                  .G         = NAN,
                                  .density   = known->density,
                                  .yield     = NAN,
                                  .hardening = KL_HARDENING_ISOTROPIC};
    return material_setup(m, s);
}

const kl_resource_type kl_structural_materials = {
    .section   = "materials",
    .word      = "material",
    .help      = "elasticity, density and yielding of beams and finite elements",
    .text      = "    materials:\n"
                 "      mild: {E: 210 GPa, nu: 0.3, density: 7850 kg/m3}\n"
                 "      yielding: {E: 210 GPa, density: 7850 kg/m3, yield_stress: 250 MPa,\n"
                 "                 tangent_modulus: 2 GPa, hardening: kinematic}\n"
                 "      measured: {E: 210 GPa, plastic_curve: {table: [[0, 250e6], [0.1, 400e6]]}}\n\n"
                 "A beam names one: `material: mild`. The names steel, cast-iron, aluminium, bronze,\n"
                 "concrete, rubber, nylon and glass need no entry; they are elastic.\n",
    .example   = "{E: 210 GPa, density: 7850 kg/m3}",
    .data_size = sizeof(kl_structural_material),
    .keys      = keys,
    .setup     = material_setup,
    .built_in  = built_in,
    .make      = material_make};
