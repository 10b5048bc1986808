/* What an element may say about its place, for help pages. */
#include "language/attach.h"
#include "language/joint_start.h"

static const kl_word_key pair_help[] = {
    {"between", "two bodies", "", NULL, "[first, second]; `crank.pin` names a marker of a body"},
    {"at", "point", "m", "the named marker",
     "in space, as the model stands at the start; two points [[..], [..]] for two ends"},
    {"axis", "axis", "", "z", "x, y, z, -x, ... or [a, b, c]; two axes where they differ"},
    {"x_axis", "axis", "", "any", "where the angle counts from; only its part normal to the axis"},
    {0}};
static const kl_word_key one_help[] = {
    {"on", "body", "", NULL, "body it acts on, or a marker of it: `crank.pin`"},
    {"at", "point", "m", "the reference point", "in space, as the model stands at the start"},
    {"axis", "axis", "", "z", "direction: x, y, z, -x, ... or [a, b, c]"},
    {0}};
static const kl_word_key joint_help[] = {
    {"of", "joint", "", "none", "joint whose frames it shares; or give `between` and `at`"},
    {"between", "two bodies", "", "none", "[first, second], instead of `of`"},
    {"at", "point", "m", "the named marker", "in space; two points [[..], [..]] for two ends"},
    {"axis", "axis", "", "z", "x, y, z, -x, ... or [a, b, c]"},
    {"x_axis", "axis", "", "any", "where the angle counts from"},
    {0}};
static const kl_word_key joints_help[] = {
    {"joints", "two joints", "", NULL, "[first, second], both listed above it"}, {0}};
static const kl_word_key set_help[] = {{"pilot", "body", "", NULL, "body that leads"},
                                       {"nodes", "bodies", "", NULL, "bodies that follow it"},
                                       {0}};

static const kl_word_key start_help[] = {
    {"between", "two bodies", "", NULL, "[first, second]; `crank.pin` names a marker of a body"},
    {"at", "point", "m", "the named marker",
     "in space, as the model stands at the start; two points [[..], [..]] for two ends"},
    {"axis", "axis", "", "z", "x, y, z, -x, ... or [a, b, c]; two axes where they differ"},
    {"x_axis", "axis", "", "any", "where the angle counts from; only its part normal to the axis"},
    {"start", "values", "", "as written",
     "start values of its coordinates and their rates, by the names of the channels; guesses, but "
     "for those that `fixed: [...]` names"},
    {0}};

static const kl_word_key follow_help[] = {
    {"body", "body", "", NULL,
     "body that follows, with its own axes, or a marker of it: `car.hook`"},
    {"at", "point", "m", "the reference point",
     "that follows; in space, as the model stands at the start"},
    {"on", "body", "", "ground", "body that carries the line or surface, or a marker of it"},
    {0}};

const kl_word_key *kl_attach_help(const kl_element_type *type)
{
    if (kl_joint_start_suits(type)) return start_help;
    static const kl_word_key *const tables[] = {
        [KL_ATTACH_PAIR] = pair_help,    [KL_ATTACH_ONE] = one_help,
        [KL_ATTACH_JOINT] = joint_help,  [KL_ATTACH_JOINTS] = joints_help,
        [KL_ATTACH_SET] = set_help,      [KL_ATTACH_SIGNALS] = NULL,
        [KL_ATTACH_FOLLOW] = follow_help};
    return tables[type->attach];
}
