/*
 * Addresses. PTX computes them with integers; kir has pointers, and its analyses want them:
 *
 *     %7 = mul i64 %6, 28                 a pointer %0, an index %6, a scale and an offset
 *     %8 = ptrtoint i64 %0
 *     %9 = add i64 %8, %7
 *     %10 = inttoptr ptr.global (%9 + 12)      ->     %10 = addr ptr.global %0 + %6*28 + 12
 *
 * Every load and store asks for a pointer (INTTOPTR). From there the sums are followed back to
 * what they start from, their *base*: in a sum of two it is the operand that looks most like a
 * pointer (its *rank*). A base is the address of a variable, a parameter, a number loaded from
 * memory; where ways join, a phi or a select of pointers. The rest of a sum falls apart into
 * indices times constants. What no base is found for stays an integer made a pointer.
 *
 * An address in shared memory may have 32 bits: the low half of the whole one. All shared memory
 * of a block lies together, so the whole one is that of any shared variable, and how far the low
 * halves are apart.
 */
#include "frontend/ptx/internal.h"

/* How much a value looks like a pointer. */
enum rank { NO_POINTER, MAYBE_POINTER, LOADED, PARAMETER, POINTER };

enum { UNKNOWN = 255, MOST_INDICES = 6, MOST_ROUNDS = 100 };

typedef struct finder {
    ptx_lowering *l;
    hd_arena *arena;
    uint32_t count;      /* of values when we began */
    uint8_t *rank;       /* [count] */
    bool *hinted;        /* [count]: the text says that it is an address */
    bool *wanted;        /* [count]: it is used as an address */
    uint8_t *asked;      /* [count]: the space that those who use it name, UNKNOWN, or GENERIC */
    uint8_t *space;      /* [count]: where it points, of those that are wanted */
    kir_value *pointer;  /* [count]: it as a pointer, or KIR_NONE */
    front_values *after; /* [count]: what is put behind a value */
    front_values work;
    front_values phis;    /* of integers, whose pointers are to be filled in */
    bool *compares;       /* [count]: pointers */
    kir_value *number_of; /* [parameters]: a pointer parameter as an integer, or KIR_NONE */
    kir_value shared;     /* a shared variable, or KIR_NONE */
} finder;

static kir_inst *inst_of(const finder *f, kir_value value) { return &f->l->out.insts.data[value]; }

/* ---- what looks like a pointer --------------------------------------------------- */

static uint8_t greater(uint8_t a, uint8_t b) { return a > b ? a : b; }

static uint8_t rank_of(const finder *f, kir_value value) {
    const kir_inst *inst = inst_of(f, value);
    const kir_value *args = inst->args;
    uint8_t rank = NO_POINTER;
    if (inst->type.kind != KIR_INT || inst->type.lanes != 1 || inst->type.bits < 32)
        return NO_POINTER;
    bool is_wide = inst->type.bits == 64;
    switch (inst->op) {
    case KIR_PTRTOINT: return POINTER;
    case KIR_PARAM: return f->hinted[value] ? POINTER : is_wide ? PARAMETER : NO_POINTER;
    case KIR_LOAD:
    case KIR_EXTRACT: rank = is_wide ? LOADED : NO_POINTER; break;
    case KIR_CALL:
    case KIR_ATOMIC: rank = is_wide ? MAYBE_POINTER : NO_POINTER; break;
    case KIR_ADD: rank = greater(f->rank[args[0]], f->rank[args[1]]); break;
    case KIR_SUB: rank = f->rank[args[0]] > f->rank[args[1]] ? f->rank[args[0]] : NO_POINTER; break;
    case KIR_SELECT: rank = greater(f->rank[args[1]], f->rank[args[2]]); break;
    case KIR_PHI:
        for (uint32_t i = 0; i < inst->arg_count; i++)
            rank = greater(rank, f->rank[args[i]]);
        break;
    case KIR_TRUNC:
    case KIR_ZEXT: rank = f->rank[args[0]] == POINTER ? POINTER : NO_POINTER; break;
    case KIR_AND:
    case KIR_OR:
    case KIR_XOR:
        rank =
            greater(f->rank[args[0]], f->rank[args[1]]) >= PARAMETER ? MAYBE_POINTER : NO_POINTER;
        break;
    default: break;
    }
    return f->hinted[value] ? greater(rank, LOADED) : rank;
}

