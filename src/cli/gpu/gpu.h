/*
 * What only a GPU can show, in one run that ends by itself (`heddle device check`).
 *
 * The check is a table of *steps*, the most valuable first. Each is a process of its own with a
 * limit on its time, since a driver that hangs can't be asked to stop: the step writes what it
 * finds into a file, as JSON, row by row, and whoever runs the steps kills one that is past its
 * limit and takes the rows that are there. The page is written anew after every step.
 *
 *     hd_gpu_check()          for each step: a process, its limit, its result    check.c, child.c
 *       hd_gpu_run_step()       in that process: the step's function             steps.c
 *         hd_gpu_run_remap() ...  measures, and keeps rows                       step_*.c
 *       hd_gpu_page()           all results so far as Markdown                   gpu_page.c
 *
 * Whoever runs the steps never calls the driver itself. docs/gpu/README.md says what the page
 * shows. Only NVIDIA's GPUs, through CUDA's driver and NVRTC; memory of the device is plain
 * allocations.
 */
#ifndef HD_GPU_H
#define HD_GPU_H

#include <jansson.h>
#include <signal.h>

#include "base/result.h"
#include "driver/compute.h"
#include "frontend/frontend.h"
#include "heddle/remap.h"
#include "job/job.h"
#include "advise/measure/measure.h"
#include "model/race.h"
#include "model/time.h"

/* ---- steps.c: the table ----------------------------------------------------------- */

/* What a step works with. */
typedef struct hd_gpu_step_run {
    hd_arena *arena;
    const hd_diag *diag;
    const char *program;   /* the path of this program, for steps that run it under another */
    const char *folder;    /* of the check: what one step leaves for a later one */
    const char *path;      /* where `result` is kept */
    bool small;            /* little of everything, for tests */
    double start, seconds; /* it should be at its end so long after `start` */
    json_t *result;        /* an object; "cut": it ended early; "not_done": why it did nothing */
    const char *subject;   /* of the step: the program that is measured */
} hd_gpu_step_run;

typedef struct hd_gpu_step {
    const char *name, *title;
    double weight; /* its share of the time, to those of the others */
    hd_status (*run)(hd_gpu_step_run *run);
    void (*show)(hd_str *page, const json_t *result);
    const char *subject; /* of programs: the job, "examples/kmeans/kmeans" */
} hd_gpu_step;

/* Ends with a NULL name. The first is the device itself, without which there is no other. */
extern const hd_gpu_step hd_gpu_steps[];
const hd_gpu_step *hd_gpu_find_step(const char *name);

/* In the step's own process. Messages are kept in the result, too. */
hd_status hd_gpu_run_step(hd_arena *arena, const hd_diag *diag, const hd_gpu_step *step,
                          hd_gpu_step_run *run);
/* Writes the result as it is now. */
void hd_gpu_keep(hd_gpu_step_run *run);
/* Whether this share of the step's time has not gone by yet. If it has, for `share` 1, the result
 * says that it was cut. */
bool hd_gpu_has_time(hd_gpu_step_run *run, double share);
/* Adds a row to the array `name` of the result, and keeps that; the object is the result's. */
json_t *hd_gpu_add_row(hd_gpu_step_run *run, const char *name, const hd_member *members,
                       const void *row);

hd_status hd_gpu_run_device(hd_gpu_step_run *run);
hd_status hd_gpu_run_copies(hd_gpu_step_run *run);
hd_status hd_gpu_run_remap(hd_gpu_step_run *run);
hd_status hd_gpu_run_overlap(hd_gpu_step_run *run);
hd_status hd_gpu_run_training(hd_gpu_step_run *run);
hd_status hd_gpu_run_whole_training(hd_gpu_step_run *run);
hd_status hd_gpu_run_program(hd_gpu_step_run *run);
hd_status hd_gpu_run_machine(hd_gpu_step_run *run);
hd_status hd_gpu_run_counters(hd_gpu_step_run *run);
void hd_gpu_show_device(hd_str *page, const json_t *result);
void hd_gpu_show_copies(hd_str *page, const json_t *result);
void hd_gpu_show_remap(hd_str *page, const json_t *result);
void hd_gpu_show_overlap(hd_str *page, const json_t *result);
void hd_gpu_show_training(hd_str *page, const json_t *result);
void hd_gpu_show_program(hd_str *page, const json_t *result);
void hd_gpu_show_machine(hd_str *page, const json_t *result);
void hd_gpu_show_counters(hd_str *page, const json_t *result);

