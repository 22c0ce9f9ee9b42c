/*
 * libgpuocelot.so as programs load it: by its name, with ptx_run() alone. What a framework wrote
 * (shared/data/ptx beside the repository, where it is) runs on memory of this process.
 */
#include <dlfcn.h>
#include <glob.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "base/base.h"
#include "kernels.h"

typedef int run_fn(const char *source, int count, void **args, int bx, int by, int bz, int gx,
                   int gy, int gz, int shared);
static run_fn *run;
static const char *(*error)(void);

static int load_library(void **state) {
    (void)state;
    void *library = dlopen(GPUOCELOT, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        fail_msg("%s", dlerror());
    *(void **)&run = dlsym(library, "ptx_run");
    *(void **)&error = dlsym(library, "ptx_run_error");
    assert_true(run && error);
    assert_null(dlsym(library, "hd_ptx_open")); /* nothing else is exported */
    return 0;
}

static void *value(uint64_t bits) { return (void *)(uintptr_t)bits; }

static void assert_told(const char *part) {
    if (!strstr(error(), part))
        fail_msg("'%s' says nothing of '%s'", error(), part);
}

static void test_add(void **state) {
    (void)state;
    enum { N = 1000 };
    float x[N], y[N];
    for (int i = 0; i < N; i++) {
        x[i] = (float)i;
        y[i] = 0.25F;
    }
    for (int round = 1; round <= 3; round++) {
        int status = run(ptx_add, 3, (void *[]){x, y, value(N - 1)}, 64, 1, 1, 16, 1, 1, 0);
        assert_int_equal(status, 0);
        assert_string_equal(error(), "");
        for (int i = 0; i < N; i++)
            assert_true(x[i] == (float)i + (i < N - 1 ? 0.25F * (float)round : 0));
    }
}

static void test_faults(void **state) {
    (void)state;
    float x[4] = {0};
    void *args[] = {x, x, value(4)};
    assert_int_not_equal(run(ptx_add, 2, args, 4, 1, 1, 1, 1, 1, 0), 0);
    assert_told("has 3 parameters, and gets 2 arguments");
    assert_int_not_equal(run(ptx_add, 3, args, 4, 0, 1, 1, 1, 1, 0), 0);
    assert_int_not_equal(run(ptx_add, 3, args, 4, 1, 1, -1, 1, 1, 0), 0);
    assert_int_not_equal(run(ptx_add, 3, args, 4096, 1, 1, 1, 1, 1, 0), 0);
    assert_told("at most 1024");
    assert_int_not_equal(run("no PTX", 0, NULL, 1, 1, 1, 1, 1, 1, 0), 0);
    assert_int_not_equal(run(NULL, 0, NULL, 1, 1, 1, 1, 1, 1, 0), 0);
    assert_int_not_equal(run(ptx_variables, 0, NULL, 1, 1, 1, 1, 1, 1, 0), 0);
    assert_told("2 entries");
    /* Memory that is not there, or is there no more. */
    args[1] = NULL;
    assert_int_not_equal(run(ptx_add, 3, args, 4, 1, 1, 1, 1, 1, 0), 0);
    assert_told("null pointer");
    args[1] = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_int_equal(run(ptx_add, 3, args, 4, 1, 1, 1, 1, 1, 0), 0);
    munmap(args[1], 4096);
    assert_int_not_equal(run(ptx_add, 3, args, 4, 1, 1, 1, 1, 1, 0), 0);
    assert_told("ptx:21: load of 4 bytes");
    assert_told("thread 0 of block 0");
    args[1] = x;
    assert_int_equal(run(ptx_add, 3, args, 4, 1, 1, 1, 1, 1, 0), 0);
    assert_string_equal(error(), "");
}

/* More texts than are kept, each right. */
static void test_many_texts(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    for (int i = 0; i < 1200; i++) {
        uint32_t to = 0;
        const char *text = hd_format(arena,
                                     PTX_HEAD ".visible .entry k(.param .u64 to) {\n"
                                              ".reg .b64 %%rd1;\nld.param.u64 %%rd1, [to];\n"
                                              "st.global.u32 [%%rd1], %d;\nret;\n}\n",
                                     i % 1100);
        assert_int_equal(run(text, 1, (void *[]){&to}, 1, 1, 1, 1, 1, 1, 0), 0);
        assert_int_equal(to, i % 1100);
    }
    hd_arena_free(arena);
}

static void *many_calls(void *unused) {
    (void)unused;
    for (int i = 0; i < 200; i++) {
        float x[32] = {0}, y[32];
        for (int k = 0; k < 32; k++)
            y[k] = (float)k;
        if (run(ptx_add, 3, (void *[]){x, y, value(32)}, 32, 1, 1, 1, 1, 1, 0) || x[31] != 31)
            return (void *)1;
    }
    return NULL;
}

static void test_threads(void **state) {
    (void)state;
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, many_calls, NULL), 0);
    for (int i = 0; i < 4; i++) {
        void *failed;
        pthread_join(threads[i], &failed);
        assert_null(failed);
    }
}

