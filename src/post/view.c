#include "post/view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "post/pack.h"
#include "post/viewer_assets.h"
#include "results/fields.h"

enum {
    MOST_VALUES       = 12000000, /* of motion, and again of the rest: 48 MB each in the browser */
    BLOCK_VALUES      = 1 << 19,  /* 2 MB are unpacked at a time, when they are asked for */
    MOST_TRACK_POINTS = 20000,
    STRIP_VALUES      = 1 << 19, /* 4 MB of doubles are read at a time */
};

/* A channel on its way into the page. */
typedef struct column {
    bool   motion; /* a coordinate that the scene needs */
    int    block, place;
    double low, high, offset;
    float *values; /* of its base */
} column;

/* Rows that are kept: 0, every, 2 every, ... */
typedef struct base {
    int every, n;
} base;

typedef struct packing {
    kl_reader *r;
    int        rows, nchannel, nblock;
    base       motion, rest;
    column    *columns;
    float     *store; /* all values, column after column */
    double    *strip;
    int       *all; /* numbers of the channels that go into the page */
    int        strip_rows;
} packing;

/* ---- which values ---- */

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), k = strlen(end);
    return n > k && strcmp(text + n - k, end) == 0;
}

/* A modal coordinate: NAME.w.12 */
static bool is_modal(const char *name)
{
    size_t n = strlen(name), k = n;
    while (k > 0 && name[k - 1] >= '0' && name[k - 1] <= '9') k--;
    return k < n && k > 3 && strncmp(name + k - 3, ".w.", 3) == 0;
}

static bool is_motion(const kl_channel_info *c)
{
    static const char *const ends[] = {".position.x",    ".position.y",    ".position.z",
                                       ".orientation.0", ".orientation.1", ".orientation.2",
                                       ".orientation.3"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (!c->own && ends_with(c->name, ends[i])) return true;
    return !c->own && is_modal(c->name);
}

/* The smallest stride that keeps `columns` within the budget. */
static int stride_for(int rows, int columns)
{
    double values = (double)rows * (double)columns;
    return values <= MOST_VALUES ? 1 : (int)ceil(values / MOST_VALUES);
}

static base base_of(int rows, int every)
{
    return (base){.every = every, .n = rows > 0 ? (rows - 1) / every + 1 : 0};
}

static void choose_bases(packing *p, int every)
{
    int motion = 0;
    for (int i = 0; i < p->nchannel; i++) motion += p->columns[i].motion;
    int fine  = every ? every : stride_for(p->rows, motion);
    int more  = every ? 1 : stride_for(p->rows / fine + 1, p->nchannel - motion);
    p->motion = base_of(p->rows, fine);
    p->rest   = base_of(p->rows, fine * more); /* a multiple, so both share the times */
}

static const base *base_for(const packing *p, const column *c)
{
    return c->motion ? &p->motion : &p->rest;
}

/* Motion first, so that the page can move before the rest is unpacked. */
static kl_status lay_out(packing *p)
{
    size_t total = 0, filled = 0;
    for (int pass = 0; pass < 2; pass++) {
        int block = p->nblock, in_block = 0;
        for (int i = 0; i < p->nchannel; i++) {
            column     *c = &p->columns[i];
            const base *b = base_for(p, c);
            if (c->motion != (pass == 0)) continue;
            if (in_block > 0 && (double)(in_block + 1) * b->n > BLOCK_VALUES) {
                block++;
                in_block = 0;
            }
            c->block = block;
            c->place = in_block++;
            total += (size_t)b->n;
        }
        p->nblock = in_block > 0 ? block + 1 : block;
    }
    p->store = malloc((total + 1) * sizeof *p->store);
    if (!p->store) return KL_E_MEMORY;
    /* columns of a block are adjacent */
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < p->nchannel; i++) {
            column *c = &p->columns[i];
            if (c->motion != (pass == 0)) continue;
            c->values = p->store + filled;
            filled += (size_t)base_for(p, c)->n;
        }
    return KL_OK;
}

/* ---- reading, twice: ranges first, then what is kept ---- */

typedef void (*strip_user)(packing *p, int row0, int nrow);

