/*
 * Private memory to values. A struct that a function returns, or a kernel keeps, is bytes of
 * .local or .param memory in PTX; where each access is of a known place, the bytes are variables as
 * registers are, and a pointer that goes through them stays one that is known:
 *
 *     st.local.u64 [%SPL+8], %rd1;      variable "bytes 8 to 15" = %rd1
 *     ld.local.u64 %rd2, [%SPL+8];      %rd2 = that variable
 *
 * Memory whose address goes anywhere else stays memory, and so do bytes that are accessed in more
 * than one way, overlapping.
 */
#include "frontend/ptx/internal.h"

typedef struct slot {
    kir_value memory; /* the alloca */
    int64_t offset;
    uint32_t bytes, variable;
    kir_type type; /* of the variable: an integer, or a vector of them */
    bool overlaps;
} slot;

typedef struct promoter {
    ptx_lowering *l;
    uint32_t count;
    kir_value *memory; /* [count]: the alloca that an address is in, at `offset`, or KIR_NONE */
    int64_t *offset;
    bool *escapes; /* [count]: of allocas */
    hd_vec(slot) slots;
} promoter;

static kir_inst *inst_of(const promoter *p, kir_value value) {
    return &p->l->out.insts.data[value];
}

/* ---- addresses of known places ------------------------------------------------- */

/* Sums of an alloca's address and constants; false: it is none, or has been found before. */
static bool find_place(promoter *p, kir_value value) {
    const kir_inst *inst = inst_of(p, value);
    int64_t number = 0;
    kir_value from = KIR_NONE;
    if (p->memory[value] != KIR_NONE)
        return false;
    if (inst->op == KIR_ALLOCA) {
        p->memory[value] = value;
        return true;
    }
    if (inst->op == KIR_PTRTOINT || inst->op == KIR_INTTOPTR)
        from = inst->args[0];
    else if (inst->op == KIR_ADD && inst->type.bits == 64) {
        bool second = front_is_number(&p->l->out, inst->args[1], &number);
        if (second || front_is_number(&p->l->out, inst->args[0], &number))
            from = inst->args[second ? 0 : 1];
    }
    if (from == KIR_NONE || p->memory[from] == KIR_NONE)
        return false;
    p->memory[value] = p->memory[from];
    p->offset[value] = p->offset[from] + number;
    return true;
}

typedef bool visit_fn(promoter *p, kir_value value);

static bool each(promoter *p, visit_fn *visit) {
    bool any = false;
    const front_values *entry = &p->l->out.entry;
    for (size_t i = 0; i < entry->count; i++)
        any |= visit(p, entry->data[i]);
    for (uint32_t b = 0; b < p->l->out.block_count; b++)
        for (size_t i = 0; i < p->l->out.lists[b].count; i++)
            any |= visit(p, p->l->out.lists[b].data[i]);
    return any;
}

/* ---- what is done with them -------------------------------------------------------- */

static bool is_access(const kir_inst *inst, uint32_t arg) {
    return (inst->op == KIR_LOAD && !inst->is_volatile) ||
           (inst->op == KIR_STORE && arg == 1 && !inst->is_volatile);
}

/* Any other use than by an access, or by a sum that is known, too. */
static bool find_escapes(promoter *p, kir_value value) {
    const kir_inst *inst = inst_of(p, value);
    for (uint32_t a = 0; a < inst->arg_count; a++) {
        kir_value arg = inst->args[a];
        bool goes_on = p->memory[value] != KIR_NONE && p->memory[arg] == p->memory[value];
        if (p->memory[arg] != KIR_NONE && !goes_on && !is_access(inst, a))
            p->escapes[p->memory[arg]] = true;
    }
    return false;
}

static kir_value address_of(const kir_inst *inst) { return inst->args[inst->op == KIR_STORE]; }

static bool is_candidate(const promoter *p, kir_value value) {
    const kir_inst *inst = inst_of(p, value);
    if (inst->op != KIR_LOAD && inst->op != KIR_STORE)
        return false;
    kir_value memory = p->memory[address_of(inst)];
    return memory != KIR_NONE && !p->escapes[memory];
}

static kir_type moved_type(const promoter *p, kir_value value) {
    const kir_inst *inst = inst_of(p, value);
    kir_type type = inst->op == KIR_STORE ? inst_of(p, inst->args[0])->type : inst->type;
    type.kind = KIR_INT;
    type.space = 0;
    return type;
}

