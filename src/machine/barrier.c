/*
 * Barriers: of the whole block, and PTX's, which have a number and wait for some of
 * its warps.
 *
 * Lanes that come to a barrier of the block wait until nobody else can run, and then
 * all live lanes must wait at that same one. A numbered barrier is complete as soon as
 * enough warps have come, each with all of its lanes that have not returned; it may be
 * reached at any place of the kernel, and by lanes that do not wait for the others:
 *
 *     warps 0, 1     store; barrier_arrive(1, 128)
 *     warps 2, 3     barrier_named(1, 128); load
 */
#include <stdio.h>

#include "machine/builtin.h"
#include "machine/lane_flow.h"
#include "machine/ordering.h"

static void clear(const vm_run *r, uint64_t *mask) { memset(mask, 0, r->words * sizeof *mask); }

static uint32_t count_lanes(const vm_run *r, const uint64_t *mask) {
    uint32_t count = 0;
    for (uint32_t w = 0; w < r->words; w++)
        count += mask[w] ? (uint32_t)vm_count_ones(mask[w]) : 0;
    return count;
}

static void set_lane(uint64_t *mask, uint32_t lane) { mask[lane / 64] |= UINT64_C(1) << lane % 64; }

/* ---- numbered ones ---------------------------------------------------------------- */

/* Threads of warps that have come with all their lanes; a warp counts as a whole one. */
static uint32_t threads_here(const vm_run *r, const vm_named_barrier *b) {
    uint32_t threads = 0;
    for (uint32_t first = 0; first < r->lanes; first += VM_WARP) {
        uint32_t here = (uint32_t)(b->here[first / 64] >> first % 64);
        uint32_t gone = (uint32_t)(r->flow->returned[first / 64] >> first % 64);
        uint32_t all = r->lanes - first < VM_WARP ? (1u << (r->lanes - first)) - 1 : UINT32_MAX;
        threads += here && (here | gone) == all ? VM_WARP : 0;
    }
    return threads;
}

/* Lets the lanes of `waiting` go on, each from where it stopped. */
static void let_go(vm_run *r, uint64_t *waiting) {
    struct vm_flow_state *f = r->flow;
    for (uint32_t l = 0; l < r->lanes; l++) {
        if (!vm_has_lane(waiting, l))
            continue;
        uint64_t *together = f->taken[0];
        clear(r, together);
        for (uint32_t k = l; k < r->lanes; k++)
            if (vm_has_lane(waiting, k) && f->stopped[k] == f->stopped[l]) {
                set_lane(together, k);
                waiting[k / 64] &= ~(UINT64_C(1) << k % 64);
            }
        vm_wait_at(r, r->program->nodes[f->stopped[l]].edges[0].to, together,
                   count_lanes(r, together));
    }
}

/* Lets those that wait go on when enough have come. */
static bool complete(vm_run *r, vm_named_barrier *b) {
    struct vm_flow_state *f = r->flow;
    uint32_t come = count_lanes(r, b->here);
    const vm_poll poll = {come, b->yes};
    if (!come || (b->threads ? threads_here(r, b) < b->threads : come < r->live))
        return false;
    for (uint32_t l = 0; l < r->lanes; l++)
        if (vm_has_lane(b->waiting, l))
            f->polled[l] = poll;
    vm_threads *threads = vm_ordered_threads(r);
    if (threads)
        vm_order_lanes(threads, b->waiting, b->threads ? NULL : f->returned, b->told);
    vm_clock_drop(b->told);
    b->told = NULL;
    let_go(r, b->waiting);
    clear(r, b->here);
    b->yes = 0;
    return true;
}

static uint32_t check_number(vm_run *r, uint32_t inst, uint32_t lane, uint64_t number,
                             uint64_t threads) {
    if (number >= VM_NAMED_BARRIERS)
        vm_fault(r, inst, lane, "barrier %llu; a block has %d, from 0", (unsigned long long)number,
                 VM_NAMED_BARRIERS);
    vm_named_barrier *b = &r->flow->named[number];
    if (threads % VM_WARP)
        vm_fault(r, inst, lane, "barrier %u for %u threads; they come in whole warps of %d",
                 (uint32_t)number, (uint32_t)threads, VM_WARP);
    if (vm_has_lane(b->here, lane))
        vm_fault(r, inst, lane,
                 "the thread comes to barrier %u a second time, before the others have come; %u of "
                 "%u threads are there",
                 (uint32_t)number, count_lanes(r, b->here), b->threads ? b->threads : r->lanes);
    if (count_lanes(r, b->here) && b->threads != threads)
        vm_fault(r, inst, lane,
                 "the thread comes to barrier %u for %u threads, others have come for %u; they "
                 "must say the same number",
                 (uint32_t)number, (uint32_t)threads, b->threads);
    return (uint32_t)number;
}

