/* catenaries:
 *   line: {spans: 10, span_length: 60 m, contact_tension: 20 kN, ..., droppers: [5, 10.5, ...] m}
 *
 * From the keys of an entry to tension lengths, checked, and to the finite element line. */
#include <math.h>

#include "catenary/catenary.h"

static const char *const wire_names[] = {"contact", "messenger", "stitch"};

/* ---- checks ---- */

static int wires_of(const kl_catenary *c)
{
    return c->layout == KL_TROLLEY ? 1 : c->layout == KL_SIMPLE ? 2 : 3;
}

static kl_status check_wires(const kl_catenary *c, const kl_setup *s)
{
    for (int i = 0; i < wires_of(c); i++) {
        if (!(c->tension[i] > 0.0))
            return kl_fail(s->diag, KL_E_RANGE, s->place,
                           "catenary '%s': %s_tension is %g N; a wire needs a positive tension, "
                           "for example `%s_tension: %s`",
                           s->name, wire_names[i], c->tension[i], wire_names[i],
                           i == 2 ? "3.5 kN" : "20 kN");
        if (!(c->mass[i] > 0.0))
            return kl_fail(s->diag, KL_E_RANGE, s->place,
                           "catenary '%s': %s_mass is %g kg/m; give a mass per length such as "
                           "`%s_mass: 1.35 kg/m`",
                           s->name, wire_names[i], c->mass[i], wire_names[i]);
        if (!(c->damping[i][0] >= 0.0) || !(c->damping[i][1] >= 0.0))
            return kl_fail(s->diag, KL_E_RANGE, s->place,
                           "catenary '%s': %s_damping is [%g 1/s, %g s]; negative damping supplies "
                           "energy; give values that are not negative",
                           s->name, wire_names[i], c->damping[i][0], c->damping[i][1]);
    }
    if (c->layout == KL_STITCHED && !(c->tension[2] < c->tension[1]))
        return kl_fail(
            s->diag, KL_E_RANGE, s->place,
            "catenary '%s': stitch_tension is %g N, which leaves %g N in the messenger "
            "between its clamps; give a smaller stitch_tension or a larger messenger_tension",
            s->name, c->tension[2], c->tension[1] - c->tension[2]);
    return KL_OK;
}

/* Spans of all tension lengths together: each but the last ends where `overlap` spans are shared. */
static int first_span(const kl_catenary *c, int section)
{
    return section * ((int)c->spans - (int)c->overlap);
}

static int all_spans(const kl_catenary *c)
{
    return first_span(c, (int)c->sections - 1) + (int)c->spans;
}

/* For messages about lists. */
static const char *of_sections(const kl_catenary *c)
{
    return c->sections > 1.0
               ? " of all sections together, with common spans of an overlap counted once"
               : "";
}

static kl_status check_spans(const kl_catenary *c, const kl_setup *s)
{
    if (c->spans != floor(c->spans) || c->sections != floor(c->sections) ||
        c->overlap != floor(c->overlap))
        return kl_fail(s->diag, KL_E_RANGE, s->place,
                       "catenary '%s': spans, sections and overlap must be whole numbers", s->name);
    for (int i = 0; i < c->span_length.n; i++)
        if (!(c->span_length.value[i] > 0.0))
            return kl_fail(s->diag, KL_E_RANGE, s->place,
                           "catenary '%s': span_length is %g m; it must be positive", s->name,
                           c->span_length.value[i]);
    if (c->sections > 1.0 && !(c->overlap >= 1.0 && c->overlap <= c->spans / 2.0))
        return kl_fail(
            s->diag, KL_E_RANGE, s->place,
            "catenary '%s': overlap is %g spans of %g; give at least 1 and no more than half",
            s->name, c->overlap, c->spans);
    if (c->span_length.n != 1 && c->span_length.n != all_spans(c))
        return kl_fail(
            s->diag, KL_E_MODEL, s->place,
            "catenary '%s': span_length has %d values for %d spans%s; give one for all, or "
            "one each",
            s->name, c->span_length.n, all_spans(c), of_sections(c));
    return KL_OK;
}

