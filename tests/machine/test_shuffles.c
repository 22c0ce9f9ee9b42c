/*
 * PTX's shuffles and elect among the lanes of warps, against PTX ISA's description with all
 * its operands, in whole warps and where only some lanes call.
 */
#include "kir_calls.h"

#include "oracle/shuffle.h"

enum { COUNT = 1024, WARP = 32 };

typedef struct scene {
    uint32_t mask[COUNT], value[COUNT], b[COUNT], c[COUNT];
} scene;

/* Operand c as compilers make it, for segments of 1 to 32 lanes, and any. */
static uint32_t clamp_of(oracle_way way, uint64_t random) {
    uint32_t width = 1u << random % 6, clamp = way == ORACLE_UP ? 0 : 31;
    return random >> 8 & 1 ? (uint32_t)(random >> 16) : (32 - width) << 8 | clamp;
}

static void fill(scene *s, oracle_way way, call_way how) {
    uint64_t seed = (uint64_t)way;
    uint32_t c = 0;
    for (uint32_t i = 0; i < COUNT; i++) {
        if (i % WARP == 0)
            c = clamp_of(way, call_random(&seed));
        s->mask[i] = how == CALL_BY_SOME ? 0xaaaaaaaa : how == CALL_UNIFORM ? 15 : UINT32_MAX;
        s->value[i] = (uint32_t)call_random(&seed);
        s->b[i] = i / WARP % 2 ? i / WARP / 2 : (uint32_t)call_random(&seed);
        s->c[i] = i / WARP % 4 ? c : clamp_of(way, call_random(&seed));
    }
}

/* Of lane i: the warp's values are those of its own call. */
static oracle_shuffled want_of(const scene *s, oracle_way way, call_way how, uint32_t i) {
    uint32_t values[WARP];
    bool takes_part[WARP];
    for (uint32_t l = 0; l < WARP; l++) {
        values[l] = s->value[how == CALL_UNIFORM ? i : i / WARP * WARP + l];
        takes_part[l] = s->mask[i] >> l & 1;
    }
    return oracle_shuffle(way, values, takes_part, how == CALL_UNIFORM ? 3 : i % WARP, s->b[i],
                          s->c[i]);
}

/* Of blocks of four lanes with one operand for all, the last one stores last. */
static void check(oracle_way way, const char *type, bool predicate) {
    static const char *const names[] = {"idx", "up", "down", "bfly"};
    static scene s;
    static uint32_t out[COUNT];
    const void *const pointers[] = {s.mask, s.value, s.b, s.c};
    char name[32];
    snprintf(name, sizeof name, "shuffle_%s%s", names[way], predicate ? "_pred" : "");
    kir_call call = {name, predicate ? "i32" : type, {"i32", type, "i32", "i32"}, false};
    for (call_way how = CALL_BY_ALL; how < CALL_WAYS; how++) {
        uint32_t count = how == CALL_UNIFORM ? CALL_LANES : COUNT;
        fill(&s, way, how);
        call_run(&call, how, count, pointers, out);
        for (uint32_t i = 0; i < count; i++) {
            oracle_shuffled want = want_of(&s, way, how, i);
            uint32_t right = predicate ? want.in_range : want.value;
            if (out[i] != (call_is_skipped(how, i) ? 0 : right))
                fail_msg("%s in lane %u, b 0x%x, c 0x%x: 0x%x, should be 0x%x", name, i % WARP,
                         s.b[i], s.c[i], out[i], right);
        }
    }
}

static void shuffles(void **state) {
    (void)state;
    for (oracle_way way = ORACLE_IDX; way <= ORACLE_BFLY; way++) {
        check(way, "i32", false);
        check(way, "f32", false);
        check(way, "i32", true);
        check(way, "f32", true);
    }
}

static void elections(void **state) {
    (void)state;
    static uint32_t mask[2 * WARP], out[2 * WARP];
    const void *const pointers[] = {mask};
    const kir_call call = {"elect", "i32", {"i32"}, false};
    for (uint32_t i = 0; i < 2 * WARP; i++) /* lanes of three groups, in the first warp */
        mask[i] = i >= WARP    ? UINT32_MAX
                  : i % 3 == 0 ? 0x49249249
                  : i % 3 == 1 ? 0x92492492
                               : 0x24924924;
    call_run(&call, CALL_BY_ALL, 2 * WARP, pointers, out);
    for (uint32_t i = 0; i < 2 * WARP; i++)
        assert_int_equal(out[i], i < 3 || i == WARP);
}

static void expect_fault(uint32_t mask, const char *wanted) {
    uint32_t masks[CALL_LANES], *contents[] = {masks, NULL};
    for (uint32_t i = 0; i < CALL_LANES; i++)
        masks[i] = mask;
    hd_arena *arena = hd_arena_new();
    const kir_call call = {"elect", "i32", {"i32"}, false};
    uint32_t out[CALL_LANES] = {0};
    contents[1] = out;
    machine k;
    machine_run_kir(&k, call_text(arena, &call, CALL_BY_SOME), (void *const *)contents, CALL_LANES,
                    CALL_LANES, CALL_LANES);
    assert_int_equal(k.status, HD_EINPUT);
    assert_non_null(strstr(hd_str_text(&k.messages), wanted));
    machine_close(&k);
    hd_arena_free(arena);
}

/* Even lanes go on to nothing but their end, so nobody waits for them. */
static void wrong_masks_are_faults(void **state) {
    (void)state;
    expect_fault(0x55555555, "in which its own lane 1 is missing");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(shuffles), cmocka_unit_test(elections),
                                       cmocka_unit_test(wrong_masks_are_faults)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
