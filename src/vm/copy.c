/* Copies of structs and memset: every active lane moves bytes of its own. */
#include "vm/flow.h"

/* One side of the instruction for lanes whose byte counts are all `bytes`; when they differ,
 * every lane is checked by itself and the target says nothing of regions. */
static hd_target resolve(hd_run *r, const hd_op *op, const hd_memory *m, hd_operand address,
                         bool writes) {
    if (!m->third.varying)
        return hd_resolve(r, op, m, address, hd_element(r, m->third, 0), 1, writes);
    for (uint32_t l = 0; l < r->lanes; l++) {
        uint64_t bytes = hd_element(r, m->third, l), at = hd_element(r, address, l);
        const hd_region *g = hd_find_region(r, at, bytes);
        if (r->active.lane[l] && bytes && (!g || (writes && g->read_only)))
            hd_fault_access(r, op, l, at, bytes, 1, writes);
    }
    for (uint32_t l = 0; l < r->lanes; l++)
        r->addresses[l] = hd_element(r, address, l);
    return (hd_target){.address = r->addresses};
}

static bool nothing_to_do(const hd_run *r, const hd_memory *m) {
    return !m->third.varying && !hd_element(r, m->third, 0);
}

static void check(hd_run *r, const hd_op *op, const hd_memory *m, const hd_target *t, bool writes) {
    if (r->checked && !m->third.varying)
        hd_check_access(r, op, t, hd_element(r, m->third, 0), !writes, writes, false);
}

void hd_op_copy(hd_run *r, const hd_op *op) {
    const hd_memory *to = op->more;
    if (nothing_to_do(r, to))
        return;
    hd_memory from = *to;
    from.slot++;
    hd_target source = resolve(r, op, &from, to->second, false);
    check(r, op, to, &source, false);
    hd_announce(r, &source, KIR_GLOBAL, to->announced, to->announced_count);
    hd_target target = resolve(r, op, to, to->address, true);
    check(r, op, to, &target, true);
    hd_announce(r, &target, to->space, to->announced_to, to->announced_to_count);
    for (uint32_t l = 0; l < r->lanes; l++) {
        uint64_t bytes = hd_element(r, to->third, l);
        if (r->active.lane[l] && bytes)
            memmove(hd_host(r, &target, l, hd_element(r, to->address, l)),
                    hd_host(r, &source, l, hd_element(r, to->second, l)), bytes);
    }
}

void hd_op_fill(hd_run *r, const hd_op *op) {
    const hd_memory *m = op->more;
    if (nothing_to_do(r, m))
        return;
    hd_target t = resolve(r, op, m, m->address, true);
    check(r, op, m, &t, true);
    hd_announce(r, &t, m->space, m->announced_to, m->announced_to_count);
    for (uint32_t l = 0; l < r->lanes; l++) {
        uint64_t bytes = hd_element(r, m->third, l);
        if (r->active.lane[l] && bytes)
            memset(hd_host(r, &t, l, hd_element(r, m->address, l)), (int)hd_element(r, m->second, l),
                   bytes);
    }
}
