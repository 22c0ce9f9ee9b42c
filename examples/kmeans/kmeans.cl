/*
 * K-means, the assignment step: every point of a coloured point cloud looks for
 * the nearest of CLUSTERS centroids in seven dimensions and notes which it is
 * and how far away. The other half of the algorithm, moving the centroids, runs
 * elsewhere and is what `weight` is for.
 *
 * One work-item per point.
 */
#ifndef CLUSTERS
#define CLUSTERS 16
#endif
#define FEATURES 7

typedef struct point {
    float x, y, z;         /* position */
    float r, g, b;         /* colour */
    float intensity;
    float weight;          /* of the point in its centroid's mean */
    int cluster;           /* nearest centroid */
    float distance;        /* to it, squared */
} point;

float square(float value) {
    return value * value;
}

/* centroids[c * FEATURES + f]: feature f of centroid c. */
__kernel void assign(__global point *points, __global const float *centroids, int count) {
    int i = get_global_id(0);
    if (i >= count)
        return;

    float x = points[i].x, y = points[i].y, z = points[i].z;
    float r = points[i].r, g = points[i].g, b = points[i].b;
    float intensity = points[i].intensity;

    int nearest = 0;
    float shortest = MAXFLOAT;
    for (int c = 0; c < CLUSTERS; c++) {
        __global const float *centroid = centroids + c * FEATURES;
        float distance = square(x - centroid[0]) + square(y - centroid[1]) +
                         square(z - centroid[2]) + square(r - centroid[3]) +
                         square(g - centroid[4]) + square(b - centroid[5]) +
                         square(intensity - centroid[6]);
        if (distance < shortest) {
            shortest = distance;
            nearest = c;
        }
    }
    points[i].cluster = nearest;
    points[i].distance = shortest;
}