/* The active lanes come, warp by warp; `node`: where they stop, or VM_NO_NODE. */
static void come(vm_run *r, uint32_t inst, vm_operand number, vm_operand threads, uint32_t node) {
    struct vm_flow_state *f = r->flow;
    vm_threads *threads_ordered = vm_ordered_threads(r);
    for (uint32_t first = 0; first < r->lanes; first += VM_WARP) {
        uint32_t touched = 0, left = (uint32_t)(r->bits[first / 64] >> first % 64);
        for (; left; left &= left - 1) {
            uint32_t lane = first + (uint32_t)__builtin_ctz(left);
            uint64_t wanted = vm_element(r, threads, lane);
            uint32_t n = check_number(r, inst, lane, vm_element(r, number, lane), wanted);
            f->named[n].threads = (uint32_t)wanted;
            set_lane(f->named[n].here, lane);
            if (node == VM_NO_NODE && threads_ordered)
                vm_order_arrival(threads_ordered, lane, &f->named[n].told);
            if (node != VM_NO_NODE) {
                set_lane(f->named[n].waiting, lane);
                f->stopped[lane] = node;
            }
            if (node != VM_NO_NODE && r->program->nodes[node].counts)
                f->named[n].yes += vm_element(r, r->program->nodes[node].vote, lane) != 0;
            touched |= 1u << n;
        }
        for (; touched; touched &= touched - 1)
            complete(r, &f->named[__builtin_ctz(touched)]);
    }
}

static void run_arrive(vm_run *r, const vm_op *op) {
    const vm_call *call = op->more;
    VM_EACH_ACTIVE(r, lane)
    if (!vm_element(r, call->x[1], lane))
        vm_fault(r, op->inst, lane, "barrier_arrive without a number of threads");
    come(r, op->inst, call->x[0], call->x[1], VM_NO_NODE);
}

/* What the lanes said that came. */
typedef enum asked { HOW_MANY, ALL, ANY } asked;

static void run_answer(vm_run *r, const vm_op *op) {
    const vm_call *call = op->more;
    asked what = *(const asked *)call->what;
    VM_EACH_ACTIVE(r, lane) {
        vm_poll p = r->flow->polled[lane];
        vm_put_bits(r, call->d, lane,
                    what == HOW_MANY ? p.yes
                    : what == ALL    ? p.yes == p.lanes
                                     : p.yes > 0);
    }
}

static vm_op_fn run_cluster_arrive;

/* Where there is no more to do the end of the node before it does everything (nodes.c). */
const vm_builtin vm_barrier_builtins[] = {
    {"barrier_named", "vII", NULL, NULL},
    {"barrier_named_count", "IIII", VM_LANES(run_answer, &(const asked){HOW_MANY})},
    {"barrier_named_and", "IIII", VM_LANES(run_answer, &(const asked){ALL})},
    {"barrier_named_or", "IIII", VM_LANES(run_answer, &(const asked){ANY})},
    {"barrier_arrive", "vII", VM_LANES(run_arrive)},
    {"cluster_arrive", "v", VM_LANES(run_cluster_arrive)},
    {"cluster_wait", "v", NULL, NULL},
    {"yield", "v", NULL, NULL},
    {"yield_unless", "vI", NULL, NULL},
    {NULL},
};

/* ---- yielding ---------------------------------------------------------------------- */

void vm_stop_to_yield(vm_run *r, uint32_t number) {
    struct vm_flow_state *f = r->flow;
    const vm_node *node = &r->program->nodes[number];
    uint64_t *on = f->taken[0];
    uint32_t count = 0;
    clear(r, on);
    VM_EACH_ACTIVE(r, lane) {
        if (node->counts && vm_element(r, node->vote, lane)) {
            set_lane(on, lane);
            count++;
            f->asked_behind = false;
            continue;
        }
        set_lane(f->yielding, lane);
        f->stopped[lane] = number;
    }
    if (count)
        vm_wait_at(r, node->edges[0].to, on, count);
}

/* Nobody else can run: those that yielded go on. What they ask for an mbarrier's phase is asked in
 * vain for ever where only they are left to end it. */
static bool end_yielding(vm_run *r) {
    enum { MOST_VAIN_ROUNDS = 100000 };
    struct vm_flow_state *f = r->flow;
    uint32_t lane = UINT32_MAX;
    if (!count_lanes(r, f->yielding))
        return false;
    for (uint32_t l = 0; l < r->lanes; l++)
        if (vm_has_lane(f->yielding, l) &&
            (lane == UINT32_MAX || r->program->nodes[f->stopped[l]].counts))
            lane = l;
    const vm_node *node = &r->program->nodes[f->stopped[lane]];
    if (node->counts && f->vain_rounds++ == MOST_VAIN_ROUNDS)
        vm_fault(
            r, node->inst, lane,
            "the thread waits for an mbarrier's phase that nobody ends: no thread of the block "
            "has come to one while it asked 100,000 times");
    let_go(r, f->yielding);
    return true;
}

