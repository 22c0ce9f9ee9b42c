/*
 * libheddle-layer.so: an OpenCL layer (OPENCL_LAYERS), which a loader puts between a program and its
 * drivers. It follows what the program makes, and hands every call on.
 *
 *     layer.c       the table of calls that a loader asks for
 *     followed.c    programs, kernels with their arguments, buffers, queues
 *     images.c      images and samplers
 *     launched.c    kernels that are launched, and how they are recorded
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

/* Made from source in one step; others are not followed. */
typedef struct layer_program {
    const char *text, *options;
} layer_program;

typedef struct layer_arg {
    bool is_set;
    size_t bytes;
    const void *value; /* a copy; NULL: local memory */
} layer_arg;

typedef struct layer_kernel {
    const layer_program *program;
    const char *name;
    hd_vec(layer_arg) args;
} layer_kernel;

/* A buffer, or a part of one, or an image. */
typedef struct layer_buffer {
    cl_mem of; /* the whole one */
    size_t bytes, offset;
    uint64_t address;  /* of the whole one: no two buffers that ever were have the same */
    const char *image; /* as a job has it; NULL: it is none */
    size_t region[3];  /* of an image, all of it */
} layer_buffer;

typedef struct layer_queue {
    cl_command_queue queue;
    cl_context context;
} layer_queue;

typedef struct layer {
    pthread_mutex_t lock; /* of all that follows */
    const cl_icd_dispatch *target;
    hd_arena *arena;
    hd_hash_table programs, kernels, buffers, samplers; /* handle -> row */
    hd_vec(layer_program *) program_rows;
    hd_vec(layer_kernel *) kernel_rows;
    hd_vec(layer_buffer) buffer_rows;
    hd_vec(const char *) sampler_rows; /* as a job has them */
    hd_vec(layer_queue) queues;
    uint64_t next_address;
    struct layer_recorder *recorder; /* NULL: nothing is recorded */
    uint32_t open_events;            /* of the program, which it has not set yet */
} layer;

/* The process's, locked. */
layer *layer_enter(void);
void layer_leave(layer *l);

/* followed.c: the calls that make what is followed. */
void layer_follow(cl_icd_dispatch *table);
const layer_kernel *layer_kernel_of(const layer *l, cl_kernel kernel);
const layer_buffer *layer_buffer_of(const layer *l, cl_mem memory);
/* Memory of `bytes` bytes, which is given an address. */
void layer_follow_whole(layer *l, cl_mem memory, layer_buffer buffer);

/* images.c: the calls that make images and samplers. */
void layer_images(cl_icd_dispatch *table);
/* As a job has it; NULL: it is none that is followed. */
const char *layer_sampler_of(const layer *l, cl_sampler sampler);
/* All texels of an image, row by row, to the host or to a buffer. */
cl_int layer_read_image(const layer *l, cl_command_queue queue, const layer_buffer *image,
                        void *bytes);
cl_int layer_copy_image(const layer *l, cl_command_queue queue, const layer_buffer *image,
                        cl_mem to);

/* launched.c */
void layer_launches(cl_icd_dispatch *table);
struct layer_recorder *layer_recorder_new(layer *l);
void layer_recorder_end(const layer *l);

#endif