static void find_ranks(finder *f) {
    bool changed = true;
    for (int round = 0; changed && round < MOST_ROUNDS; round++) {
        changed = false;
        for (uint32_t i = 0; i < f->count;
             i++) { /* to and fro: phis follow each other either way */
            uint32_t v = round % 2 ? f->count - 1 - i : i;
            uint8_t rank = rank_of(f, v);
            changed |= rank != f->rank[v];
            f->rank[v] = rank;
        }
    }
}

/* The operand of a sum that it starts from, or KIR_NONE. */
static kir_value base_of(const finder *f, kir_value value) {
    const kir_inst *inst = inst_of(f, value);
    if (inst->op == KIR_SUB)
        return f->rank[inst->args[0]] > NO_POINTER ? inst->args[0] : KIR_NONE;
    if (inst->op != KIR_ADD)
        return KIR_NONE;
    uint8_t a = f->rank[inst->args[0]], b = f->rank[inst->args[1]];
    if (a == NO_POINTER && b == NO_POINTER)
        return KIR_NONE;
    return inst->args[b > a];
}

/* ---- which space ------------------------------------------------------------------- */

static uint8_t meet(uint8_t a, uint8_t b) {
    return a == UNKNOWN || a == b ? b : b == UNKNOWN ? a : KIR_GENERIC;
}

/* What the value is computed from as an address; called for each of those. */
static uint32_t sources_of(const finder *f, kir_value value, kir_value *sources) {
    const kir_inst *inst = inst_of(f, value);
    kir_value base = base_of(f, value);
    if (base != KIR_NONE) {
        sources[0] = base;
        return 1;
    }
    switch (inst->op) {
    case KIR_TRUNC:
    case KIR_ZEXT: sources[0] = inst->args[0]; return f->rank[value] == POINTER;
    case KIR_SELECT:
        sources[0] = inst->args[1];
        sources[1] = inst->args[2];
        return 2;
    case KIR_PHI:
        for (uint32_t i = 0; i < inst->arg_count; i++)
            sources[i] = inst->args[i];
        return inst->arg_count;
    default: return 0;
    }
}

static uint32_t most_sources(const finder *f, kir_value value) {
    uint32_t count = inst_of(f, value)->arg_count;
    return count > 2 ? count : 2;
}

/* The value is an address, in the space that the instruction names (UNKNOWN: in any). */
static void want(finder *f, kir_value value, uint8_t space) {
    uint8_t asked = meet(f->asked[value], space);
    if (f->wanted[value] && asked == f->asked[value])
        return;
    f->wanted[value] = true;
    f->asked[value] = asked;
    hd_push(f->arena, &f->work, value);
}

static void find_wanted(finder *f) {
    for (uint32_t v = 0; v < f->count; v++) {
        const kir_inst *inst = inst_of(f, v);
        if (inst->op == KIR_INTTOPTR)
            want(f, inst->args[0], inst->type.space == KIR_GENERIC ? UNKNOWN : inst->type.space);
    }
    while (f->work.count) {
        kir_value value = f->work.data[--f->work.count];
        kir_value *sources = hd_new_array(f->arena, kir_value, most_sources(f, value));
        uint32_t count = sources_of(f, value, sources);
        for (uint32_t i = 0; i < count; i++)
            want(f, sources[i], f->asked[value]);
    }
}

static uint8_t space_of(const finder *f, kir_value value) {
    const kir_inst *inst = inst_of(f, value);
    if (inst->op == KIR_PTRTOINT)
        return inst_of(f, inst->args[0])->type.space;
    if (inst->op == KIR_PARAM && inst->type.bits == 64) {
        const ptx_variable *v = &f->l->entry->params[inst->index];
        bool is_named = v->is_pointer && v->pointee_space != PTX_NO_SPACE;
        return is_named                          ? ptx_kir_space(v->pointee_space)
               : f->asked[value] == KIR_CONSTANT ? KIR_CONSTANT /* the object of a texture */
                                                 : KIR_GLOBAL;
    }
    if (inst->op == KIR_CONST || inst->op == KIR_UNDEF)
        return UNKNOWN;
    kir_value *sources = hd_new_array(f->arena, kir_value, most_sources(f, value));
    uint32_t count = sources_of(f, value, sources);
    uint8_t space = UNKNOWN;
    for (uint32_t i = 0; i < count; i++)
        space = meet(space, f->space[sources[i]]);
    if (count)
        return space;
    return f->asked[value] == UNKNOWN ? KIR_GENERIC : f->asked[value];
}

