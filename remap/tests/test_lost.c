/*
 * An OpenCL device that is lost in the middle of a move: an error that says so, and the host's
 * data is untouched, but for bytes on the way back that the message names; docs/remap.md says for
 * each strategy which these are.
 *
 * The functions of OpenCL that are defined here stand before those of the loader.
 */
#include <dlfcn.h>
#include <limits.h>

#include "moves.h"
#include "opencl.h"

/* ---- a device that may be lost --------------------------------------------------------------- */

/* Commands until it is; and whether they are refused then, or queued and never done. */
static int commands_left = INT_MAX;
static bool is_silent;

static bool is_lost(void) { return commands_left <= 0; }

/* The next command is run, if true; else *error is what it returns. */
static bool next_command(cl_event *event, cl_int *error) {
    if (commands_left-- > 0)
        return true;
    *error = is_silent ? CL_SUCCESS : CL_DEVICE_NOT_AVAILABLE;
    if (is_silent && event)
        *event = (cl_event)&commands_left;
    return false;
}

#define NEXT(function) ((__typeof__(&function))dlsym(RTLD_NEXT, #function))

/* Events of commands that were never run. */
static bool is_ours(const cl_event *events, cl_uint count) {
    for (cl_uint e = 0; e < count; e++)
        if (events[e] == (cl_event)&commands_left)
            return true;
    return false;
}

cl_int clEnqueueWriteBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset,
                            size_t bytes, const void *from, cl_uint waits, const cl_event *wait_for,
                            cl_event *event) {
    cl_int error;
    if (!next_command(event, &error))
        return error;
    return NEXT(clEnqueueWriteBuffer)(queue, buffer, blocking, offset, bytes, from, waits, wait_for,
                                      event);
}

cl_int clEnqueueReadBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset,
                           size_t bytes, void *to, cl_uint waits, const cl_event *wait_for,
                           cl_event *event) {
    cl_int error;
    if (!next_command(event, &error))
        return error;
    return NEXT(clEnqueueReadBuffer)(queue, buffer, blocking, offset, bytes, to, waits, wait_for,
                                     event);
}

cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dims,
                              const size_t *offset, const size_t *global, const size_t *local,
                              cl_uint waits, const cl_event *wait_for, cl_event *event) {
    cl_int error;
    if (!next_command(event, &error))
        return error;
    return NEXT(clEnqueueNDRangeKernel)(queue, kernel, dims, offset, global, local, waits, wait_for,
                                        event);
}

cl_int clWaitForEvents(cl_uint count, const cl_event *events) {
    if (is_ours(events, count))
        return CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    return NEXT(clWaitForEvents)(count, events);
}

cl_int clReleaseEvent(cl_event event) {
    return is_ours(&event, 1) ? CL_SUCCESS : NEXT(clReleaseEvent)(event);
}

cl_int clFinish(cl_command_queue queue) {
    cl_int error = NEXT(clFinish)(queue);
    return is_lost() && !is_silent ? CL_DEVICE_NOT_AVAILABLE : error;
}

/* ---- the tests ------------------------------------------------------------------------------ */

typedef struct fixture {
    opencl_device opencl;
    hd_remap_device *device;
    hd_remap *map;
    moves m;
    hd_remap_memory *memory;
    heard last;
    hd_diag diag;
} fixture;

static int set_up(void **state) {
    static fixture f;
    f.diag = (hd_diag){hear, &f.last};
    if (!opencl_find(&f.opencl) ||
        hd_remap_open_opencl(&f.diag, f.opencl.context, f.opencl.id, &f.device) != HD_OK ||
        hd_remap_layout(&f.diag, &body_record, "{x,y,z}{kind}/da", 20000, &f.map) != HD_OK)
        return -1;
    f.m = moves_new(f.map);
    f.memory = device_parts(f.device, f.map, f.m.parts);
    *state = &f;
    return 0;
}

static int tear_down(void **state) {
    fixture *f = *state;
    release_parts(f->device, f->map, f->memory);
    moves_free(&f->m);
    hd_remap_free(f->map);
    hd_remap_close(f->device);
    clReleaseContext(f->opencl.context);
    return 0;
}

/* The host's memory before a move. */
static unsigned char *host_before(const fixture *f, bool back) {
    unsigned char *host = filled(f->map->source_bytes, HOLE_HOST);
    if (!back)
        memcpy(host, f->m.source, (size_t)f->map->source_bytes);
    return host;
}

static hd_status move_and_lose(fixture *f, bool back, const hd_remap_options *options,
                               unsigned char *host, int after) {
    f->last = (heard){0};
    commands_left = after;
    hd_status status =
        back ? hd_remap_from_device(&f->diag, f->device, f->map, host, f->memory, options)
             : hd_remap_to_device(&f->diag, f->device, f->map, f->memory, host, options);
    commands_left = INT_MAX;
    return status;
}

enum { CHUNK = 1 << 16, COMMANDS_OF_CHUNK = 2 /* its kernel, and its transfer */ };

static uint64_t bytes_of_chunks(const fixture *f, int chunks) {
    hd_remap_units units = hd_remap_units_of(f->map, HD_REMAP_FROM_DEVICE);
    uint64_t bytes = CHUNK / units.bytes / units.step * units.step * units.bytes * (uint64_t)chunks;
    return bytes < f->map->source_bytes ? bytes : f->map->source_bytes;
}

