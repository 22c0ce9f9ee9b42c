/* Programs that use CUDA or OpenCL, run with Heddle's libraries in their places (src/cuda, src/opencl). */
#ifndef HD_CLI_PROGRAM_H
#define HD_CLI_PROGRAM_H

#include "analysis/analysis.h"
#include "cli/cli.h"

/* The file that running `name` would run: found in PATH where it has no '/'. NULL: there is none. */
const char *cli_program_file(hd_arena *arena, const char *name);

/* How CUDA's runtime is in a program: not at all, as far as its file says, as a library, linked in, or
 * linked in without symbols, by which Heddle's finds its functions (src/cuda/linked). */
typedef enum cli_cuda_use {
    CLI_NO_CUDA,
    CLI_CUDA_SHARED,
    CLI_CUDA_STATIC,
    CLI_CUDA_STRIPPED
} cli_cuda_use;
cli_cuda_use cli_cuda_use_of(const char *file);

/* Whether the program asks for HIP's runtime. */
bool cli_uses_hip(const char *file);

/* An error when this is no program, or one whose CUDA nothing can take the place of. */
hd_status cli_check_program(cli *c, const char *name);
/* HEDDLE_DEVICE for the device that --device names, or the default. */
const char *cli_device_setting(cli *c, const hd_device *device);

/* Something that the program is to find in its environment. */
typedef struct cli_setting {
    const char *name, *value;
} cli_setting;

/* words[0] with these settings, a NULL name at their end. */
typedef struct cli_program_run {
    char **words;
    const cli_setting *settings;
    bool is_opencl;              /* what it has of CUDA stays as it is, and there must be a layer */
    bool quiet_output;           /* its standard output goes to standard error */
    const char *folder;          /* that it runs in; NULL: this one */
    const char *output, *errors; /* files for what it prints; NULL: where this program prints */
} cli_program_run;

/* Runs it with Heddle's libraries before all others, and its platform where there is no OpenCL device; *how is what waitpid() says. Signals that ask to
 * stop are left to the program, and handed on to it. */
hd_status cli_run_program(cli *c, const cli_program_run *run, int *how);
/* The status that it ended with, -1 for a signal; what is not 0 is a warning. */
int32_t cli_ended(cli *c, const char *program, int how);
/* It ended by a signal that asks for it: SIGINT, SIGTERM, SIGHUP. */
bool cli_was_stopped(int how);
/* Counts as the libraries write them. */
hd_launch_counts cli_counts_of(const json_t *object);

/* What the processes of a program leave: a file NAME.json of each in a folder. */
typedef void cli_take_results(hd_arena *arena, const json_t *results, void *user);
hd_status cli_read_results(cli *c, const char *folder, cli_take_results *take, void *user);
/* A text of a result, in the arena, and a whole number; NULL and 0 where they are not there. */
const char *cli_text_of(hd_arena *arena, const json_t *object, const char *key);
uint64_t cli_number_of(const json_t *object, const char *key);

/* ---- source_job.c: a recording over its source (docs/record.md) ---------------------------------- */

typedef struct cli_source_job {
    const char *file; /* its name in the folder; NULL: there is none */
    const char *path; /* of the source */
    uint64_t launches;
    bool has_records; /* some buffer holds structs */
    const char *why;  /* launches of the recording, or all, are not in it; NULL: none is missing */
} cli_source_job;

/* Makes FOLDER/sourceNUMBER.yaml of FOLDER/jobNUMBER.yaml, with a copy of the source. Of `given` are the
 * compiler's options, in which files are absolute, and sources. What keeps it from that is no error:
 * result->why. */
hd_status cli_make_source_job(cli *c, const char *folder, const char *number,
                              const cli_source *given, cli_source_job *result);
/* Makes the job of a recording whose program has ended, or goes on, without `heddle record`: it has left
 * PATH.head and what goes with that. Does nothing where the job is there, or no such thing. */
hd_status cli_finish_recording(cli *c, const char *path);
/* recorded_headers.c: copies the headers that the kernels include from the folders of -I into folders
 * include-N beside them; *placed are the options that look there first. */
hd_status cli_copy_headers(cli *c, const char *folder, const char *kernels, const char *options,
                           const char **placed);
/* The recording of an OpenCL program, whose kernels are its source, is made such a job itself. */
hd_status cli_make_opencl_job(cli *c, const char *folder, const char *number,
                              cli_source_job *result);
/* Says in all of these jobs what the program's own files are, and how it was run. */
hd_status cli_add_sources(cli *c, const char *folder, const cli_source_job *jobs, size_t count,
                          const cli_source *given, char **program);
/* A file that may have a program's main(), by its name. */
bool cli_is_host_code(const char *path);
/* One of the job's sources has main(), or there are none. */
hd_status cli_check_program_files(cli *c, const hd_job *job);
/* The files that a job of a recording names, and those that are given, in the job: they must be there,
 * and what was recorded. */
hd_status cli_find_sources(cli *c, const cli_texts *given, hd_job *job);

/* run_dry.c: heddle run --dry, of the program that the command names. CLI_DIFFER: some of it would be
 * refused. */
int cli_run_dry(cli *c, const hd_device *device);

#endif
