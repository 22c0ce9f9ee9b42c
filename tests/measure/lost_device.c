/*
 * Put before the OpenCL loader with LD_PRELOAD: a device that goes away, or a signal, after so
 * many timings (waits after launches), so that tests meet them always at the same place. It is
 * linked with the loader, so that the program finds the loader's functions behind these.
 *
 *     LOST_DEVICE_AFTER=40     launches fail with CL_DEVICE_NOT_AVAILABLE after 40 timings
 *     LOST_BUILDS_AFTER=3      builds fail after 3 of them
 *     BUILD_OPTIONS=file       gets the options of each build, a line for each
 *     UNSTABLE_READS=2         from the second one on, each reading of a buffer gives other bytes
 *     NOISY_TIMES=7            kernels take 1 to 2 ms by chance, which begins with 7
 *     SIGNAL_AFTER=40 SIGNAL=2 the process gets signal 2 at the end of timing 40
 *     SVM_CAPABILITIES=1       what the device says of shared virtual memory, in bits
 *     CLOCK_STEP=20            the clock goes on by so many seconds whenever it is asked
 *     OTHER_DEVICE=name, OTHER_DRIVER=text   what the device says it is
 */
#include <CL/cl.h>
#include <dlfcn.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static long timings, builds, reads, launches;

/* LONG_MAX when it is not set. */
static long number(const char *name) {
    const char *value = getenv(name);
    return value ? atol(value) : LONG_MAX;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    static int (*next)(clockid_t, struct timespec *);
    static _Atomic long asked;
    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "clock_gettime");
    int error = next(clock, now);
    if (clock == CLOCK_MONOTONIC && getenv("CLOCK_STEP"))
        now->tv_sec += number("CLOCK_STEP") * ++asked;
    return error;
}

cl_int clWaitForEvents(cl_uint count, const cl_event *events) {
    static cl_int (*next)(cl_uint, const cl_event *);
    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "clWaitForEvents");
    if (launches && ++timings == number("SIGNAL_AFTER"))
        raise((int)number("SIGNAL"));
    launches = 0;
    return next(count, events);
}

cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dims,
                              const size_t *offset, const size_t *global, const size_t *local,
                              cl_uint waits, const cl_event *wait_for, cl_event *event) {
    static cl_int (*next)(cl_command_queue, cl_kernel, cl_uint, const size_t *, const size_t *,
                          const size_t *, cl_uint, const cl_event *, cl_event *);
    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "clEnqueueNDRangeKernel");
    if (timings >= number("LOST_DEVICE_AFTER"))
        return CL_DEVICE_NOT_AVAILABLE;
    launches++;
    return next(queue, kernel, dims, offset, global, local, waits, wait_for, event);
}

/* A race in the original, or a device that forgets: the first value changes. */
cl_int clEnqueueReadBuffer(cl_command_queue queue, cl_mem memory, cl_bool blocking, size_t offset,
                           size_t size, void *bytes, cl_uint waits, const cl_event *wait_for,
                           cl_event *event) {
    (void)blocking; /* the bytes are changed once they are there */
    static cl_int (*next)(cl_command_queue, cl_mem, cl_bool, size_t, size_t, void *, cl_uint,
                          const cl_event *, cl_event *);
    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "clEnqueueReadBuffer");
    cl_int error = next(queue, memory, CL_TRUE, offset, size, bytes, waits, wait_for, event);
    if (++reads >= number("UNSTABLE_READS") && size)
        *(unsigned char *)bytes ^= (unsigned char)reads;
    return error;
}

cl_int clGetEventProfilingInfo(cl_event event, cl_profiling_info what, size_t size, void *value,
                               size_t *needed) {
    static cl_int (*next)(cl_event, cl_profiling_info, size_t, void *, size_t *);
    static unsigned chance;
    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "clGetEventProfilingInfo");
    cl_int error = next(event, what, size, value, needed);
    if (error || !getenv("NOISY_TIMES") || size < sizeof(cl_ulong))
        return error;
    if (!chance)
        chance = (unsigned)number("NOISY_TIMES");
    if (what == CL_PROFILING_COMMAND_START)
        *(cl_ulong *)value = 0;
    if (what == CL_PROFILING_COMMAND_END)
        *(cl_ulong *)value = 1000000 + (chance = chance * 1103515245u + 12345) % 1000003;
    return error;
}

static void note_options(const char *options) {
    FILE *file = getenv("BUILD_OPTIONS") ? fopen(getenv("BUILD_OPTIONS"), "a") : NULL;
    if (!file)
        return;
    fprintf(file, "%s\n", options ? options : "");
    fclose(file);
}

cl_int clBuildProgram(cl_program program, cl_uint count, const cl_device_id *devices,
                      const char *options, void(CL_CALLBACK *notify)(cl_program, void *),
                      void *user) {
    static cl_int (*next)(cl_program, cl_uint, const cl_device_id *, const char *,
                          void(CL_CALLBACK *)(cl_program, void *), void *);
    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "clBuildProgram");
    note_options(options);
    if (builds++ >= number("LOST_BUILDS_AFTER"))
        return CL_BUILD_PROGRAM_FAILURE;
    return next(program, count, devices, options, notify, user);
}

cl_int clGetDeviceInfo(cl_device_id device, cl_device_info what, size_t size, void *value,
                       size_t *needed) {
    static cl_int (*next)(cl_device_id, cl_device_info, size_t, void *, size_t *);
    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "clGetDeviceInfo");
    if (what == 0x1053 && getenv("SVM_CAPABILITIES")) { /* CL_DEVICE_SVM_CAPABILITIES */
        *(cl_ulong *)value = (cl_ulong)number("SVM_CAPABILITIES");
        return CL_SUCCESS;
    }
    const char *other = what == CL_DEVICE_NAME      ? getenv("OTHER_DEVICE")
                        : what == CL_DRIVER_VERSION ? getenv("OTHER_DRIVER")
                                                    : NULL;
    if (!other || !value || size <= strlen(other))
        return next(device, what, size, value, needed);
    strcpy(value, other);
    return CL_SUCCESS;
}