static kl_status check_droppers(const kl_catenary *c, const kl_setup *s)
{
    const kl_list *d = &c->droppers;
    double         L = c->span_length.value[0], last = 0.0;
    if (c->layout == KL_TROLLEY) return KL_OK;
    if (d->n == 0)
        return kl_fail(
            s->diag, KL_E_MODEL, s->place,
            "catenary '%s': there are no droppers to carry the contact wire; give their positions "
            "in the span, such as `droppers: [5 m, 17 m, 29 m]`, or write `layout: trolley` for a "
            "contact wire without droppers",
            s->name);
    for (int i = 0; i < d->n; i++) {
        if (i > 0 && !(d->value[i] > last))
            return kl_fail(
                s->diag, KL_E_RANGE, s->place,
                "catenary '%s': dropper %d at %g m comes after dropper %d at %g m in the "
                "list; sort the positions",
                s->name, i + 1, d->value[i], i, last);
        if (!(d->value[i] > 0.0) || !(d->value[i] < L))
            return kl_fail(s->diag, KL_E_RANGE, s->place,
                           "catenary '%s': dropper %d at %g m is not inside the span; give "
                           "positions between 0 and the span_length of %g m",
                           s->name, i + 1, d->value[i], L);
        last = d->value[i];
    }
    if (c->dropper_lengths.n != 0 && c->dropper_lengths.n != d->n)
        return kl_fail(s->diag, KL_E_MODEL, s->place,
                       "catenary '%s': dropper_lengths has %d values for %d droppers; give one for "
                       "each of the `droppers`",
                       s->name, c->dropper_lengths.n, d->n);
    for (int i = 0; i < c->dropper_lengths.n; i++)
        if (!(c->dropper_lengths.value[i] > 0.0))
            return kl_fail(s->diag, KL_E_RANGE, s->place,
                           "catenary '%s': dropper_lengths has %g m for dropper %d; give positive "
                           "lengths, or leave `dropper_lengths` out to have them computed",
                           s->name, c->dropper_lengths.value[i], i + 1);
    if (c->layout == KL_STITCHED && !(c->stitch_length > 0.0 && c->stitch_length < L))
        return kl_fail(s->diag, KL_E_RANGE, s->place,
                       "catenary '%s': stitch_length is %g m; give the length of a stitch wire, "
                       "less than a span",
                       s->name, c->stitch_length);
    return KL_OK;
}

/* ---- tension lengths ---- */

/* Values at the supports of a tension length; a list goes along the whole line. */
static kl_status list_at_supports(const kl_catenary *c, const kl_setup *s, int section,
                                  const kl_list *list, const char *key, bool alternate, double *out)
{
    int first = first_span(c, section);
    if (list->n > 1 && list->n != all_spans(c) + 1)
        return kl_fail(
            s->diag, KL_E_MODEL, s->place,
            "catenary '%s': %s has %d values for %d supports%s; give one for all, or one for "
            "each support",
            s->name, key, list->n, all_spans(c) + 1, of_sections(c));
    for (int i = 0; i <= (int)c->spans; i++)
        out[i] = list->n == 0  ? 0.0
                 : list->n > 1 ? list->value[first + i]
                               : list->value[0] * (alternate && (first + i) % 2 ? -1.0 : 1.0);
    return KL_OK;
}

static double span_at(const kl_catenary *c, int i)
{
    return c->span_length.value[c->span_length.n > 1 ? i : 0];
}

static kl_wire_data wire_data(const kl_catenary *c, int i)
{
    return (kl_wire_data){.mass    = c->mass[i],
                          .tension = c->tension[i],
                          .bending = c->bending[i],
                          .alpha   = c->damping[i][0],
                          .beta    = c->damping[i][1],
                          .clamped = c->ends == 1};
}

