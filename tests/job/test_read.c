/* Job files: what is read, and that every mistake is one message at its place. */
#include "job/fixture.h"

static void reads_a_whole_job(void **state) {
    fixture *f = *state;
    hd_job *job;
    assert_int_equal(fixture_read(f,
                                  "kernel: sub/k.cl\n"
                                  "options: -DN=4 -DM=5\n"
                                  "record: struct body\n"
                                  "buffers:\n"
                                  "  - name: bodies\n"
                                  "    type: body\n"
                                  "    count: 1e3\n"
                                  "    init:\n"
                                  "      - {field: pos.x, generator: uniform, low: -1, high: 2.5, "
                                  "seed: 0x10}\n"
                                  "      - {generator: iota, field: id, low: 5, step: 2}\n"
                                  "  - {name: raw, type: float, count: 0x40, file: raw.bin}\n"
                                  "launches:\n"
                                  "  - kernel: move\n"
                                  "    global: [1024, 8]\n"
                                  "    local: [256, 2]\n"
                                  "    offset: [0, 3]\n"
                                  "    repeat: 3\n"
                                  "    args:\n"
                                  "      - {name: bodies, buffer: bodies}\n"
                                  "      - {name: w, value: \"1, 2\"}\n"
                                  "      - {name: scratch, local: 1024}\n"
                                  "  - {kernel: other, global: [96]}\n"
                                  "tolerance: {relative: 1e-5, absolute: 1e-7}\n",
                                  &job),
                     HD_OK);
    assert_string_equal(job->kernel_path, hd_format(f->arena, "%s/sub/k.cl", f->folder));
    assert_string_equal(job->options, "-DN=4 -DM=5");
    assert_string_equal(job->record_name, "struct body");
    assert_int_equal(job->buffer_count, 2);
    assert_int_equal(job->buffers[0].count, 1000);
    assert_int_equal(job->buffers[0].init_count, 2);
    const hd_init *init = job->buffers[0].inits;
    assert_int_equal(init->generator, HD_GEN_UNIFORM);
    assert_string_equal(init->field, "pos.x");
    assert_true(init->low == -1 && init->high == 2.5 && init->seed == 16);
    assert_true(init[1].generator == HD_GEN_IOTA && init[1].low == 5 && init[1].step == 2);
    assert_int_equal(init[1].place.line, 10);
    assert_int_equal(job->buffers[1].count, 64);
    assert_string_equal(job->buffers[1].file, hd_format(f->arena, "%s/raw.bin", f->folder));
    const hd_launch *launch = job->launches;
    assert_int_equal(launch->dims, 2);
    assert_true(launch->global[0] == 1024 && launch->global[1] == 8 && launch->global[2] == 1);
    assert_true(launch->local[0] == 256 && launch->local[1] == 2 && launch->local[2] == 1);
    assert_true(launch->offset[1] == 3 && launch->repeat == 3 && launch->arg_count == 3);
    assert_int_equal(launch->args[0].kind, HD_ARG_BUFFER);
    assert_int_equal(launch->args[1].kind, HD_ARG_VALUE);
    assert_string_equal(launch->args[1].value_text, "1, 2");
    assert_int_equal(launch->args[2].local_bytes, 1024);
    assert_int_equal(launch->args[2].place.line, 21);
    assert_int_equal(job->launches[1].local[0], 32); /* the largest power of two in 96 */
    assert_int_equal(job->launches[1].repeat, 1);
    assert_true(job->relative == 1e-5 && job->absolute == 1e-7);
}

#define HEAD "kernel: k.cl\n"
#define RUN "launches: [{kernel: k, global: [64]}]\n"
#define CUDA "kernel: k.cu\n"
#define NESTED "[[[[[[[[[["