static kl_status for_strips(packing *p, strip_user use)
{
    for (int row = 0; row < p->rows; row += p->strip_rows) {
        int n = p->rows - row < p->strip_rows ? p->rows - row : p->strip_rows;
        KL_TRY(kl_reader_block(p->r, p->all, p->nchannel, row, n, p->strip));
        use(p, row, n);
    }
    return KL_OK;
}

static void find_ranges(packing *p, int row0, int nrow)
{
    (void)row0;
    for (int k = 0; k < nrow; k++)
        for (int i = 0; i < p->nchannel; i++) {
            double  v = p->strip[(size_t)k * (size_t)p->nchannel + (size_t)i];
            column *c = &p->columns[i];
            if (!isfinite(v)) continue;
            if (v < c->low) c->low = v;
            if (v > c->high) c->high = v;
        }
}

static void keep_values(packing *p, int row0, int nrow)
{
    for (int k = 0; k < nrow; k++)
        for (int i = 0; i < p->nchannel; i++) {
            column     *c = &p->columns[i];
            const base *b = base_for(p, c);
            if ((row0 + k) % b->every != 0) continue;
            double v = p->strip[(size_t)k * (size_t)p->nchannel + (size_t)i];
            c->values[(row0 + k) / b->every] = (float)(v - c->offset);
        }
}

/* 32 bits hold seven digits: a value that changes little is kept as its change. */
static void choose_offsets(packing *p)
{
    for (int i = 0; i < p->nchannel; i++) {
        column *c   = &p->columns[i];
        double  mid = 0.5 * (c->low + c->high);
        c->offset   = c->low <= c->high && c->high - c->low < 0.05 * fabs(mid) ? mid : 0.0;
    }
}

static void packing_free(packing *p)
{
    free(p->columns);
    free(p->store);
    free(p->strip);
    free(p->all);
}

static kl_status choose_channels(packing *p, bool motion_only)
{
    int n      = kl_reader_channels(p->r);
    p->columns = calloc((size_t)n + 1, sizeof *p->columns);
    p->all     = calloc((size_t)n + 1, sizeof *p->all);
    if (!p->columns || !p->all) return KL_E_MEMORY;
    for (int i = 0; i < n; i++) {
        bool motion = is_motion(kl_reader_channel(p->r, i));
        if (motion_only && !motion) continue;
        p->columns[p->nchannel] = (column){.motion = motion, .low = HUGE_VAL, .high = -HUGE_VAL};
        p->all[p->nchannel++]   = i;
    }
    return KL_OK;
}

static kl_status packing_fill(packing *p, kl_reader *r, const kl_view_options *options)
{
    p->r    = r;
    p->rows = kl_reader_rows(r);
    KL_TRY(choose_channels(p, options->motion_only));
    int fitting   = p->nchannel > 0 ? STRIP_VALUES / p->nchannel : 1;
    p->strip_rows = fitting > 1 ? fitting : 1;
    p->strip      = malloc(((size_t)p->nchannel * (size_t)p->strip_rows + 1) * sizeof *p->strip);
    if (!p->strip) return KL_E_MEMORY;
    choose_bases(p, options->every);
    KL_TRY(lay_out(p));
    KL_TRY(for_strips(p, find_ranges));
    choose_offsets(p);
    return for_strips(p, keep_values);
}

/* ---- writing ---- */

/* JSON knows no infinity. */
static void add_number(kl_text *t, double value)
{
    if (isfinite(value)) kl_text_number(t, value);
    else kl_text_add(t, "null");
}

/* JSON of ours that came through a file: taken as it is, or null. */
static void add_kept_json(kl_text *t, kl_reader *r, const char *name)
{
    const char *text = kl_reader_text(r, name);
    kl_text_add(t, ", \"%s\": ", name);
    if (text) kl_text_json(t, text);
    else kl_text_add(t, "null");
}

