/* Tying jobs to kernels: what resolves, and every mismatch as one located message. */
#include <math.h>

#include "job/fixture.h"

#define BUFFERS                                         \
    "kernel: k.cl\n"                                    \
    "buffers:\n"                                        \
    "  - {name: bodies, type: body, count: 128}\n"      \
    "  - {name: cells, type: struct cell, count: 64}\n" \
    "  - {name: weights, type: float4, count: 64}\n"
#define MOVE                                   \
    "launches:\n"                              \
    "  - kernel: move\n"                       \
    "    global: [128]\n"                      \
    "    args:\n"                              \
    "      - {name: bodies, buffer: bodies}\n" \
    "      - {name: dt, value: 0.25f}\n"       \
    "      - {name: n, value: 128}\n"          \
    "      - {name: scratch, local: 512}\n"
#define MIX                                      \
    "launches:\n"                                \
    "  - kernel: mix\n"                          \
    "    global: [64]\n"                         \
    "    args:\n"                                \
    "      - {name: cells, buffer: cells}\n"     \
    "      - {name: weights, buffer: weights}\n"

static hd_status resolve(fixture *f, const char *text, hd_job **job) {
    assert_int_equal(fixture_read(f, text, job), HD_OK);
    return hd_job_resolve(f->arena, &f->diag, *job, f->module);
}

static void names_become_indices_and_bytes(void **state) {
    fixture *f = *state;
    hd_job *job;
    assert_int_equal(resolve(f, BUFFERS "record: body\n" MOVE, &job), HD_OK);
    assert_ptr_equal(job->record, f->module->records[1]);
    assert_ptr_equal(job->buffers[0].record, f->module->records[1]);
    assert_int_equal(job->buffers[0].element_bytes, 48);
    assert_int_equal(job->buffers[1].element_bytes, 16);
    assert_true(job->buffers[2].scalar.lanes == 4 && job->buffers[2].element_bytes == 16);
    const hd_launch *launch = job->launches;
    assert_ptr_equal(launch->kernel, f->module->kernels[0]);
    assert_int_equal(launch->args[0].buffer, 0);
    assert_int_equal(launch->args[1].param, 2);
    float dt;
    memcpy(&dt, launch->args[1].value, 4);
    assert_true(dt == 0.25f && launch->args[1].value_bytes == 4);

    hd_binding binding = hd_job_binding(f->arena, job, launch);
    assert_true(binding.dims == 1 && binding.global[0] == 128 && binding.local[0] == 128);
    assert_true(binding.param_count == 4 && binding.param_known[1] && binding.params[1] == 128);
    assert_false(binding.param_known[0] || binding.param_known[2] || binding.param_known[3]);
}

static void values_take_the_type_of_their_parameter(void **state) {
    fixture *f = *state;
    hd_job *job;
    assert_int_equal(resolve(f,
                             BUFFERS "record: cell\n" MIX
                                     "      - {name: w, value: \"1, -2, 3.5, 4e2\"}\n"
                                     "      - {name: p, value: \"0.5, -7\"}\n"
                                     "      - {name: big, value: -9007199254740993}\n"
                                     "      - {name: small, value: 0xfe}\n",
                             &job),
                     HD_OK);
    const hd_arg *args = job->launches[0].args;
    float w[4];
    memcpy(w, args[2].value, 16);
    assert_true(w[0] == 1 && w[1] == -2 && w[2] == 3.5f && w[3] == 400 &&
                args[2].value_bytes == 16);
    struct {
        float scale;
        int shift;
    } p;
    memcpy(&p, args[3].value, 8);
    assert_true(p.scale == 0.5f && p.shift == -7 && args[3].value_bytes == 8);
    hd_binding binding = hd_job_binding(f->arena, job, job->launches);
    assert_true(binding.params[4] == -9007199254740993 && binding.params[5] == 254);
}

/* A layout moves what an offset would count. */
static void laid_out_buffers_take_no_offset(void **state) {
    fixture *f = *state;
    hd_job *job;
    assert_int_equal(
        resolve(f,
                "kernel: k.cl\nbuffers: [{name: bodies, type: body, count: 128}]\n"
                "launches:\n  - {kernel: move, global: [64], args: [{name: bodies, buffer: "
                "bodies, offset: 36}]}\n",
                &job),
        HD_EUNSUPPORTED);
    assert_non_null(strstr(f->seen.text, "begins inside of buffer 'bodies', whose layout"));
}

