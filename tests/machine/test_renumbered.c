/*
 * Examples in new numbers: after any order of the elements that their threads index, put back, all
 * buffers hold the very same bits, since rows move whole and keep their order inside. If this fails
 * and tests/job/test_numbering.c does not, the declarations of the example are wrong.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "job/numbering.h"
#include "sanitized.h"
#include "support.h"
#include "machine/vm.h"

static void **run(hd_arena *arena, const hd_job *job) {
    const hd_diag diag = {hd_sample_message, NULL};
    void **contents = hd_new_array(arena, void *, job->buffer_count);
    hd_vm *vm = NULL;
    assert_int_equal(hd_vm_open(arena, &diag, job, NULL, &(hd_vm_options){0}, &vm), HD_OK);
    for (uint32_t l = 0; l < job->launch_count; l++)
        assert_int_equal(hd_vm_run(vm, l, NULL, NULL), HD_OK);
    for (uint32_t b = 0; b < job->buffer_count; b++) {
        size_t bytes = job->buffers[b].count * job->buffers[b].element_bytes;
        contents[b] = memcpy(hd_alloc(arena, bytes), hd_vm_contents(vm, b), bytes);
    }
    hd_vm_close(vm);
    return contents;
}

static void check_order(const hd_sample *s, void *const *contents, void *const *outputs,
                        const hd_order_by *by) {
    const hd_job *job = s->job;
    uint32_t n, *order;
    hd_renumbered *made;
    void **back = hd_new_array(s->arena, void *, job->buffer_count);
    assert_int_equal(hd_numbering_find(s->arena, &s->diag, job, NULL, &n), HD_OK);
    assert_int_equal(hd_numbering_order(s->arena, &s->diag, job, contents, n, by, &order), HD_OK);
    assert_true(hd_is_permutation(order, job->numberings->numberings[n].count, NULL));
    assert_int_equal(hd_job_renumber(s->arena, &s->diag, job, contents, n, order, &made), HD_OK);
    void **results = run(s->arena, made->job);
    assert_int_equal(hd_renumbered_gather(s->arena, &s->diag, made, results, back), HD_OK);
    uint32_t moved = 0;
    for (uint32_t b = 0; b < job->buffer_count; b++) {
        size_t bytes = job->buffers[b].count * job->buffers[b].element_bytes;
        assert_memory_equal(back[b], outputs[b], bytes);
        moved += memcmp(results[b], outputs[b], bytes) != 0;
    }
    assert_true(moved > 1);
}

static void check_example(void **state) {
    hd_sample s;
    hd_sample_read(&s, *state);
    void **contents = hd_new_array(s.arena, void *, s.job->buffer_count);
    assert_int_equal(hd_job_all_contents(s.arena, &s.diag, s.job, contents), HD_OK);
    void **outputs = run(s.arena, s.job);
    uint32_t dims;
    bool has_points = hd_numbering_points(s.arena, s.job, contents, 0, &dims);
    for (hd_order_kind kind = 0; kind < HD_ORDER_KINDS; kind++)
        if ((kind != HD_ORDER_CURVE || has_points) && IS_TRIED(kind, 2))
            check_order(&s, contents, outputs, &(hd_order_by){kind, 7});
    hd_sample_close(&s);
}

#define EXAMPLE(example)                                             \
    {.name = example,                                                \
     .test_func = check_example,                                     \
     .initial_state = "examples/" example "/" example "-small.yaml"}

int main(void) {
    const struct CMUnitTest tests[] = {EXAMPLE("sta"),  EXAMPLE("gsim"),   EXAMPLE("bfs"),
                                       EXAMPLE("nbf"),  EXAMPLE("moldyn"), EXAMPLE("irreg"),
                                       EXAMPLE("euler")};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
