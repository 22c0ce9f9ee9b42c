/*
 * The functions that CUDA C has beyond OpenCL C's: against oracles computed another way,
 * and by the names that a call has in kir.
 */
#include "machine.h"

#include <math.h>

#include "machine/math_scalar.h"

typedef long double real;
__extension__ typedef __float128 wide;

static uint64_t random_bits(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* Uniform in [low, high). */
static double between(uint64_t *state, double low, double high) {
    return low + (double)(random_bits(state) >> 11) * 0x1p-53 * (high - low);
}

static void assert_near(const char *what, double x, double got, real want, double ulps) {
    if ((isnan(got) && isnan(want)) || (real)got == want)
        return;
    int exponent;
    frexpl(want, &exponent);
    if (!(fabsl(got - want) <= ulps * ldexpl(1, (exponent < -1021 ? -1021 : exponent) - 53)))
        fail_msg("%s(%a): %a, should be %La", what, x, got, want);
}

/* ---- the error function and its family -------------------------------------------- */

/* exp(x * x) erfc(x) for x >= 2, by the continued fraction x + 1/2 / (x + 1 / (x + 3/2 ...)). */
static real fraction_erfcx(real x) {
    real value = x;
    for (int k = 200; k > 0; k--)
        value = x + k / 2.0L / value;
    return 1 / (value * sqrtl(M_PIl));
}

static void erfcx_far_out(void **state) {
    (void)state;
    uint64_t seed = 1;
    for (int i = 0; i < 2000; i++) {
        double x = i % 2 ? between(&seed, 2, 60) : ldexp(between(&seed, 2, 4), i % 1000);
        assert_near("erfcx", x, vm_erfcx(x), fraction_erfcx(x), 2);
    }
    for (int i = 0; i < 1000; i++) {
        double x = between(&seed, -20, 2);
        assert_near("erfcx", x, vm_erfcx(x), expl((real)x * x) * erfcl(x), 4);
    }
    assert_true(vm_erfcx(INFINITY) == 0 && isinf(vm_erfcx(-INFINITY)) && isnan(vm_erfcx(NAN)));
}

/* The inverse of f at y is x when f(x) is y, as near as a step of x allows. */
static void assert_inverse(const char *what, double y, double x, real back, real slope) {
    real step = ldexpl(fabsl(x) > 0 ? fabsl(x) : ldexpl(1, -1074), -52);
    if (!(fabsl(back - y) <= 2 * fabsl(slope) * step + ldexpl(fabsl(y), -60)))
        fail_msg("%s(%a) = %a leads back to %La", what, y, x, back);
}

static void inverses_lead_back(void **state) {
    (void)state;
    uint64_t seed = 2;
    for (int i = 0; i < 4000; i++) {
        double y = i % 2 ? between(&seed, -1, 1) : ldexp(between(&seed, -1, 1), -(i % 900));
        real x = vm_erfinv(y), slope = 2 / sqrtl(M_PIl) * expl(-x * x);
        assert_inverse("erfinv", y, (double)x, erfl(x), slope);
        y = fabs(y) + (i % 4 == 1 && fabs(y) < 1 ? 1 : 0);
        if (y == 0)
            continue;
        x = vm_erfcinv(y);
        assert_inverse("erfcinv", y, (double)x, erfcl(x), 2 / sqrtl(M_PIl) * expl(-x * x));
        y /= 2;
        x = vm_normcdfinv(y);
        assert_inverse("normcdfinv", y, (double)x, erfcl(-x / sqrtl(2)) / 2,
                       expl(-x * x / 2) / sqrtl(2 * M_PIl));
        assert_near("normcdf", (double)x, vm_normcdf((double)x), erfcl(-x / sqrtl(2)) / 2, 2);
    }
    assert_true(isinf(vm_erfinv(1)) && vm_erfinv(-1) < 0 && isnan(vm_erfinv(1.5)));
    assert_true(isinf(vm_erfcinv(0)) && vm_erfcinv(2) < 0 && isnan(vm_erfcinv(-1)));
    assert_true(vm_erfcinv(1) == 0 && vm_normcdfinv(0.5) == 0 && isnan(vm_normcdfinv(2)));
    assert_true(vm_erfinv(-0.0) == 0 && signbit(vm_erfinv(-0.0)));
}

/* ---- Bessel functions and lengths ------------------------------------------------- */

/* The mean of exp(x cos t) cos(n t) over half a turn; the trapezoid rule is exact as soon as
 * its steps are fine enough. */
static real mean_bessel(real x, int n) {
    enum { STEPS = 400 };
    real sum = 0;
    for (int k = 0; k <= STEPS; k++) {
        real t = M_PIl * k / STEPS, value = expl(x * cosl(t)) * cosl(n * t);
        sum += k == 0 || k == STEPS ? value / 2 : value;
    }
    return sum / STEPS;
}

static void modified_bessel_functions(void **state) {
    (void)state;
    uint64_t seed = 3;
    for (int i = 0; i < 500; i++) {
        double x = between(&seed, 1, i % 2 ? 10 : 600);
        assert_near("cyl_bessel_i0", x, vm_cyl_bessel_i0(x), mean_bessel(x, 0), 3);
        assert_near("cyl_bessel_i1", x, vm_cyl_bessel_i1(x), mean_bessel(x, 1), 4);
        assert_near("cyl_bessel_i1", -x, vm_cyl_bessel_i1(-x), -mean_bessel(x, 1), 4);
    }
    assert_true(vm_cyl_bessel_i0(0) == 1 && vm_cyl_bessel_i1(0) == 0);
    assert_near("cyl_bessel_i1", 1e-300, vm_cyl_bessel_i1(1e-300), 5e-301L, 2);
    assert_true(isinf(vm_cyl_bessel_i0(3000)) && vm_cyl_bessel_i1(-INFINITY) < 0);
}

static void lengths_of_all_sizes(void **state) {
    (void)state;
    uint64_t seed = 4;
    for (int i = 0; i < 2000; i++) {
        int scale = (int)(random_bits(&seed) % 2000) - 1000;
        real x[4];
        for (int k = 0; k < 4; k++)
            x[k] = ldexp(between(&seed, -1, 1), scale);
        real two = hypotl(x[0], x[1]), three = hypotl(two, x[2]), four = hypotl(three, x[3]);
        assert_near("rhypot", (double)x[0], vm_rhypot((double)x[0], (double)x[1]), 1 / two, 2);
        assert_near("norm3d", (double)x[0], vm_norm3d((double)x[0], (double)x[1], (double)x[2]),
                    three, 2);
        assert_near("rnorm3d", (double)x[0], vm_rnorm3d((double)x[0], (double)x[1], (double)x[2]),
                    1 / three, 2);
        assert_near("norm4d", (double)x[0],
                    vm_norm4d((double)x[0], (double)x[1], (double)x[2], (double)x[3]), four, 2);
        assert_near("rnorm4d", (double)x[0],
                    vm_rnorm4d((double)x[0], (double)x[1], (double)x[2], (double)x[3]), 1 / four,
                    2);
        real root = 1 / vm_rcbrt((double)x[0]);
        assert_true(fabsl(root * root * root / x[0] - 1) < 1e-15L);
    }
    assert_true(isinf(vm_norm3d(1, -INFINITY, NAN)) && vm_rnorm4d(INFINITY, 0, 0, 0) == 0);
}

/* ---- calls in kir ----------------------------------------------------------------- */

enum { COUNT = 512 };

typedef enum operand_type { F32, F64, I32, I64 } operand_type;
static const char *const type_names[] = {"f32", "f64", "i32", "i64"};
static uint32_t type_bytes(operand_type t) { return t % 2 ? 8 : 4; }

/* Runs COUNT calls of one function with operands x, y, z and w of one type. */
static void run_call(machine *k, const char *name, operand_type from, operand_type to,
                     uint32_t arity, const void *operands) {
    hd_arena *arena = hd_arena_new();
    hd_str s = {.arena = arena};
    uint32_t bytes = type_bytes(from);
    hd_str_printf(&s, "; kir\nrule printf_counts\nfile \"k.cu\"\nkernel \"k\" {\n"
                      "  param \"in\" ptr.global type \"int *\" element 4 of \"int\"\n"
                      "  param \"out\" ptr.global type \"int *\" element 4 of \"int\"\nb0:\n"
                      "  %%in = param ptr.global 0\n  %%out = param ptr.global 1\n"
                      "  %%zero = const i32 0\n  %%i = query global_id i64 %%zero\n");
    for (uint32_t n = 0; n < 4; n++)
        hd_str_printf(&s,
                      "  %%p%u = addr ptr.global %%in + %%i*%u + %u\n"
                      "  %%x%u = load %s %%p%u align %u\n",
                      n, 4 * bytes, n * bytes, n, type_names[from], n, bytes);
    hd_str_printf(&s, "  %%r = call \"%s\" %s ", name, type_names[to]);
    for (uint32_t n = 0; n < arity; n++)
        hd_str_printf(&s, "%s%%x%u", n ? ", " : "", n);
    hd_str_printf(&s,
                  "\n  %%o = addr ptr.global %%out + %%i*%u\n  store %%r, %%o align %u\n  ret\n}\n",
                  type_bytes(to), type_bytes(to));
    const machine_buffer buffers[] = {{"in", COUNT * 4 * bytes / 4, operands},
                                      {"out", COUNT * type_bytes(to) / 4, NULL}};
    machine_run(k, hd_str_text(&s), buffers, 2, COUNT, 64);
    if (k->status)
        fail_msg("%s", hd_str_text(&k->messages));
    hd_arena_free(arena);
}

static double number_at(operand_type t, const void *at, uint32_t i) {
    return t == F32 ? ((const float *)at)[i] : ((const double *)at)[i];
}

static void put_number(operand_type t, void *at, uint32_t i, double value) {
    if (t == F32)
        ((float *)at)[i] = (float)value;
    else
        ((double *)at)[i] = value;
}

/* ---- other directions of rounding ------------------------------------------------- */

/* The sign of what the operation gives exactly, less r. */
typedef int compare_fn(const double *x, double r);

static int sign_of(wide x) { return x > 0 ? 1 : x < 0 ? -1 : 0; }

/* a + b + c without error, as far as the sign is concerned. */
static int sign_of_sum(wide a, wide b, wide c) {
    wide sum = a + b, part = sum - a, rest = (a - (sum - part)) + (b - part);
    return sum + c != 0 ? sign_of(sum + c + rest) : sign_of(rest);
}

static int compare_add(const double *x, double r) { return sign_of_sum(x[0], x[1], -(wide)r); }
static int compare_sub(const double *x, double r) {
    return sign_of_sum(x[0], -(wide)x[1], -(wide)r);
}
static int compare_mul(const double *x, double r) { return sign_of((wide)x[0] * x[1] - r); }
static int compare_div(const double *x, double r) {
    return sign_of((wide)x[0] - (wide)r * x[1]) * (x[1] < 0 ? -1 : 1);
}
static int compare_fma(const double *x, double r) {
    return sign_of_sum((wide)x[0] * x[1], x[2], -(wide)r);
}
static int compare_sqrt(const double *x, double r) { return sign_of((wide)x[0] - (wide)r * r); }

static double next(operand_type t, double r, double towards) {
    return t == F32 ? nextafterf((float)r, (float)towards) : nextafter(r, towards);
}

/* Is r the operation's result rounded in direction 'u', 'd' or 'z'? */
static bool is_rounded(operand_type t, char direction, compare_fn *compare, const double *x,
                       double r) {
    bool up = direction == 'u' || (direction == 'z' && compare(x, 0) < 0);
    if (compare(x, r) == 0)
        return true;
    return up ? compare(x, r) < 0 && compare(x, next(t, r, -INFINITY)) > 0
              : compare(x, r) > 0 && compare(x, next(t, r, INFINITY)) < 0;
}

static void check_rounding(const char *name, operand_type t, char direction, uint32_t arity,
                           compare_fn *compare) {
    double operands[COUNT * 4];
    uint64_t seed = (uint64_t)direction;
    for (uint32_t i = 0; i < COUNT * 4; i++) {
        double value = ldexp(between(&seed, -1, 1), (int)(random_bits(&seed) % 40) - 20);
        put_number(t, operands, i, compare == compare_sqrt ? fabs(value) : value);
    }
    machine k;
    char full[16];
    snprintf(full, sizeof full, "%s_r%c", name, direction);
    run_call(&k, full, t, t, arity, operands);
    for (uint32_t i = 0; i < COUNT; i++) {
        double x[4], r = number_at(t, machine_ints(&k, 1), i);
        for (uint32_t n = 0; n < 4; n++)
            x[n] = number_at(t, operands, 4 * i + n);
        if (!is_rounded(t, direction, compare, x, r))
            fail_msg("%s of %a, %a, %a in %s: %a", full, x[0], x[1], x[2], type_names[t], r);
    }
    machine_close(&k);
}

static void arithmetic_in_other_directions(void **state) {
    (void)state;
    for (operand_type t = F32; t <= F64; t++)
        for (const char *d = "uzd"; *d; d++) {
            check_rounding("add", t, *d, 2, compare_add);
            check_rounding("sub", t, *d, 2, compare_sub);
            check_rounding("mul", t, *d, 2, compare_mul);
            check_rounding("div", t, *d, 2, compare_div);
            check_rounding("fma", t, *d, 3, compare_fma);
            check_rounding("sqrt", t, *d, 1, compare_sqrt);
        }
}

static int compare_same(const double *x, double r) { return sign_of((wide)x[0] - r); }

/* The exact value of operand 0 as an integer. */
static wide exact;
static int compare_exact(const double *x, double r) {
    (void)x;
    return sign_of(exact - (wide)r);
}

static wide integer_at(operand_type from, bool is_unsigned, const uint8_t *at) {
    int32_t narrow;
    int64_t full;
    memcpy(&narrow, at, 4);
    memcpy(&full, at, type_bytes(from));
    if (from == I32)
        return is_unsigned ? (wide)(uint32_t)narrow : (wide)narrow;
    return is_unsigned ? (wide)(uint64_t)full : (wide)full;
}

static void check_conversion(operand_type from, bool is_unsigned, operand_type to, const char *mode,
                             char direction) {
    uint64_t operands[COUNT * 4];
    uint64_t seed = 9;
    for (uint32_t i = 0; i < COUNT * 4; i++)
        operands[i] = random_bits(&seed);
    if (from == F64)
        for (uint32_t i = 0; i < COUNT * 4; i++)
            put_number(F64, operands, i, ldexp(between(&seed, -1, 1), (int)(i % 60) - 30));
    machine k;
    char name[40];
    snprintf(name, sizeof name, "%sconvert_%s_%s", is_unsigned ? "u_" : "",
             to == F32 ? "float" : "double", mode);
    run_call(&k, name, from, to, 1, operands);
    for (uint32_t i = 0; i < COUNT; i++) {
        const uint8_t *at = (const uint8_t *)operands + (size_t)i * 4 * type_bytes(from);
        double x = 0, r = number_at(to, machine_ints(&k, 1), i);
        memcpy(&x, at, type_bytes(from));
        exact = from == F64 ? 0 : integer_at(from, is_unsigned, at);
        compare_fn *compare = from == F64 ? compare_same : compare_exact;
        if (!is_rounded(to, direction, compare, &x, r))
            fail_msg("%s of number %u, %s: %a", name, i, type_names[from], r);
    }
    machine_close(&k);
}

static void conversions_in_other_directions(void **state) {
    (void)state;
    static const char *const names[] = {"rtz", "rtp", "rtn"};
    for (int n = 0; n < 3; n++) {
        char direction = "zud"[n];
        check_conversion(F64, false, F32, names[n], direction);
        for (int is_unsigned = 0; is_unsigned < 2; is_unsigned++) {
            check_conversion(I32, is_unsigned, F32, names[n], direction);
            check_conversion(I64, is_unsigned, F32, names[n], direction);
            check_conversion(I64, is_unsigned, F64, names[n], direction);
        }
    }
}

/* ---- the rest by name ------------------------------------------------------------- */

typedef struct special {
    const char *name;
    uint32_t arity;
    double (*one)(double);
    double (*more)(const double *x);
} special;

static double of_rhypot(const double *x) { return vm_rhypot(x[0], x[1]); }
static double of_norm3d(const double *x) { return vm_norm3d(x[0], x[1], x[2]); }
static double of_rnorm3d(const double *x) { return vm_rnorm3d(x[0], x[1], x[2]); }
static double of_norm4d(const double *x) { return vm_norm4d(x[0], x[1], x[2], x[3]); }
static double of_rnorm4d(const double *x) { return vm_rnorm4d(x[0], x[1], x[2], x[3]); }

static const special specials[] = {{"j0", 1, j0, NULL},
                                   {"j1", 1, j1, NULL},
                                   {"y0", 1, y0, NULL},
                                   {"y1", 1, y1, NULL},
                                   {"cyl_bessel_i0", 1, vm_cyl_bessel_i0, NULL},
                                   {"cyl_bessel_i1", 1, vm_cyl_bessel_i1, NULL},
                                   {"erfinv", 1, vm_erfinv, NULL},
                                   {"erfcinv", 1, vm_erfcinv, NULL},
                                   {"erfcx", 1, vm_erfcx, NULL},
                                   {"normcdf", 1, vm_normcdf, NULL},
                                   {"normcdfinv", 1, vm_normcdfinv, NULL},
                                   {"rcbrt", 1, vm_rcbrt, NULL},
                                   {"rhypot", 2, NULL, of_rhypot},
                                   {"norm3d", 3, NULL, of_norm3d},
                                   {"rnorm3d", 3, NULL, of_rnorm3d},
                                   {"norm4d", 4, NULL, of_norm4d},
                                   {"rnorm4d", 4, NULL, of_rnorm4d}};

static void calls_reach_their_functions(void **state) {
    (void)state;
    for (size_t f = 0; f < sizeof specials / sizeof *specials; f++)
        for (operand_type t = F32; t <= F64; t++) {
            double operands[COUNT * 4];
            uint64_t seed = f;
            for (uint32_t i = 0; i < COUNT * 4; i++)
                put_number(t, operands, i, between(&seed, 0, 1));
            machine k;
            run_call(&k, specials[f].name, t, t, specials[f].arity, operands);
            for (uint32_t i = 0; i < COUNT; i++) {
                double x[4], want;
                for (uint32_t n = 0; n < 4; n++)
                    x[n] = number_at(t, operands, 4 * i + n);
                want = specials[f].one ? specials[f].one(x[0]) : specials[f].more(x);
                want = t == F32 ? (float)want : want;
                assert_true(number_at(t, machine_ints(&k, 1), i) == want);
            }
            machine_close(&k);
        }
}

static void bytes_and_bits_in_other_orders(void **state) {
    (void)state;
    uint32_t operands[COUNT * 4];
    uint64_t wide_operands[COUNT * 4], seed = 12;
    for (uint32_t i = 0; i < COUNT * 4; i++) {
        operands[i] = (uint32_t)random_bits(&seed);
        wide_operands[i] = random_bits(&seed);
    }
    machine permuted, reversed, long_reversed;
    run_call(&permuted, "byte_perm", I32, I32, 3, operands);
    run_call(&reversed, "bit_reverse", I32, I32, 1, operands);
    run_call(&long_reversed, "bit_reverse", I64, I64, 1, wide_operands);
    for (uint32_t i = 0; i < COUNT; i++) {
        uint8_t bytes[8];
        memcpy(bytes, operands + 4 * i, 8);
        uint32_t permutation = 0, mirrored = 0, selector = operands[4 * i + 2];
        uint64_t mirrored64 = 0;
        for (uint32_t n = 0; n < 4; n++)
            permutation |= (uint32_t)bytes[selector >> 4 * n & 7] << 8 * n;
        for (uint32_t n = 0; n < 32; n++)
            mirrored |= (operands[4 * i] >> n & 1) << (31 - n);
        for (uint32_t n = 0; n < 64; n++)
            mirrored64 |= (wide_operands[4 * i] >> n & 1) << (63 - n);
        assert_int_equal((uint32_t)machine_ints(&permuted, 1)[i], permutation);
        assert_int_equal((uint32_t)machine_ints(&reversed, 1)[i], mirrored);
        assert_true(((const uint64_t *)(const void *)machine_ints(&long_reversed, 1))[i] ==
                    mirrored64);
    }
    machine_close(&permuted);
    machine_close(&reversed);
    machine_close(&long_reversed);
}

/* jn and yn take their order first. */
static void orders_of_bessel_functions(void **state) {
    (void)state;
    static const char text[] =
        "; kir\nrule printf_counts\nfile \"k.cu\"\nkernel \"k\" {\n"
        "  param \"out\" ptr.global type \"int *\" element 4 of \"int\"\nb0:\n"
        "  %%out = param ptr.global 0\n  %%n = const i32 3\n  %%x = const f32 2.5\n"
        "  %%r = call \"%s\" f32 %%n, %%x !7:3\n  store %%r, %%out align 4\n  ret\n}\n";
    const machine_buffer buffers[] = {{"out", 1, NULL}};
    hd_arena *arena = hd_arena_new();
    const double want[] = {jn(3, 2.5), yn(3, 2.5)};
    for (int f = 0; f < 2; f++) {
        machine k;
        machine_run(&k, hd_format(arena, text, f ? "yn" : "jn"), buffers, 1, 1, 1);
        assert_int_equal(k.status, HD_OK);
        assert_true(number_at(F32, machine_ints(&k, 0), 0) == (float)want[f]);
        machine_close(&k);
    }
    hd_arena_free(arena);
}

/* A call that fits no function is refused at its place. */
static void calls_that_fit_no_function_are_refused(void **state) {
    (void)state;
    static const char *const calls[] = {"\"no_such\" f32 %x",  "\"sqrt\" i32 %n",
                                        "\"sqrt\" f32 %x, %x", "\"pow\" f32 %x, %d",
                                        "\"warp_all\" i32 %n", "\"mul_hi\" i32 %n, %x"};
    hd_arena *arena = hd_arena_new();
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        machine k;
        machine_run(&k,
                    hd_format(arena,
                              "; kir\nfile \"k.cl\"\nkernel \"k\" {\nb0:\n"
                              "  %%n = const i32 3\n  %%x = const f32 2.5\n"
                              "  %%d = const f64 1\n  %%r = call %s !7:3\n  ret\n}\n",
                              calls[i]),
                    NULL, 0, 1, 1);
        if (k.status != HD_EUNSUPPORTED ||
            !strstr(hd_str_text(&k.messages),
                    "7:3: the machine does not know the built-in function"))
            fail_msg("%s: %d, %s", calls[i], k.status, hd_str_text(&k.messages));
        machine_close(&k);
    }
    hd_arena_free(arena);
}