static void add_channels(kl_text *t, const packing *p)
{
    kl_text_add(t, ", \"channels\": [");
    for (int i = 0; i < p->nchannel; i++) {
        const kl_channel_info *c = kl_reader_channel(p->r, p->all[i]);
        const column          *k = &p->columns[i];
        kl_text_add(t, "%s{\"name\": ", i ? ",\n" : "");
        kl_text_json(t, c->name);
        kl_text_add(t, ", \"unit\": ");
        kl_text_json(t, c->unit);
        kl_text_add(t, ", \"about\": ");
        kl_text_json(t, c->description);
        kl_text_add(t, ", \"own\": %s, \"base\": %d, \"block\": %d, \"place\": %d, \"offset\": ",
                    c->own ? "true" : "false", k->motion ? 0 : 1, k->block, k->place);
        add_number(t, k->offset);
        kl_text_add(t, ", \"low\": ");
        add_number(t, k->low);
        kl_text_add(t, ", \"high\": ");
        add_number(t, k->high);
        kl_text_add(t, "}");
    }
    kl_text_add(t, "]");
}

static void add_points(kl_text *t, const char *name, const double *x, int n, int every)
{
    kl_text_add(t, ", \"%s\": [", name);
    for (int i = 0; i < n; i += every)
        kl_text_add(t, "%s[%.7g, %.7g, %.7g]", i ? ", " : "", x[3 * i], x[3 * i + 1], x[3 * i + 2]);
    kl_text_add(t, "]");
}

void kl_view_add_tracks(kl_text *t, const kl_track_points *list, int n)
{
    kl_text_add(t, ", \"tracks\": [");
    for (int i = 0; i < n; i++) {
        int every = list[i].n / MOST_TRACK_POINTS + 1;
        kl_text_add(t, "%s{\"name\": ", i ? ", " : "");
        kl_text_json(t, list[i].name);
        kl_text_add(t, ", \"gauge\": %.9g", list[i].gauge);
        add_points(t, "position", list[i].position, list[i].n, every);
        add_points(t, "normal", list[i].normal, list[i].n, every);
        kl_text_add(t, "}");
    }
    kl_text_add(t, "]");
}

/* Fields: points, lines and links in the head, times and values as blocks of their own. */
static void add_fields(kl_text *t, kl_reader *r)
{
    int                    n    = 0;
    const kl_field_points *list = kl_reader_fields(r, &n);
    kl_text_add(t, ", \"fields\": [");
    for (int i = 0; i < n; i++) {
        const kl_field_points *f = &list[i];
        kl_text_add(t, "%s{\"name\": ", i ? ", " : "");
        kl_text_json(t, f->name);
        kl_text_add(t, ", \"rows\": %d, \"width\": %d", f->rows, f->width);
        add_points(t, "point", f->point, f->npoint, 1);
        kl_text_add(t, ", \"line\": [");
        for (int k = 0; k < f->nline; k++) kl_text_add(t, "%s%d", k ? ", " : "", f->line[k]);
        kl_text_add(t, "], \"link\": [");
        for (int k = 0; k < 2 * f->nlink; k++) kl_text_add(t, "%s%d", k ? ", " : "", f->link[k]);
        kl_text_add(t, "], \"triangle\": [");
        for (int k = 0; k < 3 * f->ntriangle; k++)
            kl_text_add(t, "%s%d", k ? ", " : "", f->triangle[k]);
        kl_text_add(t, "], \"value\": [");
        for (int k = 0; k < f->nvalue; k++) {
            kl_text_add(t, "%s{\"name\": ", k ? ", " : "");
            kl_text_json(t, f->value_name[k]);
            kl_text_add(t, ", \"unit\": ");
            kl_text_json(t, f->value_unit[k]);
            kl_text_add(t, "}");
        }
        kl_text_add(t, "]}");
    }
    kl_text_add(t, "]");
}

/* Values of one field, a row at a time: rise, further values, then pull, as floats. */
static kl_status field_floats(kl_reader *r, const kl_field_points *f, float *out)
{
    int       moves = (f->width + f->nvalue) * f->npoint, n = moves + f->nlink;
    double   *row    = malloc(((size_t)n + 1) * sizeof *row);
    kl_status status = row ? KL_OK : KL_E_MEMORY;
    for (int i = 0; status == KL_OK && i < f->rows; i++) {
        status = kl_reader_field(r, f, i, 1, NULL, row, row + moves);
        for (int k = 0; k < n; k++) out[(size_t)i * (size_t)n + (size_t)k] = (float)row[k];
    }
    free(row);
    return status;
}

