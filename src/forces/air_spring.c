/* Air spring of a rail vehicle: a bellows joined to an auxiliary volume by an orifice.
 *
 * e is the extension along z of marker i from the start, where the spring carries `load`. The gas of
 * both volumes follows p = p0 (density/density0)^n; q is the volume of gas (at the density of the
 * start) that has flowed from the bellows into the auxiliary volume:
 *
 *   A(e) = A0 + A' e,  V(e) = V1 + A0 e + A' e^2/2,     p0 = pa + load/A0
 *   p1 = p0 ((V1 - q)/V(e))^n,   p2 = p0 ((V2 + q)/V2)^n
 *   push = (p1 - pa) A(e),       q' = a (p1 - p2) / sqrt(rho0/2 sqrt((p1 - p2)^2 + dp^2))
 *
 * a: area of the orifice times its discharge coefficient; dp = 100 Pa makes the flow of Bernoulli's law
 * smooth at zero. Linearised at the start: quick motion (closed orifice) k = n p0 A0^2/V1 + (p0 - pa) A',
 * slow motion (open) k = n p0 A0^2/(V1 + V2) + (p0 - pa) A' (Quaglia and Sorli, Vehicle System Dynamics
 * 35, 2001, give this model). The stored energy is that of both gas volumes and of the air around; what
 * the flow through the orifice loses is the difference of enthalpy. */
#include <math.h>

#include "forces/forces.h"
#include "model/model.h"

typedef struct air_spring {
    double load, area, area_slope, volume, auxiliary, orifice, exponent, ambient, temperature;
    double x0, p0, rho0; /* from setup: travel at the start [m]; pressure, density of the gas */
} air_spring;

typedef struct gas {
    double e, rate;
    double A, V;           /* of the bellows */
    double p1, p2, r1, r2; /* pressures; densities over that of the start */
    double flow;
} gas;

static const double SMOOTH = 100.0; /* [Pa] */

static gas gas_of(const air_spring *p, const kl_motion *m, double q)
{
    gas     s;
    kl_vec3 z = kl_axis(&m[0].A, 2), d = kl_sub(m[1].r, m[0].r);
    s.e       = kl_dot(d, z) - p->x0;
    s.rate    = kl_dot(kl_sub(kl_sub(m[1].v, m[0].v), kl_cross(m[0].w, d)), z);
    s.A       = p->area + p->area_slope * s.e;
    s.V       = p->volume + s.e * (p->area + 0.5 * p->area_slope * s.e);
    s.r1      = (p->volume - q) / s.V;
    s.r2      = p->auxiliary > 0.0 ? (p->auxiliary + q) / p->auxiliary : 1.0;
    s.p1      = p->p0 * pow(s.r1, p->exponent);
    s.p2      = p->p0 * pow(s.r2, p->exponent);
    double dp = s.p1 - s.p2;
    s.flow =
        p->auxiliary > 0.0 ? p->orifice * dp / sqrt(0.5 * p->rho0 * kl_hypot(dp, SMOOTH)) : 0.0;
    return s;
}

static kl_status air_spring_setup(void *data, const kl_setup *s, const kl_motion *m, int nmarker,
                                  kl_element_size *size)
{
    (void)nmarker, (void)s;
    const double gas_constant = 287.05; /* of air [J/(kg K)] */
    air_spring  *p            = data;
    p->x0                     = kl_dot(kl_sub(m[1].r, m[0].r), kl_axis(&m[0].A, 2));
    p->p0                     = p->ambient + p->load / p->area;
    p->rho0                   = p->p0 / (gas_constant * p->temperature);
    size->nz                  = 1;
    return KL_OK;
}

static kl_status air_spring_start(const kl_reading *in, const kl_setup *s, kl_element_start *out)
{
    const air_spring *p = in->data;
    out->scale[0]       = 1e-3 * p->area * s->model->length;
    return KL_OK;
}

