/* Data of a contact and the functions that its element, joints with clearance and groups share: they
 * all see two frames and a history, given as a kl_reading of two markers. */
#ifndef KL_CONTACT_CONTACT_DATA_H
#define KL_CONTACT_CONTACT_DATA_H

#include "contact/contact_point.h"
#include "contact/fit.h"

/* History before that of the slots. */
enum {
    KL_CONTACT_LOST,
    KL_CONTACT_LAST_TIME,
    KL_CONTACT_IMPACTS,
    KL_CONTACT_SPEED,
    KL_CONTACT_PARTED, /* how often a contact point has opened */
    KL_CONTACT_PEAK,   /* largest normal force since the last impact [N] */
    KL_CONTACT_RUBBED, /* energy dissipated by friction, rolling and spinning resistance [J] */
    KL_CONTACT_HEAD
};

typedef struct kl_contact_data {
    kl_shapes    shapes;
    kl_fit       fit; /* of a joint with clearance, instead of shapes */
    int          law, material, friction, point;
    double       k, exponent, c, e, v0, floor, rate_limit, line; /* NaN: left out */
    bool         exact;
    kl_function *force;
    double mu, mu_s, full_speed, stribeck_speed, xi, viscous, k_t, c_t, s0, s1, rolling, spinning;

    kl_contact_law laws; /* derived */
    int            slots;
    bool           numbered;    /* kl_pair_numbers_places */
    bool           chain;       /* one of the shapes is a chain of arcs */
    double         reach;       /* of the smaller shape [m]; infinite where both have no end */
    double         rebound;     /* restitution (ratio of speeds) of a free impact under this law */
    double         speed_limit; /* of Hertz's theory [m/s]; infinite: unknown */
} kl_contact_data;

typedef struct kl_contact_found { /* cache */
    kl_spots spots;
    int      age;  /* accepted steps since the last search everywhere */
    kl_vec3  from; /* shape 2 as seen from shape 1 at that search, global axes [m] */
    kl_vec3  now;  /* the same at this position */
    double   t;    /* its time [s] */
} kl_contact_found;

/* contact.c: what the element does with two frames */
kl_pair        kl_contact_pair(const kl_contact_data *p, const kl_motion m[2]);
void           kl_contact_find(const kl_contact_data *p, const kl_motion m[2], const kl_spots *warm,
                               kl_spots *out);
double         kl_contact_reach(const kl_solid *s, kl_vec3 *centre);
const kl_spot *kl_contact_spot(const kl_spots *s, int slot);
kl_indented    kl_contact_indented(const kl_reading *in, int slot, double depth);
bool           kl_contact_state_of(const kl_reading *in, int slot, kl_contact_state *x);
kl_status      kl_contact_locate(const kl_reading *in, void *cache);
kl_status      kl_contact_eval(const kl_reading *in, kl_writing *out);
void           kl_contact_tangent(const kl_reading *in, const double *lambda, kl_slopes *out);
int            kl_contact_events(const kl_contact_data *p);
void           kl_contact_crossings(const kl_reading *in, kl_crossing *out);
void           kl_contact_commit(const kl_reading *in, double *h);
kl_status      kl_contact_start(const kl_reading *in, const kl_setup *s, kl_element_start *out);

/* contact_setup.c: laws from keys (fill, then Hertz, then check), sizes */
void      kl_contact_fill(kl_contact_data *p);
double    kl_contact_share(const kl_contact_data *p, int ends);
kl_status kl_contact_hertz(kl_contact_data *p, const kl_setup *s, double A, double B);
kl_status kl_contact_check(kl_contact_data *p, const kl_setup *s);
void      kl_contact_sizes(const kl_contact_data *p, kl_element_size *size);
kl_status kl_contact_setup(void *data, const kl_setup *s, const kl_motion *m, int nmarker,
                           kl_element_size *size);
/* Does friction keep an elastic gap, or the surface an indentation? */
static inline bool kl_contact_remembers_path(const kl_contact_data *p)
{
    return kl_friction_laws[p->laws.friction.kind].gap ||
           p->laws.normal.kind == KL_NORMAL_INDENTATION;
}
/* Numbers of history of a contact point: fewer where no path is remembered, for histories are copied
 * with every step. */
static inline int kl_contact_point_size(const kl_contact_data *p)
{
    return kl_contact_remembers_path(p) ? KL_POINT_HISTORY : KL_POINT_SHORT;
}
/* Crossings of a contact: each slot's touch, then its sticking, then its release. */
static inline bool kl_contact_releases(const kl_contact_data *p) { return p->laws.normal.c > 0.0; }
static inline bool kl_contact_sticks(const kl_contact_data *p)
{
    return p->laws.friction.kind == KL_FRICTION_STICK_SLIP;
}

