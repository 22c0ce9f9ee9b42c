/*
 * Buffers in every placement that the OpenCL devices here have: what kernels leave is the same as
 * in the device's own memory, in the original and in a layout, with what a job writes and reads
 * between its launches.
 */
#include "frontend/frontend.h"
#include "job/fixture.h"
#include "advise/measure/database.h"
#include "advise/measure/session.h"
#include "sanitized.h"

enum { COUNT = 1000, BUFFERS = 4 };

static const char kernels[] = "typedef struct { float x, y; int id; } body;\n"
                              "kernel void move(global body *p, global const float *by,\n"
                              "                 global float *sums, global int *left) {\n"
                              "    int i = get_global_id(0);\n"
                              "    p[i].x += by[i] * p[i].id;\n"
                              "    p[i].y = sums[i] + p[i].x;\n"
                              "    sums[i] += 1;\n"
                              "    if (i == 0)\n"
                              "        left[0] -= 1;\n"
                              "}\n";

/* The copies go between all pairs of the placements of `by` and `sums`. */
static const char job_text[] =
    "kernel: k.cl\n"
    "buffers:\n"
    "  - {name: p, type: body, count: 1000, placement: %s, init: [{field: x, generator: iota},\n"
    "       {field: id, generator: permutation, seed: 2}]}\n"
    "  - {name: by, type: float, count: 1000, placement: %s, init: [{generator: iota, low: 0.5}]}\n"
    "  - {name: sums, type: float, count: 1000, placement: %s, init: [{generator: iota}]}\n"
    "  - {name: left, type: int, count: 1, placement: %s, init: [{generator: constant, low: 3}]}\n"
    "launches:\n"
    "  - {kernel: move, global: [1000], local: [8], args: [{name: p, buffer: p},\n"
    "       {name: by, buffer: by}, {name: sums, buffer: sums}, {name: left, buffer: left}]}\n"
    "  - copy: {from: sums, to: by}\n"
    "  - set: {buffer: p, element: 7, field: x, value: 40}\n"
    "  - repeat: 5\n"
    "    until: {buffer: left, element: 0, value: 0}\n"
    "    launches:\n"
    "      - {kernel: move, global: [1000], local: [8], args: [{name: p, buffer: p},\n"
    "           {name: by, buffer: by}, {name: sums, buffer: sums}, {name: left, buffer: left}]}\n"
    "  - fill: {buffer: sums, value: 2}\n"
    "  - copy: {from: by, to: sums}\n";

static hd_job *make_job(fixture *f, const char *const *placements) {
    static const char *const device[] = {"device", "device", "device", "device"};
    const char *const *at = placements ? placements : device;
    char text[4096];
    hd_job *job;
    kir_module *module;
    snprintf(text, sizeof text, job_text, at[0], at[1], at[2], at[3]);
    fixture_write(f, "k.cl", kernels, strlen(kernels));
    if (fixture_read(f, text, &job) != HD_OK ||
        hd_frontend(f->arena, &f->diag, job->kernel_path, job->options, &module) != HD_OK ||
        hd_job_resolve(f->arena, &f->diag, job, module) != HD_OK)
        fail_msg("%s", f->seen.text);
    return job;
}

/* A whole run has brought back what kernels may write: to where the host has it, or to a copy. */
static void keep_brought_back(hd_arena *arena, const hd_version *version, void **brought) {
    const hd_job *job = version->placed->job;
    for (uint32_t b = 0; b < job->buffer_count; b++) {
        uint64_t bytes = job->buffers[b].count * job->buffers[b].element_bytes;
        const void *from = version->views[b] ? version->views[b] : version->copies[b];
        assert_true(!from == !version->written[b]);
        brought[b] = from ? memcpy(hd_alloc(arena, bytes), from, bytes) : NULL;
    }
}

