#include <math.h>
#include <stdio.h>

#include "cli/gpu/gpu.h"
#include "remap-document/document.h"
#include "remap/remap_device.h"
#include "shared/bench_devices.h"

enum { ROWS = 16384, COLUMNS = 16, GROUP = 256, TILES = 5, RUNS = 101 };

/* Within the device, with kernels as GPUs have them, on a processor, too. */
static hd_status time_tiles(const hd_diag *diag, hd_remap_device *device, const hd_remap *map,
                            hd_remap_memory to, hd_remap_memory from, double seconds[TILES][RUNS]) {
    hd_status status = HD_OK;
    hd_remap_tuning_of(device, map, HD_REMAP_TO_DEVICE); /* from here on there are figures */
    hd_remap_figures *figures = device->figures;
    device->gpu->device.is_processor = false;
    for (int run = -1; run < RUNS; run++) /* kernels are compiled before the first */
        for (int t = 0; t < TILES && status == HD_OK; t++) {
            figures->kinds[HD_REMAP_TRANSPOSE][HD_REMAP_TO_DEVICE].tuning =
                (hd_remap_tuning){.group = GROUP, .per_item = 1u << t};
            double start = hd_clock();
            status = hd_remap_on_device(diag, device, map, &to, from);
            if (run >= 0)
                seconds[t][run] = hd_clock() - start;
        }
    return status;
}

static void print_row(const char *device, double seconds[TILES][RUNS]) {
    double medians[TILES], best = INFINITY, worst = 0;
    for (int t = 0; t < TILES; t++) {
        medians[t] = median(seconds[t], RUNS);
        best = fmin(best, medians[t]);
        worst = fmax(worst, medians[t]);
    }
    printf("| %s |", device);
    for (int t = 0; t < TILES; t++)
        printf(" %.2f |", best / medians[t]);
    printf(" %.0f%% | %.3f ms |\n", 100 * (1 - best / worst), best * 1e3);
}

static hd_status run_device(const hd_diag *diag, const hd_compute *gpu, const hd_remap *map) {
    hd_remap_device *device;
    hd_remap_memory memory[2] = {{0}};
    double seconds[TILES][RUNS];
    hd_status status = hd_gpu_open_remap(diag, gpu, &device);
    for (int m = 0; m < 2 && status == HD_OK; m++) /* both sides have as many bytes */
        status = hd_remap_allocate(diag, device, map, HD_REMAP_IN_DEVICE, &memory[m]);
    if (status == HD_OK)
        status = time_tiles(diag, device, map, memory[0], memory[1], seconds);
    if (status == HD_OK)
        print_row(gpu->device.name, seconds);
    for (int m = 0; m < 2; m++)
        hd_remap_release(device, map, &memory[m]);
    hd_remap_close(device);
    return status;
}

hd_status print_tiles(const hd_diag *diag) {
    hd_arena *arena = hd_arena_new();
    hd_remap *map = NULL;
    hd_compute *gpu;
    hd_status status = hd_remap_transpose(diag, ROWS, COLUMNS, sizeof(float), &map);
    printf("| device | 4 B | 8 B | 16 B | 32 B | 64 B | best to worst | best |\n"
           "|---|---|---|---|---|---|---|---|\n");
    for (unsigned n = 0; status == HD_OK && (gpu = open_device(arena, n)); n++) {
        status = run_device(diag, gpu, map);
        gpu->api->close(gpu);
    }
    printf("\n");
    hd_remap_free(map);
    hd_arena_free(arena);
    return status;
}