static const struct {
    const char *text;
    unsigned line, column;
    const char *said[3];
} mistakes[] = {
    {"",
     1,
     1,
     {"empty", "kernel, options, sources, program, record, origin, split, arrays, records, "
               "graphs, indices, buffers, launches, tolerance"}},
    {"- a\n", 1, 1, {"must be a mapping"}},
    {"a: {b\n", 2, 1, {"not YAML"}},
    {"kernel: k.cl\n\tlaunches: x\n", 2, 1, {"not YAML", "tab"}},
    {HEAD, 1, 1, {"'launches' is missing", "launches: [{kernel: k"}},
    {RUN, 1, 1, {"'kernel' is missing", "kernel: nbody.cl"}},
    {HEAD RUN "colour: red\n", 3, 1, {"unknown key 'colour'", "tolerance"}},
    {HEAD HEAD RUN, 2, 1, {"'kernel' stands here twice"}},
    {HEAD "launches: []\n", 2, 11, {"at least one kernel"}},
    {HEAD "launches: k\n", 2, 11, {"'launches' must be a list"}},
    {HEAD "launches:\n  - k\n", 3, 5, {"every entry of 'launches' must be a mapping"}},
    {HEAD "launches:\n  - {kernel: k, global: 64}\n", 3, 25, {"'global' must be a list", "[1024]"}},
    {HEAD "launches:\n  - {kernel: k, global: [a]}\n", 3, 26, {"'global: a'", "whole number"}},
    {HEAD "launches:\n  - {kernel: k, global: [-64]}\n", 3, 26, {"'global: -64'"}},
    {HEAD "launches:\n  - {kernel: k, global: [64.5]}\n", 3, 26, {"'global: 64.5'"}},
    {HEAD "launches:\n  - {kernel: k, global: [0]}\n", 3, 26, {"'global: 0'"}},
    {HEAD "launches:\n  - {kernel: k, global: [1e15]}\n", 3, 26, {"beyond any device"}},
    {HEAD "launches:\n  - {kernel: k, global: []}\n", 3, 25, {"0 dimensions", "1 to 3"}},
    {HEAD "launches:\n  - {kernel: k, global: [1,1,1,1]}\n", 3, 25, {"4 dimensions"}},
    {HEAD "launches:\n  - {kernel: k, global: [1000], local: [256]}\n",
     3,
     26,
     {"not a multiple of the local size 256", "the next one is 1024"}},
    {HEAD "launches:\n  - {kernel: k, global: [64, 64], local: [8]}\n",
     3,
     42,
     {"'local' has 1 dimensions, 'global' has 2"}},
    {HEAD "launches:\n  - {kernel: k, global: [64], repeat: 0}\n", 3, 39, {"'repeat: 0'"}},
    {HEAD "launches:\n  - {kernel: k, global: [64], args: [{value: 1}]}\n",
     3,
     38,
     {"'name' of launch 1, argument 1 is missing"}},
    {HEAD "launches:\n  - {kernel: k, global: [64]}\n  - kernel: k\n    global: [64]\n    args:\n"
          "      - {name: a, valu: 1}\n",
     7,
     19,
     {"unknown key 'valu' of launch 2, argument 1", "name, buffer, value, local"}},
    {HEAD "launches:\n  - {kernel: k, global: [64], args: [{name: a}]}\n",
     3,
     38,
     {"exactly one of 'buffer', 'value', 'bytes', 'local' and 'sampler'"}},
    {HEAD "launches:\n  - {kernel: k, global: [64], args: [{name: a, value: 1, buffer: b}]}\n",
     3,
     38,
     {"exactly one"}},
    {HEAD "launches:\n  - {kernel: k, global: [64], args: [{name: a, value: [1, 2]}]}\n",
     3,
     55,
     {"'value' must be a single value", "1, 2, 3, 4"}},
    {HEAD "launches:\n  - {kernel: k, global: [64], args: [{name: a, value: 1},\n"
          "     {name: a, value: 2}]}\n",
     4,
     6,
     {"argument 'a' is given twice"}},
    {HEAD "launches:\n  - {kernel: k, local: [64]}\n",
     3,
     5,
     {"'global' of this launch is missing"}},
    {HEAD "launches:\n  - {kernel: k, global: [64], threads: [64]}\n",
     3,
     40,
     {"'threads' is not for kernels that are launched with a global size", "'global' and 'local'"}},
    {HEAD "launches:\n  - {kernel: k, global: [64], shared: 64}\n",
     3,
     39,
     {"'shared' is not for kernels that are launched with a global size", "'local'"}},
    {CUDA "launches:\n  - {kernel: k, blocks: [2], threads: [32], offset: [1]}\n",
     3,
     53,
     {"'offset' is not for kernels that are launched in blocks"}},
    {CUDA "launches:\n  - {kernel: k, blocks: [2]}\n",
     3,
     5,
     {"'threads' of this launch is missing"}},
    {CUDA "launches:\n  - {kernel: k, blocks: [2], threads: [0]}\n", 3, 40, {"'threads: 0'"}},
    {CUDA "launches:\n  - {kernel: k, blocks: [1e9], threads: [1e9]}\n",
     3,
     26,
     {"beyond any device"}},
    {CUDA "launches:\n  - {kernel: k, blocks: [2], threads: [32], shared: -1}\n",
     3,
     53,
     {"'shared: -1'"}},
    {HEAD RUN "buffers: [{name: a, type: float}]\n", 3, 11, {"'count' of buffer 1 is missing"}},
    {HEAD RUN "buffers: [{name: a, type: float, count: 0}]\n", 3, 41, {"'count: 0'"}},
    {HEAD RUN "buffers: [{name: a, type: float, count: nan}]\n", 3, 41, {"'count: nan'"}},
    {HEAD RUN "buffers: [{name: \"\", type: float, count: 1}]\n", 3, 18, {"'name' is empty"}},
    {HEAD RUN "buffers:\n  - {name: a, type: int, count: 1}\n  - {name: a, type: int, count: 1}\n",
     5,
     12,
     {"two buffers named 'a'"}},
    {HEAD RUN "buffers: [{name: a, type: int, count: 1, file: f, init: [{generator: zero}]}]\n",
     3,
     48,
     {"both 'file' and 'init'"}},
    {HEAD RUN "buffers: [{name: a, type: int, count: 1, placement: near}]\n",
     3,
     53,
     {"unknown placement 'near'", "device, host, fine, coarse, managed, hinted"}},
    {HEAD RUN "buffers: [{name: a, type: int, count: 1, init: [{generator: magic}]}]\n",
     3,
     61,
     {"unknown generator 'magic'", "zero, constant, uniform, iota, modulo, permutation"}},
    {HEAD RUN "buffers: [{name: a, type: int, count: 1, init: [{generator: constant}]}]\n",
     3,
     49,
     {"'constant' needs", "'low'"}},
    {HEAD RUN "buffers: [{name: a, type: int, count: 1, init: [{generator: modulo, high: 0}]}]\n",
     3,
     75,
     {"'modulo' needs 'high'"}},
    {HEAD RUN "buffers: [{name: a, type: int, count: 1, init: [{generator: uniform, low: 2}]}]\n",
     3,
     49,
     {"'low: 2' is greater than 'high: 1'"}},
    {HEAD RUN
     "buffers: [{name: a, type: int, count: 1, init: [{generator: uniform, high: much}]}]\n",
     3,
     76,
     {"'high: much' is not a number"}},
    {HEAD RUN "tolerance: 1e-5\n", 3, 12, {"'tolerance' must be a mapping", "relative"}},
    {HEAD RUN "tolerance: {relative: -1}\n", 3, 23, {"no tolerance"}},
    {HEAD RUN "options: &a x\nrecord: *a\n", 4, 9, {"aliases"}},
    {HEAD RUN "options: \"x\\0y\"\n", 3, 10, {"zero byte"}},
    {HEAD RUN "? [a, b]\n: c\n", 3, 3, {"a key must be a single word"}},
    {HEAD RUN "---\n" HEAD RUN, 3, 1, {"second document"}},
    {HEAD RUN "record: " NESTED NESTED NESTED NESTED "\n", 3, 41, {"nested too deep"}},
    {HEAD RUN "tolerance: {absolut: 1}\n", 3, 13, {"unknown key 'absolut' of 'tolerance'"}},
};

