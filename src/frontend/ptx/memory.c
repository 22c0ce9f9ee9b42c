/*
 * Loads, stores, atomics and what else has an address.
 *
 * An address is an integer here, made a pointer where it is used; pointers.c finds what it
 * points into. Parameters of a kernel are values, or bytes in private memory where they are
 * arrays; those of a call are variables of SSA, or such bytes.
 */
#include "frontend/ptx/internal.h"

/* ---- spaces ---------------------------------------------------------------------- */

/* Words such as "shared::cta" say more than the space. */
ptx_space ptx_space_of(const ptx_inst *inst) {
    static const struct {
        const char *name;
        ptx_space space;
    } spaces[] = {{"const", PTX_CONST},
                  {"global", PTX_GLOBAL},
                  {"local", PTX_LOCAL},
                  {"param", PTX_PARAM},
                  {"shared", PTX_SHARED}};
    for (uint32_t w = 1; w < inst->word_count; w++)
        for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++) {
            size_t length = strlen(spaces[i].name);
            if (!strncmp(inst->words[w], spaces[i].name, length) &&
                (!inst->words[w][length] || inst->words[w][length] == ':'))
                return spaces[i].space;
        }
    return PTX_NO_SPACE;
}

kir_space ptx_kir_space(ptx_space space) {
    switch (space) {
    case PTX_CONST: return KIR_CONSTANT;
    case PTX_GLOBAL: return KIR_GLOBAL;
    case PTX_LOCAL:
    case PTX_PARAM: return KIR_PRIVATE;
    case PTX_SHARED: return KIR_LOCAL;
    default: return KIR_GENERIC;
    }
}

/* ---- addresses ---------------------------------------------------------------------- */

/* What an operand of inline assembly was before it became a number; KIR_NONE: it was none. */
static kir_value pointer_behind(const ptx_lowering *l, kir_value address, int64_t *offset) {
    for (;;) {
        const kir_inst *inst = &l->out.insts.data[address];
        if (inst->op == KIR_PTRTOINT)
            return inst->args[0];
        const kir_inst *other = inst->op == KIR_ADD ? &l->out.insts.data[inst->args[1]] : NULL;
        if (other && other->op == KIR_CONST)
            *offset += kir_sign_extend(other->imm[0], other->type.bits);
        else if (inst->op != KIR_TRUNC && inst->op != KIR_ZEXT)
            return KIR_NONE;
        address = inst->args[0];
    }
}

static kir_value to_pointer(ptx_lowering *l, kir_value address, kir_space space) {
    int64_t offset = 0;
    kir_value pointer = l->is_inline ? pointer_behind(l, address, &offset) : KIR_NONE;
    if (pointer != KIR_NONE) {
        bool is_open = ptx_type_of_value(l, pointer).space == KIR_GENERIC;
        pointer = is_open ? front_in_space(&l->out, pointer, space) : pointer;
        return offset ? front_emit_addr(&l->out, pointer, KIR_NONE, 0, offset) : pointer;
    }
    return ptx_to(l, KIR_INTTOPTR, front_pointer_type(space), address);
}

kir_value ptx_pointer(ptx_lowering *l, kir_value integer) {
    return to_pointer(l, integer, KIR_GENERIC);
}

/* The register or variable of an address, of 32 bits as 32. */
static kir_value value_of_address(ptx_lowering *l, const ptx_operand *operand, int64_t *offset) {
    ptx_operand name = *operand;
    *offset = operand->integer;
    if (!operand->name) {
        *offset = 0;
        return ptx_number(l, ptx_int(64), operand->integer);
    }
    name.kind = PTX_NAME;
    ptx_type declared = ptx_declared(l, &name);
    if (declared == PTX_NO_TYPE)
        *offset = 0; /* of a variable the name has it already */
    bool is_narrow = declared != PTX_NO_TYPE && ptx_type_bits(declared) == 32;
    return ptx_value(l, &name, is_narrow ? PTX_U32 : PTX_U64);
}