static kl_status write_field(FILE *f, kl_reader *r, const kl_field_points *p, int index, int number,
                             size_t *written)
{
    size_t         n = (size_t)p->rows * (size_t)((p->width + p->nvalue) * p->npoint + p->nlink);
    float         *values = malloc((n + 1) * sizeof *values);
    unsigned char *planes = malloc(4 * n + 1);
    double        *time   = malloc(((size_t)p->rows + 1) * sizeof *time);
    char           name[32];
    kl_status      status = values && planes && time ? field_floats(r, p, values) : KL_E_MEMORY;
    if (status == KL_OK && p->rows > 0)
        status = kl_reader_field(r, p, 0, p->rows, time, NULL, NULL);
    snprintf(name, sizeof name, "fieldtime%d", number);
    if (status == KL_OK)
        status = kl_view_write_doubles(f, index, name, time, (size_t)p->rows, written);
    snprintf(name, sizeof name, "field%d", number);
    if (status == KL_OK) kl_pack_planes(values, n, planes);
    if (status == KL_OK) status = kl_view_write_block(f, index, name, planes, 4 * n, written);
    free(values), free(planes), free(time);
    return status;
}

static kl_status write_fields(FILE *f, kl_reader *r, int index, size_t *written)
{
    int                    n    = 0;
    const kl_field_points *list = kl_reader_fields(r, &n);
    for (int i = 0; i < n; i++) KL_TRY(write_field(f, r, &list[i], index, i, written));
    return KL_OK;
}

static void add_tracks(kl_text *t, kl_reader *r)
{
    int                    n    = 0;
    const kl_track_points *list = kl_reader_tracks(r, &n);
    kl_view_add_tracks(t, list, n);
}

static void head_json(kl_text *t, const packing *p, const char *label, const char *skins)
{
    static const char *const texts[] = {"title",   "file",    "model",      "scene", "settings",
                                        "program", "created", "statistics", "status"};
    kl_text_add(t, "{\"format\": \"klingel-view\", \"version\": 1, \"label\": ");
    kl_text_json(t, label);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) add_kept_json(t, p->r, texts[i]);
    kl_text_add(t, ", \"unfinished\": %s, \"rows\": %d, \"bases\": [",
                kl_reader_unfinished(p->r) ? "true" : "false", p->rows);
    kl_text_add(t, "{\"every\": %d, \"n\": %d}, {\"every\": %d, \"n\": %d}], \"blocks\": %d",
                p->motion.every, p->motion.n, p->rest.every, p->rest.n, p->nblock);
    add_channels(t, p);
    add_tracks(t, p->r);
    add_fields(t, p->r);
    kl_text_add(t, ", \"skins\": %s}", skins);
}

kl_status kl_view_write_block(FILE *f, int index, const char *name, const void *bytes, size_t n,
                              size_t *written)
{
    fprintf(f, "<script type=\"text/plain\" id=\"k%d-%s\">", index, name);
    kl_status status = kl_pack_write(f, bytes, n, written);
    fputs("</script>\n", f);
    return status;
}

/* The skins are in front of the head, which counts them. */
static kl_status write_head(FILE *f, const packing *p, int index, const kl_view_source *source,
                            size_t *written)
{
    kl_text   t = {0}, skins = {0};
    kl_status status = kl_view_write_skins(f, index, source->skins, source->nskin, &skins, written);
    if (status == KL_OK) head_json(&t, p, source->label, skins.data);
    kl_text_free(&skins);
    if (status == KL_OK)
        status =
            t.failed ? KL_E_MEMORY : kl_view_write_block(f, index, "head", t.data, t.n, written);
    kl_text_free(&t);
    return status;
}

