/*
 * Warps of CUDA C: votes, matches, shuffles and reductions among 32 lanes.
 *
 * Every caller names the threads that take part, as a mask. CUDA leaves undefined
 * what happens when they are not all here with the same mask; here it is a fault,
 * for it is a mistake that shows on some devices only. Threads that have returned,
 * or are on their way to it, are not waited for. The lanes of a warp run in one block
 * of code at a time, so all that take part are active when the call runs.
 *
 *     warp_ballot(0xf, x > 0)     lanes 0-3, x holds 1 -1 2 0    ->  0b0101
 */
#include <stdlib.h>

#include "machine/builtin.h"
#include "machine/lane_flow.h"

enum { WARP = VM_WARP };

/* One lane's call: who takes part, and its operands. */
typedef struct member {
    vm_run *r;
    const vm_op *op;
    uint32_t first; /* lane of the block that is lane 0 of the warp */
    uint32_t lane;  /* in the warp */
    uint32_t mask;  /* threads that take part and are here */
    const vm_call *call;
} member;

typedef uint64_t member_fn(const member *m);

/* Where a shuffle's value comes from: a lane, or one so far away. */
typedef enum shuffle_way { LANE, UP, DOWN, XOR } shuffle_way;

typedef struct warp_function {
    member_fn *fn;  /* NULL: there is no result */
    bool is_shared; /* all members of a mask get the same */
    shuffle_way way;
    bool by_width;    /* a shuffle of CUDA C, not of PTX */
    bool gives_range; /* whether there is such a lane, not its value */
} warp_function;

/* The operands of a call; of those without a mask only the function knows. */
enum { MASK, VALUE, SECOND, THIRD };

static uint64_t value_of(const member *m, uint32_t lane) {
    return vm_element(m->r, m->call->x[VALUE], m->first + lane);
}

/* ---- who takes part --------------------------------------------------------------- */

static uint32_t active_lanes(const vm_run *r, uint32_t first) {
    return (uint32_t)(r->bits[first / 64] >> first % 64);
}

static vm_op_fn run_warps;

/* Can a lane that waits at this node still come to a function of warps, or a barrier? */
static bool leads_to_others(const vm_program *p, uint32_t start) {
    uint32_t *stack = hd_zeroed(p->node_count, sizeof *stack), depth = 1;
    bool *seen = hd_zeroed(p->node_count, 1), found = false;
    stack[0] = start;
    seen[start] = true;
    while (depth && !found) {
        uint32_t node = stack[--depth];
        found = p->nodes[node].end == VM_END_BARRIER || p->nodes[node].end == VM_END_NAMED_BARRIER;
        for (uint32_t i = 0; i < p->nodes[node].count; i++)
            found |= p->ops[p->nodes[node].first + i].fn == run_warps;
        for (uint32_t e = 0; e < p->nodes[node].edge_count; e++) {
            uint32_t to = p->nodes[node].edges[e].to;
            if (!seen[to])
                stack[depth++] = to;
            seen[to] = true;
        }
    }
    free(stack);
    free(seen);
    return found;
}

/* A lane that is not active here has returned, or nothing but that is ahead of it: on a device
 * the others would wait until it has. One that a barrier holds never returns before them. */
static bool is_gone(const vm_run *r, uint32_t lane) {
    bool is_gone = lane >= r->lanes || vm_has_lane(r->flow->returned, lane);
    for (uint32_t n = 0; n < r->program->node_count && !is_gone; n++)
        if (r->flow->count[n] && vm_has_lane(r->flow->waiting + (size_t)n * r->words, lane))
            return !leads_to_others(r->program, n);
    return is_gone;
}

/* The call of a function of warps that a node begins with. */
static const vm_call *call_of(const vm_program *p, uint32_t node) {
    const vm_op *op = p->ops + p->nodes[node].first;
    while (op->fn != run_warps)
        op++;
    return op->more;
}