/* Each address of a block once. */
static kir_value pointer_of(ptx_lowering *l, const ptx_operand *operand, ptx_space space) {
    if (operand->kind != PTX_ADDRESS && operand->kind != PTX_NAME) {
        ptx_wrong(l, "%s needs an address in brackets here", ptx_opcode(l->arena, l->inst));
        return 0;
    }
    int64_t offset;
    kir_value value = value_of_address(l, operand, &offset);
    ptx_pointed *key = hd_new(l->arena, ptx_pointed);
    *key = (ptx_pointed){value, l->out.current_block, space, 0, offset};
    uint64_t known = hd_hash_get_key(&l->known_pointers, key);
    if (known != HD_NO_VALUE)
        return (kir_value)known;
    if (offset)
        value = ptx_op(l, KIR_ADD, value, ptx_number(l, ptx_type_of_value(l, value), offset));
    value = ptx_resize(l, value, ptx_int(64), false);
    kir_value pointer = to_pointer(l, value, ptx_kir_space(space));
    hd_hash_add_key(&l->known_pointers, key, pointer);
    return pointer;
}

kir_value ptx_address(ptx_lowering *l, uint32_t i, ptx_space space) {
    return pointer_of(l, ptx_operand_at(l, i), space);
}

kir_value ptx_address_plus(ptx_lowering *l, uint32_t i, ptx_space space, kir_value index,
                           uint32_t bytes) {
    int64_t offset;
    if (l->is_inline)
        return front_emit_addr(&l->out, ptx_address(l, i, space), index, bytes, 0);
    kir_value value = value_of_address(l, ptx_operand_at(l, i), &offset);
    kir_type wide = ptx_int(64);
    if (bytes > 1)
        index = ptx_op(l, KIR_MUL, index, ptx_number(l, wide, bytes));
    value = ptx_op(l, KIR_ADD, ptx_resize(l, value, wide, false), index);
    if (offset)
        value = ptx_op(l, KIR_ADD, value, ptx_number(l, wide, offset));
    return to_pointer(l, value, ptx_kir_space(space));
}

/* ---- vectors ------------------------------------------------------------------------- */

/* The type in memory: bits that all go to or come from registers of floats are floats. */
kir_type ptx_moved_type(ptx_lowering *l, const ptx_operand *operand, ptx_type type) {
    const ptx_operand *parts = operand->kind == PTX_VECTOR ? operand->list : operand;
    uint32_t count = operand->kind == PTX_VECTOR ? operand->count : 1;
    kir_type result = ptx_kir_type(type);
    if (result.lanes > 1 || count > 16 || !count)
        return result;
    bool all = true;
    for (uint32_t i = 0; i < count; i++) {
        ptx_type declared = ptx_declared(l, &parts[i]);
        all &= ptx_is_float(declared) && ptx_type_bits(declared) == result.bits &&
               ptx_kir_type(declared).kind == KIR_FLOAT;
    }
    if (all)
        result.kind = KIR_FLOAT;
    result.lanes = (uint8_t)count;
    return result;
}

void ptx_put_vector(ptx_lowering *l, const ptx_operand *operand, kir_value value, bool is_signed) {
    if (operand->kind != PTX_VECTOR) {
        ptx_put_to(l, operand, value, is_signed);
        return;
    }
    for (uint32_t i = 0; i < operand->count; i++)
        if (operand->list[i].kind != PTX_SINK)
            ptx_put_to(l, &operand->list[i], ptx_part(l, value, i), is_signed);
}

kir_value ptx_get_vector(ptx_lowering *l, const ptx_operand *operand, ptx_type type,
                         kir_type memory) {
    if (operand->kind != PTX_VECTOR)
        return ptx_bits_as(l, ptx_value(l, operand, type), memory);
    kir_value parts[16] = {0};
    for (uint32_t i = 0; i < operand->count && i < 16; i++)
        parts[i] =
            ptx_bits_as(l, ptx_value(l, &operand->list[i], type), front_element_type(memory));
    return ptx_join(l, memory.lanes, parts);
}

