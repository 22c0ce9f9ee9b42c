/*
 * Recursion. Calls are inlined, and a call of a function that is at work already cannot be: it goes back
 * to where that function's copy begins, which so becomes a loop, and comes back by a number. What the
 * functions in between still need waits on a stack in private memory:
 *
 *     f:   if (n < 2) return n;            b1: phi n, phi way, phi top
 *          a = f(n - 1);                   ..  save n, way; top += 16; n = n - 1; way = 1; br b1
 *          return a + n;                   b2: top -= 16; load n, way; a = result
 *                                          ..  switch way: b3 (out of f), 1: b2
 *
 * `top` is one for the whole kernel. A frame has the .local memory of the functions, and what they
 * save. Every register is saved that is not of the innermost call alone.
 */
#include "frontend/ptx/internal.h"

enum { STACK_BYTES = 64 << 10 /* of a thread */, ALIGN = 16 };

/* ---- which functions -------------------------------------------------------------------- */

typedef struct search {
    const ptx_shared *s;
    bool *seen;
    front_values work;
} search;

static void reach(search *to, uint32_t function) {
    if (!to->seen[function])
        hd_push(to->s->arena, &to->work, function);
    to->seen[function] = true;
}

/* What a function calls; through a register, all whose address is taken. */
static void reach_callees(search *to, const ptx_function *f) {
    for (uint32_t i = 0; i < f->inst_count; i++) {
        const ptx_inst *inst = &f->insts[i];
        if (!inst->word_count || strcmp(inst->words[0], "call") != 0 || inst->operand_count < 2)
            continue;
        const char *name = inst->operands[1].name;
        const ptx_symbol symbol =
            name ? ptx_find_in_module(to->s, name, f->part) : (ptx_symbol){PTX_IS_NOTHING, 0, 0, 0};
        if (symbol.kind == PTX_IS_FUNCTION)
            reach(to, symbol.number);
        for (uint32_t k = 0; k < to->s->ptx->function_count && symbol.kind != PTX_IS_FUNCTION; k++)
            if (to->s->is_taken[k])
                reach(to, k);
    }
}

bool ptx_is_recursive(ptx_shared *s, uint32_t function) {
    const uint64_t known = hd_hash_get(&s->recursive, function);
    if (known != HD_NO_VALUE)
        return known;
    search to = {.s = s};
    to.seen = hd_new_array(s->arena, bool, s->ptx->function_count);
    reach_callees(&to, &s->ptx->functions[function]);
    while (to.work.count && !to.seen[function])
        reach_callees(&to, &s->ptx->functions[to.work.data[--to.work.count]]);
    hd_hash_set(&s->recursive, function, to.seen[function]);
    return to.seen[function];
}

/* ---- the stack --------------------------------------------------------------------------- */

static kir_value in_frame(ptx_lowering *l, uint64_t offset) {
    if (l->stack == KIR_NONE)
        l->stack = front_emit_alloca(&l->out, STACK_BYTES, ALIGN);
    return front_emit_addr(&l->out, l->stack, ptx_read(l, l->top), 1, (int64_t)offset);
}

kir_value ptx_frame_memory(ptx_lowering *l, const ptx_storage *storage) {
    return in_frame(l, storage->offset);
}

static void move_top(ptx_lowering *l, int64_t bytes) {
    kir_value by = ptx_number(l, ptx_int(64), bytes);
    ptx_write(l, l->top, ptx_op(l, KIR_ADD, ptx_read(l, l->top), by));
}

/* The variables of the functions at work, up to the one that is called again. */
static front_values saved_variables(ptx_lowering *l, const ptx_instance *again) {
    front_values found = {0};
    for (const ptx_instance *i = l->at;; i = i->caller) {
        for (uint32_t v = 0; v < i->names->count; v++) {
            const ptx_variable *variable = i->names->variables[v];
            const ptx_storage *storage = &i->storage[v];
            bool is_value = storage->memory == KIR_NONE && !storage->is_in_frame;
            for (uint32_t n = 0; is_value && variable->space != PTX_SHARED &&
                                 n < (variable->range ? variable->range : 1);
                 n++)
                hd_push(l->arena, &found, storage->first + n);
        }
        hd_push(l->arena, &found, i->carry);
        if (i->recursion)
            hd_push(l->arena, &found, i->recursion->way);
        if (i == again)
            return found;
    }
}

