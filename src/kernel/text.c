/*
 * The text form of kir, as docs/kir.md describes it: one line an instruction,
 *
 *     %12 = addr ptr.global %0 + %9*28 + 8 in "body" + 8 !14:20
 *     %13 = load f32 %12 align 4 !14:20
 *
 * A result has its number and type; what is after `!` is the source position.
 * Every line is written from the same table (KIR_OPS) that the parser reads.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernel/kir.h"

const char *kir_space_name(kir_space space) {
    return space <= KIR_GENERIC ? kir_space_names[space] : "?";
}

/* A word and a quoted text, if there is one. */
static void print_named(hd_str *out, const char *word, const char *text) {
    if (!text)
        return;
    hd_str_add(out, word);
    hd_str_add(out, "\"");
    for (const char *c = text ? text : ""; *c; c++) {
        if (*c == '"' || *c == '\\')
            hd_str_printf(out, "\\%c", *c);
        else if ((unsigned char)*c < 32)
            hd_str_printf(out, "\\%02x", (unsigned char)*c);
        else
            hd_str_addn(out, c, 1);
    }
    hd_str_add(out, "\"");
}

static void print_type(hd_str *out, kir_type type) {
    if (type.kind == KIR_VOID)
        hd_str_add(out, "void");
    else if (type.kind == KIR_PTR)
        hd_str_printf(out, "ptr.%s", kir_space_name(type.space));
    else
        hd_str_printf(out, "%c%u", type.kind == KIR_INT ? 'i' : 'f', type.bits);
    if (type.lanes > 1)
        hd_str_printf(out, "x%u", type.lanes);
}

const char *kir_type_text(hd_arena *arena, kir_type type) {
    hd_str out = {.arena = arena};
    print_type(&out, type);
    return hd_str_text(&out);
}

static bool reads_back(const char *text, uint64_t bits, uint32_t width) {
    double wide = strtod(text, NULL);
    float narrow = strtof(text, NULL);
    uint32_t low = (uint32_t)bits;
    return width == 32 ? !memcmp(&narrow, &low, sizeof low) : !memcmp(&wide, &bits, sizeof bits);
}

/* A float as the shortest decimal that reads back to the same bits, else as bits. */
static void print_float(hd_str *out, uint64_t bits, uint32_t width) {
    char text[40] = "nan";
    uint32_t low = (uint32_t)bits;
    float narrow;
    double value = 0;
    memcpy(&narrow, &low, sizeof narrow);
    memcpy(&value, &bits, sizeof value);
    if (width == 32)
        value = narrow;
    bool exact = false;
    for (int digits = 1; width != 16 && digits <= 17 && !exact; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        exact = reads_back(text, bits, width);
    }
    if (!exact || strpbrk(text, "nN")) /* inf, nan */
        hd_str_printf(out, "0x%" PRIx64, bits);
    else
        hd_str_printf(out, "%s%s", text, strpbrk(text, ".e") ? "" : ".0");
}

static void print_addr(hd_str *out, const kir_inst *inst) {
    hd_str_printf(out, " %%%u", inst->args[0]);
    for (uint32_t i = 1; i < inst->arg_count; i++)
        hd_str_printf(out, " + %%%u*%" PRId64, inst->args[i], inst->scale[i - 1]);
    if (inst->offset)
        hd_str_printf(out, " + %" PRId64, inst->offset);
    print_named(out, " in ", inst->record);
    if (inst->record)
        hd_str_printf(out, " + %u", inst->field_offset);
}

static void print_phi(hd_str *out, const kir_inst *inst) {
    for (uint32_t i = 0; i < inst->arg_count; i++)
        hd_str_printf(out, "%s[%%%u, b%u]", i ? ", " : " ", inst->args[i], inst->from[i]);
}

static void print_targets(hd_str *out, const kir_inst *inst) {
    if (inst->op != KIR_SWITCH) {
        for (uint32_t i = 0; i < inst->to_count; i++)
            hd_str_printf(out, "%s b%u", i || inst->arg_count ? "," : "", inst->to[i]);
        return;
    }
    hd_str_printf(out, ", b%u [", inst->to[0]);
    for (uint32_t i = 0; i < inst->imm_count; i++)
        hd_str_printf(out, "%s%" PRId64 ": b%u", i ? ", " : "", (int64_t)inst->imm[i],
                      inst->to[i + 1]);
    hd_str_add(out, "]");
}

