/* The source with a margin of counts, for `show`. */
#ifndef HD_CLI_MARGIN_H
#define HD_CLI_MARGIN_H

#include "cli/cli.h"
#include "cli/report/annotated.h"

typedef struct cli_margin_options {
    bool by_cost;  /* only lines with accesses, the heaviest first, of all files */
    uint64_t top;  /* of these only so many; 0: all */
    bool cut;      /* lines of source that are wider than the terminal end in "…" */
    bool coloured; /* lines that move much stand out */
} cli_margin_options;

void cli_show_margin(cli *c, const hd_annotated *annotated, const cli_margin_options *options,
                     hd_str *out);

#endif
