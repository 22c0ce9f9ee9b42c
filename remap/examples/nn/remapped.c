/*
 * The nearest neighbours of a weather record on an OpenCL device: all distances, from main()
 * in reference.c, and the nearest of them.
 *
 *     remapped [RECORDS]
 *
 * The records are an array of structs. On the device each of their fields is an array.
 */
#include "../host_remap.h"
#include "reference.h"

static const hd_remap_field fields[] = {
    HD_REMAP_FIELD(weather, latitude), HD_REMAP_FIELD(weather, longitude),
    HD_REMAP_FIELD(weather, height),   HD_REMAP_FIELD(weather, temperature),
    HD_REMAP_FIELD(weather, pressure), HD_REMAP_FIELD(weather, humidity),
    HD_REMAP_FIELD(weather, wind),     HD_REMAP_FIELD(weather, rain)};
static const hd_remap_record record = HD_REMAP_RECORD(weather, fields);

host measure(const weather *records, weather target, float *distance, size_t count) {
    char *layout;
    hd_remap *map;
    host_ok(hd_remap_layout(&host_diag, &record, "soa", count, &map));
    host_ok(hd_remap_source(&host_diag, map, "record", &layout));
    host h = host_open_after(layout, KERNEL_FILE, KERNEL_OPTIONS);
    cl_kernel kernel = host_kernel(&h, "distances");
    cl_int number = (cl_int)count;
    hd_remap_device *device = host_remap_open(&h);
    hd_remap_memory record_memory = host_remap_memory(&h, map);
    host_ok(hd_remap_to_device(&host_diag, device, map, &record_memory, records, NULL));
    cl_mem distance_buffer = host_buffer(&h, distance, count * sizeof *distance);

    host_set(kernel, 0, record_memory.opencl);
    host_set(kernel, 1, target);
    host_set(kernel, 2, distance_buffer);
    host_set(kernel, 3, number);
    host_run(&h, kernel, count, 256);

    host_take(&h, distance_buffer, distance, count * sizeof *distance);
    clReleaseMemObject(record_memory.opencl);
    hd_remap_close(device);
    clReleaseKernel(kernel);
    hd_remap_free(map);
    free(layout);
    return h;
}
