/*
 * K-means of the evaluation of the static cost estimate (docs/reproduce-static-cost.md):
 * one record array holds the features of all points (feature l of point i at
 * l * npoints + i), those of the centroids, and the memberships.
 *
 * One thread per point. Loop lengths are compile-time constants, as there.
 */
#define NCLUSTERS 5
#define NFEATURES 34

typedef struct point {
    float feature;
    float clusters;
    int membership;
} point;

__kernel void kmeans(__global point *p, int npoints) {
    int tid = get_global_id(0);
    int best = 0;
    float best_distance = MAXFLOAT;
    for (int i = 0; i < NCLUSTERS; i++) {
        float distance = 0.0f;
        for (int l = 0; l < NFEATURES; l++) {
            float difference = p[l * npoints + tid].feature - p[i * NFEATURES + l].clusters;
            distance += difference * difference;
        }
        if (distance < best_distance) {
            best_distance = distance;
            best = i;
        }
    }
    p[tid].membership = best;
}
