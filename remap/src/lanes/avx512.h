/* Vectors of four lanes: one line. */
#include <immintrin.h>

enum { LANES = 4, MOST_PLACES = 7 };
typedef __m512i vector;

ALWAYS vector load(const char *from) { return _mm512_loadu_si512(from); }
ALWAYS void store(char *to, vector v) { _mm512_storeu_si512(to, v); }
ALWAYS void store_streaming(char *to, vector v) { _mm512_stream_si512((__m512i *)to, v); }
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

/* The numbers of a vector's bytes. */
ALWAYS vector byte_numbers(void) {
    static const uint8_t numbers[64] = {
        0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
        22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43,
        44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};
    return _mm512_loadu_si512(numbers);
}
ALWAYS vector all_bytes(size_t value) { return _mm512_set1_epi8((char)value); }

/* The words of a and b by turns, as two vectors; `half` is 0 for the first and 1 for the second:
 * the words at byte i are those at i / 2, of b where i is odd. */
ALWAYS vector zip_half(size_t u, vector a, vector b, size_t half) {
    vector i = byte_numbers();
    vector word = _mm512_srli_epi16(_mm512_andnot_si512(all_bytes(2 * u - 1), i), 1);
    vector within = _mm512_and_si512(i, all_bytes(u - 1));
    vector of_b = _mm512_maskz_set1_epi8(_mm512_test_epi8_mask(i, all_bytes(u)), 64);
    vector index =
        _mm512_add_epi8(_mm512_add_epi8(word, within), _mm512_add_epi8(of_b, all_bytes(32 * half)));
    return _mm512_permutex2var_epi8(a, index, b);
}
ALWAYS vector zip_low(size_t u, vector a, vector b) { return zip_half(u, a, b, 0); }
ALWAYS vector zip_high(size_t u, vector a, vector b) { return zip_half(u, a, b, 1); }

/* Lane i of vector k becomes lane k of vector i. */
ALWAYS void turn_lanes(vector v[LANES]) {
    vector low = _mm512_shuffle_i32x4(v[0], v[1], 0x44),
           high = _mm512_shuffle_i32x4(v[0], v[1], 0xee);
    vector next_low = _mm512_shuffle_i32x4(v[2], v[3], 0x44),
           next_high = _mm512_shuffle_i32x4(v[2], v[3], 0xee);
    v[0] = _mm512_shuffle_i32x4(low, next_low, 0x88);
    v[1] = _mm512_shuffle_i32x4(low, next_low, 0xdd);
    v[2] = _mm512_shuffle_i32x4(high, next_high, 0x88);
    v[3] = _mm512_shuffle_i32x4(high, next_high, 0xdd);
}

/* Of four lines of words that lie `step` bytes apart, the lanes with the same number in a vector
 * each. */
ALWAYS void join_lines(const char *from, size_t step, vector joined[LANES]) {
    UNROLL for (size_t k = 0; k < LANES; k++) joined[k] = load(from + k * step);
    turn_lanes(joined);
}

/* The same of the halves of four lines. */
ALWAYS void join_pairs(const char *from, size_t step, vector joined[2]) {
    vector ab =
        _mm512_inserti64x4(_mm512_castsi256_si512(_mm256_loadu_si256((const __m256i *)from)),
                           _mm256_loadu_si256((const __m256i *)(from + step)), 1);
    vector cd = _mm512_inserti64x4(
        _mm512_castsi256_si512(_mm256_loadu_si256((const __m256i *)(from + 2 * step))),
        _mm256_loadu_si256((const __m256i *)(from + 3 * step)), 1);
    joined[0] = _mm512_shuffle_i32x4(ab, cd, 0x88);
    joined[1] = _mm512_shuffle_i32x4(ab, cd, 0xdd);
}

/* The line that begins `phase` bytes into a, which b follows. For words of 4 bytes and more the
 * phase is a multiple of 4. */
ALWAYS vector line_across(size_t u, vector a, vector b, size_t phase) {
    const __m512i first = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    __m512i numbers = _mm512_add_epi32(first, _mm512_set1_epi32((int)(phase / 4)));
    vector low_words = _mm512_permutex2var_epi32(a, numbers, b);
    if (u >= 4)
        return low_words;
    numbers = _mm512_add_epi32(numbers, _mm512_set1_epi32(1));
    vector high_words = _mm512_permutex2var_epi32(a, numbers, b);
    __m128i right = _mm_cvtsi32_si128((int)(phase % 4 * 8));
    __m128i left = _mm_cvtsi32_si128((int)(32 - phase % 4 * 8));
    return _mm512_or_si512(_mm512_srl_epi32(low_words, right), _mm512_sll_epi32(high_words, left));
}

/* ---- records of any few words of 4 bytes --------------------------------------------------- */

/* Of each word of a line of records: its field, and its row. */
typedef struct places {
    __m512i field, row;
} places;

ALWAYS void find_places(places *lines, size_t words) {
    const __m512i first = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    __m512i all = _mm512_set1_epi32((int)words);
    __m512i part = _mm512_set1_epi32((int)(65536 / words + 1)); /* exact below 256 words */
    for (size_t line = 0; line < words; line++) {
        __m512i word = _mm512_add_epi32(first, _mm512_set1_epi32((int)(16 * line)));
        lines[line].row = _mm512_srli_epi32(_mm512_mullo_epi32(word, part), 16);
        lines[line].field = _mm512_sub_epi32(word, _mm512_mullo_epi32(lines[line].row, all));
    }
}

/* 16 rows of `words` runs to lines of rows: each word is fetched from its field's run. */
ALWAYS void zip_places(const places *lines, size_t words, char *to, const char *const *from,
                       size_t skipped) {
    vector v[MOST_PLACES], line;
    UNROLL for (size_t k = 0; k < words; k++) v[k] = load(from[k] + skipped);
    UNROLL for (size_t i = 0; i < words; i++) {
        line = _mm512_permutexvar_epi32(lines[i].row, v[0]);
        UNROLL for (size_t k = 1; k < words; k++) {
            __mmask16 own = _mm512_cmpeq_epi32_mask(lines[i].field, _mm512_set1_epi32((int)k));
            line = _mm512_mask_permutexvar_epi32(line, own, lines[i].row, v[k]);
        }
        store_streaming(to + i * 64, line);
    }
}

ALWAYS void zip_by_places(size_t words, char *to, const char *const *from, size_t rows) {
    places lines[MOST_PLACES];
    find_places(lines, words);
    for (size_t i = 0; i < rows * 4; i += 64)
        zip_places(lines, words, to + i * words, from, i);
}

/* The first, or the second ones (half = 1), of the pairs of words in a and b. */
ALWAYS vector unzip_half(size_t u, vector a, vector b, size_t half) {
    vector i = byte_numbers(), within = _mm512_and_si512(i, all_bytes(u - 1));
    vector index =
        _mm512_add_epi8(_mm512_add_epi8(i, i), _mm512_sub_epi8(all_bytes(half * u), within));
    return _mm512_permutex2var_epi8(a, index, b);
}
ALWAYS vector unzip_low(size_t u, vector a, vector b) { return unzip_half(u, a, b, 0); }
ALWAYS vector unzip_high(size_t u, vector a, vector b) { return unzip_half(u, a, b, 1); }
