/*
 * PTX's mma in all its shapes and types, ldmatrix, stmatrix and movmatrix: matrices are dealt out to
 * the lanes as PTX ISA lists their elements, and the result is compared with the product
 * taken element by element.
 */
#include "kir_calls.h"

#include <math.h>

#include "oracle/mma.h"

enum { WARP = 32, WARPS = 2, LANES = WARP * WARPS };

/* ---- types of elements ------------------------------------------------------------ */

typedef struct element {
    const char *name;
    uint32_t bits, precision; /* precision 0: a whole number */
    int bias;                 /* of floats */
} element;

static const element types[] = {{"f16", 16, 11, 15},  {"bf16", 16, 8, 127}, {"tf32", 32, 11, 127},
                                {"e4m3", 8, 4, 7},    {"e5m2", 8, 3, 15},   {"s8", 8, 0, 0},
                                {"u8", 8, 0, 0},      {"f32", 32, 24, 127}, {"s32", 32, 0, 0},
                                {"f64", 64, 53, 1023}};

static const element *type_of(const char *name, size_t length) {
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strlen(types[i].name) == length && !strncmp(types[i].name, name, length))
            return &types[i];
    fail_msg("no type %s", name);
    return NULL;
}

/* Of a number that the type has, and that is not subnormal. */
static uint64_t encode(const element *t, double x) {
    if (!t->precision)
        return (uint64_t)(int64_t)x & (UINT64_MAX >> (64 - t->bits));
    if (x == 0)
        return 0;
    uint32_t precision = strcmp(t->name, "tf32") ? t->precision : 24; /* as it stands */
    int exponent;
    double part = frexp(fabs(x), &exponent);
    uint64_t digits = (uint64_t)ldexp(part, (int)precision);
    uint64_t bits = ((uint64_t)(exponent - 2 + t->bias) << (precision - 1)) + digits;
    return bits | (uint64_t)(x < 0) << (t->bits - 1);
}

static double round_to(const element *t, long double x) {
    return t->bits == 16 ? (double)(_Float16)(double)x : t->bits == 32 ? (float)x : (double)x;
}

/* ---- one call --------------------------------------------------------------------- */

typedef struct shape {
    const char *name;
    uint32_t m, k;
    const element *a, *b, *c;
    bool saturates, is_whole; /* operands are small whole numbers */
} shape;

/* The bits of a fragment, each lane's registers side by side. */
typedef struct fragment {
    uint32_t per_lane; /* elements */
    uint32_t bits, width, registers;
    uint64_t data[LANES * 8];
} fragment;

static fragment fragment_of(const element *t, uint32_t count) {
    fragment f = {.per_lane = count / WARP, .bits = t->bits, .width = t->bits == 64 ? 64 : 32};
    f.registers = f.per_lane * f.bits / f.width;
    return f;
}

static void put(fragment *f, uint32_t lane, uint32_t i, uint64_t bits) {
    uint32_t each = f->width / f->bits, at = lane * f->registers + i / each;
    uint64_t moved = bits << i % each * f->bits;
    if (f->width == 64)
        f->data[at] = bits;
    else
        ((uint32_t *)f->data)[at] |= (uint32_t)moved;
}

static uint64_t get(const fragment *f, uint32_t lane, uint32_t i) {
    uint32_t each = f->width / f->bits, at = lane * f->registers + i / each;
    uint64_t value = f->width == 64 ? f->data[at] : ((const uint32_t *)f->data)[at];
    return value >> i % each * f->bits & (UINT64_MAX >> (64 - f->bits));
}

static const char *type_text(hd_arena *arena, const fragment *f, bool is_float) {
    const char *scalar = hd_format(arena, "%c%u", is_float ? 'f' : 'i', f->width);
    return f->registers == 1 ? scalar : hd_format(arena, "%sx%u", scalar, f->registers);
}

