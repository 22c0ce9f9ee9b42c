/* Copies of structs and memset: every active lane moves bytes of its own. */
#include "machine/lane_flow.h"

/* One side of the instruction for lanes whose byte counts are all the same; when they differ,
 * every lane is checked by itself and the target says nothing of regions. */
static vm_target resolve(vm_run *r, const vm_op *op, const vm_memory *m, uint32_t slot,
                         vm_operand address, bool writes) {
    if (!m->third.varying)
        return vm_resolve(r, op, m, slot, address, vm_element(r, m->third, 0), 1, writes);
    VM_EACH_ACTIVE(r, l) {
        uint64_t bytes = vm_element(r, m->third, l), at = vm_element(r, address, l);
        const vm_region *g = vm_find_region(r, at, bytes);
        if (bytes && (!g || (writes && (g->read_only || m->space == KIR_CONSTANT))))
            vm_fault_access(r, op, l, at, bytes, 1, writes);
    }
    const uint64_t *cell = VM_CELL(r, address.at, uint64_t);
    return (vm_target){
        .base = *cell, .strided = !address.varying, .address = address.varying ? cell : NULL};
}

static bool nothing_to_do(const vm_run *r, const vm_memory *m) {
    return !m->third.varying && !vm_element(r, m->third, 0);
}

/* ---- the bytes ------------------------------------------------------------------------------ */

/* Source and target may overlap. A known number of bytes goes through registers. */
VM_ALWAYS void move_bytes(uint8_t *to, const uint8_t *from, uint64_t bytes, bool is_known) {
    uint8_t held[64];
    if (!is_known) {
        memmove(to, from, bytes);
        return;
    }
    memcpy(held, from, bytes);
    memcpy(to, held, bytes);
}

/* A loop for each way to find the places, so that none is asked for in it. */
VM_ALWAYS void copy_listed(const vm_run *r, const vm_places *to, bool to_listed,
                           const vm_places *from, bool from_listed, uint64_t bytes, bool is_known) {
    if (r->active.count == r->lanes)
        for (uint32_t l = 0; l < r->lanes; l++)
            move_bytes(vm_place(to, to_listed, l), vm_place(from, from_listed, l), bytes, is_known);
    else
        VM_EACH_ACTIVE(r, l)
    move_bytes(vm_place(to, to_listed, l), vm_place(from, from_listed, l), bytes, is_known);
}

VM_ALWAYS void copy_bytes(const vm_run *r, const vm_places *to, const vm_places *from,
                          uint64_t bytes, bool is_known) {
    const vm_places t = *to, f = *from; /* nothing that is stored can change them */
    if (t.address && f.address)
        copy_listed(r, &t, true, &f, true, bytes, is_known);
    else if (t.address)
        copy_listed(r, &t, true, &f, false, bytes, is_known);
    else if (f.address)
        copy_listed(r, &t, false, &f, true, bytes, is_known);
    else
        copy_listed(r, &t, false, &f, false, bytes, is_known);
}

/* Sizes that structs often have become a few moves of registers. */
static void copy_lanes(const vm_run *r, const vm_places *to, const vm_places *from,
                       uint64_t bytes) {
    switch (bytes) {
    case 8: copy_bytes(r, to, from, 8, true); return;
    case 12: copy_bytes(r, to, from, 12, true); return;
    case 16: copy_bytes(r, to, from, 16, true); return;
    case 24: copy_bytes(r, to, from, 24, true); return;
    case 28: copy_bytes(r, to, from, 28, true); return;
    case 32: copy_bytes(r, to, from, 32, true); return;
    case 48: copy_bytes(r, to, from, 48, true); return;
    case 64: copy_bytes(r, to, from, 64, true); return;
    default: copy_bytes(r, to, from, bytes, false); return;
    }
}

void vm_op_copy(vm_run *r, const vm_op *op) {
    const vm_memory *to = op->more;
    if (nothing_to_do(r, to))
        return;
    vm_target source = resolve(r, op, to, to->slot + 1, to->second, false);
    vm_announce(r, &source, to->from_space, to->announced, to->announced_count);
    vm_target target = resolve(r, op, to, to->slot, to->address, true);
    if (r->checked)
        VM_EACH_ACTIVE(r, l)
    vm_check_copy(r, op, &target, &source, l, vm_element(r, to->third, l));
    vm_announce(r, &target, to->space, to->announced_to, to->announced_to_count);
    if (!source.region || !target.region) {
        VM_EACH_ACTIVE(r, l) { /* they differ in region or in the number of bytes */
            uint64_t bytes = vm_element(r, to->third, l);
            if (bytes)
                memmove(vm_host(r, &target, l, vm_element(r, to->address, l)),
                        vm_host(r, &source, l, vm_element(r, to->second, l)), bytes);
        }
        return;
    }
    vm_places to_places = vm_places_of(r, &target), from_places = vm_places_of(r, &source);
    copy_lanes(r, &to_places, &from_places, vm_element(r, to->third, 0));
}

void vm_op_fill(vm_run *r, const vm_op *op) {
    const vm_memory *m = op->more;
    if (nothing_to_do(r, m))
        return;
    vm_target t = resolve(r, op, m, m->slot, m->address, true);
    if (r->checked)
        VM_EACH_ACTIVE(r, l)
    vm_check_lane(r, op, &t, l, vm_element(r, m->third, l), VM_WRITES);
    vm_announce(r, &t, m->space, m->announced_to, m->announced_to_count);
    VM_EACH_ACTIVE(r, l) {
        uint64_t bytes = vm_element(r, m->third, l);
        if (bytes)
            memset(vm_host(r, &t, l, vm_element(r, m->address, l)),
                   (int)vm_element(r, m->second, l), bytes);
    }
}