static void the_record_is_found_or_asked_for(void **state) {
    fixture *f = *state;
    hd_job *job;
    assert_int_equal(
        resolve(f, "kernel: k.cl\nbuffers: [{name: bodies, type: body, count: 128}]\n" MOVE, &job),
        HD_OK);
    assert_string_equal(job->record->name, "body");
    assert_int_equal(
        resolve(f,
                "kernel: k.cl\nbuffers: [{name: a, type: float, count: 64}]\n"
                "launches:\n  - {kernel: fixed, global: [64], args: [{name: a, buffer: "
                "a}]}\n",
                &job),
        HD_OK);
    assert_null(job->record);
    assert_int_equal(hd_job_require_record(&f->diag, job), HD_EINPUT);
    assert_non_null(strstr(f->seen.text, "no record to lay out"));
}

/* Who only runs a job need not choose among its records. */
static void several_records_wait_for_a_choice(void **state) {
    fixture *f = *state;
    hd_job *job;
    assert_int_equal(resolve(f, BUFFERS MOVE, &job), HD_OK);
    assert_null(job->record);
    assert_int_equal(hd_job_require_record(&f->diag, job), HD_EINPUT);
    assert_int_equal(f->seen.errors, 1);
    assert_int_equal(f->seen.line, 1);
    assert_non_null(strstr(f->seen.text, "several records, among them body and cell"));
    assert_non_null(strstr(f->seen.text, "--record body"));
    assert_int_equal(resolve(f, BUFFERS "split: [pos]\n" MOVE, &job), HD_EINPUT);
    assert_non_null(strstr(f->seen.text, "several records"));
    assert_int_equal(resolve(f, BUFFERS "record: cell\n" MOVE, &job), HD_OK);
    assert_int_equal(hd_job_require_record(&f->diag, job), HD_OK);
}

