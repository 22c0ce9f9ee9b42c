/* Findings of a run for editors and code review, in SARIF (`show --sarif`). */
#ifndef HD_CLI_SARIF_H
#define HD_CLI_SARIF_H

#include "cli/counted.h"

/* The findings of what was counted, as a SARIF 2.1.0 log. */
json_t *cli_sarif(cli *c, const cli_counted *counted);

#endif
