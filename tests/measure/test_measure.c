/*
 * Real runs on an OpenCL device: a kernel, the same kernel written by hand in
 * other layouts, and versions of those with mistakes.
 */
#include <math.h>

#include "job/fixture.h"
#include "advise/measure/measure.h"

#define COUNT 100

/* ---- the kernel, its module and its jobs -------------------------------- */

static const char original[] =
    "#include \"k.h\"\n"
    "typedef struct { float x, y, z; int id; } body;\n"
    "typedef struct { float dx; int step; } shift;\n"
    "kernel void move(global body *bodies, float dt, float4 push, shift s,\n"
    "                 local float *scratch, global const half *mass) {\n"
    "    size_t i = get_global_id(0);\n"
    "    scratch[get_local_id(0)] = vload_half(i, mass);\n"
    "    bodies[i].x += dt * push.s0 + s.dx;\n"
    "    bodies[i].y = bodies[i].x * TWO + scratch[get_local_id(0)];\n"
    "    bodies[i].id += s.step;\n"
    "}\n";

/* The same with the statements in the hands of ADDRESS(field number, element). */
static const char body_of_rewritten[] =
    "typedef struct { float dx; int step; } shift;\n"
    "kernel void move(PARAMETERS, ulong bodies_count, float dt, float4 push, shift s,\n"
    "                 local float *scratch, global const half *mass) {\n"
    "    size_t i = get_global_id(0), n = bodies_count;\n"
    "    scratch[get_local_id(0)] = vload_half(i, mass);\n"
    "    *(global float *)(X) += dt * push.s0 + s.dx EXTRA;\n"
    "    *(global float *)(Y) = *(global float *)(X) * 2 + scratch[get_local_id(0)];\n"
    "    *(global int *)(ID) += s.step;\n"
    "}\n";

static const char soa[] = "#define PARAMETERS global uchar *bodies\n"
                          "#define RUN ((4 * n + 255) / 256 * 256)\n"
                          "#define X bodies + 4 * i\n"
                          "#define Y bodies + RUN + 4 * i\n"
                          "#define ID bodies + 3 * RUN + 4 * i\n";
static const char tiled[] =
    "#define PARAMETERS global uchar *bodies\n"
    "#define X bodies + 8 * i\n"
    "#define Y bodies + 8 * i + 4\n"
    "#define ID bodies + (8 * n + 255) / 256 * 256 + i / 4 * 32 + 16 + i % 4 * 4\n";
static const char discrete[] = "#define PARAMETERS global uchar *bodies_0, global uchar *bodies_1\n"
                               "#define X bodies_0 + 8 * i\n"
                               "#define Y bodies_0 + 8 * i + 4\n"
                               "#define ID bodies_1 + 8 * i + 4\n";

static const char job_text[] =
    "kernel: k.cl\n"
    "buffers:\n"
    "  - {name: bodies, type: body, count: 100, init: [{field: x, generator: uniform, seed: 1},\n"
    "       {field: z, generator: iota}, {field: id, generator: permutation, seed: 2}]}\n"
    "  - {name: mass, type: half, count: 100, init: [{generator: iota, low: 0.5}]}\n"
    "launches:\n"
    "  - kernel: move\n"
    "    global: [96]\n"
    "    offset: [4]\n"
    "    local: [8]\n"
    "    repeat: 3\n"
    "    args:\n"
    "      - {name: mass, buffer: mass}\n"
    "      - {name: bodies, buffer: bodies}\n"
    "      - {name: dt, value: 0.5}\n"
    "      - {name: push, value: \"2, 0, 0, 0\"}\n"
    "      - {name: s, value: \"0.25, 3\"}\n"
    "      - {name: scratch, local: 32}\n";

static kir_module *make_body_module(hd_arena *arena) {
    hd_record *body = make_record(arena, "body", 4,
                                  (hd_field[]){{"x", "float", 0, 4, 4, 1, NULL},
                                               {"y", "float", 0, 4, 4, 1, NULL},
                                               {"z", "float", 0, 4, 4, 1, NULL},
                                               {"id", "int", 0, 4, 4, 1, NULL}});
    hd_record *shift = make_record(
        arena, "shift", 2,
        (hd_field[]){{"dx", "float", 0, 4, 4, 1, NULL}, {"step", "int", 0, 4, 4, 1, NULL}});
    kir_param by_value = {
        .name = "s", .type_name = "shift", .bytes = 8, .record = shift, .by_value_struct = true};
    kir_module *module = hd_new(arena, kir_module);
    module->device = "opencl";
    module->record_count = 2;
    module->records = hd_new_array(arena, hd_record *, 2);
    module->records[0] = body;
    module->records[1] = shift;
    module->kernel_count = 1;
    module->kernels = hd_new_array(arena, kir_kernel *, 1);
    module->kernels[0] =
        make_kernel(arena, "move", 6,
                    (kir_param[]){make_pointer("bodies", KIR_GLOBAL, "body", 16, body),
                                  make_value("dt", "float", KIR_FLOAT, 32, 1),
                                  make_value("push", "float4", KIR_FLOAT, 32, 4), by_value,
                                  make_pointer("scratch", KIR_LOCAL, "float", 4, NULL),
                                  make_pointer("mass", KIR_GLOBAL, "half", 2, NULL)});
    return module;
}