static const struct {
    const char *text;
    unsigned line;
    const char *said[3];
} mismatches[] = {
    {BUFFERS "record: bodi\n" MOVE, 6, {"no record 'bodi'", "vec, body, cell, pair"}},
    {BUFFERS "record: vec\n" MOVE, 6, {"no buffer holds record 'vec'"}},
    {BUFFERS "record: body\nlaunches:\n  - {kernel: moov, global: [64]}\n",
     8,
     {"no kernel 'moov'", "move, mix, fixed"}},
    {BUFFERS "record: body\n" MOVE "      - {name: m, value: 1}\n",
     15,
     {"no parameter 'm'", "bodies, n, dt, scratch"}},
    {BUFFERS
     "record: body\nlaunches:\n  - kernel: move\n    global: [64]\n    args: [{name: bodies, "
     "buffer: bodies}]\n",
     8,
     {"does not give its parameter 'n' (uint)", "{name: n, value: ...}"}},
    {BUFFERS "record: body\nlaunches:\n  - kernel: move\n    global: [64]\n    args: [{name: n, "
             "value: 1}, {name: dt, value: 1}, {name: scratch, local: 4}]\n",
     8,
     {"parameter 'bodies'", "{name: bodies, buffer: ...}"}},
    {BUFFERS
     "record: body\nlaunches:\n  - kernel: move\n    global: [64]\n    args:\n      - {name: "
     "n, buffer: bodies}\n",
     11,
     {"parameter 'n' of kernel 'move' is uint", "give it 'value'"}},
    {BUFFERS
     "record: body\nlaunches:\n  - kernel: move\n    global: [64]\n    args:\n      - {name: "
     "bodies, value: 3}\n",
     11,
     {"give it 'buffer'"}},
    {BUFFERS
     "record: body\nlaunches:\n  - kernel: move\n    global: [64]\n    args:\n      - {name: "
     "scratch, buffer: bodies}\n",
     11,
     {"give it 'local' with a number of bytes"}},
    {BUFFERS
     "record: body\nlaunches:\n  - kernel: move\n    global: [64]\n    args:\n      - {name: "
     "bodies, buffer: bodys}\n",
     11,
     {"buffer 'bodys'", "bodies, cells, weights"}},
    {BUFFERS
     "record: body\nlaunches:\n  - kernel: move\n    global: [64]\n    args:\n      - {name: "
     "bodies, buffer: cells}\n",
     11,
     {"points to struct body (48 bytes)", "struct cell (16 bytes)", "type: struct body"}},
    {BUFFERS
     "record: cell\nlaunches:\n  - kernel: mix\n    global: [64]\n    args:\n      - {name: "
     "weights, buffer: cells}\n",
     11,
     {"points to float4", "record to lay out"}},
    {BUFFERS
     "record: body\nlaunches:\n  - kernel: move\n    global: [64]\n    args:\n      - {name: "
     "n, value: -1}\n",
     11,
     {"'-1' is no value for argument 'n' of type uint"}},
    {BUFFERS
     "record: body\nlaunches:\n  - kernel: move\n    global: [64]\n    args:\n      - {name: "
     "n, value: many}\n",
     11,
     {"'many' is no value"}},
    {BUFFERS
     "record: body\nlaunches:\n  - kernel: move\n    global: [64]\n    args:\n      - {name: "
     "n, value: \"\"}\n",
     11,
     {"takes 1 value,", "there are 0"}},
    {BUFFERS
     "record: cell\nlaunches:\n  - kernel: mix\n    global: [64]\n    args:\n      - {name: w, "
     "value: \"1, 2, 3\"}\n",
     11,
     {"'w' of type float4 takes 4 values", "there are 3"}},
    {BUFFERS
     "record: cell\nlaunches:\n  - kernel: mix\n    global: [64]\n    args:\n      - {name: p, "
     "value: \"1, 2.5\"}\n",
     11,
     {"'2.5' is no value", "struct pair, field shift"}},
    {BUFFERS
     "record: cell\nlaunches:\n  - kernel: mix\n    global: [64]\n    args:\n      - {name: "
     "small, value: 256}\n",
     11,
     {"'256' is no value", "unsigned char"}},
    {BUFFERS "  - {name: x, type: flaot, count: 1}\n" MOVE,
     6,
     {"unknown type 'flaot'", "vec, body, cell, pair"}},
    {BUFFERS "  - {name: x, type: float5, count: 1}\n" MOVE, 6, {"unknown type 'float5'"}},
    {BUFFERS "  - {name: x, type: float, count: 4294967296}\n" MOVE, 6, {"more than 16 GiB"}},
    {BUFFERS "  - {name: x, type: float, count: 1e19}\n" MOVE, 0, {NULL}},
    {BUFFERS "  - {name: x, type: float, count: 4, file: nofile.bin}\n" MOVE,
     6,
     {"nofile.bin", "not there"}},
    {BUFFERS "  - {name: x, type: float, count: 4, file: job.yaml}\n" MOVE,
     6,
     {"takes 16 bytes (4 elements of 4)", "job.yaml has"}},
    {BUFFERS "  - {name: x, type: float, count: 4, init: [{field: y, generator: iota}]}\n" MOVE,
     6,
     {"has no field 'y'"}},
    {BUFFERS "  - {name: x, type: body, count: 4, init: [{field: pos.z, generator: iota}]}\n" MOVE,
     6,
     {"'pos.z' is no field of record body", "pos, v, id, d, flag, h"}},
    {BUFFERS
     "  - {name: x, type: body, count: 4, init: [{field: \"d[3]\", generator: iota}]}\n" MOVE,
     6,
     {"'d[3]' is no field"}},
    {BUFFERS "  - {name: x, type: uchar, count: 4, init: [{generator: constant, low: 256}]}\n" MOVE,
     6,
     {"256 does not fit", "uint8"}},
    {BUFFERS "  - {name: x, type: uint, count: 4, init: [{generator: uniform, low: -1}]}\n" MOVE,
     6,
     {"-1 does not fit"}},
    {BUFFERS
     "  - {name: x, type: int, count: 4, init: [{generator: uniform, low: 0.2, high: 0.8}]}\n" MOVE,
     6,
     {"no whole number from 0.2 to 0.8"}},
    {"kernel: k.cl\nbuffers: [{name: a, type: float, count: 64}]\nlaunches:\n"
     "  - {kernel: fixed, global: [64], local: [32], args: [{name: a, buffer: a}]}\n",
     4,
     {"requires the local size 64 x 1 x 1"}},
    {"kernel: k.cl\nbuffers: [{name: a, type: float, count: 64}]\nlaunches:\n"
     "  - {kernel: fixed, global: [4294967296, 512], args: [{name: a, buffer: a}]}\n",
     4,
     {"more than 2^40 work-items"}},
    {"kernel: k.cl\nbuffers: [{name: a, type: float, count: 64}]\nlaunches:\n"
     "  - {kernel: fixed, global: [96], args: [{name: a, buffer: a}]}\n",
     4,
     {"not a multiple of 64", "next one is 128"}},
};

