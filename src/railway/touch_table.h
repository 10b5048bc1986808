/* Contact search by a table: the same contacts, found from tabulated starts.
 *
 * The table holds, over lateral position, roll and yaw of the wheel, where contacts lie or nearly lie.
 * Each is a start for Newton's method on the exact equations of touch_search.h, so a contact that is
 * found has the exact place and depth; the table decides only where to look. It says how many
 * contacts of random positions it missed, and how deep they were. Outside its range the full search
 * answers. */
#ifndef KL_RAILWAY_TOUCH_TABLE_H
#define KL_RAILWAY_TOUCH_TABLE_H

#include "base/arena.h"
#include "klingel/status.h"
#include "railway/wheel_rail.h"

typedef struct kl_touch_table_error {
    int    positions, missed; /* random positions tried; contacts not found */
    double deepest;           /* of those missed [m] */
    double depth;             /* largest difference of a penetration [m] */
} kl_touch_table_error;

/* From a search made by kl_touch_search_create, for a wheel whose running circle is `half` from the
 * middle of the track. Lateral positions within 12 mm, roll within 12 mrad, yaw within 24 mrad. */
kl_status kl_touch_table_create(const kl_contact_search *search, double half, kl_arena *arena,
                                kl_contact_search *out, kl_touch_table_error *error);

#endif