/* How many bytes a move back may have changed, when it fails after so many commands. */
static uint64_t may_change(const fixture *f, hd_remap_strategy strategy, int after) {
    int chunk = after / COMMANDS_OF_CHUNK; /* the first that is not whole */
    switch (strategy) {
    case HD_REMAP_HOST: /* the transfers go to memory of the library's */ return 0;
    case HD_REMAP_CHUNKED:
        if (f->device->gpu->is_unified) /* where nobody waits before all transfers are asked for */
            return is_silent ? f->map->source_bytes
                             : bytes_of_chunks(f, chunk + after % COMMANDS_OF_CHUNK);
        if (!is_silent) /* those before it are not waited for any more */
            chunk = chunk < HD_REMAP_SLOTS ? 0 : chunk - HD_REMAP_SLOTS + 1;
        return bytes_of_chunks(f, chunk);
    default: /* the first command is the kernel of all */
        return after > 0 || is_silent ? f->map->source_bytes : 0;
    }
}

/* Just those bytes are named. Chunks that had come back whole are right. */
static void expect_named(const fixture *f, hd_remap_strategy strategy, int after,
                         const unsigned char *host) {
    uint64_t named = named_bytes(&f->last);
    assert_int_equal(named, may_change(f, strategy, after));
    if (strategy == HD_REMAP_CHUNKED && !f->device->gpu->is_unified)
        assert_memory_equal(host, f->m.back, named);
}

/* After each number of commands, until the move needs no more. */
static int lose_after_each(fixture *f, bool back, const hd_remap_options *options) {
    int after = 0;
    for (bool lost = true; lost; after++) {
        unsigned char *host = host_before(f, back);
        hd_status status = move_and_lose(f, back, options, host, after);
        lost = status != HD_OK;
        assert_int_equal(f->last.count, lost);
        if (lost) {
            assert_int_equal(status, HD_ESYSTEM);
            assert_says(f->last, is_silent ? "CL_EXEC_STATUS_ERROR" : "CL_DEVICE_NOT_AVAILABLE");
            expect_untouched(&f->m, back, host, &f->last);
            if (back)
                expect_named(f, options->strategy, after, host);
        } else if (back) {
            expect_host(&f->m, host);
        }
        free(host);
    }
    return after - 1;
}

static void every_strategy(fixture *f) {
    /* Commands of a move: a transfer and a kernel for each of 5 chunks; a transfer of each part;
     * a kernel, and the host's look at what it did. */
    const int expected[2][HD_REMAP_STRATEGIES] = {{0, 10, 2, 2, 1},
                                                  {0, 10, 2, 2, is_silent ? 1 : 2}};
    for (int back = 0; back < 2; back++)
        for (int s = HD_REMAP_CHUNKED; s < HD_REMAP_STRATEGIES; s++) {
            hd_remap_options options = {.strategy = s, .chunk_bytes = CHUNK};
            assert_int_equal(lose_after_each(f, back, &options), expected[back][s]);
        }
    expect_parts(f->device, &f->m, f->memory); /* each failure left what is brought back */
}

/* One that works in the host's memory, and one with memory of its own, for which chunks pass
 * through pinned memory. */
static void both_kinds_of_device(void **state, bool silent) {
    fixture *f = *state;
    is_silent = silent;
    for (int unified = 0; unified < 2; unified++) {
        f->device->gpu->is_unified = unified;
        every_strategy(f);
    }
}

static void lost_with_an_error(void **state) { both_kinds_of_device(state, false); }

static void lost_without_one(void **state) { both_kinds_of_device(state, true); }

/* Before anything came back nothing is said of bytes that changed. */
static void nothing_changes_before_it_is_read(void **state) {
    fixture *f = *state;
    hd_remap_options options = {.strategy = HD_REMAP_BULK};
    unsigned char *host = host_before(f, true);
    is_silent = false;
    assert_int_equal(move_and_lose(f, true, &options, host, 0), HD_ESYSTEM);
    assert_null(strstr(f->last.text, "may have changed"));
    options.strategy = HD_REMAP_HOST;
    assert_int_equal(move_and_lose(f, true, &options, host, 1), HD_ESYSTEM);
    assert_null(strstr(f->last.text, "may have changed"));
    for (uint64_t i = 0; i < f->map->source_bytes; i++)
        assert_int_equal(host[i], HOLE_HOST);
    free(host);
}

/* A device may be used again after a failure, if it still can. */
static void used_again(void **state) {
    fixture *f = *state;
    hd_remap_options options = {.strategy = HD_REMAP_CHUNKED, .chunk_bytes = 1 << 16};
    unsigned char *host = host_before(f, false);
    is_silent = true;
    assert_int_equal(move_and_lose(f, false, &options, host, 5), HD_ESYSTEM);
    expect_to_device(f->device, &f->m, &options);
    expect_from_device(f->device, &f->m, &options);
    free(host);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lost_with_an_error),
        cmocka_unit_test(lost_without_one),
        cmocka_unit_test(nothing_changes_before_it_is_read),
        cmocka_unit_test(used_again),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
