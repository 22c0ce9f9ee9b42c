/*
 * Geometric functions of vectors of one to four components, of all sizes, against
 * long double; of ordinary sizes against PoCL, too.
 */
#include "calls.h"

#include <math.h>

typedef long double real;

typedef struct format {
    const char *name, *integer;
    uint32_t bytes;
    int digits, least, greatest; /* exponents of the numbers tried */
    bool on_pocl;
} format;

static const format formats[] = {{"float", "int", 4, 24, -140, 126, true},
                                 {"double", "long", 8, 53, -1060, 1022, true},
                                 {"half", "short", 2, 11, -20, 14, false}};

enum { LENGTH, DISTANCE, DOT, FAST_LENGTH, FAST_DISTANCE, NORMALIZE, FAST_NORMALIZE, CROSS, CALLS };
static const call calls[] = {
    {"(T)(length(x))", 'T', NULL},           {"(T)(distance(x, y))", 'T', NULL},
    {"(T)(dot(x, y))", 'T', NULL},           {"(T)(fast_length(x))", 'T', NULL},
    {"(T)(fast_distance(x, y))", 'T', NULL}, {"normalize(x)", 'T', NULL},
    {"fast_normalize(x)", 'T', NULL},        {"cross(x, y)", 'T', NULL}};

static real read_number(const format *f, const uint8_t *at) {
    float single;
    double full;
    _Float16 half;
    memcpy(f->bytes == 2   ? (void *)&half
           : f->bytes == 4 ? (void *)&single
                           : (void *)&full,
           at, f->bytes);
    return f->bytes == 2 ? (real)(float)half : f->bytes == 4 ? (real)single : (real)full;
}

static bool is_ordinary(uint32_t vector) { return vector % 3 != 0; }

/* Vectors whose components are of about one size; every third is of any size. */
static call_input make_input(const format *f, uint32_t width) {
    call_input in = calls_input_new(f->bytes);
    uint64_t state = width;
    for (uint32_t i = 0; i < CALLS_COUNT; i++) {
        uint64_t pick = (i / width) * 2654435761u;
        int range = f->greatest - f->least, exponent = (int)(pick % 7) - 3;
        if (!is_ordinary(i / width))
            exponent = f->least + (int)(pick / 7 % (uint64_t)range);
        for (uint32_t k = 0; k < 3; k++) {
            double value = ldexp((double)(int64_t)calls_random(&state) * 0x1p-63, exponent);
            value = i / width < 30 && (i + k) % 4 == 0 ? 0 : value;
            float single = (float)value;
            _Float16 half = (_Float16)value;
            memcpy((uint8_t *)calls_operand(&in, f->bytes, k) + (size_t)i * f->bytes,
                   f->bytes == 2   ? (void *)&half
                   : f->bytes == 4 ? (void *)&single
                                   : (void *)&value,
                   f->bytes);
        }
    }
    return in;
}

/* What component j of a call should be, and how large its parts are. */
static real wanted(uint32_t call_number, const real *x, const real *y, uint32_t width, uint32_t j,
                   real *size) {
    real square = 0, apart = 0, product = 0, products = 0;
    for (uint32_t k = 0; k < width; k++) {
        square += x[k] * x[k];
        apart += (x[k] - y[k]) * (x[k] - y[k]);
        product += x[k] * y[k];
        products += fabsl(x[k] * y[k]);
    }
    uint32_t a = (j + 1) % 3, b = (j + 2) % 3;
    switch (call_number) {
    case LENGTH:
    case FAST_LENGTH: return *size = sqrtl(square);
    case DISTANCE:
    case FAST_DISTANCE: return *size = sqrtl(apart);
    case DOT: *size = products; return product;
    case NORMALIZE:
    case FAST_NORMALIZE: return *size = square > 0 ? x[j] / sqrtl(square) : x[j];
    default:
        *size = j < 3 ? fabsl(x[a] * y[b]) + fabsl(x[b] * y[a]) : 0;
        return j < 3 ? x[a] * y[b] - x[b] * y[a] : 0;
    }
}

/* Dot products and cross products of numbers of any size may go beyond the range. */
static bool is_checked(uint32_t call_number, uint32_t vector) {
    return is_ordinary(vector) || (call_number != DOT && call_number != CROSS);
}

