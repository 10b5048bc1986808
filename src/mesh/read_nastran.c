/* Nastran bulk data: the list of cards and the order in which they are done. Facts of the cards:
 * MSC Nastran Quick Reference Guide, Altair OptiStruct Reference Guide. See read_nastran.h. */
#include "mesh/read_nastran.h"

#include <string.h>

enum { FIRST, POINTS, MATERIALS, PROPERTIES, ELEMENTS, REST, PHASES };

static const char linear[] = "use the element with corner nodes only (CQUAD4, CTRIA3)";
static const char shapes[] = "use CTETRA, CHEXA, CPENTA, CQUAD4, CTRIA3, CBAR or CBEAM";
static const char tie[]    = "use RBE2, RBE3 or common nodes";
static const char mass[]   = "use CONM2";
static const char spring[] = "use CELAS2, or model it as a force of the model";

/* clang-format off */
static const bulk_kind kinds[] = {
    {"GRID", POINTS, bulk_read_grid, NULL},
    {"CTETRA", ELEMENTS, bulk_read_ctetra, NULL},
    {"CHEXA", ELEMENTS, bulk_read_chexa, NULL},
    {"CPENTA", ELEMENTS, bulk_read_cpenta, NULL},
    {"CQUAD4", ELEMENTS, bulk_read_cquad4, NULL},
    {"CQUADR", ELEMENTS, bulk_read_cquad4, NULL},
    {"CTRIA3", ELEMENTS, bulk_read_ctria3, NULL},
    {"CTRIAR", ELEMENTS, bulk_read_ctria3, NULL},
    {"CBAR", ELEMENTS, bulk_read_cbar, NULL},
    {"CBEAM", ELEMENTS, bulk_read_cbar, NULL},
    {"CORD1R", FIRST, bulk_read_frame, NULL},
    {"CORD1C", FIRST, bulk_read_frame, NULL},
    {"CORD1S", FIRST, bulk_read_frame, NULL},
    {"CORD2R", FIRST, bulk_read_frame, NULL},
    {"CORD2C", FIRST, bulk_read_frame, NULL},
    {"CORD2S", FIRST, bulk_read_frame, NULL},
    {"GRDSET", FIRST, bulk_read_grdset, NULL},
    {"PARAM", FIRST, bulk_read_param, NULL},
    {"MAT1", MATERIALS, bulk_read_mat1, NULL},
    {"MAT8", MATERIALS, bulk_read_mat8, NULL},
    {"MAT2", MATERIALS, bulk_read_mat_other, NULL},
    {"MAT3", MATERIALS, bulk_read_mat_other, NULL},
    {"MAT9", MATERIALS, bulk_read_mat_other, NULL},
    {"MAT10", MATERIALS, bulk_read_mat_other, NULL},
    {"MAT11", MATERIALS, bulk_read_mat_other, NULL},
    {"MATORT", MATERIALS, bulk_read_mat_other, NULL},
    {"PSOLID", PROPERTIES, bulk_read_psolid, NULL},
    {"PSHELL", PROPERTIES, bulk_read_pshell, NULL},
    {"PCOMP", PROPERTIES, bulk_read_pcomp, NULL},
    {"PCOMPG", PROPERTIES, bulk_read_pcompg, NULL},
    {"PBAR", PROPERTIES, bulk_read_pbar, NULL},
    {"PBARL", PROPERTIES, bulk_read_pbarl, NULL},
    {"PBEAM", PROPERTIES, bulk_read_pbeam, NULL},
    {"PBEAML", PROPERTIES, bulk_read_pbeaml, NULL},
    {"PELAS", PROPERTIES, bulk_read_pelas, NULL},
    {"PBUSH", PROPERTIES, bulk_read_pbush, NULL},
    {"CONM2", REST, bulk_read_conm2, NULL},
    {"CELAS1", REST, bulk_read_celas1, NULL},
    {"CELAS2", REST, bulk_read_celas2, NULL},
    {"CBUSH", REST, bulk_read_cbush, NULL},
    {"RBE2", REST, bulk_read_rbe2, NULL},
    {"RBE3", REST, bulk_read_rbe3, NULL},
    {"RBAR", REST, bulk_read_rbar, NULL},
    {"SET1", REST, bulk_read_set1, NULL},
    {"SET3", REST, bulk_read_set3, NULL},
    {"ASET", REST, bulk_read_aset, NULL},
    {"ASET1", REST, bulk_read_aset, NULL},
    {"BSET", REST, bulk_read_aset, NULL},
    {"BSET1", REST, bulk_read_aset, NULL},
    /* structural, and not to be used */
    {"CQUAD8", FIRST, NULL, linear},
    {"CQUAD", FIRST, NULL, linear},
    {"CTRIA6", FIRST, NULL, linear},
    {"CTRIAX6", FIRST, NULL, linear},
    {"CPYRAM", FIRST, NULL, shapes},
    {"CPYRA", FIRST, NULL, shapes},
    {"CROD", FIRST, NULL, shapes},
    {"CONROD", FIRST, NULL, shapes},
    {"CTUBE", FIRST, NULL, shapes},
    {"CBEND", FIRST, NULL, shapes},
    {"CSHEAR", FIRST, NULL, shapes},
    {"CBEAM3", FIRST, NULL, shapes},
    {"CGAP", FIRST, NULL, spring},
    {"CELAS3", FIRST, NULL, spring},
    {"CELAS4", FIRST, NULL, spring},
    {"CFAST", FIRST, NULL, spring},
    {"CWELD", FIRST, NULL, spring},
    {"GENEL", FIRST, NULL, spring},
    {"CONM1", FIRST, NULL, mass},
    {"CMASS1", FIRST, NULL, mass},
    {"CMASS2", FIRST, NULL, mass},
    {"CMASS3", FIRST, NULL, mass},
    {"CMASS4", FIRST, NULL, mass},
    {"NSM", FIRST, NULL, mass},
    {"NSM1", FIRST, NULL, mass},
    {"NSML", FIRST, NULL, mass},
    {"NSML1", FIRST, NULL, mass},
    {"RBE1", FIRST, NULL, tie},
    {"RROD", FIRST, NULL, tie},
    {"RTRPLT", FIRST, NULL, tie},
    {"RSPLINE", FIRST, NULL, tie},
    {"RJOINT", FIRST, NULL, tie},
    {"MPC", FIRST, NULL, tie},
    {"TIE", FIRST, NULL, tie},
    {"DMIG", FIRST, NULL, "give the matrices in Matrix Market form"},
};
/* clang-format on */

