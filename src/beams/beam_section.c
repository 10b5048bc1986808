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
#define POINTS(word, field, text)                                                                  \
    {                                                                                              \
        .name = word, .kind = KL_KEY_LIST, .offset = AT(field), .unit = "m", .size = 2,            \
        .fallback = "[]", .help = text                                                             \
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
     .words  = "rectangle circle tube i channel polygon numbers stiffness",
     .help = "a shape with its sizes, its numbers (area, Iy, Iz, J), or stiffnesses (EA, EI, ...)"},
    SIZE("width", width,
         "size along y: width of a rectangle, or of the flanges of an I or channel"),
    SIZE("height", height, "size along z: height of a rectangle, I or channel"),
    SIZE("radius", radius, "radius of a circle, outer radius of a tube"),
    SIZE("thickness", thickness, "wall thickness of a tube"),
    SIZE("flange", flange, "thickness of the flanges of an I or channel"),
    SIZE("web", web, "thickness of the web of an I or channel"),
    POINTS("points", points,
           "corners of a polygon in order, [[y, z], ...]; the beam runs through the centroid"),
    POINTS("hole", hole, "corners of a hole in the polygon"),
    VALUE("area", area, "m2", "area, for `shape: numbers`"),
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
     .help = "shear area over area, along y and z; 0: computed from the shape (1 for `numbers`). A "
             "large number makes the beam rigid in shear"},
    VALUE("EA", EA, "N", "axial stiffness, for `shape: stiffness`"),
    {.name     = "GA",
     .kind     = KL_KEY_NUMBERS,
     .offset   = AT(GA),
     .unit     = "N",
     .size     = 2,
     .fallback = "[0, 0]",
     .min      = 0,
     .max      = 1e300,
     .help     = "shear stiffness along y and z, for `shape: stiffness`"},
    VALUE("GJ", GJ, "N m2", "torsional stiffness, for `shape: stiffness`"),
    {.name     = "EI",
     .kind     = KL_KEY_NUMBERS,
     .offset   = AT(EI),
     .unit     = "N m2",
     .size     = 2,
     .fallback = "[0, 0]",
     .min      = 0,
     .max      = 1e300,
     .help     = "bending stiffness about y and z, for `shape: stiffness`"},
    {.name     = "fibres",
     .kind     = KL_KEY_NUMBERS,
     .offset   = AT(fibres),
     .unit     = "1",
     .size     = 2,
     .fallback = "[0, 0]",
     .min      = 0,
     .max      = 1000,
     .help =
         "if the material yields: number of cells along y and z, with 2 x 2 points each (circle: "
         "4 (first + 1) sectors, second: rings; tube: rings, sectors). 0: as many as give "
         "bending moments within 0.5 %"},
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
} shapes[] = {{"rectangle", {"width", "height"}},
              {"circle", {"radius"}},
              {"tube", {"radius", "thickness"}},
              {"i", {"height", "width", "flange", "web"}},
              {"channel", {"height", "width", "flange", "web"}},
              {"polygon", {0}},
              {"numbers", {"area", "Iy", "Iz", "J"}},
              {"stiffness", {"EA", "GJ"}}};

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

/* An outline about the centroid, kept for fibres. */
static kl_outline *shifted(const kl_outline *o, const double center[2], kl_arena *arena)
{
    kl_outline *out   = kl_arena_array(arena, kl_outline, 1);
    double     *point = kl_arena_array(arena, double, 2 * o->n);
    if (!out || !point) return NULL;
    for (int i = 0; i < 2 * o->n; i++) point[i] = o->point[i] - center[i % 2];
    *out = (kl_outline){point, o->n};
    return out;
}

