/*
 * What PTX asks of the machine beside arithmetic, by its names in kir: numbered barriers,
 * vprintf, the heap, the clock, spaces of addresses, and atomics of halves.
 */
#include "machine.h"

#include <math.h>

enum { WARP = 32, MOST_LANES = 256, COUNT = 1024 };

/* One kernel in kir: `statics` and `body` of a kernel whose %out is a buffer of COUNT longs, %i
 * the thread's number in its block, and whose constants %c0 ... %c256 are what their names say. */
static void run_with(machine *k, uint32_t global, uint32_t threads, hd_vm_options options,
                     const char *statics, const char *body) {
    static int64_t zeros[COUNT];
    void *const contents[] = {zeros};
    hd_arena *arena = hd_arena_new();
    const char *text = hd_format(
        arena,
        "; kir\nrule returned_arrive\nfile \"k.cu\"\nkernel \"k\" {\n"
        "  param \"out\" ptr.global element 8 of \"long\"\n%s\nb0:\n"
        "  %%out = param ptr.global 0\n"
        "  %%c0 = const i32 0\n  %%c1 = const i32 1\n  %%c2 = const i32 2\n  %%c4 = const i32 4\n"
        "  %%c16 = const i32 16\n  %%c32 = const i32 32\n  %%c33 = const i32 33\n"
        "  %%c64 = const i32 64\n  %%c100 = const i32 100\n  %%c128 = const i32 128\n"
        "  %%l64 = const i64 64\n  %%l24 = const i64 24\n  %%l32 = const i64 32\n"
        "  %%lbig = const i64 5000000\n  %%l0 = const i64 0\n  %%l1 = const i64 1\n"
        "  %%l16 = const i64 16\n  %%h = const f32 0.5\n"
        "%s\n}\n",
        statics, body);
    machine_run_kir_with(k, text, contents, COUNT, global, threads, options);
    hd_arena_free(arena);
}

static void run(machine *k, uint32_t threads, const char *statics, const char *body) {
    run_with(k, threads, threads, (hd_vm_options){0}, statics, body);
}

static const int64_t *run_well(machine *k, uint32_t threads, const char *statics,
                               const char *body) {
    run(k, threads, statics, body);
    if (k->status)
        fail_msg("%s", hd_str_text(&k->messages));
    return hd_vm_contents(k->vm, 0);
}

static void expect_fault(uint32_t threads, const char *body, const char *wanted) {
    machine k;
    run(&k, threads, "", body);
    assert_int_equal(k.status, HD_EINPUT);
    if (!strstr(hd_str_text(&k.messages), wanted))
        fail_msg("'%s' is not in: %s", wanted, hd_str_text(&k.messages));
    machine_close(&k);
}

#define THREAD "  %i = query local_id i64 %c0\n  %t = trunc i32 %i\n"
#define STORE_OUT(value) "  %po = addr ptr.global %out + %i*8\n  store " value ", %po align 8\n"
#define END "  ret\n"

/* ---- numbered barriers ------------------------------------------------------------ */

/* Warps 0 and 1 put four numbers each, one after the other, into one place; warps 2 and 3 take
 * them out. */
static void producers_and_consumers(void **state) {
    (void)state;
    machine k;
    const int64_t *out = run_well(
        &k, 128, "  static \"s\" local bytes 512 align 8",
        "  %s = static ptr.local 0\n" THREAD
        "  %puts = icmp ult i1 %i, %l64\n  condbr %puts, p, c\n"
        "p:\n  %n = phi i32 [%c0, b0], [%n2, p]\n"
        "  %u = mul i32 %n, %c100\n  %v = add i32 %u, %t\n  %w = sext i64 %v\n"
        "  %ps = addr ptr.local %s + %i*8\n  store %w, %ps align 8\n"
        "  call \"barrier_arrive\" %c1, %c128\n  call \"barrier_named\" %c2, %c128\n"
        "  %n2 = add i32 %n, %c1\n  %more = icmp ult i1 %n2, %c4\n  condbr %more, p, e\n"
        "c:\n  %m = phi i32 [%c0, b0], [%m2, c]\n"
        "  call \"barrier_named\" %c1, %c128\n"
        "  %j = sub i64 %i, %l64\n  %pl = addr ptr.local %s + %j*8\n  %x = load i64 %pl align 8\n"
        "  call \"barrier_arrive\" %c2, %c128\n"
        "  %po = addr ptr.global %out + %j*8 + %m*512\n  store %x, %po align 8\n"
        "  %m2 = add i32 %m, %c1\n  %again = icmp ult i1 %m2, %c4\n  condbr %again, c, e\n"
        "e:\n" END);
    for (int n = 0; n < 4; n++)
        for (int t = 0; t < 64; t++)
            assert_int_equal(out[n * 64 + t], n * 100 + t);
    machine_close(&k);
}

