/*
 * Registers to values. A register of PTX is a variable that is written anywhere; kir wants one
 * instruction for each value. Values are found where they are read (Braun, Buchwald, Hack, Leissa,
 * Mallon and Zwinkau, "Simple and efficient construction of static single assignment form", CC
 * 2013): the last one written in the block, else a phi of the block, which gets its operands when
 * all blocks are there. Phis that join but one value go.
 *
 *     @p bra L;              b1: condbr %p, b3, b2
 *     add.s32 %r1, %r1, 1;   b2: %5 = add %4, 1
 * L:  st.u32 [a], %r1;       b3: %6 = phi [%4, b1] [%5, b2]
 */
#include "frontend/ptx/internal.h"

uint32_t ptx_variable_new(ptx_lowering *l, kir_type type) {
    hd_push(l->arena, &l->variables, type);
    return (uint32_t)l->variables.count - 1;
}

static uint64_t key_of(uint32_t variable, uint32_t block) {
    return (uint64_t)variable << 32 | block;
}

static void define(ptx_lowering *l, uint32_t variable, uint32_t block, kir_value value) {
    hd_hash_set(&l->definitions, key_of(variable, block), value);
}

void ptx_write(ptx_lowering *l, uint32_t variable, kir_value value) {
    define(l, variable, l->out.current_block, value);
}

static kir_value new_phi(ptx_lowering *l, uint32_t variable, uint32_t block) {
    kir_inst phi = {.op = KIR_PHI, .type = l->variables.data[variable], .block = block};
    kir_value value = (kir_value)l->out.insts.count;
    hd_push(l->arena, &l->out.insts, phi);
    hd_push(l->arena, &l->phi_lists.data[block], value);
    hd_push(l->arena, &l->phis, (ptx_phi){value, variable, block});
    return value;
}

static kir_value read_in(ptx_lowering *l, uint32_t variable, uint32_t block) {
    uint64_t known = hd_hash_get(&l->definitions, key_of(variable, block));
    if (known != HD_NO_VALUE)
        return (kir_value)known;
    kir_value value = block != l->first_block
                          ? new_phi(l, variable, block)
                          : front_leaf(&l->out, KIR_UNDEF, l->variables.data[variable], NULL, 0);
    define(l, variable, block, value);
    return value;
}

kir_value ptx_read(ptx_lowering *l, uint32_t variable) {
    return read_in(l, variable, l->out.current_block);
}

/* ---- blocks --------------------------------------------------------------- */

/* Inline assembly goes on with the blocks that are there. */
static void take_blocks(ptx_lowering *l) {
    for (uint32_t b = 0; b < l->out.block_count; b++) {
        hd_push(l->arena, &l->lists, l->out.lists[b]);
        hd_push(l->arena, &l->phi_lists, (front_values){0});
    }
}

uint32_t ptx_block_new(ptx_lowering *l) {
    if (l->is_inline && !l->lists.count)
        take_blocks(l);
    hd_push(l->arena, &l->lists, (front_values){0});
    hd_push(l->arena, &l->phi_lists, (front_values){0});
    hd_keep(&l->lists, l->out.lists, l->out.block_count);
    l->out.current = &l->lists.data[l->out.current_block];
    uint32_t made = l->out.block_count - 1;
    for (size_t i = 0; i < l->given.count; i++)
        define(l, l->given.data[i], made, read_in(l, l->given.data[i], l->first_block));
    return made;
}

void ptx_block_start(ptx_lowering *l, uint32_t block) {
    if (l->is_open)
        ptx_branch(l, block);
    l->out.current_block = block;
    l->out.current = &l->lists.data[block];
    l->is_open = true;
}

void ptx_end_block(ptx_lowering *l, kir_op op, uint32_t arg_count, const kir_value *args,
                   uint32_t to_count, const uint32_t *to) {
    kir_value value = front_emit(&l->out, op, (kir_type){0}, arg_count, args);
    kir_inst *last = &l->out.insts.data[value];
    last->to_count = to_count;
    last->to = hd_new_array(l->arena, uint32_t, to_count);
    for (uint32_t i = 0; i < to_count; i++)
        last->to[i] = to[i];
    l->is_open = false;
}

void ptx_branch(ptx_lowering *l, uint32_t to) { ptx_end_block(l, KIR_BR, 0, NULL, 1, &to); }

void ptx_branch_if(ptx_lowering *l, kir_value condition, uint32_t yes, uint32_t no) {
    if (yes == no)
        ptx_branch(l, yes);
    else
        ptx_end_block(l, KIR_CONDBR, 1, &condition, 2, (uint32_t[]){yes, no});
}

void ptx_switch(ptx_lowering *l, kir_value by, uint32_t count, uint64_t *numbers,
                const uint32_t *to) {
    ptx_end_block(l, KIR_SWITCH, 1, &by, count + 1, to);
    kir_inst *last = &l->out.insts.data[l->out.insts.count - 1];
    last->imm = numbers;
    last->imm_count = count;
}