static hd_job *make_job(fixture *f, const char *tail) {
    hd_job *job;
    fixture_write(f, "k.cl", original, strlen(original));
    fixture_write(f, "k.h", "#define TWO 2\n", 14);
    if (fixture_read(f, hd_format(f->arena, "%s%s", job_text, tail), &job) != HD_OK ||
        hd_job_resolve(f->arena, &f->diag, job, make_body_module(f->arena)) != HD_OK)
        fail_msg("%s", f->seen.text);
    memset(&f->seen, 0, sizeof f->seen);
    return job;
}

static hd_status compare(fixture *f, const hd_job *job, const char *notation, const char *head,
                         const char *extra, const hd_measure_options *options,
                         hd_measurement *result) {
    hd_layout *layout = NULL;
    assert_int_equal(hd_layout_parse(f->arena, &f->diag, job->record, notation, &layout), HD_OK);
    hd_rewritten_file file = {
        "k.cl", "k.cl",
        hd_format(f->arena, "%s#define EXTRA %s\n%s", head, extra, body_of_rewritten)};
    hd_rewritten rewritten = {.files = &file, .file_count = 1, .options = ""};
    return hd_measure_compare(f->arena, &f->diag, job, &(hd_record_layout){job->record, layout}, 1,
                              &rewritten, options, result);
}

/* ---- the tests ---------------------------------------------------------- */

static void equal_versions_are_timed(void **state) {
    fixture *f = *state;
    const hd_job *job = make_job(f, "");
    const struct {
        const char *notation, *head;
    } layouts[] = {{"soa", soa}, {"{x,y}{z,id}:4", tiled}, {"{x,y}{z,id}/da", discrete}};
    for (size_t l = 0; l < 3; l++) {
        hd_measurement m;
        hd_measure_options options = {.repeats = 3, .min_seconds = l ? 0 : 1e-3};
        if (compare(f, job, layouts[l].notation, layouts[l].head, "", &options, &m) != HD_OK)
            fail_msg("%s: %s", layouts[l].notation, f->seen.text);
        assert_true(m.equal && m.bit_equal);
        assert_true(m.original.repeats == m.rewritten.repeats);
        assert_true(l ? m.original.repeats == 3 : m.original.repeats > 3);
        assert_true(m.original.low <= m.original.median && m.original.median <= m.original.high);
        assert_true(m.speedup > 0 && m.speedup_low <= m.speedup_high);
        assert_true(*m.device_name && *m.driver);
    }
}

static void a_run_on_a_named_device_gives_the_final_bytes(void **state) {
    fixture *f = *state;
    struct {
        float x, y, z;
        int id;
    } *before, *after;
    const hd_job *job = make_job(f, "");
    void *contents[2], *initial;
    hd_timing timing;
    uint32_t count;
    const char *missing;
    const hd_compute_device *devices = hd_compute_named("opencl")->list(f->arena, &count, &missing);
    assert_true(count > 0);
    hd_measure_options options = {.device = devices[0].name};
    if (hd_measure_run(f->arena, &f->diag, job, &options, contents, &timing) != HD_OK)
        fail_msg("%s", f->seen.text);
    assert_int_equal(hd_job_contents(f->arena, &f->diag, &job->buffers[0], &initial), HD_OK);
    before = initial;
    after = contents[0];
    for (int i = 0; i < COUNT; i++) {
        float x = before[i].x;
        for (int repeat = 0; repeat < 3 && i >= 4; repeat++)
            x += 0.5f * 2 + 0.25f;
        assert_true(fabsf(after[i].x - x) < 1e-5f && after[i].z == (float)i);
        assert_true(i < 4 || fabsf(after[i].y - (x * 2 + 0.5f + (float)i)) < 1e-4f);
        assert_int_equal(after[i].id, before[i].id + (i < 4 ? 0 : 9));
    }
    assert_int_equal(timing.repeats, 1);
}

static void a_difference_names_buffer_element_and_field(void **state) {
    fixture *f = *state;
    hd_measurement m;
    assert_int_equal(compare(f, make_job(f, ""), "soa", soa, "+ (i == 17 ? 1 : 0)", NULL, &m),
                     HD_EDIFFER);
    assert_false(m.equal || m.bit_equal);
    assert_int_equal(f->seen.errors, 1);
    assert_non_null(strstr(f->seen.text, "'bodies[17].x' is "));
    assert_non_null(strstr(f->seen.text, "2 of 500 values differ"));
    assert_non_null(strstr(f->seen.file, "job.yaml"));
}