uint32_t vm_complete_lanes(vm_run *r, uint32_t node, const uint64_t *here, uint64_t *complete) {
    const vm_call *call = call_of(r->program, node);
    uint32_t count = 0;
    memcpy(complete, here, r->words * sizeof *complete);
    for (uint32_t lane = 0; lane < r->lanes; lane++) {
        if (!vm_has_lane(here, lane))
            continue;
        const uint32_t first = lane - lane % WARP;
        uint32_t left = call->count ? (uint32_t)vm_element(r, call->x[MASK], lane) : 0;
        left &= ~(uint32_t)(here[first / 64] >> first % 64);
        while (left && is_gone(r, first + (uint32_t)__builtin_ctz(left)))
            left &= left - 1;
        if (left)
            complete[lane / 64] &= ~(UINT64_C(1) << lane % 64);
        count += !left;
    }
    return count;
}

/* The threads that take part with a lane; faults when its mask is wrong. */
static uint32_t participants(vm_run *r, const vm_op *op, uint32_t first, uint32_t lane) {
    const vm_call *call = op->more;
    uint32_t mask = (uint32_t)vm_element(r, call->x[MASK], first + lane);
    if (!(mask >> lane & 1))
        vm_fault(r, op->inst, first + lane,
                 "the thread calls %s with mask 0x%08x, in which its own lane %u is missing; add "
                 "it, or compute the mask before the branch",
                 r->program->kernel->insts[op->inst].name, mask, lane);
    uint32_t here = mask & active_lanes(r, first);
    for (uint32_t left = mask & ~here; left; left &= left - 1) {
        uint32_t missing = (uint32_t)__builtin_ctz(left);
        if (!is_gone(r, first + missing))
            vm_fault(r, op->inst, first + lane,
                     "%s with mask 0x%08x waits for lane %u of the warp, which is not here%s; all "
                     "threads of the mask must make the same call",
                     r->program->kernel->insts[op->inst].name, mask, missing,
                     vm_place_of_lane(r, first + missing));
    }
    for (uint32_t left = call->x[MASK].varying ? here : 0; left; left &= left - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(left);
        uint32_t other = (uint32_t)vm_element(r, call->x[MASK], first + l);
        if (other != mask)
            vm_fault(r, op->inst, first + lane,
                     "lanes %u and %u of the warp call %s with masks 0x%08x and 0x%08x; they must "
                     "give the same one",
                     lane, l, r->program->kernel->insts[op->inst].name, mask, other);
    }
    return here;
}

/* They wait for each other, and for nobody else. */
static void order_members(vm_run *r, uint32_t first, uint32_t mask) {
    uint64_t *lanes = r->flow->taken[0];
    if (!vm_ordered_threads(r))
        return;
    memset(lanes, 0, r->words * sizeof *lanes);
    lanes[first / 64] = (uint64_t)mask << first % 64;
    vm_check_together(r, lanes);
}

/* ---- what a lane gets ------------------------------------------------------------- */

#define EACH_MEMBER(m, l)                                                                 \
    for (uint32_t left_ = (m)->mask, l; left_ && (l = (uint32_t)__builtin_ctz(left_), 1); \
         left_ &= left_ - 1)

static uint64_t ballot(const member *m) {
    uint32_t votes = 0;
    EACH_MEMBER(m, l)
        votes |= (uint32_t)(value_of(m, l) != 0) << l;
    return votes;
}

static uint64_t all(const member *m) { return ballot(m) == m->mask; }
static uint64_t any(const member *m) { return ballot(m) != 0; }
static uint64_t uni(const member *m) { return all(m) || !any(m); }
static uint64_t active_mask(const member *m) { return m->mask; }

static uint64_t match_any(const member *m) {
    uint32_t same = 0;
    EACH_MEMBER(m, l)
        same |= (uint32_t)(value_of(m, l) == value_of(m, m->lane)) << l;
    return same;
}

