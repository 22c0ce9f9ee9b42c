/* The file of the report page: its data come out as they went in, and a refusal leaves nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>
#include <cmocka.h>

#include "folder.h"
#include "cli/report/page.h"

typedef struct fixture {
    hd_arena *arena;
    char *folder;
    unsigned messages;
    char last[256]; /* file of the last message, ": ", and its text */
} fixture;

static void keep(const hd_message *m, void *user) {
    fixture *f = user;
    f->messages++;
    snprintf(f->last, sizeof f->last, "%s: %s", m->place.file, m->text);
}

static int setup(void **state) {
    fixture *f = calloc(1, sizeof *f);
    f->arena = hd_arena_new();
    f->folder = folder_make(f->arena);
    *state = f;
    return 0;
}

static int teardown(void **state) {
    fixture *f = *state;
    assert_int_equal(rmdir(f->folder), 0); /* nothing is left in it */
    hd_arena_free(f->arena);
    free(f);
    return 0;
}

/* The bytes of the base64 digits at `text`, up to another letter; the number of bytes. */
static size_t decode(const char *text, unsigned char *bytes) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t count = 0;
    uint32_t bits = 0;
    unsigned held = 0;
    for (const char *digit; *text && (digit = strchr(digits, *text)); text++) {
        bits = bits << 6 | (uint32_t)(digit - digits);
        held += 6;
        if (held >= 8) {
            held -= 8;
            bytes[count++] = (unsigned char)(bits >> held);
        }
    }
    return count;
}

/* The JSON in a page, unpacked as a reader of the file would. */
static json_t *data_of(hd_arena *arena, const char *page, size_t length) {
    static const char tag[] = "id=\"heddle-data\">";
    const char *text = strstr(page, tag);
    assert_non_null(text);
    unsigned char *packed = hd_alloc(arena, length);
    size_t packed_length = decode(text + strlen(tag), packed);
    size_t room = 64 << 20;
    char *plain = malloc(room);
    z_stream stream = {.next_in = packed,
                       .avail_in = (unsigned)packed_length,
                       .next_out = (unsigned char *)plain,
                       .avail_out = (unsigned)room};
    assert_int_equal(inflateInit2(&stream, 15 + 16), Z_OK);
    assert_int_equal(inflate(&stream, Z_FINISH), Z_STREAM_END);
    json_t *data = json_loadb(plain, stream.total_out, 0, NULL);
    inflateEnd(&stream);
    free(plain);
    assert_non_null(data);
    return data;
}

static void expect_back(fixture *f, const json_t *data) {
    hd_diag diag = {keep, f};
    char *path = hd_format(f->arena, "%s/page.html", f->folder), *page;
    size_t length;
    assert_int_equal(hd_page_write(&diag, path, data), HD_OK);
    assert_int_equal(hd_read_file(f->arena, &diag, path, &page, &length), HD_OK);
    assert_int_equal(f->messages, 0);
    assert_int_equal(unlink(path), 0);
    assert_ptr_equal(strstr(page, "<!doctype html>"), page);
    assert_non_null(strstr(page, "</html>\n"));
    json_t *back = data_of(f->arena, page, length);
    assert_true(json_equal(back, data));
    json_decref(back);
}

static void data_come_back(void **state) {
    json_t *data =
        json_pack("{s:s, s:n, s:[i, f]}", "name", "</script><b>\xc3\xa9", "none", "list", -1, 0.25);
    expect_back(*state, data);
    json_decref(data);
}

/* Lengths of packed data with every remainder of 3, and more than fits the packer at once. */
static void data_of_every_length_come_back(void **state) {
    uint64_t random = 1;
    json_t *list = json_array();
    for (unsigned i = 0; i < 12; i++) {
        json_array_append_new(list, json_integer((json_int_t)(hd_next_random(&random) >> 1)));
        expect_back(*state, list);
    }
    for (unsigned i = 0; i < 30000; i++)
        json_array_append_new(list, json_integer((json_int_t)(hd_next_random(&random) >> 1)));
    expect_back(*state, list);
    json_decref(list);
}

static void a_folder_that_is_not_there_is_told(void **state) {
    fixture *f = *state;
    char *path = hd_format(f->arena, "%s/nowhere/page.html", f->folder);
    json_t *data = json_object();
    assert_int_equal(hd_page_write(&(hd_diag){keep, f}, path, data), HD_ESYSTEM);
    json_decref(data);
    assert_int_equal(f->messages, 1);
    assert_string_equal(f->last,
                        hd_format(f->arena, "%s: cannot write: No such file or directory", path));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(data_come_back, setup, teardown),
        cmocka_unit_test_setup_teardown(data_of_every_length_come_back, setup, teardown),
        cmocka_unit_test_setup_teardown(a_folder_that_is_not_there_is_told, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