/* In an overlap the wire that ends rises towards its anchor and both are apart sideways. */
static void raise_ends(const kl_catenary *c, kl_tension_length *p, int section)
{
    int last = p->nspan, o = (int)c->overlap;
    for (int j = 0; j <= o && c->sections > 1.0; j++) {
        double up = c->rise * (double)(j * j) / (double)(o * o), side = 0.5 * c->overlap_spacing;
        if (section + 1 < (int)c->sections)
            p->height[last - o + j] += up, p->stagger[last - o + j] += side;
        if (section > 0) p->height[o - j] += up, p->stagger[o - j] -= side;
    }
}

static kl_status make_part(kl_catenary *c, const kl_setup *s, int section, kl_tension_length *p)
{
    int n    = (int)c->spans;
    *p       = (kl_tension_length){.name = s->name, .place = s->place, .dropper_place = s->place};
    p->nspan = n, p->single = c->layout == KL_TROLLEY;
    p->span        = kl_arena_array(s->arena, double, n);
    p->height      = kl_arena_array(s->arena, double, n + 1);
    p->stagger     = kl_arena_array(s->arena, double, n + 1);
    p->messenger_y = kl_arena_array(s->arena, double, n + 1);
    p->encumbrance = kl_arena_array(s->arena, double, n + 1);
    if (!kl_arena_ok(s->arena)) return KL_E_MEMORY;
    p->start = c->start;
    for (int i = 0; i < first_span(c, section); i++) p->start += span_at(c, i);
    for (int i = 0; i < n; i++) p->span[i] = span_at(c, first_span(c, section) + i);
    KL_TRY(list_at_supports(c, s, section, &c->heights, "heights", false, p->height));
    KL_TRY(list_at_supports(c, s, section, &c->stagger, "stagger", true, p->stagger));
    KL_TRY(list_at_supports(c, s, section, &c->messenger_stagger, "messenger_stagger", true,
                            p->messenger_y));
    KL_TRY(list_at_supports(c, s, section, &c->encumbrance, "encumbrance", false, p->encumbrance));
    raise_ends(c, p, section);
    p->presag  = c->presag;
    p->contact = wire_data(c, 0), p->messenger = wire_data(c, 1);
    p->contact.foundation = c->foundation;
    if (c->layout == KL_STITCHED)
        p->stitch = (kl_stitch_data){.wire = wire_data(c, 2), .half = 0.5 * c->stitch_length};
    p->dropper =
        (kl_dropper_data){.stiffness       = c->dropper_stiffness,
                          .contact_clamp   = c->contact_clamp,
                          .messenger_clamp = c->messenger_clamp,
                          .position        = c->droppers.value,
                          .npos            = p->single ? 0 : c->droppers.n,
                          .length = c->dropper_lengths.n ? c->dropper_lengths.value : NULL};
    p->dropper.span = p->presag_span = span_at(c, 0);
    p->arm               = (kl_arm_data){.present  = c->arm_mass > 0.0 || c->arm_stiffness > 0.0,
                                         .mass     = c->arm_mass,
                                         .vertical = c->arm_stiffness,
                                         .lateral  = c->arm_lateral};
    p->registration      = (kl_registration_data){.present  = c->registration_stiffness > 0.0,
                                                  .mass     = c->registration_mass,
                                                  .vertical = c->registration_stiffness};
    p->support_stiffness = c->support_stiffness;
    p->lump_x = c->lumps.value, p->lump_mass = c->lump_masses.value;
    p->nlump = section == 0 ? c->lumps.n : 0;
    return KL_OK;
}

