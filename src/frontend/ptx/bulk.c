/*
 * Copies of many bytes that one thread asks for: cp.async.bulk, boxes of tensors among them,
 * cp.reduce.async.bulk, st.async and red.async. They are done at once; to commit groups of them and to
 * wait for those is nothing, and barriers that count bytes are told at once.
 *
 * The machine's calls (docs/kir.md) take where it goes to and where it comes from. Of a tensor that is
 * its first element, which the map begins with.
 */
#include "frontend/ptx/internal.h"

/* The space that the n-th word names that names one. */
static ptx_space nth_space(const ptx_inst *inst, uint32_t n) {
    for (uint32_t w = 1; w < inst->word_count; w++) {
        const ptx_inst one = {.words = inst->words + w - 1, .word_count = 2};
        const ptx_space space = ptx_space_of(&one);
        if (space != PTX_NO_SPACE && !n--)
            return space;
    }
    return PTX_NO_SPACE;
}

/* "add_u32" of a reduction, or, of a tensor, whose map says the type, "add"; "": it is a copy. */
static const char *folding_of(ptx_lowering *l, bool is_typed) {
    static const char *const whats[] = {"add", "min", "max", "inc", "dec", "and", "or", "xor"};
    for (size_t i = 0; i < sizeof whats / sizeof *whats; i++)
        if (ptx_has(l->inst, whats[i]))
            return is_typed ? hd_format(l->arena, "%s_%s", whats[i],
                                        l->inst->words[l->inst->word_count - 1])
                            : whats[i];
    return "";
}

/* ---- where it goes ------------------------------------------------------------------ */

/* The same place in another block of the cluster. */
static kir_value in_block(ptx_lowering *l, kir_value pointer, uint32_t rank) {
    kir_value letters[26] = {ptx_number(l, ptx_int(32), rank)}, apart;
    apart = front_recipe(&l->out, "sext:i64(shl(sub(a, %cluster_ctarank), 24))", letters, false,
                         ptx_int(64));
    return front_emit_addr(&l->out, pointer, apart, 1, 0);
}

enum { TO, FROM, AGAIN, REST };

/* A call whose first argument is the target, the third one whether another block has the same already, and the barrier that hears of its bytes; KIR_NONE: none. */
typedef struct asked {
    const char *name;
    kir_value args[4 + 5];
    uint32_t count;
    kir_value barrier, bytes;
} asked;

static void ask(ptx_lowering *l, const asked *a) {
    front_emit_call(&l->out, a->name, (kir_type){0}, a->count, a->args);
    if (a->barrier != KIR_NONE)
        ptx_complete_bytes(l, a->barrier, a->bytes);
}

/* Into each block of the cluster that a mask of 16 bits names. */
static void ask_for_all(ptx_lowering *l, const asked *a, kir_value mask) {
    for (uint32_t rank = 0; rank < 16; rank++) {
        kir_value letters[26] = {mask, ptx_number(l, ptx_int(16), rank)};
        kir_value is =
            front_recipe(&l->out, "ne(and(lshr(a, b), 1), 0)", letters, false, ptx_int(16));
        const uint32_t then = ptx_block_new(l), end = ptx_block_new(l);
        ptx_branch_if(l, is, then, end);
        ptx_block_start(l, then);
        asked there = *a;
        letters[1] = ptx_number(l, ptx_int(16), (1 << rank) - 1);
        there.args[AGAIN] =
            front_recipe(&l->out, "zext:i32(ne(and(a, b), 0))", letters, false, ptx_int(16));
        there.args[TO] = in_block(l, a->args[TO], rank);
        there.barrier = in_block(l, a->barrier, rank);
        ask(l, &there);
        ptx_block_start(l, end);
    }
}

static void ask_where(ptx_lowering *l, asked *a, uint32_t barrier) {
    const bool completes = ptx_has(l->inst, "mbarrier::complete_tx::bytes");
    a->args[AGAIN] = ptx_number(l, ptx_int(32), 0);
    a->barrier = completes ? ptx_address(l, barrier, PTX_SHARED) : KIR_NONE;
    if (completes && ptx_has(l->inst, "multicast::cluster"))
        ask_for_all(l, a, ptx_get(l, barrier + 1, PTX_U16));
    else
        ask(l, a);
}

/* ---- bytes -------------------------------------------------------------------------- */

