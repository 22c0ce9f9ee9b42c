/* What `reuse` and `reuse compare` share: options, the analysis, and which stream is shown. */
#ifndef HD_CLI_REUSE_H
#define HD_CLI_REUSE_H

#include "cli/input.h"
#include "locality/reuse_shape.h"

typedef struct cli_reuse_options {
    cli_input input;
    uint64_t scenario, k, clusters, units, element, memory, seed; /* 0: not given */
    const char *schedule, *block, *cluster, *range, *svg;
    bool all, csv;
    /* what they mean: cli_reuse_read() */
    hd_reuse_options options;
    uint64_t number;      /* of the block or cluster that is shown */
    uint64_t first, last; /* distances that are shown */
} cli_reuse_options;

#define CLI_REUSE_OPTIONS(o)                                                                      \
    {"scenario",                                                                                  \
     's',                                                                                         \
     "N",                                                                                         \
     "1 blocks one after another, 2 each block by itself, 3 all blocks of a launch at once, 4 K " \
     "blocks at once, 5 each core cluster with its load/store units, 6 the clusters together",    \
     CLI_NUMBER,                                                                                  \
     &(o).scenario},                                                                              \
        {"k", 'k', "K", "scenario 4: blocks that run at once", CLI_NUMBER, &(o).k},               \
        {"clusters", 0, "C", "scenarios 5 and 6: core clusters", CLI_NUMBER, &(o).clusters},      \
        {"units",                                                                                 \
         0,                                                                                       \
         "L",                                                                                     \
         "scenarios 5 and 6: load/store units of each cluster, a multiple or a divisor of 32",    \
         CLI_NUMBER,                                                                              \
         &(o).units},                                                                             \
        {"block", 0, "B", "scenario 2: this block", CLI_TEXT, &(o).block},                        \
        {"cluster", 0, "N", "scenario 5: this cluster", CLI_TEXT, &(o).cluster},                  \
        {"all",    0,                                                                             \
         NULL,     "scenarios 2 and 5: all blocks or clusters added up (the default)",            \
         CLI_FLAG, &(o).all},                                                                     \
        {"element", 0, "BYTES", "of an element; default: 4", CLI_NUMBER, &(o).element},           \
        {"schedule",                                                                              \
         0,                                                                                       \
         "ORDERS",                                                                                \
         "of blocks: sequential, random or sharing; of warps: round-robin or greedy; or one of "  \
         "each, such as sharing,greedy",                                                          \
         CLI_TEXT,                                                                                \
         &(o).schedule,                                                                           \
         "sequential random sharing round-robin greedy"},                                         \
        {"seed", 0, "N", "of the order random", CLI_NUMBER, &(o).seed},                           \
        {"launch", 0,                                                                             \
         "N[-M]",  "only these launches, counted from 0, every repeat as one",                    \
         CLI_TEXT, &(o).input.launch_text},                                                       \
        {"space",                                                                                 \
         0,                                                                                       \
         "SPACES",                                                                                \
         "only accesses to these: global, constant and, in scenario 2, local, separated by "      \
         "commas; default: global",                                                               \
         CLI_TEXT,                                                                                \
         &(o).input.space_text,                                                                   \
         "global local constant"},                                                                \
        {"memory",                                                                                \
         0,                                                                                       \
         "BYTES",                                                                                 \
         "that accesses may take at a time, else elements are handled in shares, and that kept "  \
         "results may take to compare; default: 1 GiB",                                           \
         CLI_NUMBER,                                                                              \
         &(o).memory},                                                                            \
        {"range", 0, "A[-B]", "show only these distances", CLI_TEXT, &(o).range}, {               \
        "svg", 0, "FILE", "write the picture as SVG, too", CLI_TEXT, &(o).svg                     \
    }

const cli_option *cli_reuse_table(cli *c, cli_reuse_options *o);

/* Reads the texts, and checks what can be checked before anything is run: the options, what
 * kind of files `paths` are, and that outputs are none of them. */
hd_status cli_reuse_read(cli *c, cli_reuse_options *o, char *const *paths, uint32_t count);
/* The part of it that is not about the analysis: how results are shown. */
hd_status cli_reuse_read_outputs(cli *c, cli_reuse_options *o, char *const *paths, uint32_t count);

/* One characteristic, and where it is from. */
typedef struct cli_reuse {
    const char *file;
    uint32_t scenario;
    const char *what;       /* "scenario 4: 8 blocks at the same time" */
    uint32_t element;       /* bytes */
    hd_reuse_stream stream; /* that is shown: one of them, or all added up */
    hd_reuse_shape shape;
    /* NULL and 0 where it was read from a result */
    const hd_reuse *reuse;
    bool is_all;              /* several streams are added up */
    hd_reuse_kernel *kernels; /* scenario 2, all blocks */
    uint32_t kernel_count;
    uint64_t launches;
    bool complete;
    cli_run run; /* of a job */
} cli_reuse;

/* Analyses o->input.path. */
hd_status cli_reuse_analyse(cli *c, cli_reuse_options *o, cli_reuse *result);

/* show_reuse.c */

/* The option --svg: value[d] are the degrees or changes of distances up to `domain`. */
hd_status cli_reuse_svg(cli *c, const cli_reuse_options *o, const char *title, const double *value,
                        uint64_t domain);
/* The same on the terminal. */
void cli_reuse_plot(cli *c, const cli_reuse_options *o, const char *title, const double *value,
                    uint64_t domain, hd_str *out);
/* As text, CSV or JSON, and SVG. Returns an exit status. */
int cli_reuse_show(cli *c, const cli_reuse_options *o, const cli_reuse *result);

/* reuse_compare.c */
int cmd_reuse_compare(cli *c, int argc, char **argv);

#endif
