#include "beams/beam_section.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "mesh/mesh.h"

#define AT(field) offsetof(kl_beam_section, field)
#define SIZE(word, field, text)                                                                    \
    {                                                                                              \
        .name = word, .kind = KL_KEY_NUMBER, .offset = AT(field), .unit = "m", .fallback = "",     \
        .min = 1e-300, .max = 1e300, .help = text                                                  \
    }
#define VALUE(word, field, si, text)                                                               \
    {                                                                                              \
        .name = word, .kind = KL_KEY_NUMBER, .offset = AT(field), .unit = si, .fallback = "",      \
        .min = 0, .max = 1e300, .help = text                                                       \
    }

static const kl_key keys[] = {
    {.name   = "shape",
     .kind   = KL_KEY_WORD,
     .offset = AT(shape),
     .words  = "rectangle circle tube i numbers stiffness",
     .help = "a shape with its sizes, its numbers (area, Iy, Iz, J), or stiffnesses (EA, EI, ...)"},
    SIZE("width", width, "size along y: of a rectangle, of the flanges of an I"),
    SIZE("height", height, "size along z: of a rectangle, of an I"),
    SIZE("radius", radius, "of a circle; outer radius of a tube"),
    SIZE("thickness", thickness, "of the wall of a tube"),
    SIZE("flange", flange, "thickness of the flanges of an I"),
    SIZE("web", web, "thickness of the web of an I"),
    VALUE("area", area, "m2", "of `numbers`: area"),
    VALUE("Iy", Iy, "m4", "second moment of area about y (bending in the x-z plane)"),
    VALUE("Iz", Iz, "m4", "second moment of area about z (bending in the x-y plane)"),
    VALUE("J", J, "m4", "torsion constant"),
    {.name     = "shear",
     .kind     = KL_KEY_NUMBERS,
     .offset   = AT(shear),
     .unit     = "1",
     .size     = 2,
     .fallback = "[0, 0]",
     .min      = 0,
     .max      = 1e300,
     .help     = "shear area over area, along y and z; 0: that of the shape (1 for `numbers`). A "
                 "large number makes the beam rigid in shear"},
    VALUE("EA", EA, "N", "of `stiffness`: axial stiffness"),
    {.name     = "GA",
     .kind     = KL_KEY_NUMBERS,
     .offset   = AT(GA),
     .unit     = "N",
     .size     = 2,
     .fallback = "[0, 0]",
     .min      = 0,
     .max      = 1e300,
     .help     = "of `stiffness`: shear stiffness along y and z"},
    VALUE("GJ", GJ, "N m2", "of `stiffness`: torsional stiffness"),
    {.name     = "EI",
     .kind     = KL_KEY_NUMBERS,
     .offset   = AT(EI),
     .unit     = "N m2",
     .size     = 2,
     .fallback = "[0, 0]",
     .min      = 0,
     .max      = 1e300,
     .help     = "of `stiffness`: bending stiffness about y and z"},
    {.name     = "fibres",
     .kind     = KL_KEY_NUMBERS,
     .offset   = AT(fibres),
     .unit     = "1",
     .size     = 2,
     .fallback = "[1, 20]",
     .min      = 1,
     .max      = 1000,
     .help = "of a material that yields: cells along y and z, with 2 x 2 points each (tube: rings "
             "and sectors)"},
    VALUE("mass", mass, "kg/m", "mass per length, instead of density times area"),
    {.name     = "inertia",
     .kind     = KL_KEY_NUMBERS,
     .offset   = AT(inertia),
     .unit     = "kg m",
     .size     = 3,
     .fallback = "[0, 0, 0]",
     .min      = 0,
     .max      = 1e300,
     .help     = "rotary inertia per length about x, y, z; zeros: density times moments of area"},
    {0}};

/* Which sizes a shape needs, by its word. */
static const struct {
    const char *word, *needs[5];
} shapes[] = {{"rectangle", {"width", "height"}},     {"circle", {"radius"}},
              {"tube", {"radius", "thickness"}},      {"i", {"height", "width", "flange", "web"}},
              {"numbers", {"area", "Iy", "Iz", "J"}}, {"stiffness", {"EA", "GJ"}}};