/* Each pair of warps has a barrier of its own; odd and even lanes come to it at different places,
 * and of every warp one lane has returned. Everybody reads what the other warp of the pair wrote. */
static void pairs_of_warps(void **state) {
    (void)state;
    machine k;
    const int64_t *out = run_well(
        &k, 256, "  static \"s\" local bytes 2048 align 8",
        "  %s = static ptr.local 0\n  %l31 = const i64 31\n  %c6 = const i32 6\n" THREAD
        "  %lane = and i64 %i, %l31\n  %first = icmp eq i1 %lane, %l0\n"
        "  condbr %first, e, b1\n"
        "b1:\n  %pair = lshr i32 %t, %c6\n  %ps = addr ptr.local %s + %i*8\n"
        "  store %i, %ps align 8\n  %low = and i64 %i, %l1\n  %odd = icmp ne i1 %low, %l0\n"
        "  condbr %odd, b2, b3\n"
        "b2:\n  call \"barrier_named\" %pair, %c64\n  br b4\n"
        "b3:\n  call \"barrier_named\" %pair, %c64\n  br b4\n"
        "b4:\n  %other = xor i64 %i, %l32\n  %pl = addr ptr.local %s + %other*8\n"
        "  %x = load i64 %pl align 8\n" STORE_OUT("%x") "  br e\n"
                                                        "e:\n" END);
    for (int t = 0; t < 256; t++)
        assert_int_equal(out[t], t % 32 ? t ^ 32 : 0);
    machine_close(&k);
}

/* One instruction, by four warps at once: the barrier is complete twice. */
static void more_warps_than_it_waits_for(void **state) {
    (void)state;
    machine k;
    const int64_t *out = run_well(&k, 128, "",
                                  THREAD "  call \"barrier_named\" %c4, %c64\n" STORE_OUT(
                                      "%i") "  call \"barrier_named\" %c4, %c0\n" END);
    assert_int_equal(out[127], 127);
    machine_close(&k);
}

/* Two pairs of warps count by themselves: of the first, lanes below 40 say yes, of the second all. */
static void barriers_that_count(void **state) {
    (void)state;
    static const struct {
        const char *name;
        int64_t first, second;
    } forms[] = {{"count", 40, 64}, {"and", 0, 1}, {"or", 1, 1}};
    hd_arena *arena = hd_arena_new();
    for (size_t f = 0; f < sizeof forms / sizeof *forms; f++) {
        machine k;
        const int64_t *out =
            run_well(&k, 128, "",
                     hd_format(arena,
                               "  %%l40 = const i64 40\n  %%c6 = const i32 6\n%s"
                               "  %%pair = lshr i32 %%t, %%c6\n  %%low = icmp ult i1 %%i, %%l40\n"
                               "  %%high = icmp uge i1 %%i, %%l64\n  %%y = or i1 %%low, %%high\n"
                               "  %%v = zext i32 %%y\n"
                               "  %%r = call \"barrier_named_%s\" i32 %%pair, %%c64, %%v\n"
                               "  %%w = sext i64 %%r\n%s",
                               THREAD, forms[f].name, STORE_OUT("%w") END));
        for (int t = 0; t < 128; t++)
            assert_int_equal(out[t], t < 64 ? forms[f].first : forms[f].second);
        machine_close(&k);
    }
    hd_arena_free(arena);
}

