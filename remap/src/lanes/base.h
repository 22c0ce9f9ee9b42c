/* Vectors of one lane, in what GCC and clang make of C for every processor: NEON on ARM. */
#include <stdint.h>
#if defined __SSE2__
#include <emmintrin.h>
#endif

enum { LANES = 1 };
typedef uint8_t vector __attribute__((vector_size(16), aligned(1), may_alias));
typedef uint16_t of_2 __attribute__((vector_size(16)));
typedef uint32_t of_4 __attribute__((vector_size(16)));
typedef uint64_t of_8 __attribute__((vector_size(16)));

ALWAYS vector load(const char *from) { return *(const vector *)from; }
ALWAYS void store(char *to, vector v) { *(vector *)to = v; }
ALWAYS vector join(const char *from, size_t step) {
    (void)step;
    return load(from);
}
ALWAYS lane_of_8 lane_of(vector v, int lane) {
    (void)lane;
    return (lane_of_8)v;
}

/* The lower or the upper words of a and b by turns. */
ALWAYS vector low(size_t u, vector a, vector b) {
    if (u == 1)
        return __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7,
                                       23);
    if (u == 2)
        return (vector)__builtin_shufflevector((of_2)a, (of_2)b, 0, 8, 1, 9, 2, 10, 3, 11);
    if (u == 4)
        return (vector)__builtin_shufflevector((of_4)a, (of_4)b, 0, 4, 1, 5);
    return (vector)__builtin_shufflevector((of_8)a, (of_8)b, 0, 2);
}
ALWAYS vector high(size_t u, vector a, vector b) {
    if (u == 1)
        return __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30,
                                       15, 31);
    if (u == 2)
        return (vector)__builtin_shufflevector((of_2)a, (of_2)b, 4, 12, 5, 13, 6, 14, 7, 15);
    if (u == 4)
        return (vector)__builtin_shufflevector((of_4)a, (of_4)b, 2, 6, 3, 7);
    return (vector)__builtin_shufflevector((of_8)a, (of_8)b, 1, 3);
}

#if defined __SSE2__
ALWAYS void store_streaming(char *to, vector v) { _mm_stream_si128((__m128i *)to, (__m128i)v); }
ALWAYS void wait_for_stores(void) { _mm_sfence(); }
#else
ALWAYS void store_streaming(char *to, vector v) { store(to, v); }
ALWAYS void wait_for_stores(void) {}
#endif

/* The words of a and b by turns, as two vectors. */
ALWAYS vector zip_low(size_t u, vector a, vector b) { return u == 16 ? a : low(u, a, b); }
ALWAYS vector zip_high(size_t u, vector a, vector b) { return u == 16 ? b : high(u, a, b); }

/* The first, or the second ones, of the pairs of words in a and b. */
ALWAYS vector unzip_low(size_t u, vector a, vector b) {
    if (u == 1)
        return __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28,
                                       30);
    if (u == 2)
        return (vector)__builtin_shufflevector((of_2)a, (of_2)b, 0, 2, 4, 6, 8, 10, 12, 14);
    if (u == 4)
        return (vector)__builtin_shufflevector((of_4)a, (of_4)b, 0, 2, 4, 6);
    return low(8, a, b);
}
ALWAYS vector unzip_high(size_t u, vector a, vector b) {
    if (u == 1)
        return __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29,
                                       31);
    if (u == 2)
        return (vector)__builtin_shufflevector((of_2)a, (of_2)b, 1, 3, 5, 7, 9, 11, 13, 15);
    if (u == 4)
        return (vector)__builtin_shufflevector((of_4)a, (of_4)b, 1, 3, 5, 7);
    return high(8, a, b);
}
