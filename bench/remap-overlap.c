/*
 * How well transfers and remapping hide behind each other: each strategy of libheddle-remap, and
 * chunks of several sizes, against the larger of the transfer alone and the remap alone.
 *
 *     bench_remap-overlap [--mib N]    source bytes; 64 without it
 *
 * On every OpenCL device, and on the first CUDA device where there is one, both ways. The host's
 * memory is such as the device transfers without a copy: pinned, or, where the device works in
 * the host's, any. All run by turns, and of each the fastest of its runs counts. Nothing counts
 * that is done once: calibration, compiling, memory for staging.
 *
 * Required of chunks of the planned size: on a device with memory of its own, at most 15% over
 * the larger of the two; on one that works in the host's memory and with the host's cores, where
 * nothing can be hidden, at most 5% over one piece. The exit status is 1 where that is missed.
 */
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

#include "driver/cuda_library.h"
#include "remap/device.h"
#include "report/report.h"
#include "shared/opencl.h"

enum { RUNS = 15, CHUNK_SIZES = 6, MOST_DEVICES = 16 };
static const double over_larger = 1.15, over_bulk = 1.05;

/* What is timed. The last sizes of chunks is the planned one. */
typedef enum contender {
    TRANSFER,
    REMAP,
    BULK,
    ON_HOST,
    ZERO_COPY,
    FIRST_CHUNKED,
    CONTENDERS = FIRST_CHUNKED + CHUNK_SIZES,
    PLANNED = CONTENDERS - 1
} contender;

typedef struct bench {
    hd_arena *arena;
    const hd_diag *diag;
    uint64_t bytes; /* of the source */
    bool missed;
} bench;

/* One map in one direction. */
typedef struct course {
    hd_remap_device *device;
    hd_remap *map;
    hd_remap_direction direction;
    hd_remap_pinned host;
    hd_remap_memory part;
    hd_remap_choice choice;
    double best[CONTENDERS]; /* seconds; 0: it cannot be used */
} course;

/* ---- memory ------------------------------------------------------------------------------ */

static hd_status make_memory(const bench *b, course *c) {
    hd_remap_device *device = c->device;
    device->diag = b->diag;
    hd_status status = device->backend->allocate(device, hd_remap_bytes(c->map, 0), &c->part);
    if (status != HD_OK)
        return status;
    if (device->is_unified)
        c->host.data = hd_checked(aligned_alloc(4096, (size_t)hd_align_up(b->bytes, 4096)));
    else
        status = device->backend->pin(device, b->bytes, &c->host);
    if (status == HD_OK)
        memset(c->host.data, 1, (size_t)b->bytes);
    return status;
}

static void release_memory(course *c) {
    if (c->device->is_unified)
        free(c->host.data);
    else if (c->host.data)
        c->device->backend->unpin(c->device, &c->host);
    if (c->part.cuda)
        c->device->backend->release(c->device, c->part);
}

/* ---- timing ------------------------------------------------------------------------------- */

static uint64_t chunk_bytes_of(const course *c, contender which) {
    return which == PLANNED ? c->choice.chunk_bytes
                            : (uint64_t)1 << (18 + 2 * (which - FIRST_CHUNKED)); /* from 256 KiB */
}

static hd_status run_once(const hd_diag *diag, const course *c, contender which) {
    static const hd_remap_strategy strategies[] = {HD_REMAP_BULK, HD_REMAP_BULK, HD_REMAP_BULK,
                                                   HD_REMAP_HOST, HD_REMAP_ZERO_COPY};
    hd_remap_options options = {.strategy = HD_REMAP_CHUNKED};
    if (which < FIRST_CHUNKED)
        options.strategy = strategies[which];
    else
        options.chunk_bytes = chunk_bytes_of(c, which);
    unsigned extent = which == TRANSFER ? HD_REMAP_ONLY_TRANSFERS
                      : which == REMAP  ? HD_REMAP_ONLY_REMAPS
                                        : HD_REMAP_WHOLE;
    return hd_remap_move(diag, c->device, c->map, c->direction, &c->part, c->host.data, &options,
                         extent | HD_REMAP_FROM_PINNED);
}

static hd_status time_all(const bench *b, course *c) {
    const hd_diag quiet = {0};
    for (int run = -1; run < RUNS; run++)
        for (contender which = 0; which < CONTENDERS; which++) {
            bool optional = which == ZERO_COPY;
            if (run >= 0 && c->best[which] == 0)
                continue;
            double start = hd_clock();
            hd_status status = run_once(optional ? &quiet : b->diag, c, which);
            double seconds = hd_clock() - start;
            if (status != HD_OK && !optional)
                return status;
            if (status == HD_OK && (run <= 0 || seconds < c->best[which]))
                c->best[which] = seconds;
        }
    return HD_OK;
}

/* ---- results ------------------------------------------------------------------------------- */

static void add_row(const bench *b, hd_table *table, const char *name, double seconds,
                    double larger, double bulk) {
    const char *time = seconds > 0 ? hd_format(b->arena, "%.2f", seconds * 1e3) : "cannot";
    hd_table_row(table,
                 (const char *[]){name, time,
                                  seconds > 0 ? hd_format(b->arena, "%.2f", seconds / larger) : "",
                                  seconds > 0 ? hd_format(b->arena, "%.2f", seconds / bulk) : ""});
}

