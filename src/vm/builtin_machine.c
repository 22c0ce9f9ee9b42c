/*
 * What a kernel asks of the machine itself: the instructions run so far, which space an
 * address is in, and memory of the heap.
 */
#include "vm/builtin.h"
#include "vm/flow.h"

/* One result, of one operand at most. */
typedef struct asking {
    vm_operand operand, result;
    bool has_result;
    uint64_t number; /* what else is known */
    const vm_node *node;
} asking;

static asking *new_asking(vm_compiler *c) {
    asking *a = hd_new(c->arena, asking);
    if (c->inst->arg_count)
        a->operand = vm_call_arg(c, 0, 0);
    a->has_result = c->inst->type.kind != KIR_VOID;
    if (a->has_result)
        a->result = vm_result(c, 0);
    return a;
}

/* ---- clock ------------------------------------------------------------------------ */

/* The block's counter has all instructions of this node already; `number` of them have run. */
static void run_clock(vm_run *r, const vm_op *op) {
    const asking *a = op->more;
    uint64_t time = r->instructions - r->block_start - a->node->insts + a->number;
    VM_EACH_ACTIVE(r, lane)
    vm_put_bits(r, a->result, lane, time);
}

static void compile_clock(vm_compiler *c, const void *what) {
    (void)what;
    asking *a = new_asking(c);
    a->node = c->node;
    a->number = c->node->insts;
    vm_emit_for_lanes(c, run_clock, a);
}

/* ---- shared memory ------------------------------------------------------------------- */

static void run_shared_bytes(vm_run *r, const vm_op *op) {
    const asking *a = op->more;
    VM_EACH_ACTIVE(r, lane)
    vm_put_bits(r, a->result, lane, a->number ? r->shared_bytes : r->dynamic_bytes);
}

/* `what`: whether all of it is meant, or what the launch has asked for. */
static void compile_shared_bytes(vm_compiler *c, const void *what) {
    asking *a = new_asking(c);
    a->number = *(const bool *)what;
    vm_emit_for_lanes(c, run_shared_bytes, a);
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
    const asking *a = op->more;
    VM_EACH_LANE(r, op, lane)
    vm_put_bits(r, a->result, lane, space_of(r, vm_element(r, a->operand, lane)) == a->number);
}

static void compile_space(vm_compiler *c, const void *what) {
    asking *a = new_asking(c);
    a->number = *(const kir_space *)what;
    vm_emit_op(c, run_space, a->result, a->operand, vm_none, vm_none)->more = a;
}

/* ---- the heap --------------------------------------------------------------------- */

static void run_malloc(vm_run *r, const vm_op *op) {
    const asking *a = op->more;
    VM_EACH_ACTIVE(r, lane) {
        uint64_t bytes = vm_element(r, a->operand, lane), address = vm_heap_take(r->heap, bytes);
        if (address && r->checked)
            vm_check_allocated(r, address, bytes);
        vm_put_bits(r, a->result, lane, address);
    }
}

static void run_free(vm_run *r, const vm_op *op) {
    const asking *a = op->more;
    VM_EACH_ACTIVE(r, lane) {
        uint64_t address = vm_element(r, a->operand, lane);
        if (address && !vm_heap_give(r->heap, address))
            vm_fault(r, op->inst, lane,
                     "free of 0x%llx, where no memory begins that device_malloc() gave and nobody "
                     "has freed; free each piece once, by the address that it came with",
                     (unsigned long long)address);
    }
}

/* `what`: the handler, a vm_op_fn *const *. */
static void compile_heap(vm_compiler *c, const void *what) {
    c->program->allocates = true;
    vm_emit_for_lanes(c, *(vm_op_fn *const *)what, new_asking(c));
}

/* ---- the table -------------------------------------------------------------------- */

#define SPACE(name, space)                                                     \
    {                                                                          \
        "is_in_space_" name, "IP", compile_space, &(const kir_space) { space } \
    }

const vm_builtin vm_machine_builtins[] = {
    {"clock", "e", compile_clock, NULL},
    {"shared_dynamic_bytes", "I", compile_shared_bytes, &(const bool){false}},
    {"shared_bytes", "I", compile_shared_bytes, &(const bool){true}},
    SPACE("global", KIR_GLOBAL),
    SPACE("shared", KIR_LOCAL),
    SPACE("local", KIR_PRIVATE),
    SPACE("const", KIR_CONSTANT),
    {"device_malloc", "ee", compile_heap, &(vm_op_fn *const){run_malloc}},
    {"device_free", "ve", compile_heap, &(vm_op_fn *const){run_free}},
    {NULL},
};
