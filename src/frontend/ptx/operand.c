/*
 * Operands. Registers of PTX have a size and hardly a type: a .b32 holds a float as well. Here a
 * register has the type that it was declared with, and what reads it as another one of the same
 * size sees its bits.
 *
 * The address of a variable is a pointer of kir made an integer, since PTX computes with it as
 * one; pointers.c takes that back.
 */
#include "frontend/ptx/internal.h"

kir_value ptx_call1(ptx_lowering *l, const char *name, kir_value a) {
    return front_emit_call(&l->out, name, ptx_type_of_value(l, a), 1, &a);
}

kir_value ptx_call2(ptx_lowering *l, const char *name, kir_value a, kir_value b) {
    return front_emit_call(&l->out, name, ptx_type_of_value(l, a), 2, (kir_value[]){a, b});
}

kir_value ptx_not(ptx_lowering *l, kir_value a) {
    return ptx_op(l, KIR_XOR, a, ptx_number(l, ptx_type_of_value(l, a), -1));
}

/* ---- types ------------------------------------------------------------------- */

/* The value as this type: another size is only met with integers. */
static kir_value as_type(ptx_lowering *l, kir_value value, kir_type type, bool is_signed) {
    kir_type from = ptx_type_of_value(l, value);
    if ((uint32_t)from.bits * from.lanes == (uint32_t)type.bits * type.lanes)
        return ptx_bits_as(l, value, type);
    if (from.lanes > 1)
        value = ptx_part(l, value, 0);
    if (from.kind == KIR_FLOAT)
        value = ptx_bits_as(l, value, ptx_int(from.bits));
    value = ptx_resize(l, value, ptx_int(type.bits), is_signed);
    if (type.lanes > 1)
        return ptx_join(l, 2, (kir_value[]){value, ptx_number(l, ptx_int(type.bits), 0)});
    return ptx_bits_as(l, value, type);
}

/* ---- names -------------------------------------------------------------------- */

static bool find_in(const hd_hash_table *table, const char *name, uint32_t *index) {
    uint64_t found = hd_hash_get_key(table, name);
    *index = (uint32_t)found;
    return found != HD_NO_VALUE;
}

/* A variable of the function, and which of its range. */
static const ptx_variable *find_local(ptx_lowering *l, const char *name, uint32_t *index,
                                      uint32_t *number) {
    const ptx_names *names = l->at->names;
    *number = 0;
    if (find_in(&names->index, name, index))
        return names->variables[*index]->range ? NULL : names->variables[*index];
    size_t length = strlen(name), digits = 0;
    while (digits < length && digits < 9 && name[length - digits - 1] >= '0' &&
           name[length - digits - 1] <= '9')
        digits++;
    for (size_t d = digits; d > 0; d--) { /* %r1<3> may stand beside %r<20> */
        const char *prefix = hd_strndup(l->arena, name, length - d);
        if (!find_in(&names->index, prefix, index))
            continue;
        uint32_t wanted = 0;
        for (size_t i = length - d; i < length; i++)
            wanted = wanted * 10 + (uint32_t)(name[i] - '0');
        *number = wanted;
        if (wanted < names->variables[*index]->range)
            return names->variables[*index];
    }
    return NULL;
}

/* What the part has of its own, else what all have. */
ptx_symbol ptx_find_in_module(const ptx_shared *s, const char *name, uint32_t part) {
    uint32_t variable, function;
    if (!find_in(&s->variables, name, &variable))
        variable = KIR_NONE;
    if (!find_in(&s->functions, name, &function))
        function = KIR_NONE;
    ptx_symbol found = {PTX_IS_NOTHING, 0, 0, NULL};
    for (; variable != KIR_NONE; variable = s->next_variable[variable]) {
        const ptx_variable *v = &s->ptx->variables[variable];
        bool is_own = v->linkage == PTX_INTERNAL;
        if (is_own ? v->part == part : !found.kind)
            found = (ptx_symbol){PTX_IS_VARIABLE, 0, 0, v};
        if (is_own && v->part == part)
            return found;
    }
    for (; function != KIR_NONE; function = s->next_function[function]) {
        const ptx_function *f = &s->ptx->functions[function];
        bool is_own = f->linkage == PTX_INTERNAL;
        if (is_own ? f->part == part : !found.kind)
            found = (ptx_symbol){PTX_IS_FUNCTION, function, 0, NULL};
        if (is_own && f->part == part)
            return found;
    }
    return found;
}

