/*
 * What the parser made of PTX, as text again without blanks: instructions as "add.s32%r1,%r2,4;".
 * What was renamed has its new name.
 */
#ifndef HD_TESTS_FRONTEND_PTX_TEXT_H
#define HD_TESTS_FRONTEND_PTX_TEXT_H

#include <inttypes.h>

#include "frontend/ptx/ast.h"

static inline void print_operand(hd_str *out, const ptx_operand *o);

static inline void print_list(hd_str *out, const ptx_operand *o, const char *brackets,
                              const char *between) {
    hd_str_addn(out, brackets, strlen(brackets) / 2);
    for (uint32_t i = 0; i < o->count; i++) {
        hd_str_add(out, i ? between : "");
        print_operand(out, &o->list[i]);
    }
    hd_str_add(out, brackets + strlen(brackets) / 2);
}

static inline void print_sum(hd_str *out, const ptx_operand *o) {
    hd_str_add(out, o->name ? o->name : "");
    if (o->integer || !o->name)
        hd_str_printf(out, "%s%" PRId64, o->name ? "+" : "", o->integer);
}

static inline void print_operand(hd_str *out, const ptx_operand *o) {
    hd_str_add(out, o->negated ? "!" : "");
    switch (o->kind) {
    case PTX_NAME: print_sum(out, o); break;
    case PTX_INTEGER: hd_str_printf(out, "%" PRId64, o->integer); break;
    case PTX_FLOAT:
        hd_str_printf(out, o->type == PTX_F32 ? "0f%08" PRIX64 : "0d%016" PRIX64,
                      (uint64_t)o->integer);
        break;
    case PTX_ADDRESS:
        hd_str_add(out, "[");
        print_sum(out, o);
        hd_str_add(out, o->count ? "," : "");
        print_list(out, o, "", ",");
        hd_str_add(out, "]");
        break;
    case PTX_VECTOR: print_list(out, o, "{}", ","); break;
    case PTX_PAIR: print_list(out, o, "", "|"); break;
    case PTX_SINK: hd_str_add(out, "_"); break;
    }
}

/* Parts that a text may leave out when they are empty are left out. */
static inline void print_call(hd_str *out, const ptx_inst *inst) {
    if (inst->operands[0].count) {
        print_list(out, &inst->operands[0], "()", ",");
        hd_str_add(out, ",");
    }
    hd_str_add(out, inst->operands[1].name);
    if (inst->operands[2].count) {
        hd_str_add(out, ",");
        print_list(out, &inst->operands[2], "()", ",");
    }
    if (inst->operand_count > 3)
        hd_str_printf(out, ",%s", inst->operands[3].name);
}

static inline void print_inst(hd_str *out, const ptx_inst *inst) {
    if (inst->label) {
        hd_str_printf(out, "%s:", inst->label);
        return;
    }
    if (inst->predicate)
        hd_str_printf(out, "@%s%s", inst->unless ? "!" : "", inst->predicate);
    for (uint32_t w = 0; w < inst->word_count; w++)
        hd_str_printf(out, "%s%s", w ? "." : "", inst->words[w]);
    if (!strcmp(inst->words[0], "call"))
        print_call(out, inst);
    else
        for (uint32_t i = 0; i < inst->operand_count; i++) {
            hd_str_add(out, i ? "," : "");
            print_operand(out, &inst->operands[i]);
        }
    hd_str_add(out, ";");
}

/* All of a body, an instruction or label a line. */
static inline const char *print_body(hd_arena *arena, const ptx_function *f) {
    hd_str out = {.arena = arena};
    for (uint32_t i = 0; i < f->inst_count; i++) {
        print_inst(&out, &f->insts[i]);
        hd_str_add(&out, "\n");
    }
    return hd_str_text(&out);
}

#endif
