/* klingel contacts: gaps, contact points and normals of all contacts at the assembled start. */
#include <stdio.h>
#include <string.h>

#include "cli/analysis.h"
#include "cli/commands.h"
#include "contact/contact.h"
#include "contact/contact_group.h"
#include "contact/contact_nodes.h"
#include "contact/contact_skin.h"

typedef struct listing {
    bool csv, all;
    int  rows;
} listing;

static void print_spot(const listing *l, const char *name, const kl_spot *s)
{
    if (l->csv)
        printf("%s,%.15g,%.15g,%.15g,%.15g,%.15g,%.15g,%.15g,%.15g,%.15g,%.15g\n", name, s->gap,
               s->p1.x, s->p1.y, s->p1.z, s->p2.x, s->p2.y, s->p2.z, s->n.x, s->n.y, s->n.z);
    else
        printf("%-20s %13.6g   %10.6g %10.6g %10.6g   %10.6g %10.6g %10.6g   %8.5f %8.5f %8.5f\n",
               name, s->gap, s->p1.x, s->p1.y, s->p1.z, s->p2.x, s->p2.y, s->p2.z, s->n.x, s->n.y,
               s->n.z);
}

static void list_spots(listing *l, const char *name, const kl_spots *spots)
{
    const kl_spot *nearest = kl_spots_nearest(spots);
    for (int i = 0; i < spots->n; i++)
        if (l->all || &spots->item[i] == nearest) print_spot(l, name, &spots->item[i]), l->rows++;
}

/* Pairs of a group that are near each other, as "heap:ball1-ball2". */
static void list_group(listing *l, const kl_model *m, const kl_element *e, const kl_reading *in)
{
    kl_spots spots;
    int      marker[2];
    for (int k = 0; kl_contact_group_spots(in, k, marker, &spots); k++) {
        char name[300];
        snprintf(name, sizeof name, "%.90s:%.90s-%.90s", e->name,
                 m->body[m->marker[e->marker + marker[0]].body].name,
                 m->body[m->marker[e->marker + marker[1]].body].name);
        list_spots(l, name, &spots);
    }
}

typedef struct lister {
    const kl_element_type *type;
    void (*find)(const kl_reading *in, kl_spots *out);
} lister;

static const lister listers[] = {{&kl_contact, kl_contact_spots},
                                 {&kl_contact_on_nodes, kl_contact_nodes_spots},
                                 {&kl_contact_on_skin, kl_contact_skin_spots}};

static void list_element(listing *l, const kl_model *m, const kl_element *e, const kl_reading *in)
{
    kl_spots spots;
    if (e->type == &kl_contact_group) list_group(l, m, e, in);
    for (size_t k = 0; k < sizeof listers / sizeof *listers; k++) {
        if (listers[k].type != e->type) continue;
        listers[k].find(in, &spots);
        list_spots(l, e->name, &spots);
    }
}

static kl_status list_contacts(const kl_analysis *a, void *data, kl_diag *diag)
{
    listing *l = data;
    KL_TRY(kl_analysis_find_state(a->s, KL_AT_START, diag));
    const kl_model *m = a->l.model;
    kl_solver      *s = a->s->solver;
    KL_TRY(kl_eval_position(m, s->s, s->w));
    if (l->csv) printf("contact,gap,p1x,p1y,p1z,p2x,p2y,p2z,nx,ny,nz\n");
    else
        printf("%-20s %13s   %-32s   %-32s   %s\n", "contact", "gap [m]",
               "point of the first shape [m]", "point of the second shape [m]",
               "normal, first to second");
    for (int i = 0; i < m->nelement; i++) {
        const kl_element *e  = &m->element[i];
        kl_reading        in = kl_reading_of(m, s->s, s->w, e);
        list_element(l, m, e, &in);
    }
    if (!l->csv && l->rows == 0)
        printf("the model has no contacts; define them under `contacts:`\n");
    return KL_OK;
}

static int contacts(int argc, char **argv)
{
    kl_texts        set       = {0};
    listing         l         = {0};
    const kl_option options[] = {
        {"set", 's', "NAME=VALUE", KL_OPTION_TEXTS, &set, "set a parameter (may be repeated)"},
        {"csv", 0, NULL, KL_OPTION_FLAG, &l.csv, "print CSV"},
        {"all", 0, NULL, KL_OPTION_FLAG, &l.all, "all local minima of the gap"},
        {0},
    };
    kl_arguments rest;
    int          code = kl_options_parse(&kl_command_contacts, options, argc, argv, &rest);
    if (code == KL_OPTIONS_OK)
        code = kl_analysis_run(&kl_command_contacts, &rest, &set, list_contacts, &l);
    kl_texts_free(&set);
    return code;
}

const kl_command kl_command_contacts = {
    .name      = "contacts",
    .arguments = "MODEL.yaml",
    .summary   = "print gaps and contact points in the initial position",
    .run       = contacts,
    .help      = "  klingel contacts examples/bouncing-ball/model.yaml\n"
                 "  klingel contacts model.yaml --csv --all > gaps.csv\n\n"
                 "A negative gap is a penetration depth. The normal points from the first shape\n"
                 "of a contact to the second. Of a contact group the nearby pairs are listed,\n"
                 "for example `heap:ball1-ball2`.\n"};
