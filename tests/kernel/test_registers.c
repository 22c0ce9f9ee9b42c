/* Registers of a thread: what takes some, in which order operations run, and what ptxas makes of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "kernels.h"
#include "random_flow.h"

static void tell(const hd_message *message, void *user) {
    (void)user;
    print_message("%u:%u: %s\n", message->place.line, message->place.column, message->text);
}
static const hd_diag diag = {tell, NULL};

/* Of a kernel with this body: a thread's own number is %i, `in` and `out` are pointers. */
static uint32_t registers_on(const hd_device *device, const char *qualifiers, const char *body) {
    hd_arena *arena = hd_arena_new();
    const char *text = hd_format(
        arena,
        "kernel \"k\" {\n    param \"in\" ptr.global bytes 8%s\n    param \"out\" ptr.global bytes "
        "8\n"
        "    param \"n\" i32 bytes 4\n    static \"tile\" local bytes 4096 align 4\n"
        "b0:\n  %%in = param ptr.global 0\n  %%out = param ptr.global 1\n  %%n = param i32 2\n"
        "  %%tile = static ptr.local 0\n  %%z = const i32 0\n  %%one = const i32 1\n"
        "  %%two = const f32 2.0\n  %%u = undef f32x4\n  %%i = query local_id i32 %%z\n%s  "
        "ret\n}\n",
        qualifiers, body);
    kir_module *module = NULL;
    assert_int_equal(kir_parse(arena, &diag, "test.kir", text, &module), HD_OK);
    const kir_kernel *kernel = module->kernels[0];
    const uint32_t registers = hd_kernel_registers(kernel, hd_flow_analyse(arena, kernel), device);
    hd_arena_free(arena);
    return registers;
}

static uint32_t registers_of(const char *qualifiers, const char *body) {
    return registers_on(NULL, qualifiers, body);
}

/* `count` loads through one address, which are added one by one; `between` stands behind each. */
static char *sum(hd_arena *arena, uint32_t count, const char *between) {
    hd_str body = {.arena = arena};
    hd_str_add(&body, "  %a = addr ptr.global %out + %i*4\n  %s0 = bitcast f32 %two\n");
    for (uint32_t k = 0; k < count; k++)
        hd_str_printf(&body,
                      "  %%p%u = addr ptr.global %%in + %%i*4 + %u\n  %%x%u = load f32 %%p%u\n"
                      "  %%s%u = fadd f32 %%s%u, %%x%u\n%s",
                      k, 4096 * k, k, k, k + 1, k, k, between);
    hd_str_printf(&body, "  store %%s%u, %%a\n", count);
    return body.data;
}

static void what_costs_nothing(void **state) {
    (void)state;
    const uint32_t nothing = registers_of("", "");
    assert_int_equal(nothing, 4); /* the stack pointer and the hardware's, even */
    /* Parameters, sizes, the block's place: uniform. */
    const char *uniform = "  %g = query group_id i32 %z\n  %l = query local_size i32 %z\n"
                          "  %m = mul i32 %g, %l\n  %s = add i32 %m, %n\n"
                          "  %p = addr ptr.global %in + 8\n  store %s, %p\n";
    const char *constant = "  %p = addr ptr.global %in + 8\n  store %one, %p\n";
    assert_int_equal(registers_of("", uniform), registers_of("", constant));
    /* Comparisons are predicates, casts their operands. */
    const char *plain = "  %p = addr ptr.global %in + %i*4\n  %x = load f32 %p\n  store %x, %p\n";
    const char *more = "  %w = sext i64 %i\n  %p = addr ptr.global %in + %w*4\n  %x = load f32 %p\n"
                       "  %y = bitcast i32 %x\n  %c = icmp slt i1 %y, %n\n  store %x, %p\n";
    assert_int_equal(registers_of("", plain), registers_of("", more));
    assert_int_equal(registers_of("", plain), 8); /* an address, a number */
}

static void loads_go_first(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    /* All eight are under way at once, though the sum needs one after the other. */
    const uint32_t eight = registers_of("", sum(arena, 8, "")),
                   two = registers_of("", sum(arena, 2, ""));
    assert_true(eight >= two + 6);
    /* Unless a store may change what is loaded next, */
    const char *store = "  store %two, %a\n";
    assert_true(registers_of("", sum(arena, 8, store)) < eight - 4);
    /* which it may not where the pointer is restrict, */
    assert_true(registers_of(" restrict", sum(arena, 8, store)) + 2 >= eight);
    /* or all threads wait for each other. */
    const char *barrier = "  barrier %one\n";
    assert_true(registers_of(" restrict", sum(arena, 8, barrier)) < eight - 4);
    hd_arena_free(arena);
}

