/*
 * Different words of a request (warp_words.h).
 *
 * Words are numbered from one near those of the lanes, so that a number has 32 bits, and the lanes of a
 * request fill two vectors of the largest size. Mostly they are in order, and each is compared with the
 * one before it. Where they are not, each lane is compared with all lanes before it, by shifting them:
 *
 *     lane      0 1 2 3 ...            words      4 7 4 4
 *     by one    - 4 7 4                repeated         x
 *     by two    - - 4 7                repeated     x   x
 */
#include "analysis/warp_words.h"

#if defined(__x86_64__)
#define CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define CLONES
#endif
#pragma GCC diagnostic ignored "-Wpsabi" /* the vectors pass between inlined functions alone */
#define INLINE static inline __attribute__((always_inline))

enum { HALF = WORD_LANES / 2, NEAR = 1 << 30 };

typedef uint64_t wide __attribute__((vector_size(64)));
typedef uint32_t quarter __attribute__((vector_size(32)));
typedef uint32_t half __attribute__((vector_size(64)));

/* A number of each lane. */
typedef struct lanes {
    half low, high;
} lanes;

static const wide eight = {0, 1, 2, 3, 4, 5, 6, 7};
static const half sixteen = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

INLINE bool any(half x) {
    uint32_t all = 0;
    for (uint32_t l = 0; l < HALF; l++)
        all |= x[l];
    return all;
}

/* How many are UINT32_MAX, where others are 0. */
INLINE uint32_t how_many(half low, half high) {
    uint32_t sum = 0;
    low += high;
    for (uint32_t l = 0; l < HALF; l++)
        sum -= low[l];
    return sum;
}

/* UINT32_MAX for the lanes of the mask. */
INLINE lanes active(uint32_t mask) {
    half zero = {0};
    return (lanes){(half)(((zero + mask) >> sixteen & 1) != 0),
                   (half)(((zero + (mask >> HALF)) >> sixteen & 1) != 0)};
}

/* Each lane the number of the one before it; the first gets 0. */
INLINE lanes shifted(lanes x) {
    half zero = {0};
    return (lanes){__builtin_shufflevector(zero, x.low, 0, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25,
                                           26, 27, 28, 29, 30),
                   __builtin_shufflevector(x.low, x.high, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24,
                                           25, 26, 27, 28, 29, 30)};
}

/* Each lane's word, from about NEAR words before that of the first active lane on; of lanes that are not
 * active, 0. */
INLINE bool number(const hd_event *e, uint32_t first, uint32_t mask, uint32_t width, uint32_t shift,
                   uint32_t row_shift, lanes *word) {
    uint64_t start = hd_event_address(e, first + (uint32_t)__builtin_ctz(mask));
    uint64_t base = (start >> row_shift << row_shift) - ((uint64_t)NEAR << shift);
    uint64_t end[WORD_LANES];
    const uint64_t *address = e->address ? e->address + first : NULL;
    if (address && e->threads - first < WORD_LANES) {
        memcpy(end, address, (e->threads - first) * sizeof *end);
        address = end;
    }
    const wide zero = {0};
    wide bad = zero;
    quarter part[4];
    for (uint32_t q = 0; q < 4; q++) {
        wide at = zero + (first + q * 8) * (uint64_t)e->stride;
        at += eight * (uint64_t)e->stride;
        if (address)
            memcpy(&at, address + (size_t)q * 8, sizeof at);
        at += e->base - base;
        wide set = (wide)(((zero + (mask >> q * 8)) >> eight & 1) != 0), from = (at >> shift) & set;
        bad |= from >> 31 | (at & set & (width - 1));
        part[q] = __builtin_convertvector(from, quarter);
    }
    word->low = __builtin_shufflevector(part[0], part[1], 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12,
                                        13, 14, 15);
    word->high = __builtin_shufflevector(part[2], part[3], 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12,
                                         13, 14, 15);
    return !any((half)bad);
}

INLINE half greater(half x, half y) {
    half is_x = (half)(x > y);
    return (x & is_x) | (y & ~is_x);
}