static uint64_t match_all(const member *m) { return match_any(m) == m->mask ? m->mask : 0; }
static uint64_t match_all_pred(const member *m) { return match_any(m) == m->mask; }

/* A thread that takes no part, or is no longer there, has no value to give: 0. */
static uint64_t taken_from(const member *m, uint32_t lane) {
    return m->mask >> lane & 1 ? value_of(m, lane) : 0;
}

/* The lane, or how far it is away: five bits count, as in operand b of PTX's shfl.sync. */
static uint32_t distance_of(const member *m) {
    return (uint32_t)vm_element(m->r, m->call->x[SECOND], m->first + m->lane) & (WARP - 1);
}

/* The lanes of a warp that shuffle among themselves: bits of their numbers that are the same, and those
 * of the last one that a source may be; upwards, of the first. */
typedef struct segment {
    uint32_t mask, clamp;
} segment;

/* CUDA C gives segments a width. In PTX the bits 8-12 of operand c fix bits of a lane's number, and
 * the bits 0-4 clamp the source. */
static segment segment_of(const member *m, const warp_function *f) {
    uint64_t third = vm_element(m->r, m->call->x[THIRD], m->first + m->lane);
    uint32_t clamp = (uint32_t)third, mask = clamp >> 8 & (WARP - 1);
    if (f->by_width) {
        if (!hd_is_power_of_two(third) || third > WARP)
            vm_fault(m->r, m->op->inst, m->first + m->lane,
                     "a shuffle in segments of %d threads; their width is a power of two, 32 at "
                     "most",
                     (int)third);
        clamp = f->way == UP ? 0 : WARP - 1;
        mask = ~((uint32_t)third - 1) & (WARP - 1);
    }
    return (segment){mask, clamp & ~mask & (WARP - 1)};
}

/* The lane of the warp that a shuffle takes a value from: the own one where that is beyond the segment. */
static inline uint32_t source_of(shuffle_way way, segment s, uint32_t lane, uint32_t distance,
                                 bool *in_range) {
    int32_t first = (int32_t)(lane & s.mask), last = first | (int32_t)s.clamp;
    int32_t own = (int32_t)lane, by = (int32_t)distance;
    int32_t from = way == UP     ? own - by
                   : way == DOWN ? own + by
                   : way == XOR  ? own ^ by
                                 : first | (by & (int32_t)~s.mask);
    *in_range = way == UP ? from >= last : from <= last;
    return *in_range ? (uint32_t)from : lane;
}

static uint64_t shuffle(const member *m) {
    const warp_function *f = m->call->what;
    bool in_range;
    uint32_t from = source_of(f->way, segment_of(m, f), m->lane, distance_of(m), &in_range);
    return f->gives_range ? in_range : taken_from(m, from);
}

static uint64_t elect(const member *m) { return m->lane == (uint32_t)__builtin_ctz(m->mask); }

#define REDUCE(name, start, expression)              \
    static uint64_t reduce_##name(const member *m) { \
        uint32_t sum = start;                        \
        EACH_MEMBER(m, l) {                          \
            uint32_t x = (uint32_t)value_of(m, l);   \
            sum = expression;                        \
        }                                            \
        return sum;                                  \
    }
REDUCE(add, 0, sum + x)
REDUCE(and, UINT32_MAX, sum &x)
REDUCE(or, 0, sum | x)
REDUCE(xor, 0, sum ^ x)
REDUCE(umin, UINT32_MAX, x < sum ? x : sum)
REDUCE(umax, 0, x > sum ? x : sum)
REDUCE(min, INT32_MAX, (int32_t)x < (int32_t)sum ? x : sum)
REDUCE(max, (uint32_t)INT32_MIN, (int32_t)x > (int32_t)sum ? x : sum)

/* ---- running and compiling -------------------------------------------------------- */

