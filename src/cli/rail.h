/* The tools of `klingel rail`: one file each. Their names start with "rail ". */
#ifndef KL_CLI_RAIL_H
#define KL_CLI_RAIL_H

#include "terminal/terminal.h"

extern const kl_command kl_command_rail_profile, kl_command_rail_conicity, kl_command_rail_hertz,
    kl_command_rail_creep;

#endif
