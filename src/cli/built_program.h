/*
 * heddle apply --build: a program and what was made of it, built by the user's own command, run on the
 * machine with the same arguments, and compared in what they print, write and leave in device memory.
 */
#ifndef HD_CLI_BUILT_PROGRAM_H
#define HD_CLI_BUILT_PROGRAM_H

#include "analysis/analysis.h"
#include "cli/cli.h"

/* One of both. */
typedef struct cli_built {
    const char *name, *folder;
    hd_launch_counts counts; /* of all launches */
} cli_built;

typedef struct cli_built_program {
    cli_built both[2];                  /* the original, and the new one */
    uint32_t lines, files, allocations; /* that were compared */
    uint32_t unsteady; /* of these, those in which runs of the original differ, too */
    cli_texts differences;
} cli_built_program;

/* The folder of all of a job's sources. */
const char *cli_sources_folder(cli *c, const hd_job *job);
/* Adds the files that words of the command name, such as *.cu, to the job's sources. */
void cli_add_built_sources(cli *c, const char *command, hd_job *job);
/* Completes the folder `made`, into which `rewritten` is written, with what else lies in that of the
 * sources; builds and runs both. Where they differ is no error: result->differences. */
hd_status cli_build_program(cli *c, const char *command, const hd_job *job,
                            const hd_record_layout *layouts, uint32_t layout_count,
                            const hd_rewritten *rewritten, const cli_output *made,
                            cli_built_program *result);
void cli_show_built(cli *c, const cli_built_program *built, hd_str *out);
extern const hd_member cli_built_members[]; /* cli_built_program */

#endif
