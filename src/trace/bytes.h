/*
 * Bytes that grow, and a cursor over bytes that somebody else wrote. Numbers of a
 * trace file are little-endian, or varints: seven bits in each byte, the lowest first,
 * the top bit set in all but the last. Signed ones are folded (0, -1, 1, -2, ...).
 *
 * Growing bytes are malloc'ed, not an arena's: every thread that delivers events has its
 * own, and reuses them for one part after the other.
 */
#ifndef HD_TRACE_BYTES_H
#define HD_TRACE_BYTES_H

#include <stdlib.h>

#include "base/base.h"

/* ---- writing -------------------------------------------------------------------- */

typedef struct bytes {
    uint8_t *data;
    size_t count, capacity;
} bytes;

/* Memory or hd_no_memory(), as an arena's. */
static inline void *memory_grow(void *memory, size_t size) {
    return hd_checked(realloc(memory, size ? size : 1));
}

static inline void bytes_grow(bytes *b, size_t more) {
    size_t capacity = b->capacity ? b->capacity * 2 : 256;
    while (capacity < b->count + more)
        capacity *= 2;
    b->data = memory_grow(b->data, capacity);
    b->capacity = capacity;
}
/* Room for `more` bytes at the end. */
static inline uint8_t *bytes_room(bytes *b, size_t more) {
    if (b->capacity - b->count < more)
        bytes_grow(b, more);
    return b->data + b->count;
}
static inline void bytes_free(bytes *b) {
    free(b->data);
    *b = (bytes){0};
}

static inline void put_byte(bytes *b, uint8_t value) {
    *bytes_room(b, 1) = value;
    b->count++;
}
static inline void put_data(bytes *b, const void *data, size_t count) {
    if (count)
        memcpy(bytes_room(b, count), data, count);
    b->count += count;
}
static inline void put_varint(bytes *b, uint64_t value) {
    uint8_t *at = bytes_room(b, 10);
    size_t n = 0;
    for (; value >= 128; value >>= 7)
        at[n++] = (uint8_t)(value | 128);
    at[n++] = (uint8_t)value;
    b->count += n;
}
static inline uint64_t fold(uint64_t value) { return value << 1 ^ (0 - (value >> 63)); }
static inline uint64_t unfold(uint64_t value) { return value >> 1 ^ (0 - (value & 1)); }
static inline void put_signed(bytes *b, uint64_t value) { put_varint(b, fold(value)); }
/* 0 for NULL, else the length plus 1 and the characters. */
static inline void put_text(bytes *b, const char *text) {
    size_t length = text ? strlen(text) : 0;
    put_varint(b, text ? length + 1 : 0);
    put_data(b, text, length);
}

static inline void store32(uint8_t *at, uint32_t value) {
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}
static inline void store64(uint8_t *at, uint64_t value) {
    for (int i = 0; i < 8; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

/* ---- reading -------------------------------------------------------------------- */

/* Reading past the end gives zeros and sets `failed`, which stays set. */
typedef struct cursor {
    const uint8_t *at, *end;
    bool failed;
} cursor;

static inline uint8_t get_byte(cursor *c) {
    if (c->at == c->end) {
        c->failed = true;
        return 0;
    }
    return *c->at++;
}
static inline uint64_t get_varint(cursor *c) {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        uint8_t byte = get_byte(c);
        if (shift == 63 && byte > 1)
            break;
        value |= (uint64_t)(byte & 127) << shift;
        if (byte < 128)
            return value;
    }
    c->failed = true;
    return 0;
}
static inline uint64_t get_signed(cursor *c) { return unfold(get_varint(c)); }
/* A varint that must not be above `most`. */
static inline uint64_t get_limited(cursor *c, uint64_t most) {
    uint64_t value = get_varint(c);
    if (value > most) {
        c->failed = true;
        return 0;
    }
    return value;
}
/* The next `count` bytes; NULL when there are fewer. */
static inline const uint8_t *get_data(cursor *c, uint64_t count) {
    if (count > (uint64_t)(c->end - c->at)) {
        c->failed = true;
        c->at = c->end;
        return NULL;
    }
    const uint8_t *data = c->at;
    c->at += count;
    return data;
}
static inline const char *get_text(cursor *c, hd_arena *arena) {
    uint64_t length = get_varint(c);
    if (!length)
        return NULL;
    const uint8_t *text = get_data(c, length - 1);
    if (!text)
        return NULL;
    if (memchr(text, 0, length - 1))
        c->failed = true;
    return hd_strndup(arena, (const char *)text, length - 1);
}
static inline bool cursor_done(const cursor *c) { return !c->failed && c->at == c->end; }

static inline uint32_t load32(const uint8_t *at) {
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}
static inline uint64_t load64(const uint8_t *at) {
    return load32(at) | (uint64_t)load32(at + 4) << 32;
}

#endif