/* ---- parameters as values -------------------------------------------------------------- */

/* The register that a .param variable is; NULL where it has memory. */
static bool is_value(ptx_lowering *l, const ptx_operand *address, ptx_symbol *symbol) {
    if (address->kind != PTX_ADDRESS || !address->name)
        return false;
    *symbol = ptx_find(l, address->name);
    return symbol->kind == PTX_IS_REGISTER && symbol->variable->space == PTX_PARAM;
}

/* ld.param of a value, or of some of its bytes. */
static void load_value(ptx_lowering *l, const ptx_operand *address, ptx_symbol symbol,
                       ptx_type type) {
    kir_value value = ptx_read(l, symbol.number);
    kir_type own = ptx_type_of_value(l, value);
    const ptx_operand *to = ptx_operand_at(l, 0);
    kir_type part = ptx_moved_type(l, to, type);
    uint32_t bits = own.bits * own.lanes;
    if (address->integer < 0 || address->integer > bits ||
        address->integer * 8 + part.bits * part.lanes > bits) {
        ptx_wrong(l, "%s reads beyond %s", ptx_opcode(l->arena, l->inst), address->name);
        return;
    }
    if (address->integer || part.bits * part.lanes != bits) {
        kir_type whole = ptx_int((uint8_t)own.bits);
        value = ptx_bits_as(l, value, whole);
        value = ptx_op(l, KIR_LSHR, value, ptx_number(l, whole, address->integer * 8));
        value = ptx_resize(l, value, ptx_int((uint8_t)(part.bits * part.lanes)), false);
    }
    ptx_put_vector(l, to, ptx_bits_as(l, value, part), ptx_is_signed(type));
}

static void store_value(ptx_lowering *l, const ptx_operand *address, ptx_symbol symbol,
                        ptx_type type) {
    const ptx_operand *from = ptx_operand_at(l, 1);
    kir_type memory = ptx_moved_type(l, from, type);
    kir_value value = ptx_get_vector(l, from, type, memory);
    kir_type own = l->variables.data[symbol.number];
    uint32_t bits = memory.bits * memory.lanes;
    if (!bits || address->integer < 0 || address->integer > own.bits ||
        address->integer * 8 + bits > own.bits) {
        ptx_wrong(l, "%s writes beyond %s", ptx_opcode(l->arena, l->inst), address->name);
        return;
    }
    value = ptx_bits_as(l, value, bits <= 64 ? ptx_int((uint8_t)bits) : memory);
    if (bits != own.bits) {
        kir_type whole = ptx_int(own.bits);
        kir_value old = ptx_bits_as(l, ptx_read(l, symbol.number), whole);
        uint64_t mask = (UINT64_MAX >> (64 - bits)) << address->integer * 8;
        old = ptx_op(l, KIR_AND, old, ptx_number(l, whole, (int64_t)~mask));
        value = ptx_op(l, KIR_SHL, ptx_resize(l, value, whole, false),
                       ptx_number(l, whole, address->integer * 8));
        value = ptx_op(l, KIR_OR, old, value);
    }
    ptx_write(l, symbol.number, ptx_bits_as(l, value, own));
}

/* ---- loads and stores --------------------------------------------------------------------- */

/* Those that others see in order are atomic. */
static bool is_ordered(const ptx_inst *inst) {
    return ptx_has(inst, "acquire") || ptx_has(inst, "release") || ptx_has(inst, "relaxed");
}

/* The order and scope that an instruction says, in kir's last one; `unsaid` without a word. A
 * cluster is one block here, and the system one device. */
