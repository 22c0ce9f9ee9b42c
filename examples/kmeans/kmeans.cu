/* kmeans.cl in CUDA C: the same points, and the same sums in the same order. */
#ifndef CLUSTERS
#define CLUSTERS 16
#endif
#define FEATURES 7

struct point {
    float x, y, z;         /* position */
    float r, g, b;         /* colour */
    float intensity;
    float weight;          /* of the point in its centroid's mean */
    int cluster;           /* nearest centroid */
    float distance;        /* to it, squared */
};

__device__ float square(float value) {
    return value * value;
}

/* centroids[c * FEATURES + f]: feature f of centroid c. */
extern "C" __global__ void assign(point *points, const float *centroids, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;

    float x = points[i].x, y = points[i].y, z = points[i].z;
    float r = points[i].r, g = points[i].g, b = points[i].b;
    float intensity = points[i].intensity;

    int nearest = 0;
    float shortest = 3.402823466e+38f;
    for (int c = 0; c < CLUSTERS; c++) {
        const float *centroid = centroids + c * FEATURES;
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