static void not_for_fewer_threads(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    assert_int_equal(registers_of("", sum(arena, 24, "")), 32);
    assert_int_equal(registers_of("", sum(arena, 60, "")), 32);
    /* An SM with more of them for a thread gives more. */
    static const uint32_t threads[] = {2048, 1536, 1024};
    static const uint32_t most[] = {32, 42, 64};
    for (size_t k = 0; k < sizeof threads / sizeof *threads; k++) {
        const hd_device device = {.max_threads = threads[k], .registers = 65536};
        assert_int_equal(registers_on(&device, "", sum(arena, 60, "")), most[k]);
    }
    /* All are needed at the end: 40 and more live, whatever the order. */
    hd_str body = {.arena = arena};
    for (uint32_t k = 0; k < 40; k++)
        hd_str_printf(&body,
                      "  %%p%u = addr ptr.global %%in + %%i*4 + %u\n  %%x%u = load f32 %%p%u\n", k,
                      4 * k, k, k);
    hd_str_add(&body, "  barrier %one\n");
    for (uint32_t k = 0; k < 40; k++)
        hd_str_printf(&body, "  store %%x%u, %%p%u\n", k, 39 - k);
    assert_int_equal(registers_of("", body.data), 48);
    hd_arena_free(arena);
}

static void lanes_live_for_themselves(void **state) {
    (void)state;
    const char *first_lane = "  %p = addr ptr.global %in + %i*16\n  %v = load f32x4 %p\n"
                             "  barrier %one\n  %x = extract f32 %v, %z\n  store %x, %p\n";
    const char *all = "  %p = addr ptr.global %in + %i*16\n  %v = load f32x4 %p\n"
                      "  barrier %one\n  store %v, %p\n";
    const char *doubles = "  %p = addr ptr.global %in + %i*32\n  %v = load f64x4 %p\n"
                          "  barrier %one\n  store %v, %p\n";
    assert_true(registers_of("", first_lane) <= registers_of("", all));
    assert_int_equal(registers_of("", doubles), registers_of("", all) + 4);
    /* Putting lanes into a vector takes none. */
    const char *put = "  %p = addr ptr.global %in + %i*16\n"
                      "  %x = load f32 %p\n  barrier %one\n  %v = insert f32x4 %u, %x, %z\n"
                      "  store %v, %p\n";
    const char *one = "  %p = addr ptr.global %in + %i*16\n  %x = load f32 %p\n  barrier %one\n"
                      "  store %x, %p\n";
    assert_int_equal(registers_of("", put), registers_of("", one));
}

static void addresses_are_shared(void **state) {
    (void)state;
    const char *fields =
        "  %p = addr ptr.global %in + %i*16\n  %q = addr ptr.global %in + %i*16 + 8\n"
        "  %x = load f32 %p\n  barrier %one\n  store %x, %q\n";
    const char *two = "  %p = addr ptr.global %in + %i*16\n  %q = addr ptr.global %out + %i*16\n"
                      "  %x = load f32 %p\n  barrier %one\n  store %x, %q\n  store %x, %p\n";
    assert_true(registers_of("", fields) < registers_of("", two));
    /* In shared memory one has 32 bits. */
    const char *near = "  %p = addr ptr.local %tile + %i*16\n  %q = addr ptr.local %tile + %i*4\n"
                       "  %x = load f32 %p\n  barrier %one\n  store %x, %q\n  store %x, %p\n";
    assert_true(registers_of("", near) < registers_of("", two));
}

/* for (j = 0; j < n; j++) sum += in[ROW + j] for several rows, each a pointer that is kept. */
static char *rows(hd_arena *arena, uint32_t count) {
    hd_str body = {.arena = arena};
    hd_str_add(&body, "  br loop\nloop:\n  %j = phi i32 [%z, b0], [%next, loop]\n"
                      "  %s0 = phi f32 [%two, b0], [%all, loop]\n");
    for (uint32_t k = 0; k < count; k++)
        hd_str_printf(&body,
                      "  %%p%u = addr ptr.global %%in + %%i*%u + %%j*4\n  %%x%u = load f32 %%p%u\n"
                      "  %%s%u = fadd f32 %%s%u, %%x%u\n  barrier %%one\n",
                      k, 8 * k + 8, k, k, k + 1, k, k);
    hd_str_printf(&body,
                  "  %%all = fadd f32 %%s%u, %%two\n  %%next = add i32 %%j, %%one\n"
                  "  %%c = icmp slt i1 %%next, %%n\n  condbr %%c, loop, done\ndone:\n"
                  "  %%o = addr ptr.global %%out + %%i*4\n  store %%all, %%o\n",
                  count);
    return body.data;
}

