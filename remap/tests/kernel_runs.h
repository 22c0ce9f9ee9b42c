/*
 * Remapping kernels on the first OpenCL device, in memory with guard bytes around it.
 */
#ifndef HD_TESTS_REMAP_KERNEL_RUNS_H
#define HD_TESTS_REMAP_KERNEL_RUNS_H

#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <stdlib.h>

#include "driver/opencl_library.h"
#include "remap/kernels.h"

typedef struct opencl {
    driver_opencl_library library;
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
} opencl;

static inline opencl opencl_open(hd_arena *arena) {
    opencl cl = {0};
    const char *missing;
    cl_platform_id platform;
    assert_true(driver_opencl_open(arena, &cl.library, &missing));
    assert_int_equal(cl.library.get_platforms(1, &platform, NULL), CL_SUCCESS);
    assert_int_equal(cl.library.get_devices(platform, CL_DEVICE_TYPE_ALL, 1, &cl.device, NULL),
                     CL_SUCCESS);
    cl.context = cl.library.make_context(NULL, 1, &cl.device, NULL, NULL, NULL);
    cl.queue = cl.library.make_queue(cl.context, cl.device, 0, NULL);
    assert_non_null(cl.queue);
    return cl;
}

static inline void opencl_close(opencl *cl) {
    cl->library.release_queue(cl->queue);
    cl->library.release_context(cl->context);
}

static inline cl_kernel opencl_kernel(const opencl *cl, const char *text, const char *name) {
    cl_int status;
    cl_program program = cl->library.make_program(cl->context, 1, &text, NULL, &status);
    assert_int_equal(status, CL_SUCCESS);
    if (cl->library.build(program, 1, &cl->device, "-cl-std=CL1.2 -Werror", NULL, NULL) !=
        CL_SUCCESS) {
        static char log[16384];
        cl->library.build_info(program, cl->device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        fail_msg("%s\n%s", log, text);
    }
    cl_kernel kernel = cl->library.make_kernel(program, name, &status);
    assert_int_equal(status, CL_SUCCESS);
    cl->library.release_program(program);
    return kernel;
}

/* ---- memory with guards ------------------------------------------------------------------- */

enum { GUARD = 4096, GUARD_FILL = 0xc5 };

/* `bytes` bytes at `data`, which the buffer is, between guards; `data` is `shift` bytes after a
 * multiple of 4096. */
typedef struct region {
    unsigned char *all, *data;
    size_t bytes;
    cl_mem buffer;
} region;

static inline region region_new(const opencl *cl, size_t bytes, size_t shift) {
    region r = {.bytes = bytes};
    cl_int status;
    size_t all = hd_align_up(bytes + shift, GUARD) + 2 * GUARD;
    r.all = aligned_alloc(GUARD, all);
    memset(r.all, GUARD_FILL, all);
    r.data = r.all + GUARD + shift;
    r.buffer = cl->library.make_buffer(cl->context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes,
                                       r.data, &status);
    assert_int_equal(status, CL_SUCCESS);
    return r;
}

/* After writing `data` on the host, and before reading it. */
static inline void region_put(const opencl *cl, const region *r) {
    void *copy = malloc(r->bytes);
    memcpy(copy, r->data, r->bytes);
    assert_int_equal(
        cl->library.write(cl->queue, r->buffer, CL_TRUE, 0, r->bytes, copy, 0, NULL, NULL),
        CL_SUCCESS);
    free(copy);
}

static inline void region_get(const opencl *cl, const region *r) {
    void *copy = malloc(r->bytes);
    assert_int_equal(
        cl->library.read(cl->queue, r->buffer, CL_TRUE, 0, r->bytes, copy, 0, NULL, NULL),
        CL_SUCCESS);
    memcpy(r->data, copy, r->bytes);
    free(copy);
    for (unsigned char *at = r->all; at < r->data; at++)
        assert_int_equal(*at, GUARD_FILL);
    size_t end = hd_align_up((size_t)(r->data - r->all) + r->bytes, GUARD) + GUARD;
    for (unsigned char *at = r->data + r->bytes; at < r->all + end; at++)
        assert_int_equal(*at, GUARD_FILL);
}

static inline void region_free(const opencl *cl, region *r) {
    cl->library.release_memory(r->buffer);
    free(r->all);
}

/* ---- launches ------------------------------------------------------------------------------- */

/* The numbers of `count` units from `first` on, as the kernel wants them; none: NULL. */
static inline void *numbers_of(const hd_remap *map, hd_remap_direction direction, uint64_t first,
                               uint64_t count) {
    hd_remap_units units = hd_remap_units_of(map, direction);
    hd_diag quiet = {0};
    const hd_remap_numbers *all = &map->element;
    if (!units.number_bytes)
        return NULL;
    if (map->kind != HD_REMAP_GATHER || direction == HD_REMAP_FROM_DEVICE)
        assert_int_equal(hd_remap_places_of(&quiet, map, &all), HD_OK);
    assert_int_equal(all->bytes, units.number_bytes);
    char *numbers = malloc((size_t)count * all->bytes);
    memcpy(numbers, (char *)all->data + first * all->bytes, (size_t)count * all->bytes);
    return numbers;
}

static inline void launch_chunk(const opencl *cl, cl_kernel kernel, const hd_remap *map,
                                hd_remap_direction direction, const hd_remap_tuning *tuning,
                                const region *parts, const region *staging, uint64_t first,
                                uint64_t count) {
    cl_uint a = 0;
    for (uint32_t p = 0; p < map->parts; p++)
        assert_int_equal(cl->library.set_argument(kernel, a++, sizeof(cl_mem), &parts[p].buffer),
                         CL_SUCCESS);
    cl->library.set_argument(kernel, a++, sizeof(cl_mem), &staging->buffer);
    region numbers = {0};
    void *chosen = numbers_of(map, direction, first, count);
    if (chosen) {
        numbers = region_new(cl, (size_t)count * hd_remap_units_of(map, direction).number_bytes, 0);
        memcpy(numbers.data, chosen, numbers.bytes);
        region_put(cl, &numbers);
        cl->library.set_argument(kernel, a++, sizeof(cl_mem), &numbers.buffer);
        free(chosen);
    }
    cl->library.set_argument(kernel, a++, sizeof first, &first);
    assert_int_equal(cl->library.set_argument(kernel, a++, sizeof count, &count), CL_SUCCESS);
    hd_compute_launch launch = hd_remap_launch_of(map, tuning, count);
    size_t items = launch.global[0], local = launch.local[0];
    assert_int_equal(cl->library.launch(cl->queue, kernel, 1, NULL, &items, &local, 0, NULL, NULL),
                     CL_SUCCESS);
    cl->library.finish(cl->queue);
    if (numbers.buffer)
        region_free(cl, &numbers);
}

#endif