/* Area, moments, torsion and shear of an outline are computed. */
static kl_status take_outline(kl_beam_section *b, const kl_setup *s, const kl_outline *outer,
                              const kl_outline *hole)
{
    kl_section_constants c;
    const char          *wrong = kl_section_constants_of(outer, hole, hole->n > 0, &c);
    if (wrong) return kl_fail(s->diag, KL_E_RANGE, s->place, "section '%s': %s", s->name, wrong);
    b->area = c.area, b->Iy = c.Iy, b->Iz = c.Iz, b->Iyz = c.Iyz, b->J = c.J;
    if (b->shear[0] == 0.0 && b->shear[1] == 0.0) b->shear_yz = c.shear[2];
    for (int i = 0; i < 2; i++) {
        if (b->shear[i] == 0.0) b->shear[i] = c.shear[i];
        b->shear_center[i] = c.shear_center[i];
    }
    b->outline = shifted(outer, c.center, s->arena);
    b->opening = hole->n ? shifted(hole, c.center, s->arena) : NULL;
    return b->outline && (b->opening || !hole->n) ? KL_OK : KL_E_MEMORY;
}

static kl_status take_polygon(kl_beam_section *b, const kl_setup *s)
{
    if (b->points.n % 2 || b->hole.n % 2 || b->points.n < 6)
        return kl_fail(s->diag, KL_E_RANGE, s->place,
                       "section '%s': `shape: polygon` needs at least three `points`, each [y, z]",
                       s->name);
    return take_outline(b, s, &(kl_outline){b->points.value, b->points.n / 2},
                        &(kl_outline){b->hole.value, b->hole.n / 2});
}

/* The web is on the side of negative y, the flanges point to positive y. */
static kl_status take_channel(kl_beam_section *b, const kl_setup *s)
{
    double       h = 0.5 * b->height, w = b->width, in = h - b->flange, t = b->web;
    const double point[] = {0, -h, w, -h, w, -in, t, -in, t, in, w, in, w, h, 0, h};
    return take_outline(b, s, &(kl_outline){point, 8}, &(kl_outline){NULL, 0});
}

static kl_status take_i(kl_beam_section *b, const kl_setup *s)
{
    double       h = 0.5 * b->height, w = 0.5 * b->width, in = h - b->flange, t = 0.5 * b->web;
    const double point[] = {-w, -h, w,  -h, w,  -in, t,  -in, t,  in,  w,  in,
                            w,  h,  -w, h,  -w, in,  -t, in,  -t, -in, -w, -in};
    return take_outline(b, s, &(kl_outline){point, 12}, &(kl_outline){NULL, 0});
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
        ((b->shape == KL_SECTION_I || b->shape == KL_SECTION_CHANNEL) &&
         (2.0 * b->flange >= b->height || b->web >= b->width)))
        return kl_fail(
            s->diag, KL_E_RANGE, s->place,
            "section '%s': its walls are too thick for its size; make them thinner, or give "
            "another shape",
            s->name);
    switch (b->shape) {
    case KL_SECTION_RECTANGLE: kl_section_rectangle(&p, b->width, b->height); break;
    case KL_SECTION_CIRCLE: kl_section_circle(&p, b->radius); break;
    case KL_SECTION_TUBE: kl_section_tube(&p, b->radius, b->thickness); break;
    case KL_SECTION_CHANNEL: return take_channel(b, s);
    case KL_SECTION_POLYGON: return take_polygon(b, s);
    case KL_SECTION_I: return take_i(b, s);
    default:
        for (int i = 0; i < 2; i++)
            if (b->shear[i] == 0.0) b->shear[i] = 1.0;
        return KL_OK;
    }
    take_property(b, &p);
    return KL_OK;
}

/* The section's matrix, where its principal axes or its shear centre (ys, zs) are off the axes:
 *
 *   My = E (Iy ky - Iyz kz),  Mz = E (Iz kz - Iyz ky)
 *   Q = G A k (gy - zs kx, gz + ys kx),  Mx = G J kx + ys Qz - zs Qy */
