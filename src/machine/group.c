/*
 * Functions of a whole work-group or sub-group: votes, broadcasts, reductions,
 * scans and asynchronous copies.
 *
 * All lanes of the group must be here, as at a barrier, but for the functions that say
 * non_uniform or clustered: those take the lanes of the sub-group that are. A sub-group is a
 * slice of 32 lanes, like a warp, or of as many as the kernel asks for. A copy happens at once: the lanes of the group move its
 * elements in order, lane l the elements l, l + n, l + 2n ... of n lanes, and
 * each round is announced as a load and a store like any other.
 *
 *     async_work_group_copy(s, p, 10, 0), 4 lanes:   0123 4567 89--
 */
#include <math.h>

#include "machine/builtin.h"
#include "machine/lane_flow.h"

/* Lanes [from, to) of a block. */
typedef struct slice {
    uint32_t from, to;
} slice;

static const char *name_of(const vm_run *r, const vm_op *op) {
    return r->program->kernel->insts[op->inst].name;
}

/* Every lane of the slice must be here. */
static void check_all_here(vm_run *r, const vm_op *op, slice s, const char *group) {
    for (uint32_t l = s.from; l < s.to; l++)
        if (!r->active.lane[l])
            vm_fault(r, op->inst, l,
                     "this thread is not among those that call %s here; all threads of the %s must "
                     "call it together",
                     name_of(r, op), group);
}

/* ---- votes, broadcasts, reductions, scans ----------------------------------------- */

typedef enum combining { ADD, MUL, MIN, MAX, AND, OR, XOR, ALL, ANY, ODD } combining;
typedef enum spread { REDUCE, INCLUSIVE, EXCLUSIVE, BROADCAST } spread;
/* Whose numbers are combined: PRESENT: lanes of a sub-group that make the call; CLUSTER: of its
 * slices whose size is an argument, again those. */
typedef enum scope { WORK_GROUP, SUB_GROUP, PRESENT, CLUSTER } scope;

/* What a function of the tables is. */
typedef struct collective {
    combining what;
    spread how;
    scope scope;
    bool is_unsigned;
} collective;

/* A call: the value, then local ids of who broadcasts, or its lane of the sub-group; or the lanes of
 * a cluster. */
static collective collective_of(const vm_call *call) { return *(const collective *)call->what; }

/* A number of any type. */
typedef struct number {
    uint64_t bits; /* of an integer, extended to 64 */
    double real;
} number;

static bool is_real(vm_operand x) { return x.elem >= VM_F16; }

static number number_of(const vm_run *r, const vm_call *call, uint32_t lane) {
    vm_operand x = call->x[0];
    if (is_real(x))
        return (number){.real = vm_real_at(r, x, lane)};
    return (number){.bits = collective_of(call).is_unsigned ? vm_element(r, x, lane)
                                                            : (uint64_t)vm_signed(r, x, lane)};
}

static void put_number(const vm_run *r, vm_operand d, uint32_t lane, number n) {
    vm_put_bits(r, d, lane, is_real(d) ? vm_bits_of(d.elem, n.real) : n.bits);
}

/* What changes nothing: what an exclusive scan starts with. */
static number neutral(const vm_call *call) {
    collective f = collective_of(call);
    double end = f.what == MIN ? INFINITY : -INFINITY;
    uint32_t bits = vm_elem_bytes(call->x[0].elem) * 8;
    uint64_t most = UINT64_MAX >> (64 - bits + !f.is_unsigned);
    uint64_t least = f.is_unsigned ? 0 : ~most;
    switch (f.what) {
    case MUL: return (number){1, 1};
    case MIN: return (number){most, end};
    case MAX: return (number){least, end};
    case AND: return (number){.bits = UINT64_MAX};
    case ALL: return (number){.bits = 1};
    default: return (number){0, 0};
    }
}

static bool is_less(const vm_call *call, number a, number b) {
    if (is_real(call->x[0]))
        return a.real < b.real;
    return collective_of(call).is_unsigned ? a.bits < b.bits : (int64_t)a.bits < (int64_t)b.bits;
}

