/*
 * An arena is a list of chunks; allocation bumps a pointer in the newest.
 * Nothing is freed singly, so an analysis can point freely at what it made.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/base.h"

enum { FIRST_CHUNK = 1 << 16, ALIGNMENT = 64 };

typedef struct chunk {
    struct chunk *next;
    size_t size, used;
} chunk;

struct hd_arena {
    chunk *newest;
};

/* Weak: a program that can say more has its own. */
__attribute__((weak)) void hd_no_memory(size_t wanted) {
    (void)wanted;
    abort();
}

void *hd_checked(void *memory) {
    if (!memory)
        hd_no_memory(0);
    return memory;
}

void *hd_zeroed(size_t count, size_t size) {
    void *memory = calloc(count ? count : 1, size ? size : 1);
    size_t wanted;
    if (!memory)
        hd_no_memory(__builtin_mul_overflow(count, size, &wanted) ? SIZE_MAX : wanted);
    return memory;
}

hd_arena *hd_arena_new(void) { return hd_zeroed(1, sizeof(hd_arena)); }

void hd_arena_free(hd_arena *arena) {
    if (!arena)
        return;
    for (chunk *c = arena->newest, *next; c; c = next) {
        next = c->next;
        free(c);
    }
    free(arena);
}

void *hd_alloc(hd_arena *arena, size_t size) {
    if (size > SIZE_MAX / 2)
        hd_no_memory(size);
    size_t align = size >= ALIGNMENT ? ALIGNMENT : 16;
    chunk *c = arena->newest;
    size_t at = c ? hd_align_up(c->used, align) : 0;
    if (!c || at + size > c->size) {
        size_t want = c ? c->size * 2 : FIRST_CHUNK;
        if (want > (size_t)1 << 26)
            want = (size_t)1 << 26;
        if (want < size)
            want = hd_align_up(size, ALIGNMENT);
        chunk *fresh = aligned_alloc(ALIGNMENT, ALIGNMENT + want);
        if (!fresh)
            hd_no_memory(want);
        *fresh = (chunk){.next = c, .size = want};
        c = arena->newest = fresh;
        at = 0;
    }
    c->used = at + size;
    void *memory = (char *)c + ALIGNMENT + at;
    return memset(memory, 0, size);
}

void *hd_alloc_items(hd_arena *arena, size_t count, size_t item_size) {
    size_t size;
    if (__builtin_mul_overflow(count, item_size, &size))
        hd_no_memory(SIZE_MAX);
    return hd_alloc(arena, size);
}

void *hd_grow(hd_arena *arena, void *data, size_t *capacity, size_t count, size_t item_size) {
    *capacity = *capacity ? *capacity * 2 : 8;
    void *bigger = hd_alloc_items(arena, *capacity, item_size);
    if (count)
        memcpy(bigger, data, count * item_size);
    return bigger;
}

char *hd_strndup(hd_arena *arena, const char *text, size_t length) {
    char *copy = hd_alloc(arena, length + 1);
    memcpy(copy, text, length);
    return copy;
}

char *hd_strdup(hd_arena *arena, const char *text) { return hd_strndup(arena, text, strlen(text)); }

char *hd_vformat(hd_arena *arena, const char *format, va_list args) {
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    if (length < 0) /* longer than an int can say */
        hd_no_memory(SIZE_MAX);
    char *text = hd_alloc(arena, (size_t)length + 1);
    vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    return text;
}

char *hd_format(hd_arena *arena, const char *format, ...) {
    va_list args;
    va_start(args, format);
    char *text = hd_vformat(arena, format, args);
    va_end(args);
    return text;
}
