/* Vectors of four lanes: one line. */
#include <immintrin.h>

enum { LANES = 4 };
typedef __m512i vector;

ALWAYS vector load(const char *from) { return _mm512_loadu_si512(from); }
ALWAYS void store(char *to, vector v) { _mm512_storeu_si512(to, v); }
ALWAYS void store_past(char *to, vector v) { _mm512_stream_si512((__m512i *)to, v); }
ALWAYS void wait_for_stores(void) { _mm_sfence(); }

ALWAYS __m128i load_lane(const char *from) { return _mm_loadu_si128((const __m128i *)from); }
ALWAYS __m256i load_two(const char *from, size_t step) {
    return _mm256_inserti128_si256(_mm256_castsi128_si256(load_lane(from)), load_lane(from + step),
                                   1);
}
/* Lanes that lie `step` bytes apart. */
ALWAYS vector join(const char *from, size_t step) {
    return _mm512_inserti64x4(_mm512_castsi256_si512(load_two(from, step)),
                              load_two(from + 2 * step, step), 1);
}
ALWAYS lane_of_8 lane_of(vector v, int lane) {
    return (lane_of_8)(lane == 0   ? _mm512_castsi512_si128(v)
                       : lane == 1 ? _mm512_extracti32x4_epi32(v, 1)
                       : lane == 2 ? _mm512_extracti32x4_epi32(v, 2)
                                   : _mm512_extracti32x4_epi32(v, 3));
}

/* In each lane the lower or the upper words of a and b by turns. */
ALWAYS vector low(size_t u, vector a, vector b) {
    return u == 1   ? _mm512_unpacklo_epi8(a, b)
           : u == 2 ? _mm512_unpacklo_epi16(a, b)
           : u == 4 ? _mm512_unpacklo_epi32(a, b)
                    : _mm512_unpacklo_epi64(a, b);
}
ALWAYS vector high(size_t u, vector a, vector b) {
    return u == 1   ? _mm512_unpackhi_epi8(a, b)
           : u == 2 ? _mm512_unpackhi_epi16(a, b)
           : u == 4 ? _mm512_unpackhi_epi32(a, b)
                    : _mm512_unpackhi_epi64(a, b);
}
