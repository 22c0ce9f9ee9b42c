/* Vectors of two lanes. */
#include <immintrin.h>

enum { LANES = 2 };
typedef __m256i vector;

ALWAYS vector load(const char *from) { return _mm256_loadu_si256((const __m256i *)from); }
ALWAYS void store(char *to, vector v) { _mm256_storeu_si256((__m256i *)to, v); }
ALWAYS void store_past(char *to, vector v) { _mm256_stream_si256((__m256i *)to, v); }
ALWAYS void wait_for_stores(void) { _mm_sfence(); }

ALWAYS __m128i load_lane(const char *from) { return _mm_loadu_si128((const __m128i *)from); }
/* Lanes that lie `step` bytes apart. */
ALWAYS vector join(const char *from, size_t step) {
    return _mm256_inserti128_si256(_mm256_castsi128_si256(load_lane(from)), load_lane(from + step),
                                   1);
}
ALWAYS lane_of_8 lane_of(vector v, int lane) {
    return (lane_of_8)(lane ? _mm256_extracti128_si256(v, 1) : _mm256_castsi256_si128(v));
}

/* In each lane the lower or the upper words of a and b by turns. */
ALWAYS vector low(size_t u, vector a, vector b) {
    return u == 1   ? _mm256_unpacklo_epi8(a, b)
           : u == 2 ? _mm256_unpacklo_epi16(a, b)
           : u == 4 ? _mm256_unpacklo_epi32(a, b)
                    : _mm256_unpacklo_epi64(a, b);
}
ALWAYS vector high(size_t u, vector a, vector b) {
    return u == 1   ? _mm256_unpackhi_epi8(a, b)
           : u == 2 ? _mm256_unpackhi_epi16(a, b)
           : u == 4 ? _mm256_unpackhi_epi32(a, b)
                    : _mm256_unpackhi_epi64(a, b);
}

/* The words of a and b by turns, as two vectors. */
ALWAYS vector zip_low(size_t u, vector a, vector b) {
    return u == 16 ? _mm256_permute2x128_si256(a, b, 0x20)
                   : _mm256_permute2x128_si256(low(u, a, b), high(u, a, b), 0x20);
}
ALWAYS vector zip_high(size_t u, vector a, vector b) {
    return u == 16 ? _mm256_permute2x128_si256(a, b, 0x31)
                   : _mm256_permute2x128_si256(low(u, a, b), high(u, a, b), 0x31);
}