static void wrong_barriers_are_faults(void **state) {
    (void)state;
    const char *half = THREAD "  %few = icmp ult i1 %i, %l64\n  condbr %few, a, b\n";
    hd_arena *arena = hd_arena_new();
    expect_fault(
        128,
        hd_format(arena, "%sa:\n  call \"barrier_named\" %%c1, %%c128\n  br b\nb:\n" END, half),
        "barrier 1 waits for 128 threads, and only 64 have come, with whole warps; the "
        "others have returned");
    expect_fault(128,
                 hd_format(arena,
                           "%sa:\n  call \"barrier_named\" %%c1, %%c128\n  br e\n"
                           "b:\n  call \"barrier_named\" %%c2, %%c128\n  br e\ne:\n" END,
                           half),
                 "64 wait at other barriers");
    expect_fault(128,
                 hd_format(arena,
                           "%sa:\n  call \"barrier_named\" %%c1, %%c128\n  br e\n"
                           "b:\n  call \"barrier_named\" %%c1, %%c64\n  br e\ne:\n" END,
                           half),
                 "for 64 threads, others have come for 128");
    expect_fault(64,
                 "  call \"barrier_arrive\" %c1, %c128\n  call \"barrier_arrive\" %c1, "
                 "%c128\n" END,
                 "comes to barrier 1 a second time, before the others have come; 64 of 128");
    expect_fault(64, "  call \"barrier_named\" %c16, %c64\n" END, "barrier 16; a block has 16");
    expect_fault(64, "  call \"barrier_named\" %c1, %c33\n" END, "whole warps of 32");
    expect_fault(64, "  call \"barrier_arrive\" %c1, %c0\n" END, "without a number of threads");
    hd_arena_free(arena);
}

/* ---- vprintf ---------------------------------------------------------------------- */

static const char *hex(hd_arena *arena, const char *text) {
    hd_str s = {.arena = arena};
    for (size_t i = 0; i <= strlen(text); i++)
        hd_str_printf(&s, "%02x", (unsigned)(uint8_t)text[i]);
    return hd_str_text(&s);
}

/* Arguments: an int, a long behind a gap, a double, a string, a width, a char. */
static void printing_from_memory(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    const char *format = "%d %lld %.2f [%s] %*c 100%%\n", *word = "word";
    const char *statics =
        hd_format(arena,
                  "  static \"f\" constant bytes %zu align 1 init \"%s\"\n"
                  "  static \"w\" constant bytes %zu align 1 init \"%s\"",
                  strlen(format) + 1, hex(arena, format), strlen(word) + 1, hex(arena, word));
    machine k;
    const int64_t *out = run_well(
        &k, 2, statics,
        "  %f = static ptr.constant 0\n  %w = static ptr.constant 1\n"
        "  %big = const i64 -5000000000\n  %real = const f64 2.5\n  %letter = const i32 65\n" THREAD
        "  %a = alloca ptr.private 40 align 8\n"
        "  %p1 = addr ptr.private %a + 8\n  %p2 = addr ptr.private %a + 16\n"
        "  %p3 = addr ptr.private %a + 24\n  %p4 = addr ptr.private %a + 32\n"
        "  %p5 = addr ptr.private %a + 36\n"
        "  store %t, %a align 4\n  store %big, %p1 align 8\n  store %real, %p2 align 8\n"
        "  %g = spacecast ptr.generic %w\n  %ga = ptrtoint i64 %g\n  store %ga, %p3 align 8\n"
        "  store %c4, %p4 align 4\n  store %letter, %p5 align 4\n"
        "  %gf = spacecast ptr.generic %f\n  %gb = spacecast ptr.generic %a\n"
        "  %r = call \"vprintf\" i32 %gf, %gb\n  %wide = sext i64 %r\n" STORE_OUT("%wide") END);
    assert_string_equal(hd_str_text(&k.printed), "0 -5000000000 2.50 [word]    A 100%\n"
                                                 "1 -5000000000 2.50 [word]    A 100%\n");
    assert_int_equal(out[0], 6);
    machine_close(&k);
    run(&k, 1, statics,
        "  %f = static ptr.constant 0\n  %a = alloca ptr.private 4 align 4\n"
        "  store %c1, %a align 4\n  %r = call \"vprintf\" i32 %f, %a\n" END);
    assert_non_null(strstr(hd_str_text(&k.messages), "its buffer ends before its format does"));
    machine_close(&k);
    hd_arena_free(arena);
}