static number combine(const vm_call *call, number a, number b) {
    switch (collective_of(call).what) {
    case ADD: return (number){a.bits + b.bits, a.real + b.real};
    case MUL: return (number){a.bits * b.bits, a.real * b.real};
    case MIN: return is_less(call, b, a) ? b : a;
    case MAX: return is_less(call, a, b) ? b : a;
    case AND: return (number){.bits = a.bits & b.bits};
    case OR: return (number){.bits = a.bits | b.bits};
    case XOR: return (number){.bits = a.bits ^ b.bits};
    case ALL: return (number){.bits = a.bits && b.bits};
    case ODD: return (number){.bits = !a.bits != !b.bits};
    default: return (number){.bits = a.bits || b.bits};
    }
}

/* The lane of the slice that broadcasts: ids count from the slice's first lane. */
static uint32_t source_of(vm_run *r, const vm_op *op, slice s) {
    const vm_call *call = op->more;
    uint64_t lane = 0, step = 1;
    for (uint32_t i = 0; i + 1 < call->count; i++) {
        uint64_t id = vm_element(r, call->x[1 + i], s.from);
        if (call->count > 2 && id >= r->launch->local[i])
            lane = UINT32_MAX;
        lane += id * step;
        step *= r->launch->local[i];
    }
    if (lane >= s.to - s.from)
        vm_fault(r, op->inst, s.from, "%s from a thread that is not in the group", name_of(r, op));
    return s.from + (uint32_t)lane;
}

/* For each lane of a slice that makes the call. */
#define EACH_HERE(r, s, at)                         \
    for (uint32_t at = (s).from; at < (s).to; at++) \
        if ((r)->active.lane[at])

static void run_slice(vm_run *r, const vm_op *op, slice s) {
    const vm_call *call = op->more;
    spread how = collective_of(call).how;
    number sum = neutral(call);
    bool scans = how == INCLUSIVE || how == EXCLUSIVE;
    if (how == BROADCAST)
        sum = number_of(r, call, source_of(r, op, s));
    else
        EACH_HERE(r, s, l) {
            number before = sum;
            sum = combine(call, sum, number_of(r, call, l));
            if (scans)
                put_number(r, call->d, l, how == INCLUSIVE ? sum : before);
        }
    if (!scans)
        EACH_HERE(r, s, l)
    put_number(r, call->d, l, sum);
}

/* Calls `run` for the slices of `lanes` lanes of the block that call the function; all lanes of
 * such a slice must, unless those that do are enough. */
typedef void slice_fn(vm_run *r, const vm_op *op, slice s);

static void each_slice(vm_run *r, const vm_op *op, uint32_t lanes, bool must_be_whole,
                       slice_fn *run) {
    for (uint32_t from = 0; from < r->lanes; from += lanes) {
        slice s = {from, from + lanes < r->lanes ? from + lanes : r->lanes};
        if (!memchr(r->active.lane + s.from, 1, s.to - s.from))
            continue;
        if (must_be_whole)
            check_all_here(r, op, s, "sub-group");
        run(r, op, s);
    }
}

static void run_collective(vm_run *r, const vm_op *op) {
    const vm_call *call = op->more;
    scope of = collective_of(call).scope;
    if (of == WORK_GROUP) {
        slice all = {0, r->lanes};
        check_all_here(r, op, all, "work-group");
        run_slice(r, op, all);
        return;
    }
    uint32_t lanes =
        of == CLUSTER ? (uint32_t)vm_element(r, call->x[1], 0) : kir_sub_group(r->program->kernel);
    each_slice(r, op, lanes, of == SUB_GROUP, run_slice);
}

static void compile_collective(vm_compiler *c, const void *what) {
    int64_t lanes = 0; /* of a cluster: the source says how many */
    if (((const collective *)what)->scope == CLUSTER &&
        (!kir_const_int(c->kernel, c->inst->args[1], &lanes) || lanes <= 0 ||
         !hd_is_power_of_two((uint64_t)lanes) || lanes > kir_sub_group(c->kernel)))
        vm_cannot_run(
            c,
            "%s with a size of clusters that is no constant, no power of two or more than "
            "a sub-group has",
            c->inst->name);
    else
        vm_compile_lanes(c, &(const vm_caller){run_collective, what});
}

/* ---- sub-groups: who they are ----------------------------------------------------- */

static void order_slice(vm_run *r, const vm_op *op, slice s) {
    (void)op;
    uint64_t *mask = r->flow->taken[0];
    memset(mask, 0, r->words * sizeof *mask);
    for (uint32_t l = s.from; l < s.to; l++)
        mask[l / 64] |= UINT64_C(1) << l % 64;
    vm_check_together(r, mask);
}