void ptx_drop(ptx_lowering *l, kir_value value) {
    kir_inst *inst = &l->out.insts.data[value];
    inst->op = KIR_UNDEF;
    inst->arg_count = inst->to_count = 0;
}

/* ---- the order of blocks --------------------------------------------------- */

typedef struct finisher {
    ptx_lowering *l;
    front_values *kept;  /* see ptx_finish_ssa() */
    uint32_t *number;    /* of a block in the new order; KIR_NONE: it is not reached */
    front_values order;  /* blocks */
    front_values *preds; /* of blocks that are reached, each once */
    kir_value *alias;    /* [inst_count]: what a value is another name of, or itself */
    uint32_t known;      /* aliases */
    front_values *users; /* phis that have the value as an operand */
} finisher;

/* Inline assembly leaves its last block open, where nothing may stand yet. */
static const kir_inst *last_of(const ptx_lowering *l, uint32_t block) {
    static const kir_inst nothing = {.op = KIR_UNDEF};
    const front_values *list = &l->lists.data[block];
    return list->count ? &l->out.insts.data[list->data[list->count - 1]] : &nothing;
}

/* Reverse post-order in which what follows in the text comes first: the target of a branch is
 * visited before the block behind it. */
static void order_blocks(finisher *f) {
    typedef struct visit {
        uint32_t block, done;
    } visit;
    const ptx_lowering *l = f->l;
    hd_vec(visit) stack = {0};
    front_values post = {0};
    bool *seen = hd_new_array(l->arena, bool, l->lists.count);
    hd_push(l->arena, &stack, (visit){l->first_block, 0});
    seen[l->first_block] = true;
    while (stack.count) {
        visit *top = &stack.data[stack.count - 1];
        const kir_inst *last = last_of(l, top->block);
        if (top->done == last->to_count) {
            hd_push(l->arena, &post, top->block);
            stack.count--;
            continue;
        }
        uint32_t next = last->to[top->done++];
        if (!seen[next])
            hd_push(l->arena, &stack, (visit){next, 0});
        seen[next] = true;
    }
    f->number = hd_new_array(l->arena, uint32_t, l->lists.count);
    memset(f->number, 0xff, l->lists.count * sizeof *f->number);
    for (size_t i = post.count; i-- > 0;) {
        f->number[post.data[i]] =
            f->order.count ? l->next_block + (uint32_t)f->order.count - 1 : l->first_block;
        hd_push(l->arena, &f->order, post.data[i]);
    }
}

static void find_preds(finisher *f) {
    const ptx_lowering *l = f->l;
    f->preds = hd_new_array(l->arena, front_values, l->lists.count);
    for (size_t i = 0; i < f->order.count; i++) {
        uint32_t from = f->order.data[i];
        const kir_inst *last = last_of(l, from);
        for (uint32_t t = 0; t < last->to_count; t++) {
            front_values *preds = &f->preds[last->to[t]];
            if (!preds->count || preds->data[preds->count - 1] != from)
                hd_push(l->arena, preds, from);
        }
    }
}

/* ---- phis -------------------------------------------------------------------- */

/* The value at the end of a block; one with a single way in needs no phi of its own. */
static kir_value value_at_end(finisher *f, uint32_t variable, uint32_t block) {
    ptx_lowering *l = f->l;
    uint32_t from = block;
    while (from != l->first_block && f->preds[from].count == 1 &&
           hd_hash_get(&l->definitions, key_of(variable, from)) == HD_NO_VALUE)
        from = f->preds[from].data[0];
    kir_value value = read_in(l, variable, from);
    define(l, variable, block, value);
    return value;
}

static void fill_phis(finisher *f) {
    ptx_lowering *l = f->l;
    for (size_t i = 0; i < l->phis.count; i++) {
        ptx_phi phi = l->phis.data[i];
        const front_values *preds = &f->preds[phi.block];
        kir_value *args = hd_new_array(l->arena, kir_value, preds->count);
        uint32_t *from = hd_new_array(l->arena, uint32_t, preds->count);
        for (size_t p = 0; p < preds->count; p++) {
            from[p] = preds->data[p];
            args[p] = value_at_end(f, phi.variable, from[p]);
        }
        kir_inst *inst = &l->out.insts.data[phi.value];
        inst->args = args;
        inst->from = from;
        inst->arg_count = (uint32_t)preds->count;
    }
}

static kir_value real_value(finisher *f, kir_value value) {
    kir_value root = value;
    while (root < f->known && f->alias[root] != root)
        root = f->alias[root];
    while (value < f->known && f->alias[value] != root) {
        kir_value next = f->alias[value];
        f->alias[value] = root;
        value = next;
    }
    return root;
}