static void every_mismatch_is_one_located_message(void **state) {
    fixture *f = *state;
    for (size_t m = 0; m < sizeof mismatches / sizeof *mismatches; m++) {
        hd_job *job;
        bool named = true;
        hd_status status = fixture_read(f, mismatches[m].text, &job);
        if (mismatches[m].line) {
            assert_int_equal(status, HD_OK);
            status = hd_job_resolve(f->arena, &f->diag, job, f->module);
        }
        for (size_t s = 0; s < 3 && mismatches[m].said[s]; s++)
            named = named && strstr(f->seen.text, mismatches[m].said[s]);
        if (status != HD_EINPUT || f->seen.errors != 1 || !named ||
            (mismatches[m].line && f->seen.line != mismatches[m].line))
            fail_msg("mismatch %zu: status %d, %u errors, at %u: %s", m, status, f->seen.errors,
                     f->seen.line, f->seen.text);
        assert_non_null(strstr(f->seen.file, "job.yaml"));
    }
}

static void flags_make_a_whole_job(void **state) {
    fixture *f = *state;
    hd_job *job;
    hd_job_flags flags = {.kernel_path = "k.cl", .entry = "move"};
    assert_int_equal(hd_job_from_flags(f->arena, &f->diag, &flags, f->module, &job), HD_OK);
    assert_true(job->launches[0].global[0] == 65536 && job->launches[0].local[0] == 256);
    assert_true(job->buffer_count == 1 && job->buffers[0].count == 65536);
    assert_string_equal(job->record->name, "body");
    hd_binding binding = hd_job_binding(f->arena, job, job->launches);
    assert_true(binding.param_known[1] && binding.params[1] == 65536);
    assert_int_equal(job->launches[0].args[3].local_bytes, 1024);
    void *bytes;
    assert_int_equal(hd_job_contents(f->arena, &f->diag, &job->buffers[0], &bytes), HD_OK);
    float x;
    memcpy(&x, bytes, 4);
    assert_true(x > 0 && x < 1);

    const char *const values[] = {"big=-3", "p=1,2", "small=7"};
    flags = (hd_job_flags){.kernel_path = "k.cl",
                           .entry = "mix",
                           .record = "cell",
                           .dims = 2,
                           .global = {96, 10},
                           .count = 500,
                           .values = values,
                           .value_count = 3};
    assert_int_equal(hd_job_from_flags(f->arena, &f->diag, &flags, f->module, &job), HD_OK);
    const hd_launch *launch = job->launches;
    assert_true(launch->dims == 2 && launch->global[0] == 96 && launch->global[1] == 10);
    assert_true(launch->local[0] == 16 && launch->local[1] == 2);
    assert_true(job->buffers[0].count == 500 && job->buffers[1].count == 500);
    binding = hd_job_binding(f->arena, job, launch);
    assert_true(binding.params[4] == -3 && binding.params[5] == 7);

    flags = (hd_job_flags){.kernel_path = "k.cl", .entry = "fixed", .count = 10};
    assert_int_equal(hd_job_from_flags(f->arena, &f->diag, &flags, f->module, &job), HD_OK);
    assert_true(job->launches[0].local[0] == 64 && job->launches[0].local[1] == 1);
}

