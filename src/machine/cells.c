/*
 * Which cell of the frame every value lives in.
 *
 * Each component of a value is a *unit*, unless it is merely another name for a
 * component that is there already (an EXTRACT at a constant place, a BITCAST of
 * equal width, a cast between pointers) or a constant. Varying units that are
 * never alive at once share cells, so that a frame stays in the cache: a unit's
 * life is the hull of all places in program order where it is alive, and cells
 * are given out in the order of births (linear scan). A lane's cells are its own,
 * whatever other lanes do meanwhile, so the order of one thread's execution is
 * all that counts. A uniform unit has one cell for all lanes and shares it with
 * nobody.
 */
#include <stdlib.h>

#include "machine/compile.h"

/* ---- units ---------------------------------------------------------------------- */

static bool is_leaf_constant(const kir_inst *inst) {
    return inst->op == KIR_CONST || inst->op == KIR_UNDEF || inst->op == KIR_ALLOCA;
}

static bool constant_lane(const kir_kernel *k, kir_value v, int64_t *lane) {
    return kir_const_int(k, v, lane) && *lane >= 0 && *lane < VM_MAX_COMPONENTS;
}

/* Every use of this sign extension is an index of an address, which takes an i32 itself. */
static bool only_indexes(const kir_kernel *k, kir_value v) {
    bool used = false;
    for (kir_value u = 0; u < k->inst_count; u++) {
        const kir_inst *user = &k->insts[u];
        for (uint32_t i = 0; i < user->arg_count; i++) {
            if (user->args[i] != v)
                continue;
            if (user->op != KIR_ADDR || i == 0)
                return false;
            used = true;
        }
    }
    return used;
}

vm_unit_name vm_source_of(const vm_compiler *c, kir_value v, uint32_t k) {
    const kir_kernel *kernel = c->kernel;
    const kir_inst *inst = &kernel->insts[v];
    vm_unit_name own = {v, k};
    if (kir_is_leaf(inst->op) || !inst->arg_count)
        return own;
    vm_unit_name same = {inst->args[0], k};
    kir_type from_type = kernel->insts[inst->args[0]].type;
    int64_t lane;
    switch (inst->op) {
    case KIR_BITCAST:
    case KIR_PTRTOINT:
    case KIR_INTTOPTR:
        return from_type.lanes == inst->type.lanes && from_type.bits == inst->type.bits ? same
                                                                                        : own;
    case KIR_SPACECAST:
    case KIR_FREEZE: return same;
    case KIR_SEXT:
        return from_type.bits == 32 && inst->type.lanes == 1 && only_indexes(kernel, v) ? same
                                                                                        : own;
    case KIR_EXTRACT:
        return constant_lane(kernel, inst->args[1], &lane)
                   ? (vm_unit_name){inst->args[0], (uint32_t)lane}
                   : own;
    case KIR_INSERT:
        if (!constant_lane(kernel, inst->args[2], &lane))
            return own;
        return lane == (int64_t)k ? (vm_unit_name){inst->args[1], 0} : same;
    case KIR_SHUFFLE: {
        uint64_t from = inst->imm[k];
        uint32_t lanes = from_type.lanes;
        if (from == UINT64_MAX)
            return (vm_unit_name){inst->args[0], 0};
        return from < lanes ? (vm_unit_name){inst->args[0], (uint32_t)from}
                            : (vm_unit_name){inst->args[1], (uint32_t)from - lanes};
    }
    default: return own;
    }
}

static uint32_t components(kir_type type) { return type.kind == KIR_VOID ? 0 : type.lanes; }

static bool same_name(vm_unit_name a, vm_unit_name b) {
    return a.value == b.value && a.component == b.component;
}

/* Finds the names, and numbers what has a cell. Sources stand before what is named after them,
 * except for phis, which are never names. */
