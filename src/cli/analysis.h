/* What `cost` and `advise` share: their options, and how costs are shown. */
#ifndef HD_CLI_ANALYSIS_H
#define HD_CLI_ANALYSIS_H

#include "advise/advise.h"
#include "cli/cli.h"
#include "report/json.h"

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

/* "16.5M", or "(0, 3.28M)" with an entry for each degree. */
const char *cli_show_cost(hd_arena *arena, const hd_cost_vector *cost);
/* Share of a line in the whole, at the whole's highest degree. */
double cli_share(const hd_cost_line *line, const hd_cost_vector *whole);
/* "load bodies.x", "atomic counters[4 bytes]". */
const char *cli_access_name(hd_arena *arena, const hd_cost_line *line);
json_t *cli_cost_json(const hd_cost_vector *cost);
json_t *cli_cost_line_json(cli *c, const hd_cost_line *line, const hd_cost_vector *whole);

#endif
