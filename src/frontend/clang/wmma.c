/*
 * wmma of CUDA C, which has become intrinsics of LLVM. Each is written as the instruction of PTX that
 * it stands for, and lowered as inline assembly is:
 *
 *     {i32, i32} llvm.nvvm.wmma.m16n16k16.load.a.row.stride.s8.p0(ptr, i32)
 *
 *     wmma.load.a.sync.aligned.row.m16n16k16.s8 {%0, %1}, [%2], %3;
 */
#include <stdio.h>

#include "frontend/clang/internal.h"
#include "frontend/ptx/inline.h"

enum { MOST_WORDS = 12 };

typedef struct wmma {
    const char *words[MOST_WORDS]; /* m16n16k16, load, a, row ... */
    uint32_t word_count;
    hd_vec(ptx_inline_operand) operands; /* results, then what the call gives */
    uint32_t result_count;
    kir_type *types; /* of the results; operands are registers */
    hd_str text;
} wmma;

static bool has(const wmma *w, const char *word) {
    for (uint32_t i = 0; i < w->word_count; i++)
        if (!strcmp(w->words[i], word))
            return true;
    return false;
}

static void split(front_lowering *l, wmma *w, const char *name) {
    while (*name && w->word_count < MOST_WORDS) {
        size_t length = strcspn(name, ".");
        w->words[w->word_count++] = hd_strndup(l->arena, name, length);
        name += length + (name[length] == '.');
    }
}

/* ---- the opcode -------------------------------------------------------------------- */

/* A product of others than halves names the type of its factors alone. */
static const char *types_of_product(front_lowering *l, const char *factor) {
    const char *sum = hd_has_word("bf16 tf32", factor)        ? "f32"
                      : !strcmp(factor, "f64")                ? "f64"
                      : hd_has_word("s8 u8 s4 u4 b1", factor) ? "s32"
                                                              : NULL;
    return sum ? hd_format(l->arena, "%s.%s.%s.%s", sum, factor, factor, sum) : factor;
}

/* Neither the stride nor the address's space is in the name. */
static void write_opcode(front_lowering *l, wmma *w) {
    bool is_layout = false, was_layout = false;
    hd_str_add(&w->text, "wmma");
    for (uint32_t i = 1; i < w->word_count; i++, was_layout = is_layout) {
        const char *word = w->words[i];
        is_layout = hd_has_word("row col", word);
        if (is_layout && !was_layout)
            hd_str_add(&w->text, ".sync.aligned");
        if (was_layout && !is_layout)
            hd_str_printf(&w->text, ".%s", w->words[0]);
        if (strcmp(word, "stride") != 0 && !starts_with(word, "p0"))
            hd_str_printf(&w->text, ".%s", has(w, "mma") ? types_of_product(l, word) : word);
    }
    hd_str_add(&w->text, " ");
}

/* ---- operands ---------------------------------------------------------------------- */

static char constraint_of(kir_type type) {
    if (type.kind == KIR_PTR)
        return 'l';
    if (type.kind != KIR_FLOAT || type.lanes > 1)
        return 'r';
    return type.bits == 64 ? 'd' : 'f';
}

static void read_operands(front_lowering *l, const front_call *call, wmma *w) {
    LLVMTypeRef made = LLVMTypeOf(call->inst);
    bool is_struct = LLVMGetTypeKind(made) == LLVMStructTypeKind;
    bool is_store = LLVMGetTypeKind(made) == LLVMVoidTypeKind;
    w->result_count = is_struct ? LLVMCountStructElementTypes(made) : !is_store;
    w->types = hd_new_array(l->arena, kir_type, w->result_count);
    for (uint32_t i = 0; i < w->result_count; i++) {
        kir_type type = front_lower_type(l, is_struct ? LLVMStructGetTypeAtIndex(made, i) : made);
        char constraint = constraint_of(type);
        ptx_inline_operand operand = {.constraint = constraint,
                                      .value = KIR_NONE,
                                      .is_result = true,
                                      .type = constraint == 'r' ? front_int_type(32, 1) : type};
        w->types[i] = type;
        hd_push(l->arena, &w->operands, operand);
    }
    for (uint32_t i = 0; i < call->arg_count; i++) {
        kir_type type = front_type_of_value(&l->out, call->args[i]);
        kir_value value =
            type.kind == KIR_PTR ? front_member_address(l, LLVMGetOperand(call->inst, i))
            : type.lanes > 1     ? front_bits_as(&l->out, call->args[i], front_int_type(32, 1))
                                 : call->args[i];
        ptx_inline_operand operand = {.constraint = constraint_of(type), .value = value};
        hd_push(l->arena, &w->operands, operand);
    }
}

/* ---- the instruction ------------------------------------------------------------------ */

/* The next `count` operands as a fragment; the next one behind these. */
static uint32_t write_fragment(wmma *w, uint32_t next, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        hd_str_printf(&w->text, "%s%%%u", i ? ", " : "{", next + i);
    hd_str_add(&w->text, "}");
    return next + count;
}

/* C has 4 registers of halves or 8 of floats, else as many as D. A and B share the rest: equally where
 * they are halves, which both have all of, else as m and n. */
static void write_product(wmma *w) {
    uint32_t m = 1, n = 1, sums = w->result_count, count = (uint32_t)w->operands.count;
    bool is_half = false;
    sscanf(w->words[0], "m%un%u", &m, &n);
    for (uint32_t i = 1; i < w->word_count; i++) {
        bool is_of_halves = !strcmp(w->words[i], "f16");
        if (is_of_halves || !strcmp(w->words[i], "f32")) {
            is_half = true;
            sums = is_of_halves ? 4 : 8;
        }
    }
    uint32_t factors = count - w->result_count - sums;
    uint32_t left = is_half ? factors / 2 : factors * m / (m + n);
    uint32_t next = write_fragment(w, 0, w->result_count);
    hd_str_add(&w->text, ", ");
    next = write_fragment(w, next, left);
    hd_str_add(&w->text, ", ");
    next = write_fragment(w, next, factors - left);
    hd_str_add(&w->text, ", ");
    write_fragment(w, next, sums);
}

/* The address stands before what is stored and behind what is loaded. */
static void write_access(wmma *w) {
    bool is_store = has(w, "store"), has_stride = has(w, "stride");
    uint32_t count = (uint32_t)w->operands.count, results = w->result_count;
    if (is_store) {
        hd_str_add(&w->text, "[%0], ");
        write_fragment(w, 1, count - 1 - has_stride);
    } else {
        write_fragment(w, 0, results);
        hd_str_printf(&w->text, ", [%%%u]", results);
    }
    if (has_stride)
        hd_str_printf(&w->text, ", %%%u", count - 1);
}

void front_lower_wmma(front_lowering *l, const front_call *call, const char *name) {
    wmma w = {.text = {.arena = l->arena}};
    split(l, &w, name);
    write_opcode(l, &w);
    read_operands(l, call, &w);
    if (l->out.status)
        return;
    if (has(&w, "mma"))
        write_product(&w);
    else
        write_access(&w);
    hd_str_add(&w.text, ";");
    const char *why = ptx_lower_inline(&l->out, hd_str_text(&w.text), w.operands.data,
                                       (uint32_t)w.operands.count);
    if (why) {
        front_cannot(l, "%s", why);
        return;
    }
    kir_value *results = hd_new_array(l->arena, kir_value, w.result_count);
    for (uint32_t i = 0; i < w.result_count; i++)
        results[i] = front_bits_as(&l->out, w.operands.data[i].value, w.types[i]);
    front_set_results(l, call->inst, w.result_count, results);
}
