/* Inputs of the programs and sums of what they compute: the same for CUDA and for plain C. */
#ifndef PROGRAM_INPUTS_H
#define PROGRAM_INPUTS_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* Argument number `place` of the program, or `otherwise`. */
static inline int input_argument(int argc, char **argv, int place, int otherwise) {
    return argc > place ? atoi(argv[place]) : otherwise;
}

/* Bits that look random, the same for the same numbers. */
static inline uint32_t input_bits(uint32_t series, uint32_t i) {
    uint32_t x = i * 0x9E3779B9u + series * 0x85EBCA6Bu + 1;
    x = (x ^ x >> 16) * 0x7FEB352Du;
    x = (x ^ x >> 15) * 0x846CA68Bu;
    return x ^ x >> 16;
}

/* From 0 to below 1. */
static inline float input_unit(uint32_t series, uint32_t i) {
    return (float)(input_bits(series, i) >> 8) * (1.0f / 16777216);
}

static inline float input_between(uint32_t series, uint32_t i, float low, float high) {
    return low + (high - low) * input_unit(series, i);
}

/* Depends on the order of the values. */
static inline uint32_t sum_of_bits(const uint32_t *values, size_t count) {
    uint32_t sums[4] = {1, 2, 3, 4};
    for (size_t i = 0; i < count; i++)
        sums[i % 4] = sums[i % 4] * 31 + values[i];
    return sums[0] ^ sums[1] * 7 ^ sums[2] * 11 ^ sums[3] * 13;
}

/* Depends a little on the order of the values. */
static inline double sum_of_floats(const float *values, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += fabs((double)values[i]) * (double)(1 + i % 3);
    return sum;
}

#endif