/* ---- the heap --------------------------------------------------------------------- */

#define MALLOC "  %a = call \"device_malloc\" i64 %l24\n"

static void allocating(void **state) {
    (void)state;
    machine k;
    const int64_t *out =
        run_well(&k, 64, "",
                 THREAD MALLOC
                 "  %p = inttoptr ptr.global %a\n  store %i, %p align 8\n  barrier %c0\n"
                 "  %x = load i64 %p align 8\n  %d = sub i64 %x, %i\n  %y = add i64 %a, %d\n"
                 "  call \"device_free\" %a\n  call \"device_free\" %l0\n" STORE_OUT("%y") END);
    for (int t = 0; t < 64; t++) { /* each has its own, and its own number in it */
        assert_int_equal(out[t] % 16, 0);
        assert_true(out[t] != 0 && (t == 0 || out[t] >= out[t - 1] + 24));
    }
    machine_close(&k);
    out =
        run_well(&k, 2, "", THREAD "  %a = call \"device_malloc\" i64 %lbig\n" STORE_OUT("%a") END);
    assert_true(out[0] != 0 && out[1] == 0);
    machine_close(&k);
    out = run_well(&k, 1, "",
                   THREAD
                   "  %a = call \"device_malloc\" i64 %lbig\n  call \"device_free\" %a\n"
                   "  %b = call \"device_malloc\" i64 %lbig\n"
                   "  %z = call \"device_malloc\" i64 %l0\n  %y = add i64 %b, %z\n" STORE_OUT("%y")
                       END);
    assert_true(out[0] != 0); /* there is room again */
    machine_close(&k);
}

/* Pieces that are freed in the middle are found again; a list of the test's own says what is
 * in use. */
static void pieces_do_not_overlap(void **state) {
    (void)state;
    machine k;
    const int64_t *out = run_well(
        &k, 64, "",
        THREAD "  %s = shl i64 %i, %l1\n  %n = add i64 %s, %l1\n"
               "  %a = call \"device_malloc\" i64 %n\n  %low = and i64 %i, %l1\n"
               "  %odd = icmp ne i1 %low, %l0\n  condbr %odd, b1, b2\n"
               "b1:\n  call \"device_free\" %a\n  %b = call \"device_malloc\" i64 %l16\n  br b2\n"
               "b2:\n  %c = phi i64 [%a, b0], [%b, b1]\n" STORE_OUT("%c") END);
    for (int t = 0; t < 64; t++)
        for (int o = 0; o < 64; o++) {
            int64_t bytes = o % 2 ? 16 : 2 * o + 1;
            assert_true(t == o || out[t] < out[o] || out[t] >= out[o] + bytes);
        }
    machine_close(&k);
}

static void wrong_frees_are_faults(void **state) {
    (void)state;
    const char *wanted = "where no memory begins that device_malloc() gave and nobody has freed";
    expect_fault(1, MALLOC "  call \"device_free\" %a\n  call \"device_free\" %a\n" END, wanted);
    expect_fault(1, MALLOC "  %b = add i64 %a, %l16\n  call \"device_free\" %b\n" END, wanted);
    expect_fault(1, "  call \"device_free\" %l64\n" END, wanted);
}

/* Whoever gets a piece has nothing to do with what others did there before, and has not written it
 * yet. */