static void run_sub_group_barrier(vm_run *r, const vm_op *op) {
    each_slice(r, op, kir_sub_group(r->program->kernel), true, order_slice);
}

typedef enum sub_group_query { SIZE, MOST, GROUPS } sub_group_query;

static void run_query(vm_run *r, const vm_op *op) {
    const vm_call *call = op->more;
    sub_group_query what = *(const sub_group_query *)call->what;
    uint32_t most = kir_sub_group(r->program->kernel);
    VM_EACH_ACTIVE(r, lane) {
        uint32_t left = r->lanes - lane / most * most;
        vm_put_bits(r, call->d, lane,
                    what == SIZE && left < most ? left
                    : what == GROUPS            ? (r->lanes + most - 1) / most
                                                : most);
    }
}

/* ---- sub-groups: lanes that are here ------------------------------------------------ */

/* The front end makes all other such functions of these (frontend/clang/sub_group.c). */
static void ballot(vm_run *r, const vm_op *op, slice s) {
    const vm_call *call = op->more;
    uint64_t votes = 0;
    EACH_HERE(r, s, l)
    votes |= (uint64_t)(vm_element(r, call->x[0], l) != 0) << (l - s.from);
    EACH_HERE(r, s, l)
    vm_put_bits(r, call->d, l, votes);
}

static void first_here(vm_run *r, const vm_op *op, slice s) {
    const vm_call *call = op->more;
    const uint8_t *first = memchr(r->active.lane + s.from, 1, s.to - s.from);
    EACH_HERE(r, s, l)
    vm_put_bits(r, call->d, l, (uint64_t)(first - r->active.lane) - s.from);
}

/* A lane that is not here has nothing to give: 0. All are read before the first is written, since
 * the operand and the result may be one cell. */
static void shuffle(vm_run *r, const vm_op *op, slice s) {
    const vm_call *call = op->more;
    uint64_t value[64];
    EACH_HERE(r, s, l) {
        uint64_t from = vm_element(r, call->x[1], l);
        bool is_here = from < s.to - s.from && r->active.lane[s.from + from];
        value[l - s.from] = is_here ? vm_element(r, call->x[0], s.from + (uint32_t)from) : 0;
    }
    EACH_HERE(r, s, l)
    vm_put_bits(r, call->d, l, value[l - s.from]);
}

/* `what`: one of these. */
static void run_sub_groups(vm_run *r, const vm_op *op) {
    const vm_call *call = op->more;
    each_slice(r, op, kir_sub_group(r->program->kernel), false, *(slice_fn *const *)call->what);
}

/* ---- asynchronous copies ---------------------------------------------------------- */

/* One side of a copy. Its memory description has the addresses of a round in a scratch cell. */
typedef struct copy_side {
    vm_memory *memory;
    vm_operand start; /* where the first element is */
    bool strided;     /* elements are `stride` elements apart, else they follow each other */
    vm_announced *rows;
    uint32_t row_count;
} copy_side;

typedef struct copy_call {
    copy_side from, to;
    vm_operand count, stride, event, result;
    uint64_t element; /* bytes */
    bool has_result;
} copy_call;

/* An operand's value, which all lanes must agree on. */
static uint64_t agreed(vm_run *r, const vm_op *op, vm_operand x, const char *what) {
    uint64_t value = vm_element(r, x, 0);
    for (uint32_t l = 1; l < r->lanes && x.varying; l++)
        if (vm_element(r, x, l) != value)
            vm_fault(r, op->inst, l,
                     "this thread gives %s another %s than thread 0; all threads of the work-group "
                     "must give the same",
                     name_of(r, op), what);
    return value;
}

/* Checks and announces a side's accesses to elements first, first + 1 ... of the active lanes. */
static vm_target touch_round(vm_run *r, const vm_op *op, const copy_side *side, uint64_t start,
                             uint64_t step, uint64_t first, bool writes) {
    const copy_call *call = op->more;
    vm_operand address = side->memory->address;
    for (uint32_t l = 0; l < r->active.count; l++)
        VM_CELL(r, address.at, uint64_t)[l] = start + (first + l) * step;
    vm_target t = vm_resolve(r, op, side->memory, side->memory->slot, address, call->element,
                             side->memory->align, writes);
    if (r->checked)
        vm_check_access(r, op, &t, call->element, writes ? VM_WRITES : VM_READS);
    vm_announce(r, &t, side->memory->space, side->rows, side->row_count);
    return t;
}

