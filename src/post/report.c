#include "post/report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "post/report_parts.h"
#include "post/ride.h"
#include "post/view.h"

/* ---- head ---- */

static const char style[] =
    "<style>body.report{overflow:auto;background:#fff;color:#1c242c;font:13.5px/1.5 system-ui,"
    "-apple-system,'Segoe UI','Noto Sans','Liberation Sans',sans-serif;margin:0}"
    ".report main{max-width:820px;margin:0 auto;padding:36px 28px 60px}"
    ".report h1,.report p,.report li,.report td:not(.n),.report tbody th,.report "
    "figcaption,.cards{overflow-wrap:anywhere}svg.chart{overflow:hidden}"
    ".report h1{font-size:25px;margin:0 0 4px;line-height:1.2}.report "
    "h2{font-size:16px;margin:32px "
    "0 8px;padding-bottom:4px;border-bottom:2px solid #0f6ab4}.report .sub{color:#55606c;margin:0 "
    "0 "
    "18px}.report table{border-collapse:collapse;width:100%;font-size:12.5px;margin:6px 0 14px}"
    ".report th,.report td{text-align:left;padding:3px 8px;border-bottom:1px solid #dde3e8;"
    "vertical-align:top;font-weight:400}.report th{color:#55606c}.report thead th{font-weight:600;"
    "border-bottom:1.5px solid #9aa6b2}.report "
    ".n{text-align:right;font-variant-numeric:tabular-nums;"
    "white-space:nowrap}.report td.unit{white-space:nowrap;overflow-wrap:normal}.report "
    "table.facts th{width:38%}.cards{display:grid;grid-template-columns:"
    "repeat(4,1fr);gap:10px;margin:14px 0}.card{border:1px solid "
    "#dde3e8;border-radius:8px;padding:8px "
    "12px}.card b{display:block;font-size:18px;font-weight:600;font-variant-numeric:tabular-nums}"
    ".card span{color:#55606c;font-size:12px}.good{color:#00714f}.poor{color:#a24a00}"
    "figure{margin:10px 0;break-inside:avoid}figcaption{color:#55606c;font-size:12px}"
    ".picture{position:relative;height:360px;background:#eef1f4;border-radius:8px;overflow:hidden}"
    ".picture img{width:100%;height:100%;object-fit:cover;display:block}"
    "svg.chart{width:100%;height:auto}.chart .grid{stroke:#e3e8ec;stroke-width:1}"
    ".chart .tick{font:10.5px system-ui,sans-serif;fill:#55606c}.chart .label{font:11px "
    "system-ui,sans-serif;fill:#1c242c}.chart .curve{fill:none;stroke-width:1.5;stroke-linejoin:"
    "round}pre{background:#f5f7f9;border:1px solid #dde3e8;border-radius:6px;padding:10px 12px;"
    "font:11.5px/1.45 ui-monospace,'DejaVu Sans Mono',monospace;white-space:pre-wrap;"
    "overflow-wrap:anywhere}footer{color:#55606c;font-size:12px;margin-top:36px}"
    "@media print{@page{size:A4;margin:16mm 14mm}.report main{padding:0;max-width:none}"
    ".report h2{break-after:avoid}.report tr{break-inside:avoid}.noprint{display:none}}</style>\n";

void kl_report_head(kl_report *p, const char *title)
{
    kl_text_add(&p->page,
                "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                "<meta name=\"generator\" content=\"klingel " KL_VERSION "\">\n"
                "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                "script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:\">\n"
                "<title>");
    kl_text_html(&p->page, title);
    kl_text_add(&p->page,
                "</title>\n</head>\n<body class=\"report\" data-page=\"report\">\n<main>\n<h1>");
    kl_text_html(&p->page, title);
    kl_text_add(&p->page, "</h1>\n<p class=\"sub\">");
    if (p->q->author) {
        kl_text_html(&p->page, p->q->author);
        kl_text_add(&p->page, " &middot; ");
    }
    kl_text_html(&p->page, p->q->file);
    const char *created = kl_reader_text(p->r, "created"),
               *program = kl_reader_text(p->r, "program");
    if (created) {
        kl_text_add(&p->page, " &middot; ");
        kl_text_html(&p->page, created);
    }
    if (program) {
        kl_text_add(&p->page, " &middot; ");
        kl_text_html(&p->page, program);
    }
    kl_text_add(&p->page, "</p>\n");
}

/* The picture is drawn by the viewer when the page is opened. */
void kl_report_picture(kl_report *p)
{
    if (!p->scene) return;
    kl_text_add(&p->page, "<figure><div class=\"picture\" data-time=\"%.9g\"></div></figure>\n",
                p->rows > 0 ? p->time[0] : 0.0);
}

/* A word for a shell: in quotes where it has more than letters, digits and what names hold. */
static void add_word(kl_report *p, const char *word, int n)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "._-+/=,:@%";
    char              one[2]  = "";
    bool              quoted  = n == 0 || (int)strspn(word, plain) < n;
    if (quoted) kl_text_add(&p->page, "'");
    for (int i = 0; i < n; i++) {
        one[0] = word[i];
        kl_text_html(&p->page, *one == '\'' ? "'\\''" : one);
    }
    if (quoted) kl_text_add(&p->page, "'");
}

