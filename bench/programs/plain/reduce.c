#include <stdio.h>

#include "inputs.h"

typedef struct summary {
    float sum, squares, least, greatest;
} summary;

static summary summarize(const float *values, int count, float centre) {
    float sum = 0, squares = 0, least = INFINITY, greatest = -INFINITY;
#pragma omp parallel for simd reduction(+ : sum, squares) reduction(min : least) \
    reduction(max : greatest)
    for (int i = 0; i < count; i++) {
        float value = values[i], distance = value - centre;
        sum += value;
        squares += distance * distance;
        least = value < least ? value : least;
        greatest = value > greatest ? value : greatest;
    }
    return (summary){sum, squares, least, greatest};
}

int main(int argc, char **argv) {
    int count = input_argument(argc, argv, 1, 1 << 24);
    int repeats = input_argument(argc, argv, 2, 600);
    float *values = malloc((size_t)count * sizeof *values);
    for (int i = 0; i < count; i++)
        values[i] = input_unit(1, (uint32_t)i);
    double sum = 0, squares = 0, range = 0;
    float centre = 0;
    for (int r = 0; r < repeats; r++) {
        summary all = summarize(values, count, centre);
        sum += all.sum;
        squares += all.squares;
        range += all.greatest - all.least;
        centre = 0.5f * centre + 0.4f * all.sum / (float)count;
    }
    printf("sum %.5e, squares %.5e, range %.5e\n", sum, squares, range);
    free(values);
    return 0;
}