/* Each lane loads its registers from a, b and c, and stores d. */
static const char *text_of(hd_arena *arena, const shape *s, const fragment *fragments) {
    static const char *const names[] = {"a", "b", "c", "d"};
    hd_str t = {.arena = arena};
    const char *of[4];
    for (uint32_t n = 0; n < 4; n++)
        of[n] = type_text(arena, &fragments[n < 2 ? n : 2],
                          s->a->bits == 64 || (n > 1 && !strcmp(s->c->name, "f32")));
    hd_str_add(&t, "; kir\nrule returned_arrive\nfile \"k.cu\"\nkernel \"k\" {\n");
    for (uint32_t n = 0; n < 4; n++)
        hd_str_printf(&t, "  param \"%s\" ptr.global element 8 of \"long\"\n", names[n]);
    hd_str_add(&t, "b0:\n");
    for (uint32_t n = 0; n < 4; n++)
        hd_str_printf(&t, "  %%p%u = param ptr.global %u\n", n, n);
    hd_str_add(&t, "  %zero = const i32 0\n  %i = query global_id i64 %zero\n");
    for (uint32_t n = 0; n < 4; n++) {
        const fragment *f = &fragments[n < 2 ? n : 2];
        hd_str_printf(&t, "  %%q%u = addr ptr.global %%p%u + %%i*%u\n", n, n,
                      f->registers * f->width / 8);
        if (n < 3)
            hd_str_printf(&t, "  %%x%u = load %s %%q%u align 4\n", n, of[n], n);
    }
    hd_str_printf(&t,
                  "  %%r = call \"%s\" %s %%x0, %%x1, %%x2\n  store %%r, %%q3 align 4\n"
                  "  ret\n}\n",
                  s->name, of[3]);
    return hd_str_text(&t);
}

static double factor(const element *t, bool is_whole, uint64_t *seed) {
    uint64_t x = call_random(seed);
    if (!t->precision)
        return strcmp(t->name, "u8") ? (double)(int64_t)(x % 256) - 128 : (double)(x % 256);
    if (is_whole)
        return (double)(x % 9) - 4;
    uint64_t digits = (x >> 8 & ((1u << (t->precision < 11 ? t->precision : 11)) - 1)) | 1;
    double size =
        ldexp((double)digits, (int)(x % 5) - (int)(t->precision < 11 ? t->precision : 11));
    size = fabs(size) < ldexp(1, 2 - t->bias) ? 1 : size;
    return x >> 60 & 1 ? -size : size;
}

static double summand(const shape *s, uint64_t *seed) {
    uint64_t x = call_random(seed);
    if (!strcmp(s->c->name, "s32"))
        return x % 4 == 0   ? INT32_MAX - (double)(x >> 8 & 0xfff)
               : x % 4 == 1 ? INT32_MIN + (double)(x >> 8 & 0xfff)
                            : (double)(int32_t)(x >> 8);
    return s->is_whole ? (double)(x % 101) - 50
                       : ldexp((double)(x >> 8 & 0x3ff), -6) * (x >> 60 & 1 ? -1 : 1);
}

static uint64_t expected(const shape *s, long double sum) {
    if (strcmp(s->c->name, "s32"))
        return encode(s->c, round_to(s->c, sum));
    if (s->saturates)
        sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
    return (uint32_t)(int64_t)sum;
}

static void check(const shape *s) {
    static double a[WARPS][16][32], b[WARPS][32][8], c[WARPS][16][8];
    fragment f[4] = {fragment_of(s->a, s->m * s->k), fragment_of(s->b, s->k * 8),
                     fragment_of(s->c, s->m * 8), fragment_of(s->c, s->m * 8)};
    uint64_t seed = s->k + s->m;
    for (uint32_t lane = 0; lane < LANES; lane++) {
        uint32_t w = lane / WARP;
        for (uint32_t i = 0; i < f[0].per_lane; i++) {
            oracle_place at = oracle_of_a(s->m, s->k, s->a->bits, lane % WARP, i);
            double x = a[w][at.row][at.column] = factor(s->a, s->is_whole, &seed);
            /* Of tf32 what stands below its ten bits does not count. */
            uint64_t below = strcmp(s->a->name, "tf32") ? 0 : call_random(&seed) & 0x1fff;
            put(&f[0], lane, i, encode(s->a, x) | (x == 0 ? 0 : below));
        }
        for (uint32_t i = 0; i < f[1].per_lane; i++) {
            oracle_place at = oracle_of_b(s->k, s->b->bits, lane % WARP, i);
            put(&f[1], lane, i,
                encode(s->b, b[w][at.row][at.column] = factor(s->b, s->is_whole, &seed)));
        }
        for (uint32_t i = 0; i < f[2].per_lane; i++) {
            oracle_place at = oracle_of_c(lane % WARP, i);
            put(&f[2], lane, i, encode(s->c, c[w][at.row][at.column] = summand(s, &seed)));
        }
    }
    hd_arena *arena = hd_arena_new();
    void *const contents[] = {f[0].data, f[1].data, f[2].data, f[3].data};
    machine k;
    machine_run_kir(&k, text_of(arena, s, f), contents, LANES * 8, LANES, LANES);
    if (k.status)
        fail_msg("%s: %s", s->name, hd_str_text(&k.messages));
    memcpy(f[3].data, hd_vm_contents(k.vm, 3), sizeof f[3].data);
    for (uint32_t lane = 0; lane < LANES; lane++)
        for (uint32_t i = 0; i < f[3].per_lane; i++) {
            oracle_place at = oracle_of_c(lane % WARP, i);
            uint32_t w = lane / WARP;
            uint64_t want =
                expected(s, oracle_product((const double(*)[32])a[w], (const double(*)[8])b[w],
                                           (const double(*)[8])c[w], s->k, at.row, at.column));
            uint64_t got = get(&f[3], lane, i), none = UINT64_C(1) << (s->c->bits - 1);
            if (got != want && !(s->c->precision && (got & ~none) == 0 && (want & ~none) == 0))
                fail_msg("%s: element %u of lane %u is 0x%llx, should be 0x%llx", s->name, i, lane,
                         (unsigned long long)got, (unsigned long long)want);
        }
    machine_close(&k);
    hd_arena_free(arena);
}

