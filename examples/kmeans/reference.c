#include "reference.h"

double kmeans_distance(const kmeans_point *point, const float *centroid) {
    const float feature[KMEANS_FEATURES] = {point->x, point->y, point->z,        point->r,
                                            point->g, point->b, point->intensity};
    double distance = 0;
    for (int f = 0; f < KMEANS_FEATURES; f++) {
        double difference = (double)feature[f] - centroid[f];
        distance += difference * difference;
    }
    return distance;
}

void kmeans_assign(kmeans_point *points, int count, const float *centroids, int clusters) {
    for (int i = 0; i < count; i++) {
        double shortest = kmeans_distance(&points[i], centroids);
        points[i].cluster = 0;
        for (int c = 1; c < clusters; c++) {
            double distance = kmeans_distance(&points[i], centroids + c * KMEANS_FEATURES);
            if (distance < shortest) {
                shortest = distance;
                points[i].cluster = c;
            }
        }
        points[i].distance = (float)shortest;
    }
}
