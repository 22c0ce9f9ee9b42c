/* What `cache --reuse` and `cache --compare` share: options, the analysis, and which stream is shown. */
#ifndef HD_CLI_CACHE_REUSE_H
#define HD_CLI_CACHE_REUSE_H

#include "cli/commands.h"
#include "analysis/reuse_shape.h"

typedef struct cli_reuse_options {
    cli_input input;
    const cli_options *given;
    uint64_t clusters; /* said, or those of the device */
    /* what they mean: cli_reuse_read() */
    hd_reuse_options options;
    uint64_t number;      /* of the block or cluster that is shown */
    uint64_t first, last; /* distances that are shown */
} cli_reuse_options;

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

/* cache_plot.c */

/* The option --svg: value[d] are the degrees or changes of distances up to `domain`. */
hd_status cli_reuse_svg(cli *c, const cli_reuse_options *o, const char *title, const double *value,
                        uint64_t domain);
/* The same on the terminal. */
void cli_reuse_plot(cli *c, const cli_reuse_options *o, const char *title, const double *value,
                    uint64_t domain, hd_str *out);
/* As text, CSV or JSON, and SVG. Returns an exit status. */
int cli_reuse_show(cli *c, const cli_reuse_options *o, const cli_reuse *result);

#endif
