/* What each test of an OpenCL device is given. */
#ifndef HD_TESTS_REMAP_OPENCL_FIXTURE_H
#define HD_TESTS_REMAP_OPENCL_FIXTURE_H

#include "maps.h"
#include "opencl.h"

typedef struct fixture {
    opencl_device opencl;
    hd_remap_device *device;
    heard last;
    hd_diag diag;
} fixture;

static inline int set_up(void **state) {
    static fixture f;
    f.diag = (hd_diag){hear, &f.last};
    if (!opencl_find(&f.opencl) ||
        hd_remap_open_opencl(&f.diag, f.opencl.context, f.opencl.id, &f.device) != HD_OK)
        return -1;
    *state = &f;
    return 0;
}

static inline int tear_down(void **state) {
    fixture *f = *state;
    hd_remap_close(f->device);
    clReleaseContext(f->opencl.context);
    return 0;
}

#endif