static void find_units(vm_compiler *c, vm_cells *cells) {
    const kir_kernel *k = c->kernel;
    const bool *varying = c->divergence->varying;
    for (uint32_t i = 0; i < c->flow->rpo_count; i++) {
        const kir_block *block = &k->blocks[c->flow->rpo[i]];
        for (uint32_t n = 0; n < block->inst_count; n++) {
            kir_value v = block->insts[n];
            const kir_inst *inst = &k->insts[v];
            uint32_t count = components(inst->type);
            int64_t d; /* queries of a constant dimension are filled before the block starts */
            bool is_filled = inst->op == KIR_PARAM || inst->op == KIR_STATIC ||
                             (inst->op == KIR_QUERY &&
                              (!inst->arg_count || kir_const_int(k, inst->args[0], &d)));
            cells->names[v] = hd_new_array(c->arena, vm_unit_name, count);
            cells->units[v] = hd_new_array(c->arena, uint32_t, count);
            for (uint32_t j = 0; j < count; j++) {
                vm_unit_name own = {v, j}, source = vm_source_of(c, v, j);
                if (!same_name(own, source) && !is_leaf_constant(&k->insts[source.value]))
                    source = cells->names[source.value][source.component];
                /* It must be alive wherever its source is redefined only together with it, and
                 * hold for the same lanes. */
                bool is_alias = !same_name(own, source) && varying[v] == varying[source.value];
                cells->names[v][j] = is_alias ? source : own;
                cells->units[v][j] =
                    is_alias ? cells->units[source.value][source.component] : UINT32_MAX;
                if (is_alias || is_leaf_constant(inst) || is_filled)
                    continue;
                cells->units[v][j] = (uint32_t)cells->unit.count;
                vm_unit unit = {.value = v,
                                .elem = vm_elem_of(inst->type),
                                .varying = varying[v],
                                .birth = UINT32_MAX};
                hd_push(c->arena, &cells->unit, unit);
            }
        }
    }
}

/* ---- lives ------------------------------------------------------------------------ */

/* Places in program order: instruction p reads at 2p and writes at 2p + 1. */
typedef struct lives {
    vm_compiler *c;
    vm_cells *cells;
    uint32_t words;
    uint64_t *in, *out;    /* [block][words] */
    uint32_t *begin, *end; /* [block] places of its first and last instruction */
} lives;

static void touch(vm_cells *cells, uint32_t unit, uint32_t place) {
    vm_unit *u = &cells->unit.data[unit];
    u->birth = place < u->birth ? place : u->birth;
    u->death = place > u->death ? place : u->death;
}

static uint64_t *row(const lives *l, uint64_t *sets, uint32_t block) {
    return sets + (size_t)block * l->words;
}

/* For the unit behind each component of an operand, if there is one. */
#define EACH_UNIT(l, v, unit)                                                         \
    for (uint32_t k_ = 0, unit; k_ < components((l)->c->kernel->insts[v].type); k_++) \
        if ((unit = (l)->cells->units[v][k_]) != UINT32_MAX)

static void gather_phi_uses(lives *l, uint32_t from, uint64_t *set) {
    const kir_kernel *k = l->c->kernel;
    const kir_inst *last = kir_terminator(k, from);
    for (uint32_t s = 0; s < last->to_count; s++) {
        const kir_block *to = &k->blocks[last->to[s]];
        for (uint32_t n = 0; n < to->inst_count && k->insts[to->insts[n]].op == KIR_PHI; n++) {
            const kir_inst *phi = &k->insts[to->insts[n]];
            for (uint32_t a = 0; a < phi->arg_count; a++)
                if (phi->from[a] == from)
                    EACH_UNIT(l, phi->args[a], unit)
                        set[unit / 64] |= (uint64_t)1 << unit % 64;
        }
    }
}

/* One backward step over a block; true when its live-in set grew. */
static bool flow_back(lives *l, uint32_t b) {
    const kir_kernel *k = l->c->kernel;
    const kir_block *block = &k->blocks[b];
    uint64_t *out = row(l, l->out, b), *in = row(l, l->in, b);
    const kir_inst *last = kir_terminator(k, b);
    for (uint32_t s = 0; s < last->to_count; s++)
        for (uint32_t w = 0; w < l->words; w++)
            out[w] |= row(l, l->in, last->to[s])[w];
    gather_phi_uses(l, b, out);
    uint64_t *now = hd_new_array(l->c->arena, uint64_t, l->words);
    memcpy(now, out, l->words * sizeof *now);
    for (uint32_t n = block->inst_count; n-- > 0;) {
        kir_value v = block->insts[n];
        const kir_inst *inst = &k->insts[v];
        EACH_UNIT(l, v, unit)
            if (l->cells->unit.data[unit].value == v)
                now[unit / 64] &= ~((uint64_t)1 << unit % 64);
        for (uint32_t a = 0; a < inst->arg_count && inst->op != KIR_PHI; a++)
            EACH_UNIT(l, inst->args[a], unit)
                now[unit / 64] |= (uint64_t)1 << unit % 64;
    }
    bool grew = memcmp(in, now, l->words * sizeof *now) != 0;
    memcpy(in, now, l->words * sizeof *now);
    return grew;
}

