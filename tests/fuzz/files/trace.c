/*
 * Damage to trace files (docs/trace-format.md) that checksums do not show, since they are made
 * right again: to what stands in the file, packed as it is, or to what it unpacks to.
 */
#include <stdlib.h>
#include <zstd.h>

#include "files.h"
#include "trace_sums.h"

enum { HEAD = 32, CHUNK = 24, PART_HEAD = 40, MOST_RAW = 8 << 20 };

static uint32_t load32(const uint8_t *at) {
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static void store32(uint8_t *at, uint32_t value) {
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

static bool is(const uint8_t *chunk, const char *type) { return !memcmp(chunk, type, 4); }

/* The chunk at `at` with its body unpacked, at the end of `to`; false when it has no sound one. */
static bool unpack_chunk(const bytes *file, size_t at, bytes *to) {
    const uint8_t *chunk = file->data + at;
    size_t head = is(chunk, "PART") ? PART_HEAD : 0;
    size_t stored = load32(chunk + 4), raw = load32(chunk + 8), begin = to->length;
    if (stored < head || stored > file->length - at - CHUNK || raw > MOST_RAW)
        return false;
    bytes_replace(to, begin, 0, chunk, CHUNK + head);
    bytes_replace(to, to->length, 0, NULL, raw);
    uint8_t *copy = to->data + begin;
    store32(copy + 4, (uint32_t)(head + raw));
    store32(copy + 12, 0);
    const uint8_t *body = chunk + CHUNK + head;
    if (load32(chunk + 12))
        return ZSTD_decompress(copy + CHUNK + head, raw, body, stored - head) == raw;
    memcpy(copy + CHUNK + head, body, stored - head < raw ? stored - head : raw);
    return true;
}

/* The file without its index, and unpacked up to the end of the first launch: what a killed run
 * leaves. */
static void unpack(bytes *file) {
    bytes to = {0};
    bytes_replace(&to, 0, 0, file->data, file->length < HEAD ? file->length : HEAD);
    for (size_t at = HEAD; at + CHUNK <= file->length; at += CHUNK + load32(file->data + at + 4))
        if (is(file->data + at, "PAGE") || is(file->data + at, "ENDL") ||
            !unpack_chunk(file, at, &to))
            break;
    free(file->data);
    *file = to;
}

/* ---- kinds of damage ---------------------------------------------------------------- */

static void store_extreme(uint64_t *random, bytes *b) {
    static const uint64_t values[] = {0,          1,          0x7f,       0xff,        0xffff,
                                      0x7fffffff, 0x80000000, 0xffffffff, 0x100000000, INT64_MAX,
                                      1ull << 63, UINT64_MAX, 0x3fffffff};
    uint64_t value = values[hd_next_random(random) % (sizeof values / sizeof *values)];
    size_t width = (size_t)1 << hd_next_random(random) % 4;
    size_t at = hd_next_random(random) % (b->length - width + 1);
    for (size_t i = 0; i < width; i++)
        b->data[at + i] = (uint8_t)(value >> 8 * i);
}

/* A varint as long as one can be, in the place of some bytes. */
static void store_varint(uint64_t *random, bytes *b) {
    size_t count = 1 + hd_next_random(random) % 10;
    size_t at = hd_next_random(random) % b->length;
    for (size_t i = 0; i < count && at + i < b->length; i++)
        b->data[at + i] = i + 1 < count ? 0xff : 0x01;
}

static void flip(uint64_t *random, bytes *b) {
    b->data[hd_next_random(random) % b->length] = (uint8_t)hd_next_random(random);
}

/* Moves, drops or doubles a stretch, which may be a chunk. */
static void move(uint64_t *random, bytes *b) {
    size_t at = hd_next_random(random) % b->length;
    size_t count = hd_next_random(random) % (b->length - at) % 512;
    size_t to = hd_next_random(random) % b->length;
    bytes copy = {0};
    bytes_set(&copy, b->data + at, count);
    if (hd_next_random(random) % 2)
        bytes_replace(b, to, 0, copy.data, copy.length);
    else
        bytes_replace(b, at, count, NULL, 0);
    free(copy.data);
}

void damage_trace(uint64_t *random, const bytes_list *seeds, bytes *input) {
    static void (*const ways[])(uint64_t *, bytes *) = {flip,          flip,         store_extreme,
                                                        store_extreme, store_varint, move};
    (void)seeds;
    if (hd_next_random(random) % 3)
        unpack(input);
    for (uint64_t n = 1 + hd_next_random(random) % 5; n && input->length > 64; n--)
        ways[hd_next_random(random) % (sizeof ways / sizeof *ways)](random, input);
    fix_trace_checksums(input->data, input->length);
}