/* What is left after so many whole runs, or after one of the kernels alone. */
static void run(fixture *f, const hd_job *job, const char *notation, const hd_placing *placing,
                int whole_runs, void **contents) {
    hd_session session;
    hd_version version = {0};
    hd_rewritten *rewritten = NULL;
    hd_layout *layout = NULL;
    hd_run_seconds seconds = {0};
    void *initial[BUFFERS], *brought[BUFFERS] = {0};
    hd_status status = hd_session_open(f->arena, &f->diag, job, NULL, &session);
    if (status == HD_OK)
        status = hd_job_all_contents(f->arena, &f->diag, job, initial);
    if (status == HD_OK && notation)
        status = hd_layout_parse(f->arena, &f->diag, job->record, notation, &layout);
    const hd_record_layout chosen = {job->record, layout};
    if (status == HD_OK && notation)
        status = hd_rewrite_job(f->arena, &f->diag, job, &chosen, 1, &rewritten);
    if (status == HD_OK)
        status = hd_version_make(&session, rewritten, &chosen, notation ? 1 : 0, placing, initial,
                                 &version);
    for (int r = 0; r < whole_runs && status == HD_OK; r++)
        status = hd_version_run_whole(&session, &version, &seconds);
    assert_true(status || !whole_runs || (seconds.kernels > 0 && seconds.to_device >= 0));
    if (status == HD_OK && !whole_runs)
        status = hd_version_run(&session, &version, &seconds.kernels);
    if (status == HD_OK && whole_runs && !notation)
        keep_brought_back(f->arena, &version, brought);
    if (status == HD_OK)
        status = hd_version_read(&session, f->arena, &version, contents);
    for (uint32_t b = 0; b < BUFFERS; b++)
        if (status == HD_OK && brought[b])
            assert_memory_equal(brought[b], contents[b],
                                job->buffers[b].count * job->buffers[b].element_bytes);
    hd_version_free(&session, &version);
    hd_session_close(&session);
    if (status != HD_OK)
        fail_msg("%s", f->seen.text);
}

static void expect_same(const hd_job *job, void *const *contents, void *const *expected) {
    for (uint32_t b = 0; b < BUFFERS; b++)
        assert_memory_equal(contents[b], expected[b],
                            job->buffers[b].count * job->buffers[b].element_bytes);
}

/* PoCL has all that OpenCL has, but the test runs on any device. */
static uint32_t find_placements(fixture *f, hd_placement *placements) {
    const hd_job *job = make_job(f, NULL);
    hd_session session;
    uint32_t count = 0;
    assert_int_equal(hd_session_open(f->arena, &f->diag, job, NULL, &session), HD_OK);
    for (int p = 0; p < HD_PLACEMENTS; p++)
        if (!session.gpu->api->lacks(session.gpu, (hd_placement)p)) {
            hd_placement same;
            const char *name = hd_placement_name((hd_placement)p);
            assert_true(hd_placement_parse(name, &same) && (int)same == p);
            assert_non_null(hd_placement_calls((hd_placement)p, session.device.backend));
            placements[count++] = (hd_placement)p;
        }
    hd_session_close(&session);
    assert_true(count >= 2);
    return count;
}

static void results_are_the_same_everywhere(void **state) {
    fixture *f = *state;
    static const char *const notations[] = {NULL, "soa", "{x}{y,id}:4/da"};
    const hd_job *job = make_job(f, NULL);
    hd_placement placements[HD_PLACEMENTS];
    uint32_t count = find_placements(f, placements);
    void *expected[BUFFERS], *contents[BUFFERS];
    run(f, job, NULL, NULL, 0, expected);
    assert_int_equal(*(const int *)expected[3], 0);
    for (uint32_t p = 0; p < count; p++)
        for (uint32_t n = 0; n < sizeof notations / sizeof *notations; n++) {
            if (!IS_TRIED(p + n, 3))
                continue;
            /* All buffers or the record's alone; the kernels alone, or whole runs. */
            run(f, job, notations[n], &(hd_placing){placements[p], n == 2}, n == 1 ? 0 : 2,
                contents);
            expect_same(job, contents, expected);
        }
}

/* Each buffer somewhere else, and copies between all pairs of placements. */
static void buffers_of_one_job_lie_in_several(void **state) {
    fixture *f = *state;
    hd_placement placements[HD_PLACEMENTS];
    uint32_t count = find_placements(f, placements);
    void *expected[BUFFERS], *contents[BUFFERS];
    run(f, make_job(f, NULL), NULL, NULL, 0, expected);
    for (uint32_t a = 0; a < count; a++)
        for (uint32_t b = a; b < count; b++) {
            const char *at[BUFFERS];
            if (!IS_TRIED(a + b, 2))
                continue;
            for (uint32_t i = 0; i < BUFFERS; i++)
                at[i] = hd_placement_name(placements[(i == 1   ? a
                                                      : i == 2 ? b
                                                               : a + b + i) %
                                                     count]);
            const hd_job *job = make_job(f, at);
            run(f, job, NULL, NULL, 1, contents);
            expect_same(job, contents, expected);
        }
}