/* Every name of docs/kir.md's table. */
static const char *const names[] = {
    "m16n8k8_f32_f16",    "m16n8k8_f16_f16",        "m16n8k16_f32_f16",
    "m16n8k16_f16_f16",   "m16n8k8_f32_bf16",       "m16n8k16_f32_bf16",
    "m16n8k4_f32_tf32",   "m16n8k8_f32_tf32",       "m16n8k32_f32_e4m3",
    "m16n8k32_f16_e5m2",  "m16n8k32_f32_e4m3_e5m2", "m16n8k32_f16_e5m2_e4m3",
    "m16n8k16_f32_e4m3",  "m16n8k16_f16_e5m2_e4m3", "m8n8k16_s32_s8",
    "m8n8k16_s32_u8_s8",  "m16n8k16_s32_s8",        "m16n8k16_s32_u8",
    "m16n8k32_s32_s8",    "m16n8k32_s32_u8",        "m16n8k32_s32_s8_u8",
    "m16n8k32_s32_u8_s8", "m16n8k32_s32_s8_sat",    "m16n8k16_s32_u8_s8_sat",
    "m8n8k16_s32_u8_sat", "m8n8k4_f64_f64",         "m16n8k4_f64_f64",
    "m16n8k8_f64_f64",    "m16n8k16_f64_f64"};

static shape shape_of(const char *name, char *full, size_t size) {
    shape s = {.name = full};
    snprintf(full, size, "mma_%s", name);
    assert_int_equal(sscanf(name, "m%un8k%u", &s.m, &s.k), 2);
    const char *c = strchr(name, '_') + 1, *a = strchr(c, '_') + 1;
    size_t length = strcspn(a, "_");
    const char *b = a[length] && strcmp(a + length, "_sat") ? a + length + 1 : a;
    s.c = type_of(c, strcspn(c, "_"));
    s.a = type_of(a, length);
    s.b = type_of(b, strcspn(b, "_"));
    s.saturates = strstr(name, "_sat") != NULL;
    return s;
}

static void products(void **state) {
    (void)state;
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        char full[64];
        shape s = shape_of(names[n], full, sizeof full);
        s.is_whole = true;
        check(&s);
        s.is_whole = false;
        /* Sums of long double are exact for all but these. */
        if (s.a->bits < 64)
            check(&s);
    }
}

/* ---- matrices in shared memory ---------------------------------------------------- */

typedef struct loads {
    uint32_t accesses, lanes;
} loads;

static void hear(void *stream, const hd_event *e) {
    loads *l = stream;
    l->accesses++;
    l->lanes += e->active;
}

static void *open_block(void *self, uint64_t block) {
    (void)block;
    return self;
}

/* Each lane stores its registers to rows of %out 64 bytes apart, lane l's address is that of row
 * (7 l) mod 32 of its warp. */
