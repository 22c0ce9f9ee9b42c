/* Programs that use CUDA, run with Heddle's libraries in its place (src/cuda). */
#ifndef HD_CLI_PROGRAM_H
#define HD_CLI_PROGRAM_H

#include "cli/cli.h"

/* The file that running `name` would run: found in PATH where it has no '/'. NULL: there is none. */
const char *cli_program_file(hd_arena *arena, const char *name);

/* How CUDA's runtime is in a program: not at all, as far as its file says, as a library, or linked
 * in, where nothing can take its place. */
typedef enum cli_cuda_use { CLI_NO_CUDA, CLI_CUDA_SHARED, CLI_CUDA_STATIC } cli_cuda_use;
cli_cuda_use cli_cuda_use_of(const char *file);

/* An error when this is no program, or has CUDA's runtime linked in. */
hd_status cli_check_program(cli *c, const char *name);
/* HEDDLE_DEVICE for the device that --device names, or the default. */
const char *cli_device_setting(cli *c, const hd_device *device);

/* Something that the program is to find in its environment. */
typedef struct cli_setting {
    const char *name, *value;
} cli_setting;

/* Runs words[0] with these settings, a NULL name at their end, and with Heddle's libraries before
 * all others; *how is what waitpid() says. With `quiet_output` its standard output goes to standard
 * error. Signals that ask to stop are left to the program. */
hd_status cli_run_program(cli *c, char **words, const cli_setting *settings, bool quiet_output,
                          int *how);

/* What the processes of a program leave: a file NAME.json of each in a folder. */
typedef void cli_take_results(hd_arena *arena, const json_t *results, void *user);
hd_status cli_read_results(cli *c, const char *folder, cli_take_results *take, void *user);
/* A text of a result, in the arena, and a whole number; NULL and 0 where they are not there. */
const char *cli_text_of(hd_arena *arena, const json_t *object, const char *key);
uint64_t cli_number_of(const json_t *object, const char *key);

/* ---- source_job.c: a recording over its source (docs/record.md) ---------------------------------- */

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