/* The one value that a phi joins, KIR_NONE where there are several. */
static kir_value joined_by(finisher *f, kir_value phi) {
    const kir_inst *inst = &f->l->out.insts.data[phi];
    kir_value same = KIR_NONE;
    for (uint32_t i = 0; i < inst->arg_count; i++) {
        kir_value arg = real_value(f, inst->args[i]);
        if (arg == phi || arg == same)
            continue;
        if (same != KIR_NONE)
            return KIR_NONE;
        same = arg;
    }
    return same != KIR_NONE ? same : front_leaf(&f->l->out, KIR_UNDEF, inst->type, NULL, 0);
}

/* A cast to the type that a value has. */
static bool is_same_again(const ptx_lowering *l, const kir_inst *inst) {
    if (inst->op != KIR_BITCAST)
        return false;
    kir_type from = l->out.insts.data[inst->args[0]].type;
    return from.kind == inst->type.kind && from.bits == inst->type.bits &&
           from.lanes == inst->type.lanes;
}

static void drop_needless_phis(finisher *f) {
    ptx_lowering *l = f->l;
    f->known = (uint32_t)l->out.insts.count;
    f->alias = hd_new_array(l->arena, kir_value, f->known);
    f->users = hd_new_array(l->arena, front_values, f->known);
    for (uint32_t v = 0; v < f->known; v++) {
        const kir_inst *inst = &l->out.insts.data[v];
        f->alias[v] = !l->is_inline && is_same_again(l, inst) ? inst->args[0] : v;
    }
    front_values work = {0};
    for (size_t i = 0; i < l->phis.count; i++) {
        kir_value phi = l->phis.data[i].value;
        const kir_inst *inst = &l->out.insts.data[phi];
        for (uint32_t a = 0; a < inst->arg_count; a++)
            if (l->out.insts.data[inst->args[a]].op == KIR_PHI)
                hd_push(l->arena, &f->users[inst->args[a]], phi);
        hd_push(l->arena, &work, phi);
    }
    while (work.count) {
        kir_value phi = work.data[--work.count];
        if (f->alias[phi] != phi)
            continue;
        kir_value same = joined_by(f, phi);
        if (same == KIR_NONE)
            continue;
        f->alias[phi] = same;
        bool joins = same < f->known && l->out.insts.data[same].op == KIR_PHI;
        for (size_t u = 0; u < f->users[phi].count; u++) {
            hd_push(l->arena, &work, f->users[phi].data[u]);
            if (joins)
                hd_push(l->arena, &f->users[same], f->users[phi].data[u]);
        }
    }
}

/* Blocks in the new order, with their phis, and every operand by its real name. */
static void rebuild(finisher *f) {
    ptx_lowering *l = f->l;
    uint32_t count = l->next_block + (uint32_t)f->order.count - 1;
    front_values *lists = hd_new_array(l->arena, front_values, count);
    for (uint32_t b = 0; b < l->next_block; b++)
        if (b != l->first_block)
            lists[b] = l->lists.data[b];
    for (uint32_t n = 0; n < f->order.count; n++) {
        uint32_t b = f->number[f->order.data[n]];
        const front_values *parts[] = {&l->phi_lists.data[f->order.data[n]],
                                       &l->lists.data[f->order.data[n]]};
        for (size_t p = 0; p < 2; p++)
            for (size_t i = 0; i < parts[p]->count; i++)
                if (real_value(f, parts[p]->data[i]) == parts[p]->data[i]) {
                    hd_push(l->arena, &lists[b], parts[p]->data[i]);
                    l->out.insts.data[parts[p]->data[i]].block = b;
                }
        for (size_t i = 0; i < lists[b].count; i++) {
            kir_inst *inst = &l->out.insts.data[lists[b].data[i]];
            for (uint32_t a = 0; a < inst->arg_count; a++)
                inst->args[a] = real_value(f, inst->args[a]);
            /* Blocks before inline assembly keep their numbers. */
            for (uint32_t a = 0; inst->op == KIR_PHI && a < inst->arg_count; a++)
                if (f->number[inst->from[a]] != KIR_NONE)
                    inst->from[a] = f->number[inst->from[a]];
            for (uint32_t t = 0; t < inst->to_count; t++)
                inst->to[t] = f->number[inst->to[t]];
        }
    }
    for (size_t i = 0; i < f->kept->count; i++)
        f->kept->data[i] = real_value(f, f->kept->data[i]);
    if (l->is_inline)
        l->out.current_block = f->number[l->out.current_block];
    l->out.lists = lists;
    l->out.block_count = count;
}

void ptx_finish_ssa(ptx_lowering *l, front_values *kept) {
    finisher f = {.l = l, .kept = kept};
    order_blocks(&f);
    find_preds(&f);
    /* Phis of blocks that are not reached have no operands to look for. */
    fill_phis(&f);
    drop_needless_phis(&f);
    rebuild(&f);
}