static void print_operands(hd_str *out, const kir_inst *inst) {
    if (inst->op == KIR_ADDR || inst->op == KIR_PHI) {
        (inst->op == KIR_ADDR ? print_addr : print_phi)(out, inst);
        return;
    }
    for (uint32_t i = 0; i < inst->arg_count; i++)
        hd_str_printf(out, "%s%%%u", i ? ", " : " ", inst->args[i]);
    if (inst->op == KIR_CONST) {
        for (uint32_t i = 0; i < inst->imm_count; i++) {
            hd_str_add(out, i ? ", " : " ");
            if (inst->type.kind == KIR_FLOAT)
                print_float(out, inst->imm[i], inst->type.bits);
            else
                hd_str_printf(out, "%" PRId64, kir_sign_extend(inst->imm[i], inst->type.bits));
        }
    } else if (inst->op == KIR_PARAM || inst->op == KIR_STATIC) {
        hd_str_printf(out, " %u", inst->index);
    } else if (inst->op == KIR_ALLOCA) {
        hd_str_printf(out, " %" PRIu64 " align %" PRIu64, inst->imm[0], inst->imm[1]);
    } else if (inst->op == KIR_SHUFFLE) {
        hd_str_add(out, " [");
        for (uint32_t i = 0; i < inst->imm_count; i++) {
            hd_str_add(out, i ? ", " : "");
            if (inst->imm[i] == UINT64_MAX)
                hd_str_add(out, "undef");
            else
                hd_str_printf(out, "%" PRIu64, inst->imm[i]);
        }
        hd_str_add(out, "]");
    } else if (inst->to_count) {
        print_targets(out, inst);
    }
}

static void print_inst(hd_str *out, const kir_kernel *kernel, kir_value value) {
    const kir_inst *inst = &kernel->insts[value];
    if (inst->type.kind != KIR_VOID)
        hd_str_printf(out, "%%%u = ", value);
    hd_str_add(out, kir_op_name(inst->op));
    /* What stands between the opcode and the type: which query, comparison, ... */
    if (inst->op == KIR_QUERY)
        hd_str_printf(out, " %s",
                      inst->index < KIR_QUERY_COUNT ? kir_query_names[inst->index] : "?");
    else if (inst->op == KIR_ATOMIC)
        hd_str_printf(out, " %s", inst->index < KIR_RMW_COUNT ? kir_rmw_names[inst->index] : "?");
    else if (inst->op == KIR_ICMP || inst->op == KIR_FCMP)
        hd_str_printf(out, " %s",
                      (unsigned)inst->pred < KIR_PRED_COUNT ? kir_pred_names[inst->pred] : "?");
    else if (inst->op == KIR_CALL)
        print_named(out, " ", inst->name);
    if (inst->type.kind != KIR_VOID) {
        hd_str_add(out, " ");
        print_type(out, inst->type);
    }
    print_operands(out, inst);
    if (kir_is_memory(inst->op) && inst->align)
        hd_str_printf(out, " align %u", inst->align);
    if (inst->is_volatile)
        hd_str_add(out, " volatile");
    if (inst->order)
        hd_str_printf(out, " %s",
                      (unsigned)inst->order < KIR_ORDER_COUNT ? kir_order_names[inst->order] : "?");
    if (inst->is_block_scope)
        hd_str_add(out, " block_scope");
    if (inst->file)
        hd_str_printf(out, " !%u:%u:%u", inst->file, inst->line, inst->column);
    else if (inst->line)
        hd_str_printf(out, " !%u:%u", inst->line, inst->column);
}

static void print_place(hd_str *out, const hd_place *place) {
    print_named(out, " at ", place->file);
    if (place->file)
        hd_str_printf(out, ":%u:%u", place->line, place->column);
}

static void print_record_name(hd_str *out, const hd_record *record) {
    print_named(out, " record ", record ? record->name : NULL);
}

static const char *const object_words[] = {"", " texture", " image", " sampler"};

static void print_param(hd_str *out, const kir_param *param) {
    print_named(out, "    param ", param->name);
    hd_str_add(out, " ");
    print_type(out, param->type);
    print_named(out, " type ", param->type_name);
    hd_str_printf(out, " bytes %u", param->bytes);
    print_record_name(out, param->record);
    if (param->element_bytes)
        hd_str_printf(out, " element %u", param->element_bytes);
    print_named(out, " of ", param->element_type);
    hd_str_add(out, param->is_const ? " const" : "");
    hd_str_add(out, param->is_restrict ? " restrict" : "");
    hd_str_add(out, param->by_value_struct ? " value" : "");
    hd_str_add(out, object_words[param->object]);
    if (param->format.order)
        hd_str_printf(out, " %s %s", kir_image_order_name(param->format.order),
                      kir_image_type_name(param->format.type));
    hd_str_add(out, "\n");
}