static void checks_of_pieces(void **state) {
    (void)state;
    const char *write = MALLOC "  %p = inttoptr ptr.global %a\n  store %c1, %p align 4\n"
                               "  call \"device_free\" %a\n" END;
    machine k;
    run_with(&k, 4, 1, (hd_vm_options){.check_races = true, .check_uninitialised = true}, "",
             write);
    assert_int_equal(k.status, HD_OK);
    assert_string_equal(hd_str_text(&k.messages), "");
    machine_close(&k);
    const char *reads = MALLOC "  %p = inttoptr ptr.global %a\n  store %c1, %p align 4\n"
                               "  call \"device_free\" %a\n"
                               "  %b = call \"device_malloc\" i64 %l24\n"
                               "  %q = inttoptr ptr.global %a\n  %x = load i32 %q align 4\n" END;
    run_with(&k, 1, 1, (hd_vm_options){.check_uninitialised = true}, "", reads);
    assert_non_null(strstr(hd_str_text(&k.messages), "'device heap', which nothing has written"));
    machine_close(&k);
}

/* Lanes that a numbered barrier orders do not race; without it they do. */
static void checks_at_barriers(void **state) {
    (void)state;
    for (int n = 0; n < 2; n++) {
        hd_arena *arena = hd_arena_new();
        machine k;
        run_with(&k, 64, 64, (hd_vm_options){.check_races = true},
                 "  static \"s\" local bytes 512 align 8",
                 hd_format(arena,
                           "  %%s = static ptr.local 0\n%s  %%ps = addr ptr.local %%s + %%i*8\n"
                           "  store %%i, %%ps align 8\n  %s\n"
                           "  %%o = xor i64 %%i, %%l32\n  %%pl = addr ptr.local %%s + %%o*8\n"
                           "  %%x = load i64 %%pl align 8\n%s",
                           THREAD, n ? "" : "call \"barrier_named\" %c1, %c64", END));
        assert_int_equal(k.status, n ? HD_EINPUT : HD_OK);
        machine_close(&k);
        hd_arena_free(arena);
    }
}

/* ---- clock and spaces ------------------------------------------------------------- */

static void the_clock_counts_instructions(void **state) {
    (void)state;
    machine k;
    const int64_t *out = run_well(
        &k, 64, "",
        THREAD "  %a = call \"clock\" i64\n  %x = add i64 %i, %l1\n  %y = add i64 %x, %l1\n"
               "  %b = call \"clock\" i64\n  barrier %c0\n  %c = call \"clock\" i64\n"
               "  %d = sub i64 %b, %a\n  %later = icmp ugt i1 %c, %b\n"
               "  %r = select i64 %later, %d, %l0\n" STORE_OUT("%r") END);
    for (int t = 0; t < 64; t++)
        assert_int_equal(out[t], 3);
    machine_close(&k);
}

static void spaces_of_addresses(void **state) {
    (void)state;
    static const char *const names[] = {"global", "shared", "local", "const"};
    static const char *const pointers[] = {"%out", "%s", "%a", "%k"};
    hd_arena *arena = hd_arena_new();
    for (int of = 0; of < 4; of++)
        for (int in = 0; in < 4; in++) {
            machine k;
            const int64_t *out = run_well(
                &k, 64,
                "  static \"s\" local bytes 8 align 8\n"
                "  static \"k\" constant bytes 8 align 8 init \"0000000000000000\"",
                hd_format(arena,
                          "  %%s = static ptr.local 0\n  %%k = static ptr.constant 1\n%s"
                          "  %%a = alloca ptr.private 8 align 8\n"
                          "  %%g = spacecast ptr.generic %s\n"
                          "  %%r = call \"is_in_space_%s\" i32 %%g\n  %%w = sext i64 %%r\n%s",
                          THREAD, pointers[in], names[of], STORE_OUT("%w") END));
            assert_int_equal(out[0], of == in);
            assert_int_equal(out[63], of == in);
            machine_close(&k);
        }
    hd_arena_free(arena);
}

/* ---- atomics ---------------------------------------------------------------------- */