/* contact_output.c: the first KL_CONTACT_OUTPUTS values are those of KL_CONTACT_OUTPUT_ROWS */
enum { KL_CONTACT_OUTPUTS = 22 };
void kl_contact_output(const kl_reading *in, const double *lambda, double *values);
void kl_contact_arcs(const kl_reading *in, double *values); /* arcs of chains, 4 values */
void kl_contact_watch(const kl_reading *in, kl_notice *notice);

/* Keys of the laws, the same wherever something touches. */
#define KL_CONTACT_BY_LAW "law?N/m|N/m^1.5|N/m|N/m|N/m^1.5|N/m^1.5|N/m^1.5|N/m|N/m|N/m^1.5"
#define KL_CONTACT_MATERIALS                                                                       \
    "none steel-steel steel-cast-iron steel-aluminium steel-bronze steel-nylon steel-rubber "      \
    "steel-ice steel-concrete rubber-asphalt rubber-concrete oak-oak glass-glass"
#define KL_CONTACT_NUMBER(name_, field_, unit_, fallback_, min_, max_, help_)                      \
    {                                                                                              \
        .name = name_, .kind = KL_KEY_NUMBER, .offset = offsetof(kl_contact_data, field_),         \
        .unit = unit_, .fallback = fallback_, .min = min_, .max = max_, .help = help_              \
    }
#define KL_CONTACT_LAW_KEYS_WITHOUT_LENGTH                                                          \
    {.name     = "material",                                                                        \
     .kind     = KL_KEY_WORD,                                                                       \
     .offset   = offsetof(kl_contact_data, material),                                               \
     .words    = KL_CONTACT_MATERIALS,                                                              \
     .fallback = "none",                                                                            \
     .help = "pair of materials, which gives the Hertz stiffness and the friction coefficients"},   \
        {.name   = "law",                                                                           \
         .kind   = KL_KEY_WORD,                                                                     \
         .offset = offsetof(kl_contact_data, law),                                                  \
         .words  = "linear hertz hertz-line kelvin-voigt hunt-crossley lankarani-nikravesh flores " \
                   "table indentation auto",                                                        \
         .fallback = "auto",                                                                        \
         .help     = "law of the normal force as a function of penetration depth; auto: "           \
                     "hunt-crossley with `restitution`, else hertz (no losses)"},                       \
        KL_CONTACT_NUMBER(                                                                          \
            "stiffness", k, KL_CONTACT_BY_LAW, "", 0, 1e300,                                        \
            "k of the law (default: from `material`, for laws with the unit N/m^1.5)"),             \
        KL_CONTACT_NUMBER("exponent", exponent, "1", "", 1, 10,                                     \
                          "n of d^n (default: 1.5 as for Hertz, 1 for linear and kelvin-voigt); "   \
                          "with another n give the stiffness without a unit"),                      \
        KL_CONTACT_NUMBER("damping", c, "N s/m", "0", 0, 1e300, "c of the laws linear and table"),  \
        KL_CONTACT_NUMBER("restitution", e, "1", "", 0, 1,                                          \
                          "coefficient of restitution: ratio of speeds (kelvin-voigt: ratio of "    \
                          "energies), measured for the pair; kelvin-voigt, hunt-crossley, "         \
                          "lankarani-nikravesh, flores and indentation need it. Law indentation: "  \
                          "the stiffness in unloading is k/e^2. The three laws with hysteresis "    \
                          "rebound with it only near 1; for other values add `exact: true`"),       \
        {.name     = "exact",                                                                       \
         .kind     = KL_KEY_FLAG,                                                                   \
         .offset   = offsetof(kl_contact_data, exact),                                              \
         .fallback = "false",                                                                       \
         .help     = "choose the hysteresis so that a free impact has the given `restitution`"},        \
        KL_CONTACT_NUMBER("transition_speed", v0, "m/s", "0.1", 1e-12, 1e300,                       \
                          "v0 of kelvin-voigt"),                                                    \
        KL_CONTACT_NUMBER("smallest_impact", floor, "m/s", "0.001", 1e-300, 1e300,                  \
                          "smallest impact speed used by the hysteresis laws"),                     \
        KL_CONTACT_NUMBER(                                                                          \
            "rate_limit", rate_limit, "1", "1", 1e-300, 1e300,                                      \
            "largest ratio of penetration rate to impact speed used by the hysteresis laws"),       \
                                                                                                    \
        {.name     = "force",                                                                       \
         .kind     = KL_KEY_FUNCTION,                                                               \
         .offset   = offsetof(kl_contact_data, force),                                              \
         .unit     = "N",                                                                           \
         .by       = "m",                                                                           \
         .fallback = "",                                                                            \
         .help     = "force as a function of penetration depth: law table"},                            \
        {.name     = "friction",                                                                    \
         .kind     = KL_KEY_WORD,                                                                   \
         .offset   = offsetof(kl_contact_data, friction),                                           \
         .words    = "none threlfall ramp smooth bengisu-akay stribeck lugre stick-slip",           \
         .fallback = "none",                                                                        \
         .help     = "friction law"},                                                                   \
        KL_CONTACT_NUMBER("mu", mu, "1", "", 0, 1e300, "dynamic coefficient of friction"),          \
        KL_CONTACT_NUMBER("mu_static", mu_s, "1", "", 0, 1e300,                                     \
                          "static coefficient (default: `mu`)"),                                    \
        KL_CONTACT_NUMBER("full_speed", full_speed, "m/s", "", 1e-300, 1e300,                       \
                          "slip speed at which friction is fully developed: threlfall, ramp, "      \
                          "smooth, stribeck (default: 0.01 m/s)"),                                  \
        KL_CONTACT_NUMBER("stribeck_speed", stribeck_speed, "m/s", "", 1e-300, 1e300,               \
                          "slip speed at which static friction is largest (bengisu-akay, "          \
                          "stribeck, lugre), or at which `ramp` begins"),                           \
        KL_CONTACT_NUMBER("decay", xi, "s/m", "50", 0, 1e300, "xi of bengisu-akay"),                \
        KL_CONTACT_NUMBER("viscous", viscous, "s/m", "0", 0, 1e300,                                 \
                          "increase of the coefficient of friction per slip speed"),                \
        KL_CONTACT_NUMBER("tangential_stiffness", k_t, "N/m", "0", 0, 1e300,                        \
                          "tangential stiffness of stick-slip; 0: equal to the normal stiffness "   \
                          "at a depth of 1 um"),                                                    \
        KL_CONTACT_NUMBER("tangential_damping", c_t, "N s/m", "0", 0, 1e300,                        \
                          "tangential damping of stick-slip while sticking"),                       \
        KL_CONTACT_NUMBER("bristle_stiffness", s0, "1/m", "1e5", 1e-300, 1e300,                     \
                          "bristle stiffness of lugre divided by the normal force"),                \
        KL_CONTACT_NUMBER("bristle_damping", s1, "s/m", "", 0, 1e300,                               \
                          "bristle damping of lugre (default: square root of the stiffness)"),      \
        KL_CONTACT_NUMBER("rolling_resistance", rolling, "m", "0", 0, 1e300,                        \
                          "lever arm of the rolling resistance moment"),                            \
        KL_CONTACT_NUMBER("spinning_resistance", spinning, "m", "0", 0, 1e300,                      \
                          "lever arm of the moment that resists spin about the normal")

