/* The map file: what is printed is read again; what is wrong in it has a place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "folder.h"
#include "order/orders.h"

static void note(const hd_message *m, void *user) {
    hd_str_printf(user, "%u:%u: %s\n", m->place.line, m->place.column, m->text);
}

static hd_status read_text(hd_arena *arena, const char *text, hd_str *said, hd_order_file **file) {
    const hd_diag diag = {note, said};
    char *folder = folder_make(arena);
    const char *path = hd_format(arena, "%s/map", folder);
    assert_int_equal(hd_write_file(&diag, path, text, strlen(text)), HD_OK);
    hd_status status = hd_order_file_read(arena, &diag, path, file);
    folder_remove(folder);
    return status;
}

static void what_is_printed_is_read(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    hd_str said = {.arena = arena}, text = {.arena = arena}, again = {.arena = arena};
    uint32_t random[300], blocks[16] = {8, 9, 10, 11, 0, 1, 2, 3, 12, 13, 14, 15, 4, 5, 6, 7};
    uint64_t seed = 5;
    for (uint32_t i = 0; i < 300; i++) {
        uint32_t other = (uint32_t)(hd_next_random(&seed) % (i + 1));
        random[i] = random[other];
        random[other] = i;
    }
    hd_launch_order orders[] = {{.kernel = "add<float, 4>",
                                 .launch = 3,
                                 .threads = 300,
                                 .block_threads = 50,
                                 .order = random},
                                {.kernel = "k",
                                 .launch = 5,
                                 .threads = 16,
                                 .block_threads = 4,
                                 .whole_blocks = true,
                                 .order = blocks}};
    const hd_order_file file = {orders, 2};
    hd_order_file *read;
    hd_order_file_print(&text, &file);
    assert_non_null(strstr(hd_str_text(&text), "kernel k\n8-11 0-3 12-15 4-7\n"));
    if (read_text(arena, hd_str_text(&text), &said, &read))
        fail_msg("%s", hd_str_text(&said));
    assert_int_equal(read->order_count, 2);
    for (int i = 0; i < 2; i++) {
        const hd_launch_order *a = &orders[i], *b = &read->orders[i];
        assert_string_equal(a->kernel, b->kernel);
        assert_int_equal(a->launch, b->launch);
        assert_int_equal(a->threads, b->threads);
        assert_int_equal(a->block_threads, b->block_threads);
        assert_int_equal(a->whole_blocks, b->whole_blocks);
        assert_memory_equal(a->order, b->order, a->threads * sizeof *a->order);
    }
    hd_order_file_print(&again, read);
    assert_string_equal(hd_str_text(&text), hd_str_text(&again));
    assert_true(hd_order_keeps_blocks(blocks, 16, 4));
    assert_false(hd_order_keeps_blocks(blocks, 16, 8));
    hd_arena_free(arena);
}

static void what_is_wrong_has_a_place(void **state) {
    static const char *const texts[][2] = {
        {"", "1:1: this is no map of threads; such a file begins with 'heddle map 1'"},
        {"heddle map 2\n", "1:1: this is no map of threads"},
        {"heddle map 1\n", "2:1: a map of threads has a launch at least"},
        {"heddle map 1\nlaunch 0 threads 4 kernel k\n0-3\n", "2:7: a launch begins as"},
        {"heddle map 1\nlaunch 0 threads 4 block 4 kernel \n0-3\n", "the name of the kernel"},
        {"heddle map 1\nlaunch 0 threads 6 block 4 kernel k\n0-5\n", "2:7: 6 threads are no whole"},
        {"heddle map 1\nlaunch 0 threads 4 block 2 kernel k\n0 1 1 3\n",
         "3:5: this is no order: thread 1 stands at two places"},
        {"heddle map 1\nlaunch 0 threads 4 block 2 kernel k\n0 1 4 3\n",
         "3:5: this is no order: there is no thread 4 among 4"},
        {"heddle map 1\nlaunch 0 threads 4 block 2 kernel k\n0 1 2\n",
         "4:1: the order of launch 0 ends here, with 3 of 4 threads"},
        {"heddle map 1\nlaunch 0 threads 4 block 2 kernel k\n0-3 0\n",
         "3:5: the launch has 4 threads, and here is a number more"},
        {"heddle map 1\nlaunch 0 threads 4 block 2 kernel k\n0-1\n3-2\n",
         "4:1: this is no number of a thread"},
        {"heddle map 1\nlaunch 0 threads 4 block 2 whole-blocks kernel k\n2 3 1 0\n",
         "3:5: thread 1 leaves its block or its place there, and only whole blocks may move"}};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        hd_arena *arena = hd_arena_new();
        hd_str said = {.arena = arena};
        hd_order_file *file;
        assert_int_equal(read_text(arena, texts[i][0], &said, &file), HD_EINPUT);
        if (!strstr(hd_str_text(&said), texts[i][1]))
            fail_msg("said: %swanted: %s", hd_str_text(&said), texts[i][1]);
        hd_arena_free(arena);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_printed_is_read),
        cmocka_unit_test(what_is_wrong_has_a_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