/* A file of brackets alone ends where they are too deep, not after all of them. */
static void brackets_end_early(void **state) {
    fixture *f = *state;
    hd_job *job;
    size_t count = 1000000;
    char *text = hd_alloc(f->arena, count + 1);
    memset(text, '[', count);
    assert_int_equal(fixture_read(f, text, &job), HD_EINPUT);
    assert_int_equal(f->seen.column, 34);
    assert_non_null(strstr(f->seen.text, "nested too deep"));
}

/* Every place has its line, and they are no copies: one line may hold the whole job. */
static void places_share_their_line(void **state) {
    fixture *f = *state;
    hd_job *job;
    hd_str text = {.arena = f->arena};
    hd_str_add(&text, HEAD "launches: [");
    for (int l = 0; l < 1000; l++)
        hd_str_add(&text, "{kernel: k, global: [64], args: [{name: a, value: 1}]}, ");
    hd_str_add(&text, "]\n");
    assert_int_equal(fixture_read(f, hd_str_text(&text), &job), HD_OK);
    assert_int_equal(job->launch_count, 1000);
    assert_ptr_equal(job->launches[0].place.text, job->launches[999].args[0].place.text);
    assert_memory_equal(job->launches[0].place.text, "launches: [{", 12);
}

static void every_mistake_is_one_located_message(void **state) {
    fixture *f = *state;
    for (size_t m = 0; m < sizeof mistakes / sizeof *mistakes; m++) {
        hd_job *job;
        hd_status status = fixture_read(f, mistakes[m].text, &job);
        bool named = true;
        for (size_t s = 0; s < 3 && mistakes[m].said[s]; s++)
            named = named && strstr(f->seen.text, mistakes[m].said[s]);
        if (status != HD_EINPUT || f->seen.errors != 1 || !named ||
            f->seen.line != mistakes[m].line || f->seen.column != mistakes[m].column || job)
            fail_msg("mistake %zu: status %d, %u errors, at %u:%u: %s\n%s", m, status,
                     f->seen.errors, f->seen.line, f->seen.column, f->seen.text, mistakes[m].text);
        assert_non_null(strstr(f->seen.file, "job.yaml"));
    }
}

