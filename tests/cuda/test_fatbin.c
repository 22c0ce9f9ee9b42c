/* Fat binaries: what nvcc's look like, written here byte by byte, and every way that one can end too
 * early or lie about itself. */
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <setjmp.h>

#include <cmocka.h>

#include <lz4.h>
#include <zstd.h>

#include "cuda/fatbin.h"

static const char ptx_text[] =
    ".version 9.0\n.target sm_75\n.address_size 64\n"
    ".visible .entry add(.param .u64 x) { ret; }\n"
    "// the same again, the same again, the same again, the same again\n";

/* ---- a binary under construction -------------------------------------------------------------- */

typedef struct binary {
    uint8_t bytes[8192];
    size_t size;
} binary;

static void put(binary *b, size_t at, uint64_t value, size_t bytes) {
    memcpy(b->bytes + at, &value, bytes);
}

static void begin(binary *b) {
    *b = (binary){.size = 16};
    put(b, 0, 0xba55ed50, 4);
    put(b, 4, 1, 2);
    put(b, 6, 16, 2);
}

static void end(binary *b) { put(b, 8, b->size - 16, 8); }

/* An entry of `plain` bytes; PTX has headers of 80 bytes, machine code of 64. */
static void add(binary *b, unsigned kind, unsigned architecture, uint64_t flags, const void *data,
                size_t bytes, size_t plain) {
    size_t at = b->size, header = kind == 1 ? 80 : 64, padded = (bytes + 7) / 8 * 8;
    put(b, at, kind, 2);
    put(b, at + 2, 0x101, 2);
    put(b, at + 4, header, 4);
    put(b, at + 8, padded, 8);
    put(b, at + 16, flags & 0xa000 ? bytes : 0, 4);
    put(b, at + 28, architecture, 4);
    put(b, at + 40, flags, 8);
    put(b, at + 56, flags & 0xa000 ? plain : 0, 8);
    memcpy(b->bytes + at + header, data, bytes);
    b->size = at + header + padded;
}

static void add_text(binary *b, unsigned architecture, uint64_t flags) {
    char packed[1024];
    size_t bytes = sizeof ptx_text;
    const void *data = ptx_text;
    if (flags & 0x8000)
        bytes = ZSTD_compress(packed, sizeof packed, ptx_text, sizeof ptx_text, 3);
    if (flags & 0x2000)
        bytes = (size_t)LZ4_compress_default(ptx_text, packed, sizeof ptx_text, sizeof packed);
    if (flags & 0xa000)
        data = packed;
    add(b, 1, architecture, flags, data, bytes, sizeof ptx_text);
}

/* ---- reading ------------------------------------------------------------------------------------ */

typedef struct heard {
    unsigned count;
    char text[512];
} heard;

static void hear(const hd_message *message, void *user) {
    heard *h = user;
    h->count++;
    snprintf(h->text, sizeof h->text, "%s", message->text);
}

/* From memory of exactly this size, so that the sanitizer sees a byte too many. */
static hd_status read(hd_arena *arena, const binary *b, size_t size, cuda_fatbin *fatbin,
                      heard *h) {
    *h = (heard){0};
    uint8_t *own = malloc(size ? size : 1);
    memcpy(own, b->bytes, size);
    hd_status status = cuda_fatbin_read(arena, &(hd_diag){hear, h}, "app", own, size, fatbin);
    free(own);
    return status;
}

static void test_texts(void **state) {
    static const uint64_t flags[] = {0x11, 0x8011, 0x2011, 0x13};
    (void)state;
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        hd_arena *arena = hd_arena_new();
        binary b;
        cuda_fatbin fatbin;
        heard h;
        begin(&b);
        add(&b, 2, 80, 0x8011, "machine code", 12, 4096);
        add_text(&b, 75, flags[i]);
        add_text(&b, 90, 0x11);
        end(&b);
        assert_int_equal(cuda_fatbin_size(b.bytes), b.size);
        assert_int_equal(read(arena, &b, b.size, &fatbin, &h), HD_OK);
        assert_int_equal(fatbin.count, 2);
        assert_int_equal(fatbin.machine_codes, 1);
        assert_string_equal(fatbin.texts[0].text, ptx_text);
        assert_int_equal(fatbin.texts[0].length, sizeof ptx_text - 1);
        assert_int_equal(fatbin.texts[0].architecture, 75);
        assert_string_equal(fatbin.texts[1].text, ptx_text);
        hd_arena_free(arena);
    }
}