ptx_symbol ptx_find(ptx_lowering *l, const char *name) {
    uint32_t index, number;
    const ptx_variable *variable = find_local(l, name, &index, &number);
    if (variable && variable->space == PTX_SHARED)
        return (ptx_symbol){PTX_IS_VARIABLE, 0, 0, variable};
    if (variable) {
        const ptx_storage *storage = &l->at->storage[index];
        if (storage->is_in_frame)
            return (ptx_symbol){PTX_IS_MEMORY, 0, ptx_frame_memory(l, storage), variable};
        if (storage->memory != KIR_NONE)
            return (ptx_symbol){PTX_IS_MEMORY, 0, storage->memory, variable};
        return (ptx_symbol){PTX_IS_REGISTER, storage->first + number, 0, variable};
    }
    return ptx_find_in_module(l->shared, name, l->at->names->function->part);
}

ptx_type ptx_declared(ptx_lowering *l, const ptx_operand *operand) {
    if (operand->kind != PTX_NAME)
        return PTX_NO_TYPE;
    ptx_symbol symbol = ptx_find(l, operand->name);
    return symbol.kind == PTX_IS_REGISTER ? symbol.variable->type : PTX_NO_TYPE;
}

/* ---- special registers ---------------------------------------------------------- */

/* Numbers, and what the machine reads. */
const front_named_recipe ptx_special_registers[] = {
    {"smid", "0:i32"},
    {"gridid", "0:i32"},
    {"ctaid.w", "0:i32"},
    {"tid.w", "0:i32"},
    {"cluster_ctaid.w", "0:i32"},
    {"clusterid.w", "0:i32"},
    {"nsmid", "1:i32"},
    {"dynamic_smem_size", "shared_dynamic_bytes:i32()"},
    {"total_smem_size", "shared_bytes:i32()"},
    {"aggr_smem_size", "shared_bytes:i32()"},
    {NULL, NULL}};

static bool special(ptx_lowering *l, const char *name, kir_value *value) {
    kir_value letters[26] = {0};
    const char *recipe =
        front_find_recipe(ptx_special_registers,
                          sizeof ptx_special_registers / sizeof *ptx_special_registers - 1, name);
    if (front_special_register(&l->out, name, value))
        return true;
    if (!strncmp(name, "reserved_smem_offset", 20)) /* what is kept for the system: nothing */
        recipe = "0:i32";
    if (recipe)
        *value = front_recipe(&l->out, recipe, letters, false, ptx_int(32));
    return recipe != NULL;
}

static kir_value special_register(ptx_lowering *l, const char *name) {
    kir_value value;
    if (!strcmp(name, "WARP_SZ"))
        return ptx_number(l, ptx_int(32), 32);
    if (*name == '%' && special(l, name + 1, &value))
        return value;
    if (*name == '%')
        ptx_wrong(l, "there is no register %s here", name);
    else
        ptx_wrong(l, "'%s' is neither a register nor a variable here", name);
    return 0;
}

/* ---- reading ---------------------------------------------------------------------- */

static kir_value address_of(ptx_lowering *l, kir_value pointer, int64_t offset) {
    kir_value address = ptx_to(l, KIR_PTRTOINT, ptx_int(64), pointer);
    return offset ? ptx_op(l, KIR_ADD, address, ptx_number(l, ptx_int(64), offset)) : address;
}

static kir_value value_of_name(ptx_lowering *l, const ptx_operand *operand) {
    ptx_symbol symbol = ptx_find(l, operand->name);
    switch (symbol.kind) {
    case PTX_IS_REGISTER: return ptx_read(l, symbol.number);
    case PTX_IS_MEMORY: return address_of(l, symbol.memory, operand->integer);
    case PTX_IS_VARIABLE: return address_of(l, ptx_static(l, symbol.variable), operand->integer);
    case PTX_IS_FUNCTION: return ptx_number(l, ptx_int(64), ptx_function_number(symbol.number));
    default: return special_register(l, operand->name);
    }
}

static kir_value float_constant(ptx_lowering *l, const ptx_operand *operand, kir_type type) {
    double number;
    float single;
    uint32_t low = (uint32_t)operand->integer;
    memcpy(&number, &operand->integer, sizeof number);
    memcpy(&single, &low, sizeof single);
    bool is_single = operand->type == PTX_F32;
    if (type.kind == KIR_FLOAT && !(is_single && type.bits == 32))
        return front_const_real(&l->out, type, is_single ? (double)single : number);
    kir_type own = ptx_int(is_single ? 32 : 64);
    return as_type(l, ptx_number(l, own, operand->integer), type, false);
}

