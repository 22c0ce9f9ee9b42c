/* What each test of an OpenCL device is given. */
#ifndef HD_TESTS_REMAP_OPENCL_FIXTURE_H
#define HD_TESTS_REMAP_OPENCL_FIXTURE_H

#include <stdlib.h>

#include "base/base.h"
#include "maps.h"
#include "opencl.h"

typedef struct fixture {
    opencl_device opencl;
    hd_remap_device *device;
    hd_arena *arena; /* of set_up_in_folder() alone, as the folder */
    char *folder;
    heard last;
    hd_diag diag;
} fixture;

static inline int set_up(void **state) {
    static fixture f;
    f = (fixture){.diag = {hear, &f.last}};
    if (!opencl_find(&f.opencl) ||
        hd_remap_open_opencl(&f.diag, f.opencl.context, f.opencl.id, &f.device) != HD_OK)
        return -1;
    *state = &f;
    return 0;
}

/* With a new folder where the library and PoCL keep what the next process finds. */
static inline int set_up_in_folder(void **state) {
    hd_arena *arena = hd_arena_new();
    char *folder;
    if (hd_scratch_make(arena, NULL, &folder) != HD_OK ||
        setenv("XDG_CACHE_HOME", folder, 1) != 0 || set_up(state) != 0)
        return -1;
    fixture *f = *state;
    f->arena = arena;
    f->folder = folder;
    return 0;
}

static inline int tear_down(void **state) {
    fixture *f = *state;
    hd_remap_close(f->device);
    clReleaseContext(f->opencl.context);
    hd_scratch_remove(f->folder);
    hd_arena_free(f->arena);
    return 0;
}

#endif
