/* What other programs and textbooks call our types: for suggestions. */
#ifndef KL_LANGUAGE_OTHER_NAMES_H
#define KL_LANGUAGE_OTHER_NAMES_H

/* Our name of what `word` names elsewhere ("prismatic": "translational"), or NULL. */
const char *kl_other_name(const char *word);

#endif
