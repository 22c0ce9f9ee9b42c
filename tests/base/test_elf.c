/* ELF files: this program's own, and every way that one can be damaged. */
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <setjmp.h>

#include <cmocka.h>

#include "base/elf.h"

/* Not static, so that it has a symbol even where the compiler likes others better. */
int a_function_of_this_file(int x);
__attribute__((noinline)) int a_function_of_this_file(int x) { return x + 1; }

extern const char __executable_start[];

static void test_functions(void **state) {
    hd_elf elf;
    (void)state;
    assert_true(hd_elf_open("/proc/self/exe", &elf));
    uint64_t at = (uint64_t)(uintptr_t)a_function_of_this_file;
    if (!elf.is_absolute)
        at -= (uint64_t)(uintptr_t)__executable_start;
    assert_string_equal(hd_elf_function(&elf, at), "a_function_of_this_file");
    assert_null(hd_elf_function(&elf, UINT64_MAX / 2));
    hd_elf_section section;
    bool has_text = false;
    for (uint32_t i = 0; hd_elf_section_at(&elf, i, &section); i++)
        has_text |= !strcmp(section.name, ".text");
    assert_true(has_text);
    hd_elf_close(&elf);
}

static void test_no_elf(void **state) {
    hd_elf elf;
    (void)state;
    assert_false(hd_elf_open("/nowhere", &elf));
    assert_false(hd_elf_open("/", &elf));
    assert_false(hd_elf_open("/dev/null", &elf));
    assert_false(hd_elf_open("/etc/passwd", &elf));
}

/* Reads all that there is. */
static void read_all(const char *path) {
    hd_elf elf;
    hd_elf_section section;
    if (!hd_elf_open(path, &elf))
        return;
    for (uint32_t i = 0; hd_elf_section_at(&elf, i, &section); i++)
        assert_non_null(section.name);
    hd_elf_function(&elf, 4096);
    hd_elf_close(&elf);
}

static void write_file(const char *path, const void *data, size_t size) {
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(data, 1, size, out), size);
    fclose(out);
}

/* The header and the table of sections with bytes changed, and files that end too early. */
static void test_damage(void **state) {
    char path[] = "/tmp/heddle-elf-XXXXXX";
    int fd = mkstemp(path);
    hd_arena *arena = hd_arena_new();
    char *text;
    size_t size;
    (void)state;
    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(hd_read_file(arena, &(hd_diag){0}, "/bin/true", &text, &size), HD_OK);
    uint64_t table;
    memcpy(&table, text + 40, sizeof table);
    for (size_t i = 0; i < 64 + 64 * 4; i++) {
        size_t at = i < 64 ? i : (size_t)table + i - 64;
        char before = text[at];
        static const char values[] = {0, 1, 0x7f, (char)0xff};
        for (size_t v = 0; v < sizeof values; v++) {
            text[at] = values[v];
            write_file(path, text, size);
            read_all(path);
        }
        text[at] = before;
    }
    for (size_t length = 1; length < size; length += length < 100 ? 1 : 997) {
        write_file(path, text, length);
        read_all(path);
    }
    unlink(path);
    hd_arena_free(arena);
}

static void test_names(void **state) {
    hd_arena *arena = hd_arena_new();
    (void)state;
    assert_string_equal(hd_readable_symbol(arena, "main"), "main");
    static const char own[] = "__nv_static_25__c8a281e6_4_a_cu_4b8d1af2_hidden";
    assert_string_equal(hd_plain_symbol(own), "hidden");
    assert_string_equal(hd_readable_symbol(arena, own), "hidden");
    assert_string_equal(hd_plain_symbol("__nv_static_99__short"), "__nv_static_99__short");
    assert_string_equal(hd_plain_symbol("hidden"), "hidden");
    hd_arena_free(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_functions),
                                       cmocka_unit_test(test_no_elf), cmocka_unit_test(test_damage),
                                       cmocka_unit_test(test_names)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
