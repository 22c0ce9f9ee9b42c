/* K-means' distances in plain C, and made-up points; see plain.cl. */
#ifndef REMAP_KMEANS_REFERENCE_H
#define REMAP_KMEANS_REFERENCE_H

#include <stddef.h>

enum { KMEANS_FEATURES = 16, KMEANS_CLUSTERS = 5 };

/* Squared distance of a point to a centroid. */
double kmeans_distance(const float *point, const float *centroid);
/* The distance of a point to the nearest centroid. */
double kmeans_least(const float *point, const float *centroids);

#endif
