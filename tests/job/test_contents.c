/* The initial contents of buffers, and numbers as bytes. */
#include <math.h>

#include "job/fixture.h"

typedef struct body {
    float x, y;
    float pad[2];
    float v[4];
    int id;
    short d[3];
    unsigned char flag;
    uint16_t h;
} body;

static void *contents_of(fixture *f, const char *buffer) {
    hd_job *job;
    const char *text = hd_format(f->arena,
                                 "kernel: k.cl\nlaunches: [{kernel: fixed, global: [64], "
                                 "args: [{name: a, buffer: a}]}]\nbuffers:\n"
                                 "  - {name: a, type: float, count: 64}\n  - %s\n",
                                 buffer);
    assert_int_equal(fixture_read(f, text, &job), HD_OK);
    if (hd_job_resolve(f->arena, &f->diag, job, f->module) != HD_OK)
        fail_msg("%s", f->seen.text);
    void *bytes = NULL;
    assert_int_equal(hd_job_contents(f->arena, &f->diag, &job->buffers[1], &bytes), HD_OK);
    return bytes;
}

static void generators_fill_fields(void **state) {
    fixture *f = *state;
    assert_int_equal(sizeof(body), 48);
    const body *b = contents_of(
        f,
        "{name: b, type: body, count: 5, init: [{field: pos, generator: iota, low: 10, step: "
        "0.5},\n"
        "     {field: v, generator: constant, low: 2}, {field: d, generator: modulo, high: 4, low: "
        "-1},\n"
        "     {field: \"d[1]\", generator: constant, low: 77}, {field: id, generator: permutation, "
        "seed: 3},\n"
        "     {field: h, generator: constant, low: 1.5}]}");
    unsigned seen = 0;
    for (int e = 0; e < 5; e++) {
        assert_true(b[e].x == 10 + 0.5f * (2 * e) && b[e].y == 10 + 0.5f * (2 * e + 1));
        assert_true(b[e].v[0] == 2 && b[e].v[3] == 2 && b[e].flag == 0);
        assert_int_equal(b[e].d[0], 3 * e % 4 - 1);
        assert_int_equal(b[e].d[1], 77);
        assert_int_equal(b[e].d[2], (3 * e + 2) % 4 - 1);
        assert_int_equal(b[e].h, 0x3e00);
        seen |= 1u << b[e].id;
    }
    assert_int_equal(seen, 31);
}

static void buffers_start_as_zeros(void **state) {
    fixture *f = *state;
    const unsigned char *bytes = contents_of(f, "{name: b, type: double3, count: 7}");
    for (int i = 0; i < 7 * 32; i++)
        assert_int_equal(bytes[i], 0);
}

/* The first outputs of SplitMix64 from the seed 1234567. */
static void random_numbers_are_those_of_splitmix64(void **state) {
    fixture *f = *state;
    const uint64_t *bits = contents_of(f, "{name: b, type: ulong, count: 3, init: [{generator: "
                                          "uniform, low: 0, high: 18446744073709549568, seed: "
                                          "1234567}]}");
    const uint64_t expected[] = {6457827717110365317u, 3203168211198807973u, 9817491932198370423u};
    for (int i = 0; i < 3; i++)
        assert_true(bits[i] == expected[i]);
    const double *u = contents_of(
        f, "{name: b, type: double, count: 2, init: [{generator: uniform, seed: 1234567}]}");
    assert_true(u[0] == (double)(expected[0] >> 11) * 0x1p-53);
    assert_true(u[1] == (double)(expected[1] >> 11) * 0x1p-53);
}

static void uniform_stays_inside_its_bounds(void **state) {
    fixture *f = *state;
    const float *x =
        contents_of(f, "{name: b, type: float3, count: 1000, init: [{generator: uniform, "
                       "low: -2, high: 3, seed: 9}]}");
    double sum = 0;
    for (int e = 0; e < 1000; e++) {
        for (int lane = 0; lane < 3; lane++) {
            assert_true(x[4 * e + lane] >= -2 && x[4 * e + lane] < 3);
            sum += x[4 * e + lane];
        }
        assert_true(x[4 * e + 3] == 0);
    }
    assert_true(fabs(sum / 3000 - 0.5) < 0.2);
    const signed char *c = contents_of(f, "{name: b, type: char, count: 4000, init: [{generator: "
                                          "uniform, low: -3, high: 3, seed: 9}]}");
    unsigned seen = 0;
    for (int e = 0; e < 4000; e++) {
        assert_true(c[e] >= -3 && c[e] <= 3);
        seen |= 1u << (c[e] + 3);
    }
    assert_int_equal(seen, 127);
    const float *edge = contents_of(f, "{name: b, type: float, count: 2000, init: [{generator: "
                                       "uniform, low: 1, high: 1.0000001, seed: 1}]}");
    for (int e = 0; e < 2000; e++)
        assert_true(edge[e] >= 1 && edge[e] < 1.0000001f);
}

