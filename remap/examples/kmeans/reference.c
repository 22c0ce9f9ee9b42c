#include "reference.h"

/* Squared distance of a point to a centroid. */
static double distance(const float *point, const float *centroid) {
    double sum = 0;
    for (int f = 0; f < FEATURES; f++) {
        double difference = (double)point[f] - centroid[f];
        sum += difference * difference;
    }
    return sum;
}

/* The distance of a point to the nearest centroid. */
static double least_distance(const float *point, const float *centroids) {
    double least = distance(point, centroids);
    for (int c = 1; c < CLUSTERS; c++)
        least = fmin(least, distance(point, centroids + c * FEATURES));
    return least;
}

static float *new_features(uint64_t seed, size_t points) {
    float *features = host_new(points * FEATURES * sizeof *features);
    for (size_t i = 0; i < points * FEATURES; i++)
        features[i] = host_uniform(seed, i, 0, 1);
    return features;
}

/* Of two centroids equally far, rounding may choose either. */
static void check(const float *features, const float *centroids, const int *membership,
                  size_t points) {
    for (size_t p = 0; p < points; p++) {
        const float *point = features + p * FEATURES;
        int nearest = membership[p] >= 0 && membership[p] < CLUSTERS ? membership[p] : 0;
        host_expect("centroid", p, nearest, membership[p], 0, 0);
        host_expect("distance to the centroid", p, distance(point, centroids + nearest * FEATURES),
                    least_distance(point, centroids), 1e-5, 0);
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
