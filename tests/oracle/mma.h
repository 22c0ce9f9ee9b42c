/*
 * Which element of a matrix a lane holds in PTX's mma, shape by shape as PTX ISA lists
 * them, and the product element by element.
 */
#ifndef HD_TESTS_ORACLE_MMA_H
#define HD_TESTS_ORACLE_MMA_H

#include <stdint.h>

typedef struct oracle_place {
    uint32_t row, column;
} oracle_place;

/* Element a<i> of a lane, in elements of `bits` bits. */
static inline oracle_place oracle_of_a(uint32_t m, uint32_t k, uint32_t bits, uint32_t lane,
                                       uint32_t i) {
    uint32_t group = lane >> 2, thread = lane % 4;
    if (m == 8)
        return bits == 64 ? (oracle_place){group, thread} : (oracle_place){group, thread * 4 + i};
    if (bits >= 32) { /* f64, tf32 */
        uint32_t row = i % 2 == 0 ? group : group + 8;
        return (oracle_place){row, i % 2 == 0 ? i * 2 + thread : i * 2 - 2 + thread};
    }
    if (bits == 16 && k == 8)
        return (oracle_place){i < 2 ? group : group + 8, thread * 2 + (i & 1)};
    if (bits == 16)
        return (oracle_place){i < 2 || (4 <= i && i < 6) ? group : group + 8,
                              i < 4 ? thread * 2 + (i & 1) : thread * 2 + (i & 1) + 8};
    if (k == 16)
        return (oracle_place){i < 4 ? group : group + 8, thread * 4 + (i & 3)};
    return (oracle_place){i < 4 || (8 <= i && i < 12) ? group : group + 8,
                          i < 8 ? thread * 4 + (i & 3) : thread * 4 + (i & 3) + 16};
}

static inline oracle_place oracle_of_b(uint32_t k, uint32_t bits, uint32_t lane, uint32_t i) {
    uint32_t group = lane >> 2, thread = lane % 4;
    if (bits >= 32)
        return (oracle_place){thread + 4 * i, group};
    if (bits == 16)
        return (oracle_place){i < 2 ? thread * 2 + i : thread * 2 + (i & 1) + 8, group};
    return (oracle_place){k == 16 || i < 4 ? thread * 4 + (i & 3) : thread * 4 + (i & 3) + 16,
                          group};
}

static inline oracle_place oracle_of_c(uint32_t lane, uint32_t i) {
    uint32_t group = lane >> 2, thread = lane % 4;
    return (oracle_place){i < 2 ? group : group + 8, thread * 2 + (i & 1)};
}

/* Element of a * b + c, in long double. */
static inline long double oracle_product(const double a[16][32], const double b[32][8],
                                         const double c[16][8], uint32_t k, uint32_t row,
                                         uint32_t column) {
    long double sum = c[row][column];
    for (uint32_t n = 0; n < k; n++)
        sum += (long double)a[row][n] * b[n][column];
    return sum;
}

#endif