kl_status kl_view_write_doubles(FILE *f, int index, const char *name, const double *values,
                                size_t n, size_t *written)
{
    unsigned char *bytes = malloc(8 * n + 1);
    if (!bytes) return KL_E_MEMORY;
    for (size_t i = 0; i < n; i++) {
        unsigned long long bits;
        memcpy(&bits, &values[i], 8);
        for (size_t k = 0; k < 8; k++) bytes[8 * i + k] = (unsigned char)(bits >> (8 * k));
    }
    kl_status status = kl_view_write_block(f, index, name, bytes, 8 * n, written);
    free(bytes);
    return status;
}

/* Rows that the page cannot place: those whose time is no number or before that of a row shown. */
static int count_backward(const double *time, int n)
{
    double last = -HUGE_VAL;
    int    bad  = 0;
    for (int i = 0; i < n; i++)
        if (isfinite(time[i]) && time[i] >= last) last = time[i];
        else bad++;
    return bad;
}

/* Whether the scene is one object with its lists, not cut off: brackets outside strings close. The page reads the rest. */
static bool scene_whole(const char *s)
{
    int  depth  = 0;
    bool quoted = false;
    if (*s != '{' || !strstr(s, "\"bodies\"") || !strstr(s, "\"elements\"")) return false;
    for (; *s; s++) {
        if (quoted && *s == '\\' && s[1]) s++;
        else if (*s == '"') quoted = !quoted;
        else if (!quoted) depth += (*s == '{' || *s == '[') - (*s == '}' || *s == ']');
        if (depth == 0) break;
    }
    return depth == 0 && *s && s[1 + strspn(s + 1, " \n\r\t")] == '\0';
}

static kl_status write_time(FILE *f, const packing *p, int index, size_t *written, int *backward)
{
    double   *time   = malloc(((size_t)p->rows + 1) * sizeof *time);
    kl_status status = time ? kl_reader_time(p->r, time) : KL_E_MEMORY;
    *backward        = status == KL_OK ? count_backward(time, p->rows) : 0;
    for (int i = 0; status == KL_OK && i < p->motion.n; i++) time[i] = time[i * p->motion.every];
    if (status == KL_OK)
        status = kl_view_write_doubles(f, index, "time", time, (size_t)p->motion.n, written);
    free(time);
    return status;
}

kl_status kl_view_write_skins(FILE *f, int index, const kl_skin *skins, int n, kl_text *list,
                              size_t *written)
{
    kl_text_add(list, "[");
    for (int i = 0; i < n; i++) {
        char   name[24];
        size_t size = 0;
        if (i) kl_text_add(list, ", ");
        unsigned char *bytes = kl_skin_pack(&skins[i], list, &size);
        snprintf(name, sizeof name, "skin%d", i);
        kl_status status =
            bytes ? kl_view_write_block(f, index, name, bytes, size, written) : KL_E_MEMORY;
        free(bytes);
        KL_TRY(status);
    }
    kl_text_add(list, "]");
    return list->failed ? KL_E_MEMORY : KL_OK;
}

static kl_status write_blocks(FILE *f, const packing *p, int index, size_t *written)
{
    for (int block = 0, done = 0; block < p->nblock; block++, done = 0) {
        /* columns of one block are adjacent in the store: count them */
        const float *first = NULL;
        int          n     = 0;
        for (int i = 0; i < p->nchannel; i++)
            if (p->columns[i].block == block) {
                if (p->columns[i].place == 0) first = p->columns[i].values;
                n    = base_for(p, &p->columns[i])->n;
                done = p->columns[i].place >= done ? p->columns[i].place + 1 : done;
            }
        size_t         total  = (size_t)n * (size_t)done;
        unsigned char *planes = malloc(4 * total + 1);
        char           name[16];
        if (!planes) return KL_E_MEMORY;
        for (int c = 0; c < done && first; c++)
            kl_pack_planes(first + (size_t)c * (size_t)n, (size_t)n,
                           planes + 4 * (size_t)c * (size_t)n);
        snprintf(name, sizeof name, "%d", block);
        kl_status status = kl_view_write_block(f, index, name, planes, 4 * total, written);
        free(planes);
        KL_TRY(status);
    }
    return KL_OK;
}