static void check_store(uint32_t count, bool transposed) {
    static uint32_t in[LANES * 16], out[LANES * 16];
    void *const contents[] = {in, out};
    uint64_t seed = count;
    for (uint32_t i = 0; i < LANES * 16; i++) {
        in[i] = (uint32_t)call_random(&seed);
        out[i] = 0;
    }
    const char *trans = transposed ? "_trans" : "";
    hd_arena *arena = hd_arena_new();
    const char *type = count == 1 ? "i32" : hd_format(arena, "i32x%u", count);
    machine k;
    machine_run_kir(
        &k,
        hd_format(arena,
                  "; kir\nrule returned_arrive\nfile \"k.cu\"\nkernel \"k\" {\n"
                  "  param \"in\" ptr.global element 4 of \"int\"\n"
                  "  param \"out\" ptr.global element 4 of \"int\"\nb0:\n"
                  "  %%in = param ptr.global 0\n  %%out = param ptr.global 1\n"
                  "  %%zero = const i32 0\n  %%seven = const i64 7\n  %%last = const i64 31\n"
                  "  %%i = query local_id i64 %%zero\n  %%m = mul i64 %%i, %%seven\n"
                  "  %%n = and i64 %%m, %%last\n  %%l = and i64 %%i, %%last\n"
                  "  %%w = sub i64 %%i, %%l\n  %%pi = addr ptr.global %%in + %%i*%u\n"
                  "  %%x = load %s %%pi align 4\n"
                  "  %%po = addr ptr.global %%out + %%n*64 + %%w*64\n"
                  "  call \"stmatrix_x%u%s\" %%po, %%x\n  ret\n}\n",
                  4 * count, type, count, trans),
        contents, LANES * 16, LANES, LANES);
    if (k.status)
        fail_msg("%s", hd_str_text(&k.messages));
    const uint16_t *got = hd_vm_contents(k.vm, 1);
    for (uint32_t lane = 0; lane < LANES; lane++)
        for (uint32_t n = 0; n < count; n++)
            for (uint32_t half = 0; half < 2; half++) {
                uint32_t row = lane % WARP / 4, column = lane % 4 * 2 + half;
                uint32_t at = 8 * n + (transposed ? column : row);
                uint32_t to = lane / WARP * WARP + at * 7 % 32;
                assert_int_equal(got[to * 32 + (transposed ? row : column)],
                                 in[lane * count + n] >> 16 * half & 0xffff);
            }
    machine_close(&k);
    hd_arena_free(arena);
}

/* Rows stand in shared memory 48 bytes apart; lane l gives the address of row (7 l) mod 32. */
static const char *text_of_load(hd_arena *arena, const char *name, uint32_t count,
                                const char *branch) {
    const char *type = count == 1 ? "i32" : hd_format(arena, "i32x%u", count);
    return hd_format(
        arena,
        "; kir\nrule returned_arrive\nfile \"k.cu\"\nkernel \"k\" {\n"
        "  param \"in\" ptr.global element 4 of \"int\"\n"
        "  param \"out\" ptr.global element 4 of \"int\"\n"
        "  static \"rows\" local bytes 4096 align 16\nb0:\n"
        "  %%in = param ptr.global 0\n  %%out = param ptr.global 1\n  %%rows = static ptr.local 0\n"
        "  %%zero = const i32 0\n  %%seven = const i64 7\n  %%last = const i64 31\n"
        "  %%flags = const i32 0\n  %%few = const i64 20\n"
        "  %%i = query local_id i64 %%zero\n"
        "  %%pi = addr ptr.global %%in + %%i*48\n  %%pr = addr ptr.local %%rows + %%i*48\n"
        "  %%x = load i32x4 %%pi align 4\n  store %%x, %%pr align 4\n  barrier %%flags\n"
        "  %%short = icmp ult i1 %%i, %%few\n"
        "%s"
        "  %%m = mul i64 %%i, %%seven\n  %%n = and i64 %%m, %%last\n"
        "  %%pa = addr ptr.local %%rows + %%n*48\n"
        "  %%r = call \"%s\" %s %%pa\n"
        "  %%po = addr ptr.global %%out + %%i*%u\n  store %%r, %%po align 4\n  ret\n%s}\n",
        branch, name, type, 4 * count, *branch ? "b2:\n  ret\n" : "");
}