static void couple(kl_beam_law *l, const kl_beam_section *s, double E, double G)
{
    double *C = l->full, ys = s->shear_center[0], zs = s->shear_center[1];
    double  k[2][2] = {{l->C[1], G * s->area * s->shear_yz}, {G * s->area * s->shear_yz, l->C[2]}};
    double  arm[2]  = {-zs, ys};
    for (int i = 0; i < 6; i++) C[7 * i] = l->C[i];
    if (!s->outline) return; /* given by numbers or symmetric: nothing couples */
    C[6 * 4 + 5] = C[6 * 5 + 4] = -E * s->Iyz;
    C[6 * 1 + 2] = C[6 * 2 + 1] = k[0][1];
    for (int i = 0; i < 2; i++) {
        double push        = k[i][0] * arm[0] + k[i][1] * arm[1]; /* Q for a unit of twist */
        C[6 * (1 + i) + 3] = C[6 * 3 + 1 + i] = push;
        C[6 * 3 + 3] += arm[i] * push;
    }
    l->C[3]      = C[6 * 3 + 3];
    double least = 1e-12 * l->C[4];
    l->coupled   = fabs(E * s->Iyz) > least || fabs(k[0][1]) > 1e-12 * k[0][0] ||
                 ys * ys + zs * zs > 1e-20 * s->area;
}

kl_beam_law kl_beam_law_of(const kl_beam_section *s, const kl_structural_material *material)
{
    kl_beam_law l = {.C = {s->EA, s->GA[0], s->GA[1], s->GJ, s->EI[0], s->EI[1]}};
    l.mass        = isnan(s->mass) ? 0.0 : s->mass;
    double E = 0.0, G = 0.0;
    if (s->shape != KL_SECTION_STIFFNESS) {
        double rho = material->density;
        E = material->E, G = material->G;
        l = (kl_beam_law){.C = {E * s->area, G * s->area * s->shear[0], G * s->area * s->shear[1],
                                G * s->J, E * s->Iy, E * s->Iz},
                          .mass       = isnan(s->mass) ? rho * s->area : s->mass,
                          .inertia    = {rho * (s->Iy + s->Iz), rho * s->Iy, rho * s->Iz},
                          .inertia_yz = rho * s->Iyz};
    }
    couple(&l, s, E, G);
    if (s->inertia[0] + s->inertia[1] + s->inertia[2] > 0.0)
        for (int i = 0; i < 3; i++) l.inertia[i] = s->inertia[i];
    return l;
}

const kl_resource_type kl_beam_sections = {
    .section = "sections",
    .word    = "section",
    .help    = "cross sections of beams",
    .text =
        "    sections:\n"
        "      bar: {shape: rectangle, width: 30 mm, height: 20 mm}\n"
        "      pipe: {shape: tube, radius: 40 mm, thickness: 3 mm}\n"
        "      rib: {shape: channel, height: 100 mm, width: 50 mm, flange: 8 mm, web: 6 mm}\n"
        "      corner: {shape: polygon, points: [[0, 0], [50 mm, 0], [50 mm, 5 mm], [5 mm, 5 mm], "
        "[5 mm, 50 mm], [0, 50 mm]]}\n"
        "      rail: {shape: numbers, area: 1780 mm2, Iy: 414724 mm4, Iz: 4503109 mm4, J: 35024 "
        "mm4}\n"
        "      soft: {shape: stiffness, EA: 10 kN, GA: [10 kN, 10 kN], GJ: 100 N m2,\n"
        "             EI: [100 N m2, 100 N m2], mass: 1 kg/m, inertia: [20 kg m, 10 kg m, 10 kg "
        "m]}\n\n"
        "Axes: x along the beam, y and z in the section. Height is along z, width along y.\n"
        "A beam of a model gives the direction of z, `z_axis`; a section of a body file\n"
        "(`klingel fe`) gives the direction of y, `orientation`.\n"
        "The beam runs through the centroid. Torsion and shear constants and the shear centre of\n"
        "channels and polygons are computed (`klingel check` prints them); bending about axes "
        "that\n"
        "are not principal axes is coupled, and a force that does not pass through the shear "
        "centre\n"
        "twists the beam.\n",
    .example   = "{shape: rectangle, width: 30 mm, height: 20 mm}",
    .data_size = sizeof(kl_beam_section),
    .keys      = keys,
    .setup     = section_setup};
