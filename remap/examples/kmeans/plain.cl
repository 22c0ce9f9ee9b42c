/*
 * K-means, the assignment step: which of CLUSTERS centroids is nearest to each point, whose
 * FEATURES features are a row of `features`. One work-item for each point.
 */
#ifndef FEATURES
#define FEATURES 16
#endif
#ifndef CLUSTERS
#define CLUSTERS 5
#endif

__kernel void assign(__global const float *features, __global const float *centroids,
                     __global int *membership, int points) {
    int point = get_global_id(0);
    if (point >= points)
        return;

    int nearest = 0;
    float least = MAXFLOAT;
    for (int c = 0; c < CLUSTERS; c++) {
        float distance = 0;
        for (int f = 0; f < FEATURES; f++) {
            int index = point * FEATURES + f;
            float difference = features[index] - centroids[c * FEATURES + f];
            distance += difference * difference;
        }
        if (distance < least) {
            least = distance;
            nearest = c;
        }
    }
    membership[point] = nearest;
}
