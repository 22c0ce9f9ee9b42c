/* What `cost` and `advise` share: their options, and how costs are shown. */
#ifndef HD_CLI_ANALYSIS_H
#define HD_CLI_ANALYSIS_H

#include "advise/advise.h"
#include "cli/cli.h"
#include "report/members.h"

typedef struct cli_model_options {
    cli_texts devices;
    const char *loops;
    uint64_t registers;
} cli_model_options;

#define CLI_MODEL_OPTIONS(choice)                                                                  \
    {"device",                                                                                     \
     'd',                                                                                          \
     "D",                                                                                          \
     "a device profile: a name that 'heddle devices' lists, a .yaml file, or the one-line form "   \
     "(may be repeated); default: " CLI_DEVICE,                                                    \
     CLI_TEXTS,                                                                                    \
     &(choice).devices},                                                                           \
        {"loops",                                                                                  \
         0,                                                                                        \
         "RULE",                                                                                   \
         "length of loops whose length is not known: peng (100), kofler (256 for a work-group, "   \
         "10^6 for an NDRange, else 512*10^3) or a number; default: peng",                         \
         CLI_TEXT,                                                                                 \
         &(choice).loops,                                                                          \
         "peng kofler"},                                                                           \
    {                                                                                              \
        "registers", 0, "N", "registers per thread; default: estimated from liveness", CLI_NUMBER, \
            &(choice).registers                                                                    \
    }

/* Reads the devices and rules that the options name. */
hd_status cli_model_options_read(cli *c, const cli_model_options *choice, hd_cost_options *options,
                                 const hd_device ***devices);
size_t cli_device_count(const cli_model_options *choice);

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
extern const hd_member cli_line_members[];  /* with their columns */
extern const hd_member cli_why_members[];   /* the same with the reason, for JSON */
extern const hd_member cli_worst_columns[]; /* share, line, access and reason */

#endif