void vm_end_yielding(vm_run *r) { let_go(r, r->flow->yielding); }

bool vm_leaves_behind(const vm_run *r, uint32_t node) {
    const struct vm_flow_state *f = r->flow;
    const uint32_t header = r->program->nodes[node].header;
    for (uint32_t w = 0; w < r->words; w++) {
        uint64_t aside = f->yielding[w] | f->at_cluster[w];
        for (uint32_t n = 0; n < VM_NAMED_BARRIERS && f->has_named; n++)
            aside |= f->named[n].waiting[w];
        for (; aside; aside &= aside - 1) {
            const uint32_t at = f->stopped[w * 64 + (uint32_t)__builtin_ctzll(aside)];
            if (at >= header && at < node)
                return true;
        }
    }
    return false;
}

bool vm_ask_behind(vm_run *r, uint32_t node) {
    struct vm_flow_state *f = r->flow;
    if (f->asked_behind || !count_lanes(r, f->yielding))
        return false;
    f->asked_behind = true;
    vm_wait_at(r, node, r->bits, r->active.count);
    let_go(r, f->yielding);
    return true;
}

/* ---- of the cluster ---------------------------------------------------------------- */

/* All lanes of the block that have not returned have come. */
static bool has_arrived(const vm_run *r) {
    for (uint32_t l = 0; l < r->lanes && r->live; l++)
        if (!vm_has_lane(r->flow->arrived, l) && !vm_has_lane(r->flow->returned, l))
            return false;
    return true;
}

bool vm_pass_cluster(vm_run *r) {
    const uint32_t count = r->cluster ? r->cluster->count : 1;
    vm_run *const *blocks = r->cluster ? r->cluster->blocks : &r;
    bool any = false;
    for (uint32_t b = 0; b < count; b++) {
        any |= count_lanes(blocks[b], blocks[b]->flow->arrived) > 0;
        if (!has_arrived(blocks[b]))
            return false;
    }
    for (uint32_t b = 0; b < count; b++) {
        if (any)
            vm_check_together(blocks[b], blocks[b]->flow->arrived);
        clear(blocks[b], blocks[b]->flow->arrived);
        let_go(blocks[b], blocks[b]->flow->at_cluster);
    }
    return any;
}

static void run_cluster_arrive(vm_run *r, const vm_op *op) {
    VM_EACH_ACTIVE(r, lane) {
        if (vm_has_lane(r->flow->arrived, lane))
            vm_fault(r, op->inst, lane,
                     "the thread comes to the barrier of its cluster a second time, and has not "
                     "waited for it (barrier.cluster.wait)");
        set_lane(r->flow->arrived, lane);
    }
    vm_pass_cluster(r);
}

void vm_stop_at_cluster(vm_run *r, uint32_t number) {
    struct vm_flow_state *f = r->flow;
    uint64_t *on = f->taken[0];
    uint32_t count = 0;
    clear(r, on);
    VM_EACH_ACTIVE(r, lane) {
        if (vm_has_lane(f->arrived, lane)) {
            set_lane(f->at_cluster, lane);
            f->stopped[lane] = number;
        } else {
            set_lane(on, lane);
            count++;
        }
    }
    if (count)
        vm_wait_at(r, r->program->nodes[number].edges[0].to, on, count);
}

/* ---- of the block ----------------------------------------------------------------- */

void vm_stop_at_barrier(vm_run *r, uint32_t number) {
    struct vm_flow_state *f = r->flow;
    const vm_node *node = &r->program->nodes[number];
    if (node->end == VM_END_NAMED_BARRIER) {
        come(r, node->inst, node->barrier, node->threads, number);
        return;
    }
    f->held[number] += r->active.count;
    for (uint32_t w = 0; w < r->words; w++)
        f->at_barrier[w] |= r->bits[w];
}

/* A node at which lanes are held by a barrier of the block, from `from` on. */
static uint32_t held_from(const vm_run *r, uint32_t from) {
    while (from < r->program->node_count && !r->flow->held[from])
        from++;
    return from < r->program->node_count ? from : VM_NO_NODE;
}

