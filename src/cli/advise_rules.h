/* heddle advise --by rules. */
#ifndef HD_CLI_ADVISE_RULES_H
#define HD_CLI_ADVISE_RULES_H

#include "cli/commands.h"

/* Returns the exit status. */
int cli_advise_by_rules(cli *c, hd_objective objective);

#endif
