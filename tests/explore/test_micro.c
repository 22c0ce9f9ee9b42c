/*
 * Micro-kernels: on the machine each object is computed once, as in plain C.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "explore/micro.h"
#include "measure/measure.h"
#include "vm/vm.h"

static void print(const hd_message *message, void *user) {
    (void)user;
    fprintf(stderr, "%s:%u: %s\n", message->place.file ? message->place.file : "",
            message->place.line, message->text);
}

static const hd_diag diag = {print, NULL};

static void run_as_plain_c(hd_micro_folder *folder, const char *text) {
    hd_arena *arena = hd_arena_new();
    hd_micro_point point;
    hd_micro micro;
    assert_true(hd_micro_parse(text, &point));
    assert_int_equal(hd_micro_load(arena, folder, &point, &micro), HD_OK);
    const hd_job *job = micro.job;
    void **contents = hd_new_array(arena, void *, job->buffer_count);
    assert_int_equal(hd_job_all_contents(arena, &diag, job, contents), HD_OK);
    hd_vm *vm;
    hd_vm_counts counts;
    const hd_vm_options options = {0};
    assert_int_equal(hd_vm_open(arena, &diag, job, contents, &options, &vm), HD_OK);
    assert_int_equal(hd_vm_run(vm, 0, NULL, &counts), HD_OK);
    uint64_t on_device = micro.shape.objects - micro.shape.on_host;
    hd_micro_compute(&micro, contents[0], 0, on_device);
    void **after = hd_new_array(arena, void *, job->buffer_count);
    for (uint32_t b = 0; b < job->buffer_count; b++)
        after[b] = hd_vm_contents(vm, b);
    bool equal, bit_equal;
    hd_status status =
        hd_contents_compare(arena, &diag, job, &(hd_contents){"in plain C", contents},
                            &(hd_contents){"on the machine", after}, &equal, &bit_equal);
    if (status != HD_OK)
        fail_msg("%s (%s)", text, folder->backend);
    hd_micro_type type = (hd_micro_type)point.value[HD_DIM_TYPE];
    if (type == HD_MICRO_FLOAT)
        assert_int_equal(counts.operations[HD_OPERATION_FP32], micro.shape.operations * on_device);
    if (type == HD_MICRO_DOUBLE || type == HD_MICRO_MIXED)
        assert_int_equal(counts.operations[HD_OPERATION_FP64], micro.shape.operations * on_device);
    hd_vm_close(vm);
    hd_arena_free(arena);
}

static void test_results(void **state) {
    static const char *const points[] = {
        "usual",
        "objects=4096 sparsity=4 intensity=5",
        "objects=4096 indirect=8 type=double",
        "objects=4096 transposed=32 group=64 type=uint intensity=3",
        "objects=5000 sparsity=3 granularity=5 type=ushort",
        "objects=8192 type=mixed fields=7 aggregate=4 intensity=2",
        "objects=8192 branches=8 intensity=4 split=0.3",
        "objects=8192 fields=32 transposed=4 indirect=1 split=0.5",
        "objects=8192 fields=1 intensity=0"};
    (void)state;
    for (int b = 0; b < 2; b++) {
        hd_arena *arena = hd_arena_new();
        char *path;
        assert_int_equal(hd_scratch_make(arena, &diag, &path), HD_OK);
        hd_micro_folder folder = {
            .arena = arena, .diag = &diag, .path = path, .backend = b ? "cuda" : "opencl"};
        for (size_t p = 0; p < sizeof points / sizeof *points; p++)
            run_as_plain_c(&folder, points[p]);
        hd_scratch_remove(path);
        hd_arena_free(arena);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_results)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