static void wrong_flags_are_one_message(void **state) {
    fixture *f = *state;
    const char *const unknown[] = {"m=3"}, *const pointer[] = {"bodies=3"}, *const bare[] = {"n"},
                      *const text[] = {"n=many"}, *const twice[] = {"n=1", "n=2"};
    const struct {
        hd_job_flags flags;
        const char *said;
    } wrong[] = {
        {{.kernel_path = "k.cl"}, "choose one as the entry: move, mix, fixed"},
        {{.kernel_path = "k.cl", .entry = "moov"}, "no kernel 'moov'; there are: move, mix, fixed"},
        {{.kernel_path = "k.cl", .entry = "move", .values = unknown, .value_count = 1}, "n, dt"},
        {{.kernel_path = "k.cl", .entry = "move", .values = pointer, .value_count = 1}, "n, dt"},
        {{.kernel_path = "k.cl", .entry = "move", .values = bare, .value_count = 1}, "n, dt"},
        {{.kernel_path = "k.cl", .entry = "move", .values = text, .value_count = 1}, "'many'"},
        {{.kernel_path = "k.cl", .entry = "move", .values = twice, .value_count = 2},
         "argument 'n' has two values, '1' and '2'"},
        {{.kernel_path = "k.cl", .entry = "move", .dims = 3, .global = {1ull << 32, 1ull << 32, 4}},
         "more than 2^40 work-items"},
        {{.kernel_path = "k.cl", .entry = "move", .global = {100}, .local = {64}}, "is 128"},
        {{.kernel_path = "k.cl", .entry = "move", .dims = 4}, "1 to 3"},
        {{.kernel_path = "k.cl", .entry = "move", .record = "cell"}, "no buffer holds"},
        {{.kernel_path = "k.cl", .entry = "fixed", .local = {32}}, "requires the local size"},
    };
    for (size_t w = 0; w < sizeof wrong / sizeof *wrong; w++) {
        hd_job *job = NULL;
        memset(&f->seen, 0, sizeof f->seen);
        hd_status status = hd_job_from_flags(f->arena, &f->diag, &wrong[w].flags, f->module, &job);
        if (status != HD_EINPUT || f->seen.errors != 1 || job ||
            !strstr(f->seen.text, wrong[w].said) || !*f->seen.file)
            fail_msg("flags %zu: status %d, %u errors: %s", w, status, f->seen.errors,
                     f->seen.text);
    }
}

/* ---- CUDA ---------------------------------------------------------------- */

static const char cuda_module[] =
    "rule blocks rule vector_structs rule named_variables\n"
    "record \"float3\" type \"float3\" size 12 align 4 {\n"
    "    \"x\" \"float\" offset 0 size 4 align 4\n"
    "    \"y\" \"float\" offset 4 size 4 align 4\n"
    "    \"z\" \"float\" offset 8 size 4 align 4\n"
    "}\n"
    "kernel \"k<int>\" {\n"
    "    param \"p\" ptr.global type \"float3 *\" record \"float3\" element 12 of \"float3\"\n"
    "    param \"flag\" i8 type \"bool\" bytes 1\n"
    "    static \"tile\" local dynamic bytes 0 align 4\n"
    "    static \"table\" constant bytes 16 align 4 zero\n"
    "    static \"state\" global bytes 8 align 4 zero\n"
    "b0: ret\n"
    "}\n";

#define CUDA_JOB(launch, args)                                                         \
    "kernel: k.cu\n"                                                                   \
    "buffers: [{name: p, type: float3, count: 5}, {name: t, type: float, count: 4}]\n" \
    "launches:\n"                                                                      \
    "  - {kernel: k<int>, blocks: [2], threads: [4], " launch                          \
    "args: [{name: p, buffer: p}, {name: flag, value: true}" args "]}\n"

static void variables_of_cuda_take_buffers(void **state) {
    fixture *f = *state;
    hd_job *job;
    kir_module *module;
    assert_int_equal(kir_parse(f->arena, &f->diag, "k.kir", cuda_module, &module), HD_OK);
    f->module = module;
    const char *text = CUDA_JOB("shared: 0, ", ", {name: table, buffer: t}");
    assert_int_equal(resolve(f, text, &job), HD_OK);
    const hd_launch *launch = job->launches;
    assert_int_equal(job->buffers[0].element_bytes, 12); /* three floats, unlike OpenCL's */
    assert_int_equal(launch->args[1].value[0], 1);
    assert_int_equal(launch->args[2].param, KIR_NONE);
    assert_int_equal(launch->args[2].variable, 1);
    assert_int_equal(launch->args[2].buffer, 1);
    hd_binding binding = hd_job_binding(f->arena, job, launch);
    assert_true(binding.global[0] == 8 && binding.local[0] == 4 && binding.param_known[1]);
}

static const char ptx_module[] = "rule blocks rule untyped_pointers\n"
                                 "kernel \"k\" {\n"
                                 "    param \"s\" ptr.private type \"char[24]\" bytes 24 value\n"
                                 "    param \"t\" ptr.private type \"char[3]\" bytes 3 value\n"
                                 "b0:\n"
                                 "    %s = param ptr.private 0\n"
                                 "    %a = addr ptr.private %s + 8\n"
                                 "    %b = addr ptr.private %s + 16\n"
                                 "    %c = addr ptr.private %s + 10\n"
                                 "    %y = load i16 %c align 2\n"
                                 "    %x = load f32 %a align 4\n"
                                 "    %n = load i32 %s align 4\n"
                                 "    %v = load i16x2 %b align 4\n"
                                 "    ret\n"
                                 "}\n";