/* How the run was called: parameters that were changed, a line of `set` each, and its end. */
static void add_call(kl_report *p, const char *file)
{
    const char *set = kl_reader_text(p->r, "set");
    double      end = kl_report_number(kl_report_kept(p, "settings"), "end_s");
    kl_text_add(&p->page, "klingel run ");
    add_word(p, file, (int)strlen(file));
    while (set && *set) {
        int n = (int)strcspn(set, "\n");
        kl_text_add(&p->page, " --set ");
        add_word(p, set, n);
        set += n + (set[n] == '\n');
    }
    if (isfinite(end)) kl_text_add(&p->page, " --end %.9g", end);
    kl_text_add(&p->page, " -o ");
}

static void add_reproduction(kl_report *p)
{
    static const char *const then[] = {"klingel report ", "klingel view "};
    const char *model = kl_reader_text(p->r, "model"), *file = kl_reader_text(p->r, "file");
    int         n = (int)strlen(p->q->file);
    kl_report_heading(p, "How to reproduce");
    kl_text_add(&p->page, "<pre>");
    add_call(p, file && *file ? file : "model.yaml");
    add_word(p, p->q->file, n);
    for (int i = 0; i < 2; i++) {
        kl_text_add(&p->page, "\n%s", then[i]);
        add_word(p, p->q->file, n);
    }
    kl_text_add(&p->page, "</pre>\n");
    if (!model || !*model) return;
    kl_text_add(&p->page, "<p>Model file:</p>\n<pre>");
    kl_text_html(&p->page, model);
    kl_text_add(&p->page, "</pre>\n");
}

/* ---- the whole ---- */

kl_status kl_report_read(kl_report *p, const kl_report_request *q)
{
    p->q    = q;
    p->r    = q->reader;
    p->rows = kl_reader_rows(p->r);
    p->time = kl_arena_array(p->arena, double, p->rows + 1);
    if (!p->time) return KL_E_MEMORY;
    KL_TRY(kl_reader_time(p->r, p->time));
    p->scene      = kl_report_kept(p, "scene");
    p->statistics = kl_report_kept(p, "statistics");
    return KL_OK;
}

static kl_status compose(kl_report *p, const kl_report_request *request)
{
    KL_TRY(kl_report_read(p, request));
    const char       *title = p->q->title ? p->q->title : kl_reader_text(p->r, "title");
    kl_report_quality q     = kl_report_quality_of(p);
    kl_report_head(p, title && *title ? title : p->q->file);
    kl_report_picture(p);
    kl_report_cards(p, &q);
    kl_report_limits(p);
    kl_report_assessments(p);
    kl_report_results(p);
    kl_report_energies(p);
    kl_report_contacts(p);
    KL_TRY(kl_ride_section(&p->page, p->r, p->time, p->rows, p->arena));
    KL_TRY(kl_stress_section(&p->page, p->q->stress, p->q->nstress));
    kl_report_fields(p);
    kl_report_model(p);
    kl_report_settings(p);
    kl_report_run(p, &q);
    kl_report_quality_figures(p);
    kl_report_warnings(p);
    add_reproduction(p);
    kl_text_add(&p->page, "<footer>Written by klingel " KL_VERSION ".</footer>\n</main>\n");
    return p->page.failed || !kl_arena_ok(p->arena) ? KL_E_MEMORY : KL_OK;
}

/* The motion at the start is all that the picture needs: one frame. */
static kl_status write_picture_data(FILE *f, const kl_report *p, kl_diag *diag)
{
    kl_view_source source = {
        .reader = p->r, .label = p->q->file, .skins = p->q->skins, .nskin = p->q->nskin};
    kl_view_options options = {.every = p->rows > 0 ? p->rows : 1, .motion_only = true};
    kl_view_summary summary;
    if (!p->scene) return KL_OK;
    KL_TRY(kl_view_write_data(f, &source, 0, &options, diag, &summary));
    return kl_view_write_viewer(f, diag);
}

kl_status kl_report_finish(FILE *f, const kl_report *p, kl_diag *diag)
{
    fwrite(p->page.data, 1, p->page.n, f);
    kl_status status = write_picture_data(f, p, diag);
    fwrite(style, 1, sizeof style - 1, f);
    fputs("</body>\n</html>\n", f);
    return status == KL_OK && ferror(f) ? KL_E_FILE : status;
}

kl_status kl_report_write(FILE *f, const kl_report_request *request, kl_diag *diag)
{
    kl_report p = {.arena = kl_arena_create()};
    if (!p.arena) return KL_E_MEMORY;
    kl_status status = compose(&p, request);
    if (status == KL_OK) status = kl_report_finish(f, &p, diag);
    kl_text_free(&p.page);
    kl_arena_destroy(p.arena);
    bool unwritten = status == KL_E_FILE && ferror(f); /* the caller knows the name of that file */
    if (status != KL_OK && !unwritten && !kl_diag_failed(diag))
        kl_fail(diag, status, (kl_place){.file = request->file}, "%s", kl_status_text(status));
    return status;
}
