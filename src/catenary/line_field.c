/* All wires of a line as one field of a results file: points at rest, how far they rise, what the
 * droppers pull. */
#include "catenary/motion.h"

kl_status kl_line_field(const kl_line *line, kl_arena *arena, kl_field *out)
{
    int n = 0, at = 0;
    for (int w = 0; w < line->nwire; w++) n += line->wire[w].n;
    double *point    = kl_arena_array(arena, double, 3 * n);
    int    *wire     = kl_arena_array(arena, int, line->nwire);
    int    *link     = kl_arena_array(arena, int, 2 * line->ndropper + 1);
    int    *point_of = kl_arena_array(arena, int, line->ndof + 1); /* by the dof of its height */
    if (!kl_arena_ok(arena)) return KL_E_MEMORY;
    for (int w = 0; w < line->nwire; w++) {
        wire[w] = line->wire[w].n;
        for (int i = 0; i < line->wire[w].n; i++, at++) {
            const double *place            = line->place + line->wire[w].dof[i];
            point_of[line->wire[w].dof[i]] = at;
            point[3 * at]                  = line->wire[w].x[i];
            point[3 * at + 1]              = line->per == 4 ? place[2] : 0.0;
            point[3 * at + 2]              = place[0];
        }
    }
    for (int j = 0; j < line->ndropper; j++) {
        link[2 * j]     = point_of[line->dropper[j].upper];
        link[2 * j + 1] = point_of[line->dropper[j].lower];
    }
    *out = (kl_field){.npoint = n,
                      .nline  = line->nwire,
                      .nlink  = line->ndropper,
                      .point  = point,
                      .line   = wire,
                      .link   = link,
                      .every  = 0.02};
    return KL_OK;
}

void kl_line_field_values(const kl_line *line, const double *d, double *rise, double *pull)
{
    for (int w = 0; w < line->nwire; w++)
        for (int i = 0; i < line->wire[w].n; i++) *rise++ = d[line->wire[w].dof[i]];
    for (int j = 0; j < line->ndropper; j++) pull[j] = kl_stepper_dropper_force(line, d, j);
}
