/* How fast the device copies, and how fast data come and go. */
#include <stdlib.h>

#include "cli/gpu/gpu.h"
#include "cli/report/members.h"

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

/* Several that queue behind each other: seconds of one. */
static const char *time_copies(copies *c, way which, int count, double *seconds) {
    hd_compute *gpu = c->memories.gpu;
    hd_compute_queue *queue = &c->memories.queue;
    hd_compute_memory memory = c->memories.host_side.cuda, other = c->memories.device_side.cuda;
    void *host = which == FROM_PINNED || which == TO_PINNED ? c->pinned.data : c->pageable;
    const char *error = NULL;
    double start = hd_clock();
    for (int i = 0; i < count && !error; i++)
        error = which == ON_DEVICE ? gpu->api->copy(gpu, queue, other, memory, c->memories.bytes)
                : which == FROM_PINNED || which == FROM_PAGEABLE
                    ? gpu->api->write(gpu, queue, memory, 0, host, c->bytes)
                    : gpu->api->read(gpu, queue, host, memory, 0, c->bytes);
    const char *finished = gpu->api->finish(gpu, queue);
    *seconds = (hd_clock() - start) / count;
    return error ? error : finished;
}

typedef struct copy_row {
    const char *name;
    uint64_t bytes;
    hd_timing timing;
    double gigabytes; /* a second */
} copy_row;

static const hd_member copy_members[] = {
    HD_SAME(copy_row, name, bytes),
    {"timing", HD_IN(copy_row, timing), .of = hd_timing_members},
    {"gigabytes", HD_AT(copy_row, gigabytes)},
    {0}};

static hd_status report(copies *c, way which) {
    static const char *const names[] = {"within the device, read and written",
                                        "host to device, pinned", "device to host, pinned",
                                        "host to device, pageable", "device to host, pageable"};
    uint64_t bytes = which == ON_DEVICE ? c->memories.bytes : c->bytes;
    double seconds[RUNS], start = hd_clock(), unused;
    const char *error = NULL;
    /* For some tenths of a second the clocks of a device that was idle still rise. */
    do {
        error = time_copies(c, which, 1, &unused);
    } while (!error && hd_clock() - start < (c->run->small ? 0 : 0.3));
    for (int r = 0; r < RUNS && !error; r++)
        error = time_copies(c, which, COPIES, &seconds[r]);
    if (error)
        return hd_fail(c->run->diag, HD_ESYSTEM, NULL, "cannot copy, %s: %s", names[which], error);
    copy_row row = {names[which], bytes, hd_timing_of(c->run->arena, seconds, RUNS), 0};
    row.gigabytes = (double)bytes * (which == ON_DEVICE ? 2 : 1) / 1e9 /
                    (row.timing.median > 0 ? row.timing.median : 1);
    hd_gpu_add_row(c->run, "copies", copy_members, &row);
    return HD_OK;
}

hd_status hd_gpu_run_copies(hd_gpu_step_run *run) {
    copies c = {.run = run};
    hd_gpu_memories *m = &c.memories;
    hd_compute *gpu;
    hd_status status = hd_gpu_open_cuda(run->arena, run->diag, &gpu);
    if (status != HD_OK)
        return status;
    status = hd_gpu_make_memories(run->diag, gpu, (uint64_t)1 << (run->small ? 20 : 30), m);
    c.bytes = m->bytes < 256 << 20 ? m->bytes : 256 << 20;
    const char *error = status ? NULL : gpu->api->pin(gpu, &m->queue, c.bytes, &c.pinned);
    if (error)
        status = hd_fail(run->diag, HD_ESYSTEM, NULL, "cannot %s: %s", gpu->doing, error);
    if (status == HD_OK) {
        c.pageable = hd_checked(malloc(c.bytes));
        memset(c.pageable, 1, c.bytes);
        memset(c.pinned.data, 1, c.bytes);
        for (way w = 0; w < WAYS && status == HD_OK; w++)
            if (w == ON_DEVICE || hd_gpu_has_time(run, 1))
                status = report(&c, w);
        gpu->api->unpin(gpu, &m->queue, &c.pinned);
        free(c.pageable);
    }
    hd_gpu_free_memories(m);
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
