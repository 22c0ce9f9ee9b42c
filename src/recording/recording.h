/*
 * What `heddle record` writes of a program: its launches as job files (docs/record.md). The command
 * names a folder and its options in the environment:
 *
 *     HEDDLE_RECORD=FOLDER
 *     HEDDLE_RECORD_RESULTS=FOLDER      where PID-ptx.json says what was left out
 *     HEDDLE_RECORD_OPTIONS="quiet first=0 last=99 every=10 limit=1000000 kernel=sum"
 *
 * "quiet", in front, is for who shows progress.
 *
 * A job has the kernels of one module. When a launch has run, its entry is added to
 * job.yaml.launches, and those of its buffers to job.yaml.buffers; the command makes job.yaml of
 * these and of job.yaml.head when the program has ended, in whatever way.
 *
 * Memory is looked at before a launch that is recorded and after it; what differs from what the
 * job's launches so far have left there was done by the host, or by launches that are not in the
 * job, and is written into the job. So a job is right whatever was left out of it.
 *
 *     if (hd_recording_asks(r, title, name)) {
 *         hd_recording_begin(r, module, text, options);
 *         hd_recording_see(r, address, bytes, NULL);       all memory that the launch can reach
 *         if (hd_recording_before(r))
 *             hd_recording_arg_...(r, ...);                 each argument
 *     }
 *     ... the launch ...
 *     hd_recording_after(r, &launch, status == HD_OK);
 */
#ifndef PROGRAM_RECORDING_H
#define PROGRAM_RECORDING_H

#include "base/base.h"

typedef struct hd_recording hd_recording;

/* The process that is recorded. */
typedef struct hd_recording_host {
    void *user;
    void (*say)(void *user, const char *line);
    /* What memory holds now, until the next call; NULL: it cannot be read. */
    const void *(*held)(void *user, uint64_t address, size_t bytes);
    /* A number that stays as long as what memory holds; 0: nobody knows. NULL: never known. */
    uint64_t (*version)(void *user, uint64_t address);
    const char *extension; /* of files of kernels: ".ptx" */
    bool has_addresses;    /* that memory and arguments may hold */
} hd_recording_host;

typedef struct hd_recorded_launch {
    const char *kernel;
    uint32_t dims;              /* of OpenCL */
    uint64_t grid[3], block[3]; /* grid: blocks, or, of OpenCL, threads; 1 beyond the dimensions */
    uint64_t offset[3];         /* of OpenCL: the first thread's */
    uint64_t shared;
    uint32_t cluster[3]; /* of CUDA; 0: none */
    bool is_cuda, cooperative;
} hd_recorded_launch;

/* As the environment asks for it, in the arena; NULL: nothing is recorded. */
hd_recording *hd_recording_open(hd_arena *arena, const hd_recording_host *host);
/* Whether the next launch, of this kernel, is to be recorded. */
bool hd_recording_asks(hd_recording *recording, const char *title, const char *name);
/* `module` tells jobs apart; the texts stay as they are. */
void hd_recording_begin(hd_recording *recording, const void *module, const char *text,
                        const char *options);
/* `form`: what a job says of it, "image: {width: 64, ...}"; NULL: it is bytes. */
void hd_recording_see(hd_recording *recording, uint64_t address, size_t bytes, const char *form);
/* False: the launch is left out. */
bool hd_recording_before(hd_recording *recording);
void hd_recording_leave_out(hd_recording *recording, const char *why);
/* Arguments in their order. False: no memory that was seen has the address. */
bool hd_recording_arg_memory(hd_recording *recording, const char *name, uint64_t address);
void hd_recording_arg_bytes(hd_recording *recording, const char *name, const void *bytes,
                            size_t count);
/* As a job says it: "local: 64". */
void hd_recording_arg_text(hd_recording *recording, const char *name, const char *text);
/* The path of the module's job, as it will be; NULL: it has no launch. */
const char *hd_recording_path(const hd_recording *recording, const void *module);
/* Between before() and after(), where the launch is recorded. */
bool hd_recording_is_on(const hd_recording *recording);
/* False: it was left out. */
bool hd_recording_after(hd_recording *recording, const hd_recorded_launch *launch, bool fine);
/* Tells the command what only the process knows. */
void hd_recording_end(hd_recording *recording);

/* results.c: writes what a process found out of an interface ("cuda") to FOLDER/PID-cuda.json, and
 * frees it. */
struct json_t;
void hd_write_program_results(hd_arena *arena, struct json_t *results, const char *folder,
                              const char *interface);

#endif
