/*
 * How well transfers and remapping hide behind each other: each strategy of libheddle-remap, and
 * chunks of several sizes, against the larger of the transfer alone and the remap alone.
 *
 *     bench_remap-overlap [--mib N]    source bytes; 64 without it
 *
 * On every OpenCL device, and on the first CUDA device where there is one, both ways; what is timed
 * is in src/cli/gpu/overlap.c. All run by turns, and of each the fastest of its runs counts.
 *
 * Required of chunks of the planned size: on a device with memory of its own, at most 15% over
 * the larger of the two; on one that works in the host's memory and with the host's cores, where
 * nothing can be hidden, at most 5% over one piece. The exit status is 1 where that is missed.
 */
#include <stdio.h>
#include <stdlib.h>

#include "cli/gpu/gpu.h"
#include "cli/report/report.h"
#include "shared/bench_devices.h"

typedef struct bench {
    hd_arena *arena;
    const hd_diag *diag;
    uint64_t bytes; /* of the source */
    bool missed;
} bench;

/* ---- results ---------------------------------------------------------------------- */

static void add_row(const bench *b, report_table *table, const char *name, double seconds,
                    double larger, double bulk) {
    const char *time = seconds > 0 ? hd_format(b->arena, "%.2f", seconds * 1e3) : "cannot";
    report_table_row(
        table, (const char *[]){name, time,
                                seconds > 0 ? hd_format(b->arena, "%.2f", seconds / larger) : "",
                                seconds > 0 ? hd_format(b->arena, "%.2f", seconds / bulk) : ""});
}

static bool show(void *user, const hd_gpu_overlap_row *row) {
    static const report_column columns[] = {{"", REPORT_LEFT},
                                            {"ms", REPORT_RIGHT},
                                            {"of the larger", REPORT_RIGHT},
                                            {"of bulk", REPORT_RIGHT}};
    bench *b = user;
    printf("\n%s, %s, %llu MiB, %s\n", row->device, row->what, (unsigned long long)row->bytes >> 20,
           row->to_device ? "to the device" : "from the device");
    report_table *table = report_table_new(b->arena, columns, 4);
    hd_str out = {.arena = b->arena};
    for (hd_gpu_contender which = 0; which < HD_GPU_CONTENDERS; which++)
        add_row(b, table, hd_gpu_contender_name(b->arena, row, which), row->seconds[which],
                hd_gpu_overlap_larger(row), row->seconds[HD_GPU_BULK]);
    report_table_print(table, &out, false);
    fputs(hd_str_text(&out), stdout);
    bool met = row->over <= row->most;
    b->missed |= !met;
    printf("planned chunks over %s: %.2f, at most %.2f: %s\nthe plan: %s\n",
           row->hides ? "the larger of transfer and remap" : "one piece", row->over, row->most,
           met ? "met" : "missed", row->why);
    return true;
}

/* ---- devices ---------------------------------------------------------------------- */

static hd_status run_device(bench *b, const hd_compute *gpu) {
    hd_remap_device *device;
    hd_status status = hd_gpu_open_remap(b->diag, gpu, &device);
    if (status == HD_OK)
        status = hd_gpu_overlap(
            b->diag, device, &(hd_gpu_overlap_options){.bytes = b->bytes, .row = show, .user = b});
    hd_remap_close(device);
    return status;
}

static hd_status run_devices(bench *b) {
    hd_compute *gpu;
    hd_status status = HD_OK;
    for (unsigned n = 0; status == HD_OK && (gpu = open_device(b->arena, n)); n++) {
        status = run_device(b, gpu);
        gpu->api->close(gpu);
    }
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
        status = run_devices(&b);
    }
    hd_scratch_remove(cache);
    hd_arena_free(b.arena);
    return status != HD_OK ? 2 : b.missed;
}
