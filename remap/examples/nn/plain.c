/*
 * The nearest neighbours of a weather record on an OpenCL device: all distances, compared with
 * reference.c, and the nearest of them.
 *
 *     plain [RECORDS]
 *
 * The records are an array of structs. In remapped.c each of their fields is an array on the
 * device.
 */
#include "../../../examples/host.h"
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

static void measure(host *h, const weather *records, weather target, float *distance,
                    size_t count) {
    cl_kernel kernel = host_kernel(h, "distances");
    cl_int number = (cl_int)count;
    cl_mem record_buffer = host_buffer(h, records, count * sizeof *records);
    cl_mem distance_buffer = host_buffer(h, distance, count * sizeof *distance);

    host_set(kernel, 0, record_buffer);
    host_set(kernel, 1, target);
    host_set(kernel, 2, distance_buffer);
    host_set(kernel, 3, number);
    host_run(h, kernel, count, 256);

    host_take(h, distance_buffer, distance, count * sizeof *distance);
    clReleaseMemObject(record_buffer);
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
    host h = host_open(KERNEL_FILE, KERNEL_OPTIONS);
    measure(&h, records, target, distance, count);
    for (size_t i = 0; i < count; i++)
        host_expect("distance", i, distance[i], nn_distance(&records[i], &target), 1e-5, 0);
    host_report(&h, "records", count);
    printf("the nearest is record %zu\n", nearest(distance, count));
    host_close(&h);
    free(distance);
    free(records);
    return 0;
}
