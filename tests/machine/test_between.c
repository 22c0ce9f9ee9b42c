/*
 * What a job does between its launches: values that are set, buffers that are copied and filled,
 * rounds that end, sizes and arguments that are read. The machine and the OpenCL device must leave
 * the same, and the same as this host code does; in a layout, too.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "frontend/frontend.h"
#include "job/graph.h"
#include "advise/measure/session.h"
#include "one_context.h"
#include "rewrite/rewrite.h"
#include "source_text.h"
#include "machine/vm.h"

typedef struct node {
    int32_t level;
    float weight;
} node;

enum { NODES = 2000, NODES_BUFFER = 0, FRONTIER_BUFFER = 4, SUM_BUFFER = 7 };

static void tell(const hd_message *message, void *user) {
    (void)user;
    if (message->severity == HD_ERROR)
        print_message("%s:%u: %s\n", message->place.file, message->place.line, message->text);
}
static const hd_diag diag = {tell, NULL};

static hd_job *read_job(hd_arena *arena) {
    hd_job *job;
    kir_module *module;
    const char *path = source_path(arena, "tests/machine/between/frontier.yaml");
    assert_int_equal(hd_job_read(arena, &diag, path, &job), HD_OK);
    assert_int_equal(hd_frontend(arena, &diag, job->kernel_path, job->options, &module), HD_OK);
    assert_int_equal(hd_job_resolve(arena, &diag, job, module), HD_OK);
    return job;
}

static void run_on_machine(hd_arena *arena, const hd_job *job, void **after) {
    const hd_vm_options options = {.workers = 2};
    hd_vm *vm;
    assert_int_equal(hd_vm_open(arena, &diag, job, NULL, &options, &vm), HD_OK);
    for (uint32_t l = 0; l < job->launch_count; l++)
        assert_int_equal(hd_vm_run(vm, l, NULL, NULL), HD_OK);
    for (uint32_t b = 0; b < job->buffer_count; b++) {
        uint64_t bytes = job->buffers[b].count * job->buffers[b].element_bytes;
        after[b] = memcpy(hd_alloc(arena, bytes), hd_vm_contents(vm, b), bytes);
    }
    hd_vm_close(vm);
}

static uint32_t in_groups(uint32_t items) { return (items + 63) / 64 * 64; }

/* Levels by a queue, and what `take` adds up. */
static void expect(const hd_graph *mesh, int32_t *levels, uint32_t sum[2]) {
    uint32_t queue[NODES], begin = 0, end = 1;
    sum[0] = sum[1] = 0;
    for (uint32_t v = 0; v < NODES; v++)
        levels[v] = -1;
    queue[0] = 7;
    levels[7] = 0;
    for (int32_t level = 1; begin < end; level++) {
        uint32_t last = end;
        sum[0] += end - begin;
        sum[1] += in_groups(end - begin);
        for (; begin < last; begin++)
            for (uint32_t e = mesh->first[queue[begin]]; e < mesh->first[queue[begin] + 1]; e++)
                if (levels[mesh->to[e]] < 0) {
                    levels[mesh->to[e]] = level;
                    queue[end++] = mesh->to[e];
                }
        sum[1] += in_groups(2 * (end - begin));
    }
    assert_int_equal(end, NODES);
}

/* All but `frontier` and `next`, whose order is that of atomics, until they are filled. */
static void check(const hd_job *job, void *const *after) {
    int32_t levels[NODES];
    uint32_t sum[2];
    const node *nodes = after[NODES_BUFFER];
    const uint32_t *frontier = after[FRONTIER_BUFFER], *next = after[FRONTIER_BUFFER + 1];
    expect(job->graphs[0].graph, levels, sum);
    for (uint32_t v = 0; v < NODES; v++) {
        assert_int_equal(nodes[v].level, levels[v]);
        assert_true(nodes[v].weight == -1);
        assert_int_equal(frontier[v], 0);
        assert_int_equal(next[v], 3);
    }
    assert_memory_equal(after[SUM_BUFFER], sum, sizeof sum);
}

static void the_machine_does_as_the_host(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    hd_job *job = read_job(arena);
    void **after = hd_new_array(arena, void *, job->buffer_count);
    run_on_machine(arena, job, after);
    check(job, after);
    hd_arena_free(arena);
}

static void a_device_does_as_the_host(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    hd_job *job = read_job(arena);
    void **after = hd_new_array(arena, void *, job->buffer_count);
    assert_int_equal(hd_measure_run(arena, &diag, job, NULL, after, NULL), HD_OK);
    check(job, after);
    hd_arena_free(arena);
}

/* A fill of records with -1 follows no layout, so that one goes; all else does. */
static void a_layout_does_as_the_host(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    hd_job *job = read_job(arena);
    hd_launch *first = &job->launches[0];
    hd_rewritten *rewritten;
    hd_measurement result;
    assert_int_equal(first->before[0].kind, HD_HELD_FILL);
    first->before++;
    first->before_count--;
    job->buffers[NODES_BUFFER].inits = &(hd_init){.generator = HD_GEN_CONSTANT, .low = -1};
    const hd_record_layout soa = {job->record, hd_layout_soa(arena, job->record)};
    const hd_measure_options once = {.repeats = 1};
    assert_int_equal(hd_rewrite_job(arena, &diag, job, &soa, 1, &rewritten), HD_OK);
    assert_int_equal(hd_measure_compare(arena, &diag, job, &soa, 1, rewritten, &once, &result),
                     HD_OK);
    assert_true(result.bit_equal);
    hd_arena_free(arena);
}

/* More than the launch may have is an error that says so. */
static void too_large_a_size_is_refused(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    hd_job *job = read_job(arena);
    void **after = hd_new_array(arena, void *, job->buffer_count);
    const hd_vm_options options = {.workers = 1};
    const hd_diag silent = {0};
    hd_vm *vm;
    hd_status status = HD_OK;
    for (uint32_t l = 0; l < job->launch_count; l++)
        if (job->launches[l].items_from)
            job->launches[l].global[0] = 64;
    assert_int_equal(hd_measure_run(arena, &silent, job, NULL, after, NULL), HD_EINPUT);
    assert_int_equal(hd_vm_open(arena, &silent, job, NULL, &options, &vm), HD_OK);
    for (uint32_t l = 0; l < job->launch_count && status == HD_OK; l++)
        status = hd_vm_run(vm, l, NULL, NULL);
    assert_int_equal(status, HD_EINPUT);
    hd_vm_close(vm);
    hd_arena_free(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_machine_does_as_the_host), cmocka_unit_test(a_device_does_as_the_host),
        cmocka_unit_test(a_layout_does_as_the_host), cmocka_unit_test(too_large_a_size_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