static void touch_set(lives *l, const uint64_t *set, uint32_t place) {
    for (uint32_t w = 0; w < l->words; w++)
        for (uint64_t left = set[w]; left; left &= left - 1)
            touch(l->cells, w * 64 + (uint32_t)__builtin_ctzll(left), place);
}

static void touch_block(lives *l, uint32_t b) {
    const kir_kernel *k = l->c->kernel;
    const kir_block *block = &k->blocks[b];
    uint32_t begin = l->begin[b], end = l->end[b];
    touch_set(l, row(l, l->in, b), 2 * begin);
    touch_set(l, row(l, l->out, b), 2 * end + 1);
    for (uint32_t n = 0; n < block->inst_count; n++) {
        kir_value v = block->insts[n];
        const kir_inst *inst = &k->insts[v];
        uint32_t place = 2 * (begin + n);
        /* A result may take over the cell of an operand that dies there only when the instruction
         * is one operation on scalars of one width. */
        bool takes_over = inst->type.lanes == 1 && inst->op >= KIR_ADD && inst->op <= KIR_FPTRUNC &&
                          inst->op != KIR_SEXT && inst->op != KIR_ZEXT;
        EACH_UNIT(l, v, unit)
            if (l->cells->unit.data[unit].value == v)
                touch(l->cells, unit, place + takes_over);
        if (inst->op == KIR_PHI) { /* written at the ends of the blocks before */
            for (uint32_t a = 0; a < inst->arg_count; a++)
                EACH_UNIT(l, v, unit)
                    touch(l->cells, unit, 2 * l->end[inst->from[a]] + 1);
            continue;
        }
        for (uint32_t a = 0; a < inst->arg_count; a++)
            EACH_UNIT(l, inst->args[a], unit)
                touch(l->cells, unit, place);
    }
}

static void find_lives(vm_compiler *c, vm_cells *cells) {
    lives l = {.c = c, .cells = cells, .words = (uint32_t)(cells->unit.count + 63) / 64};
    uint32_t blocks = c->kernel->block_count, place = 0;
    l.in = hd_new_array(c->arena, uint64_t, (size_t)blocks *l.words);
    l.out = hd_new_array(c->arena, uint64_t, (size_t)blocks *l.words);
    l.begin = hd_new_array(c->arena, uint32_t, blocks);
    l.end = hd_new_array(c->arena, uint32_t, blocks);
    for (uint32_t i = 0; i < c->flow->rpo_count; i++) {
        uint32_t b = c->flow->rpo[i];
        l.begin[b] = place;
        place += c->kernel->blocks[b].inst_count;
        l.end[b] = place - 1;
    }
    for (bool grew = true; grew;) {
        grew = false;
        for (uint32_t i = c->flow->rpo_count; i-- > 0;)
            grew |= flow_back(&l, c->flow->rpo[i]);
    }
    for (uint32_t i = 0; i < c->flow->rpo_count; i++)
        touch_block(&l, c->flow->rpo[i]);
}

/* ---- cells --------------------------------------------------------------------------- */

static uint32_t take_bytes(vm_cells *cells, uint32_t bytes) {
    uint32_t at = (uint32_t)cells->top;
    cells->top += hd_align_up(bytes, VM_CELL_ALIGN);
    return at;
}

static uint32_t cell_bytes(const vm_compiler *c, vm_elem elem, bool varying) {
    return vm_elem_bytes(elem) * (varying ? c->program->padded : VM_CHUNK);
}

typedef struct ending {
    uint32_t death, at, width;
} ending;

static int by_birth(const void *a, const void *b, void *units) {
    const vm_unit *x = (const vm_unit *)units + *(const uint32_t *)a;
    const vm_unit *y = (const vm_unit *)units + *(const uint32_t *)b;
    if (x->birth != y->birth)
        return x->birth < y->birth ? -1 : 1;
    return x < y ? -1 : x > y;
}

/* A cell of this width whose unit is dead before `birth`; UINT32_MAX: none. The one that died
 * last is still in the cache. */
static uint32_t take_over(ending *endings, size_t *count, uint32_t width, uint32_t birth) {
    size_t best = SIZE_MAX;
    for (size_t i = 0; i < *count; i++)
        if (endings[i].width == width && endings[i].death < birth &&
            (best == SIZE_MAX || endings[i].death > endings[best].death))
            best = i;
    if (best == SIZE_MAX)
        return UINT32_MAX;
    uint32_t at = endings[best].at;
    endings[best] = endings[--*count];
    return at;
}

