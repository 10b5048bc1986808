/* The list of subcommands: one file each, one line each in main.c. */
#ifndef KL_CLI_COMMANDS_H
#define KL_CLI_COMMANDS_H

#include "terminal/terminal.h"

/* In the order of main.c. */
extern const kl_command kl_command_run, kl_command_check, kl_command_list, kl_command_help;
extern const kl_command kl_command_fe, kl_command_track, kl_command_rail, kl_command_catenary;
extern const kl_command kl_command_statics, kl_command_kinematics, kl_command_inverse;
extern const kl_command kl_command_modes, kl_command_locus, kl_command_sweep, kl_command_contacts;
extern const kl_command kl_command_critical_speed, kl_command_vehicle;
extern const kl_command kl_command_schema, kl_command_new, kl_command_demo, kl_command_doctor;
extern const kl_command kl_command_export, kl_command_plot, kl_command_view, kl_command_report,
    kl_command_repair, kl_command_stress, kl_command_assess, kl_command_psd, kl_command_compare;

/* All commands, in the order a user meets them, ended by NULL: main.c */
extern const kl_command *const kl_commands[];

#endif
