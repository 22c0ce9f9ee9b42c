/*
 * The small job of every example on the machine and on the OpenCL device: equal buffers, bit
 * for bit where the job states no tolerance, within it where it does; and on the machine the
 * same bits with one worker and with several. If one example fails here and its reference in
 * tests/examples does not, look at src/machine.
 */
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "frontend/frontend.h"
#include "advise/measure/measure.h"
#include "one_context.h"
#include "machine/vm.h"

enum { FEWEST_EXAMPLES = 15 };

static void report(const hd_message *m, void *user) {
    (void)user;
    print_error("%s:%u:%u: %s\n", m->place.file ? m->place.file : "-", m->place.line,
                m->place.column, m->text);
}
static const hd_diag diag = {report, NULL};

/* ---- running -------------------------------------------------------------------------- */

static size_t bytes_of(const hd_buffer *buffer) { return buffer->count * buffer->element_bytes; }

static void **run_machine(hd_arena *arena, const hd_job *job, uint32_t workers,
                          hd_vm_counts *total) {
    const hd_vm_options options = {.workers = workers};
    void **contents = hd_new_array(arena, void *, job->buffer_count);
    hd_vm *vm = NULL;
    *total = (hd_vm_counts){0};
    assert_int_equal(hd_vm_open(arena, &diag, job, NULL, &options, &vm), HD_OK);
    for (uint32_t l = 0; l < job->launch_count; l++)
        for (uint64_t t = 0; t < job->launches[l].repeat; t++) {
            hd_vm_counts counts;
            assert_int_equal(hd_vm_run(vm, l, NULL, &counts), HD_OK);
            total->mis += counts.mis;
            total->lane_accesses += counts.lane_accesses;
            total->instructions += counts.instructions;
        }
    for (uint32_t b = 0; b < job->buffer_count; b++) {
        contents[b] = hd_alloc(arena, bytes_of(&job->buffers[b]));
        memcpy(contents[b], hd_vm_contents(vm, b), bytes_of(&job->buffers[b]));
    }
    hd_vm_close(vm);
    return contents;
}

static hd_job *open_job(hd_arena *arena, const char *path) {
    hd_job *job = NULL;
    kir_module *module = NULL;
    assert_int_equal(hd_job_read(arena, &diag, path, &job), HD_OK);
    assert_int_equal(hd_frontend(arena, &diag, job->kernel_path, job->options, &module), HD_OK);
    assert_int_equal(hd_job_resolve(arena, &diag, job, module), HD_OK);
    return job;
}

/* ---- one example ---------------------------------------------------------------------- */

/* Something has happened: a buffer is no longer what it was. */
static void assert_changed(hd_arena *arena, const hd_job *job, void *const *contents) {
    bool changed = false;
    for (uint32_t b = 0; b < job->buffer_count; b++) {
        void *before;
        assert_int_equal(hd_job_contents(arena, &diag, &job->buffers[b], &before), HD_OK);
        changed |= memcmp(before, contents[b], bytes_of(&job->buffers[b])) != 0;
    }
    assert_true(changed);
}

static void run_example(void **state) {
    hd_arena *arena = hd_arena_new();
    const hd_job *job = open_job(arena, *state);
    hd_vm_counts one_counts, more_counts;
    void **one = run_machine(arena, job, 1, &one_counts);
    void **more = run_machine(arena, job, 4, &more_counts);
    for (uint32_t b = 0; b < job->buffer_count; b++)
        assert_memory_equal(one[b], more[b], bytes_of(&job->buffers[b]));
    assert_true(one_counts.mis > 0 && one_counts.lane_accesses >= one_counts.mis);
    assert_int_equal(one_counts.mis, more_counts.mis);
    assert_int_equal(one_counts.lane_accesses, more_counts.lane_accesses);
    assert_int_equal(one_counts.instructions, more_counts.instructions);
    assert_changed(arena, job, one);

    void **device = hd_new_array(arena, void *, job->buffer_count);
    const hd_measure_options options = {.repeats = 1};
    hd_timing timing;
    assert_int_equal(hd_measure_run(arena, &diag, job, &options, device, &timing), HD_OK);
    const hd_contents a = {"on the machine", one}, b = {"on the OpenCL device", device};
    bool equal, bit_equal;
    assert_int_equal(hd_contents_compare(arena, &diag, job, &a, &b, &equal, &bit_equal), HD_OK);
    assert_true(equal);
    if (job->relative == 0 && job->absolute == 0)
        assert_true(bit_equal);
    hd_arena_free(arena);
}

int main(void) {
    const char *root = getenv("HEDDLE_SOURCE");
    hd_arena *arena = hd_arena_new();
    glob_t found = {0};
    glob(hd_format(arena, "%s/examples/*/*-small.yaml", root ? root : "."), 0, NULL, &found);
    struct CMUnitTest *tests = hd_new_array(arena, struct CMUnitTest, found.gl_pathc + 1);
    for (size_t p = 0; p < found.gl_pathc; p++)
        tests[p] = (struct CMUnitTest){.name = strrchr(found.gl_pathv[p], '/') + 1,
                                       .test_func = run_example,
                                       .initial_state = found.gl_pathv[p]};
    int failed = _cmocka_run_group_tests("examples", tests, found.gl_pathc, NULL, NULL);
    if (found.gl_pathc < FEWEST_EXAMPLES) {
        fprintf(stderr,
                "only %zu examples were found; HEDDLE_SOURCE is the folder of the "
                "sources\n",
                found.gl_pathc);
        failed = 1;
    }
    globfree(&found);
    hd_arena_free(arena);
    return failed;
}