/* All results of a warp are found before the first is written: an operand and the result may
 * be one cell for the whole block. Members of one mask follow each other as a rule, and often
 * have the same result. */
static void run_one_warp(vm_run *r, const vm_op *op, uint32_t first) {
    const vm_call *call = op->more;
    const warp_function *function = call->what;
    uint64_t results[WARP], result = 0;
    uint32_t active = active_lanes(r, first), known = 0;
    uint32_t together = active; /* who takes part, when nobody is left out */
    if (call->count)
        together =
            call->x[MASK].varying ? 0 : participants(r, op, first, (uint32_t)__builtin_ctz(active));
    for (uint32_t left = active; left; left &= left - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(left);
        uint32_t mask = together == active ? active : participants(r, op, first, l);
        member m = {r, op, first, l, mask, call};
        if (function->fn && !(function->is_shared && known == mask))
            result = function->fn(&m);
        known = mask;
        results[l] = result;
        if (call->count && l == (uint32_t)__builtin_ctz(mask))
            order_members(r, first, mask);
    }
    for (uint32_t left = call->has_result ? active : 0; left; left &= left - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(left);
        vm_put_bits(r, call->d, first + l, results[l]);
    }
}

/* A shuffle of 32-bit values that is the same one in all warps. */
static bool is_even_shuffle(const vm_run *r, const vm_call *call) {
    return ((const warp_function *)call->what)->fn == shuffle && call->has_result && !r->checked &&
           !call->x[MASK].varying && !call->x[SECOND].varying && !call->x[THIRD].varying &&
           call->x[VALUE].varying && call->d.varying && vm_elem_bytes(call->x[VALUE].elem) == 4 &&
           vm_elem_bytes(call->d.elem) == 4;
}

static inline void find_sources(shuffle_way way, segment s, uint32_t by, uint32_t *from,
                                uint32_t *in_range) {
    for (uint32_t l = 0; l < WARP; l++) {
        bool is_there;
        from[l] = source_of(way, s, l, by, &is_there);
        in_range[l] = is_there;
    }
}

/* The sources of lanes are found once, for all warps. */
static void run_even_shuffle(vm_run *r, const vm_op *op) {
    const vm_call *call = op->more;
    const warp_function *f = call->what;
    const uint32_t *value = VM_CELL(r, call->x[VALUE].at, uint32_t);
    uint32_t *result = VM_CELL(r, call->d.at, uint32_t), from[WARP], in_range[WARP];
    uint32_t start = vm_first_active(r); /* it is told where the width is wrong */
    member m = {r, op, start - start % WARP, start % WARP, 0, call};
    segment s = segment_of(&m, f);
    uint32_t by = distance_of(&m);
    switch (f->way) { /* each a loop without branches */
    case LANE: find_sources(LANE, s, by, from, in_range); break;
    case UP: find_sources(UP, s, by, from, in_range); break;
    case DOWN: find_sources(DOWN, s, by, from, in_range); break;
    case XOR: find_sources(XOR, s, by, from, in_range); break;
    }
    bool all = *VM_CELL(r, call->x[MASK].at, uint32_t) == UINT32_MAX;
    for (uint32_t first = 0; first < r->lanes; first += WARP) {
        uint32_t active = active_lanes(r, first), results[WARP];
        if (!active)
            continue;
        if (all && active == UINT32_MAX) {
            if (f->gives_range)
                memcpy(result + first, in_range, sizeof in_range);
            else
                r->flow->handlers->permute(value + first, from, result + first);
            continue;
        }
        uint32_t here = participants(r, op, first, (uint32_t)__builtin_ctz(active));
        if (here != active) {
            run_one_warp(r, op, first);
            continue;
        }
        for (uint32_t left = active; left; left &= left - 1) {
            uint32_t l = (uint32_t)__builtin_ctz(left);
            results[l] = f->gives_range          ? in_range[l]
                         : active >> from[l] & 1 ? value[first + from[l]]
                                                 : 0;
        }
        for (uint32_t left = active; left; left &= left - 1) {
            uint32_t l = (uint32_t)__builtin_ctz(left);
            result[first + l] = results[l];
        }
    }
}

