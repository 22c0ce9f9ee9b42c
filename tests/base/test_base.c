/* The arena, strings, and files that appear whole or not at all. */
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/base.h"
#include "folder.h"

static void arena_memory_is_zeroed_and_aligned(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    for (size_t size = 1; size < 300000; size = size * 3 + 1) {
        unsigned char *memory = hd_alloc(arena, size);
        assert_int_equal((uintptr_t)memory % 16, 0);
        for (size_t i = 0; i < size; i++)
            assert_int_equal(memory[i], 0);
        memset(memory, 0xff, size);
    }
    hd_arena_free(arena);
}

/* The program's own, in the place of that of the library. */
void hd_no_memory(size_t wanted) { _exit(wanted == SIZE_MAX ? 41 : wanted ? 42 : 43); }

static void refuse(int which) {
    hd_arena *arena = hd_arena_new();
    int *items = NULL;
    size_t capacity = SIZE_MAX / 4;
    if (which == 0)
        hd_alloc(arena, SIZE_MAX / 2);
    if (which == 1) /* the product would be 0 */
        items = hd_new_array(arena, int, SIZE_MAX / 4 + 1);
    if (which == 2)
        hd_grow(arena, items, &capacity, 0, sizeof *items);
    if (which == 3)
        hd_zeroed(SIZE_MAX / 8, 4);
    if (which == 4)
        hd_checked(NULL);
    _exit(0);
}

static void refused_memory_ends_the_process(void **state) {
    (void)state;
    static const int ends[] = {42, 41, 41, 42, 43};
    for (int which = 0; which < 5; which++) {
        int ended;
        pid_t child = fork();
        if (!child)
            refuse(which);
        assert_int_equal(waitpid(child, &ended, 0), child);
        assert_true(WIFEXITED(ended));
        assert_int_equal(WEXITSTATUS(ended), ends[which]);
    }
}

static void vector_and_string_grow(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    hd_vec(int) v = {0};
    hd_str s = {.arena = arena};
    assert_string_equal(hd_str_text(&s), "");
    for (int i = 0; i < 1000; i++) {
        hd_push(arena, &v, i * i);
        hd_str_printf(&s, "%d,", i);
    }
    assert_int_equal(v.count, 1000);
    assert_int_equal(v.data[999], 999 * 999);
    assert_int_equal(s.length, 10 * 2 + 90 * 3 + 900 * 4);
    assert_string_equal(hd_str_text(&s) + s.length - 8, "998,999,");
    hd_arena_free(arena);
}

static void count_message(const hd_message *message, void *user) {
    assert_non_null(message->place.file);
    ++*(int *)user;
}

static void files_are_written_whole_or_not_at_all(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    int messages = 0;
    hd_diag diag = {count_message, &messages};
    char *folder = folder_make(arena);
    char *good = hd_format(arena, "%s/good", folder);
    char *bad = hd_format(arena, "%s/no-such-folder/bad", folder);

    hd_output both[] = {{good, "one", 3}, {bad, "two", 3}};
    assert_int_equal(hd_write_files(&diag, both, 2), HD_ESYSTEM);
    assert_int_equal(messages, 1);
    assert_int_not_equal(access(good, F_OK), 0);

    char *text;
    size_t length;
    assert_int_equal(hd_write_file(&diag, good, "a\nbc\n", 5), HD_OK);
    assert_int_equal(hd_read_file(arena, &diag, good, &text, &length), HD_OK);
    assert_int_equal(length, 5);
    assert_string_equal(hd_line_of(arena, text, 2), "bc");
    assert_null(hd_line_of(arena, text, 3));
    assert_int_equal(hd_read_file(arena, &diag, bad, &text, &length), HD_EINPUT);
    assert_int_equal(messages, 2);

    assert_int_equal(hd_write_file(&diag, "/dev/full/x", "x", 1), HD_ESYSTEM);
    assert_int_equal(unlink(good), 0);
    assert_int_equal(rmdir(folder), 0);
    hd_arena_free(arena);
}