/* ---- check.c: all steps ----------------------------------------------------------- */

typedef struct hd_gpu_options {
    const char *program;     /* the path of this program */
    const char *version;     /* Heddle's */
    double seconds;          /* for all */
    const char *const *only; /* steps, besides the first; */
    uint32_t only_count;     /* 0: all */
    bool small;
    const char *page; /* the path of the page, rewritten after each step; "DEVICE" in it becomes the
                       * device's name */
    const volatile sig_atomic_t *stop;
    void (*progress)(void *user, const char *what); /* a line for each step; may be NULL */
    void *user;
} hd_gpu_options;

typedef struct hd_gpu_outcome {
    json_t *document; /* docs/json.md; the caller's to release */
    const char *page; /* the path that it has; NULL: there is none */
    uint32_t failed;  /* steps that ended with an error, or were past their limit */
    bool differs;     /* a layout leaves other outputs than the original */
    bool stopped;     /* by a signal: steps are missing */
} hd_gpu_outcome;

/* Fails where there is no device, or the page cannot be written. */
hd_status hd_gpu_check(hd_arena *arena, const hd_diag *diag, const hd_gpu_options *options,
                       hd_gpu_outcome *outcome);

/* gpu_page.c: the document as Markdown. */
const char *hd_gpu_page(hd_arena *arena, const json_t *document);
/* The last line of a text that is not empty, for one who said nothing else. */
const char *hd_gpu_last_line(hd_arena *arena, const char *text);
/* Members of an object; 0 and "" where there is none. */
double hd_gpu_number(const json_t *object, const char *name);
const char *hd_gpu_text(const json_t *object, const char *name);

/* ---- child.c: processes with a limit ---------------------------------------------- */

typedef struct hd_gpu_child_options {
    const char *log;                   /* where its standard output and error go */
    double seconds;                    /* the limit */
    bool same_group;                   /* it stays in this process's group, and ends with it */
    const volatile sig_atomic_t *stop; /* may be NULL */
} hd_gpu_child_options;

typedef enum hd_gpu_end {
    HD_GPU_EXITED,  /* `code` is its exit status */
    HD_GPU_CRASHED, /* `code` is the signal */
    HD_GPU_PAST_LIMIT,
    HD_GPU_STOPPED, /* since we were */
    HD_GPU_STUCK    /* it is past its limit and could not be killed: the driver holds it */
} hd_gpu_end;

/* Runs a program to its end, or ends it with all of its group. HD_ESYSTEM: it could not be
 * started. */
hd_status hd_gpu_child(const hd_diag *diag, char *const *words, const hd_gpu_child_options *options,
                       hd_gpu_end *end, int *code);

/* ---- program.c: jobs in CUDA C ----------------------------------------------------------- */

/* The resolved job `subject`.yaml with the kernels that examples/ has for it in CUDA C, in this
 * form. */
hd_status hd_gpu_load(hd_arena *arena, const hd_diag *diag, const char *subject, kir_form form,
                      hd_job **job);

/* The profile of devices/ whose title has most words in common with the device's name, the
 * model's among them; NULL when there is none. */
hd_status hd_gpu_find_profile(hd_arena *arena, const hd_diag *diag, const char *device,
                              const hd_device **profile);
