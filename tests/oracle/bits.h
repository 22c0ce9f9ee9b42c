/*
 * PTX's instructions on bits and bytes, bit by bit as PTX ISA describes them. Slow and
 * obvious; positions, lengths and selectors are taken as they come.
 */
#ifndef HD_TESTS_ORACLE_BITS_H
#define HD_TESTS_ORACLE_BITS_H

#include <stdbool.h>
#include <stdint.h>

static inline uint64_t oracle_bit(uint64_t x, uint32_t at) { return at < 64 ? x >> at & 1 : 0; }

/* bfe: bit i is that of the field, or the field's sign. */
static inline uint64_t oracle_extract(uint64_t a, uint64_t b, uint64_t c, uint32_t bits,
                                      bool is_signed) {
    uint32_t from = b & 0xff, length = c & 0xff, last = bits - 1;
    uint32_t end = from + length - 1 < last ? from + length - 1 : last;
    uint64_t sign = is_signed && length ? oracle_bit(a, end) : 0, d = 0;
    for (uint32_t i = 0; i <= last; i++)
        d |= (i < length && from + i <= last ? oracle_bit(a, from + i) : sign) << i;
    return d;
}

/* bfi: a's bits replace some of b. */
static inline uint64_t oracle_insert(uint64_t a, uint64_t b, uint64_t c, uint64_t d,
                                     uint32_t bits) {
    uint32_t from = c & 0xff, length = d & 0xff;
    for (uint32_t i = 0; i < length && from + i < bits; i++)
        b = (b & ~(UINT64_C(1) << (from + i))) | oracle_bit(a, i) << (from + i);
    return b;
}

/* bfind: from the top, the first bit that is not a copy of the sign (signed), or is 1. */
static inline int64_t oracle_find(uint64_t a, uint32_t bits, bool is_signed) {
    uint64_t sign = is_signed ? oracle_bit(a, bits - 1) : 0;
    for (uint32_t i = bits; i-- > 0;)
        if (oracle_bit(a, i) != sign)
            return i;
    return -1;
}

/* fns: walks from the base, counting. */
static inline int64_t oracle_nth(uint32_t mask, int32_t base, int32_t n) {
    if (n == 0)
        return base >= 0 && base < 32 && oracle_bit(mask, (uint32_t)base) ? base : -1;
    int64_t seen = 0, wanted = n < 0 ? -(int64_t)n : n;
    for (int64_t at = base; at >= 0 && at < 32; at += n < 0 ? -1 : 1) {
        seen += (int64_t)oracle_bit(mask, (uint32_t)at);
        if (seen == wanted)
            return at;
    }
    return -1;
}

/* Part k of `width` bits. */
static inline int64_t oracle_part(uint32_t x, uint32_t k, uint32_t width, bool is_signed) {
    int64_t part = 0, weight = 1;
    for (uint32_t i = 0; i < width; i++, weight *= 2)
        part += (int64_t)oracle_bit(x, k * width + i) * weight;
    return is_signed && part >= weight / 2 ? part - weight : part;
}

/* dp4a, or dp2a with bytes of b from `from` on: products of `count` parts. */
static inline uint32_t oracle_dot(uint32_t a, uint32_t b, uint32_t c, uint32_t count, uint32_t from,
                                  bool a_signed, bool b_signed) {
    int64_t sum = (int32_t)c;
    for (uint32_t k = 0; k < count; k++)
        sum += oracle_part(a, k, 32 / count, a_signed) * oracle_part(b, from + k, 8, b_signed);
    return (uint32_t)sum;
}

/* prmt: the eight bytes are b's and a's; `selector` has four bits for each byte of the result. */
static inline uint32_t oracle_permute(uint32_t a, uint32_t b, uint32_t selector) {
    uint32_t d = 0;
    for (uint32_t n = 0; n < 32; n++) {
        uint32_t digit = selector >> n / 8 * 4 & 15, byte = digit & 7;
        uint32_t bit = digit & 8 ? 7 : n % 8;
        d |= (uint32_t)oracle_bit(byte < 4 ? a : b, byte % 4 * 8 + bit) << n;
    }
    return d;
}

/* The selector of a mode: "forward 4 extract" takes a[k], a[k+1] ... from both words on; clamps
 * stop at byte k from the left or from the right. */
static inline uint32_t oracle_mode(char mode, uint32_t k) {
    uint32_t selector = 0;
    for (uint32_t n = 0; n < 4; n++) {
        uint32_t byte = mode == 'f'   ? k + n                /* f4e */
                        : mode == 'b' ? (k + 8 - n) % 8      /* b4e */
                        : mode == '8' ? k                    /* rc8 */
                        : mode == 'l' ? (n < k ? k : n)      /* ecl */
                        : mode == 'r' ? (n > k ? k : n)      /* ecr */
                                      : (k & 1) * 2 + n % 2; /* rc16 */
        selector |= byte << 4 * n;
    }
    return selector;
}

#endif
