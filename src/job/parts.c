/*
 * The parts of a struct by value that has no record, as in PTX, which knows only its bytes: what
 * the kernel loads of it at places that are known, and the elements of arrays that it goes through by
 * an index. Where it loads nothing so, the bytes.
 *
 *     load f32 (s + 4*i + 8); load i32 (s + 40)     f32 at 8, 12 ... 36; i32 at 40
 */
#include "job/internal.h"

#include <stdlib.h>

/* A load of the parameter: of one place, or of every `step` bytes from there on. */
typedef struct part {
    uint32_t offset, step; /* 0: of one place */
    kir_type type;         /* of one lane */
} part;

/* Where an address points in the parameter; false: elsewhere, or by several indices that leave
 * open in which steps. */
static bool find_offset(const kir_kernel *kernel, uint32_t param, kir_value address,
                        uint64_t *offset, uint64_t *step) {
    const kir_inst *inst = &kernel->insts[address];
    *offset = *step = 0;
    for (; inst->op == KIR_ADDR; inst = &kernel->insts[inst->args[0]]) {
        *offset += (uint64_t)inst->offset;
        for (uint32_t i = 0; i + 1 < inst->arg_count; i++) {
            uint64_t scale = (uint64_t)llabs(inst->scale[i]);
            *step = !*step || (scale && scale < *step) ? scale : *step;
        }
    }
    return inst->op == KIR_PARAM && inst->index == param;
}

/* Of two at one place the larger one is first. */
static int compare_leaves(const void *a, const void *b) {
    const hd_leaf *x = a, *y = b;
    if (x->offset != y->offset)
        return x->offset < y->offset ? -1 : 1;
    return (int)y->type.bits - (int)x->type.bits;
}

hd_leaf *job_leaves_of_bytes(hd_arena *arena, uint32_t bytes) {
    hd_leaf *leaves = hd_new_array(arena, hd_leaf, bytes + 1);
    for (uint32_t i = 0; i < bytes; i++)
        leaves[i] = (hd_leaf){.offset = i, .type = {KIR_INT, 8, 1, 0}, .is_signed = true};
    return leaves;
}

static int compare_parts(const void *a, const void *b) {
    const part *x = a, *y = b;
    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

typedef hd_vec(part) part_list;

static part_list find_parts(hd_arena *arena, const kir_kernel *kernel, uint32_t param) {
    part_list parts = {0};
    for (uint32_t v = 0; v < kernel->inst_count; v++) {
        const kir_inst *inst = &kernel->insts[v];
        uint64_t offset, step;
        if (inst->op != KIR_LOAD || inst->type.bits < 8 ||
            !find_offset(kernel, param, inst->args[0], &offset, &step) ||
            offset >= kernel->params[param].bytes)
            continue;
        kir_type type = inst->type;
        type.lanes = 1;
        for (uint32_t i = 0; i < inst->type.lanes; i++) {
            part one = {(uint32_t)offset + i * type.bits / 8u, (uint32_t)step, type};
            hd_push(arena, &parts, one);
        }
    }
    if (parts.count)
        qsort(parts.data, parts.count, sizeof *parts.data, compare_parts);
    return parts;
}

hd_leaf *job_leaves_of_loads(hd_arena *arena, const kir_kernel *kernel, uint32_t param,
                             uint32_t *count) {
    uint32_t bytes = kernel->params[param].bytes, kept = 0, end_of_last = 0;
    const part_list parts = find_parts(arena, kernel, param);
    hd_vec(hd_leaf) found = {0};
    for (size_t i = 0; i < parts.count; i++) {
        const part *p = &parts.data[i];
        uint32_t end = bytes;
        /* An array ends at the struct's end, or where something else begins behind its first
         * element, which may have other parts at steps of the same size. */
        for (size_t o = 0; o < parts.count && p->step; o++) {
            const part *other = &parts.data[o];
            bool is_of_it = p->type.kind == other->type.kind && p->type.bits == other->type.bits &&
                            (other->offset - p->offset) % p->step == 0;
            if (other->offset >= p->offset + p->step && other->offset < end && !is_of_it)
                end = other->offset;
        }
        for (uint32_t at = p->offset; at + p->type.bits / 8u <= end; at += p->step) {
            hd_leaf leaf = {.offset = at, .type = p->type, .is_signed = true};
            hd_push(arena, &found, leaf);
            if (!p->step)
                break;
        }
    }
    *count = bytes;
    if (!found.count)
        return job_leaves_of_bytes(arena, bytes);
    qsort(found.data, found.count, sizeof *found.data, compare_leaves);
    for (size_t i = 0; i < found.count; i++) /* those that begin behind the one before them */
        if (found.data[i].offset >= end_of_last) {
            end_of_last = found.data[i].offset + found.data[i].type.bits / 8;
            found.data[kept++] = found.data[i];
        }
    *count = kept;
    return found.data;
}
