/* `irregularities:` of a model: from a spectrum, a band and a seed, or from a file. */
#include "railway/irregularity_resource.h"

#include <math.h>
#include <stddef.h>

#include "algebra/filter.h"
#include "store/irregularity_file.h"

/* By the word of the key `band`; NULL: all that is there, or from `shortest` to `longest`. */
static const kl_irregularity_band *const bands[] = {NULL, &kl_band_d1, &kl_band_d2, &kl_band_d3};

/* Leaves the wavelengths of a band: Butterworth's band-pass of eight poles forwards and backwards, so
 * without phase, and -6 dB at its ends. Samples are taken at even steps for it. */
static kl_status keep_band(kl_named_irregularity *p, const kl_irregularity_rows *rows,
                           const kl_setup *s)
{
    const kl_irregularity_band *band  = bands[p->band];
    double                      first = rows->s[0], length = rows->s[rows->n - 1] - first;
    int                     n    = (int)ceil(fmax(rows->n - 1, 20.0 * length / band->shortest)) + 1;
    double                  step = length / (n - 1);
    kl_irregularity_cursor *cursor = kl_arena_array(s->arena, kl_irregularity_cursor, 1);
    double                 *at     = kl_arena_array(s->arena, double, n), *v[KL_TRACK_CHANNELS];
    kl_filter               filter;
    for (int c = 0; c < KL_TRACK_CHANNELS; c++) v[c] = kl_arena_array(s->arena, double, n);
    if (!kl_arena_ok(s->arena)) return KL_E_MEMORY;
    if (length < 2.0 * band->longest)
        return kl_fail(
            s->diag, KL_E_RANGE, (kl_place){p->file.path, 0, 0},
            "the file covers %.6g m, too little for wavelengths up to %g m; use a longer "
            "file or a band of shorter waves",
            length, band->longest);
    for (int i = 0; i < n; i++) {
        kl_irregularity_value value;
        at[i] = first + i * step;
        kl_irregularity_at(p->irregularity, at[i], cursor, value);
        for (int c = 0; c < KL_TRACK_CHANNELS; c++) v[c][i] = value[c][0];
    }
    KL_TRY(kl_filter_bandpass(&filter, 4, 1.0 / band->longest, 1.0 / band->shortest, 1.0 / step));
    for (int c = 0; c < KL_TRACK_CHANNELS; c++) kl_filter_run_both_ways(&filter, v[c], n);
    return kl_irregularity_sampled(at, (const double *const *)v, n, s->place, s->arena, s->diag,
                                   &p->irregularity);
}

/* The four channels of a file, or those of the two rails. */
static kl_status from_rows(kl_named_irregularity *p, kl_irregularity_rows *from, const kl_setup *s)
{
    kl_irregularity_rows rows                 = *from;
    kl_place             place                = {p->file.path, 0, 0};
    const double        *v[KL_TRACK_CHANNELS] = {rows.value[0], rows.value[1], rows.value[2],
                                                 rows.value[3]};
    const double         factor[]             = {p->vertical, p->lateral, p->cross_level, p->gauge};
    bool                 rails                = false;
    for (int k = 4; k < KL_IRREGULARITY_COLUMNS; k++) rails = rails || rows.value[k];
    for (int c = 0; c < KL_TRACK_CHANNELS; c++) {
        if (rails && v[c])
            return kl_fail(s->diag, KL_E_FILE, place,
                           "give either the four track channels or two channels for each rail");
        for (int i = 0; v[c] && i < rows.n; i++) rows.value[c][i] *= factor[c];
    }
    if (!rails)
        return kl_irregularity_sampled(rows.s, v, rows.n, place, s->arena, s->diag,
                                       &p->irregularity);
    const double *left[2]  = {rows.value[4], rows.value[5]},
                 *right[2] = {rows.value[6], rows.value[7]};
    return kl_irregularity_of_rails(rows.s, left, right, rows.n, place, s->arena, s->diag,
                                    &p->irregularity);
}