/* [to], [from], bytes{, [barrier]}{, mask}{, policy} */
static void lower_bytes(ptx_lowering *l) {
    const char *folding = folding_of(l, true);
    asked a = {.name = hd_format(l->arena, "bulk_%s", *folding ? folding : "copy"), .count = 4};
    if (ptx_has(l->inst, "cp_mask") || ptx_has(l->inst, "ignore_oob")) {
        ptx_cannot(l, "%s is not supported; copies of all bytes are",
                   ptx_opcode(l->arena, l->inst));
        return;
    }
    for (uint32_t i = 0; i < 2; i++)
        a.args[i] = ptx_address(l, i, nth_space(l->inst, i));
    a.args[REST] = a.bytes = ptx_get(l, 2, PTX_U32);
    ask_where(l, &a, 3);
}

/* ---- boxes -------------------------------------------------------------------------- */

/* [shared], [map, {x, ...}], [barrier]{, mask}{, policy}, or [map, {x, ...}], [shared] */
static void lower_box(ptx_lowering *l) {
    const bool loads = nth_space(l->inst, 0) == PTX_SHARED;
    const ptx_operand *map = ptx_operand_at(l, loads);
    const ptx_operand *at = map->count ? map->list : NULL;
    const char *folding = folding_of(l, false);
    static const char others[] = "im2col im2col::w im2col::w::128 im2col_no_offs tile::gather4 "
                                 "tile::scatter4 cta_group::1 cta_group::2";
    bool is_known = at && at->kind == PTX_VECTOR && at->count && at->count <= 5;
    for (uint32_t w = 1; w < l->inst->word_count; w++)
        is_known &= !hd_has_word(others, l->inst->words[w]);
    if (!is_known) {
        ptx_cannot(l, "%s is not supported; boxes (.tile) of tensors of 1 to 5 dimensions are",
                   ptx_opcode(l->arena, l->inst));
        return;
    }
    kir_value of_map = ptx_address(l, loads, PTX_NO_SPACE);
    kir_value tensor = front_emit_load(&l->out, ptx_int(64), of_map, 8);
    tensor = ptx_to(l, KIR_INTTOPTR, front_pointer_type(KIR_GLOBAL), tensor);
    kir_value shared = ptx_address(l, !loads, PTX_SHARED);
    asked a = {.name = hd_format(l->arena, "tensor_%s",
                                 *folding ? folding
                                 : loads  ? "load"
                                          : "store"),
               .args = {loads ? shared : tensor, loads ? tensor : shared, 0, of_map},
               .count = 4 + at->count};
    for (uint32_t d = 0; d < at->count; d++)
        a.args[REST + 1 + d] = ptx_value(l, &at->list[d], PTX_B32);
    if (loads)
        a.bytes = front_emit_call(&l->out, "box_bytes", ptx_int(32), 1, &of_map);
    ask_where(l, &a, 2);
}

void ptx_lower_bulk(ptx_lowering *l) {
    if (ptx_has(l->inst, "commit_group") || ptx_has(l->inst, "wait_group") ||
        ptx_has(l->inst, "prefetch"))
        return;
    if (ptx_has(l->inst, "tensor"))
        lower_box(l);
    else
        lower_bytes(l);
}

/* ---- a few bytes into another block ------------------------------------------------- */

/* st.async and red.async: [address], value, [barrier] */
static void lower_few(ptx_lowering *l) {
    const ptx_operand *value = ptx_operand_at(l, 1);
    const uint32_t count = value->kind == PTX_VECTOR ? value->count : 1;
    const uint32_t bytes = ptx_type_bits(ptx_type_of(l->inst, 0)) / 8 * count;
    if (!ptx_has(l->inst, "mbarrier::complete_tx::bytes")) {
        ptx_cannot(l, "%s is not supported; with an mbarrier it is", ptx_opcode(l->arena, l->inst));
        return;
    }
    if (!strcmp(l->inst->words[0], "st"))
        ptx_lower_store(l);
    else
        ptx_lower_atomic(l);
    ptx_complete_bytes(l, ptx_address(l, 2, PTX_SHARED), ptx_number(l, ptx_int(32), bytes));
}

const ptx_rule ptx_bulk_rules[] = {
    {"st.async", lower_few, NULL, true},
    {"red.async", lower_few, NULL, true},
    /* cp.reduce.async.bulk */
    {"cp.reduce", ptx_lower_bulk, NULL, true},
    {NULL},
};