static void run_copy(vm_run *r, const vm_op *op) {
    const copy_call *call = op->more;
    check_all_here(r, op, (slice){0, r->lanes}, "work-group");
    uint64_t count = agreed(r, op, call->count, "number of elements");
    uint64_t stride = agreed(r, op, call->stride, "stride");
    uint64_t start[2] = {agreed(r, op, call->from.start, "source"),
                         agreed(r, op, call->to.start, "destination")};
    uint64_t step[2] = {call->from.strided ? stride * call->element : call->element,
                        call->to.strided ? stride * call->element : call->element};
    for (uint64_t first = 0; first < count; first += r->lanes) {
        uint64_t left = count - first;
        vm_activate_first(r, left < r->lanes ? (uint32_t)left : r->lanes);
        vm_target from = touch_round(r, op, &call->from, start[0], step[0], first, false);
        vm_target to = touch_round(r, op, &call->to, start[1], step[1], first, true);
        for (uint32_t l = 0; l < r->active.count; l++)
            memmove(vm_host(r, &to, l, VM_CELL(r, call->to.memory->address.at, uint64_t)[l]),
                    vm_host(r, &from, l, VM_CELL(r, call->from.memory->address.at, uint64_t)[l]),
                    call->element);
    }
    vm_activate_first(r, r->lanes);
    for (uint32_t l = 0; call->has_result && l < r->lanes; l++)
        vm_put_bits(r, call->result, l, vm_element(r, call->event, l));
}

/* The rows of the table of accesses for one side. */
static copy_side side_of(vm_compiler *c, uint32_t arg, uint64_t element, hd_access_kind kind) {
    copy_side side = {.memory = vm_memory_new(c, c->inst->args[arg]),
                      .start = vm_call_arg(c, arg, 0)};
    side.memory->address = vm_scratch(c, VM_I64, true);
    side.memory->width = (uint32_t)element;
    side.memory->align = (uint32_t)(element & (~element + 1)); /* a 3-vector is aligned as 4 */
    side.rows = vm_announced_rows(c, kind, &side.row_count);
    return side;
}

/* to, from, elements[, stride of the global side], event, bytes of an element */
static void compile_copy(vm_compiler *c, const void *what) {
    bool has_stride = *(const bool *)what;
    int64_t element = 0;
    uint32_t event = has_stride ? 4 : 3;
    if (!kir_const_int(c->kernel, c->inst->args[event + 1], &element) || element <= 0 ||
        element > 128) {
        vm_cannot_run(c, "a copy of elements whose size is not known");
        return;
    }
    copy_call *call = hd_new(c->arena, copy_call);
    call->element = (uint64_t)element;
    call->to = side_of(c, 0, call->element, HD_STORE);
    call->from = side_of(c, 1, call->element, HD_LOAD);
    call->count = vm_call_arg(c, 2, 0);
    call->stride = has_stride ? vm_call_arg(c, 3, 0) : vm_constant(c, VM_I64, 1);
    call->to.strided = call->to.memory->space != KIR_LOCAL;
    call->from.strided = call->from.memory->space != KIR_LOCAL;
    call->event = vm_call_arg(c, event, 0);
    call->has_result = c->inst->type.kind != KIR_VOID;
    if (call->has_result)
        call->result = vm_result(c, 0);
    vm_emit_for_lanes(c, run_copy, call);
}

/* The copy is done already, but only from here on may other threads see it. */
static void run_wait(vm_run *r, const vm_op *op) {
    (void)op;
    vm_check_together(r, r->bits);
}

/* ---- the table -------------------------------------------------------------------- */

#define ROW(name, shape, ...)                                                \
    {                                                                        \
        name, shape, compile_collective, &(const collective) { __VA_ARGS__ } \
    }
/* Signed and unsigned integers, and floats; `more` stands for what the second operand is. */
#define NUMBERS(name, more, what, how, scope)              \
    ROW(name, "nn" more, what, how, scope, false),         \
        ROW("u_" name, "nn" more, what, how, scope, true), \
        ROW(name, "ff" more, what, how, scope, false)