static void a_file_of_many_pieces_appears_at_its_end(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    int messages = 0;
    hd_diag diag = {count_message, &messages};
    char *folder = folder_make(arena), *text, piece[1000];
    size_t length;
    hd_file *file;
    char *path = hd_format(arena, "%s/long", folder);
    for (size_t i = 0; i < sizeof piece; i++)
        piece[i] = (char)('a' + i % 26);

    assert_int_equal(hd_file_begin(arena, &diag, path, &file), HD_OK);
    for (int i = 0; i < 200; i++)
        assert_int_equal(hd_file_add(file, piece, sizeof piece), HD_OK);
    assert_int_not_equal(access(path, F_OK), 0);
    assert_int_equal(hd_file_keep(file), HD_OK);
    assert_int_equal(hd_read_file(arena, &diag, path, &text, &length), HD_OK);
    assert_int_equal(length, 200 * sizeof piece);
    for (int i = 0; i < 200; i++)
        assert_memory_equal(text + i * (int)sizeof piece, piece, sizeof piece);

    assert_int_equal(unlink(path), 0);
    assert_int_equal(hd_file_begin(arena, &diag, path, &file), HD_OK);
    assert_int_equal(hd_file_add(file, piece, sizeof piece), HD_OK);
    hd_file_drop(file);
    assert_int_equal(rmdir(folder), 0); /* nothing is left */
    assert_int_equal(messages, 0);
    assert_int_equal(hd_file_begin(arena, &diag, path, &file), HD_ESYSTEM);
    assert_int_equal(messages, 1);
    hd_arena_free(arena);
}

static void cores_are_those_that_may_be_used(void **state) {
    (void)state;
    cpu_set_t all, one;
    int first = 0;
    assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
    assert_int_equal(hd_core_count(), CPU_COUNT(&all));
    while (!CPU_ISSET(first, &all))
        first++;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    assert_int_equal(hd_core_count(), 1);
    assert_int_equal(sched_setaffinity(0, sizeof all, &all), 0);
}

static void names_are_seen_from_their_file(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    assert_string_equal(hd_path_beside(arena, "a/b.yaml", "c.cl"), "a/c.cl");
    assert_string_equal(hd_path_beside(arena, "b.yaml", "c.cl"), "c.cl");
    assert_string_equal(hd_path_beside(arena, "a/b.yaml", "/c.cl"), "/c.cl");
    hd_arena_free(arena);
}

static void words_come_back_from_their_text(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    uint32_t count;
    char **words = hd_split_words(arena, " -DN=3\t'-I my folder' -D\"M='x'\" \"\"-U Z ''", &count);
    static const char *const expected[] = {"-DN=3", "-I my folder", "-DM='x'", "-U", "Z", ""};
    assert_int_equal(count, 6);
    for (uint32_t w = 0; w < count; w++)
        assert_string_equal(words[w], expected[w]);
    char *odd[] = {"a", "", "b c", "d\"e'f g\"", "\"", "'"};
    words = hd_split_words(arena, hd_join_words(arena, odd, 6), &count);
    assert_int_equal(count, 6);
    for (uint32_t w = 0; w < count; w++)
        assert_string_equal(words[w], odd[w]);
    assert_true(hd_has_word("a bc d", "bc") && hd_has_word("a bc d", "a") && hd_has_word("d", "d"));
    assert_false(hd_has_word("a bc d", "b") || hd_has_word("a bc d", "c") ||
                 hd_has_word("a bc d", "bc d") || hd_has_word("a", "") || hd_has_word("", "a"));
    hd_split_words(arena, NULL, &count);
    assert_int_equal(count, 0);
    hd_arena_free(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_come_back_from_their_text),
        cmocka_unit_test(arena_memory_is_zeroed_and_aligned),
        cmocka_unit_test(refused_memory_ends_the_process),
        cmocka_unit_test(vector_and_string_grow),
        cmocka_unit_test(files_are_written_whole_or_not_at_all),
        cmocka_unit_test(a_file_of_many_pieces_appears_at_its_end),
        cmocka_unit_test(names_are_seen_from_their_file),
        cmocka_unit_test(cores_are_those_that_may_be_used),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