void ptx_set_order(ptx_lowering *l, kir_order unsaid) {
    kir_inst *inst = &l->out.insts.data[l->out.insts.count - 1];
    inst->order = ptx_has(l->inst, "acq_rel") || ptx_has(l->inst, "sc") ? KIR_ACQ_REL
                  : ptx_has(l->inst, "acquire")                         ? KIR_ACQUIRE
                  : ptx_has(l->inst, "release")                         ? KIR_RELEASE
                                                                        : unsaid;
    inst->is_block_scope = ptx_has(l->inst, "cta") || ptx_has(l->inst, "cluster");
}

static ptx_type access_type(ptx_lowering *l) {
    ptx_type type = ptx_type_of(l->inst, 0);
    if (type == PTX_NO_TYPE)
        ptx_wrong(l, "%s has no type", ptx_opcode(l->arena, l->inst));
    return type;
}

static void lower_load(ptx_lowering *l) {
    ptx_type type = access_type(l);
    ptx_space space = ptx_space_of(l->inst);
    const ptx_operand *address = ptx_operand_at(l, 1), *to = ptx_operand_at(l, 0);
    ptx_symbol symbol;
    if (is_value(l, address, &symbol)) {
        load_value(l, address, symbol, type);
        return;
    }
    kir_value pointer = ptx_address(l, 1, space), value;
    kir_type memory = ptx_moved_type(l, to, type);
    if (is_ordered(l->inst) && memory.lanes == 1) {
        memory.kind = KIR_INT;
        value = front_emit_atomic(&l->out, KIR_RMW_LOAD, memory, 1, &pointer);
        ptx_set_order(l, KIR_UNSAID);
    } else {
        value = front_emit_load(&l->out, memory, pointer, kir_type_bytes(memory));
        l->out.insts.data[value].is_volatile = ptx_has(l->inst, "volatile");
        if (is_ordered(l->inst) || ptx_has(l->inst, "volatile"))
            ptx_set_order(l, KIR_RELAXED);
    }
    ptx_put_vector(l, to, value, ptx_is_signed(type));
}

void ptx_lower_store(ptx_lowering *l) {
    ptx_type type = access_type(l);
    ptx_space space = ptx_space_of(l->inst);
    const ptx_operand *address = ptx_operand_at(l, 0), *from = ptx_operand_at(l, 1);
    ptx_symbol symbol;
    if (is_value(l, address, &symbol)) {
        store_value(l, address, symbol, type);
        return;
    }
    kir_type memory = ptx_moved_type(l, from, type);
    kir_value value = ptx_get_vector(l, from, type, memory);
    kir_value pointer = ptx_address(l, 0, space);
    if (is_ordered(l->inst) && memory.lanes == 1) {
        kir_value args[] = {pointer, ptx_bits_as(l, value, ptx_int(memory.bits))};
        front_emit_atomic(&l->out, KIR_RMW_STORE, (kir_type){0}, 2, args);
        ptx_set_order(l, KIR_UNSAID);
        return;
    }
    front_emit_store(&l->out, value, pointer, kir_type_bytes(memory));
    l->out.insts.data[l->out.insts.count - 1].is_volatile = ptx_has(l->inst, "volatile");
    if (is_ordered(l->inst) || ptx_has(l->inst, "volatile"))
        ptx_set_order(l, KIR_RELAXED);
}

/* ---- atomics -------------------------------------------------------------------------------- */

