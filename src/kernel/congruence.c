/*
 * Where in a record a pointer leads that no affine form tells: one that walks a tree or a list,
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
#include "kernel/analysis.h"

static int64_t gcd(int64_t a, int64_t b) {
    while (b) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a < 0 ? -a : a;
}

/* Modulus 0: exactly `rest`. */
static kernel_congruence congruence(int64_t modulus, int64_t rest) {
    return (kernel_congruence){true, modulus, modulus ? hd_mod(rest, modulus) : rest};
}

static kernel_congruence join(kernel_congruence a, kernel_congruence b) {
    if (!a.reached || !b.reached)
        return a.reached ? a : b;
    return congruence(gcd(gcd(a.modulus, b.modulus), a.rest - b.rest), a.rest);
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
            modulus = gcd(modulus, scale);
    }
    return congruence(modulus, rest);
}

static kernel_congruence congruence_of(const kernel_forms *f, kir_value v) {
    const kir_inst *inst = &f->kernel->insts[v];
    kernel_congruence all = {0};
    if (f->base[v].kind == KERNEL_BASE_UNKNOWN)
        return congruence(1, 0);
    switch (inst->op) {
    case KIR_PARAM:
    case KIR_STATIC:
    case KIR_ALLOCA: return congruence(0, 0);
    case KIR_UNDEF: return all;
    case KIR_ADDR: return step(f, inst);
    case KIR_SPACECAST:
    case KIR_FREEZE:
    case KIR_BITCAST: return f->congruence[inst->args[0]];
    case KIR_SELECT: return join(f->congruence[inst->args[1]], f->congruence[inst->args[2]]);
    case KIR_PHI:
        for (uint32_t i = 0; i < inst->arg_count; i++)
            all = join(all, f->congruence[inst->args[i]]);
        return all;
    default: return congruence(1, 0);
    }
}

static bool find_in_block(const kernel_forms *f, const kir_block *block) {
    bool changed = false;
    for (uint32_t k = 0; k < block->inst_count; k++) {
        kir_value v = block->insts[k];
        if (f->kernel->insts[v].type.kind != KIR_PTR)
            continue;
        kernel_congruence was = f->congruence[v], is = congruence_of(f, v);
        changed |= is.reached != was.reached || is.modulus != was.modulus || is.rest != was.rest;
        f->congruence[v] = is;
    }
    return changed;
}

void kernel_congruence_find(kernel_forms *f) {
    bool changed = true;
    f->congruence = hd_new_array(f->arena, kernel_congruence, f->kernel->inst_count);
    while (changed) {
        changed = false;
        for (uint32_t i = 0; i < f->flow->rpo_count; i++)
            changed |= find_in_block(f, &f->kernel->blocks[f->flow->rpo[i]]);
    }
}