static void find_spaces(finder *f) {
    bool changed = true;
    for (int round = 0; changed; round++) {
        changed = false;
        for (uint32_t i = 0; i < f->count; i++) {
            uint32_t v = round % 2 ? f->count - 1 - i : i;
            if (!f->wanted[v])
                continue;
            uint8_t space = space_of(f, v);
            changed |= space != f->space[v];
            f->space[v] = space;
        }
    }
    for (uint32_t v = 0; v < f->count; v++)
        if (f->wanted[v] && f->space[v] == UNKNOWN)
            f->space[v] = f->asked[v] == UNKNOWN ? KIR_GENERIC : f->asked[v];
}

/* ---- writing ----------------------------------------------------------------------------- */

/* What is emitted goes behind `value`; behind a phi, behind all of its block. */
static void write_behind(finder *f, kir_value value) {
    front_builder *out = &f->l->out;
    const kir_inst *inst = inst_of(f, value);
    out->current = kir_is_leaf(inst->op) ? &out->entry : &f->after[value];
    out->current_block = inst->block;
    out->file = inst->file;
    out->place = (hd_place){.line = inst->line, .column = inst->column};
}

static kir_value emit_behind(finder *f, kir_value value, kir_op op, kir_type type, kir_value arg) {
    write_behind(f, value);
    return front_emit1(&f->l->out, op, type, arg);
}

/* A number of which at least the low half is an address in shared memory. */
static kir_value shared_pointer(finder *f, kir_value value) {
    front_builder *out = &f->l->out;
    kir_type word = ptx_int(32), wide = ptx_int(64);
    write_behind(f, value);
    kir_value low =
        inst_of(f, value)->type.bits == 64 ? front_emit1(out, KIR_TRUNC, word, value) : value;
    kir_value own = front_emit1(out, KIR_PTRTOINT, wide, f->shared);
    own = front_emit1(out, KIR_TRUNC, word, own);
    kir_value apart = front_emit1(out, KIR_SEXT, wide, front_emit2(out, KIR_SUB, word, low, own));
    return front_emit_addr(out, f->shared, apart, 1, 0);
}

static kir_value opaque_pointer(finder *f, kir_value value) {
    kir_type type = front_pointer_type(f->space[value]);
    int64_t number;
    if (front_is_number(&f->l->out, value, &number))
        return front_leaf(&f->l->out, KIR_CONST, type, (uint64_t[]){(uint64_t)number}, 0);
    if (inst_of(f, value)->op == KIR_UNDEF)
        return front_leaf(&f->l->out, KIR_UNDEF, type, NULL, 0);
    if (type.space == KIR_LOCAL && f->shared != KIR_NONE)
        return shared_pointer(f, value);
    if (inst_of(f, value)->type.bits < 64)
        value = emit_behind(f, value, KIR_ZEXT, ptx_int(64), value);
    return emit_behind(f, value, KIR_INTTOPTR, type, value);
}

/* ---- sums -------------------------------------------------------------------------------- */

typedef struct sum {
    kir_value base;
    kir_value index[MOST_INDICES];
    int64_t scale[MOST_INDICES];
    uint32_t count;
    int64_t offset;
    bool is_full;
} sum;

static void add_index(sum *s, kir_value index, int64_t scale) {
    for (uint32_t i = 0; i < s->count; i++)
        if (s->index[i] == index) {
            s->scale[i] += scale;
            return;
        }
    if (s->count == MOST_INDICES) {
        s->is_full = true;
        return;
    }
    s->index[s->count] = index;
    s->scale[s->count++] = scale;
}

/* Adds value * scale to the sum; products with constants are taken apart. */
static void add_term(const finder *f, sum *s, kir_value value, int64_t scale, uint32_t depth) {
    const kir_inst *inst = inst_of(f, value);
    int64_t number;
    if (front_is_number(&f->l->out, value, &number)) {
        s->offset += number * scale;
        return;
    }
    bool is_deep = depth > 16;
    if (!is_deep && inst->op == KIR_MUL &&
        (front_is_number(&f->l->out, inst->args[1], &number) ||
         front_is_number(&f->l->out, inst->args[0], &number))) {
        kir_value other = inst->args[front_is_number(&f->l->out, inst->args[1], &number) ? 0 : 1];
        if (other == inst->args[1])
            front_is_number(&f->l->out, inst->args[0], &number);
        add_term(f, s, other, scale * number, depth + 1);
    } else if (!is_deep && inst->op == KIR_SHL &&
               front_is_number(&f->l->out, inst->args[1], &number) && number >= 0 && number < 32) {
        add_term(f, s, inst->args[0], scale * ((int64_t)1 << number), depth + 1);
    } else if (!is_deep && (inst->op == KIR_ADD || inst->op == KIR_SUB) && inst->type.bits == 64) {
        add_term(f, s, inst->args[0], scale, depth + 1);
        add_term(f, s, inst->args[1], inst->op == KIR_ADD ? scale : -scale, depth + 1);
    } else {
        add_index(s, value, scale);
    }
}