/* The word that says the operation; NULL: there is none; cas is apart. */
const char *ptx_operation_of(const ptx_inst *inst) {
    static const char *const words[] = {"exch", "add", "and", "or", "xor",
                                        "inc",  "dec", "min", "max"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (ptx_has(inst, words[i]))
            return words[i];
    return NULL;
}

/* Packed numbers and bf16 have operations of their own in kir. */
kir_value ptx_atomic(ptx_lowering *l, const char *word, ptx_type type, kir_value pointer,
                     kir_value operand) {
    static const kir_rmw packed[] = {[PTX_BF16] = KIR_RMW_BF16_ADD,
                                     [PTX_F16X2] = KIR_RMW_F16X2_ADD,
                                     [PTX_BF16X2] = KIR_RMW_BF16X2_ADD};
    bool is_packed = type == PTX_BF16 || type == PTX_F16X2 || type == PTX_BF16X2;
    bool is_float = ptx_is_float(type), is_exchange = !strcmp(word, "exch");
    kir_rmw rmw =
        front_rmw_of(is_exchange ? "xchg" : word, !is_float && !ptx_is_signed(type), is_float);
    if (is_packed && rmw == KIR_RMW_FADD)
        rmw = packed[type];
    else if (is_packed && !is_exchange)
        ptx_cannot(l, "%s is not supported", ptx_opcode(l->arena, l->inst));
    kir_value args[] = {pointer, operand};
    kir_value old = front_emit_atomic(&l->out, rmw, ptx_type_of_value(l, operand), 2, args);
    ptx_set_order(l, KIR_UNSAID);
    return old;
}

/* Each number of a vector by itself, as PTX has it. */
static void atomic_vector(ptx_lowering *l, const char *how, ptx_type type, uint32_t first,
                          const ptx_operand *operand) {
    const ptx_operand *address = ptx_operand_at(l, first);
    for (uint32_t i = 0; i < operand->count; i++) {
        ptx_operand part = *address;
        part.integer += i * (ptx_type_bits(type) / 8);
        kir_value pointer = pointer_of(l, &part, ptx_space_of(l->inst));
        kir_value value = ptx_value(l, &operand->list[i], type);
        value = ptx_atomic(l, how, type, pointer, value);
        const ptx_operand *to = ptx_operand_at(l, 0);
        if (first && to->kind == PTX_VECTOR && i < to->count)
            ptx_put_to(l, &to->list[i], value, false);
    }
}

/* atom gives the old value to operand 0; red does not, and has one operand less. */
void ptx_lower_atomic(ptx_lowering *l) {
    uint32_t first = !strcmp(l->inst->words[0], "atom");
    ptx_type type = access_type(l);
    const char *how = ptx_operation_of(l->inst);
    bool is_cas = ptx_has(l->inst, "cas");
    const ptx_operand *operand = ptx_operand_at(l, first + 1);
    if (type == PTX_B128 || (!how && !is_cas)) {
        ptx_cannot(l, "%s is not supported", ptx_opcode(l->arena, l->inst));
        return;
    }
    if (operand->kind == PTX_VECTOR && how) {
        atomic_vector(l, how, type, first, operand);
        return;
    }
    kir_value pointer = ptx_address(l, first, ptx_space_of(l->inst));
    kir_value value = ptx_get(l, first + 1, type), old;
    kir_value other = is_cas ? ptx_get(l, first + 2, type) : 0;
    if (is_cas) { /* the second operand is compared, the third one stored */
        kir_value args[] = {pointer, other, value};
        old = front_emit_atomic(&l->out, KIR_RMW_CMPXCHG, ptx_type_of_value(l, value), 3, args);
        ptx_set_order(l, KIR_UNSAID);
    } else {
        old = ptx_atomic(l, how, type, pointer, value);
    }
    if (first)
        ptx_put(l, 0, old, ptx_is_signed(type));
}

/* ---- addresses as such ------------------------------------------------------------------------ */

/* An address is the same number in every space. One of 32 bits is the low half of it. */
static void lower_cvta(ptx_lowering *l) {
    ptx_type type = ptx_type_of(l->inst, 0);
    bool is_narrow = type == PTX_U32 || type == PTX_B32;
    kir_value value = ptx_get(l, 1, is_narrow ? PTX_U32 : PTX_U64);
    if (!ptx_has(l->inst, "to") && ptx_kir_space(ptx_space_of(l->inst)) == KIR_LOCAL) {
        /* It may have come from 32 bits: the pointer knows better. */
        value = to_pointer(l, ptx_resize(l, value, ptx_int(64), false), KIR_LOCAL);
        value = ptx_to(l, KIR_PTRTOINT, ptx_int(64), value);
    }
    hd_push(l->arena, &l->pointers, value);
    ptx_put(l, 0, value, false);
}

static void lower_isspacep(ptx_lowering *l) {
    static const char *const names[] = {[PTX_CONST] = "const",
                                        [PTX_GLOBAL] = "global",
                                        [PTX_LOCAL] = "local",
                                        [PTX_SHARED] = "shared"};
    ptx_space space = ptx_space_of(l->inst);
    kir_value value = ptx_get(l, 1, PTX_U64);
    if (space == PTX_PARAM || space == PTX_NO_SPACE) {
        ptx_cannot(l, "%s is not supported", ptx_opcode(l->arena, l->inst));
        return;
    }
    value = ptx_pointer(l, value);
    const char *name = hd_format(l->arena, "is_in_space_%s", names[space]);
    ptx_put(l, 0, ptx_is_not_zero(l, front_emit_call(&l->out, name, ptx_int(32), 1, &value)),
            false);
}

/* ---- copies -------------------------------------------------------------------------------------- */

/* cp.async.cg.shared.global [to], [from], 16{, bytes or ignore}: at once. What is not copied
 * is zero. */
static void lower_copy(ptx_lowering *l) {
    kir_value to = ptx_address(l, 0, PTX_SHARED), from = ptx_address(l, 1, PTX_GLOBAL);
    kir_value bytes = ptx_get(l, 2, PTX_U32);
    const ptx_operand *last = l->inst->operand_count > 3 ? ptx_operand_at(l, 3) : NULL;
    kir_value copied = bytes;
    bool is_policy = last && ptx_declared(l, last) == PTX_B64;
    if (last && !is_policy) {
        bool ignores = ptx_declared(l, last) == PTX_PRED;
        kir_value value = ptx_value(l, last, ignores ? PTX_PRED : PTX_U32);
        copied = ignores ? ptx_choose(l, value, ptx_number(l, ptx_int(32), 0), bytes) : value;
        kir_value zero[] = {to, ptx_number(l, ptx_int(8), 0), bytes};
        front_emit(&l->out, KIR_FILL, (kir_type){0}, 3, zero);
    }
    front_emit(&l->out, KIR_COPY, (kir_type){0}, 3, (kir_value[]){to, from, copied});
}

static void lower_cp(ptx_lowering *l) {
    static const char done[] = "commit_group wait_group wait_all";
    bool is_async = ptx_has(l->inst, "async");
    if (is_async && l->inst->word_count > 2 && hd_has_word(done, l->inst->words[2]))
        return;
    if (is_async && l->inst->word_count > 2 && !strcmp(l->inst->words[2], "mbarrier"))
        ptx_lower_async_arrival(l);
    else if (ptx_has(l->inst, "bulk"))
        ptx_lower_bulk(l);
    else
        lower_copy(l);
}

const ptx_rule ptx_memory_rules[] = {
    {"ld", lower_load, NULL, true},
    {"ldu", lower_load, NULL, true},
    {"st", ptx_lower_store, NULL, true},
    {"atom", ptx_lower_atomic, NULL, true},
    {"red", ptx_lower_atomic, NULL, true},
    {"cvta", lower_cvta, NULL, false},
    {"isspacep", lower_isspacep, NULL, false},
    {"cp", lower_cp, NULL, true},
    {"prefetch", NULL, "", false},
    {"prefetchu", NULL, "", false},
    {"discard", NULL, "", false},
    {"applypriority", NULL, "", false},
    /* a policy for caches has no meaning */
    {"createpolicy", NULL, ": 0:i64", false},
    {NULL},
};
