/* Help on the templates of vehicle parts that come with the program: from the text and comments of their files. */
#ifndef KL_CLI_HELP_TEMPLATE_H
#define KL_CLI_HELP_TEMPLATE_H

#include <stdbool.h>

#include "base/text.h"

/* Describes template `name`; false: there is none. */
bool kl_help_template(kl_text *t, const char *name);

/* One line for each template. */
void kl_help_template_list(kl_text *t);

enum { KL_HELP_TEMPLATE_NAME = 64 }; /* room for a name */

/* The nearest name, in `near`; NULL: none is near. */
const char *kl_help_template_nearest(const char *name, char near[KL_HELP_TEMPLATE_NAME]);

#endif