#define PTX_JOB(s, t)                                                         \
    "kernel: k.ptx\nlaunches:\n"                                              \
    "  - {kernel: k, blocks: [2], threads: [4], args: [{name: s, value: \"" s \
    "\"}, {name: t, value: \"" t "\"}]}\n"

/* PTX says how many bytes a struct has: what is loaded of it are its parts, but for what overlaps
 * an earlier one. */
static void structs_of_ptx_have_the_parts_that_are_loaded(void **state) {
    fixture *f = *state;
    hd_job *job;
    kir_module *module;
    assert_int_equal(kir_parse(f->arena, &f->diag, "k.kir", ptx_module, &module), HD_OK);
    f->module = module;
    assert_int_equal(resolve(f, PTX_JOB("-3, 2.5, 4, 65535", "1, 2, 255"), &job), HD_OK);
    const hd_arg *args = job->launches[0].args;
    uint8_t wanted[24] = {0};
    memcpy(wanted, &(const int32_t){-3}, 4);
    memcpy(wanted + 8, &(const float){2.5f}, 4);
    memcpy(wanted + 16, (const uint16_t[]){4, 65535}, 4);
    assert_int_equal(args[0].value_bytes, 24);
    assert_memory_equal(args[0].value, wanted, 24);
    assert_int_equal(args[1].value_bytes, 3);
    assert_memory_equal(args[1].value, ((const uint8_t[]){1, 2, 255}), 3); /* none is loaded */
    assert_int_equal(resolve(f,
                             PTX_JOB("1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, "
                                     "18, 19, 20, 21, 22, 23, 24",
                                     "7"),
                             &job),
                     HD_OK);
    for (uint32_t i = 0; i < 24; i++)
        assert_int_equal(job->launches[0].args[0].value[i], i + 1);
    assert_memory_equal(job->launches[0].args[1].value, ((const uint8_t[]){7, 7, 7}), 3);
    f->seen = (captured){0};
    assert_int_equal(resolve(f, PTX_JOB("1, 2", "0"), &job), HD_EINPUT);
    assert_non_null(strstr(f->seen.text, "takes 4 values, separated by commas: 32 bits at byte 0, "
                                         "32 bits of a float at byte 8, 16 bits at byte 16"));
    assert_non_null(strstr(f->seen.text, "or all of its 24 bytes; there are 2"));
    const hd_job_flags flags = {
        .kernel_path = "k.ptx", .dims = 1, .global = {64, 1, 1}, .local = {64, 1, 1}};
    assert_int_equal(hd_job_from_flags(f->arena, &f->diag, &flags, f->module, &job), HD_OK);
    assert_int_equal(job->launches[0].args[0].value[0], 1);
    assert_memory_equal(job->launches[0].args[0].value + 8, &(const float){1}, 4);
}

/* Of 4996 bytes: a number, 1000 floats that are loaded by an index, 96 pairs of an int and a float, nested
 * in them, and a number. */
static void structs_may_be_large_and_have_arrays(void **state) {
    fixture *f = *state;
    hd_job *job;
    kir_module *module;
    static const char text[] =
        "rule blocks\nrule untyped_pointers\nfile \"k.ptx\"\n"
        "kernel \"k\" { param \"s\" ptr.private type \"char[4996]\" bytes 4996 value\n"
        "b0:\n    %s = param ptr.private 0\n    %zero = const i32 0\n"
        "    %t = query local_id i64 %zero\n    %n = load i32 %s align 4\n"
        "    %w = addr ptr.private %s + %t*4 + 4\n    %x = load f32 %w align 4\n"
        "    %a = addr ptr.private %s + %t*8 + 4004\n    %i = load i32 %a align 4\n"
        "    %b = addr ptr.private %s + %t*8 + 4008\n    %y = load f32 %b align 4\n"
        "    %c = addr ptr.private %s + 4772\n    %z = load i16 %c align 4\n    ret\n}\n";
    assert_int_equal(kir_parse(f->arena, &f->diag, "k.kir", text, &module), HD_OK);
    f->module = module;
    hd_str values = {.arena = f->arena};
    uint8_t wanted[4996] = {0};
    for (uint32_t i = 0; i < 1 + 1000 + 2 * 96 + 1; i++) {
        hd_str_printf(&values, "%s%u", i ? ", " : "", i);
        bool is_float = i && (i <= 1000 || (i < 1193 && i % 2 == 0));
        uint32_t at = i < 1193 ? 4 * i : 4772;
        float real = (float)i;
        memcpy(wanted + at, is_float ? (const void *)&real : &i, i < 1193 ? 4 : 2);
    }
    const char *job_text =
        hd_format(f->arena,
                  "kernel: k.ptx\nlaunches:\n  - {kernel: k, blocks: [1], threads: [4], args: "
                  "[{name: s, value: \"%s\"}]}\n",
                  hd_str_text(&values));
    assert_int_equal(resolve(f, job_text, &job), HD_OK);
    assert_int_equal(job->launches[0].args[0].value_bytes, sizeof wanted);
    assert_memory_equal(job->launches[0].args[0].value, wanted, sizeof wanted);
}