static void build_errors_have_a_place(void **state) {
    fixture *f = *state;
    hd_measurement m;
    assert_int_equal(compare(f, make_job(f, ""), "soa", soa, "+ unknown_name", NULL, &m),
                     HD_EINPUT);
    assert_int_equal(f->seen.errors, 1);
    assert_non_null(strstr(f->seen.file, "k.cl (rewritten)"));
    assert_int_equal(f->seen.line, 12);
    assert_non_null(strstr(f->seen.source, "EXTRA"));
    assert_non_null(strstr(f->seen.text, "unknown_name"));
    assert_non_null(strstr(f->seen.text, "CL_BUILD_PROGRAM_FAILURE"));

    hd_job *job = make_job(f, "");
    void *contents[2];
    job->options = "-DTWO=three";
    fixture_write(f, "k.h", "\n", 1);
    assert_int_equal(hd_measure_run(f->arena, &f->diag, job, NULL, contents, NULL), HD_EINPUT);
    assert_int_equal(f->seen.errors, 1);
    assert_non_null(strstr(f->seen.file, "/k.cl"));
    assert_int_equal(f->seen.line, 9);
}

static void errors_of_headers_have_no_line_of_the_kernel(void **state) {
    fixture *f = *state;
    hd_job *job = make_job(f, "");
    void *contents[2];
    fixture_write(f, "k.h", "\n\n#error no TWO\n", 16);
    assert_int_equal(hd_measure_run(f->arena, &f->diag, job, NULL, contents, NULL), HD_EINPUT);
    assert_int_equal(f->seen.errors, 1);
    assert_non_null(strstr(f->seen.file, "/k.cl"));
    assert_non_null(strstr(f->seen.text, "no TWO"));
    assert_int_not_equal(f->seen.line, 3);
}

static void tiles_beyond_the_data_are_refused(void **state) {
    fixture *f = *state;
    hd_measurement m;
    assert_int_equal(compare(f, make_job(f, ""), "aosoa:1099511627776", soa, "", NULL, &m),
                     HD_EINPUT);
    assert_int_equal(f->seen.errors, 1);
    assert_non_null(strstr(f->seen.text, "buffer 'bodies' take 17592186044416 bytes"));
    assert_non_null(strstr(f->seen.text, "take a smaller one"));
}

static void a_version_with_other_parameters_is_an_error(void **state) {
    fixture *f = *state;
    hd_measurement m;
    assert_int_equal(compare(f, make_job(f, ""), "{x,y}{z,id}/da", soa, "", NULL, &m), HD_ESYSTEM);
    assert_int_equal(f->seen.errors, 1);
    assert_non_null(strstr(f->seen.text, "CL_INVALID_ARG_"));
    assert_non_null(strstr(f->seen.text, "run kernel 'move'"));
    assert_non_null(strstr(f->seen.text, "argument 2"));
}

static void too_large_groups_are_refused(void **state) {
    fixture *f = *state;
    hd_job *job = make_job(f, "");
    void *contents[2];
    job->launches[0].global[0] = job->launches[0].local[0] = 1 << 20;
    assert_int_equal(hd_measure_run(f->arena, &f->diag, job, NULL, contents, NULL), HD_EINPUT);
    assert_non_null(strstr(f->seen.text, "make 'local' smaller"));
    assert_int_equal(f->seen.line, 7);
}

static void devices_are_chosen_by_number_or_listed(void **state) {
    fixture *f = *state;
    const hd_job *job = make_job(f, "");
    void *contents[2];
    uint32_t count;
    const char *missing;
    const hd_compute_device *devices = hd_compute_named("opencl")->list(f->arena, &count, &missing);
    assert_true(count > 0);
    hd_measure_options options = {0};
    options.device = devices[0].id;
    assert_int_equal(hd_measure_run(f->arena, &f->diag, job, &options, contents, NULL), HD_OK);
    static const char *const unknown[] = {"no such device", "0:99", "cuda:0"};
    for (size_t i = 0; i < 3; i++) {
        memset(&f->seen, 0, sizeof f->seen);
        options.device = unknown[i];
        assert_int_equal(hd_measure_run(f->arena, &f->diag, job, &options, contents, NULL),
                         HD_EINPUT);
        assert_int_equal(f->seen.errors, 1);
        assert_non_null(strstr(f->seen.text, devices[0].name));
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(equal_versions_are_timed),
        TEST(a_run_on_a_named_device_gives_the_final_bytes),
        TEST(a_difference_names_buffer_element_and_field),
        TEST(build_errors_have_a_place),
        TEST(errors_of_headers_have_no_line_of_the_kernel),
        TEST(tiles_beyond_the_data_are_refused),
        TEST(a_version_with_other_parameters_is_an_error),
        TEST(too_large_groups_are_refused),
        TEST(devices_are_chosen_by_number_or_listed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