static kl_status from_file(kl_named_irregularity *p, const kl_setup *s)
{
    kl_irregularity_rows rows;
    KL_TRY(kl_irregularity_file_read(p->file.path, s->arena, s->diag, &rows));
    double move = isnan(p->begin) ? 0.0 : p->begin - rows.s[0];
    for (int i = 0; i < rows.n; i++) rows.s[i] += move;
    KL_TRY(from_rows(p, &rows, s));
    return bands[p->band] ? keep_band(p, &rows, s) : KL_OK;
}

static kl_status from_spectrum(kl_named_irregularity *p, const kl_setup *s)
{
    kl_irregularity_rows   rows;
    kl_spectrum_table      table  = {0};
    kl_irregularity_source source = {.two_sided = p->two_sided != 0,
                                     .band      = {p->shortest, p->longest},
                                     .seed      = (unsigned long long)p->seed,
                                     .lines     = (int)p->lines,
                                     .scale = {p->vertical, p->lateral, p->cross_level, p->gauge}};
    if (bands[p->band]) source.band = *bands[p->band];
    if (p->table.path) {
        KL_TRY(kl_spectrum_file_read(p->table.path, s->arena, s->diag, &rows));
        table        = (kl_spectrum_table){.n = rows.n, .W = rows.s};
        source.table = &table;
        for (int c = 0; c < KL_TRACK_CHANNELS; c++) table.S[c] = rows.value[c];
    } else {
        source.spectrum = &kl_track_spectra[p->spectrum];
    }
    return kl_irregularity_synthesise(&source, s->place, s->arena, s->diag, &p->irregularity);
}

static kl_status from_wave(kl_named_irregularity *p, const kl_setup *s)
{
    double a[KL_TRACK_CHANNELS] = {p->amplitude * p->vertical, p->amplitude * p->lateral,
                                   p->amplitude * p->cross_level, p->amplitude * p->gauge};
    return kl_irregularity_wave(p->wavelength, a, s->arena, &p->irregularity);
}

static kl_status irregularity_setup(void *data, const kl_setup *s)
{
    kl_named_irregularity *p = data;
    if (p->file.path && p->table.path)
        return kl_fail(s->diag, KL_E_MODEL, s->place,
                       "irregularity '%s': give `file` or `table`, not both", s->name);
    if (!isnan(p->wavelength) && (p->file.path || p->table.path))
        return kl_fail(s->diag, KL_E_MODEL, s->place,
                       "irregularity '%s': give `wavelength` for one sine wave, or `%s`, not both",
                       s->name, p->file.path ? "file" : "table");
    if (!isnan(p->begin) && !p->file.path)
        return kl_fail(s->diag, KL_E_MODEL, s->place,
                       "irregularity '%s': `begin` places the first row of a `file`; use `start`",
                       s->name);
    if (!isnan(p->wavelength)) KL_TRY(from_wave(p, s));
    else KL_TRY(p->file.path ? from_file(p, s) : from_spectrum(p, s));
    if (!isnan(p->start)) kl_irregularity_start(p->irregularity, p->start, p->ramp);
    return KL_OK;
}

#define NUMBER(key_, field_, unit_, fallback_, min_, max_, help_)                                  \
    {                                                                                              \
        .name = key_, .kind = KL_KEY_NUMBER, .offset = offsetof(kl_named_irregularity, field_),    \
        .unit = unit_, .fallback = fallback_, .min = min_, .max = max_, .help = help_              \
    }

