/*
 * What the hosts of the examples share: the device, a program from a file, buffers, launches with
 * their times, made-up inputs, and the comparison with a reference. Plain OpenCL 1.2 and C99.
 *
 *     host h = host_open("kernels.cl", "-DN=4");
 *     cl_kernel kernel = host_kernel(&h, "scale");
 *     cl_mem buffer = host_buffer(&h, data, bytes);
 *     host_set(kernel, 0, buffer);
 *     host_run(&h, kernel, 1024, 64);
 *     host_take(&h, buffer, data, bytes);
 *     host_close(&h);
 *
 * Whatever fails ends the program with a message: status 2, and 1 for a wrong result.
 */
#ifndef HEDDLE_EXAMPLES_HOST_H
#define HEDDLE_EXAMPLES_HOST_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct host {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_program program;
    double seconds; /* that kernels have taken */
} host;

/* ---- errors and memory ---------------------------------------------------- */

static inline void host_check(cl_int error, const char *what) {
    if (error == CL_SUCCESS)
        return;
    fprintf(stderr, "%s: OpenCL error %d\n", what, (int)error);
    exit(2);
}

static inline void *host_new(size_t bytes) {
    void *memory = calloc(1, bytes);
    if (memory)
        return memory;
    fprintf(stderr, "no memory for %zu bytes\n", bytes);
    exit(2);
}

/* ---- device and program ---------------------------------------------------- */

/* The first device of the first platform that has one. */
static inline cl_device_id host_device(void) {
    cl_platform_id platforms[16];
    cl_device_id device;
    cl_uint count = 0;
    host_check(clGetPlatformIDs(16, platforms, &count), "no OpenCL platform");
    for (cl_uint p = 0; p < count && p < 16; p++)
        if (clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 1, &device, NULL) == CL_SUCCESS)
            return device;
    fprintf(stderr, "no OpenCL device\n");
    exit(2);
}

static inline char *host_file(const char *path) {
    FILE *file = fopen(path, "rb");
    long bytes = -1;
    if (file && !fseek(file, 0, SEEK_END))
        bytes = ftell(file);
    if (bytes < 0) {
        perror(path);
        exit(2);
    }
    char *text = host_new((size_t)bytes + 1);
    rewind(file);
    if (fread(text, 1, (size_t)bytes, file) != (size_t)bytes) {
        perror(path);
        exit(2);
    }
    fclose(file);
    return text;
}

static inline void host_build(host *h, const char *before, const char *path, const char *options) {
    static char log[65536];
    cl_int error;
    char *text = host_file(path);
    const char *texts[] = {before, text};
    h->program = clCreateProgramWithSource(h->context, 2, texts, NULL, &error);
    host_check(error, path);
    error = clBuildProgram(h->program, 1, &h->device, options, NULL, NULL);
    if (error != CL_SUCCESS && !clGetProgramBuildInfo(h->program, h->device, CL_PROGRAM_BUILD_LOG,
                                                      sizeof log - 1, log, NULL))
        fprintf(stderr, "%s\n", log);
    host_check(error, path);
    free(text);
}

/* A device with the program of a source file built for it, and `before` in front of what stands in
 * the file; */
static inline host host_open_on(cl_device_id device, const char *before, const char *path,
                                const char *options) {
    host h = {.device = device};
    cl_int error;
    h.context = clCreateContext(NULL, 1, &h.device, NULL, NULL, &error);
    host_check(error, "context");
    h.queue = clCreateCommandQueue(h.context, h.device, CL_QUEUE_PROFILING_ENABLE, &error);
    host_check(error, "queue");
    host_build(&h, before, path, options);
    return h;
}

/* the same of the first device. */
static inline host host_open_after(const char *before, const char *path, const char *options) {
    return host_open_on(host_device(), before, path, options);
}

static inline host host_open(const char *path, const char *options) {
    return host_open_after("", path, options);
}

