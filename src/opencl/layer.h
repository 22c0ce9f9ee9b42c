/*
 * libheddle-layer.so: an OpenCL layer (OPENCL_LAYERS), which a loader puts between a program and its
 * drivers. It follows what the program makes, and hands every call on.
 *
 *     layer.c       the table of calls that a loader asks for; what is asked of the layer
 *     followed.c    programs, kernels with their arguments, buffers, queues
 *     calls.c       functions that the program wants called
 *     images.c      images and samplers
 *     moved.c       their bytes, to the host and back
 *     uses.c        commands that touch buffers
 *     launched.c    kernels that are launched
 *     recorded.c    launches that are recorded
 *     exchanged.c   kernels in other layouts, made by `heddle apply` when the program builds its own
 *     views.c       buffers in other layouts, converted when a user of the other form comes
 *     races.c       which layout a program is to have
 *     trials.c      launches that run both ways, and what the two take
 *     ran.c         kernels that run on Heddle's machine, and not on the device
 *
 * It also has a platform of its own for programs that find no device (platform.h).
 */
#ifndef OPENCL_LAYER_H
#define OPENCL_LAYER_H

#include <pthread.h>

/* The table of calls has those of all versions. */
#undef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl_layer.h>

#include "base/base.h"
#include "base/table.h"
#include "kernel/image.h"

/* Made from source in one step; others are not followed. */
typedef struct layer_program {
    const char *text, *options;
    cl_context context;
    hd_vec(cl_device_id) devices;    /* that it was built for; none: all of the context's */
    bool is_built;                   /* in one step */
    struct layer_race *race;         /* NULL: it has none so far */
    struct layer_exchange *exchange; /* NULL: not asked for so far */
} layer_program;

typedef struct layer_arg {
    bool is_set;
    size_t bytes;
    const void *value; /* a copy; NULL: local memory */
    bool is_pointer;   /* to shared virtual memory */
} layer_arg;

/* What the driver tells of a parameter, which is asked once. */
typedef struct layer_param {
    bool is_known;
    bool has_address, is_memory; /* has_address: it tells whether it is memory */
    bool is_written, is_sampler;
} layer_param;

typedef struct layer_kernel {
    layer_program *program; /* NULL: it is not followed */
    const char *name;
    hd_vec(layer_arg) args;
    hd_vec(layer_param) params;
    struct layer_exchanged *exchanged;     /* its other form; NULL: there is none, */
    const struct layer_exchange *asked_of; /* that it is of; NULL: it was not asked for so far */
    bool is_fixed;                         /* it is to stay as it is */
} layer_kernel;

/* A buffer that is no part of another one, or an image. */
typedef struct layer_whole {
    cl_mem memory;
    cl_context context;
    cl_mem_flags flags;
    size_t bytes;
    uint64_t address;       /* no two buffers that ever were have the same */
    uint64_t changes;       /* commands so far that may have written it */
    uint32_t mapped;        /* regions that the host has now */
    bool is_shared;         /* with images */
    const kir_image *image; /* NULL: it is a buffer */
    const char *image_text; /* as a job has it */
    size_t region[3];       /* of an image, all of it */
    bool is_gone;
    struct layer_view *views; /* in other layouts */
} layer_whole;

/* A buffer, or a part of one. */
typedef struct layer_buffer {
    layer_whole *whole;
    size_t offset, bytes;
} layer_buffer;

typedef struct layer_sampler {
    uint32_t bits;    /* as kernels have it */
    const char *text; /* as a job has it */
} layer_sampler;

typedef struct layer_queue {
    cl_command_queue queue;
    cl_context context;
    uint32_t holds; /* the program's; 0: it has left the queue, whose commands may still run */
} layer_queue;

/* Functions to be called, in the order of their events (calls.c). */
typedef struct layer_calls {
    pthread_mutex_t lock;
    pthread_cond_t more;
    struct layer_call *first, *last;
    bool has_thread;
} layer_calls;

typedef struct layer {
    pthread_mutex_t lock; /* of all that follows; a driver may call a program back in any call */
    const cl_icd_dispatch *target;
    hd_arena *arena;
    hd_hash_table programs, kernels, buffers, samplers; /* handle -> row */
    hd_hash_table by_address;                           /* -> row of `wholes` */
    hd_vec(layer_program *) program_rows;
    hd_vec(layer_kernel *) kernel_rows;
    hd_vec(layer_buffer) buffer_rows;
    hd_vec(layer_whole *) wholes;
    hd_vec(layer_sampler) sampler_rows;
    hd_vec(layer_queue) queues;
    uint64_t next_address;
    struct layer_recorder *recorder; /* NULL: nothing is recorded */
    struct layer_apply *apply;       /* NULL: nothing is put into other layouts */
    uint32_t open_events;            /* of the program, which it has not set yet */
    layer_calls calls;
    bool has_extensions; /* functions that may use buffers, and do not come by here */
} layer;