/* The latest text that is not later than the device. */
static void test_choice(void **state) {
    cuda_ptx_text texts[] = {{"a", 1, 75}, {"b", 1, 90}, {"c", 1, 80}, {"d", 1, 120}};
    const cuda_fatbin all = {texts, 4, 0}, late = {texts + 3, 1, 0}, none = {0};
    (void)state;
    assert_int_equal(cuda_fatbin_choose(&all, 90)->architecture, 90);
    assert_int_equal(cuda_fatbin_choose(&all, 89)->architecture, 80);
    assert_int_equal(cuda_fatbin_choose(&all, 75)->architecture, 75);
    assert_int_equal(cuda_fatbin_choose(&all, 200)->architecture, 120);
    assert_int_equal(cuda_fatbin_choose(&all, 35)->architecture, 75);
    assert_int_equal(cuda_fatbin_choose(&late, 90)->architecture, 120);
    assert_null(cuda_fatbin_choose(&none, 90));
}

/* Cut at every byte it is an error with one message, for what the header says and for what is there. */
static void test_truncation(void **state) {
    binary b;
    (void)state;
    begin(&b);
    add_text(&b, 75, 0x8011);
    add_text(&b, 80, 0x2011);
    add_text(&b, 90, 0x11);
    end(&b);
    for (size_t size = 0; size < b.size; size++) {
        hd_arena *arena = hd_arena_new();
        cuda_fatbin fatbin;
        heard h;
        assert_int_equal(read(arena, &b, size, &fatbin, &h), HD_EINPUT);
        assert_int_equal(h.count, 1);
        if (size >= 16) { /* the header is as long as what is there */
            binary shorter = b;
            put(&shorter, 8, size - 16, 8);
            hd_status status = read(arena, &shorter, size, &fatbin, &h);
            assert_true(status == HD_OK ? h.count == 0 : status == HD_EINPUT && h.count == 1);
            assert_true(fatbin.count < 3);
        }
        hd_arena_free(arena);
    }
}

/* Every byte of the headers and of packed data set to each of a few values: never more than a
 * message. */
static void test_damage(void **state) {
    static const uint8_t values[] = {0, 1, 0x7f, 0x80, 0xff};
    binary b;
    (void)state;
    begin(&b);
    add_text(&b, 75, 0x8011);
    add_text(&b, 80, 0x2011);
    end(&b);
    for (size_t at = 0; at < b.size; at++)
        for (size_t v = 0; v < sizeof values; v++) {
            hd_arena *arena = hd_arena_new();
            cuda_fatbin fatbin;
            heard h;
            binary damaged = b;
            damaged.bytes[at] = values[v];
            hd_status status = read(arena, &damaged, b.size, &fatbin, &h);
            assert_int_equal(h.count, status == HD_OK ? 0 : 1);
            hd_arena_free(arena);
        }
}

static void test_wrapper(void **state) {
    uint64_t binary_of[2] = {0};
    struct {
        uint32_t magic, version;
        const void *data;
        void *more;
    } wrapper = {0x466243b1, 1, binary_of, NULL};
    (void)state;
    assert_ptr_equal(cuda_fatbin_unwrap(&wrapper), binary_of);
    assert_int_equal(cuda_fatbin_size(binary_of), 0);
    assert_null(cuda_fatbin_parts(&wrapper));
    const void *parts[] = {binary_of, NULL};
    wrapper.version = 2; /* linked */
    wrapper.more = parts;
    assert_ptr_equal(cuda_fatbin_parts(&wrapper), parts);
    wrapper.magic = 7;
    assert_null(cuda_fatbin_parts(&wrapper));
    assert_null(cuda_fatbin_unwrap(&wrapper));
    assert_null(cuda_fatbin_unwrap(NULL));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_texts),      cmocka_unit_test(test_choice),
        cmocka_unit_test(test_truncation), cmocka_unit_test(test_damage),
        cmocka_unit_test(test_wrapper),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
