/* Contact search by tables: the same contacts at their exact places, several times faster.
 *
 * The table holds, over lateral position, roll and square of the yaw of the wheel, where contacts lie or
 * nearly lie. In cells whose corners all have the same contacts, Newton's method goes from the
 * interpolated places to the exact ones. In all other cells it does so from the places at those corners
 * that have a contact; where none is near them, or a corner has two close to each other, the search
 * follows the trace between the joints of the wheel around them, with penetrations from the rail's
 * distance grid (bicubic, to a stated error) and again exact places. Beyond the table, in the air and deep in the rail
 * the whole trace is searched. So tables decide only where to look; what can be missed is a second
 * deepest place of an overlap that appears inside a cell away from all places at its corners. */
#ifndef KL_RAILWAY_TOUCH_TABLE_H
#define KL_RAILWAY_TOUCH_TABLE_H

#include "base/arena.h"
#include "klingel/status.h"
#include "railway/wheel_rail.h"

typedef struct kl_touch_table_error {
    double distance;          /* largest error of a tabulated distance [m] */
    int    positions, missed; /* random positions tried; contacts not found */
    double lost;              /* largest share of a force that a missed contact had */
    double depth;             /* largest difference of a penetration [m] */
} kl_touch_table_error;

/* From a search made by kl_touch_search_create, whose data it shares, for a wheel whose running circle
 * is `half` from the middle of the track. Lateral positions within 12 mm, roll within 6 mrad, yaw
 * within 24 mrad; beyond them the search follows the trace. */
kl_status kl_touch_table_create(const kl_contact_search *search, double half, kl_arena *arena,
                                kl_contact_search *out);

/* Compares both at 1000 random positions of a wheel whose running circle is `half` from the middle of
 * the track: lateral positions within 8 mm, roll within 8 mrad, yaw within 24 mrad. */
void kl_touch_table_check(const kl_contact_search *search, const kl_contact_search *table,
                          double half, kl_touch_table_error *error);

#endif
