/*
 * How fast data are remapped within a device, next to the device's own copy of as many bytes
 * (clEnqueueCopyBuffer, cuMemcpyDtoD): structs of floats to arrays and to tiles, and back;
 * transposes; a gather. Every OpenCL device is tried, and a CUDA device where there is one.
 *
 *     bench_remap-device [MEGABYTES]    of the source; 64 if not given
 *
 * Each figure is the shortest of several runs; copies and remaps take turns, so that both see the
 * same machine. Structs must come to 90% of the copy in both directions; the exit status is 1 if
 * one doesn't.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/base.h"
#include "remap-device/device.h"

enum { RUNS = 15, MOST_FIELDS = 16 };
static const double GOAL = 0.9;

static void tell(const hd_message *message, void *user) {
    (void)user;
    fprintf(stderr, "bench: %s\n", message->text);
}
static const hd_diag diag = {tell, NULL};

static double shorter(double a, double b) { return a < b ? a : b; }

/* ---- one map --------------------------------------------------------------------------------- */

static hd_status remap(bench_device *device, const hd_remap *map, hd_remap_direction direction) {
    if (direction == HD_REMAP_TO_DEVICE)
        return hd_remap_on_device(&diag, device->remap, map, &device->device_side,
                                  device->host_side);
    return hd_remap_back_on_device(&diag, device->remap, map, device->host_side,
                                   &device->device_side);
}

/* Seconds of a remap and of the copy of as many bytes. */
static bool measure(bench_device *device, const hd_remap *map, hd_remap_direction direction,
                    double *seconds, double *copy) {
    hd_remap_choice choice; /* asked for so that the device's figures are there */
    bool done = hd_remap_plan(&diag, device->remap, map, direction, &choice) == HD_OK;
    *seconds = *copy = 1e9;
    for (int run = 0; done && run < RUNS; run++) {
        double start = hd_clock();
        done = device->copy(device, hd_remap_source_bytes(map));
        double middle = hd_clock();
        done = done && remap(device, map, direction) == HD_OK;
        if (run == 0) /* kernels are compiled */
            continue;
        *copy = shorter(*copy, middle - start);
        *seconds = shorter(*seconds, hd_clock() - middle);
    }
    return done;
}

/* A line for both directions; false where one is below the goal. */
static bool report(bench_device *device, const char *name, hd_remap *map, double goal) {
    bool met = true;
    printf("%-24s", name);
    for (int d = 0; d < 2; d++) {
        double seconds, copy, both_ways = 2 * (double)hd_remap_source_bytes(map) / 1e9;
        if (!measure(device, map, (hd_remap_direction)d, &seconds, &copy)) {
            printf("   failed");
            met = false;
            continue;
        }
        bool is_met = copy / seconds >= goal;
        printf("  %8.1f %8.1f %6.0f%%%s", both_ways / seconds, both_ways / copy,
               100 * copy / seconds, is_met ? " " : "!");
        met = met && is_met;
    }
    printf("\n");
    fflush(stdout);
    hd_remap_free(map);
    return met;
}

/* ---- the maps
 * ------------------------------------------------------------------------------------ */

static bool report_structs(bench_device *device, const char *layout, uint32_t bytes) {
    hd_remap_field fields[MOST_FIELDS];
    char names[MOST_FIELDS][12], name[64];
    hd_remap *map;
    for (uint32_t f = 0; f < bytes / 4; f++) {
        snprintf(names[f], sizeof names[f], "f%u", f);
        fields[f] = (hd_remap_field){names[f], (size_t)f * 4, 4, 4};
    }
    hd_remap_record record = {"floats", bytes, 4, fields, bytes / 4};
    snprintf(name, sizeof name, "%u bytes, %s", bytes, layout);
    return hd_remap_layout(&diag, &record, layout, device->bytes / bytes, &map) == HD_OK &&
           report(device, name, map, GOAL);
}

static void report_transpose(bench_device *device, uint32_t bytes, uint64_t odd) {
    uint64_t rows = 64;
    hd_remap *map;
    char name[64];
    while (4 * rows * rows * bytes <= device->bytes)
        rows *= 2;
    uint64_t columns = device->bytes / bytes / rows - odd;
    rows -= odd;
    snprintf(name, sizeof name, "%llu x %llu, %u bytes", (unsigned long long)rows,
             (unsigned long long)columns, bytes);
    if (hd_remap_transpose(&diag, rows, columns, bytes, &map) == HD_OK)
        report(device, name, map, 0);
}

static void report_gather(bench_device *device) {
    uint64_t count = device->bytes / 4, seed = 1;
    uint32_t *index = malloc((size_t)count * sizeof *index);
    hd_remap *map;
    for (uint64_t i = 0; index && i < count; i++)
        index[i] = (uint32_t)(hd_next_random(&seed) % count);
    if (index && hd_remap_gather(&diag, index, 4, count, count, 4, &map) == HD_OK)
        report(device, "gather, 4 bytes", map, 0);
    free(index);
}

static bool report_device(bench_device *device) {
    static const char *const layouts[] = {"soa", "aosoa:16", "aosoa:32"};
    static const uint32_t sizes[] = {8, 12, 16, 28, 32, 48, 64};
    bool met = true;
    printf("%s, %llu MB; GB/s read and written\n\n%-24s  %-26s %s\n%-24s  %8s %8s %7s   %8s %8s "
           "%7s\n",
           device->name, (unsigned long long)device->bytes >> 20, "", "to the device's layout",
           " back", "", "remap", "copy", "", "remap", "copy", "");
    for (size_t l = 0; l < sizeof layouts / sizeof *layouts; l++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            met = report_structs(device, layouts[l], sizes[s]) && met;
    for (uint32_t bytes = 1; bytes <= 16; bytes *= bytes == 1 ? 4 : 2)
        for (uint64_t odd = 0; odd < 10; odd += 7)
            report_transpose(device, bytes, odd);
    report_gather(device);
    printf("\nstructs: %s%.0f%% of the copy\n\n", met ? "all at least " : "not all at least ",
           100 * GOAL);
    return met;
}

int main(int argc, char **argv) {
    uint64_t megabytes = argc > 1 ? strtoull(argv[1], NULL, 10) : 64;
    bool met = true;
    bench_device device;
    unsigned n = 0;
    for (; bench_open_device(&diag, n, megabytes << 20, &device); n++) {
        met = device.remap && report_device(&device) && met;
        device.close(&device);
    }
    if (!n)
        fprintf(stderr, "bench: there is no OpenCL or CUDA device\n");
    return met && n ? 0 : 1;
}