#define INTEGERS(name, more, what, how, scope) ROW(name, "nn" more, what, how, scope, true)
#define SPREADS(KIND, prefix, suffix, what, scope)                          \
    KIND(prefix "_reduce_" suffix, "", what, REDUCE, scope),                \
        KIND(prefix "_scan_inclusive_" suffix, "", what, INCLUSIVE, scope), \
        KIND(prefix "_scan_exclusive_" suffix, "", what, EXCLUSIVE, scope)
#define ARITHMETIC(prefix, scope)                                                                 \
    SPREADS(NUMBERS, prefix, "add", ADD, scope), SPREADS(NUMBERS, prefix, "mul", MUL, scope),     \
        SPREADS(NUMBERS, prefix, "min", MIN, scope), SPREADS(NUMBERS, prefix, "max", MAX, scope), \
        SPREADS(INTEGERS, prefix, "and", AND, scope), SPREADS(INTEGERS, prefix, "or", OR, scope), \
        SPREADS(INTEGERS, prefix, "xor", XOR, scope),                                             \
        SPREADS(INTEGERS, prefix, "logical_and", ALL, scope),                                     \
        SPREADS(INTEGERS, prefix, "logical_or", ANY, scope),                                      \
        SPREADS(INTEGERS, prefix, "logical_xor", ODD, scope)
#define CLUSTERED(KIND, suffix, what)                                      \
    KIND("sub_group_clustered_reduce_" suffix, "I", what, REDUCE, CLUSTER)
#define GROUP_FUNCTIONS(prefix, scope)                                                \
    ROW(prefix "_all", "II", ALL, REDUCE, scope, true),                               \
        ROW(prefix "_any", "II", ANY, REDUCE, scope, true), ARITHMETIC(prefix, scope)
#define QUERY(name, what) {name, "I", VM_LANES(run_query, &(const sub_group_query){what})}
#define OF_THOSE_HERE(name, shape, fn)                              \
    {name, shape, VM_LANES(run_sub_groups, &(slice_fn *const){fn})}

const vm_builtin vm_group_builtins[] = {
    GROUP_FUNCTIONS("work_group", WORK_GROUP),
    GROUP_FUNCTIONS("sub_group", SUB_GROUP),
    ARITHMETIC("sub_group_non_uniform", PRESENT),
    CLUSTERED(NUMBERS, "add", ADD),
    CLUSTERED(NUMBERS, "mul", MUL),
    CLUSTERED(NUMBERS, "min", MIN),
    CLUSTERED(NUMBERS, "max", MAX),
    CLUSTERED(INTEGERS, "and", AND),
    CLUSTERED(INTEGERS, "or", OR),
    CLUSTERED(INTEGERS, "xor", XOR),
    CLUSTERED(INTEGERS, "logical_and", ALL),
    CLUSTERED(INTEGERS, "logical_or", ANY),
    CLUSTERED(INTEGERS, "logical_xor", ODD),
    ROW("work_group_broadcast", "nne*", ADD, BROADCAST, WORK_GROUP, false),
    ROW("work_group_broadcast", "ffe*", ADD, BROADCAST, WORK_GROUP, false),
    ROW("sub_group_broadcast", "nni", ADD, BROADCAST, SUB_GROUP, false),
    ROW("sub_group_broadcast", "ffi", ADD, BROADCAST, SUB_GROUP, false),
    {"sub_group_barrier", "v*", VM_LANES(run_sub_group_barrier)},
    OF_THOSE_HERE("sub_group_ballot", "eI", ballot),
    OF_THOSE_HERE("sub_group_first", "I", first_here),
    OF_THOSE_HERE("sub_group_shuffle", "ssI", shuffle),
    OF_THOSE_HERE("sub_group_shuffle", "ssi", shuffle),
    QUERY("get_sub_group_size", SIZE),
    QUERY("get_max_sub_group_size", MOST),
    QUERY("get_num_sub_groups", GROUPS),
    QUERY("get_enqueued_num_sub_groups", GROUPS),
    {"async_work_group_copy", "ePPeee", compile_copy, &(const bool){false}},
    {"async_work_group_strided_copy", "ePPeeee", compile_copy, &(const bool){true}},
    {"wait_group_events", "v*", VM_LANES(run_wait)},
    {"prefetch", "v*", NULL, NULL}, /* a hint */
    {NULL},
};
