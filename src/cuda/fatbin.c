#include "cuda/fatbin.h"

#include "base/elf.h"

#include <lz4.h>
#include <zstd.h>

enum {
    WRAPPER_MAGIC = 0x466243b1,
    LINKED = 2,         /* version of a wrapper */
    BINARY_HEADER = 16, /* bytes that are read of each header; it may be longer */
    ENTRY_HEADER = 64,
    KIND_PTX = 1,
    FLAG_LZ4 = 0x2000,
    FLAG_ZSTD = 0x8000
};
#define BINARY_MAGIC UINT32_C(0xba55ed50)

static uint64_t number(const uint8_t *at, int bytes) {
    uint64_t value = 0;
    memcpy(&value, at, (size_t)bytes); /* little endian, as every machine with CUDA */
    return value;
}

const void *cuda_fatbin_unwrap(const void *wrapper) {
    const uint8_t *w = wrapper;
    if (!w || number(w, 4) != WRAPPER_MAGIC)
        return NULL;
    return (const void *)(uintptr_t)number(w + 8, 8);
}

const void *const *cuda_fatbin_parts(const void *wrapper) {
    const uint8_t *w = wrapper;
    if (!cuda_fatbin_unwrap(wrapper) || number(w + 4, 4) != LINKED)
        return NULL;
    return (const void *const *)(uintptr_t)number(w + 16, 8);
}

size_t cuda_fatbin_size(const void *binary) {
    const uint8_t *b = binary;
    if (!b || number(b, 4) != BINARY_MAGIC)
        return 0;
    uint64_t header = number(b + 6, 2), entries = number(b + 8, 8);
    return entries > SIZE_MAX - header ? 0 : (size_t)(header + entries);
}

/* ---- one entry ------------------------------------------------------------------------------ */

typedef struct entry {
    uint64_t kind, header, bytes, compressed, architecture, flags, plain;
} entry;

typedef struct reader {
    hd_arena *arena;
    const hd_diag *diag;
    const char *name;
} reader;

static hd_status damaged(const reader *r, uint64_t at, const char *what) {
    return hd_fail(r->diag, HD_EINPUT, NULL,
                   "the fat binary of %s is damaged at byte %llu: %s; build it again", r->name,
                   (unsigned long long)at, what);
}

static entry read_entry(const uint8_t *at) {
    return (entry){.kind = number(at, 2),
                   .header = number(at + 4, 4),
                   .bytes = number(at + 8, 8),
                   .compressed = number(at + 16, 4),
                   .architecture = number(at + 28, 4),
                   .flags = number(at + 40, 8),
                   .plain = number(at + 56, 8)};
}

/* The text of an entry of PTX, whose data is at `data`, byte `at` of the binary. */
static hd_status read_text(const reader *r, const entry *e, const uint8_t *data, uint64_t at,
                           cuda_ptx_text *result) {
    bool packed = e->flags & (FLAG_LZ4 | FLAG_ZSTD);
    uint64_t bytes = packed ? e->compressed : e->bytes, length = packed ? e->plain : e->bytes;
    if (bytes > e->bytes)
        return damaged(r, at, "compressed data is longer than its entry");
    if (length > HD_TEXT_MOST)
        return damaged(r, at, "its PTX would be longer than any");
    char *text = hd_alloc(r->arena, (size_t)length + 1);
    bool whole = true;
    if (e->flags & FLAG_ZSTD)
        whole = ZSTD_decompress(text, length, data, bytes) == length;
    else if (e->flags & FLAG_LZ4)
        whole =
            LZ4_decompress_safe((const char *)data, text, (int)bytes, (int)length) == (int)length;
    else
        memcpy(text, data, length);
    if (!whole)
        return damaged(r, at, "compressed PTX does not unpack");
    *result = (cuda_ptx_text){text, strlen(text), (uint32_t)e->architecture};
    return HD_OK;
}

/* nvcc puts in a binary without any, too. What is compressed is not looked into. */
static bool may_have_kernels(const entry *e, const uint8_t *data) {
    const hd_elf elf = {.data = (const char *)data, .size = (size_t)e->bytes};
    hd_elf_section section;
    if (e->flags & (FLAG_LZ4 | FLAG_ZSTD) || !hd_elf_is(&elf))
        return true;
    for (uint32_t i = 0; hd_elf_section_at(&elf, i, &section); i++)
        if (!strncmp(section.name, ".text.", 6))
            return true;
    return false;
}

/* ---- a binary --------------------------------------------------------------------------------- */

hd_status cuda_fatbin_read(hd_arena *arena, const hd_diag *diag, const char *name,
                           const void *binary, size_t size, cuda_fatbin *result) {
    const reader r = {arena, diag, name};
    const uint8_t *b = binary;
    hd_vec(cuda_ptx_text) texts = {0};
    *result = (cuda_fatbin){0};
    if (size < BINARY_HEADER || number(b, 4) != BINARY_MAGIC)
        return damaged(&r, 0, "it does not begin as one");
    uint64_t at = number(b + 6, 2), end = at + number(b + 8, 8);
    if (number(b + 4, 2) != 1 || at < BINARY_HEADER)
        return damaged(&r, 4, "it is of a version that Heddle does not know");
    if (end < at || end > size)
        return damaged(&r, 8, "it ends too early");
    while (at < end) {
        if (end - at < ENTRY_HEADER)
            return damaged(&r, at, "an entry is cut off");
        entry e = read_entry(b + at);
        if (e.header < ENTRY_HEADER || e.header > end - at || e.bytes > end - at - e.header)
            return damaged(&r, at, "an entry does not fit in");
        uint64_t data = at + e.header;
        if (e.kind != KIND_PTX) {
            result->machine_codes += may_have_kernels(&e, b + data);
        } else {
            cuda_ptx_text text;
            hd_status status = read_text(&r, &e, b + data, data, &text);
            if (status)
                return status;
            hd_push(arena, &texts, text);
        }
        at = data + e.bytes;
    }
    result->texts = texts.data;
    result->count = (uint32_t)texts.count;
    return HD_OK;
}

/* Those that fit before those that don't, the latest and the earliest of them first. */
static int64_t rank(const cuda_ptx_text *text, uint32_t architecture) {
    int64_t own = text->architecture;
    return own <= architecture ? own : -own;
}

const cuda_ptx_text *cuda_fatbin_choose(const cuda_fatbin *fatbin, uint32_t architecture) {
    const cuda_ptx_text *best = fatbin->count ? fatbin->texts : NULL;
    for (uint32_t i = 1; i < fatbin->count; i++)
        if (rank(&fatbin->texts[i], architecture) > rank(best, architecture))
            best = &fatbin->texts[i];
    return best;
}