static void what_kernels_write_is_known(void **state) {
    fixture *f = *state;
    const bool *written = hd_job_written(f->arena, make_job(f, NULL));
    assert_true(written[0] && !written[1] && written[2] && written[3]);
}

static void a_placement_that_is_lacking_is_said(void **state) {
    fixture *f = *state;
    static const char *const managed[] = {"device", "managed", "device", "device"};
    const hd_job *job = make_job(f, managed);
    void *contents[BUFFERS];
    assert_int_equal(hd_measure_run(f->arena, &f->diag, job, NULL, contents, NULL),
                     HD_EUNSUPPORTED);
    assert_int_equal(f->seen.errors, 1);
    assert_int_equal(f->seen.line, 5);
    assert_non_null(strstr(f->seen.text, "buffer 'by' cannot lie in managed memory on "));
    assert_non_null(strstr(f->seen.text, ": managed memory is CUDA's; take another placement"));
}

static void the_placement_is_in_the_hash_of_a_job(void **state) {
    fixture *f = *state;
    static const char *const host[] = {"device", "device", "host", "device"};
    const char *one, *same, *other;
    assert_int_equal(hd_job_hash(f->arena, &f->diag, make_job(f, NULL), &one), HD_OK);
    assert_int_equal(hd_job_hash(f->arena, &f->diag, make_job(f, NULL), &same), HD_OK);
    assert_int_equal(hd_job_hash(f->arena, &f->diag, make_job(f, host), &other), HD_OK);
    assert_string_equal(one, same);
    assert_string_not_equal(one, other);
}

/* A draft of a job says where its buffers lie, and is read again. */
static void a_placement_is_printed_and_read(void **state) {
    fixture *f = *state;
    const hd_job *source = make_job(f, NULL);
    const hd_job_flags flags = {.kernel_path = source->kernel_path};
    const hd_host host = {0};
    hd_job *draft, *job;
    hd_str text = {.arena = f->arena};
    assert_int_equal(hd_job_draft(f->arena, &f->diag, &flags, source->module, &host, &draft),
                     HD_OK);
    for (uint32_t b = 0; b < draft->buffer_count; b++)
        draft->buffers[b].placement = (hd_placement)(b % HD_PLACEMENTS);
    hd_job_print(&text, draft, source->module, "k.cl");
    if (fixture_read(f, hd_str_text(&text), &job) != HD_OK)
        fail_msg("%s", f->seen.text);
    assert_int_equal(job->buffer_count, BUFFERS);
    for (uint32_t b = 0; b < BUFFERS; b++)
        assert_int_equal(job->buffers[b].placement, b % HD_PLACEMENTS);
}

/* The original stays where the job has it; the other version may be its kernels elsewhere. */
static void a_measurement_says_where_both_lie(void **state) {
    fixture *f = *state;
    static const char *const host[] = {"host", "device", "device", "device"};
    const hd_job *job = make_job(f, host);
    const hd_placement device = HD_PLACEMENT_DEVICE;
    const hd_measure_options options = {.repeats = 3, .placement = &device};
    hd_measurement m;
    if (hd_measure_compare(f->arena, &f->diag, job, NULL, 0, NULL, &options, &m) != HD_OK)
        fail_msg("%s", f->seen.text);
    assert_string_equal(m.original_placement, "host");
    assert_string_equal(m.rewritten_placement, "device");
    assert_non_null(m.whole);
    assert_int_equal(m.whole->rewritten.whole.repeats, 3);
    assert_true(m.whole->original.kernels.median > 0 && m.whole->speedup > 0 && m.bit_equal);
    assert_true(m.whole->rewritten.whole.high >= m.whole->rewritten.kernels.low);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(results_are_the_same_everywhere),       TEST(buffers_of_one_job_lie_in_several),
        TEST(what_kernels_write_is_known),           TEST(a_placement_that_is_lacking_is_said),
        TEST(the_placement_is_in_the_hash_of_a_job), TEST(a_placement_is_printed_and_read),
        TEST(a_measurement_says_where_both_lie),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
