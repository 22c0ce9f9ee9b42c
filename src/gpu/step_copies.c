/* How fast the device copies, and how fast data come and go. */
#include <stdlib.h>

#include "gpu/gpu.h"
#include "measure/timing.h"
#include "report/json.h"

enum { RUNS = 11, COPIES = 8 };

typedef struct copies {
    hd_gpu_step_run *run;
    hd_gpu_memories memories;
    uint64_t bytes; /* of the transfers */
    hd_compute_pinned pinned;
    void *pageable;
} copies;

/* What is copied. */
typedef enum way { ON_DEVICE, FROM_PINNED, TO_PINNED, FROM_PAGEABLE, TO_PAGEABLE, WAYS } way;

static const char *copy_once(copies *c, way which) {
    hd_gpu_memories *m = &c->memories;
    void *host = which == FROM_PINNED || which == TO_PINNED ? c->pinned.data : c->pageable;
    if (which == ON_DEVICE)
        return m->gpu->api->copy(m->gpu, &m->queue, m->device_side.cuda, m->host_side.cuda,
                                 m->bytes);
    if (which == FROM_PINNED || which == FROM_PAGEABLE)
        return m->gpu->api->write(m->gpu, &m->queue, m->host_side.cuda, host, c->bytes);
    return m->gpu->api->read(m->gpu, &m->queue, host, m->host_side.cuda, c->bytes);
}

/* Several that queue behind each other: seconds of one. */
static const char *time_copies(copies *c, way which, int count, double *seconds) {
    hd_gpu_memories *m = &c->memories;
    const char *error = NULL;
    double start = hd_clock();
    for (int i = 0; i < count && !error; i++)
        error = copy_once(c, which);
    const char *finished = m->gpu->api->finish(m->gpu, &m->queue);
    *seconds = (hd_clock() - start) / count;
    return error ? error : finished;
}

static const char *measure(copies *c, way which, double *seconds) {
    const char *error = NULL;
    /* For some tenths of a second the clocks of a device that was idle still rise. */
    double start = hd_clock(), unused;
    do {
        error = time_copies(c, which, 1, &unused);
    } while (!error && hd_clock() - start < (c->run->small ? 0 : 0.3));
    for (int r = 0; r < RUNS && !error; r++)
        error = time_copies(c, which, COPIES, &seconds[r]);
    return error;
}

static hd_status report(copies *c, way which) {
    static const char *const names[] = {"within the device, read and written",
                                        "host to device, pinned", "device to host, pinned",
                                        "host to device, pageable", "device to host, pageable"};
    uint64_t bytes = which == ON_DEVICE ? c->memories.bytes : c->bytes;
    double seconds[RUNS];
    const char *error = measure(c, which, seconds);
    if (error)
        return hd_fail(c->run->diag, HD_ESYSTEM, NULL, "cannot copy, %s: %s", names[which], error);
    hd_timing timing = hd_timing_of(c->run->arena, seconds, RUNS);
    json_t *row = hd_gpu_add_row(c->run, "copies");
    json_object_set_new(row, "name", hd_json_text(names[which]));
    json_object_set_new(row, "bytes", hd_json_integer(bytes));
    json_object_set_new(row, "timing", hd_json_timing(&timing));
    json_object_set_new(row, "gigabytes",
                        hd_json_number((double)bytes * (which == ON_DEVICE ? 2 : 1) / 1e9 /
                                       (timing.median > 0 ? timing.median : 1)));
    hd_gpu_keep(c->run);
    return HD_OK;
}

static hd_status report_all(copies *c) {
    hd_compute *gpu = c->memories.gpu;
    c->bytes = c->memories.bytes < 256 << 20 ? c->memories.bytes : 256 << 20;
    const char *error = gpu->api->pin(gpu, &c->memories.queue, c->bytes, &c->pinned);
    if (error)
        return hd_fail(c->run->diag, HD_ESYSTEM, NULL, "cannot %s: %s", gpu->doing, error);
    c->pageable = hd_checked(malloc(c->bytes));
    memset(c->pageable, 1, c->bytes);
    memset(c->pinned.data, 1, c->bytes);
    hd_status status = HD_OK;
    for (way w = 0; w < WAYS && status == HD_OK; w++)
        if (w == ON_DEVICE || hd_gpu_has_time(c->run, 1))
            status = report(c, w);
    gpu->api->unpin(gpu, &c->memories.queue, &c->pinned);
    free(c->pageable);
    return status;
}

hd_status hd_gpu_run_copies(hd_gpu_step_run *run) {
    copies c = {.run = run};
    hd_compute *gpu;
    hd_status status = hd_gpu_open_cuda(run->arena, run->diag, &gpu);
    if (status != HD_OK)
        return status;
    status =
        hd_gpu_make_memories(run->diag, gpu, (uint64_t)1 << (run->small ? 20 : 30), &c.memories);
    if (status == HD_OK)
        status = report_all(&c);
    hd_gpu_free_memories(&c.memories);
    gpu->api->close(gpu);
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
