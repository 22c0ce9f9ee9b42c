/*
 * A folder's unit tests in one program. Each file's main has the name of its test, FOLDER_test_NAME,
 * which is also that of the link that runs it, or the program's first argument.
 */
#include <stdio.h>
#include <string.h>

#define TEST(name) int name(void);
#include "of_folder.inc"
#undef TEST

static const struct {
    const char *name;
    int (*run)(void);
} tests[] = {
#define TEST(name) {#name, name},
#include "of_folder.inc"
};

int main(int argc, char **argv) {
    const char *slash = strrchr(argv[0], '/'), *name = slash ? slash + 1 : argv[0];
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        if (!strcmp(tests[i].name, name) || (argc > 1 && !strcmp(tests[i].name, argv[1])))
            return tests[i].run();
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        puts(tests[i].name);
    return 2;
}