/* Bits are stored as bytes. */
static kir_type stored_type(kir_type type) {
    return type.kind == KIR_INT && type.bits == 1 ? ptx_int(8) : type;
}

static uint32_t bytes_of(kir_type type) { return kir_type_bytes(stored_type(type)); }

/* Each variable stands in the frame behind the one before; returns where they end. */
static uint64_t save(ptx_lowering *l, const front_values *variables, uint64_t at) {
    for (size_t i = 0; i < variables->count; i++) {
        kir_type type = l->variables.data[variables->data[i]];
        kir_value value = ptx_read(l, variables->data[i]);
        if (type.bits == 1)
            value = ptx_to(l, KIR_ZEXT, ptx_int(8), value);
        at = hd_align_up(at, bytes_of(type));
        front_emit2(&l->out, KIR_STORE, (kir_type){0}, value, in_frame(l, at));
        at += bytes_of(type);
    }
    return at;
}

static void restore(ptx_lowering *l, const front_values *variables, uint64_t at) {
    for (size_t i = 0; i < variables->count; i++) {
        kir_type type = l->variables.data[variables->data[i]];
        at = hd_align_up(at, bytes_of(type));
        kir_value value = ptx_to(l, KIR_LOAD, stored_type(type), in_frame(l, at));
        if (type.bits == 1)
            value = ptx_to(l, KIR_TRUNC, type, value);
        ptx_write(l, variables->data[i], value);
        at += bytes_of(type);
    }
}

/* ---- calls ------------------------------------------------------------------------------- */

void ptx_begin_recursion(ptx_lowering *l, ptx_instance *callee) {
    ptx_recursion *r = callee->recursion = hd_new(l->arena, ptx_recursion);
    r->way = ptx_variable_new(l, ptx_int(32));
    r->entry = ptx_block_new(l);
    ptx_write(l, r->way, ptx_number(l, ptx_int(32), 0));
    ptx_block_start(l, r->entry);
}

/* Behind the body, where every return leads: on to where the call was. */
void ptx_end_recursion(ptx_lowering *l, const ptx_instance *callee) {
    const ptx_recursion *r = callee->recursion;
    uint32_t count = (uint32_t)r->ways.count, *to = hd_new_array(l->arena, uint32_t, count + 1);
    uint64_t *numbers = hd_new_array(l->arena, uint64_t, count + 1);
    kir_value way = ptx_read(l, r->way);
    to[0] = ptx_block_new(l);
    for (uint32_t i = 0; i < count; i++) {
        numbers[i] = i + 1;
        to[i + 1] = r->ways.data[i];
    }
    ptx_switch(l, way, count, numbers, to);
    ptx_block_start(l, to[0]);
}

void ptx_call_again(ptx_lowering *l, ptx_instance *again, const kir_value *args,
                    kir_value *results) {
    const ptx_function *f = again->names->function;
    const front_values variables = saved_variables(l, again);
    ptx_recursion *r = again->recursion;
    const uint64_t locals = l->at->frame_bytes;
    const int64_t frame = (int64_t)hd_align_up(save(l, &variables, locals), ALIGN);
    move_top(l, frame);
    for (uint32_t i = 0; i < f->param_count; i++)
        ptx_write(l, again->storage[f->result_count + i].first, args[i]);
    uint32_t back = ptx_block_new(l);
    hd_push(l->arena, &r->ways, back);
    ptx_write(l, r->way, ptx_number(l, ptx_int(32), (int64_t)r->ways.count));
    ptx_branch(l, r->entry);
    ptx_block_start(l, back);
    for (uint32_t i = 0; i < f->result_count; i++)
        results[i] = ptx_read(l, again->storage[i].first);
    move_top(l, -frame);
    restore(l, &variables, locals);
}