static void give_cells(vm_compiler *c, vm_cells *cells) {
    size_t n = cells->unit.count, active = 0;
    uint32_t *order = hd_new_array(c->arena, uint32_t, n);
    ending *endings = hd_new_array(c->arena, ending, n);
    for (uint32_t i = 0; i < n; i++)
        order[i] = i;
    qsort_r(order, n, sizeof *order, by_birth, cells->unit.data);
    for (size_t i = 0; i < n; i++) {
        vm_unit *u = &cells->unit.data[order[i]];
        uint32_t width = vm_elem_bytes(u->elem);
        u->at = u->varying && !c->program->is_apart ? take_over(endings, &active, width, u->birth)
                                                    : UINT32_MAX;
        if (u->at == UINT32_MAX)
            u->at = take_bytes(cells, cell_bytes(c, u->elem, u->varying));
        if (u->varying)
            endings[active++] = (ending){u->death, u->at, width};
    }
}

vm_cells *vm_cells_make(vm_compiler *c) {
    vm_cells *cells = hd_new(c->arena, vm_cells);
    uint32_t count = c->kernel->inst_count;
    cells->names = hd_new_array(c->arena, vm_unit_name *, count);
    cells->units = hd_new_array(c->arena, uint32_t *, count);
    cells->scratch_cell = (uint32_t)sizeof(uint64_t) * c->program->padded;
    cells->top = (uint64_t)VM_SCRATCH_CELLS * cells->scratch_cell;
    find_units(c, cells);
    find_lives(c, cells);
    give_cells(c, cells);
    return cells;
}

/* ---- operands ------------------------------------------------------------------------- */

vm_operand vm_constant(vm_compiler *c, vm_elem elem, uint64_t bits) {
    vm_program *p = c->program;
    for (size_t i = 0; i < p->constants.count; i++)
        if (p->constants.data[i].cell.elem == elem && p->constants.data[i].bits == bits)
            return p->constants.data[i].cell;
    vm_operand cell = vm_new_cell(c, elem, false);
    hd_push(c->arena, &p->constants, (vm_filled){cell, bits});
    return cell;
}

vm_operand vm_new_cell(vm_compiler *c, vm_elem elem, bool varying) {
    return (vm_operand){take_bytes(c->cells, cell_bytes(c, elem, varying)), elem, varying};
}

vm_operand vm_scratch(vm_compiler *c, vm_elem elem, bool varying) {
    vm_cells *cells = c->cells;
    if (cells->scratch_used == VM_SCRATCH_CELLS) {
        vm_cannot_run(c, "this needs too many values at once; split it");
        cells->scratch_used = 0;
    }
    return (vm_operand){cells->scratch_used++ * cells->scratch_cell, elem, varying};
}

vm_operand vm_cell_of(vm_compiler *c, kir_value value, uint32_t k) {
    const kir_inst *inst = &c->kernel->insts[value];
    k = k < inst->type.lanes ? k : 0;
    vm_unit_name name = c->cells->names[value][k];
    const kir_inst *source = &c->kernel->insts[name.value];
    uint32_t unit = c->cells->units[value][k];
    vm_operand result;
    if (source->op == KIR_CONST)
        result = vm_constant(c, vm_elem_of(source->type), source->imm[name.component]);
    else if (source->op == KIR_UNDEF)
        result = vm_constant(c, vm_elem_of(source->type), 0);
    else if (source->op == KIR_ALLOCA)
        result = vm_constant(c, VM_I64, VM_PRIVATE_BASE + c->allocas[name.value]);
    else if (unit == UINT32_MAX && source->op == KIR_PARAM)
        result = c->program->param[source->index][name.component];
    else if (unit == UINT32_MAX && source->op == KIR_STATIC)
        result = c->program->statics[source->index];
    else if (unit == UINT32_MAX)
        result = vm_query_cell(c, source);
    else
        result = (vm_operand){c->cells->unit.data[unit].at, c->cells->unit.data[unit].elem,
                              c->cells->unit.data[unit].varying};
    /* A name of equal width may see the bits as another type; a sign extension that only
     * indexes keeps its i32. */
    if (vm_elem_bytes(vm_elem_of(inst->type)) == vm_elem_bytes(result.elem))
        result.elem = vm_elem_of(inst->type);
    return result;
}

vm_operand vm_result(vm_compiler *c, uint32_t k) { return vm_cell_of(c, c->value, k); }
