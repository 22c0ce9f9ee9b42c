/*
 * A built-in function called by its name in kir, or one of kir's instructions, on many
 * operands at once: by every lane, by every second one, and with operands that all lanes
 * share.
 */
#ifndef HD_TESTS_VM_KIR_CALLS_H
#define HD_TESTS_VM_KIR_CALLS_H

#include "machine.h"

enum { CALL_LANES = 64, CALL_ARGS = 4 };

/* Types as kir writes them; those of vectors have no place in memory here. */
typedef struct kir_call {
    const char *name, *result, *args[CALL_ARGS];
    bool is_instruction;
} kir_call;

typedef enum call_way { CALL_BY_ALL, CALL_BY_SOME, CALL_UNIFORM, CALL_WAYS } call_way;

static inline uint32_t call_bytes(const char *type) {
    return (uint32_t)strtoul(type + 1, NULL, 10) / 8;
}

/* An integer of C that is as wide. */
static inline const char *call_element(const char *type) {
    static const char *const names[] = {"char", "short", "int", "long"};
    uint32_t bytes = call_bytes(type), n = 0;
    while (n < 3 && 1u << n < bytes)
        n++;
    return names[n];
}

static inline uint32_t call_arity(const kir_call *call) {
    uint32_t arity = 0;
    while (arity < CALL_ARGS && call->args[arity])
        arity++;
    return arity;
}

/* In odd blocks of code, CALL_BY_SOME: lanes whose number is even store 0. */
static inline const char *call_text(hd_arena *arena, const kir_call *call, call_way way) {
    hd_str s = {.arena = arena};
    uint32_t arity = call_arity(call);
    hd_str_add(&s, "; kir\nrule printf_counts\nfile \"k.cu\"\nkernel \"k\" {\n");
    for (uint32_t n = 0; n < arity; n++)
        hd_str_printf(&s, "  param \"in%u\" ptr.global element %u of \"%s\"\n", n,
                      call_bytes(call->args[n]), call_element(call->args[n]));
    hd_str_printf(&s, "  param \"out\" ptr.global element %u of \"%s\"\nb0:\n",
                  call_bytes(call->result), call_element(call->result));
    for (uint32_t n = 0; n < arity; n++)
        hd_str_printf(&s, "  %%in%u = param ptr.global %u\n", n, n);
    hd_str_printf(&s, "  %%out = param ptr.global %u\n  %%zero = const i32 0\n", arity);
    hd_str_printf(&s, "  %%none = const %s 0\n", call->result);
    hd_str_add(&s, "  %one = const i64 1\n  %zero64 = const i64 0\n");
    hd_str_printf(&s, "  %%i = query %s i64 %%zero\n",
                  way == CALL_UNIFORM ? "group_id" : "global_id");
    if (way == CALL_BY_SOME)
        hd_str_add(&s, "  %low = and i64 %i, %one\n  %odd = icmp ne i1 %low, %zero64\n"
                       "  condbr %odd, b1, b2\nb1:\n");
    for (uint32_t n = 0; n < arity; n++)
        hd_str_printf(&s,
                      "  %%p%u = addr ptr.global %%in%u + %%i*%u\n"
                      "  %%x%u = load %s %%p%u align %u\n",
                      n, n, call_bytes(call->args[n]), n, call->args[n], n,
                      call_bytes(call->args[n]));
    hd_str_printf(&s, call->is_instruction ? "  %%%s = %s %s " : "  %%%s = call \"%s\" %s ",
                  way == CALL_BY_SOME ? "own" : "r", call->name, call->result);
    for (uint32_t n = 0; n < arity; n++)
        hd_str_printf(&s, "%s%%x%u", n ? ", " : "", n);
    if (way == CALL_BY_SOME)
        hd_str_printf(&s, "\n  br b2\nb2:\n  %%r = phi %s [%%none, b0], [%%own, b1]", call->result);
    uint32_t bytes = call_bytes(call->result);
    hd_str_printf(&s,
                  "\n  %%o = addr ptr.global %%out + %%i*%u\n  store %%r, %%o align %u\n  "
                  "ret\n}\n",
                  bytes, bytes);
    return hd_str_text(&s);
}

/* Results for `count` operands, a multiple of CALL_LANES; 0 for every second one of
 * CALL_BY_SOME. */
static inline void call_run(const kir_call *call, call_way way, uint32_t count,
                            const void *const *operands, void *results) {
    hd_arena *arena = hd_arena_new();
    uint32_t arity = call_arity(call), bytes = count * call_bytes(call->result);
    void *contents[CALL_ARGS + 1];
    for (uint32_t n = 0; n < arity; n++) {
        contents[n] = hd_alloc(arena, count * call_bytes(call->args[n]));
        memcpy(contents[n], operands[n], count * call_bytes(call->args[n]));
    }
    contents[arity] = hd_alloc(arena, bytes);
    machine k;
    bool uniform = way == CALL_UNIFORM; /* each block has operands of its own */
    machine_run_kir(&k, call_text(arena, call, way), contents, count, uniform ? count * 4 : count,
                    uniform ? 4 : CALL_LANES);
    if (k.status)
        fail_msg("%s: %s", call->name, hd_str_text(&k.messages));
    memcpy(results, hd_vm_contents(k.vm, arity), bytes);
    machine_close(&k);
    hd_arena_free(arena);
}

/* Is this result one of a lane that did not call? Then it must be 0. */
static inline bool call_is_skipped(call_way way, uint32_t i) {
    return way == CALL_BY_SOME && i % 2 == 0;
}

/* ---- operands --------------------------------------------------------------------- */

static inline uint64_t call_random(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* Bits of operand i: small numbers, ends of ranges, runs of ones, then anything. */
static inline uint64_t call_integer(uint64_t *state, uint32_t i) {
    uint64_t x = call_random(state), ones = x >> 58 ? UINT64_MAX >> (64 - (x >> 58)) : 0;
    switch (i % 6) {
    case 0: return x >> 8 & 7;
    case 1: return 0 - (x >> 8 & 7);
    case 2: return ones << (x >> 8 & 63);
    case 3: return UINT64_C(0x8000000080008080) + (x >> 8 & 3) - 1;
    case 4: return x >> (x >> 58);
    default: return x;
    }
}

static inline uint64_t call_bits(const void *at, uint32_t bytes, uint32_t i) {
    uint64_t bits = 0;
    memcpy(&bits, (const uint8_t *)at + (size_t)i * bytes, bytes);
    return bits;
}

static inline void call_put(void *at, uint32_t bytes, uint32_t i, uint64_t bits) {
    memcpy((uint8_t *)at + (size_t)i * bytes, &bits, bytes);
}

#endif
