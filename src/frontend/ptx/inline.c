/* Inline assembly (inline.h). Its operands become registers of a function that is its text:
 *
 *     asm("add.f16 %0, %1, %2;" : "=h"(c) : "h"(a), "h"(b))
 *
 *     .func inline() { .reg .b16 %h0, %h1, %h2; { add.f16 %h0, %h1, %h2; } }
 */
#include "frontend/ptx/inline.h"

#include <ctype.h>
#include <stdlib.h>

#include "frontend/ptx/internal.h"

/* What is wrong is said by whoever knows the place. */
static void keep_text(const hd_message *message, void *user) {
    hd_str *first = user;
    if (!first->length)
        hd_str_add(first, message->text);
}

static const char *register_type(char constraint) {
    switch (constraint) {
    case 'h': return "b16";
    case 'r': return "b32";
    case 'l': return "b64";
    case 'f': return "f32";
    case 'd': return "f64";
    default: return NULL;
    }
}

/* One operand as it stands in the text; the character behind it. */
static const char *add_operand(hd_str *text, const char *at, const ptx_inline_operand *operands,
                               uint32_t count) {
    char *end;
    unsigned long index = strtoul(at, &end, 10);
    if (index < count && operands[index].constraint == 'n')
        hd_str_printf(text, "%lld", (long long)operands[index].number);
    else
        hd_str_printf(text, "%%heddle%lu", index);
    return end;
}

static const char *text_of(hd_arena *arena, const char *assembly,
                           const ptx_inline_operand *operands, uint32_t count) {
    hd_str text = {.arena = arena};
    hd_str_add(&text, ".version 8.3\n.target sm_80\n.address_size 64\n.func heddle_inline()\n{\n");
    for (uint32_t i = 0; i < count; i++)
        if (register_type(operands[i].constraint))
            hd_str_printf(&text, ".reg .%s %%heddle%u;\n", register_type(operands[i].constraint),
                          i);
    hd_str_add(&text, "{\n");
    for (const char *at = assembly; *at;) {
        if (*at == '%' && isdigit((unsigned char)at[1])) {
            at = add_operand(&text, at + 1, operands, count);
        } else {
            at += at[0] == '%' && at[1] == '%'; /* %%laneid */
            hd_str_addn(&text, at++, 1);
        }
    }
    size_t end = text.length;
    while (end && isspace((unsigned char)text.data[end - 1]))
        end--;
    bool is_ended = end && strchr(";}{", text.data[end - 1]);
    hd_str_add(&text, is_ended ? "\n}\n}\n" : ";\n}\n}\n");
    return hd_str_text(&text);
}

/* Registers have a value before where somebody gave one. */
static void write_operands(ptx_lowering *l, const ptx_inline_operand *operands, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        if (operands[i].value == KIR_NONE || !register_type(operands[i].constraint))
            continue;
        ptx_symbol symbol = ptx_find(l, hd_format(l->arena, "%%heddle%u", i));
        kir_type type = l->variables.data[symbol.number];
        kir_value value = operands[i].value;
        kir_type own = ptx_type_of_value(l, value);
        if (own.kind == KIR_PTR)
            value = ptx_to(l, KIR_PTRTOINT, ptx_int(64), value);
        else if (own.bits == type.bits)
            value = ptx_bits_as(l, value, type);
        if (ptx_type_of_value(l, value).bits != type.bits)
            value = ptx_resize(l, value, type, false);
        ptx_write(l, symbol.number, value);
        if (!operands[i].is_result)
            hd_push(l->arena, &l->given, symbol.number);
    }
}

/* Where it has jumps, it goes on in a block that something must come to. */
static void finish(ptx_lowering *l, ptx_inline_operand *operands, uint32_t count) {
    front_values results = {0};
    for (uint32_t i = 0; i < count; i++)
        hd_push(l->arena, &results, operands[i].value);
    if (l->lists.count)
        ptx_finish_ssa(l, &results);
    if (l->out.current_block == KIR_NONE)
        ptx_cannot(l, "nothing comes to its end");
    for (uint32_t i = 0; i < count; i++)
        operands[i].value = results.data[i];
}

static void read_operands(ptx_lowering *l, ptx_inline_operand *operands, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        if (!operands[i].is_result)
            continue;
        ptx_symbol symbol = ptx_find(l, hd_format(l->arena, "%%heddle%u", i));
        kir_value value = ptx_read(l, symbol.number);
        kir_type type = operands[i].type, own = ptx_type_of_value(l, value);
        operands[i].value = type.kind == KIR_PTR    ? ptx_pointer(l, value)
                            : type.bits == own.bits ? ptx_bits_as(l, value, type)
                                                    : ptx_resize(l, value, type, false);
    }
}

const char *ptx_lower_inline(front_builder *out, const char *assembly, ptx_inline_operand *operands,
                             uint32_t count) {
    hd_arena *arena = out->arena;
    hd_str why = {.arena = arena};
    const hd_diag diag = {keep_text, &why};
    const char *text = text_of(arena, assembly, operands, count);
    ptx_module *ptx;
    for (uint32_t i = 0; i < count; i++)
        if (operands[i].constraint != 'n' && !register_type(operands[i].constraint))
            return hd_format(arena, "there is no register for constraint '%c'",
                             operands[i].constraint);
    if (ptx_parse(arena, &diag, "inline assembly", text, strlen(text), &ptx))
        return hd_str_text(&why);
    ptx_shared shared = {.arena = arena, .diag = &diag, .ptx = ptx};
    ptx_lowering l = ptx_lowering_of(&shared, 0);
    l.out = *out;
    l.is_open = l.is_inline = true;
    l.first_block = out->current_block;
    l.next_block = out->block_count;
    ptx_index_names(&shared);
    l.at = ptx_instance_new(&l, ptx_names_of(&shared, 0), false);
    write_operands(&l, operands, count);
    ptx_lower_body(&l);
    if (!l.out.status && !l.is_open)
        ptx_cannot(&l, "it ends with a jump, so that nothing comes behind it");
    if (!l.out.status && l.statics.count)
        ptx_cannot(&l, "it declares variables outside of registers");
    if (l.out.status)
        return hd_str_text(&why);
    read_operands(&l, operands, count);
    finish(&l, operands, count);
    if (l.out.status)
        return hd_str_text(&why);
    *out = l.out;
    out->current = &out->lists[out->current_block];
    return NULL;
}
