/* K-means' assignment step in plain C; see kmeans.cl. */
#ifndef KMEANS_REFERENCE_H
#define KMEANS_REFERENCE_H

enum { KMEANS_FEATURES = 7 };

typedef struct kmeans_point {
    float x, y, z;
    float r, g, b;
    float intensity;
    float weight;
    int cluster;
    float distance;
} kmeans_point;

/* Squared distance of a point to one centroid of KMEANS_FEATURES values. */
double kmeans_distance(const kmeans_point *point, const float *centroid);
void kmeans_assign(kmeans_point *points, int count, const float *centroids, int clusters);

#endif
