#include <stdio.h>
#include <string.h>

#include "inputs.h"

enum { FEATURES = 8, CENTRES = 16 };

typedef struct point {
    float features[FEATURES];
    float distance;
    int centre;
} point;

/* How many have another centre than before. */
static int assign(point *points, int count, float centres[CENTRES][FEATURES]) {
    int changed = 0;
#pragma omp parallel for reduction(+ : changed)
    for (int i = 0; i < count; i++) {
        float least = INFINITY;
        int nearest = 0;
        for (int c = 0; c < CENTRES; c++) {
            float distance = 0;
#pragma omp simd reduction(+ : distance)
            for (int f = 0; f < FEATURES; f++) {
                float difference = points[i].features[f] - centres[c][f];
                distance += difference * difference;
            }
            if (distance < least) {
                least = distance;
                nearest = c;
            }
        }
        changed += points[i].centre != nearest;
        points[i].centre = nearest;
        points[i].distance = least;
    }
    return changed;
}

static void sum_up(const point *points, int count, float sums[CENTRES][FEATURES], int *sizes) {
    memset(sums, 0, sizeof(float[CENTRES][FEATURES]));
    memset(sizes, 0, sizeof(int[CENTRES]));
#pragma omp parallel
    {
        float own_sums[CENTRES][FEATURES] = {{0}};
        int own_sizes[CENTRES] = {0};
#pragma omp for
        for (int i = 0; i < count; i++) {
            int centre = points[i].centre;
            for (int f = 0; f < FEATURES; f++)
                own_sums[centre][f] += points[i].features[f];
            own_sizes[centre]++;
        }
#pragma omp critical
        for (int c = 0; c < CENTRES; c++) {
            for (int f = 0; f < FEATURES; f++)
                sums[c][f] += own_sums[c][f];
            sizes[c] += own_sizes[c];
        }
    }
}

int main(int argc, char **argv) {
    int count = input_argument(argc, argv, 1, 1 << 19);
    int times = input_argument(argc, argv, 2, 125);
    point *points = malloc((size_t)count * sizeof *points);
    for (int i = 0; i < count; i++) {
        for (int f = 0; f < FEATURES; f++)
            points[i].features[f] =
                input_unit(120, (uint32_t)(i * FEATURES + f)) + (float)(i * (f + 3) / 7 % 5);
        points[i].centre = -1;
    }
    float centres[CENTRES][FEATURES];
    for (int c = 0; c < CENTRES; c++)
        memcpy(centres[c], points[c * 37 % count].features, sizeof centres[c]);
    int sizes[CENTRES];
    double moves = 0;
    for (int t = 0; t < times; t++) {
        moves += assign(points, count, centres);
        sum_up(points, count, centres, sizes);
        for (int c = 0; c < CENTRES; c++)
            for (int f = 0; f < FEATURES; f++)
                centres[c][f] /= (float)(sizes[c] ? sizes[c] : 1);
    }
    double distance = 0;
    for (int i = 0; i < count; i++)
        distance += points[i].distance;
    printf("distance %.5e, centres %.5e, more than %d moved: %d\n", distance,
           sum_of_floats(centres[0], CENTRES * FEATURES), count, moves > count);
    free(points);
    return 0;
}
