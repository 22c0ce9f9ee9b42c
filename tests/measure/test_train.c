/*
 * The kernels of a training: what they are to be, that every tile computes the same, and which
 * runs of a database count. Trainings themselves: tests/cli/test_train.sh.
 */
#include "model/layout_graph.h"
#include "frontend/frontend.h"
#include "job/fixture.h"
#include "advise/measure/train.h"
#include "one_context.h"

static hd_job *load(fixture *f, const hd_training_shape *shape, const char *backend,
                    const uint32_t *lengths, uint32_t count) {
    hd_job *job;
    if (hd_training_load(f->arena, &f->diag, f->folder, shape, backend, lengths, count, 2, &job))
        fail_msg("%u fields of %s: %s", shape->fields, shape->type, f->seen.text);
    return job;
}

static void compilers_see_the_record_of_the_shape(void **state) {
    fixture *f = *state;
    static const char *const backends[] = {"opencl", "cuda"};
    for (int b = 0; b < 2; b++)
        for (const hd_training_shape *shape = hd_training_shapes; shape->type; shape++) {
            const hd_job *job = load(f, shape, backends[b], hd_training_lengths, 2);
            const hd_record *record = job->record;
            assert_int_equal(record->field_count, shape->fields);
            assert_int_equal(record->size, shape->bytes);
            for (uint32_t i = 0; i < shape->fields; i++) {
                assert_string_equal(record->fields[i].name, hd_format(f->arena, "f%u", i));
                assert_int_equal(record->fields[i].size, shape->bytes / shape->fields);
            }
            assert_int_equal(job->launch_count, 2);
            assert_int_equal(job->launches[1].global[0], 2 * HD_TRAINING_GROUP);
            assert_int_equal(job->buffers[0].count, 2 * HD_TRAINING_GROUP + hd_training_lengths[1]);
        }
}

/* About the same number of bytes between any two fields: from half an iteration's to all. */
static void fields_are_about_equally_near(void **state) {
    fixture *f = *state;
    for (const hd_training_shape *shape = hd_training_shapes; shape->type; shape++) {
        hd_layout_graph *graph;
        if (hd_layout_graph_make(f->arena, &f->diag,
                                 load(f, shape, "opencl", hd_training_lengths, 1), &graph))
            fail_msg("%u fields of %s: %s", shape->fields, shape->type, f->seen.text);
        for (uint32_t a = 0; a < shape->fields; a++)
            for (uint32_t b = 0; b < a; b++) {
                uint64_t distance = hd_layout_distance(graph, a, b);
                assert_true(2 * distance >= shape->bytes && distance < shape->bytes);
            }
    }
}

static void every_tile_computes_the_same(void **state) {
    fixture *f = *state;
    static const uint32_t length = 128;
    static const uint64_t tiles[] = {1, 2, 64, 32768, HD_TILE_SOA};
    static const uint32_t shapes[] = {0, 6, 8}; /* 2 ushort, 7 uint, 2 uint4 */
    for (size_t s = 0; s < 3; s++)
        for (size_t t = 0; t < sizeof tiles / sizeof *tiles; t++) {
            const hd_training_shape *shape = &hd_training_shapes[shapes[s]];
            hd_job *job = load(f, shape, "opencl", &length, 1);
            uint64_t all = UINT64_MAX >> (64 - shape->fields);
            const hd_record_layout layout = {
                job->record, hd_layout_of_masks(f->arena, &all, &tiles[t], 1, false)};
            const hd_measure_options options = {.repeats = 1};
            hd_rewritten *rewritten;
            hd_measurement result;
            if (hd_rewrite_job(f->arena, &f->diag, job, &layout, 1, &rewritten) ||
                hd_measure_compare(f->arena, &f->diag, job, &layout, 1, rewritten, &options,
                                   &result))
                fail_msg("%u fields of %s, tile %llu: %s", shape->fields, shape->type,
                         (unsigned long long)tiles[t], f->seen.text);
            assert_true(result.bit_equal);
        }
}

static void every_kernel_has_its_own_key(void **state) {
    fixture *f = *state;
    const char *keys[1024];
    size_t count = 0;
    for (const hd_training_shape *shape = hd_training_shapes; shape->type; shape++)
        for (const uint32_t *length = hd_training_lengths; *length; length++) {
            keys[count] = hd_training_hash(f->arena, shape, "opencl", *length);
            for (size_t i = 0; i < count; i++)
                assert_string_not_equal(keys[i], keys[count]);
            count++;
        }
    assert_int_equal(count, 152);
}

static hd_training_run run_of(hd_arena *arena, const hd_training_shape *shape, uint32_t length,
                              uint64_t tile, double seconds) {
    return (hd_training_run){length,
                             shape->fields,
                             shape->bytes,
                             tile,
                             {.kernel = hd_training_hash(arena, shape, "opencl", length),
                              .layout = hd_format(arena, "%llu", (unsigned long long)tile),
                              .timing = {seconds, seconds, seconds, 3}}};
}

/* A kernel that was generated otherwise is another one, and so is a record that is no more. */
static void runs_of_other_kernels_do_not_count(void **state) {
    fixture *f = *state;
    static const hd_profiled_device device = {"opencl", "platform", "name", "1.0"};
    const char *path = hd_format(f->arena, "%s/raw.bin", f->folder);
    hd_database *database = hd_database_open(f->arena, &f->diag, path);
    const hd_training_shape gone = {"double", "double", 3, 24};
    hd_training_run runs[] = {run_of(f->arena, &hd_training_shapes[2], 256, HD_TILE_SOA, 3e-3),
                              run_of(f->arena, &hd_training_shapes[2], 256, 1, 1e-3),
                              run_of(f->arena, &hd_training_shapes[2], 128, 4, 2e-3),
                              run_of(f->arena, &hd_training_shapes[0], 256, 4, 4e-3),
                              run_of(f->arena, &hd_training_shapes[1], 128, 1, 9e-3),
                              run_of(f->arena, &gone, 128, 1, 9e-3)};
    size_t count, kernel_count;
    runs[4].profile.kernel = "of an earlier version";
    hd_database_put_training(database, &device, runs, 6);
    const hd_training_run *known = hd_training_known(database, f->arena, &device, &count);
    assert_int_equal(count, 4);
    const hd_tile_kernel *kernels = hd_training_kernels(f->arena, known, count, &kernel_count);
    assert_int_equal(kernel_count, 3);
    assert_true(kernels[0].bytes == 4 && kernels[0].seconds[2] == 4e-3);
    assert_true(kernels[1].bytes == 12 && kernels[1].seconds[2] == 2e-3);
    assert_true(kernels[2].bytes == 12 && kernels[2].seconds[0] == 1e-3);
    assert_true(kernels[2].seconds[2] == 0 && kernels[2].seconds[HD_TILE_CLASSES - 1] == 3e-3);
    hd_database_close(database);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(compilers_see_the_record_of_the_shape), TEST(fields_are_about_equally_near),
        TEST(every_tile_computes_the_same),          TEST(every_kernel_has_its_own_key),
        TEST(runs_of_other_kernels_do_not_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
