/* A little layer over OpenCL, as many programs have one. */
#ifndef GPU_H
#define GPU_H

#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    cl_context context;
    cl_device_id device;
    cl_command_queue queue;
    cl_program program;
} gpu_t;

static inline void gpu_check(cl_int error, const char *what) {
    if (error != CL_SUCCESS) {
        fprintf(stderr, "%s: OpenCL error %d\n", what, error);
        exit(EXIT_FAILURE);
    }
}

void gpu_open(gpu_t *gpu, const char *source_path);
void gpu_close(gpu_t *gpu);
cl_kernel gpu_kernel(gpu_t *gpu, const char *name);

/* Makes a buffer, with contents unless `data` is NULL. */
cl_mem gpu_buffer(gpu_t *gpu, size_t bytes, const void *data);
void gpu_read(gpu_t *gpu, cl_mem buffer, void *data, size_t bytes);
void gpu_free(cl_mem buffer);

#define SET_ARG(kernel, number, value)                                                           \
    gpu_check(clSetKernelArg(kernel, number, sizeof(value), &(value)), "clSetKernelArg " #value)

#endif
