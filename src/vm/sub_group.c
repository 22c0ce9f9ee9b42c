/*
 * Functions of those lanes of a sub-group that are here: a ballot, the first of them, and
 * what one of them has. The front end makes all others of these (frontend/clang/sub_group.c).
 */
#include "vm/builtin.h"

/* The lanes here of the sub-group that begins at lane `first` of the block, a bit each. */
static uint64_t lanes_here(const vm_run *r, uint32_t first, uint32_t size) {
    uint64_t here = r->bits[first / 64] >> first % 64;
    return size < 64 ? here & ((UINT64_C(1) << size) - 1) : here;
}

/* One call, of one component. */
typedef struct sub_group_call {
    vm_operand value, from, result;
} sub_group_call;

#define EACH_SUB_GROUP(r, first, size, here)                                                 \
    for (uint32_t size = kir_sub_group((r)->program->kernel), first = 0; first < (r)->lanes; \
         first += size)                                                                      \
        for (uint64_t here = lanes_here(r, first, size); here; here = 0)
#define EACH_LANE_OF(here, lane)                                                                  \
    for (uint64_t left_ = (here), lane; left_ && (lane = (uint64_t)__builtin_ctzll(left_), true); \
         left_ &= left_ - 1)

static void run_ballot(vm_run *r, const vm_op *op) {
    const sub_group_call *call = op->more;
    EACH_SUB_GROUP(r, first, size, here) {
        uint64_t votes = 0;
        EACH_LANE_OF(here, lane)
        votes |= (uint64_t)(vm_element(r, call->value, first + (uint32_t)lane) != 0) << lane;
        EACH_LANE_OF(here, lane)
        vm_put_bits(r, call->result, first + (uint32_t)lane, votes);
    }
}

static void run_first(vm_run *r, const vm_op *op) {
    const sub_group_call *call = op->more;
    EACH_SUB_GROUP(r, first, size, here) {
        EACH_LANE_OF(here, lane)
        vm_put_bits(r, call->result, first + (uint32_t)lane, (uint64_t)__builtin_ctzll(here));
    }
}

/* A lane that is not here has nothing to give: 0. All are read before the first is written, since
 * the operand and the result may be one cell. */
static void run_shuffle(vm_run *r, const vm_op *op) {
    const sub_group_call *call = op->more;
    EACH_SUB_GROUP(r, first, size, here) {
        uint64_t value[64];
        EACH_LANE_OF(here, lane) {
            uint64_t from = vm_element(r, call->from, first + (uint32_t)lane);
            bool is_here = from < size && (here >> from & 1);
            value[lane] = is_here ? vm_element(r, call->value, first + (uint32_t)from) : 0;
        }
        EACH_LANE_OF(here, lane)
        vm_put_bits(r, call->result, first + (uint32_t)lane, value[lane]);
    }
}

/* `what`: the handler, a vm_op_fn *const *. */
static void compile_sub_group(vm_compiler *c, const void *what) {
    for (uint32_t k = 0; k < vm_call_lanes(c); k++) {
        sub_group_call *call = hd_new(c->arena, sub_group_call);
        if (c->inst->arg_count)
            call->value = vm_call_arg(c, 0, k);
        if (c->inst->arg_count > 1)
            call->from = vm_call_arg(c, 1, k);
        call->result = vm_result(c, k);
        vm_emit_for_lanes(c, *(vm_op_fn *const *)what, call);
    }
}

#define ROW(name, shape, fn)                                            \
    {                                                                   \
        name, shape, compile_sub_group, &(vm_op_fn *const) { run_##fn } \
    }

const vm_builtin vm_sub_group_builtins[] = {
    ROW("sub_group_ballot", "eI", ballot),
    ROW("sub_group_first", "I", first),
    ROW("sub_group_shuffle", "ssI", shuffle),
    ROW("sub_group_shuffle", "ssi", shuffle),
    {NULL},
};
