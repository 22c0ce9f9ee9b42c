/*
 * The assignment step of k-means on an OpenCL device, from main() in reference.c.
 *
 *     plain [POINTS]
 *
 * The points are the rows of a matrix, one column for each feature. In remapped.c they are
 * its columns on the device.
 */
#include "reference.h"

void assign(host *h, const float *features, const float *centroids, int *membership,
            size_t points) {
    cl_kernel kernel = host_kernel(h, "assign");
    cl_int number = (cl_int)points;
    cl_mem feature_buffer = host_buffer(h, features, points * FEATURES * sizeof *features);
    cl_mem centroid_buffer = host_buffer(h, centroids, CLUSTERS * FEATURES * sizeof *centroids);
    cl_mem membership_buffer = host_buffer(h, membership, points * sizeof *membership);

    host_set(kernel, 0, feature_buffer);
    host_set(kernel, 1, centroid_buffer);
    host_set(kernel, 2, membership_buffer);
    host_set(kernel, 3, number);
    host_run(h, kernel, points, 256);

    host_take(h, membership_buffer, membership, points * sizeof *membership);
    clReleaseMemObject(centroid_buffer);
    clReleaseMemObject(feature_buffer);
    clReleaseKernel(kernel);
}