static void pointers_stay_in_loops(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    assert_true(registers_of("", rows(arena, 4)) >= registers_of("", rows(arena, 2)) + 4);
    hd_arena_free(arena);
}

/* if (i < n) sum += in[...]; six times. */
static char *conditional_sum(hd_arena *arena, const char *in_arm) {
    hd_str body = {.arena = arena};
    hd_str_add(&body, "  %c = icmp slt i1 %i, %n\n  condbr %c, y0, t0\n");
    for (uint32_t k = 0; k < 6; k++) {
        hd_str_printf(
            &body,
            "y%u:\n  %%p%u = addr ptr.global %%in + %%i*4 + %u\n  %%x%u = load f32 %%p%u\n"
            "  %%s%u = fadd f32 %%r%u, %%x%u\n%s  br t%u\n",
            k, k, 4096 * k, k, k, k, k, k, in_arm, k);
        hd_str_printf(&body, "t%u:\n  %%r%u = phi f32 [%%s%u, y%u], [%%r%u, %s]\n", k, k + 1, k, k,
                      k, k ? hd_format(arena, "t%u", k - 1) : "b0");
        if (k < 5)
            hd_str_printf(&body, "  condbr %%c, y%u, t%u\n", k + 1, k + 1);
    }
    hd_str_add(&body, "  %o = addr ptr.global %out + %i*4\n  store %r6, %o\n");
    return hd_format(arena, "  %%p = addr ptr.global %%in + %%i*4 + 4\n  %%r0 = load f32 %%p\n%s",
                     body.data);
}

static void short_branches_are_predicates(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    /* As many loads are under way as without the conditions, */
    const uint32_t all = registers_of("", sum(arena, 6, ""));
    assert_in_range(registers_of("", conditional_sum(arena, "")), all - 2, all + 2);
    /* but where an arm waits for other threads there is a jump. */
    assert_true(registers_of("", conditional_sum(arena, "  fence %one\n")) + 4 < all);
    hd_arena_free(arena);
}

static void functions_need_more(void **state) {
    (void)state;
    const char *body = "  %%p = addr ptr.global %%in + %%i*8\n  %%x = load %s %%p\n"
                       "  %%y = load %s %%p\n%s  store %%f, %%p\n";
    hd_arena *arena = hd_arena_new();
    const struct {
        const char *type, *plain, *costly;
        uint32_t more;
    } cases[] = {
        {"f32", "  %f = fmul f32 %x, %y\n", "  %f = fdiv f32 %x, %y\n", 4},
        {"f64", "  %f = fmul f64 %x, %y\n", "  %f = fdiv f64 %x, %y\n", 8},
        {"f32", "  %f = fmul f32 %x, %y\n", "  %f = call \"sin\" f32 %x\n", 8},
        {"i32", "  %f = mul i32 %x, %y\n", "  %f = srem i32 %x, %y\n", 2},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const char *type = cases[k].type;
        const uint32_t plain = registers_of("", hd_format(arena, body, type, type, cases[k].plain));
        const uint32_t costly =
            registers_of("", hd_format(arena, body, type, type, cases[k].costly));
        assert_true(costly >= plain + cases[k].more);
    }
    assert_int_equal(registers_of("", "  %f = call \"printf\" i32 %n\n"), 24);
    hd_arena_free(arena);
}

/* Cycles of all kinds, and blocks that nothing reaches. */
static void any_flow_has_some(void **state) {
    (void)state;
    uint32_t random = 5;
    for (int round = 0; round < 300; round++) {
        hd_arena *arena = hd_arena_new();
        const kir_kernel *kernel = random_kernel(arena, &random, round % 2);
        const uint32_t registers =
            hd_kernel_registers(kernel, hd_flow_analyse(arena, kernel), NULL);
        assert_in_range(registers, 4, 255);
        hd_arena_free(arena);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_costs_nothing),
        cmocka_unit_test(loads_go_first),
        cmocka_unit_test(not_for_fewer_threads),
        cmocka_unit_test(lanes_live_for_themselves),
        cmocka_unit_test(addresses_are_shared),
        cmocka_unit_test(pointers_stay_in_loops),
        cmocka_unit_test(short_branches_are_predicates),
        cmocka_unit_test(functions_need_more),
        cmocka_unit_test(any_flow_has_some),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