static void blocks_and_threads_are_a_launch(void **state) {
    fixture *f = *state;
    hd_job *job;
    static const char text[] = CUDA "launches:\n"
                                    "  - {kernel: k, blocks: [3, 2], threads: [32], shared: 256}\n"
                                    "  - {kernel: k, blocks: [5], threads: [8, 4, 2]}\n";
    assert_int_equal(fixture_read(f, text, &job), HD_OK);
    const hd_launch *flat = &job->launches[0], *deep = &job->launches[1];
    assert_int_equal(flat->dims, 2);
    assert_int_equal(flat->global[0], 96);
    assert_int_equal(flat->global[1], 2);
    assert_int_equal(flat->local[0], 32);
    assert_int_equal(flat->local[1], 1);
    assert_int_equal(flat->shared, 256);
    assert_true(flat->shared_given && flat->local_given && !deep->shared_given);
    assert_int_equal(deep->dims, 3);
    assert_int_equal(deep->global[0], 40);
    assert_int_equal(deep->global[2], 2);
    assert_int_equal(deep->local[1], 4);
}

static void a_missing_file_is_named(void **state) {
    fixture *f = *state;
    hd_job *job = NULL;
    assert_int_equal(hd_job_read(f->arena, &f->diag, "/nowhere/job.yaml", &job), HD_EINPUT);
    assert_int_equal(f->seen.errors, 1);
    assert_string_equal(f->seen.file, "/nowhere/job.yaml");
}

/* Cutting a good job anywhere gives a job or one message, never a crash. */
static void any_beginning_of_a_job_is_handled(void **state) {
    fixture *f = *state;
    const char *whole = "kernel: k.cl\nbuffers:\n  - {name: a, type: float, count: 64, init: "
                        "[{generator: iota, low: 1}]}\nlaunches:\n  - kernel: k\n    global: [64]\n"
                        "    args:\n      - {name: a, buffer: a}\n";
    for (size_t length = 0; length <= strlen(whole); length++) {
        hd_job *job;
        hd_status status = fixture_read(f, hd_strndup(f->arena, whole, length), &job);
        assert_int_equal(f->seen.errors, status == HD_OK ? 0 : 1);
        assert_true((status == HD_OK) == (job != NULL));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(reads_a_whole_job, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(every_mistake_is_one_located_message, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(blocks_and_threads_are_a_launch, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(a_missing_file_is_named, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(any_beginning_of_a_job_is_handled, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(brackets_end_early, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(places_share_their_line, fixture_setup, fixture_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
