/*
 * The nearest neighbours of a weather record on an OpenCL device: all distances, compared with
 * reference.c, and the nearest of them.
 *
 *     remapped [RECORDS]
 *
 * The records are an array of structs. On the device each of their fields is an array.
 */
#include "../host_remap.h"
#include "reference.h"

static weather new_record(uint64_t i) {
    return (weather){.latitude = host_uniform(1, i, 0, 1),
                     .longitude = host_uniform(2, i, 0, 1),
                     .height = host_uniform(3, i, 0, 1),
                     .temperature = host_uniform(4, i, 0, 1),
                     .pressure = host_uniform(5, i, 0, 1),
                     .humidity = host_uniform(6, i, 0, 1),
                     .wind = host_uniform(7, i, 0, 1),
                     .rain = host_uniform(8, i, 0, 1)};
}

static const hd_remap_field fields[] = {
    HD_REMAP_FIELD(weather, latitude), HD_REMAP_FIELD(weather, longitude),
    HD_REMAP_FIELD(weather, height),   HD_REMAP_FIELD(weather, temperature),
    HD_REMAP_FIELD(weather, pressure), HD_REMAP_FIELD(weather, humidity),
    HD_REMAP_FIELD(weather, wind),     HD_REMAP_FIELD(weather, rain)};
static const hd_remap_record record = HD_REMAP_RECORD(weather, fields);

static void measure(host *h, const hd_remap *map, const weather *records, weather target,
                    float *distance, size_t count) {
    cl_kernel kernel = host_kernel(h, "distances");
    cl_int number = (cl_int)count;
    hd_remap_device *device = host_remap_open(h);
    hd_remap_memory record_memory = host_remap_memory(h, map);
    host_ok(hd_remap_to_device(&host_diag, device, map, &record_memory, records, NULL));
    cl_mem distance_buffer = host_buffer(h, distance, count * sizeof *distance);

    host_set(kernel, 0, record_memory.opencl);
    host_set(kernel, 1, target);
    host_set(kernel, 2, distance_buffer);
    host_set(kernel, 3, number);
    host_run(h, kernel, count, 256);

    host_take(h, distance_buffer, distance, count * sizeof *distance);
    clReleaseMemObject(record_memory.opencl);
    hd_remap_close(device);
    clReleaseKernel(kernel);
}

static size_t nearest(const float *distance, size_t count) {
    size_t least = 0;
    for (size_t i = 1; i < count; i++)
        least = distance[i] < distance[least] ? i : least;
    return least;
}

int main(int argc, char **argv) {
    size_t count = host_size(argc, argv, 65536);
    weather *records = host_new(count * sizeof *records), target = new_record(count);
    float *distance = host_new(count * sizeof *distance);

    for (size_t i = 0; i < count; i++)
        records[i] = new_record(i);
    char *layout;
    hd_remap *map;
    host_ok(hd_remap_layout(&host_diag, &record, "soa", count, &map));
    host_ok(hd_remap_source(&host_diag, map, "record", &layout));
    host h = host_open_after(layout, KERNEL_FILE, KERNEL_OPTIONS);
    measure(&h, map, records, target, distance, count);
    for (size_t i = 0; i < count; i++)
        host_expect("distance", i, distance[i], nn_distance(&records[i], &target), 1e-5, 0);
    host_report(&h, "records", count);
    printf("the nearest is record %zu\n", nearest(distance, count));
    host_close(&h);
    hd_remap_free(map);
    free(layout);
    free(distance);
    free(records);
    return 0;
}