/* Follows a sum back to what is no sum, or has a pointer of its own already. */
static sum sum_of(const finder *f, kir_value value) {
    sum s = {.base = value};
    for (;;) {
        const kir_inst *inst = inst_of(f, s.base);
        kir_value base = base_of(f, s.base);
        bool is_cast =
            (inst->op == KIR_ZEXT || inst->op == KIR_TRUNC) && f->rank[s.base] == POINTER;
        if (is_cast) {
            s.base = inst->args[0];
            continue;
        }
        if (base == KIR_NONE)
            return s;
        sum longer = s;
        kir_value rest = inst->args[base == inst->args[0]];
        longer.base = base;
        add_term(f, &longer, rest, inst->op == KIR_SUB ? -1 : 1, 0);
        if (longer.is_full)
            return s;
        s = longer;
    }
}

/* ---- pointers ------------------------------------------------------------------------------- */

static kir_value pointer_of(finder *f, kir_value value);

static kir_value in_space_behind(finder *f, kir_value value, kir_value pointer, uint8_t space) {
    if (inst_of(f, pointer)->type.space == space)
        return pointer;
    return emit_behind(f, value, KIR_SPACECAST, front_pointer_type(space), pointer);
}

static kir_value sum_pointer(finder *f, kir_value value) {
    sum s = sum_of(f, value);
    if (s.base == value)
        return opaque_pointer(f, value);
    kir_value pointer = pointer_of(f, s.base);
    write_behind(f, value);
    if (s.offset)
        pointer = front_emit_addr(&f->l->out, pointer, KIR_NONE, 0, s.offset);
    for (uint32_t i = 0; i < s.count; i++)
        if (s.scale[i])
            pointer = front_emit_addr(&f->l->out, pointer, s.index[i], s.scale[i], 0);
    return pointer;
}

static kir_value select_pointer(finder *f, kir_value value) {
    const kir_inst inst = *inst_of(f, value);
    kir_value yes = pointer_of(f, inst.args[1]), no = pointer_of(f, inst.args[2]);
    yes = in_space_behind(f, value, yes, f->space[value]);
    no = in_space_behind(f, value, no, f->space[value]);
    write_behind(f, value);
    return front_emit_select(&f->l->out, inst.args[0], yes, no);
}

/* Its operands come later: there may be a way from it to itself. */
static kir_value phi_pointer(finder *f, kir_value value) {
    kir_inst phi = {.op = KIR_PHI,
                    .type = front_pointer_type(f->space[value]),
                    .block = inst_of(f, value)->block};
    kir_value made = (kir_value)f->l->out.insts.count;
    hd_push(f->arena, &f->l->out.insts, phi);
    hd_push(f->arena, &f->phis, value);
    return made;
}

static bool is_pointed(const finder *f, kir_value value) { return f->pointer[value] != KIR_NONE; }

static kir_value pointer_of(finder *f, kir_value value) {
    if (is_pointed(f, value))
        return f->pointer[value];
    kir_inst *inst = inst_of(f, value);
    kir_value made;
    switch (inst->op) {
    case KIR_PTRTOINT: made = inst->args[0]; break;
    case KIR_PARAM:
        if (inst->type.bits == 64) {
            inst->type = front_pointer_type(f->space[value]);
            f->l->kernel->params[inst->index].type = inst->type;
            made = value;
        } else {
            made = opaque_pointer(f, value);
        }
        break;
    case KIR_PHI: made = f->pointer[value] = phi_pointer(f, value); break;
    case KIR_SELECT: made = select_pointer(f, value); break;
    default: made = sum_pointer(f, value); break;
    }
    f->pointer[value] = made;
    return made;
}