/* The same, or that of the h200 where there is none. */
hd_status hd_gpu_profile_to_price(hd_arena *arena, const hd_diag *diag, const char *device,
                                  const hd_device **profile);

/* ---- predict.c: times of layouts by the model of time --------------------------------- */

typedef struct hd_gpu_predictions {
    const char *subject;
    const hd_device *profile;        /* whose times are known */
    double accesses;                 /* of lanes, that are expected of the job */
    const hd_layout *const *layouts; /* [count]; the first is the original */
    const char *const *left_out;     /* [count]: not NULL: it is not wanted */
    uint32_t count;
} hd_gpu_predictions;

/* times [count], zeros before, get those of the layouts that can be counted before the step's time is
 * over; if it is, the result says that it was cut. */
hd_status hd_gpu_predict(hd_gpu_step_run *run, const hd_gpu_predictions *of, hd_time *times);

/* ---- turns.c: layouts of a job, all timed in turns, each as often as every other -- */

typedef struct hd_turns {
    uint32_t count, rounds;
    double **seconds; /* [count][rounds] */
    const char **why; /* [count]: why it was not timed, or NULL */
    bool *differs;    /* [count]: since it computes something else */
} hd_turns;

typedef struct hd_turns_options {
    const char *device; /* as in hd_measure_options */
    uint32_t rounds;    /* at least, and then until `seconds` have gone by */
    double seconds;
    double build_seconds; /* no other layout is made ready after so long; 0: all are */
    double last_seconds;  /* no other round begins after so long; 0: there is no end */
} hd_turns_options;

/* layouts[0] is the original. A layout that cannot be timed is left out, with a reason. */
hd_status hd_take_turns(hd_arena *arena, const hd_diag *diag, const hd_job *job,
                        const hd_layout *const *layouts, uint32_t count,
                        const hd_turns_options *options, hd_turns *turns);
/* Of the time of `a` to that of `b` in the same round: the median, and where it lies with a
 * probability of 95%. */
hd_interval hd_turns_ratio(hd_arena *arena, const hd_turns *turns, uint32_t a, uint32_t b);

/* ---- memories.c: two memories of a device, and a copy from one to the other ------- */

/* CUDA's first device, with its context current in this thread; close it with its api. NULL after
 * a failure. */
hd_status hd_gpu_open_cuda(hd_arena *arena, const hd_diag *diag, hd_compute **gpu);
/* The remap library on a device that is open. */
hd_status hd_gpu_open_remap(const hd_diag *diag, const hd_compute *gpu, hd_remap_device **device);

typedef struct hd_gpu_memories {
    hd_compute *gpu;
    hd_compute_queue queue;
    hd_remap_device *remap;
    hd_remap_memory host_side, device_side; /* of `bytes` bytes, and of twice as many */
    uint64_t bytes;
} hd_gpu_memories;

/* Where there is too little memory they get smaller. Release with hd_gpu_free_memories(), also
 * after a failure, before the device is closed. */
hd_status hd_gpu_make_memories(const hd_diag *diag, hd_compute *gpu, uint64_t bytes,
                               hd_gpu_memories *memories);
void hd_gpu_free_memories(hd_gpu_memories *memories);

/* ---- remap_speed.c: remapping within a device, next to the device's own copy ------ */

typedef struct hd_gpu_remap_way {
    bool measured;
    double seconds, copy; /* the shortest of several; of a copy of as many bytes */
} hd_gpu_remap_way;

typedef struct hd_gpu_remap_row {
    const char *name;        /* "28 bytes, aosoa:16" */
    double goal;             /* share of the copy's speed that is wanted; 0: none */
    uint64_t bytes;          /* of the source */
    hd_gpu_remap_way way[2]; /* hd_remap_direction */
} hd_gpu_remap_row;

/* Both directions are measured and no slower than the goal. */
bool hd_gpu_remap_met(const hd_gpu_remap_row *row);

