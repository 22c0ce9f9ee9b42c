/*
 * Which accesses a compiler keeps in registers over the iterations of a loop.
 *
 * The front end moves no access out of a loop, so that every access is one of the source
 * (docs/architecture.md). Compilers for GPUs do: a load whose address stays the same is done once
 * before the loop, and so is `out[i] += x`, with one store behind the loop, which LLVM calls scalar
 * promotion (LICM). What it takes is, here as there:
 *
 *   - the address does not change in the loop;
 *   - the access runs in each iteration, so that it may run before the first; the loop's own test
 *     may come before it, since a test is moved to the loop's end;
 *   - for a load: no store or atomic in the loop may touch its bytes. For a store, or a load of
 *     what is stored in the loop: all accesses that may touch these bytes are of exactly these
 *     bytes, and are loads and stores that run in each iteration;
 *   - no barrier, fence or unknown function stands in the loop, in which other threads might write;
 *     nothing is volatile or atomic.
 *
 * Bytes may be the same unless that is ruled out. Pointers that are different parameters may lead
 * to the same bytes but where one of them is `restrict`; then barriers do not matter either. From
 * one pointer to numbers, places are told apart by arithmetic: a[2 * i] and a[2 * j + 1] never meet.
 * Not so those of records: a compiler may see that p[i].x and p[j].y never meet, but in another
 * layout, where their distance depends on the number of elements, it no longer does, and all
 * layouts are to be priced alike. Types tell nothing.
 *
 * Loops are tried from the innermost outwards, as far as the access may go.
 */
#include "kernel/kernel_analysis.h"

typedef struct keeper {
    const kernel_forms *forms;
    hd_kernel_info *info;
    int32_t *load; /* by value: the access of a load, or -1 */
    bool *waits;   /* by loop: a barrier, fence or unknown function stands in it */
    bool apart;    /* different parameters are taken to lead to different bytes */
} keeper;

/* ---- the address stays the same ------------------------------------------------------ */

static bool value_stays(const keeper *k, kir_value value, int32_t loop, uint32_t depth) {
    const kir_inst *inst = &k->info->kernel->insts[value];
    if (!hd_flow_in_loop(k->info->flow, loop, inst->block))
        return true;
    if (inst->op == KIR_LOAD && k->load[value] >= 0) {
        int32_t kept = k->info->accesses[k->load[value]].kept;
        return kept >= 0 && hd_loop_holds(k->info->flow, kept, loop);
    }
    bool computes = inst->op >= KIR_QUERY && inst->op <= KIR_ADDR;
    for (uint32_t i = 0; i < inst->arg_count && computes; i++)
        computes = depth < 16 && value_stays(k, inst->args[i], loop, depth + 1);
    return computes;
}

static bool address_stays(const keeper *k, const hd_access *a, int32_t loop) {
    for (uint32_t i = 0; i < a->address.term_count; i++) {
        const hd_term *t = &a->address.terms[i];
        if (t->kind == HD_SYM_LOOP && hd_loop_holds(k->info->flow, loop, (int32_t)t->index))
            return false;
        if (t->kind == HD_SYM_VALUE && !value_stays(k, t->index, loop, 0))
            return false;
    }
    return true;
}

/* ---- it runs in each iteration ----------------------------------------------------------- */

static bool always_runs(const keeper *k, const hd_access *a, int32_t loop) {
    const hd_flow *flow = k->info->flow;
    const hd_loop *around = &flow->loops[loop];
    uint32_t block = k->info->kernel->insts[a->inst].block;
    for (int32_t l = a->loop; l != loop; l = flow->loops[l].parent) {
        const hd_trip *trip = &k->info->trips[l];
        if (trip->kind != HD_TRIP_CONSTANT || !trip->count)
            return false;
        block = flow->loops[l].header;
    }
    for (uint32_t i = 0; i < around->latch_count; i++)
        if (!hd_flow_dominates(flow, block, around->latches[i]))
            return false;
    for (uint32_t i = 0; i < around->exit_count; i++)
        if (around->exits[i] != around->header && !hd_flow_dominates(flow, block, around->exits[i]))
            return false;
    return true;
}

/* ---- nothing else touches its bytes ------------------------------------------------------- */

static bool is_restrict(const keeper *k, const hd_access *a) {
    return a->param >= 0 && (k->apart || k->info->kernel->params[a->param].is_restrict);
}

static bool has_base(const hd_access *a) { return a->param >= 0 || a->static_index >= 0; }

/* For pointers that count from one base. Symbols that both have stand for the same number, since
 * those of the first do not change in the loop. */