/* Lumps lie on the first tension length and have mass. */
static kl_status check_lumps(const kl_catenary *c, const kl_setup *s, const kl_tension_length *p)
{
    double end = p->start;
    for (int k = 0; k < p->nspan; k++) end += p->span[k];
    for (int k = 0; k < c->lumps.n; k++) {
        double x = c->lumps.value[k], mass = c->lump_masses.value[k];
        if (x < p->start || x > end)
            return kl_fail(s->diag, KL_E_RANGE, s->place,
                           "catenary '%s': the lump at x = %g m is not on the line, which reaches "
                           "from %g to %g m; move it",
                           s->name, x, p->start, end);
        if (mass < 0.0)
            return kl_fail(s->diag, KL_E_RANGE, s->place,
                           "catenary '%s': lump_masses has %g kg; give masses of 0 kg or more",
                           s->name, mass);
    }
    return KL_OK;
}

static kl_status catenary_setup(void *data, const kl_setup *s)
{
    kl_catenary *c = data;
    KL_TRY(check_wires(c, s));
    KL_TRY(check_spans(c, s));
    KL_TRY(check_droppers(c, s));
    if (c->lumps.n != c->lump_masses.n)
        return kl_fail(s->diag, KL_E_MODEL, s->place,
                       "catenary '%s': lumps has %d positions, but lump_masses has %d values; give "
                       "one mass for each position",
                       s->name, c->lumps.n, c->lump_masses.n);
    int                n    = (int)c->sections;
    kl_tension_length *part = kl_arena_array(s->arena, kl_tension_length, n);
    if (!part) return KL_E_MEMORY;
    for (int i = 0; i < n; i++) KL_TRY(make_part(c, s, i, &part[i]));
    KL_TRY(check_lumps(c, s, &part[0]));
    c->design = (kl_catenary_design){.name          = s->name,
                                     .place         = s->place,
                                     .part          = part,
                                     .npart         = n,
                                     .element       = c->element,
                                     .gravity       = c->gravity,
                                     .dropper_error = c->dropper_error,
                                     .wear          = c->wear,
                                     .seed          = (unsigned)c->seed};
    return kl_line_create(&c->design, s->arena, s->diag, &c->line);
}

kl_wave_figures kl_catenary_waves(const kl_catenary *c, double speed)
{
    double          impedance[2];
    kl_wave_figures f = {.contact = sqrt(c->tension[0] / c->mass[0]), .messenger = (double)NAN};
    for (int i = 0; i < 2; i++) impedance[i] = sqrt(c->tension[i] * c->mass[i]);
    f.doppler = (f.contact - speed) / (f.contact + speed);
    if (c->layout == KL_TROLLEY) return f;
    f.messenger  = sqrt(c->tension[1] / c->mass[1]);
    f.reflection = impedance[1] / (impedance[0] + impedance[1]);
    f.gain       = f.reflection / f.doppler;
    return f;
}

/* The contact wire of the first tension length, for pictures. */
static bool catenary_draw(const void *data, kl_arena *arena, kl_drawn_line *out)
{
    const kl_catenary  *c = data;
    const kl_line_wire *w = c->line ? kl_line_find(c->line, KL_WIRE_CONTACT, 0) : NULL;
    if (!w) return false;
    double *position = kl_arena_array(arena, double, 3 * w->n);
    double *normal   = kl_arena_array(arena, double, 3 * w->n);
    if (!position || !normal) return false;
    for (int i = 0; i < w->n; i++) {
        const double *at    = &c->line->place[w->dof[i]];
        position[3 * i]     = w->x[i];
        position[3 * i + 1] = c->line->per == 4 ? at[2] : 0.0;
        position[3 * i + 2] = at[0];
        normal[3 * i + 2]   = 1.0;
    }
    out->name = c->design.name;
    out->n = w->n, out->position = position, out->normal = normal;
    return true;
}

#define NUMBER(name_, field_, unit_, fallback_, min_, help_)                                       \
    {                                                                                              \
        .name = name_, .kind = KL_KEY_NUMBER, .offset = offsetof(kl_catenary, field_),             \
        .unit = unit_, .fallback = fallback_, .min = min_, .max = 1e300, .help = help_             \
    }
