/*
 * Arguments that begin inside of a buffer: `offset` of a job. Two arguments may share a buffer; what
 * they do is compared with C, for one worker and for two, which is allowed only where their bytes are
 * apart.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "folder.h"
#include "frontend/frontend.h"
#include "machine/vm.h"

enum { N = 256, COUNT = 1024 };

typedef struct offset_job {
    hd_arena *arena;
    hd_diag diag;
    hd_str messages;
    hd_job *job;
    hd_status status; /* of reading and resolving */
} offset_job;

static void note(const hd_message *m, void *user) {
    hd_str_printf(user, "%u: %s\n", m->place.line, m->text);
}

/* to[i] = from[i] + 1 of `x`, an int each; the rest of the arguments as it stands in a job. */
static void open_job(offset_job *o, const char *to, const char *from) {
    static const char kernel[] = "__kernel void k(__global int *to, __global const int *from) {\n"
                                 "    to[get_global_id(0)] = from[get_global_id(0)] + 1;\n}\n";
    *o = (offset_job){.arena = hd_arena_new()};
    o->messages.arena = o->arena;
    o->diag = (hd_diag){note, &o->messages};
    char *folder = folder_make(o->arena);
    const char *source = hd_format(o->arena, "%s/k.cl", folder);
    const char *path = hd_format(o->arena, "%s/job.yaml", folder);
    const char *text = hd_format(o->arena,
                                 "kernel: k.cl\n"
                                 "buffers: [{name: x, type: int, count: %d, init: [{generator: "
                                 "iota}]}]\n"
                                 "launches:\n"
                                 "  - kernel: k\n    global: [%d]\n    local: [32]\n    args:\n"
                                 "      - {name: to, buffer: x%s}\n"
                                 "      - {name: from, buffer: x%s}\n",
                                 COUNT, N, to, from);
    assert_int_equal(hd_write_file(&o->diag, source, kernel, sizeof kernel - 1), HD_OK);
    assert_int_equal(hd_write_file(&o->diag, path, text, strlen(text)), HD_OK);
    kir_module *module;
    assert_int_equal(hd_frontend(o->arena, &o->diag, source, NULL, &module), HD_OK);
    o->status = hd_job_read(o->arena, &o->diag, path, &o->job);
    if (!o->status)
        o->status = hd_job_resolve(o->arena, &o->diag, o->job, module);
    folder_remove(folder);
}

static void close_job(offset_job *o) { hd_arena_free(o->arena); }

/* Runs it; to and from in ints. */
static void check_run(uint32_t to, uint32_t from, uint32_t workers, uint32_t wanted_workers) {
    offset_job o;
    char words[2][32];
    snprintf(words[0], sizeof words[0], ", offset: %u", 4 * to);
    snprintf(words[1], sizeof words[1], ", offset: %u", 4 * from);
    open_job(&o, words[0], words[1]);
    assert_int_equal(o.status, HD_OK);
    const hd_vm_options options = {.workers = workers};
    hd_vm *vm;
    hd_vm_counts counts;
    assert_int_equal(hd_vm_open(o.arena, &o.diag, o.job, NULL, &options, &vm), HD_OK);
    assert_int_equal(hd_vm_run(vm, 0, NULL, &counts), HD_OK);
    assert_int_equal(counts.workers, wanted_workers);
    int32_t expected[COUNT];
    for (int i = 0; i < COUNT; i++)
        expected[i] = i;
    for (int i = 0; i < N; i += 32) { /* a block reads before it writes */
        int32_t read[32];
        memcpy(read, &expected[from + i], sizeof read);
        for (int k = 0; k < 32; k++)
            expected[to + i + k] = read[k] + 1;
    }
    assert_memory_equal(hd_vm_contents(vm, 0), expected, sizeof expected);
    hd_vm_close(vm);
    close_job(&o);
}

static void test_runs(void **state) {
    (void)state;
    for (uint32_t workers = 1; workers <= 2; workers++) {
        check_run(0, N, workers, workers);
        check_run(3 * N, 17, workers, workers);
        check_run(100, 100, workers, workers); /* each block its own stretch */
        check_run(0, 32, workers, 1);
        check_run(33, 1, workers, 1);
    }
}

/* The analyses count bytes from the buffer's beginning. */
static void test_analysis(void **state) {
    (void)state;
    offset_job o;
    open_job(&o, "", ", offset: 20");
    assert_int_equal(o.status, HD_OK);
    const hd_kernel_info *info = hd_job_analyse(o.arena, o.job, &o.job->launches[0]);
    assert_int_equal(info->access_count, 2);
    for (uint32_t i = 0; i < 2; i++)
        assert_int_equal(info->accesses[i].address.constant,
                         info->accesses[i].kind == HD_LOAD ? 20 : 0);
    close_job(&o);
}

static void test_mistakes(void **state) {
    (void)state;
    static const char *const mistakes[][2] = {
        {", offset: 4096", "9: argument 'from' begins at byte 4096 of buffer 'x', which has 4096"},
        {", offset: -4", "offset"},
        {", offset: [4]", "offset: 256 (bytes) in an argument"},
        {", value: 3, offset: 4", "exactly one"}};
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        offset_job o;
        open_job(&o, "", mistakes[i][0]);
        assert_int_equal(o.status, HD_EINPUT);
        if (!strstr(hd_str_text(&o.messages), mistakes[i][1]))
            fail_msg("'%s' says nothing of '%s'", hd_str_text(&o.messages), mistakes[i][1]);
        close_job(&o);
    }
}

/* An access behind the end counts from the buffer, not from the argument. */
static void test_fault(void **state) {
    (void)state;
    offset_job o;
    open_job(&o, "", ", offset: 3200");
    assert_int_equal(o.status, HD_OK);
    hd_vm *vm;
    assert_int_equal(hd_vm_open(o.arena, &o.diag, o.job, NULL, &(hd_vm_options){0}, &vm), HD_OK);
    assert_int_equal(hd_vm_run(vm, 0, NULL, NULL), HD_EINPUT);
    assert_non_null(strstr(hd_str_text(&o.messages),
                           "2: load of 4 bytes at byte 4096 of buffer 'x' (index 1024)"));
    hd_vm_close(vm);
    close_job(&o);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_runs), cmocka_unit_test(test_analysis),
                                       cmocka_unit_test(test_mistakes),
                                       cmocka_unit_test(test_fault)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
