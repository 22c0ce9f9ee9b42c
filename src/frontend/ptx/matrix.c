/*
 * Products of small matrices by the threads of a warp. Each holds a part of every matrix in some
 * registers, a fragment; kir takes it as a vector. The layout is that of PTX, and the machine's
 * affair (docs/kir.md).
 */
#include "frontend/ptx/internal.h"

#include <stdio.h>

/* The registers of operand i as a vector of this type. */
static kir_value fragment(ptx_lowering *l, uint32_t i, ptx_type type) {
    const ptx_operand *operand = ptx_operand_at(l, i);
    const ptx_operand *parts = operand->kind == PTX_VECTOR ? operand->list : operand;
    uint32_t count = operand->kind == PTX_VECTOR ? operand->count : 1;
    kir_value values[16] = {0};
    if (count > 16 || !count)
        ptx_wrong(l, "a fragment of %u registers", count);
    for (uint32_t k = 0; k < count && k < 16; k++)
        values[k] = ptx_value(l, &parts[k], type);
    return l->out.status ? 0 : ptx_join(l, count, values);
}

static void put_fragment(ptx_lowering *l, kir_value vector) {
    const ptx_operand *to = ptx_operand_at(l, 0);
    uint32_t count = to->kind == PTX_VECTOR ? to->count : 1;
    for (uint32_t k = 0; k < count; k++)
        ptx_put_to(l, to->kind == PTX_VECTOR ? &to->list[k] : to, ptx_part(l, vector, k), false);
}

/* ---- products ---------------------------------------------------------------------- */

/* mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 d, a, b, c: the last four words are the types
 * of D, A, B and C. */
static void lower_mma(ptx_lowering *l) {
    const ptx_inst *inst = l->inst;
    const char *shape = NULL, *const *types = inst->words + inst->word_count - 4;
    for (uint32_t w = 1; w < inst->word_count; w++)
        if (inst->words[w][0] == 'm' && strchr(inst->words[w], 'n') && strchr(inst->words[w], 'k'))
            shape = inst->words[w];
    static const char results[] = "f32 f16 s32 f64";
    bool is_known = shape && inst->word_count > 6 && hd_has_word(results, types[0]) &&
                    !strcmp(types[0], types[3]) && !ptx_has(inst, "sp") && !ptx_has(inst, "xor") &&
                    ptx_has(inst, "row") && ptx_has(inst, "col");
    if (!is_known) {
        ptx_cannot(l, "%s is not supported; docs/kir.md lists the products that are",
                   ptx_opcode(l->arena, inst));
        return;
    }
    bool is_double = !strcmp(types[1], "f64");
    ptx_type sums = is_double ? PTX_F64 : !strcmp(types[0], "f32") ? PTX_F32 : PTX_B32;
    kir_value args[] = {fragment(l, 1, is_double ? PTX_F64 : PTX_B32),
                        fragment(l, 2, is_double ? PTX_F64 : PTX_B32), fragment(l, 3, sums)};
    bool same = !strcmp(types[1], types[2]);
    const char *name =
        hd_format(l->arena, "mma_%s_%s_%s%s%s%s", shape, types[0], types[1], same ? "" : "_",
                  same ? "" : types[2], ptx_has(inst, "satfinite") ? "_sat" : "");
    put_fragment(l, front_emit_call(&l->out, name, ptx_type_of_value(l, args[2]), 3, args));
}

/* wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 d, a, b, scale-d, imm-scale-a, imm-scale-b{,
 * imm-trans-a}{, imm-trans-b}: eight columns at a time, at once. A is in registers or, as B, where a
 * descriptor says. */