static void check_load(uint32_t count, bool transposed) {
    static uint32_t in[LANES * 12], out[LANES * 12];
    void *const contents[] = {in, out};
    uint64_t seed = count;
    for (uint32_t i = 0; i < LANES * 12; i++)
        in[i] = (uint32_t)call_random(&seed);
    char name[32];
    snprintf(name, sizeof name, "ldmatrix_x%u%s", count, transposed ? "_trans" : "");
    hd_arena *arena = hd_arena_new();
    machine k;
    machine_run_kir(&k, text_of_load(arena, name, count, ""), contents, LANES * 12, LANES, LANES);
    if (k.status)
        fail_msg("%s: %s", name, hd_str_text(&k.messages));
    const uint32_t *got = hd_vm_contents(k.vm, 1);
    for (uint32_t lane = 0; lane < LANES; lane++)
        for (uint32_t n = 0; n < count; n++)
            for (uint32_t half = 0; half < 2; half++) {
                uint32_t row = lane % WARP / 4, column = lane % 4 * 2 + half;
                uint32_t of = lane / WARP * WARP + 8 * n + (transposed ? column : row);
                const uint16_t *from = (const uint16_t *)(in + of * 7 % 32 * 12);
                uint32_t want = from[transposed ? row : column];
                assert_int_equal(got[lane * count + n] >> 16 * half & 0xffff, want);
            }
    /* Heard as a load of the rows' lanes. */
    loads heard = {0};
    const hd_sink sink = {.self = &heard, .open_block = open_block, .event = hear};
    assert_int_equal(hd_vm_run(k.vm, 0, &sink, NULL), HD_OK);
    assert_int_equal(heard.accesses, 4); /* load, store, ldmatrix, store */
    assert_int_equal(heard.lanes, 3 * LANES + WARPS * 8 * count);
    machine_close(&k);
    hd_arena_free(arena);
}

static void matrices_from_shared_memory(void **state) {
    (void)state;
    for (uint32_t count = 1; count <= 4; count *= 2) {
        check_load(count, false);
        check_load(count, true);
    }
}

static void matrices_to_memory(void **state) {
    (void)state;
    for (uint32_t count = 1; count <= 4; count *= 2) {
        check_store(count, false);
        check_store(count, true);
    }
}

static void transposing(void **state) {
    (void)state;
    static uint32_t in[LANES], out[LANES];
    const void *const pointers[] = {in};
    const kir_call call = {"movmatrix_trans", "i32", {"i32"}, false};
    for (uint32_t i = 0; i < LANES; i++) /* 256 warp + 16 row + column, in both halves */
        in[i] = (i / 32 * 256 + i % 32 / 4 * 16 + i % 4 * 2) * 0x10001 + 0x10000;
    call_run(&call, CALL_BY_ALL, LANES, pointers, out);
    for (uint32_t i = 0; i < LANES; i++)
        assert_int_equal(out[i], (i / 32 * 256 + i % 4 * 2 * 16 + i % 32 / 4) * 0x10001 + 0x100000);
}

/* ---- faults ----------------------------------------------------------------------- */

static void expect_failure(const char *text, uint32_t lanes, const char *wanted) {
    static uint32_t in[LANES * 12], out[LANES * 12];
    void *const contents[] = {in, out};
    machine k;
    machine_run_kir(&k, text, contents, LANES * 12, lanes, lanes);
    assert_int_not_equal(k.status, HD_OK);
    if (!strstr(hd_str_text(&k.messages), wanted))
        fail_msg("%s", hd_str_text(&k.messages));
    machine_close(&k);
}

static void lanes_that_are_missing(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    const char *part = "  condbr %short, b1, b2\nb1:\n";
    expect_failure(text_of_load(arena, "ldmatrix_x1", 1, part), LANES,
                   "ldmatrix_x1 is made by all 32 threads of a warp together, and lane 20");
    expect_failure(text_of_load(arena, "ldmatrix_x2", 2, ""), 48, "launch blocks of whole warps");
    expect_failure(text_of_load(arena, "mma_m16n8k7_f32_f16", 1, ""), LANES,
                   "the machine has no mma_m16n8k7_f32_f16");
    expect_failure(text_of_load(arena, "ldmatrix_x2", 1, ""), LANES, "has 2 i32 in each lane");
    expect_failure(text_of_load(arena, "mma_m16n8k8_f32_f16", 4, ""), LANES,
                   "mma_m16n8k8_f32_f16 has operands of 2, 1 and 4 registers");
    hd_arena_free(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products), cmocka_unit_test(matrices_from_shared_memory),
        cmocka_unit_test(matrices_to_memory), cmocka_unit_test(transposing),
        cmocka_unit_test(lanes_that_are_missing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
