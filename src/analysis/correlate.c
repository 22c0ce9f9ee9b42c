/*
 * Correlation by a number-theoretic transform: the Fourier transform over the integers
 * modulo p = 2^64 - 2^32 + 1, in which 7 generates all numbers but 0 and 2^32 divides
 * p - 1. Sums are exact as long as they are less than p (Pollard, "The fast Fourier
 * transform in a finite field", 1971).
 *
 * One sequence holds the weights at their positions, the other a 1 at each position,
 * backwards; their product has at place span + d what distance d gets. Positions that
 * span s places need a transform of the power of two from 2 s + 1 on: three of them, of
 * n log n / 2 products each, against count^2 / 2 additions for pairs.
 */
#include <stdlib.h>

#include "analysis/reuse_parts.h"

static const uint64_t P = 0xffffffff00000001u;

/* 2^64 = 2^32 - 1 and 2^96 = -1 modulo p. */
static uint64_t times(uint64_t a, uint64_t b) {
    unsigned __int128 product = (unsigned __int128)a * b;
    uint64_t low = (uint64_t)product, high = (uint64_t)(product >> 64);
    uint64_t top = high >> 32, middle = high & 0xffffffff;
    uint64_t sum = low - top;
    if (low < top)
        sum -= 0xffffffff; /* borrowed 2^64 */
    uint64_t more = middle * 0xffffffff, result = sum + more;
    if (result < sum)
        result += 0xffffffff;
    return result >= P ? result - P : result;
}
static uint64_t plus(uint64_t a, uint64_t b) {
    uint64_t sum = a - (P - b);
    return a < P - b ? sum + P : sum;
}
static uint64_t minus(uint64_t a, uint64_t b) { return a < b ? a - b + P : a - b; }

static uint64_t power(uint64_t base, uint64_t exponent) {
    uint64_t result = 1;
    for (; exponent; exponent >>= 1, base = times(base, base))
        if (exponent & 1)
            result = times(result, base);
    return result;
}

/* roots[k] = root^k for k < n / 2. */
static uint64_t *roots_of(uint64_t n, bool inverse) {
    uint64_t *roots = hd_checked(malloc((n / 2 + 1) * sizeof *roots));
    uint64_t root = power(7, (P - 1) / n);
    if (inverse)
        root = power(root, P - 2);
    roots[0] = 1;
    for (uint64_t k = 1; k < n / 2; k++)
        roots[k] = times(roots[k - 1], root);
    return roots;
}

/* In order to bit-reversed order. */
static void transform(uint64_t *a, uint64_t n, const uint64_t *roots) {
    for (uint64_t half = n / 2, step = 1; half; half /= 2, step *= 2)
        for (uint64_t from = 0; from < n; from += 2 * half)
            for (uint64_t k = 0; k < half; k++) {
                uint64_t x = a[from + k], y = a[from + half + k];
                a[from + k] = plus(x, y);
                a[from + half + k] = times(minus(x, y), roots[k * step]);
            }
}

/* From bit-reversed order to order; n times too large. */
static void transform_back(uint64_t *a, uint64_t n, const uint64_t *roots) {
    for (uint64_t half = 1, step = n / 2; half < n; half *= 2, step /= 2)
        for (uint64_t from = 0; from < n; from += 2 * half)
            for (uint64_t k = 0; k < half; k++) {
                uint64_t x = a[from + k], y = times(a[from + half + k], roots[k * step]);
                a[from + k] = plus(x, y);
                a[from + half + k] = minus(x, y);
            }
}

static uint64_t size_for(uint64_t span) {
    uint64_t n = 2;
    while (n < 2 * span + 1)
        n *= 2;
    return n;
}

double correlate_cost(uint64_t span) {
    uint64_t n = size_for(span);
    return 12.0 * (double)n * (double)(63 - __builtin_clzll(n));
}

/* Two sequences, and roots of half their length. */
uint64_t correlate_bytes(uint64_t span) {
    uint64_t n = size_for(span);
    return (2 * n + n / 2 + 1) * sizeof(uint64_t);
}

void correlate(const uint32_t *position, const uint64_t *weight, uint64_t count, uint64_t *degree) {
    uint64_t span = position[count - 1] - position[0], n = size_for(span);
    uint64_t *a = hd_zeroed(n, sizeof *a), *b = hd_zeroed(n, sizeof *b);
    uint64_t *roots = roots_of(n, false);
    for (uint64_t i = 0; i < count; i++) {
        a[position[i] - position[0]] = weight[i];
        b[span - (position[i] - position[0])] = 1;
    }
    transform(a, n, roots);
    transform(b, n, roots);
    free(roots);
    for (uint64_t i = 0; i < n; i++)
        a[i] = times(a[i], b[i]);
    free(b);
    roots = roots_of(n, true);
    transform_back(a, n, roots);
    uint64_t nth = power(n, P - 2);
    for (uint64_t d = 1; d <= span; d++)
        degree[d] += times(a[span + d], nth);
    free(roots);
    free(a);
}