/* An assertion and a trap end the run, with the text and the place. */
static void assertions_and_traps_are_faults(void **state) {
    (void)state;
    static const char *const calls[][2] = {
        {"call \"assert_fail\" %text, %text, %one, %text !4:9",
         "4:9: the assertion 'x < 3' does not hold"},
        {"call \"trap\" !5:2", "5:2: the kernel ends itself here (a trap)"}};
    hd_arena *arena = hd_arena_new();
    for (int i = 0; i < 2; i++) {
        machine k;
        machine_run(
            &k,
            hd_format(arena,
                      "; kir\nrule printf_counts\nfile \"k.cu\"\nkernel \"k\" {\n"
                      "  static \"text\" constant bytes 6 align 1 init \"78203c203300\"\nb0:\n"
                      "  %%text = static ptr.constant 0\n  %%one = const i32 1\n"
                      "  %s\n  ret\n}\n",
                      calls[i][0]),
            NULL, 0, 8, 8);
        assert_int_equal(k.status, HD_EINPUT);
        if (!strstr(hd_str_text(&k.messages), calls[i][1]))
            fail_msg("%s", hd_str_text(&k.messages));
        machine_close(&k);
    }
    hd_arena_free(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(erfcx_far_out),
        cmocka_unit_test(inverses_lead_back),
        cmocka_unit_test(modified_bessel_functions),
        cmocka_unit_test(lengths_of_all_sizes),
        cmocka_unit_test(arithmetic_in_other_directions),
        cmocka_unit_test(conversions_in_other_directions),
        cmocka_unit_test(calls_reach_their_functions),
        cmocka_unit_test(bytes_and_bits_in_other_orders),
        cmocka_unit_test(orders_of_bessel_functions),
        cmocka_unit_test(calls_that_fit_no_function_are_refused),
        cmocka_unit_test(assertions_and_traps_are_faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