/* The process's, locked. */
layer *layer_enter(void);
void layer_leave(layer *l);
/* What is said to the user, as a line of its own. */
void layer_say(const char *line);

/* followed.c: the calls that make what is followed. */
void layer_follow(cl_icd_dispatch *table);
layer_kernel *layer_kernel_of(const layer *l, cl_kernel kernel);
const layer_buffer *layer_buffer_of(const layer *l, cl_mem memory);
/* The handle is of something that is no buffer. */
void layer_forget_buffer(layer *l, cl_mem memory);
/* Memory that is given an address; of `whole` that is not set. */
void layer_follow_whole(layer *l, layer_whole whole);
layer_whole *layer_whole_at(const layer *l, uint64_t address);
/* All that was asked of the context is done then. */
void layer_finish_all(layer *l, cl_context context);

typedef enum layer_arg_kind {
    LAYER_ARG_VALUE,
    LAYER_ARG_BUFFER,
    LAYER_ARG_IMAGE,
    LAYER_ARG_SAMPLER,
    LAYER_ARG_LOCAL,
    LAYER_ARG_UNKNOWN
} layer_arg_kind;
layer_arg_kind layer_arg_kind_of(const layer *l, cl_kernel kernel, cl_uint index,
                                 const layer_arg *arg);
/* Of an argument that is one; NULL: it is none that is followed, or no buffer at all. */
const layer_buffer *layer_arg_buffer(const layer *l, const layer_arg *arg);
/* The same of a sampler. */
const layer_sampler *layer_arg_sampler(const layer *l, const layer_arg *arg);
/* The kernel may write what the argument points to. */
bool layer_arg_is_written(const layer *l, cl_kernel kernel, cl_uint index);

/* images.c: the calls that make images and samplers. */
void layer_images(cl_icd_dispatch *table);
/* NULL: it is none that is followed. */
const layer_sampler *layer_sampler_of(const layer *l, cl_sampler sampler);
/* moved.c: all bytes of a buffer, or all texels of an image row by row, to the host or from there, also
 * where the host may not read or write them. Returns when they are there. */
cl_int layer_move(const cl_icd_dispatch *calls, cl_command_queue queue, const layer_whole *whole,
                  void *host, bool to_device);

/* calls.c */
void layer_call_back(cl_icd_dispatch *table);

/* uses.c */
void layer_uses(cl_icd_dispatch *table);
/* Before a command that reads, or writes, or both, a part of a buffer as the program knows it. An
 * error is for the program. */
typedef enum layer_use { LAYER_READ = 1, LAYER_WRITE = 2, LAYER_CHANGE = 3 } layer_use;
cl_int layer_use_buffer(layer *l, const layer_buffer *buffer, size_t offset, size_t bytes,
                        layer_use use);
/* An image over a buffer is made: whoever uses it is not looked at. */
void layer_share_buffer(layer *l, cl_mem memory);

/* launched.c */
typedef struct layer_launch {
    cl_command_queue queue;
    cl_kernel handle;
    layer_kernel *kernel;
    cl_uint dims;
    const size_t *offset, *global, *local; /* offset, local: NULL where the program gives none */
    cl_uint wait_count;
    const cl_event *wait;
    cl_event *event;
} layer_launch;
void layer_launches(cl_icd_dispatch *table);
/* ran.c: of a table that follows. */
void layer_runs(cl_icd_dispatch *table);
/* As the program asks for it, of its own kernel. */
cl_int layer_launch_as_is(layer *l, const layer_launch *launch);
/* The same of this kernel. */
cl_int layer_enqueue(const layer *l, const layer_launch *launch, cl_kernel kernel);

/* recorded.c */
struct layer_recorder *layer_recorder_new(layer *l);
void layer_recorder_end(const struct layer_recorder *recorder);
cl_int layer_launch_recorded(layer *l, struct layer_recorder *recorder, layer_launch *launch);
/* The path of the program's job; NULL: none of its launches was recorded. */
const char *layer_recorded_job(const struct layer_recorder *recorder, const layer_program *program);

/* exchanged.c, trials.c, races.c */
struct layer_apply *layer_apply_new(layer *l, const char *words);
void layer_apply_end(layer *l);
/* views.c: a part of a buffer is to be used as the program knows it; `but` stays as it is. */
cl_int layer_views_settle(layer *l, layer_whole *whole, size_t offset, size_t bytes, layer_use use,
                          const struct layer_view *but);
/* All buffers hold what they should, as the program knows them. */
void layer_views_return(layer *l);
/* What the program is about to do cannot be followed: all runs as before from now on. */
void layer_apply_off(layer *l, const char *why);
cl_int layer_launch_applied(layer *l, layer_launch *launch);

#endif
