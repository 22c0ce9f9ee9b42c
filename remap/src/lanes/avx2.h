/* The instructions of AVX2, vectors of two lanes, of which remap_lanes.c makes its moves. */
#include <immintrin.h>

enum { LANES = 2 };
typedef __m256i vector;

ALWAYS vector load(const char *from) { return _mm256_loadu_si256((const __m256i *)from); }
ALWAYS void store(char *to, vector v) { _mm256_storeu_si256((__m256i *)to, v); }
ALWAYS void store_streaming(char *to, vector v) { _mm256_stream_si256((__m256i *)to, v); }
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

/* The first, or the second ones, of the pairs of words in a and b. */
ALWAYS vector unzip_low(size_t u, vector a, vector b) {
    const __m256i bytes = _mm256_set1_epi16(0xff), zero = _mm256_setzero_si256();
    vector lanes = u == 1
                       ? _mm256_packus_epi16(_mm256_and_si256(a, bytes), _mm256_and_si256(b, bytes))
                   : u == 2 ? _mm256_packus_epi32(_mm256_blend_epi16(a, zero, 0xaa),
                                                  _mm256_blend_epi16(b, zero, 0xaa))
                   : u == 4 ? _mm256_castps_si256(_mm256_shuffle_ps(_mm256_castsi256_ps(a),
                                                                    _mm256_castsi256_ps(b), 0x88))
                            : low(8, a, b);
    return u == 16 ? _mm256_permute2x128_si256(a, b, 0x20) : _mm256_permute4x64_epi64(lanes, 0xd8);
}
ALWAYS vector unzip_high(size_t u, vector a, vector b) {
    vector lanes = u == 1 ? _mm256_packus_epi16(_mm256_srli_epi16(a, 8), _mm256_srli_epi16(b, 8))
                   : u == 2
                       ? _mm256_packus_epi32(_mm256_srli_epi32(a, 16), _mm256_srli_epi32(b, 16))
                   : u == 4 ? _mm256_castps_si256(_mm256_shuffle_ps(_mm256_castsi256_ps(a),
                                                                    _mm256_castsi256_ps(b), 0xdd))
                            : high(8, a, b);
    return u == 16 ? _mm256_permute2x128_si256(a, b, 0x31) : _mm256_permute4x64_epi64(lanes, 0xd8);
}