static void show(bench *b, const course *c, const char *what) {
    static const char *const names[] = {"transfer alone", "remap alone", "bulk", "host",
                                        "zero-copy"};
    static const hd_column columns[] = {
        {"", HD_LEFT}, {"ms", HD_RIGHT}, {"of the larger", HD_RIGHT}, {"of bulk", HD_RIGHT}};
    double larger = c->best[TRANSFER] > c->best[REMAP] ? c->best[TRANSFER] : c->best[REMAP];
    printf("\n%s, %s, %llu MiB, %s\n", c->device->name, what, (unsigned long long)b->bytes >> 20,
           c->direction == HD_REMAP_TO_DEVICE ? "to the device" : "from the device");
    hd_table *table = hd_table_new(b->arena, columns, 4);
    hd_str out = {.arena = b->arena};
    for (contender which = 0; which < CONTENDERS; which++)
        add_row(b, table,
                which < FIRST_CHUNKED ? names[which]
                                      : hd_format(b->arena, "chunks of %.2f MiB%s",
                                                  (double)chunk_bytes_of(c, which) / (1 << 20),
                                                  which == PLANNED ? ", as planned" : ""),
                c->best[which], larger, c->best[BULK]);
    hd_table_print(table, &out, false);
    fputs(hd_str_text(&out), stdout);
    bool hides = !c->device->is_processor;
    double over = c->best[PLANNED] / (hides ? larger : c->best[BULK]);
    bool met = over <= (hides ? over_larger : over_bulk);
    b->missed |= !met;
    printf("planned chunks over %s: %.2f, at most %.2f: %s\nthe plan: %s\n",
           hides ? "the larger of transfer and remap" : "one piece", over,
           hides ? over_larger : over_bulk, met ? "met" : "missed", c->choice.why);
}

/* ---- maps and devices --------------------------------------------------------------------- */

static hd_status run_course(bench *b, hd_remap_device *device, hd_remap *map, const char *what) {
    hd_status status = HD_OK;
    for (int d = 0; d < 2 && status == HD_OK; d++) {
        course c = {.device = device, .map = map, .direction = (hd_remap_direction)d};
        status = hd_remap_plan(b->diag, device, map, c.direction, &c.choice);
        if (status == HD_OK)
            status = make_memory(b, &c);
        if (status == HD_OK)
            status = time_all(b, &c);
        if (status == HD_OK)
            show(b, &c, what);
        release_memory(&c);
    }
    return status;
}

static hd_status run_device(bench *b, hd_remap_device *device) {
    static const hd_remap_field fields[] = {
        {"x", 0, 4, 4}, {"y", 4, 4, 4}, {"z", 8, 4, 4}, {"w", 12, 4, 4}};
    static const hd_remap_record record = {"particle", 16, 4, fields, 4};
    hd_remap *map;
    device->kept_bytes = UINT64_MAX;
    hd_status status = hd_remap_layout(b->diag, &record, "soa", b->bytes / 16, &map);
    if (status == HD_OK)
        status = run_course(b, device, map, "structs of four floats to soa");
    hd_remap_free(map);
    if (status == HD_OK)
        status = hd_remap_transpose(b->diag, b->bytes / 4096, 1024, 4, &map);
    if (status == HD_OK) {
        status = run_course(b, device, map, "a matrix of floats with 1024 columns transposed");
        hd_remap_free(map);
    }
    return status;
}

static hd_status run_opencl(bench *b) {
    cl_device_id ids[MOST_DEVICES];
    unsigned count = find_opencl_devices(ids, MOST_DEVICES);
    hd_status status = HD_OK;
    for (unsigned i = 0; i < count && status == HD_OK; i++) {
        hd_remap_device *device;
        cl_context context = clCreateContext(NULL, 1, &ids[i], NULL, NULL, NULL);
        status = hd_remap_open_opencl(b->diag, context, ids[i], &device);
        if (status == HD_OK)
            status = run_device(b, device);
        hd_remap_close(device);
        clReleaseContext(context);
    }
    return status;
}

static hd_status run_cuda(bench *b) {
    hd_cuda_library cuda;
    const char *missing;
    void *context;
    int count = 0, number;
    if (!hd_cuda_open(b->arena, &cuda, &missing) || cuda.init(0) || cuda.count_devices(&count) ||
        !count || cuda.get_device(&number, 0) || cuda.retain_context(&context, number) ||
        cuda.use_context(context)) {
        printf("\nno CUDA device\n");
        return HD_OK;
    }
    hd_remap_device *device;
    hd_status status = hd_remap_open_cuda(b->diag, &device);
    if (status == HD_OK)
        status = run_device(b, device);
    hd_remap_close(device);
    cuda.release_context(number);
    return status;
}

static void print_message(const hd_message *message, void *user) {
    fprintf(user, "bench_remap-overlap: %s\n", message->text);
}

int main(int argc, char **argv) {
    hd_diag diag = {print_message, stderr};
    bool sized = argc == 3 && !strcmp(argv[1], "--mib") && atoi(argv[2]) > 0;
    if (argc != 1 && !sized) {
        fprintf(stderr, "bench_remap-overlap: usage: bench_remap-overlap [--mib N]\n");
        return 2;
    }
    char *cache; /* not the user's: the calibration is made anew */
    bench b = {hd_arena_new(), &diag, (uint64_t)(sized ? atoi(argv[2]) : 64) << 20, false};
    hd_status status = hd_scratch_make(b.arena, &diag, &cache);
    if (status == HD_OK) {
        setenv("XDG_CACHE_HOME", cache, 1);
        status = run_opencl(&b);
    }
    if (status == HD_OK)
        status = run_cuda(&b);
    hd_scratch_remove(cache);
    hd_arena_free(b.arena);
    return status != HD_OK ? 2 : b.missed;
}
