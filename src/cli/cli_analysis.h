/* What `cost` and `advise` share: their options, and how costs are shown. */
#ifndef HD_CLI_ANALYSIS_H
#define HD_CLI_ANALYSIS_H

#include "advise/advise.h"
#include "cli/cli.h"
#include "cli/report/members.h"

/* Reads the devices and rules that the options name. */
hd_status cli_read_model(cli *c, hd_cost_options *options, const hd_device ***devices,
                         size_t *device_count);

/* A cost as a list: an entry for each degree. */
hd_value cli_cost_value(const hd_cost_vector *cost);

/* What accesses cost. */
typedef struct cli_lines {
    const hd_cost_line *lines;
    size_t count;
    const hd_cost_vector *whole; /* that they have a share in */
    const hd_device *device;     /* for hd_cost_explain() */
} cli_lines;
/* Rows for these tables. */
hd_value cli_lines_value(hd_arena *arena, cli_lines lines);
extern const hd_member cli_line_members[];  /* for JSON */
extern const hd_member cli_why_members[];   /* the same with the reason, for JSON */
extern const hd_member cli_worst_columns[]; /* share, line, access and reason */
/* Without "kept" where no line has any. */
const hd_member *cli_line_columns(const hd_cost_line *lines, size_t count);

#endif