static bool may_meet(const keeper *k, const hd_access *a, const hd_access *b) {
    kir_op op = k->info->kernel->insts[b->inst].op;
    if (a->record || (op != KIR_LOAD && op != KIR_STORE && op != KIR_ATOMIC))
        return true; /* of copies the width may not be known */
    hd_affine apart = hd_affine_add(k->forms->arena, b->address, a->address, -1);
    int64_t step = 0;
    for (uint32_t i = 0; i < apart.term_count; i++)
        step = kernel_common_divisor(apart.terms[i].factor, step);
    if (!step)
        return apart.constant < a->width && -apart.constant < b->width;
    int64_t behind = hd_mod(apart.constant, step);
    return behind < a->width || step - behind < b->width;
}

static bool may_alias(const keeper *k, const hd_access *a, const hd_access *b) {
    if (b->space != KIR_GLOBAL && b->space != KIR_GENERIC)
        return false;
    if (!has_base(b))
        return true;
    if (a->param == b->param && a->static_index == b->static_index)
        return may_meet(k, a, b);
    return !is_restrict(k, a) && !is_restrict(k, b);
}

/* The same bytes, in every iteration, by a plain load or store. */
static bool goes_along(const keeper *k, const hd_access *a, const hd_access *b, int32_t loop) {
    const kir_inst *inst = &k->info->kernel->insts[b->inst];
    return (inst->op == KIR_LOAD || inst->op == KIR_STORE) && !inst->is_volatile &&
           a->param == b->param && a->static_index == b->static_index && a->width == b->width &&
           hd_affine_equal(a->address, b->address) && always_runs(k, b, loop);
}

/* Whether some other access in the loop that may touch a's bytes is a store or atomic or, with
 * `strays`, does not go along. */
static bool is_touched(const keeper *k, const hd_access *a, int32_t loop, bool strays) {
    for (uint32_t i = 0; i < k->info->access_count; i++) {
        const hd_access *b = &k->info->accesses[i];
        if (b == a || b->loop < 0 || !hd_loop_holds(k->info->flow, loop, b->loop) ||
            (!strays && b->kind == HD_LOAD))
            continue;
        if (may_alias(k, a, b) && !(strays && goes_along(k, a, b, loop)))
            return true;
    }
    return false;
}

static bool is_undisturbed(const keeper *k, const hd_access *a, int32_t loop) {
    if (k->waits[loop] && !is_restrict(k, a))
        return false;
    bool stored = a->kind == HD_STORE || is_touched(k, a, loop, false);
    return !stored || !is_touched(k, a, loop, true);
}

/* The outermost loop over which the access is kept, or -1. */
static int32_t kept_over(const keeper *k, const hd_access *a) {
    const kir_inst *inst = &k->info->kernel->insts[a->inst];
    bool plain = (inst->op == KIR_LOAD || inst->op == KIR_STORE) && !inst->is_volatile;
    int32_t kept = -1;
    for (int32_t loop = plain && a->space == KIR_GLOBAL && has_base(a) ? a->loop : -1; loop >= 0;
         loop = k->info->flow->loops[loop].parent) {
        if (!address_stays(k, a, loop) || !always_runs(k, a, loop) || !is_undisturbed(k, a, loop))
            break;
        kept = loop;
    }
    return kept;
}

/* ---- all accesses -------------------------------------------------------------------------- */

static void find_waits(const keeper *k) {
    const kir_kernel *kernel = k->info->kernel;
    for (uint32_t l = 0; l < k->info->flow->loop_count; l++) {
        const hd_loop *loop = &k->info->flow->loops[l];
        for (uint32_t b = 0; b < loop->block_count && !k->waits[l]; b++) {
            const kir_block *block = &kernel->blocks[loop->blocks[b]];
            for (uint32_t i = 0; i < block->inst_count; i++) {
                const kir_inst *inst = &kernel->insts[block->insts[i]];
                k->waits[l] |= inst->op == KIR_BARRIER || inst->op == KIR_FENCE ||
                               (inst->op == KIR_CALL && !kernel_is_pure_function(inst->name));
            }
        }
    }
}

void kernel_find_kept(const kernel_forms *forms, hd_kernel_info *info) {
    hd_arena *arena = forms->arena;
    keeper k = {.forms = forms,
                .info = info,
                .load = hd_new_array(arena, int32_t, info->kernel->inst_count),
                .waits = hd_new_array(arena, bool, info->flow->loop_count + 1)};
    memset(k.load, -1, info->kernel->inst_count * sizeof *k.load);
    find_waits(&k);
    for (uint32_t i = 0; i < info->access_count; i++) {
        hd_access *a = &info->accesses[i];
        a->kept = info->flow->irreducible ? -1 : kept_over(&k, a);
        if (info->kernel->insts[a->inst].op == KIR_LOAD)
            k.load[a->inst] = (int32_t)i;
    }
    k.apart = true;
    for (uint32_t i = 0; i < info->access_count; i++) {
        hd_access *a = &info->accesses[i];
        a->keepable =
            info->flow->irreducible || a->loop < 0 || k.waits[a->loop] ? a->kept : kept_over(&k, a);
    }
}