/* Slot `slot` of the run has what call k gave. */
static void check_component(const format *f, const call_run *run, uint32_t slot, uint32_t k,
                            uint32_t width, uint32_t i, const real *x, const real *y) {
    real size, want = wanted(k, x, y, width, i % width, &size);
    real least = ldexpl(1, f->bytes == 2 ? -24 : f->bytes == 4 ? -149 : -1074);
    real most = f->bytes == 2 ? 65504 : f->bytes == 4 ? 0x1.fffffep127L : 0x1.fffffffffffffp1023L;
    real limit = 4 * ldexpl(fabsl(size), 1 - f->digits) + least;
    real got = read_number(f, run->machine + (size_t)slot * CALLS_SLOT + (size_t)i * f->bytes);
    bool fits = fabsl(got - want) <= limit || (fabsl(want) > most && isinf(got));
    real other = got;
    if (run->pocl && is_ordinary(i / width))
        other = read_number(f, run->pocl + (size_t)slot * CALLS_SLOT + (size_t)i * f->bytes);
    bool fast = k == FAST_LENGTH || k == FAST_DISTANCE || k == FAST_NORMALIZE;
    if (!fits || fabsl(got - other) > 2 * limit * (fast ? 8192 : 1))
        fail_msg("%s of %s%u, component %u: %La, should be %La, on PoCL %La", calls[k].text,
                 f->name, width, i, got, want, other);
}

static void check_width(const format *f, uint32_t width, call_mode mode) {
    call_input in = make_input(f, width);
    call own[CALLS];
    uint32_t which[CALLS], count = 0;
    for (uint32_t k = 0; k < CALLS; k++) {
        bool fast = k == FAST_LENGTH || k == FAST_DISTANCE || k == FAST_NORMALIZE;
        if ((fast && f->bytes != 4) || (k == CROSS && width < 3))
            continue; /* there is none */
        own[count] = calls[k];
        which[count++] = k;
    }
    call_plan plan = {.type = f->name,
                      .bytes = f->bytes,
                      .integer = f->integer,
                      .calls = own,
                      .count = count,
                      .prelude = "",
                      .width = width,
                      .mode = mode};
    call_run run;
    calls_run(&run, &plan, &in, f->on_pocl && mode == CALLS_PLAIN);
    calls_check_operands(&run, &plan, &in);
    for (uint32_t i = 0; i < CALLS_COUNT / width * width; i++) {
        real x[4], y[4];
        for (uint32_t j = 0; j < width; j++) {
            size_t at = (size_t)(i / width * width + j) * f->bytes;
            x[j] = read_number(f, (uint8_t *)calls_operand(&in, f->bytes, 0) + at);
            y[j] = read_number(f, (uint8_t *)calls_operand(&in, f->bytes, 1) + at);
        }
        for (uint32_t k = 0; k < plan.count && !(mode == CALLS_DIVERGENT && i / width % 3 == 1);
             k++)
            if (is_checked(which[k], i / width))
                check_component(f, &run, k, which[k], width, i, x, y);
    }
    hd_sample_close(&run.sample);
    if (mode == CALLS_DIVERGENT)
        calls_check_loop(plan, &in);
    free(in.data);
}

static void lengths_and_products(void **state) {
    (void)state;
    for (size_t f = 0; f < 3; f++)
        for (uint32_t width = 1; width <= 4; width++)
            check_width(&formats[f], width, CALLS_PLAIN);
}

static void of_equal_operands_and_in_few_lanes(void **state) {
    (void)state;
    check_width(&formats[0], 3, CALLS_UNIFORM);
    check_width(&formats[0], 4, CALLS_DIVERGENT);
    check_width(&formats[1], 4, CALLS_UNIFORM);
    check_width(&formats[1], 3, CALLS_DIVERGENT);
    check_width(&formats[2], 3, CALLS_DIVERGENT);
}

/* The specification: an infinite component points where its sign does. */
static void directions_of_infinite_vectors(void **state) {
    (void)state;
    call_input in = calls_input_new(4);
    float *x = calls_operand(&in, 4, 0);
    const float start[] = {INFINITY, 1, -INFINITY, 0, -INFINITY, 2,     0, 0,
                           NAN,      1, 1,         1, 0,         -0.0f, 0, 0};
    memcpy(x, start, sizeof start);
    call_plan plan = {.type = "float",
                      .bytes = 4,
                      .integer = "int",
                      .calls = &calls[NORMALIZE],
                      .count = 1,
                      .prelude = "",
                      .width = 4};
    call_run run;
    calls_run(&run, &plan, &in, false);
    const float half = sqrtf(0.5f);
    const float *got = (const float *)(const void *)run.machine;
    const float want[] = {half, 0, -half, 0, -1, 0, 0, 0};
    for (uint32_t j = 0; j < 8; j++)
        assert_true(fabsf(got[j] - want[j]) < 1e-6f);
    for (uint32_t j = 8; j < 12; j++)
        assert_true(isnan(got[j]));
    for (uint32_t j = 12; j < 16; j++)
        assert_true(got[j] == 0);
    hd_sample_close(&run.sample);
    free(in.data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lengths_and_products),
        cmocka_unit_test(of_equal_operands_and_in_few_lanes),
        cmocka_unit_test(directions_of_infinite_vectors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