static void lower_wgmma(ptx_lowering *l) {
    const ptx_inst *inst = l->inst;
    const char *shape = NULL, *const *types = inst->words + inst->word_count - 3;
    unsigned columns = 0, depth = 0;
    for (uint32_t w = 1; w < inst->word_count; w++)
        if (!strncmp(inst->words[w], "m64n", 4))
            shape = inst->words[w];
    static const char results[] = "f32 f16 s32";
    const ptx_operand *d = ptx_operand_at(l, 0), *a = ptx_operand_at(l, 1);
    const bool in_registers = a->kind == PTX_VECTOR;
    bool is_known = shape && sscanf(shape, "m64n%uk%u", &columns, &depth) == 2 &&
                    hd_has_word(results, types[0]) && !ptx_has(inst, "sp");
    const uint32_t each = is_known && !strcmp(types[0], "f16") ? 2 : 4;
    if (!is_known || d->kind != PTX_VECTOR || columns % 8 || d->count != columns / 8 * each) {
        ptx_cannot(l, "%s is not supported; docs/kir.md lists the products that are",
                   ptx_opcode(l->arena, inst));
        return;
    }
    int64_t flags = 0;
    const uint32_t more = inst->operand_count;
    for (uint32_t i = 4; i < 6 && i < more; i++)
        flags |= ptx_operand_at(l, i)->integer < 0 ? 1 << (i - 4) : 0;
    for (uint32_t i = 6; i < more; i++) /* of A in registers there is none */
        flags |= ptx_operand_at(l, i)->integer ? 4 << (i - 6 + in_registers) : 0;
    const ptx_type sums = !strcmp(types[0], "f32") ? PTX_F32 : PTX_B32;
    kir_value of_a = in_registers ? fragment(l, 1, PTX_B32) : ptx_get(l, 1, PTX_B64);
    kir_value of_b = ptx_get(l, 2, PTX_B64), scale = ptx_bool(l, ptx_get(l, 3, PTX_PRED));
    const char *name = hd_format(l->arena, "wgmma_k%u_%s_%s_%s%s", depth, types[0], types[1],
                                 types[2], ptx_has(inst, "satfinite") ? "_sat" : "");
    for (uint32_t n = 0; n < columns / 8; n++) {
        const ptx_operand *parts = d->list + n * each;
        kir_value values[4] = {0};
        for (uint32_t k = 0; k < each; k++)
            values[k] = ptx_value(l, &parts[k], sums);
        kir_value args[] = {of_a,
                            of_b,
                            ptx_join(l, each, values),
                            scale,
                            ptx_number(l, ptx_int(32), 8 * n),
                            ptx_number(l, ptx_int(32), flags)};
        kir_value made = front_emit_call(&l->out, name, ptx_type_of_value(l, args[2]), 6, args);
        for (uint32_t k = 0; k < each; k++)
            ptx_put_to(l, &parts[k], ptx_part(l, made, k), false);
    }
}

/* ---- loads, stores and transposition --------------------------------------------------------- */

/* ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {d, ...}, [address], and stmatrix the other way */
static void lower_moved(ptx_lowering *l) {
    const char *what = l->inst->words[0];
    bool stores = !strcmp(what, "stmatrix");
    const ptx_operand *operand = ptx_operand_at(l, stores);
    uint32_t count = operand->kind == PTX_VECTOR ? operand->count : 1;
    if (!ptx_has(l->inst, "m8n8") || (count != 1 && count != 2 && count != 4)) {
        ptx_cannot(l, "%s is not supported; matrices of m8n8 are", ptx_opcode(l->arena, l->inst));
        return;
    }
    kir_value args[] = {ptx_address(l, !stores, PTX_SHARED), stores ? fragment(l, 1, PTX_B32) : 0};
    kir_type type = stores ? (kir_type){0} : front_int_type(32, (uint8_t)count);
    const char *name =
        hd_format(l->arena, "%s_x%u%s", what, count, ptx_has(l->inst, "trans") ? "_trans" : "");
    kir_value made = front_emit_call(&l->out, name, type, 1 + stores, args);
    if (!stores)
        put_fragment(l, made);
}

const ptx_rule ptx_matrix_rules[] = {
    {"mma", lower_mma, NULL, true},
    /* done at once */
    {"wgmma.mma_async", lower_wgmma, NULL, true},
    {"wgmma.fence", NULL, "", true},
    {"wgmma.commit_group", NULL, "", true},
    {"wgmma.wait_group", NULL, "", true},
    {"ldmatrix", lower_moved, NULL, true},
    {"stmatrix", lower_moved, NULL, true},
    {"movmatrix", NULL, "b: movmatrix_trans(a)", true},
    {NULL},
};