static kl_status air_spring_eval(const kl_reading *in, kl_writing *out)
{
    const air_spring *p = in->data;
    gas               s = gas_of(p, in->m, in->z[0]);
    if (!(s.V > 0.0) || !(s.r1 > 0.0) || !(s.r2 > 0.0) || !(s.A > 0.0)) return KL_RETRY;
    double  n = p->exponent, enthalpy = n / (n - 1.0);
    kl_vec3 z = kl_axis(&in->m[0].A, 2), d = kl_sub(in->m[1].r, in->m[0].r);
    kl_vec3 f = kl_scale((s.p1 - p->ambient) * s.A, z);
    kl_store(out->wrench + 6, f);
    kl_store(out->wrench, kl_neg(f));
    kl_store(out->wrench + 3, kl_neg(kl_cross(d, f)));
    out->z_dot[0] = s.flow;
    out->energy   = (s.p1 * s.V + s.p2 * p->auxiliary) / (n - 1.0) + p->ambient * s.V;
    out->loss     = enthalpy * (s.p1 / s.r1 - s.p2 / s.r2) * s.flow;
    return KL_OK;
}

static void air_spring_output(const kl_reading *in, const double *lambda, double *values)
{
    (void)lambda;
    const air_spring *p = in->data;
    gas               s = gas_of(p, in->m, in->z[0]);
    values[0]           = s.e;
    values[1]           = (s.p1 - p->ambient) * s.A;
    values[2]           = s.p1;
    values[3]           = s.p2;
    values[4]           = s.flow;
}

#define NUMBER(key_, field_, unit_, fallback_, min_, max_, help_)                                  \
    {                                                                                              \
        .name = key_, .kind = KL_KEY_NUMBER, .offset = offsetof(air_spring, field_),               \
        .unit = unit_, .fallback = fallback_, .min = min_, .max = max_, .help = help_              \
    }

static const kl_key air_spring_keys[] = {
    NUMBER("load", load, "N", NULL, 0.0, 1e300, "load that it carries at the start"),
    NUMBER("area", area, "m2", NULL, 1e-6, 1e300, "effective area at the start"),
    NUMBER("area_slope", area_slope, "m", "0", 0.0, 0.0,
           "change of the effective area per metre of extension"),
    NUMBER("volume", volume, "m3", NULL, 1e-9, 1e300, "volume of the bellows at the start"),
    NUMBER("auxiliary", auxiliary, "m3", "0", 0.0, 1e300, "auxiliary volume; 0: none"),
    NUMBER("orifice", orifice, "m2", "0", 0.0, 1e300,
           "area of the orifice times its discharge coefficient; 0: closed"),
    NUMBER("exponent", exponent, "1", "1.4", 1.01, 2.0,
           "polytropic exponent: 1.4 for fast (adiabatic) motion, close to 1 for slow (isothermal) "
           "motion"),
    NUMBER("ambient", ambient, "Pa", "101325", 0.0, 1e300, "ambient pressure"),
    NUMBER("temperature", temperature, "K", "293.15", 1.0, 1e300,
           "temperature of the gas at the start; it determines the density"),
    {0}};

static const kl_output air_spring_outputs[] = {
    {"extension", "m", "extension along its axis since the start"},
    {"push", "N", "force that pushes the bodies apart"},
    {"pressure", "Pa", "absolute pressure in the bellows"},
    {"auxiliary_pressure", "Pa", "absolute pressure in the auxiliary volume"},
    {"flow", "m3/s", "flow into the auxiliary volume, at the initial density"},
    {0}};

const kl_element_type kl_air_spring = {
    .states_relax = true,
    .name         = "air-spring",
    .help         = "air spring: bellows, auxiliary volume and the orifice between them",
    .equation     = "push = (p1 - pa) A(e), p V^n constant, q' = a sqrt(2 (p1 - p2)/rho)",
    .example   = "bag: {type: air-spring, between: [frame, car], at: [[0, 1, 0.6], [0, 1, 0.8]], "
                 "load: 60 kN, area: 0.2 m2, volume: 30 l, auxiliary: 40 l, orifice: 2 cm2}",
    .keys      = air_spring_keys,
    .outputs   = air_spring_outputs,
    .attach    = &kl_attach_pair,
    .limit     = "its bellows has no volume left; add a bump stop, or check `load` and `area`",
    .data_size = sizeof(air_spring),
    .setup     = air_spring_setup,
    .start     = air_spring_start,
    .eval      = air_spring_eval,
    .output    = air_spring_output};