static slot *slot_of(promoter *p, kir_value value) {
    kir_value address = address_of(inst_of(p, value)), memory = p->memory[address];
    for (size_t i = 0; i < p->slots.count; i++)
        if (p->slots.data[i].memory == memory && p->slots.data[i].offset == p->offset[address])
            return &p->slots.data[i];
    return NULL;
}

static bool find_slots(promoter *p, kir_value value) {
    if (!is_candidate(p, value))
        return false;
    kir_type type = moved_type(p, value);
    kir_value address = address_of(inst_of(p, value));
    slot made = {.memory = p->memory[address],
                 .offset = p->offset[address],
                 .bytes = kir_type_bytes(type),
                 .type = type};
    slot *known = slot_of(p, value);
    if (known) {
        known->overlaps |= known->bytes != made.bytes;
        known->bytes = known->bytes > made.bytes ? known->bytes : made.bytes;
        return false;
    }
    hd_push(p->l->arena, &p->slots, made);
    return false;
}

/* Bytes that belong to two slots belong to none; beyond the memory's end there is no variable. */
static void drop_overlapping(promoter *p) {
    for (size_t i = 0; i < p->slots.count; i++) {
        slot *a = &p->slots.data[i];
        const kir_inst *memory = inst_of(p, a->memory);
        if (a->offset < 0 || (uint64_t)a->offset + a->bytes > memory->imm[0])
            a->overlaps = true;
        for (size_t k = 0; k < i; k++) {
            slot *b = &p->slots.data[k];
            if (a->memory == b->memory && a->offset < b->offset + b->bytes &&
                b->offset < a->offset + a->bytes)
                a->overlaps = b->overlaps = true;
        }
    }
}

/* ---- variables ----------------------------------------------------------------------- */

/* A load becomes a name of the variable's value; a store goes. */
static bool rewrite(promoter *p, kir_value value) {
    ptx_lowering *l = p->l;
    const slot *s = is_candidate(p, value) ? slot_of(p, value) : NULL;
    if (!s || s->overlaps)
        return false;
    if (inst_of(p, value)->op == KIR_STORE) {
        ptx_write(l, s->variable, ptx_bits_as(l, inst_of(p, value)->args[0], s->type));
        ptx_drop(l, value);
        return true;
    }
    kir_value held = ptx_read(l, s->variable);
    kir_value *args = hd_new_array(l->arena, kir_value, 1);
    args[0] = held;
    kir_inst *inst = inst_of(p, value);
    inst->op = KIR_BITCAST;
    inst->args = args;
    hd_push(l->arena, l->out.current, value);
    return true;
}

static void rewrite_blocks(promoter *p) {
    ptx_lowering *l = p->l;
    front_values *old = l->out.lists;
    uint32_t count = l->out.block_count;
    l->lists.count = l->phi_lists.count = l->phis.count = 0;
    hd_hash_clear(&l->definitions);
    l->out.current_block = 0;
    for (uint32_t b = 0; b < count; b++)
        ptx_block_new(l);
    for (uint32_t b = 0; b < count; b++) {
        l->out.current_block = b;
        l->out.current = &l->lists.data[b];
        for (size_t i = 0; i < old[b].count; i++) {
            const kir_inst *inst = inst_of(p, old[b].data[i]);
            l->out.file = inst->file;
            l->out.place = (hd_place){.line = inst->line, .column = inst->column};
            if (!rewrite(p, old[b].data[i]))
                hd_push(l->arena, l->out.current, old[b].data[i]);
        }
    }
}

void ptx_promote(ptx_lowering *l) {
    promoter p = {.l = l, .count = (uint32_t)l->out.insts.count};
    p.memory = hd_new_array(l->arena, kir_value, p.count);
    memset(p.memory, 0xff, p.count * sizeof *p.memory);
    p.offset = hd_new_array(l->arena, int64_t, p.count);
    p.escapes = hd_new_array(l->arena, bool, p.count);
    while (each(&p, find_place))
        ;
    each(&p, find_escapes);
    each(&p, find_slots);
    drop_overlapping(&p);
    bool any = false;
    for (size_t i = 0; i < p.slots.count; i++) {
        slot *s = &p.slots.data[i];
        s->variable = s->overlaps ? 0 : ptx_variable_new(l, s->type);
        any |= !s->overlaps;
    }
    if (!any)
        return;
    rewrite_blocks(&p);
    ptx_finish_ssa(l, &l->pointers);
}
