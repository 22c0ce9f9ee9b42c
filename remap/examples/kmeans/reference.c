#include "reference.h"

double kmeans_distance(const float *point, const float *centroid) {
    double sum = 0;
    for (int f = 0; f < KMEANS_FEATURES; f++) {
        double difference = (double)point[f] - centroid[f];
        sum += difference * difference;
    }
    return sum;
}

double kmeans_least(const float *point, const float *centroids) {
    double least = kmeans_distance(point, centroids);
    for (int c = 1; c < KMEANS_CLUSTERS; c++) {
        double distance = kmeans_distance(point, centroids + c * KMEANS_FEATURES);
        least = distance < least ? distance : least;
    }
    return least;
}