kl_status kl_view_write_data(FILE *f, const kl_view_source *source, int index,
                             const kl_view_options *options, kl_diag *diag,
                             kl_view_summary *summary)
{
    packing     p        = {0};
    size_t      bytes    = 0;
    int         backward = 0;
    const char *scene    = kl_reader_text(source->reader, "scene");
    kl_status   status   = packing_fill(&p, source->reader, options);
    if (status == KL_OK) status = write_head(f, &p, index, source, &bytes);
    if (status == KL_OK) status = write_time(f, &p, index, &bytes, &backward);
    if (status == KL_OK) status = write_blocks(f, &p, index, &bytes);
    if (status == KL_OK) status = write_fields(f, source->reader, index, &bytes);
    int bodies = 0;
    for (int i = 0; p.columns && i < p.nchannel; i++)
        bodies += p.columns[i].motion &&
                  ends_with(kl_reader_channel(source->reader, p.all[i])->name, ".position.x");
    *summary = (kl_view_summary){.rows         = p.rows,
                                 .bodies       = bodies,
                                 .channels     = p.nchannel,
                                 .frames       = p.motion.n,
                                 .frame_every  = p.motion.every,
                                 .samples      = p.rest.n,
                                 .sample_every = p.rest.every,
                                 .backward     = backward,
                                 .bad_scene    = scene && *scene && !scene_whole(scene),
                                 .bytes        = bytes};
    packing_free(&p);
    if (status == KL_E_MEMORY && !kl_diag_failed(diag))
        kl_fail(
            diag, status, (kl_place){.file = source->label},
            "there is not enough memory for %d rows of %d channels; keep fewer rows with --every N",
            kl_reader_rows(source->reader), kl_reader_channels(source->reader));
    bool unwritten = status == KL_E_FILE && ferror(f); /* the caller knows the name of that file */
    if (status != KL_OK && !unwritten && !kl_diag_failed(diag))
        kl_fail(diag, status, (kl_place){.file = source->label}, "%s", kl_status_text(status));
    return status;
}

kl_status kl_view_write_viewer(FILE *f, kl_diag *diag)
{
    if (kl_viewer_script_size == 0)
        return kl_fail(diag, KL_E_USAGE, KL_NOWHERE,
                       "this program was built without the viewer (KL_VIEWER=OFF); install Node.js "
                       "with npm and build again with -DKL_VIEWER=ON");
    fputs("<style>", f);
    fwrite(kl_viewer_style, 1, kl_viewer_style_size, f);
    fputs("</style>\n<script type=\"module\">", f);
    fwrite(kl_viewer_script, 1, kl_viewer_script_size, f);
    fputs("</script>\n", f);
    return ferror(f) ? KL_E_FILE : KL_OK;
}

void kl_view_write_head(FILE *f, const char *title, const char *kind)
{
    kl_text t = {0};
    kl_text_html(&t, title && *title ? title : "Klingel");
    fprintf(f,
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
            "<meta name=\"generator\" content=\"klingel " KL_VERSION "\">\n"
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
            "script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:%s\">\n"
            "<link rel=\"icon\" href=\"data:,\">\n"
            "<title>%s</title>\n</head>\n<body data-page=\"%s\">\n"
            "<noscript>This page shows results of a simulation and needs JavaScript.</noscript>\n",
            strcmp(kind, "live") == 0 ? "; connect-src 'self'" : "", t.data ? t.data : "Klingel",
            kind);
    kl_text_free(&t);
}

kl_status kl_view_write_end(FILE *f, kl_diag *diag)
{
    KL_TRY(kl_view_write_viewer(f, diag));
    fputs("</body>\n</html>\n", f);
    return ferror(f) ? KL_E_FILE : KL_OK;
}

kl_status kl_view_write(FILE *f, const kl_view_source *sources, int n,
                        const kl_view_options *options, kl_diag *diag, kl_view_summary *summary)
{
    kl_status status = KL_OK;
    kl_view_write_head(f, n > 0 ? kl_reader_text(sources[0].reader, "title") : NULL, "view");
    for (int i = 0; i < n && status == KL_OK; i++)
        status = kl_view_write_data(f, &sources[i], i, options, diag, &summary[i]);
    return status == KL_OK ? kl_view_write_end(f, diag) : status;
}