const bulk_kind *bulk_kind_of(const char *name, size_t n)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strlen(kinds[i].name) == n && memcmp(kinds[i].name, name, n) == 0) return &kinds[i];
    return NULL;
}

/* The name as it is written: up to the first blank, comma or star. */
static const char *written_name(bulk *b, const bulk_card *c)
{
    const char *first = c->first;
    while (first < c->last && kl_is_blank(*first)) first++;
    const char *end = first;
    while (end < c->last && *end != ',' && *end != '*' && *end != '\n' && !kl_is_blank(*end)) end++;
    return kl_quote(b->r, first, end);
}

static void list_unknown(bulk *b)
{
    for (int i = 0; i < b->ncard; i++) {
        const bulk_card *c = &b->cards[i];
        if (!c->kind) kl_import_ignore(b->r, c->t, c->first, written_name(b, c));
        else if (c->kind->advice)
            kl_unsupported(b->r, c->t, c->first, c->kind->name, "%s cannot be used here; %s",
                           c->kind->name, c->kind->advice);
    }
}

static void run_phase(bulk *b, int phase)
{
    for (int i = 0; i < b->ncard; i++) {
        bulk_card *c = &b->cards[i];
        if (!c->kind || c->kind->phase != phase || !c->kind->read) continue;
        bulk_open(b, c);
        c->kind->read(b);
    }
}

void kl_read_nastran(kl_import *r, kl_source *t)
{
    bulk b = {.r = r, .wtmass = 1.0};
    bulk_cut(&b, t);
    if (!kl_arena_ok(r->arena)) return;
    list_unknown(&b);
    if (b.begun && !b.ended)
        kl_warn(r->diag, kl_source_place(t, t->end),
                "the bulk data has no ENDDATA; check that the file is complete");
    for (int phase = FIRST; phase < PHASES && kl_arena_ok(r->arena); phase++) {
        run_phase(&b, phase);
        if (phase == POINTS) bulk_put_grids(&b);
    }
    kl_id_map_free(&b.grid_map);
}