static void run_warps(vm_run *r, const vm_op *op) {
    if (is_even_shuffle(r, op->more)) {
        run_even_shuffle(r, op);
        return;
    }
    for (uint32_t first = 0; first < r->lanes; first += WARP)
        if (active_lanes(r, first))
            run_one_warp(r, op, first);
}

/* ---- barriers that count ---------------------------------------------------------- */

/* The control flow has made all live lanes active. */
typedef enum counting { COUNT, AND, OR } counting;

static void run_count(vm_run *r, const vm_op *op) {
    const vm_call *call = op->more;
    counting what = *(const counting *)call->what;
    uint32_t count = 0;
    VM_EACH_ACTIVE(r, lane)
    count += vm_element(r, call->x[0], lane) != 0;
    uint32_t result = what == COUNT ? count : what == AND ? count == r->active.count : count > 0;
    VM_EACH_ACTIVE(r, lane)
    vm_put_bits(r, call->d, lane, result);
}

/* ---- the table -------------------------------------------------------------------- */

#define ROW(name, shape, ...)                                               \
    {name, shape, VM_LANES(run_warps, &(const warp_function){__VA_ARGS__})}
#define SHUFFLE(name, from)                                        \
    ROW(name, "IIIII", shuffle, .way = from, .by_width = true),    \
        ROW(name, "FIFII", shuffle, .way = from, .by_width = true)
#define PTX_SHUFFLE(name, from)                                                         \
    ROW(name, "IIIII", shuffle, .way = from), ROW(name, "FIFII", shuffle, .way = from), \
        ROW(name "_pred", "IIIII", shuffle, .way = from, .gives_range = true),          \
        ROW(name "_pred", "IIFII", shuffle, .way = from, .gives_range = true)
#define REDUCTION(name) ROW("warp_reduce_" #name, "III", reduce_##name, true)

const vm_builtin vm_warp_builtins[] = {
    ROW("warp_sync", "vI", NULL, false),
    ROW("warp_all", "III", all, true),
    ROW("warp_any", "III", any, true),
    ROW("warp_uni", "III", uni, true),
    ROW("warp_ballot", "III", ballot, true),
    ROW("warp_match_any", "IId", match_any, false),
    ROW("warp_match_all", "IId", match_all, true),
    ROW("warp_match_all_pred", "IId", match_all_pred, true),
    SHUFFLE("warp_shuffle", LANE),
    SHUFFLE("warp_shuffle_up", UP),
    SHUFFLE("warp_shuffle_down", DOWN),
    SHUFFLE("warp_shuffle_xor", XOR),
    REDUCTION(add),
    REDUCTION(and),
    REDUCTION(or),
    REDUCTION(xor),
    REDUCTION(min),
    REDUCTION(max),
    REDUCTION(umin),
    REDUCTION(umax),
    PTX_SHUFFLE("shuffle_idx", LANE),
    PTX_SHUFFLE("shuffle_up", UP),
    PTX_SHUFFLE("shuffle_down", DOWN),
    PTX_SHUFFLE("shuffle_bfly", XOR),
    ROW("elect", "II", elect, false),
    ROW("active_mask", "I", active_mask, true),
    {"barrier_count", "II", VM_LANES(run_count, &(const counting){COUNT})},
    {"barrier_and", "II", VM_LANES(run_count, &(const counting){AND})},
    {"barrier_or", "II", VM_LANES(run_count, &(const counting){OR})},
    {NULL},
};

bool vm_is_warp_function(const char *name) {
    for (const vm_builtin *b = vm_warp_builtins; b->name; b++)
        if (!strcmp(b->name, name))
            return true;
    return false;
}
