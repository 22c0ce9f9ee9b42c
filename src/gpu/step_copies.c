/* How fast the device copies, and how fast data come and go. */
#include <stdlib.h>

#include "gpu/gpu.h"
#include "measure/timing.h"
#include "report/json.h"

enum { RUNS = 11, COPIES = 8 };

typedef struct copies {
    hd_gpu_step_run *run;
    hd_gpu_memories memories;
    const hd_gpu_cuda *cuda;
    uint64_t bytes; /* of the transfers */
    void *pinned, *pageable;
} copies;

typedef int copy_once(const copies *c);

static int on_device(const copies *c) {
    return c->cuda->call.copy(c->memories.device_side.cuda, c->memories.host_side.cuda,
                              c->memories.bytes, NULL);
}
static int from_pinned(const copies *c) {
    return c->cuda->call.to_device_async(c->memories.host_side.cuda, c->pinned, c->bytes, NULL);
}
static int to_pinned(const copies *c) {
    return c->cuda->call.to_host_async(c->pinned, c->memories.host_side.cuda, c->bytes, NULL);
}
static int from_pageable(const copies *c) {
    return c->cuda->call.to_device(c->memories.host_side.cuda, c->pageable, c->bytes);
}
static int to_pageable(const copies *c) {
    return c->cuda->call.to_host(c->pageable, c->memories.host_side.cuda, c->bytes);
}

/* Several between two events: seconds of one. */
static int time_copies(const copies *c, copy_once *once, void *events[2], double *seconds) {
    const hd_cuda_library *call = &c->cuda->call;
    float milliseconds = 0;
    int error = call->record_event(events[0], NULL);
    for (int i = 0; i < COPIES && !error; i++)
        error = once(c);
    if (!error)
        error = call->record_event(events[1], NULL);
    if (!error)
        error = call->synchronize();
    if (!error)
        error = call->elapsed(&milliseconds, events[0], events[1]);
    *seconds = milliseconds * 1e-3 / COPIES;
    return error;
}

/* For some tenths of a second the clocks of a device that was idle still rise. */
static int warm_up(const copies *c, copy_once *once) {
    double start = hd_clock();
    int error = 0;
    do {
        error = once(c);
        if (!error)
            error = c->cuda->call.synchronize();
    } while (!error && hd_clock() - start < (c->run->small ? 0 : 0.3));
    return error;
}

static int measure(const copies *c, copy_once *once, double *seconds) {
    void *events[2] = {NULL, NULL};
    int error = warm_up(c, once);
    for (int e = 0; e < 2 && !error; e++)
        error = c->cuda->call.make_event(&events[e], 0);
    for (int r = 0; r < RUNS && !error; r++)
        error = time_copies(c, once, events, &seconds[r]);
    for (int e = 0; e < 2; e++)
        if (events[e])
            c->cuda->call.destroy_event(events[e]);
    return error;
}

static hd_status report(const copies *c, const char *name, copy_once *once, uint64_t bytes,
                        uint32_t times_moved) {
    double seconds[RUNS];
    int error = measure(c, once, seconds);
    if (error)
        return hd_fail(c->run->diag, HD_ESYSTEM, NULL, "cannot copy, %s: %s", name,
                       hd_cuda_error(&c->cuda->call, error));
    hd_timing timing = hd_timing_of(c->run->arena, seconds, RUNS);
    json_t *row = hd_gpu_add_row(c->run, "copies");
    json_object_set_new(row, "name", hd_json_text(name));
    json_object_set_new(row, "bytes", hd_json_integer(bytes));
    json_object_set_new(row, "timing", hd_json_timing(&timing));
    json_object_set_new(row, "gigabytes",
                        hd_json_number((double)bytes * times_moved / 1e9 /
                                       (timing.median > 0 ? timing.median : 1)));
    hd_gpu_keep(c->run);
    return HD_OK;
}

static hd_status report_all(copies *c) {
    static const struct {
        const char *name;
        copy_once *once;
    } ways[] = {{"host to device, pinned", from_pinned},
                {"device to host, pinned", to_pinned},
                {"host to device, pageable", from_pageable},
                {"device to host, pageable", to_pageable}};
    hd_status status =
        report(c, "within the device, read and written", on_device, c->memories.bytes, 2);
    for (size_t w = 0; w < sizeof ways / sizeof *ways && status == HD_OK; w++)
        if (hd_gpu_has_time(c->run, 1))
            status = report(c, ways[w].name, ways[w].once, c->bytes, 1);
    return status;
}

hd_status hd_gpu_run_copies(hd_gpu_step_run *run) {
    copies c = {.run = run};
    hd_status status = hd_gpu_make_memories(run->arena, run->diag,
                                            (uint64_t)1 << (run->small ? 20 : 30), &c.memories);
    if (status == HD_OK) {
        c.cuda = c.memories.own;
        c.bytes = c.memories.bytes < 256 << 20 ? c.memories.bytes : 256 << 20;
        c.pageable = hd_checked(malloc(c.bytes));
        memset(c.pageable, 1, c.bytes);
        int error = c.cuda->call.allocate_host(&c.pinned, c.bytes);
        if (error)
            status = hd_fail(run->diag, HD_ESYSTEM, NULL, "cannot pin memory of the host: %s",
                             hd_cuda_error(&c.cuda->call, error));
    }
    if (status == HD_OK) {
        memset(c.pinned, 1, c.bytes);
        status = report_all(&c);
    }
    if (c.pinned)
        c.cuda->call.free_host(c.pinned);
    free(c.pageable);
    hd_gpu_free_memories(&c.memories);
    return status;
}

void hd_gpu_show_copies(hd_str *page, const json_t *result) {
    size_t i;
    const json_t *row;
    hd_str_add(page, "| copy | MiB | GB/s | quartiles, ms |\n|---|--:|--:|---|\n");
    json_array_foreach(json_object_get(result, "copies"), i, row) {
        const json_t *timing = json_object_get(row, "timing");
        hd_str_printf(page, "| %s | %.0f | %.1f | %.3f to %.3f |\n", hd_gpu_text(row, "name"),
                      hd_gpu_number(row, "bytes") / (1 << 20), hd_gpu_number(row, "gigabytes"),
                      hd_gpu_number(timing, "low") * 1e3, hd_gpu_number(timing, "high") * 1e3);
    }
}