/* The operand of a phi of pointers at the end of the block that it comes from. */
static void fill_phi(finder *f, kir_value value) {
    const kir_inst old = *inst_of(f, value);
    kir_value phi = f->pointer[value];
    kir_value *args = hd_new_array(f->arena, kir_value, old.arg_count);
    for (uint32_t i = 0; i < old.arg_count; i++) {
        args[i] = pointer_of(f, old.args[i]);
        args[i] = in_space_behind(f, old.args[i], args[i], f->space[value]);
    }
    kir_inst *inst = inst_of(f, phi);
    inst->args = args;
    inst->from = hd_new_array(f->arena, uint32_t, old.arg_count); /* blocks get other numbers */
    memcpy(inst->from, old.from, old.arg_count * sizeof *inst->from);
    inst->arg_count = old.arg_count;
}

/* ---- the whole kernel -------------------------------------------------------------------------- */

/* An access gets the pointer; what wants another space casts it. */
static void replace_cast(finder *f, kir_value value, kir_value *alias) {
    kir_inst inst = *inst_of(f, value);
    kir_value pointer = pointer_of(f, inst.args[0]);
    uint8_t space = inst_of(f, pointer)->type.space;
    if (inst.type.space == KIR_GENERIC || inst.type.space == space) {
        alias[value] = pointer;
        return;
    }
    kir_inst *cast = inst_of(f, value);
    cast->op = KIR_SPACECAST;
    cast->args = hd_new_array(f->arena, kir_value, 1);
    cast->args[0] = pointer;
}

/* Comparing two addresses is comparing pointers. */
static void compare_pointers(finder *f, kir_value value) {
    kir_inst inst = *inst_of(f, value);
    if (inst.op != KIR_ICMP)
        return;
    kir_value a = inst.args[0], b = inst.args[1];
    int64_t zero;
    bool a_counts = f->wanted[a] && f->rank[a] >= LOADED && inst_of(f, a)->op != KIR_PTRTOINT;
    bool b_counts = f->wanted[b] && f->rank[b] >= LOADED && inst_of(f, b)->op != KIR_PTRTOINT;
    bool b_is_null = front_is_number(&f->l->out, b, &zero) && !zero;
    if (!(a_counts && b_counts && f->space[a] == f->space[b]) && !(a_counts && b_is_null))
        return;
    kir_value x = pointer_of(f, a);
    kir_value y = b_is_null
                      ? front_leaf(&f->l->out, KIR_CONST, inst_of(f, x)->type, (uint64_t[]){0}, 0)
                      : pointer_of(f, b);
    if (inst_of(f, x)->type.space != inst_of(f, y)->type.space)
        return;
    kir_value *args = hd_new_array(f->arena, kir_value, 2);
    args[0] = x;
    args[1] = y;
    inst_of(f, value)->args = args;
    f->compares[value] = true;
}

/* A parameter that is a pointer is one for all; as a number it is made one. */
static kir_value number_of_param(finder *f, kir_value param) {
    uint32_t index = inst_of(f, param)->index;
    front_builder *out = &f->l->out;
    if (f->number_of[index] == KIR_NONE) {
        out->current = &out->entry;
        out->current_block = 0;
        out->place = (hd_place){0};
        f->number_of[index] = front_emit1(out, KIR_PTRTOINT, ptx_int(64), param);
    }
    return f->number_of[index];
}

/* Pointers are meant by what was made here, and by what had its operands replaced. */
static bool takes_pointers(const finder *f, kir_value value) {
    return value >= f->count || inst_of(f, value)->op == KIR_SPACECAST || f->compares[value];
}

static bool is_pointer_param(const finder *f, kir_value value) {
    const kir_inst *inst = inst_of(f, value);
    return inst->op == KIR_PARAM && inst->type.kind == KIR_PTR && inst->type.space != KIR_PRIVATE &&
           value < f->count && is_pointed(f, value);
}