/* Each lane the greatest of itself and those before it. */
INLINE lanes greatest_so_far(lanes x) {
    const half zero = {0};
#define BY(...)                                                                    \
    x.high = greater(__builtin_shufflevector(x.low, x.high, __VA_ARGS__), x.high); \
    x.low = greater(__builtin_shufflevector(zero, x.low, __VA_ARGS__), x.low);
    BY(15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30)
    BY(14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29)
    BY(12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27)
    BY(8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23)
#undef BY
    x.high = greater(x.low, x.high);
    return x;
}

/* Lanes whose word one before has: UINT32_MAX. Those that are not active have 0. */
INLINE lanes repeated(lanes word) {
    uint32_t row[2 * WORD_LANES] = {0};
    lanes yes = {{0}, {0}};
    memcpy(row + WORD_LANES, &word.low, sizeof word.low);
    memcpy(row + WORD_LANES + HALF, &word.high, sizeof word.high);
    for (uint32_t by = 1; by < WORD_LANES; by++) {
        half x, y;
        memcpy(&x, row + WORD_LANES - by, sizeof x);
        memcpy(&y, row + WORD_LANES - by + HALF, sizeof y);
        yes.low |= (half)(x == word.low);
        yes.high |= (half)(y == word.high);
    }
    return yes;
}

INLINE uint32_t different(lanes word) {
    lanes again = repeated(word);
    return how_many(~again.low & (half)(word.low != 0), ~again.high & (half)(word.high != 0));
}

CLONES bool warp_words_count(const hd_event *e, uint32_t first, uint32_t mask, uint32_t width,
                             uint32_t row_bytes, uint32_t *words, uint32_t *rows) {
    uint32_t shift = (uint32_t)__builtin_ctz(width), row_shift = (uint32_t)__builtin_ctz(row_bytes);
    uint32_t words_of_row = row_shift - shift;
    lanes word;
    if (!number(e, first, mask, width, shift, row_shift, &word))
        return false;
    lanes set = active(mask), up = mask == UINT32_MAX ? word : greatest_so_far(word);
    lanes before = shifted(up);
    half down = ((up.low ^ word.low) & set.low) | ((up.high ^ word.high) & set.high);
    if (any(down | (half)(before.low > up.low) | (half)(before.high > up.high))) {
        lanes row = {word.low >> words_of_row, word.high >> words_of_row};
        *words = different(word);
        *rows = different(row);
        return true;
    }
    *words = how_many((half)(up.low != before.low), (half)(up.high != before.high));
    *rows = how_many((half)((up.low ^ before.low) >> words_of_row != 0),
                     (half)((up.high ^ before.high) >> words_of_row != 0));
    return true;
}

CLONES uint32_t warp_words_of_bank(const hd_event *e, uint32_t first, uint32_t mask, uint32_t width,
                                   uint32_t bytes, uint32_t banks) {
    uint32_t shift = (uint32_t)__builtin_ctz(bytes), most = 0;
    lanes word;
    if (!number(e, first, mask, width, shift, shift, &word))
        return 0;
    lanes set = active(mask);
    half from_first = ((word.low - NEAR) & set.low) | ((word.high - NEAR) & set.high);
    if (!any(from_first & ~(banks - 1)))
        return 1; /* they are in a row of banks that the first one begins */
    lanes again = repeated(word);
    uint32_t of[WORD_LANES], bank[WORD_LANES];
    uint8_t of_bank[WORD_LANES] = {0};
    set.low &= ~again.low & 1;
    set.high &= ~again.high & 1;
    word.low &= banks - 1;
    word.high &= banks - 1;
    memcpy(of, &set, sizeof of);
    memcpy(bank, &word, sizeof bank);
    for (uint32_t l = 0; l < WORD_LANES; l++) {
        uint8_t now = (uint8_t)(of_bank[bank[l]] + of[l]);
        of_bank[bank[l]] = now;
        most = now > most ? now : most;
    }
    return most;
}

CLONES bool lanes_have_distances(const uint64_t *address, const uint64_t *distance,
                                 uint32_t count) {
    uint64_t differs = 0;
    for (uint32_t l = 0; l < count; l++)
        differs |= address[l] ^ (address[0] + distance[l]);
    return !differs;
}
