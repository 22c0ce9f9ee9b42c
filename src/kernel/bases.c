/*
 * What pointers point into, and where in a record one leads that no affine form tells: one that walks a
 * tree or a list,
 *
 *     node = &tree[node->child[k]];           S bytes each
 *
 * leads to some element, but always to its start. For every pointer the bytes from its base are
 * congruent to `rest` modulo `modulus`: here 0 modulo S. (P. Granger, "Static Analysis of
 * Arithmetical Congruences", Int. J. of Computer Mathematics 30, 1989.)
 *
 * A step by a value that is not known adds a multiple of its scale; where pointers join, what is
 * left is what they agree in. All begin as not reached, and a modulus only ever becomes a divisor
 * of what it was, so the rounds end.
 */
#include "kernel/kernel_analysis.h"

/* Modulus 0: exactly `rest`. */
static kernel_congruence congruence(int64_t modulus, int64_t rest) {
    return (kernel_congruence){true, modulus, modulus ? hd_mod(rest, modulus) : rest};
}

static kernel_congruence join(kernel_congruence a, kernel_congruence b) {
    if (!a.reached || !b.reached)
        return a.reached ? a : b;
    return congruence(
        kernel_common_divisor(kernel_common_divisor(a.modulus, b.modulus), a.rest - b.rest),
        a.rest);
}

static kernel_congruence step(const kernel_forms *f, const kir_inst *addr) {
    kernel_congruence at = f->congruence[addr->args[0]];
    if (!at.reached)
        return at;
    int64_t modulus = at.modulus, rest = at.rest + addr->offset, index;
    for (uint32_t i = 1; i < addr->arg_count; i++) {
        int64_t scale = addr->scale[i - 1];
        if (kir_const_int(f->kernel, addr->args[i], &index))
            rest += index * scale;
        else
            modulus = kernel_common_divisor(modulus, scale);
    }
    return congruence(modulus, rest);
}

static kernel_base meet(kernel_base a, kernel_base b) {
    if (a.kind == KERNEL_BASE_ANY)
        return b;
    if (b.kind == KERNEL_BASE_ANY || (a.kind == b.kind && a.index == b.index))
        return a;
    return (kernel_base){KERNEL_BASE_UNKNOWN, 0};
}

uint32_t kernel_pointer_sources(const kir_kernel *kernel, const kir_inst *inst, uint32_t *first) {
    bool is_first_pointer = inst->arg_count && kernel->insts[inst->args[0]].type.kind == KIR_PTR;
    *first = inst->op == KIR_SELECT;
    switch (inst->op) {
    case KIR_ADDR:
    case KIR_SPACECAST:
    case KIR_FREEZE:
    case KIR_BITCAST: return is_first_pointer;
    case KIR_SELECT:
    case KIR_PHI: return inst->arg_count;
    default: return 0;
    }
}

/* Where nothing is known the element's start is not, either. */
static void find(const kernel_forms *f, kir_value v, kernel_base *base, kernel_congruence *at) {
    const kir_inst *inst = &f->kernel->insts[v];
    uint32_t first, end = kernel_pointer_sources(f->kernel, inst, &first);
    bool is_start = inst->op == KIR_PARAM || inst->op == KIR_STATIC || inst->op == KIR_ALLOCA;
    *base = (kernel_base){KERNEL_BASE_ANY, 0};
    *at = is_start ? congruence(0, 0) : (kernel_congruence){0};
    if (is_start)
        *base = inst->op == KIR_PARAM    ? (kernel_base){KERNEL_BASE_PARAM, inst->index}
                : inst->op == KIR_STATIC ? (kernel_base){KERNEL_BASE_STATIC, inst->index}
                                         : (kernel_base){KERNEL_BASE_ALLOCA, v};
    else if (!end && inst->op != KIR_UNDEF && inst->op != KIR_PHI)
        *base = (kernel_base){KERNEL_BASE_UNKNOWN, 0};
    for (uint32_t i = first; i < end; i++) {
        *base = meet(*base, f->base[inst->args[i]]);
        *at = join(*at, f->congruence[inst->args[i]]);
    }
    if (base->kind == KERNEL_BASE_UNKNOWN)
        *at = congruence(1, 0);
    else if (inst->op == KIR_ADDR)
        *at = step(f, inst);
}

static bool find_in_block(const kernel_forms *f, const kir_block *block) {
    bool changed = false;
    for (uint32_t k = 0; k < block->inst_count; k++) {
        kir_value v = block->insts[k];
        kernel_congruence was = f->congruence[v], is;
        kernel_base old = f->base[v], base;
        if (f->kernel->insts[v].type.kind != KIR_PTR)
            continue;
        find(f, v, &base, &is);
        changed |= is.reached != was.reached || is.modulus != was.modulus || is.rest != was.rest ||
                   base.kind != old.kind || base.index != old.index;
        f->congruence[v] = is;
        f->base[v] = base;
    }
    return changed;
}

void kernel_find_pointers(kernel_forms *f) {
    bool changed = true;
    f->congruence = hd_new_array(f->arena, kernel_congruence, f->kernel->inst_count);
    for (kir_value v = 0; v < f->kernel->inst_count; v++)
        f->base[v] = (kernel_base){KERNEL_BASE_ANY, 0};
    while (changed) {
        changed = false;
        for (uint32_t i = 0; i < f->flow->rpo_count; i++)
            changed |= find_in_block(f, &f->kernel->blocks[f->flow->rpo[i]]);
    }
    for (kir_value v = 0; v < f->kernel->inst_count; v++)
        if (f->base[v].kind == KERNEL_BASE_ANY) {
            f->base[v].kind = KERNEL_BASE_UNKNOWN;
            f->congruence[v] = congruence(1, 0);
        }
}
