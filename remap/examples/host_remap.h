/*
 * What the remapped versions of the case studies have beside host.h: the checks of the library's
 * calls, which any program needs in some form.
 */
#ifndef HEDDLE_EXAMPLES_HOST_REMAP_H
#define HEDDLE_EXAMPLES_HOST_REMAP_H

#include "../../examples/host.h"

#include <heddle/remap.h>
#include <time.h>

static inline void host_say(const hd_message *message, void *user) {
    (void)user;
    fprintf(stderr, "%s\n", message->text);
}

static const hd_diag host_diag = {host_say, NULL};

/* The library has said what is wrong. */
static inline void host_ok(hd_status status) {
    if (status != HD_OK)
        exit(2);
}

/* Seconds of a clock. */
static inline double host_clock(void) {
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static inline hd_remap_device *host_remap_open(const host *h) {
    hd_remap_device *device;
    host_ok(hd_remap_open_opencl(&host_diag, h->context, h->device, &device));
    return device;
}

/* Memory for a map's side of the device. */
static inline hd_remap_memory host_remap_memory(host *h, const hd_remap *map) {
    cl_int error;
    hd_remap_memory memory = {.opencl = clCreateBuffer(h->context, CL_MEM_READ_WRITE,
                                                       hd_remap_bytes(map, 0), NULL, &error)};
    host_check(error, "memory for remapped data");
    return memory;
}

#endif
