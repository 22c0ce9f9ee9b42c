/*
 * The assignment step of k-means on an OpenCL device, from main() in reference.c.
 *
 *     remapped [POINTS]
 *
 * The points are the rows of a matrix, one column for each feature. On the device they are its
 * columns.
 */
#include "../host_remap.h"
#include "reference.h"

void assign(host *h, const float *features, const float *centroids, int *membership,
            size_t points) {
    cl_kernel kernel = host_kernel(h, "assign");
    cl_int number = (cl_int)points;
    hd_remap *map;
    host_ok(hd_remap_transpose(&host_diag, points, FEATURES, sizeof *features, &map));
    hd_remap_device *device = host_remap_open(h);
    hd_remap_memory feature_memory = host_remap_memory(h, map);
    host_ok(hd_remap_to_device(&host_diag, device, map, &feature_memory, features, NULL));
    cl_mem centroid_buffer = host_buffer(h, centroids, CLUSTERS * FEATURES * sizeof *centroids);
    cl_mem membership_buffer = host_buffer(h, membership, points * sizeof *membership);

    host_set(kernel, 0, feature_memory.opencl);
    host_set(kernel, 1, centroid_buffer);
    host_set(kernel, 2, membership_buffer);
    host_set(kernel, 3, number);
    host_run(h, kernel, points, 256);

    host_take(h, membership_buffer, membership, points * sizeof *membership);
    clReleaseMemObject(centroid_buffer);
    clReleaseMemObject(feature_memory.opencl);
    hd_remap_close(device);
    hd_remap_free(map);
    clReleaseKernel(kernel);
}
