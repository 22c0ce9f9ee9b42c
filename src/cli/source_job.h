/*
 * A recording over its source: what `heddle record` makes of a job whose kernels are PTX, where these
 * say which file they come from and the file compiles to the same kernels (docs/record.md).
 */
#ifndef HD_CLI_SOURCE_JOB_H
#define HD_CLI_SOURCE_JOB_H

#include "cli/cli.h"

typedef struct cli_source_job {
    const char *file; /* its name in the folder; NULL: there is none */
    uint64_t launches;
    const char *why; /* launches of the recording, or all, are not in it; NULL: none is missing */
} cli_source_job;

/* Makes FOLDER/sourceNUMBER.yaml of FOLDER/jobNUMBER.yaml, with a copy of the source. `options` are the
 * compiler's; files in them are absolute. What keeps it from that is no error: result->why. */
hd_status cli_make_source_job(cli *c, const char *folder, const char *number, const char *options,
                              cli_source_job *result);

#endif