static inline void host_close(host *h) {
    clReleaseProgram(h->program);
    clReleaseCommandQueue(h->queue);
    clReleaseContext(h->context);
}

/* ---- buffers and kernels ------------------------------------------------------ */

/* A buffer that starts with these bytes. */
static inline cl_mem host_buffer(host *h, const void *contents, size_t bytes) {
    cl_int error;
    cl_mem buffer = clCreateBuffer(h->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes,
                                   (void *)contents, &error);
    host_check(error, "buffer");
    return buffer;
}

/* Reads a buffer and gives it back. */
static inline void host_take(host *h, cl_mem buffer, void *contents, size_t bytes) {
    host_check(clEnqueueReadBuffer(h->queue, buffer, CL_TRUE, 0, bytes, contents, 0, NULL, NULL),
               "reading a buffer");
    clReleaseMemObject(buffer);
}

static inline cl_kernel host_kernel(host *h, const char *name) {
    cl_int error;
    cl_kernel kernel = clCreateKernel(h->program, name, &error);
    host_check(error, name);
    return kernel;
}

/* Argument `index` becomes the variable `value`. */
#define host_set(kernel, index, value)                                                     \
    host_check(clSetKernelArg(kernel, index, sizeof(value), &(value)), "argument " #value)

/* Runs `items` work-items, or as many more as fill the last group, and adds their time. */
static inline void host_run(host *h, cl_kernel kernel, size_t items, size_t group) {
    size_t global = (items + group - 1) / group * group;
    cl_ulong start, end;
    cl_event done;
    host_check(clEnqueueNDRangeKernel(h->queue, kernel, 1, NULL, &global, &group, 0, NULL, &done),
               "starting a kernel");
    host_check(clWaitForEvents(1, &done), "running a kernel");
    host_check(
        clGetEventProfilingInfo(done, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL),
        "time of a kernel");
    host_check(clGetEventProfilingInfo(done, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL),
               "time of a kernel");
    clReleaseEvent(done);
    h->seconds += (double)(end - start) * 1e-9;
}

/* ---- inputs -------------------------------------------------------------------- */

/* The first argument on the command line, a size, or `otherwise`. */
static inline size_t host_size(int argc, char **argv, size_t otherwise) {
    char *end = NULL;
    unsigned long long size = argc > 1 ? strtoull(argv[1], &end, 10) : otherwise;
    if (argc > 2 || (end && *end) || !size || size > INT32_MAX) {
        fprintf(stderr, "usage: %s [SIZE]\n", argv[0]);
        exit(2);
    }
    return (size_t)size;
}

/* Random bits number `i`: SplitMix64, as in Heddle's job files (docs/job.md). */
static inline uint64_t host_bits(uint64_t seed, uint64_t i) {
    uint64_t z = seed + (i + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* Number `i` from low up to but not with high, */
static inline float host_uniform(uint64_t seed, uint64_t i, double low, double high) {
    return (float)(low + (double)(host_bits(seed, i) >> 11) * 0x1p-53 * (high - low));
}

/* and whole number `i` from low to high. */
static inline uint32_t host_whole(uint64_t seed, uint64_t i, uint32_t low, uint32_t high) {
    return low + (uint32_t)(host_bits(seed, i) % ((uint64_t)high - low + 1));
}

/* ---- results -------------------------------------------------------------------- */

/* Ends the program at the first value that is not the reference's. */
static inline void host_expect(const char *what, size_t index, double got, double want,
                               double relative, double absolute) {
    if (fabs(got - want) <= absolute + relative * fabs(want))
        return;
    printf("%s of element %zu is %.9g, but the reference says %.9g\n", what, index, got, want);
    exit(1);
}

static inline void host_report(const host *h, const char *what, size_t size) {
    char name[256] = "";
    clGetDeviceInfo(h->device, CL_DEVICE_NAME, sizeof name, name, NULL);
    printf("equal: %zu %s, kernels took %.3f ms on %s\n", size, what, h->seconds * 1e3, name);
}

#endif
