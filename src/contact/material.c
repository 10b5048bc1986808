#include "contact/material.h"

#include <string.h>

const kl_material kl_materials[] = {
    {"steel", 210e9, 0.30, 7850, "EN 1993-1-1, section 3.2.6"},
    {"cast-iron", 110e9, 0.26, 7200, "EN 1561, EN-GJL-250"},
    {"aluminium", 70e9, 0.33, 2700, "EN 1999-1-1, section 3.2.5"},
    {"bronze", 110e9, 0.34, 8800, "EN 1982, CuSn12"},
    {"concrete", 33e9, 0.20, 2400, "EN 1992-1-1, table 3.1, C30/37"},
    {"asphalt", 5e9, 0.35, 2350, "AASHTO 1993, dense mix near 20 C"},
    {"rubber", 5e6, 0.49, 1100, "Gent, Engineering with Rubber, 60 Shore A"},
    {"nylon", 2.8e9, 0.39, 1140, "ISO 16396, PA 66 dry"},
    {"oak", 12e9, 0.35, 690, "EN 338, D30, along the grain"},
    {"ice", 9.3e9, 0.33, 917, "Petrovic 2003, near -10 C"},
    {"glass", 70e9, 0.22, 2500, "EN 572-1"},
    {NULL, 0, 0, 0, NULL},
};

#define MARKS "Marks' Standard Handbook, table of friction coefficients"
const kl_material_pair kl_material_pairs[] = {
    {"steel-steel", "steel", "steel", 0.74, 0.57, MARKS},
    {"steel-cast-iron", "steel", "cast-iron", 0.40, 0.23, MARKS},
    {"steel-aluminium", "steel", "aluminium", 0.61, 0.47, MARKS},
    {"steel-bronze", "steel", "bronze", 0.51, 0.44, MARKS},
    {"steel-nylon", "steel", "nylon", 0.40, 0.30, MARKS},
    {"steel-rubber", "steel", "rubber", 0.90, 0.70, "Gent, Engineering with Rubber"},
    {"steel-ice", "steel", "ice", 0.03, 0.02, MARKS},
    {"steel-concrete", "steel", "concrete", 0.60, 0.45, "Rabbat and Russell 1985"},
    {"rubber-asphalt", "rubber", "asphalt", 0.90, 0.75, "Wong, Theory of Ground Vehicles"},
    {"rubber-concrete", "rubber", "concrete", 0.90, 0.80, "Wong, Theory of Ground Vehicles"},
    {"oak-oak", "oak", "oak", 0.62, 0.48, MARKS},
    {"glass-glass", "glass", "glass", 0.94, 0.40, MARKS},
    {NULL, NULL, NULL, 0, 0, NULL},
};

const char *const kl_material_words =
    "steel-steel steel-cast-iron steel-aluminium steel-bronze steel-nylon steel-rubber steel-ice "
    "steel-concrete rubber-asphalt rubber-concrete oak-oak glass-glass";

const kl_material *kl_material_find(const char *name)
{
    for (const kl_material *m = kl_materials; m->name; m++)
        if (strcmp(m->name, name) == 0) return m;
    return NULL;
}