/* {a, b}: the first in the low bits. */
static kir_value packed(ptx_lowering *l, const ptx_operand *operand, kir_type type) {
    uint32_t bits = (uint32_t)type.bits * type.lanes / (operand->count ? operand->count : 1);
    if (bits != 8 && bits != 16 && bits != 32 && bits != 64) {
        ptx_wrong(l, "%u registers do not make %u bits", operand->count,
                  (uint32_t)type.bits * type.lanes);
        return 0;
    }
    static const ptx_type parts[] = {PTX_B8, PTX_B16, PTX_B32, PTX_B64};
    ptx_type part = parts[bits == 8 ? 0 : bits == 16 ? 1 : bits == 32 ? 2 : 3];
    kir_value values[16] = {0};
    for (uint32_t i = 0; i < operand->count && i < 16; i++)
        values[i] = ptx_value(l, &operand->list[i], part);
    return l->out.status ? 0 : ptx_bits_as(l, ptx_join(l, operand->count, values), type);
}

kir_value ptx_value(ptx_lowering *l, const ptx_operand *operand, ptx_type type) {
    if (l->out.status)
        return 0;
    kir_type wanted = ptx_kir_type(type);
    kir_value value;
    switch (operand->kind) {
    case PTX_NAME:
        value = value_of_name(l, operand);
        value = l->out.status ? 0 : as_type(l, value, wanted, ptx_is_signed(type));
        break;
    case PTX_INTEGER:
        value = ptx_number(l, ptx_int(wanted.lanes > 1 ? 64 : wanted.bits), operand->integer);
        value = as_type(l, value, wanted, false);
        break;
    case PTX_FLOAT: value = float_constant(l, operand, wanted); break;
    case PTX_VECTOR: value = packed(l, operand, wanted); break;
    default:
        ptx_wrong(l, "%s has an operand that it cannot read", ptx_opcode(l->arena, l->inst));
        return 0;
    }
    return operand->negated && !l->out.status ? ptx_not(l, value) : value;
}

const ptx_operand *ptx_operand_at(ptx_lowering *l, uint32_t i) {
    static const ptx_operand none = {.kind = PTX_SINK};
    if (i < l->inst->operand_count)
        return &l->inst->operands[i];
    ptx_wrong(l, "%s has %u operands, which are too few", ptx_opcode(l->arena, l->inst),
              l->inst->operand_count);
    return &none;
}

kir_value ptx_get(ptx_lowering *l, uint32_t i, ptx_type type) {
    return ptx_value(l, ptx_operand_at(l, i), type);
}

/* ---- writing ------------------------------------------------------------------------ */

static void unpack(ptx_lowering *l, const ptx_operand *operand, kir_value value) {
    kir_type type = ptx_type_of_value(l, value);
    uint32_t bits = (uint32_t)type.bits * type.lanes / (operand->count ? operand->count : 1);
    if (bits != 8 && bits != 16 && bits != 32 && bits != 64) {
        ptx_wrong(l, "%u bits do not fall into %u registers", (uint32_t)type.bits * type.lanes,
                  operand->count);
        return;
    }
    kir_type part = {KIR_INT, (uint8_t)bits, (uint8_t)operand->count, 0};
    value = ptx_bits_as(l, value, part);
    for (uint32_t i = 0; i < operand->count; i++)
        ptx_put_to(l, &operand->list[i], operand->count > 1 ? ptx_part(l, value, i) : value, false);
}

void ptx_put_to(ptx_lowering *l, const ptx_operand *operand, kir_value value, bool is_signed) {
    if (l->out.status || operand->kind == PTX_SINK)
        return;
    if (operand->kind == PTX_VECTOR) {
        unpack(l, operand, value);
        return;
    }
    ptx_symbol symbol = {0};
    if (operand->kind == PTX_NAME && strcmp(operand->name, "_") != 0)
        symbol = ptx_find(l, operand->name);
    else if (operand->kind == PTX_NAME)
        return;
    if (symbol.kind != PTX_IS_REGISTER) {
        ptx_wrong(l, "%s writes to what is no register", ptx_opcode(l->arena, l->inst));
        return;
    }
    value = as_type(l, value, l->variables.data[symbol.number], is_signed);
    if (l->predicate != KIR_NONE)
        value = ptx_choose(l, l->predicate, value, ptx_read(l, symbol.number));
    ptx_write(l, symbol.number, value);
}

void ptx_put(ptx_lowering *l, uint32_t i, kir_value value, bool is_signed) {
    ptx_put_to(l, ptx_operand_at(l, i), value, is_signed);
}
