/*
 * The assignment step of k-means on an OpenCL device, compared with reference.c.
 *
 *     remapped [POINTS]
 *
 * The points are the rows of a matrix, one column for each feature. On the device they are its
 * columns.
 */
#include "../host_remap.h"
#include "reference.h"

enum { FEATURES = KMEANS_FEATURES, CLUSTERS = KMEANS_CLUSTERS };

static float *new_features(uint64_t seed, size_t points) {
    float *features = host_new(points * FEATURES * sizeof *features);
    for (size_t i = 0; i < points * FEATURES; i++)
        features[i] = host_uniform(seed, i, 0, 1);
    return features;
}

/* Notes the nearest centroid of each point. */
static void assign(host *h, const float *features, const float *centroids, int *membership,
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

/* Of two centroids equally far, rounding may choose either. */
static void check(const float *features, const float *centroids, const int *membership,
                  size_t points) {
    for (size_t p = 0; p < points; p++) {
        const float *point = features + p * FEATURES;
        int nearest = membership[p] >= 0 && membership[p] < CLUSTERS ? membership[p] : 0;
        host_expect("centroid", p, nearest, membership[p], 0, 0);
        host_expect("distance to the centroid", p,
                    kmeans_distance(point, centroids + nearest * FEATURES),
                    kmeans_least(point, centroids), 1e-5, 0);
    }
}

int main(int argc, char **argv) {
    size_t points = host_size(argc, argv, 65536);
    float *features = new_features(1, points), *centroids = new_features(2, CLUSTERS);
    int *membership = host_new(points * sizeof *membership);
    host h = host_open(KERNEL_FILE, KERNEL_OPTIONS);

    assign(&h, features, centroids, membership, points);
    check(features, centroids, membership, points);
    host_report(&h, "points", points);
    host_close(&h);
    free(membership);
    free(centroids);
    free(features);
    return 0;
}