static void files_are_taken_as_they_are(void **state) {
    fixture *f = *state;
    const float numbers[] = {1, -2, 3.25f, 1e30f};
    fixture_write(f, "raw.bin", numbers, sizeof numbers);
    const void *bytes = contents_of(f, "{name: b, type: float2, count: 2, file: raw.bin}");
    assert_memory_equal(bytes, numbers, sizeof numbers);
}

static void half_numbers_round_to_nearest_even(void **state) {
    (void)state;
    const kir_type half = {.kind = KIR_FLOAT, .bits = 16, .lanes = 1};
    const struct {
        double value;
        uint16_t bits;
    } known[] = {{0, 0},
                 {-0.0, 0x8000},
                 {1, 0x3c00},
                 {-2, 0xc000},
                 {65504, 0x7bff},
                 {65519, 0x7bff},
                 {65520, 0x7c00},
                 {1e9, 0x7c00},
                 {0x1p-14, 0x400},
                 {0x1p-24, 1},
                 {0x1p-25, 0},
                 {0x1.8p-24, 2},
                 {0.1, 0x2e66},
                 {2049, 0x6800},
                 {2051, 0x6802},
                 {0x1.ff8p-15, 0x3ff},
                 {0x1.ffcp-15, 0x400}};
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        uint16_t bits;
        hd_type_put(half, known[k].value, &bits);
        if (bits != known[k].bits)
            fail_msg("%a is %04x, not %04x", known[k].value, bits, known[k].bits);
    }
    for (unsigned bits = 0; bits < 0x10000; bits++) {
        uint16_t in = (uint16_t)bits, out;
        double value = hd_type_get(half, true, &in);
        hd_type_put(half, value, &out);
        assert_true(isnan(value) ? (out & 0x7c00) == 0x7c00 && (out & 0x3ff) : in == out);
    }
}

static void type_names_are_known(void **state) {
    (void)state;
    const struct {
        const char *name;
        uint8_t kind, bits, lanes;
        bool is_signed;
    } known[] = {{"float", KIR_FLOAT, 32, 1, true},
                 {"const float4", KIR_FLOAT, 32, 4, true},
                 {"uint", KIR_INT, 32, 1, false},
                 {"unsigned int", KIR_INT, 32, 1, false},
                 {"unsigned", KIR_INT, 32, 1, false},
                 {"unsigned long", KIR_INT, 64, 1, false},
                 {"unsigned long int", KIR_INT, 64, 1, false},
                 {"long long", KIR_INT, 64, 1, true},
                 {"signed char", KIR_INT, 8, 1, true},
                 {"uchar16", KIR_INT, 8, 16, false},
                 {"half2", KIR_FLOAT, 16, 2, true},
                 {"size_t", KIR_INT, 64, 1, false},
                 {"float __attribute__((ext_vector_type(4)))", KIR_FLOAT, 32, 4, true},
                 {"unsigned int __attribute__((ext_vector_type(2)))", KIR_INT, 32, 2, false}};
    kir_type type;
    bool is_signed;
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        assert_true(hd_type_parse(known[k].name, &type, &is_signed));
        assert_true(type.kind == known[k].kind && type.bits == known[k].bits &&
                    type.lanes == known[k].lanes && is_signed == known[k].is_signed);
    }
    static const char *const unknown[] = {"",         "float5",  "float1",     "struct body",
                                          "float x",  "uint04",  "float *",    "unsigned float",
                                          "float4x4", "int int", "double four"};
    for (size_t u = 0; u < sizeof unknown / sizeof *unknown; u++)
        if (hd_type_parse(unknown[u], &type, &is_signed))
            fail_msg("'%s' is no type", unknown[u]);
}

static void numbers_print_as_they_parse(void **state) {
    fixture *f = *state;
    const struct {
        kir_type type;
        bool is_signed;
        const char *text;
    } known[] = {{{KIR_INT, 64, 1, 0}, true, "-9223372036854775808"},
                 {{KIR_INT, 64, 1, 0}, false, "18446744073709551615"},
                 {{KIR_INT, 8, 1, 0}, true, "-128"},
                 {{KIR_FLOAT, 32, 1, 0}, true, "0.1"},
                 {{KIR_FLOAT, 32, 1, 0}, true, "16777217e1"},
                 {{KIR_FLOAT, 64, 1, 0}, true, "0.1"},
                 {{KIR_FLOAT, 16, 1, 0}, true, "0.5"}};
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        uint64_t bytes = 0, again = 0;
        assert_true(hd_type_parse_value(known[k].type, known[k].is_signed, known[k].text, &bytes));
        const char *text = hd_type_print(f->arena, known[k].type, known[k].is_signed, &bytes);
        assert_true(hd_type_parse_value(known[k].type, known[k].is_signed, text, &again));
        assert_true(bytes == again && strlen(text) <= strlen(known[k].text) + 3);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(generators_fill_fields, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(buffers_start_as_zeros, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(random_numbers_are_those_of_splitmix64, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(uniform_stays_inside_its_bounds, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(files_are_taken_as_they_are, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test(half_numbers_round_to_nearest_even),
        cmocka_unit_test(type_names_are_known),
        cmocka_unit_test_setup_teardown(numbers_print_as_they_parse, fixture_setup,
                                        fixture_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
