/*
 * The nearest neighbours of a weather record on an OpenCL device: all distances, from main()
 * in reference.c, and the nearest of them.
 *
 *     plain [RECORDS]
 *
 * The records are an array of structs. In remapped.c each of their fields is an array on the
 * device.
 */
#include "reference.h"

host measure(const weather *records, weather target, float *distance, size_t count) {
    host h = host_open(KERNEL_FILE, KERNEL_OPTIONS);
    cl_kernel kernel = host_kernel(&h, "distances");
    cl_int number = (cl_int)count;
    cl_mem record_buffer = host_buffer(&h, records, count * sizeof *records);
    cl_mem distance_buffer = host_buffer(&h, distance, count * sizeof *distance);

    host_set(kernel, 0, record_buffer);
    host_set(kernel, 1, target);
    host_set(kernel, 2, distance_buffer);
    host_set(kernel, 3, number);
    host_run(&h, kernel, count, 256);

    host_take(&h, distance_buffer, distance, count * sizeof *distance);
    clReleaseMemObject(record_buffer);
    clReleaseKernel(kernel);
    return h;
}