static bool is_zero(const uint8_t *bytes, uint64_t count) {
    uint64_t i = 0;
    while (i < count && !bytes[i])
        i++;
    return i == count;
}

static void print_static(hd_str *out, const kir_static *variable) {
    print_named(out, "    static ", variable->name);
    hd_str_printf(out, " %s%s bytes %" PRIu64 " align %u", kir_space_name(variable->space),
                  variable->is_dynamic ? " dynamic" : "", variable->bytes, variable->align);
    print_record_name(out, variable->record);
    if (variable->init && is_zero(variable->init, variable->bytes)) {
        hd_str_add(out, " zero");
    } else if (variable->init) {
        hd_str_add(out, " init \"");
        for (uint64_t i = 0; i < variable->bytes; i++)
            hd_str_printf(out, "%02x", variable->init[i]);
        hd_str_add(out, "\"");
    }
    for (uint32_t i = 0; i < variable->pointer_count; i++)
        hd_str_printf(out, " pointer %" PRIu64 " to %u + %" PRId64, variable->pointers[i].offset,
                      variable->pointers[i].to, variable->pointers[i].addend);
    hd_str_add(out, "\n");
}

static void print_record(hd_str *out, const hd_record *record) {
    print_named(out, "record ", record->name);
    print_named(out, " type ", record->spelling);
    hd_str_printf(out, " size %u align %u", record->size, record->align);
    print_place(out, &record->place);
    hd_str_add(out, " {\n");
    for (uint32_t i = 0; i < record->field_count; i++) {
        const hd_field *field = &record->fields[i];
        print_named(out, "    ", field->name);
        print_named(out, " ", field->type);
        hd_str_printf(out, " offset %u size %u align %u", field->offset, field->size, field->align);
        if (field->count != 1)
            hd_str_printf(out, " count %u", field->count);
        if (field->lanes)
            hd_str_printf(out, " lanes %u", field->lanes);
        print_record_name(out, field->record);
        hd_str_add(out, "\n");
    }
    hd_str_add(out, "}\n");
}

void kir_print_head(hd_str *out, const kir_module *module) {
    for (uint32_t i = 0; i < KIR_RULE_COUNT; i++)
        if (module->rules >> i & 1)
            hd_str_printf(out, "rule %s\n", kir_rule_names[i]);
    for (uint32_t i = 0; i < module->file_count; i++) {
        print_named(out, "file ", module->files[i].name);
        hd_str_add(out, "\n");
    }
    for (uint32_t i = 0; i < module->record_count; i++)
        print_record(out, module->records[i]);
}

void kir_print_module(hd_str *out, const kir_module *module) {
    kir_print_head(out, module);
    for (uint32_t i = 0; i < module->kernel_count; i++)
        kir_print(out, module->kernels[i]);
}

void kir_print(hd_str *out, const kir_kernel *kernel) {
    print_named(out, "kernel ", kernel->name);
    const uint32_t *local = kernel->required_local;
    if (local[0] | local[1] | local[2])
        hd_str_printf(out, " local %u %u %u", local[0], local[1], local[2]);
    const uint32_t *cluster = kernel->required_cluster;
    if (cluster[0])
        hd_str_printf(out, " cluster %u %u %u", cluster[0], cluster[1], cluster[2]);
    if (kernel->sub_group)
        hd_str_printf(out, " sub_group %u", kernel->sub_group);
    print_place(out, &kernel->place);
    hd_str_add(out, " {\n");
    for (uint32_t i = 0; i < kernel->param_count; i++)
        print_param(out, &kernel->params[i]);
    for (uint32_t i = 0; i < kernel->static_count; i++)
        print_static(out, &kernel->statics[i]);
    for (uint32_t b = 0; b < kernel->block_count; b++) {
        hd_str_printf(out, "b%u:\n", b);
        for (uint32_t i = 0; i < kernel->blocks[b].inst_count; i++) {
            hd_str_add(out, "    ");
            print_inst(out, kernel, kernel->blocks[b].insts[i]);
            hd_str_add(out, "\n");
        }
    }
    hd_str_add(out, "}\n");
}