/* Nobody can go on, and somebody waits at a numbered barrier. */
_Noreturn static void fault_at_named(vm_run *r, uint32_t number) {
    const vm_named_barrier *b = &r->flow->named[number];
    uint32_t lane = 0, others = 0;
    while (!vm_has_lane(b->waiting, lane))
        lane++;
    for (uint32_t n = 0; n < VM_NAMED_BARRIERS; n++)
        others += n == number ? 0 : count_lanes(r, r->flow->named[n].waiting);
    others += count_lanes(r, r->flow->at_barrier);
    char elsewhere[64] = "the others have returned";
    if (others)
        snprintf(elsewhere, sizeof elsewhere, "%u wait at other barriers", others);
    vm_fault(r, r->program->nodes[r->flow->stopped[lane]].inst, lane,
             "barrier %u waits for %u threads, and only %u have come, with whole warps; %s", number,
             b->threads ? b->threads : r->lanes,
             b->threads ? threads_here(r, b) : count_lanes(r, b->here), elsewhere);
}

_Noreturn static void fault_at_barrier(vm_run *r) {
    const struct vm_flow_state *f = r->flow;
    uint32_t first = held_from(r, 0), other = held_from(r, first + 1);
    uint32_t inst = r->program->nodes[first].inst;
    if (other != VM_NO_NODE)
        vm_fault(r, inst, UINT32_MAX,
                 "%u threads of the block wait at this barrier and %u at another one; all threads "
                 "must reach the same barrier",
                 f->held[first], f->held[other]);
    vm_fault(r, inst, UINT32_MAX,
             "only %u of the block's %u threads reach this barrier; the others have returned, and "
             "all must reach it",
             f->held[first], r->lanes);
}

static void release_block(vm_run *r, uint32_t node) {
    struct vm_flow_state *f = r->flow;
    bool may_return = KIR_HAS(r->program->module, RETURNED_ARRIVE);
    if (f->held[node] != (may_return ? r->live : r->lanes))
        fault_at_barrier(r);
    uint32_t count = f->held[node];
    f->held[node] = 0;
    vm_check_together(r, f->at_barrier);
    vm_wait_at(r, r->program->nodes[node].edges[0].to, f->at_barrier, count);
    clear(r, f->at_barrier);
}

bool vm_wake(vm_run *r) {
    for (uint32_t n = r->flow->has_named ? VM_NAMED_BARRIERS : 0; n-- > 0;)
        if (complete(r, &r->flow->named[n])) /* lanes that have returned make their warps whole */
            return true;
    if (r->takes_turns && !r->may_wake) {
        r->gives_way |= count_lanes(r, r->flow->yielding) > 0;
        return false;
    }
    r->may_wake = false;
    return end_yielding(r);
}

void vm_release_barrier(vm_run *r) {
    uint32_t node = held_from(r, 0);
    if (vm_wake(r) || vm_pass_cluster(r))
        return;
    r->gives_way |= count_lanes(r, r->flow->at_cluster) > 0;
    if (r->gives_way)
        return;
    for (uint32_t n = 0; n < VM_NAMED_BARRIERS && r->flow->has_named; n++)
        if (count_lanes(r, r->flow->named[n].waiting))
            fault_at_named(r, n);
    if (node != VM_NO_NODE)
        release_block(r, node);
}

/* ---- what a block keeps of them ---------------------------------------------------- */

void vm_barriers_new(hd_arena *arena, struct vm_flow_state *f, const vm_program *p) {
    uint32_t words = (p->padded + 63) / 64;
    f->held = hd_new_array(arena, uint32_t, p->node_count);
    f->at_barrier = hd_new_array(arena, uint64_t, words);
    f->yielding = hd_new_array(arena, uint64_t, words);
    f->arrived = hd_new_array(arena, uint64_t, words);
    f->at_cluster = hd_new_array(arena, uint64_t, words);
    f->stopped = hd_new_array(arena, uint32_t, p->lanes);
    f->polled = hd_new_array(arena, vm_poll, p->lanes);
    for (uint32_t n = 0; n < VM_NAMED_BARRIERS; n++) {
        f->named[n].here = hd_new_array(arena, uint64_t, words);
        f->named[n].waiting = hd_new_array(arena, uint64_t, words);
    }
    for (uint32_t n = 0; n < p->node_count; n++)
        f->has_named |= p->nodes[n].end == VM_END_NAMED_BARRIER;
}

void vm_barriers_begin(vm_run *r) {
    struct vm_flow_state *f = r->flow;
    memset(f->held, 0, r->program->node_count * sizeof *f->held);
    clear(r, f->at_barrier);
    clear(r, f->yielding);
    clear(r, f->arrived);
    clear(r, f->at_cluster);
    f->asked_behind = false;
    f->vain_asks = 0;
    f->vain_rounds = 0;
    for (uint32_t n = 0; n < VM_NAMED_BARRIERS && f->has_named; n++) {
        clear(r, f->named[n].here);
        clear(r, f->named[n].waiting);
        f->named[n].yes = 0;
        vm_clock_drop(f->named[n].told);
        f->named[n].told = NULL;
    }
}