/* Which way a launch gives its size is known when the kernels are. */
static void launches_are_given_as_the_kernel_takes_them(void **state) {
    fixture *f = *state;
    hd_job *job;
    kir_module *module;
    const kir_module *opencl = f->module;
    assert_int_equal(kir_parse(f->arena, &f->diag, "k.kir", cuda_module, &module), HD_OK);
    f->module = module;
    static const char global[] = "kernel: k.kir\nlaunches:\n  - {kernel: k<int>, global: [64]}\n";
    assert_int_equal(resolve(f, global, &job), HD_EINPUT);
    assert_non_null(
        strstr(f->seen.text, "'global' is not for kernels that are launched in blocks"));
    assert_non_null(strstr(f->seen.text, "'blocks' and 'threads'"));
    assert_true(f->seen.errors == 1 && f->seen.line == 3 && f->seen.column == 30);
    f->module = opencl;
    static const char blocks[] =
        "kernel: k.kir\nlaunches:\n  - {kernel: fixed, blocks: [1], threads: [64]}\n";
    f->seen = (captured){0};
    assert_int_equal(resolve(f, blocks, &job), HD_EINPUT);
    assert_non_null(strstr(f->seen.text, "'blocks' is not for kernels that are launched with a"));
    assert_true(f->seen.errors == 1 && f->seen.line == 3 && f->seen.column == 29);
}

static void mistakes_with_cuda_are_one_message(void **state) {
    static const struct {
        const char *text, *said[2];
    } wrong[] = {
        {CUDA_JOB("", ""), {"dynamic shared array 'tile'", "shared: BYTES"}},
        {CUDA_JOB("shared: 64, ", ", {name: table, value: 3}"), {"'table' is given a buffer"}},
        {CUDA_JOB("shared: 64, ", ", {name: state, buffer: t}"), {"'state' has 8 bytes", "16"}},
        {CUDA_JOB("shared: 64, ", ", {name: tile, buffer: t}"), {"no parameter 'tile'"}},
        {CUDA_JOB("shared: 64, ", ", {name: table, buffer: u}"), {"buffer 'u'", "not there"}},
    };
    fixture *f = *state;
    kir_module *module;
    assert_int_equal(kir_parse(f->arena, &f->diag, "k.kir", cuda_module, &module), HD_OK);
    f->module = module;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        hd_job *job;
        f->seen = (captured){0};
        assert_int_equal(resolve(f, wrong[i].text, &job), HD_EINPUT);
        assert_int_equal(f->seen.errors, 1);
        for (size_t s = 0; s < 2 && wrong[i].said[s]; s++)
            if (!strstr(f->seen.text, wrong[i].said[s]))
                fail_msg("'%s' does not say '%s'", f->seen.text, wrong[i].said[s]);
        assert_int_equal(f->seen.line, 4);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(several_records_wait_for_a_choice, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(names_become_indices_and_bytes, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(values_take_the_type_of_their_parameter, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(laid_out_buffers_take_no_offset, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(the_record_is_found_or_asked_for, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(every_mismatch_is_one_located_message, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(flags_make_a_whole_job, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(wrong_flags_are_one_message, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(variables_of_cuda_take_buffers, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(structs_of_ptx_have_the_parts_that_are_loaded,
                                        fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(structs_may_be_large_and_have_arrays, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(launches_are_given_as_the_kernel_takes_them, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(mistakes_with_cuda_are_one_message, fixture_setup,
                                        fixture_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