/* ---- what a framework wrote --------------------------------------------------------------------- */

/* Parameters by the text: pointers are .u64 there, numbers .s32. */
static int read_params(const char *text, bool is_pointer[32]) {
    int count = 0;
    const char *end = strchr(text, '{');
    for (const char *p = text; (p = strstr(p, ".param .")) && p < end && count < 32; p++)
        is_pointer[count++] = !strncmp(p + 8, "u64", 3);
    return count;
}

static void run_file(const char *path) {
    enum { BYTES = 16 << 20 };
    hd_arena *arena = hd_arena_new();
    char *text;
    size_t length;
    assert_int_equal(hd_read_file(arena, &(hd_diag){0}, path, &text, &length), HD_OK);
    bool is_pointer[32];
    void *args[32];
    int count = read_params(text, is_pointer);
    for (int i = 0; i < count; i++) {
        args[i] = is_pointer[i] ? calloc(1, BYTES) : value(4);
        assert_non_null(args[i]);
    }
    int block[3] = {1, 1, 1};
    const char *sizes = strstr(text, ".maxntid");
    if (sizes)
        sscanf(sizes, ".maxntid %d , %d , %d", &block[0], &block[1], &block[2]);
    if (run(text, count, args, block[0], block[1], block[2], 2, 1, 1, 0))
        fail_msg("%s: %s", path, error());
    for (int i = 0; i < count; i++)
        if (is_pointer[i])
            free(args[i]);
    hd_arena_free(arena);
}

static void test_framework(void **state) {
    (void)state;
    glob_t files;
    char pattern[4096];
    snprintf(pattern, sizeof pattern, "%s/../shared/data/ptx/*.ptx", getenv("HEDDLE_SOURCE"));
    if (glob(pattern, 0, NULL, &files)) {
        print_message("no %s: skipped\n", pattern);
        skip();
    }
    for (size_t i = 0; i < files.gl_pathc; i++)
        run_file(files.gl_pathv[i]);
    print_message("%zu files ran\n", files.gl_pathc);
    globfree(&files);
}

/* One such file that is kept: each thread sums ten numbers of a row. */
static void test_kept(void **state) {
    (void)state;
    char path[4096];
    snprintf(path, sizeof path, "%s/tests/machine/sum_rows.ptx", getenv("HEDDLE_SOURCE"));
    hd_arena *arena = hd_arena_new();
    char *text;
    size_t length;
    assert_int_equal(hd_read_file(arena, &(hd_diag){0}, path, &text, &length), HD_OK);
    float sums[6], numbers[60];
    for (int i = 0; i < 60; i++)
        numbers[i] = (float)(i * i);
    assert_int_equal(run(text, 2, (void *[]){sums, numbers}, 3, 1, 1, 2, 1, 1, 0), 0);
    for (int row = 0; row < 6; row++) {
        float sum = 0;
        for (int i = 0; i < 10; i++)
            sum += numbers[10 * row + i];
        assert_true(sums[row] == sum);
    }
    hd_arena_free(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_add),        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_many_texts), cmocka_unit_test(test_threads),
        cmocka_unit_test(test_kept),       cmocka_unit_test(test_framework),
    };
    return cmocka_run_group_tests(tests, load_library, NULL);
}
