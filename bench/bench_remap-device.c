/*
 * How fast data are remapped within a device, next to the device's own copy of as many bytes
 * (clEnqueueCopyBuffer, cuMemcpyDtoD): the maps of src/cli/gpu/remap_speed.c. Every OpenCL device is
 * tried, and a CUDA device where there is one.
 *
 *     bench_remap-device [MEGABYTES]    of the source; 64 if not given
 *
 * Each figure is the shortest of several runs; copies and remaps take turns, so that both see the
 * same machine. Structs must come to 90% of the copy in both directions; the exit status is 1 if
 * one doesn't.
 */
#include <stdio.h>
#include <stdlib.h>

#include "cli/gpu/gpu.h"
#include "shared/bench_devices.h"

static void tell(const hd_message *message, void *user) {
    (void)user;
    fprintf(stderr, "bench: %s\n", message->text);
}
static const hd_diag diag = {tell, NULL};

/* A line for both directions. */
static bool report(void *user, const hd_gpu_remap_row *row) {
    bool *all_met = user;
    double both_ways = 2 * (double)row->bytes / 1e9;
    printf("%-24s", row->name);
    for (int d = 0; d < 2; d++) {
        double seconds = row->way[d].seconds, copy = row->way[d].copy;
        if (row->way[d].measured)
            printf("  %8.1f %8.1f %6.0f%%%s", both_ways / seconds, both_ways / copy,
                   100 * copy / seconds, copy >= row->goal * seconds ? " " : "!");
        else
            printf("   failed");
    }
    printf("\n");
    fflush(stdout);
    *all_met = *all_met && (!row->goal || hd_gpu_remap_met(row));
    return true;
}

static bool report_device(hd_gpu_memories *device) {
    bool met = true;
    printf("%s, %llu MB; GB/s read and written\n\n%-24s  %-26s %s\n%-24s  %8s %8s %7s   %8s %8s "
           "%7s\n",
           device->gpu->device.name, (unsigned long long)device->bytes >> 20, "",
           "to the device's layout", " back", "", "remap", "copy", "", "remap", "copy", "");
    hd_gpu_remap_speed(&diag, device, &(hd_gpu_remap_options){.row = report, .user = &met});
    printf("\nstructs: %s90%% of the copy\n\n", met ? "all at least " : "not all at least ");
    return met;
}

int main(int argc, char **argv) {
    uint64_t megabytes = argc > 1 ? strtoull(argv[1], NULL, 10) : 64;
    hd_arena *arena = hd_arena_new();
    bool met = true;
    hd_compute *gpu;
    unsigned n = 0;
    for (; (gpu = open_device(arena, n)); n++) {
        hd_gpu_memories device;
        bool made = hd_gpu_make_memories(&diag, gpu, megabytes << 20, &device) == HD_OK;
        met = made && report_device(&device) && met;
        hd_gpu_free_memories(&device);
        gpu->api->close(gpu);
    }
    if (!n)
        fprintf(stderr, "bench: there is no OpenCL or CUDA device\n");
    hd_arena_free(arena);
    return met && n ? 0 : 1;
}