static const kl_key keys[] = {
    {.name     = "spectrum",
     .kind     = KL_KEY_WORD,
     .offset   = offsetof(kl_named_irregularity, spectrum),
     .words    = "erri-low erri-high fra-1 fra-2 fra-3 fra-4 fra-5 fra-6",
     .fallback = "erri-low",
     .help     = "ERRI B176 low or high disturbance, or an FRA class"},
    {.name     = "table",
     .kind     = KL_KEY_FILE,
     .offset   = offsetof(kl_named_irregularity, table),
     .fallback = "",
     .help     = "user-defined spectrum: columns W_rad_per_m, vertical, lateral, ... [m2/(rad/m)]"},
    {.name     = "density",
     .kind     = KL_KEY_WORD,
     .offset   = offsetof(kl_named_irregularity, two_sided),
     .words    = "one-sided two-sided",
     .fallback = "one-sided",
     .help     = "interpretation of the spectrum; two-sided doubles the variance"},
    {.name     = "band",
     .kind     = KL_KEY_WORD,
     .offset   = offsetof(kl_named_irregularity, band),
     .words    = "whole D1 D2 D3",
     .fallback = "whole",
     .help     = "wavelengths of EN 13848: D1 3 to 25 m, D2 25 to 70 m, D3 70 to 150 m; other "
                 "wavelengths of a file are removed by a filter; whole: all of a file, or from "
                 "`shortest` to `longest`"},
    NUMBER("shortest", shortest, "m", "3 m", 0.01, 1e4, "shortest wavelength (D1 begins at 3 m)"),
    NUMBER("longest", longest, "m", "150 m", 0.02, 1e5,
           "longest wavelength (D1 to 25 m, D2 to 70 m, D3 to 150 m)"),
    NUMBER("seed", seed, "1", "1", 0.0, 9e15,
           "random seed: another number gives another track with the same spectrum"),
    NUMBER("lines", lines, "1", "800", 1.0, 100000.0, "number of cosines per channel"),
    NUMBER("vertical", vertical, "1", "1", -100.0, 100.0, "factor of the vertical channel (up)"),
    NUMBER("lateral", lateral, "1", "1", -100.0, 100.0,
           "factor of the lateral channel (to the left)"),
    NUMBER("cross_level", cross_level, "1", "1", -100.0, 100.0,
           "factor of the cross level (left rail higher)"),
    NUMBER("gauge", gauge, "1", "1", -100.0, 100.0, "factor of the gauge deviation (wider)"),
    NUMBER("wavelength", wavelength, "m", "", 0.01, 1e5,
           "one sine wave of this length instead of a spectrum, for frequency responses"),
    NUMBER("amplitude", amplitude, "m", "1 mm", -1.0, 1.0,
           "amplitude of that wave, times the factor of each channel"),
    NUMBER("start", start, "m", "", -1e9, 1e9,
           "length along the track at which the irregularities begin"),
    NUMBER("ramp", ramp, "m", "20 m", 0.0, 1e6,
           "length over which they increase to their full size"),
    {.name     = "file",
     .kind     = KL_KEY_FILE,
     .offset   = offsetof(kl_named_irregularity, file),
     .fallback = "",
     .help     = "measured irregularities instead of a spectrum, columns s_m, vertical_mm, ..."},
    NUMBER("begin", begin, "m", "", -1e9, 1e9,
           "length along the track of the first row of the file, which may begin at any kilometre; "
           "default: as in the file"),
    {0}};

const kl_resource_type kl_irregularities = {
    .section = "irregularities",
    .word    = "irregularity",
    .help    = "track irregularities: deviations of the rails from their nominal position",
    .text =
        "Irregularities come from a spectrum with a band of wavelengths and a random seed, from a "
        "file,\n"
        "or are one sine wave.\n\n"
        "    irregularities:\n"
        "      rough: {spectrum: erri-high, shortest: 3 m, longest: 70 m, seed: 4, start: 20 m}\n"
        "      measured: {file: section.csv}\n"
        "      wave: {wavelength: 20 m, amplitude: 2 mm, lateral: 0, cross_level: 0, gauge: 0}\n\n"
        "Signs, looking forward: vertical up, lateral to the left, cross level with the left rail\n"
        "higher, gauge wider. The left rail is displaced by (lateral + gauge/2, vertical + cross "
        "level/2),\n"
        "the right rail by (lateral - gauge/2, vertical - cross level/2).\n",
    .example   = "{spectrum: erri-low, seed: 2}",
    .data_size = sizeof(kl_named_irregularity),
    .keys      = keys,
    .setup     = irregularity_setup};