#define KL_CONTACT_LAW_KEYS                                                                        \
    KL_CONTACT_NUMBER("length", line, "m", "", 0, 1e300,                                           \
                      "length of the line of contact: law hertz-line"),                            \
        KL_CONTACT_LAW_KEYS_WITHOUT_LENGTH

#define KL_CONTACT_OUTPUT_ROWS                                                                     \
    {"gap", "m",                                                                                   \
     "smallest distance; negative: penetration. A lower bound while the shapes are far apart"},    \
        {"penetration", "m", "largest penetration depth, 0 while open"},                           \
        {"normal", "N", "sum of the normal forces"},                                               \
        {"friction", "N", "magnitude of the friction force"},                                      \
        {"slip", "m/s", "slip speed where the gap is smallest"},                                   \
        {"state", "1", "0 open, 1 closed, 2 slipping"}, {"lost", "J", "energy dissipated so far"}, \
        {"impacts", "1", "number of impacts"},                                                     \
        {"impact_speed", "m/s", "approach speed of the last impact"},                              \
        {"point.x", "m", "contact point, or nearest point of the first shape"},                    \
        {"point.y", "m", ""}, {"point.z", "m", ""},                                                \
        {"direction.x", "1", "normal from the first shape to the second"},                         \
        {"direction.y", "1", ""}, {"direction.z", "1", ""},                                        \
        {"tangential.x", "N", "friction force on the first body"}, {"tangential.y", "N", ""},      \
        {"tangential.z", "N", ""}, {"contacts", "1", "number of contact points"},                  \
        {"indentation", "m", "law indentation: remaining depth"},                                  \
        {"peak", "N", "largest normal force since the last impact"},                               \
    {                                                                                              \
        "lost_friction", "J", "part of `lost` by friction and rolling resistance"                  \
    }

/* Remedies for a contact whose stiffness keeps steps very short. */
#define KL_CONTACT_TOO_STIFF                                                                       \
    "lower its `stiffness` (a hundredth of it allows steps ten times as long; penetration "        \
    "grows), "                                                                                     \
    "raise the `tolerance` of the integrator, or take an implicit integrator, `integrator: "       \
    "{type: gear}`"

#endif