static void rebuild_lists(finder *f, const kir_value *alias) {
    front_builder *out = &f->l->out;
    for (uint32_t b = 0; b < out->block_count; b++) {
        front_values list = {0}, behind_phis = {0};
        bool in_phis = true;
        for (size_t i = 0; i < out->lists[b].count; i++) {
            kir_value v = out->lists[b].data[i];
            bool is_phi = inst_of(f, v)->op == KIR_PHI;
            if (in_phis && !is_phi) {
                for (size_t k = 0; k < behind_phis.count; k++)
                    hd_push(f->arena, &list, behind_phis.data[k]);
                in_phis = false;
            }
            if (v >= f->count || alias[v] == v)
                hd_push(f->arena, &list, v);
            if (is_phi && is_pointed(f, v) && inst_of(f, f->pointer[v])->op == KIR_PHI)
                hd_push(f->arena, &list, f->pointer[v]);
            for (size_t k = 0; k < f->after[v].count; k++)
                hd_push(f->arena, is_phi ? &behind_phis : &list, f->after[v].data[k]);
        }
        out->lists[b] = list;
    }
}

static void rename_arg(finder *f, kir_value user, uint32_t a, const kir_value *alias) {
    kir_value old = inst_of(f, user)->args[a], arg = old;
    while (arg < f->count && alias[arg] != arg)
        arg = alias[arg];
    if (arg == old && is_pointer_param(f, arg) && !takes_pointers(f, user))
        arg = number_of_param(f, arg);
    inst_of(f, user)->args[a] = arg;
}

static void rename_list(finder *f, const front_values *list, const kir_value *alias) {
    for (size_t i = 0; i < list->count; i++)
        for (uint32_t a = 0; a < inst_of(f, list->data[i])->arg_count; a++)
            rename_arg(f, list->data[i], a, alias);
}

static void rename_args(finder *f, const kir_value *alias) {
    const front_values entry = f->l->out.entry; /* numbers of parameters are added to it */
    rename_list(f, &entry, alias);
    for (uint32_t b = 0; b < f->l->out.block_count; b++)
        rename_list(f, &f->l->out.lists[b], alias);
}

static void begin(finder *f) {
    ptx_lowering *l = f->l;
    f->count = (uint32_t)l->out.insts.count;
    f->rank = hd_new_array(f->arena, uint8_t, f->count);
    f->hinted = hd_new_array(f->arena, bool, f->count);
    f->wanted = hd_new_array(f->arena, bool, f->count);
    f->asked = hd_new_array(f->arena, uint8_t, f->count);
    f->space = hd_new_array(f->arena, uint8_t, f->count);
    memset(f->asked, UNKNOWN, f->count);
    memset(f->space, UNKNOWN, f->count);
    f->pointer = hd_new_array(f->arena, kir_value, f->count);
    memset(f->pointer, 0xff, f->count * sizeof *f->pointer);
    f->compares = hd_new_array(f->arena, bool, f->count);
    f->after = hd_new_array(f->arena, front_values, f->count);
    f->number_of = hd_new_array(f->arena, kir_value, l->kernel->param_count);
    memset(f->number_of, 0xff, l->kernel->param_count * sizeof *f->number_of);
    for (size_t i = 0; i < l->pointers.count; i++)
        f->hinted[l->pointers.data[i]] = true;
    for (uint32_t i = 0; i < l->kernel->param_count; i++)
        if (l->entry->params[i].is_pointer)
            f->hinted[front_leaf(&l->out, KIR_PARAM, l->kernel->params[i].type, NULL, i)] = true;
    f->shared = KIR_NONE;
    for (uint32_t v = 0; v < f->count; v++)
        if (inst_of(f, v)->op == KIR_STATIC && inst_of(f, v)->type.space == KIR_LOCAL)
            f->shared = v;
}

void ptx_find_pointers(ptx_lowering *l) {
    finder f = {.l = l, .arena = l->arena};
    begin(&f);
    find_ranks(&f);
    find_wanted(&f);
    find_spaces(&f);
    kir_value *alias = hd_new_array(l->arena, kir_value, f.count);
    for (uint32_t v = 0; v < f.count; v++)
        alias[v] = v;
    for (uint32_t b = 0; b < l->out.block_count; b++)
        for (size_t i = 0; i < l->out.lists[b].count; i++) {
            kir_value v = l->out.lists[b].data[i];
            if (inst_of(&f, v)->op == KIR_INTTOPTR)
                replace_cast(&f, v, alias);
        }
    for (uint32_t b = 0; b < l->out.block_count; b++)
        for (size_t i = 0; i < l->out.lists[b].count; i++)
            compare_pointers(&f, l->out.lists[b].data[i]);
    while (f.phis.count) {
        kir_value value = f.phis.data[--f.phis.count];
        fill_phi(&f, value);
    }
    rebuild_lists(&f, alias);
    rename_args(&f, alias);
}