typedef struct hd_gpu_remap_options {
    bool small;
    bool (*row)(void *user, const hd_gpu_remap_row *row); /* false: enough */
    void *user;
} hd_gpu_remap_options;

/* Structs of floats to arrays and to tiles, and back; transposes; a gather. Copies and remaps take
 * turns, so that both see the same machine. */
void hd_gpu_remap_speed(const hd_diag *diag, hd_gpu_memories *memories,
                        const hd_gpu_remap_options *options);

/* ---- overlap.c: how well transfers and remapping hide behind each other ----------- */

/* What is timed. The last sizes of chunks is the planned one. */
enum { HD_GPU_CHUNK_SIZES = 6 };
typedef enum hd_gpu_contender {
    HD_GPU_TRANSFER,
    HD_GPU_REMAP,
    HD_GPU_BULK,
    HD_GPU_ON_HOST,
    HD_GPU_ZERO_COPY,
    HD_GPU_FIRST_CHUNKED,
    HD_GPU_CONTENDERS = HD_GPU_FIRST_CHUNKED + HD_GPU_CHUNK_SIZES,
    HD_GPU_PLANNED = HD_GPU_CONTENDERS - 1
} hd_gpu_contender;

typedef struct hd_gpu_overlap_row {
    const char *device, *what; /* "structs of four floats to soa" */
    bool to_device;
    uint64_t bytes;
    double seconds[HD_GPU_CONTENDERS]; /* the shortest of several runs; 0: it cannot be used */
    uint64_t chunk_bytes[HD_GPU_CONTENDERS];
    const char *why; /* the plan */
    bool hides;      /* false: the device works with the host's cores, and nothing can be hidden */
    double over, most; /* of the planned chunks over the larger of transfer and remap, or, where
                        * nothing is hidden, over one piece; and what is allowed */
} hd_gpu_overlap_row;

typedef struct hd_gpu_overlap_options {
    uint64_t bytes; /* of the source */
    bool small;
    bool (*row)(void *user, const hd_gpu_overlap_row *row); /* false: enough */
    void *user;
} hd_gpu_overlap_options;

const char *hd_gpu_contender_name(hd_arena *arena, const hd_gpu_overlap_row *row,
                                  hd_gpu_contender which);
double hd_gpu_overlap_larger(const hd_gpu_overlap_row *row);
/* Two maps, both ways. Memory of the host is such as the device transfers without a copy. Nothing
 * counts that is done once: calibration, compiling, memory for staging. */
hd_status hd_gpu_overlap(const hd_diag *diag, hd_remap_device *device,
                         const hd_gpu_overlap_options *options);

/* ---- profiler.c: Nsight Compute --------------------------------------------------- */

/* Of one kernel, all of its launches together. */
typedef struct hd_gpu_sectors {
    const char *kernel;
    uint32_t launches;
    double loads, stores, atomics; /* sectors of 32 bytes that its instructions ask L1 for */
    double l1_hits, l2_hits;       /* shares; NAN: not known */
} hd_gpu_sectors;

/* Where ncu is: in PATH, the toolkit or where NVIDIA installs it; NULL: nowhere. */
const char *hd_gpu_find_profiler(hd_arena *arena);
/* The words of a call of ncu that writes to `log`, without the program: as many as *count. */
const char **hd_gpu_profiler_words(hd_arena *arena, const char *profiler, const char *log,
                                   size_t *count);
/* What ncu wrote, in either of its forms: a column or a row for each metric. HD_EUNSUPPORTED:
 * it could not count, and says why. */
hd_status hd_gpu_parse_profile(hd_arena *arena, const hd_diag *diag, const char *text,
                               hd_gpu_sectors **kernels, uint32_t *count);

/* In a process under ncu: runs a job once, in the layout of this notation. */
hd_status hd_gpu_run_once(hd_arena *arena, const hd_diag *diag, const char *subject,
                          const char *layout);

#endif
