/*
 * The parts of a struct by value that has no record, as in PTX, which knows only its bytes: what
 * the kernel loads of it at places that are known. Where it loads nothing so, the bytes.
 */
#include "job/internal.h"

#include <stdlib.h>

/* Bytes from the parameter to where the address points. */
static bool find_offset(const kir_kernel *kernel, uint32_t param, kir_value address,
                        uint64_t *offset) {
    const kir_inst *inst = &kernel->insts[address];
    for (*offset = 0; inst->op == KIR_ADDR && inst->arg_count == 1;
         inst = &kernel->insts[inst->args[0]])
        *offset += (uint64_t)inst->offset;
    return inst->op == KIR_PARAM && inst->index == param;
}

/* Of two at one place the larger one is first. */
static int compare_leaves(const void *a, const void *b) {
    const hd_leaf *x = a, *y = b;
    if (x->offset != y->offset)
        return x->offset < y->offset ? -1 : 1;
    return (int)y->type.bits - (int)x->type.bits;
}

/* Those that begin behind the one before them. */
static uint32_t drop_overlaps(hd_leaf *leaves, uint32_t count) {
    uint32_t kept = 0, end = 0;
    for (uint32_t i = 0; i < count; i++)
        if (leaves[i].offset >= end) {
            end = leaves[i].offset + leaves[i].type.bits / 8;
            leaves[kept++] = leaves[i];
        }
    return kept;
}

hd_leaf *job_leaves_of_bytes(hd_arena *arena, uint32_t bytes) {
    hd_leaf *leaves = hd_new_array(arena, hd_leaf, bytes + 1);
    for (uint32_t i = 0; i < bytes; i++)
        leaves[i] = (hd_leaf){.offset = i, .type = {KIR_INT, 8, 1, 0}, .is_signed = true};
    return leaves;
}

hd_leaf *job_leaves_of_loads(hd_arena *arena, const kir_kernel *kernel, uint32_t param,
                             uint32_t *count) {
    uint32_t bytes = kernel->params[param].bytes;
    hd_vec(hd_leaf) found = {0};
    for (uint32_t v = 0; v < kernel->inst_count; v++) {
        const kir_inst *inst = &kernel->insts[v];
        kir_type type = inst->type;
        uint64_t offset;
        if (inst->op != KIR_LOAD || type.bits < 8 ||
            !find_offset(kernel, param, inst->args[0], &offset))
            continue;
        uint32_t lanes = type.lanes, each = type.bits / 8u;
        type.lanes = 1;
        for (uint32_t i = 0; i < lanes && offset + (i + 1) * each <= bytes; i++) {
            hd_leaf leaf = {.offset = (uint32_t)offset + i * each, .type = type, .is_signed = true};
            hd_push(arena, &found, leaf);
        }
    }
    if (found.count)
        qsort(found.data, found.count, sizeof *found.data, compare_leaves);
    *count = found.count ? drop_overlaps(found.data, (uint32_t)found.count) : bytes;
    return found.count ? found.data : job_leaves_of_bytes(arena, bytes);
}