/* 64 lanes add i + 0.5, or put `value`, to the first bytes of %out. */
static uint64_t after_atomics(const char *operation, const char *type, const char *value) {
    hd_arena *arena = hd_arena_new();
    machine k;
    const int64_t *out = run_well(&k, 64, "",
                                  hd_format(arena, "%s%s  %%old = atomic %s %s %%out, %%v\n  ret\n",
                                            THREAD, value, operation, type));
    uint64_t bits = (uint64_t)out[0];
    machine_close(&k);
    hd_arena_free(arena);
    return bits;
}

#define REAL "  %u = uitofp f32 %t\n  %f = fadd f32 %u, %h\n"

static void atomics_of_halves(void **state) {
    (void)state;
    _Float16 half = 0, want = 0;
    float bf16 = 0;
    uint32_t word;
    for (int t = 0; t < 64; t++) {
        want = (_Float16)((float)want + (float)t + 0.5f);
        bf16 += (float)t + 0.5f; /* 8 bits, to the nearest and even in the middle */
        memcpy(&word, &bf16, 4);
        word = (word + 0x7fff + (word >> 16 & 1)) & 0xffff0000;
        memcpy(&bf16, &word, 4);
    }
    uint64_t bits = after_atomics("fadd", "f16", REAL "  %v = fptrunc f16 %f\n");
    memcpy(&half, &bits, 2);
    assert_true(half == want && bits >> 16 == 0);
    bits = after_atomics("f16x2_add", "i32",
                         REAL "  %q = fptrunc f16 %f\n  %b = bitcast i16 %q\n  %z = zext i32 %b\n"
                              "  %s = shl i32 %z, %c16\n  %v = or i32 %z, %s\n");
    uint16_t want_bits;
    memcpy(&want_bits, &want, 2);
    assert_int_equal(bits, want_bits * 0x10001u);
    bits = after_atomics("bf16_add", "i16", REAL "  %v = call \"float_to_bf16\" i16 %f\n");
    assert_int_equal(bits, word >> 16);
    bits = after_atomics("bf16x2_add", "i32",
                         REAL "  %b = call \"float_to_bf16\" i16 %f\n  %z = zext i32 %b\n"
                              "  %s = shl i32 %z, %c16\n  %v = or i32 %z, %s\n");
    assert_int_equal(bits, word | word >> 16);
}

static void atomics_of_floats(void **state) {
    (void)state;
    float single;
    double real;
    uint64_t bits = after_atomics("max", "f32", REAL "  %v = fadd f32 %f, %h\n");
    memcpy(&single, &bits, 4);
    assert_true(single == 64);
    bits = after_atomics("min", "f32", REAL "  %v = fneg f32 %f\n");
    memcpy(&single, &bits, 4);
    assert_true(single == -63.5f);
    bits = after_atomics("add", "f64", REAL "  %v = fpext f64 %f\n");
    memcpy(&real, &bits, 8);
    assert_true(real == 64 * 63 / 2 + 32);
    assert_int_equal(after_atomics("add", "i16", "  %v = trunc i16 %i\n"), 64 * 63 / 2);
    assert_int_equal(after_atomics("xchg", "i16", "  %v = trunc i16 %i\n"), 63);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(producers_and_consumers),
        cmocka_unit_test(pairs_of_warps),
        cmocka_unit_test(more_warps_than_it_waits_for),
        cmocka_unit_test(barriers_that_count),
        cmocka_unit_test(wrong_barriers_are_faults),
        cmocka_unit_test(printing_from_memory),
        cmocka_unit_test(allocating),
        cmocka_unit_test(pieces_do_not_overlap),
        cmocka_unit_test(wrong_frees_are_faults),
        cmocka_unit_test(checks_of_pieces),
        cmocka_unit_test(checks_at_barriers),
        cmocka_unit_test(the_clock_counts_instructions),
        cmocka_unit_test(spaces_of_addresses),
        cmocka_unit_test(atomics_of_halves),
        cmocka_unit_test(atomics_of_floats),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