static double value_of(const kl_beam_section *s, const char *name)
{
    for (const kl_key *k = keys; k->name; k++)
        if (strcmp(k->name, name) == 0)
            return *(const double *)(const void *)((const char *)s + k->offset);
    return NAN;
}

static void take_property(kl_beam_section *s, const kl_property *p)
{
    s->area = p->area, s->Iy = p->Iy, s->Iz = p->Iz, s->J = p->J;
    if (s->shear[0] == 0.0) s->shear[0] = p->ky;
    if (s->shear[1] == 0.0) s->shear[1] = p->kz;
}

static kl_status section_setup(void *data, const kl_setup *s)
{
    kl_beam_section *b = data;
    kl_property      p = {0};
    for (int i = 0; i < 5 && shapes[b->shape].needs[i]; i++) {
        const char *name = shapes[b->shape].needs[i];
        if (!(value_of(b, name) > 0.0))
            return kl_fail(s->diag, KL_E_RANGE, s->place,
                           "section '%s': `shape: %s` needs `%s` greater than 0", s->name,
                           shapes[b->shape].word, name);
    }
    if ((b->shape == KL_SECTION_TUBE && b->thickness > b->radius) ||
        (b->shape == KL_SECTION_I && (2.0 * b->flange > b->height || b->web > b->width)))
        return kl_fail(s->diag, KL_E_RANGE, s->place,
                       "section '%s': its walls are thicker than the section; make them thinner",
                       s->name);
    switch (b->shape) {
    case KL_SECTION_RECTANGLE: kl_section_rectangle(&p, b->width, b->height); break;
    case KL_SECTION_CIRCLE: kl_section_circle(&p, b->radius); break;
    case KL_SECTION_TUBE: kl_section_tube(&p, b->radius, b->thickness); break;
    case KL_SECTION_I: kl_section_i(&p, b->height, b->width, b->flange, b->web); break;
    default:
        for (int i = 0; i < 2; i++)
            if (b->shear[i] == 0.0) b->shear[i] = 1.0;
        return KL_OK;
    }
    take_property(b, &p);
    return KL_OK;
}

kl_beam_law kl_beam_law_of(const kl_beam_section *s, const kl_structural_material *material)
{
    kl_beam_law l = {{s->EA, s->GA[0], s->GA[1], s->GJ, s->EI[0], s->EI[1]}, 0, {0}};
    l.mass        = isnan(s->mass) ? 0.0 : s->mass;
    if (s->shape != KL_SECTION_STIFFNESS) {
        double E = material->E, G = material->G, rho = material->density;
        l = (kl_beam_law){{E * s->area, G * s->area * s->shear[0], G * s->area * s->shear[1],
                           G * s->J, E * s->Iy, E * s->Iz},
                          isnan(s->mass) ? rho * s->area : s->mass,
                          {rho * (s->Iy + s->Iz), rho * s->Iy, rho * s->Iz}};
    }
    if (s->inertia[0] + s->inertia[1] + s->inertia[2] > 0.0)
        for (int i = 0; i < 3; i++) l.inertia[i] = s->inertia[i];
    return l;
}

const kl_resource_type kl_beam_sections = {
    .section   = "sections",
    .word      = "section",
    .help      = "cross sections of beams",
    .text      = "    sections:\n"
                 "      bar: {shape: rectangle, width: 30 mm, height: 20 mm}\n"
                 "      pipe: {shape: tube, radius: 40 mm, thickness: 3 mm}\n"
                 "      rail: {shape: numbers, area: 1780 mm2, Iy: 414724 mm4, Iz: 4503109 mm4, J: "
                 "35024 mm4}\n"
                 "      soft: {shape: stiffness, EA: 10 kN, GA: [10 kN, 10 kN], GJ: 100 N m2,\n"
                 "             EI: [100 N m2, 100 N m2], mass: 1 kg/m, inertia: [20 kg m, 10 kg m, 10 "
                 "kg m]}\n\n"
                 "Axes: x along the beam, y and z in the section. Height is along z, width along y.\n",
    .example   = "{shape: rectangle, width: 30 mm, height: 20 mm}",
    .data_size = sizeof(kl_beam_section),
    .keys      = keys,
    .setup     = section_setup};