#define LIST(name_, field_, unit_, fallback_, help_)                                               \
    {                                                                                              \
        .name = name_, .kind = KL_KEY_LIST, .offset = offsetof(kl_catenary, field_),               \
        .unit = unit_, .fallback = fallback_, .help = help_                                        \
    }
#define DAMPING(name_, i_, help_)                                                                  \
    {                                                                                              \
        .name = name_, .kind = KL_KEY_NUMBERS, .offset = offsetof(kl_catenary, damping[i_]),       \
        .unit = "1/s|s", .fallback = "[0.0125, 0.0001]", .size = 2, .help = help_                  \
    }

/* clang-format off */
static const kl_key catenary_keys[] = {
    {.name = "layout", .kind = KL_KEY_WORD, .offset = offsetof(kl_catenary, layout),
     .words = "trolley simple stitched", .fallback = "simple",
     .help = "contact wire only; with messenger; with messenger and stitch wires at the supports"},
    NUMBER("start", start, "m", "0", -1e300, "x of the first support"),
    NUMBER("spans", spans, "1", "10", 1, "number of spans of a tension length"),
    LIST("span_length", span_length, "m", NULL, "one length for all spans, or one for each span of the line (of all sections)"),
    LIST("heights", heights, "m", "0", "height of the contact wire at the supports: one value, or one for each support of the line (gradients)"),
    LIST("stagger", stagger, "m", "0", "stagger of the contact wire at the supports: one value (alternating sign) or one for each support of the line"),
    LIST("messenger_stagger", messenger_stagger, "m", "0", "stagger of the messenger"),
    LIST("encumbrance", encumbrance, "m", "1.2", "height of the messenger above the contact wire at the supports"),
    NUMBER("presag", presag, "m", "0", 0, "pre-sag of the contact wire at mid-span of the first span; in other spans proportional to the square of the length"),
    NUMBER("contact_mass", mass[0], "kg/m", NULL, 0, "mass per length of the contact wire"),
    NUMBER("contact_tension", tension[0], "N", NULL, 0, "tension of the wire"),
    NUMBER("contact_bending", bending[0], "N m2", "0", 0, "bending stiffness EI"),
    NUMBER("contact_foundation", foundation, "N/m2", "0", 0, "elastic foundation along it, from height 0: for studies of a single wire"),
    DAMPING("contact_damping", 0, "[alpha, beta] of C = alpha M + beta K"),
    NUMBER("messenger_mass", mass[1], "kg/m", "1.08", 0, "mass per length of the messenger"),
    NUMBER("messenger_tension", tension[1], "N", "16000", 0, "tension of the wire"),
    NUMBER("messenger_bending", bending[1], "N m2", "0", 0, "bending stiffness EI"),
    DAMPING("messenger_damping", 1, "as contact_damping"),
    NUMBER("stitch_mass", mass[2], "kg/m", "0.31", 0, "mass per length of a stitch wire"),
    NUMBER("stitch_tension", tension[2], "N", "3500", 0, "tension of a stitch wire, taken from the messenger between the clamps"),
    NUMBER("stitch_bending", bending[2], "N m2", "0", 0, "bending stiffness EI"),
    NUMBER("stitch_length", stitch_length, "m", "15", 0, "length of a stitch wire"),
    DAMPING("stitch_damping", 2, "as contact_damping"),
    {.name = "ends", .kind = KL_KEY_WORD, .offset = offsetof(kl_catenary, ends),
     .words = "pinned clamped", .fallback = "pinned", .help = "boundary condition at the ends of the wires"},
    LIST("droppers", droppers, "m", "[]", "positions of the droppers in the first span; scaled by length in other spans"),
    LIST("dropper_lengths", dropper_lengths, "m", "[]", "unstretched dropper lengths (default: computed from the required heights)"),
    NUMBER("dropper_stiffness", dropper_stiffness, "N/m", "100000", 1, "dropper stiffness in tension; zero in compression"),
    NUMBER("contact_clamp", contact_clamp, "kg", "0", 0, "mass of a dropper clamp on the contact wire"),
    NUMBER("messenger_clamp", messenger_clamp, "kg", "0", 0, "mass of a dropper clamp on the messenger"),
    NUMBER("arm_mass", arm_mass, "kg", "0", 0, "mass of the steady arm that moves with the contact wire"),
    NUMBER("arm_stiffness", arm_stiffness, "N/m", "0", 0, "vertical stiffness of a steady arm about its static position"),
    NUMBER("arm_lateral", arm_lateral, "N/m", "1000000", 0, "lateral stiffness of a steady arm"),
    NUMBER("registration_mass", registration_mass, "kg", "1", 0, "mass of the registration arm that carries the hinge of the steady arm"),
    NUMBER("registration_stiffness", registration_stiffness, "N/m", "0", 0, "vertical stiffness of the registration arm; 0: the hinge is fixed"),
    NUMBER("support_stiffness", support_stiffness, "N/m", "0", 0, "vertical stiffness of the messenger supports; 0: supports are fixed"),
    LIST("lumps", lumps, "m", "[]", "x of masses on the contact wire (section insulators, joints)"),
    LIST("lump_masses", lump_masses, "kg", "[]", "mass of each of the `lumps`"),
    NUMBER("sections", sections, "1", "1", 1, "number of consecutive tension lengths"),
    NUMBER("overlap", overlap, "1", "3", 1, "number of spans in which two tension lengths overlap"),
    NUMBER("rise", rise, "m", "0.5", 0, "uplift of a contact wire at its anchor in an overlap"),
    NUMBER("overlap_spacing", overlap_spacing, "m", "0", 0, "lateral distance between both wires in an overlap"),
    NUMBER("dropper_error", dropper_error, "m", "0", 0, "installation error: standard deviation of dropper lengths"),
    {.name = "wear", .kind = KL_KEY_NUMBER, .offset = offsetof(kl_catenary, wear), .unit = "1",
     .fallback = "0", .min = 0, .max = 0.5, .help = "worn fraction of the cross-section of the contact wire"},
    NUMBER("seed", seed, "1", "1", 0, "random seed of the installation errors"),
    NUMBER("element", element, "m", "1.1", 1e-3, "length of the longest finite element"),
    NUMBER("gravity", gravity, "m/s2", "9.81", 0, "acceleration of gravity, downwards"),
    {0}};
