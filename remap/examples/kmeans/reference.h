/* The assignment step of k-means but for its device: made-up points, main(), and distances in plain
 * C. */
#ifndef REMAP_KMEANS_REFERENCE_H
#define REMAP_KMEANS_REFERENCE_H

#include "../../../examples/host.h"

enum { FEATURES = 16, CLUSTERS = 5 };

/* Notes the nearest centroid of each point. In plain.c and remapped.c. */
void assign(host *h, const float *features, const float *centroids, int *membership, size_t points);

#endif
