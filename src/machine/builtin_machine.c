/*
 * What a kernel asks of the machine itself: the instructions run so far, which space an
 * address is in, and memory of the heap.
 */
#include "machine/builtin.h"
#include "machine/lane_flow.h"

/* ---- clock ------------------------------------------------------------------------ */

/* The block's counter has all instructions of this node already; `imm` of them have run. */
static void run_clock(vm_run *r, const vm_op *op) {
    const vm_call *call = op->more;
    const vm_node *node = call->what;
    uint64_t time = r->counts.instructions - r->block_start - node->insts + (uint64_t)op->imm;
    VM_EACH_ACTIVE(r, lane)
    vm_put_bits(r, call->d, lane, time);
}

/* 0: the launch is not cooperative. */
static void run_workspace(vm_run *r, const vm_op *op) {
    const vm_call *call = op->more;
    VM_EACH_ACTIVE(r, lane)
    vm_put_bits(r, call->d, lane, r->workspace ? r->workspace->base : 0);
}

static void compile_workspace(vm_compiler *c, const void *what) {
    (void)what;
    c->program->asks_workspace = true;
    vm_compile_lanes(c, &(const vm_caller){run_workspace, NULL});
}

static void compile_clock(vm_compiler *c, const void *what) {
    (void)what;
    vm_compile_lanes(c, &(const vm_caller){run_clock, c->node});
    c->ops.data[c->ops.count - 1].imm = c->node->insts;
}

/* ---- shared memory ------------------------------------------------------------------- */

/* `what`: whether all of it is meant, or what the launch has asked for. */
static void run_shared_bytes(vm_run *r, const vm_op *op) {
    const vm_call *call = op->more;
    VM_EACH_ACTIVE(r, lane)
    vm_put_bits(r, call->d, lane, *(const bool *)call->what ? r->shared_bytes : r->dynamic_bytes);
}

/* ---- clusters ------------------------------------------------------------------------ */

/* `what`: which dimension. */
static void run_cluster_size(vm_run *r, const vm_op *op) {
    const vm_call *call = op->more;
    const uint32_t size = r->launch->cluster[*(const uint32_t *)call->what];
    VM_EACH_LANE(r, op, lane)
    vm_put_bits(r, call->d, lane, size ? size : 1);
}

static void run_has_clusters(vm_run *r, const vm_op *op) {
    const vm_call *call = op->more;
    VM_EACH_LANE(r, op, lane)
    vm_put_bits(r, call->d, lane, r->launch->cluster[0] != 0);
}

/* The rank of the block whose local memory an address is in. */
static void run_cluster_rank_of(vm_run *r, const vm_op *op) {
    const vm_call *call = op->more;
    VM_EACH_LANE(r, op, lane) {
        const uint64_t address = vm_element(r, call->x[0], lane);
        const uint32_t apart = (uint32_t)(address / VM_LOCAL_STEP - r->local_base / VM_LOCAL_STEP);
        vm_put_bits(r, call->d, lane, (uint32_t)(r->rank + (int8_t)apart));
    }
}

/* ---- spaces ----------------------------------------------------------------------- */

static kir_space space_of(vm_run *r, uint64_t address) {
    const vm_region *g = vm_find_region(r, address, 1);
    if (g)
        return g->space;
    if (address >= VM_PRIVATE_BASE && address < VM_LOCAL_BASE)
        return KIR_PRIVATE;
    if (address >= VM_LOCAL_BASE && address < VM_LOCAL_BASE + VM_LOCAL_BLOCKS * VM_LOCAL_STEP)
        return KIR_LOCAL;
    return KIR_GLOBAL;
}

static void run_space(vm_run *r, const vm_op *op) {
    const vm_call *call = op->more;
    kir_space wanted = *(const kir_space *)call->what;
    VM_EACH_LANE(r, op, lane)
    vm_put_bits(r, call->d, lane, space_of(r, vm_element(r, call->x[0], lane)) == wanted);
}

/* ---- the heap --------------------------------------------------------------------- */

static void run_malloc(vm_run *r, const vm_op *op) {
    const vm_call *call = op->more;
    VM_EACH_ACTIVE(r, lane) {
        uint64_t bytes = vm_element(r, call->x[0], lane), address = vm_heap_take(r->heap, bytes);
        if (address && r->checked)
            vm_check_allocated(r, address, bytes);
        vm_put_bits(r, call->d, lane, address);
    }
}

static void run_free(vm_run *r, const vm_op *op) {
    const vm_call *call = op->more;
    VM_EACH_ACTIVE(r, lane) {
        uint64_t address = vm_element(r, call->x[0], lane);
        if (address && !vm_heap_give(r->heap, address))
            vm_fault(r, op->inst, lane,
                     "free of 0x%llx, where no memory begins that device_malloc() gave and nobody "
                     "has freed; free each piece once, by the address that it came with",
                     (unsigned long long)address);
    }
}

static void compile_heap(vm_compiler *c, const void *what) {
    c->program->allocates = true;
    vm_compile_lanes(c, what);
}

/* ---- the table -------------------------------------------------------------------- */

#define SPACE(name, space)                                                     \
    {"is_in_space_" name, "IP", VM_EACH(run_space, &(const kir_space){space})}

const vm_builtin vm_machine_builtins[] = {
    {"clock", "e", compile_clock, NULL},
    {"grid_workspace", "e", compile_workspace, NULL},
    {"shared_dynamic_bytes", "I", VM_LANES(run_shared_bytes, &(const bool){false})},
    {"shared_bytes", "I", VM_LANES(run_shared_bytes, &(const bool){true})},
    {"cluster_size_x", "I", VM_EACH(run_cluster_size, &(const uint32_t){0})},
    {"cluster_size_y", "I", VM_EACH(run_cluster_size, &(const uint32_t){1})},
    {"cluster_size_z", "I", VM_EACH(run_cluster_size, &(const uint32_t){2})},
    {"has_clusters", "I", VM_EACH(run_has_clusters)},
    {"cluster_rank_of", "Ie", VM_EACH(run_cluster_rank_of)},
    SPACE("global", KIR_GLOBAL),
    SPACE("shared", KIR_LOCAL),
    SPACE("local", KIR_PRIVATE),
    SPACE("const", KIR_CONSTANT),
    {"device_malloc", "ee", compile_heap, &(const vm_caller){run_malloc}},
    {"device_free", "ve", compile_heap, &(const vm_caller){run_free}},
    {NULL},
};