/* clang-format on */

const kl_resource_type kl_catenaries = {
    .section = "catenaries",
    .word    = "catenary",
    .help    = "overhead contact lines: wires, droppers, supports",
    .text =
        "    catenaries:\n"
        "      line: {spans: 10, span_length: 60 m, presag: 30 mm,\n"
        "             contact_mass: 1.35 kg/m, contact_tension: 20 kN, contact_bending: 195 N m2,\n"
        "             messenger_mass: 1.07 kg/m, messenger_tension: 16 kN,\n"
        "             droppers: [5, 10.5, 17, 23.5, 30, 36.5, 43, 49.5, 55]}\n\n"
        "Wires are tensioned beams with constant tension; droppers carry tension only. The line "
        "runs\n"
        "along x, heights are measured along z. Dropper lengths are given, or computed so that the "
        "contact wire\n"
        "is at the required `heights` minus the `presag`. The force `pantograph` runs along it;\n"
        "`klingel catenary elasticity MODEL` and `klingel catenary droppers MODEL` print its "
        "statics.\n",
    .example   = "{spans: 2, span_length: 60 m, contact_mass: 1.35 kg/m, contact_tension: 20 kN, "
                 "droppers: [10, 20, 30, 40, 50]}",
    .data_size = sizeof(kl_catenary),
    .keys      = catenary_keys,
    .setup     = catenary_setup,
    .draw      = catenary_draw,
};
