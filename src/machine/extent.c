/*
 * Blocks that end before their end (vm.h, hd_vm_extent): what they do is the beginning of what they
 * would do.
 *
 * Threads are treated alike. How far each has come is counted, and when the first of them has come as
 * far as it may, all stop that have come half as far: in a loop that all go round they are those that
 * are in the same iteration, and no request loses lanes that it would have. Those that are far behind
 * have waited, as at the other arm of a branch or behind the loop; they go on until each has come as far.
 * Where threads need each other (barriers, functions of warps) the block stops with the first one, and
 * it is told how many were far behind.
 */
#include "machine/builtin.h"
#include "machine/lane_flow.h"

/* How far each lane has come. */
struct vm_progress {
    hd_vm_far *own;        /* [words of a mask * 64] */
    hd_vm_far most, limit; /* of the lane that has come furthest, at most; of every lane */
    uint64_t accesses;     /* counts.lane_accesses before the node at work */
    uint64_t first;        /* the same when the block began */
    uint64_t *stop;        /* scratch: lanes */
    bool is_cut;           /* some lanes have stopped */
    bool together;         /* lanes need each other */
};

static bool is_bounded(const hd_vm_far *far) { return far->accesses || far->instructions; }

static bool reaches(const hd_vm_far *own, const hd_vm_far *limit) {
    return (limit->accesses && own->accesses >= limit->accesses) ||
           (limit->instructions && own->instructions >= limit->instructions);
}

/* ---- a block ------------------------------------------------------------------------------- */

void vm_extent_begin(vm_run *r) {
    struct vm_flow_state *f = r->flow;
    const hd_vm_extent *extent = r->extent;
    if (!extent)
        return;
    struct vm_progress *p = f->progress;
    if (!p) {
        p = f->progress = hd_new(r->worker_arena, struct vm_progress);
        p->own = hd_new_array(r->worker_arena, hd_vm_far, 64 * (size_t)r->words);
        p->stop = hd_new_array(r->worker_arena, uint64_t, r->words);
        p->together = hd_threads_stay_together(r->program->kernel, NULL) != NULL;
    }
    memset(p->own, 0, 64 * (size_t)r->words * sizeof *p->own);
    p->most = (hd_vm_far){0};
    p->limit = extent->thread;
    p->accesses = p->first = r->counts.lane_accesses;
    p->is_cut = false;
}

void vm_extent_note(vm_run *r, uint32_t instructions) {
    struct vm_progress *p = r->flow->progress;
    const uint64_t accesses = (r->counts.lane_accesses - p->accesses) / r->active.count;
    p->accesses = r->counts.lane_accesses;
    p->most.accesses += accesses;
    p->most.instructions += instructions;
    if (!is_bounded(&p->limit))
        return;
    for (uint32_t w = 0; w < r->words; w++)
        for (uint32_t l = 0; l < 64 && r->bits[w]; l++) {
            const uint64_t here = -(r->bits[w] >> l & 1);
            p->own[w * 64 + l].accesses += here & accesses;
            p->own[w * 64 + l].instructions += here & instructions;
        }
}

/* ---- lanes that stop ------------------------------------------------------------------------- */

/* Those of `mask` that have come so far; *count of them. */
static void find_far(const vm_run *r, const uint64_t *mask, const hd_vm_far *limit, uint64_t *far,
                     uint32_t *count) {
    const struct vm_progress *p = r->flow->progress;
    for (uint32_t w = 0; w < r->words; w++) {
        far[w] = 0;
        for (uint64_t left = mask[w]; left; left &= left - 1) {
            const uint32_t l = (uint32_t)__builtin_ctzll(left);
            far[w] |= (uint64_t)reaches(&p->own[w * 64 + l], limit) << l;
        }
        *count += far[w] ? (uint32_t)vm_count_ones(far[w]) : 0;
    }
}

/* The active lanes that have come as far as `limit` stop. */
static uint32_t stop_active(vm_run *r, const hd_vm_far *limit) {
    struct vm_progress *p = r->flow->progress;
    uint32_t count = 0;
    find_far(r, r->bits, limit, p->stop, &count);
    if (!count)
        return 0;
    for (uint32_t w = 0; w < r->words; w++)
        p->stop[w] = r->bits[w] & ~p->stop[w];
    r->live -= count;
    vm_activate(r, p->stop, r->active.count - count);
    return count;
}

/* And those that wait. */
static void stop_waiting(vm_run *r, const hd_vm_far *limit) {
    struct vm_flow_state *f = r->flow;
    for (uint32_t n = 0; n < r->program->node_count; n++) {
        uint64_t *waiting = f->waiting + (size_t)n * r->words;
        uint32_t count = 0;
        if (!f->count[n])
            continue;
        find_far(r, waiting, limit, f->progress->stop, &count);
        for (uint32_t w = 0; w < r->words; w++)
            waiting[w] &= ~f->progress->stop[w];
        r->live -= count;
        f->count[n] -= count;
        if (!f->count[n])
            f->pending[n / 64] &= ~((uint64_t)1 << n % 64);
    }
}

/* The whole block stops. */
static uint32_t stop_block(vm_run *r) {
    const struct vm_progress *p = r->flow->progress;
    const hd_vm_far half = {p->limit.accesses / 2, p->limit.instructions / 2};
    uint32_t left = 0;
    for (uint32_t l = 0; l < r->lanes && is_bounded(&p->limit); l++)
        left += !vm_has_lane(r->flow->returned, l) && !reaches(&p->own[l], &half);
    r->counts.cut_blocks++;
    r->counts.behind += left;
    return VM_NO_NODE;
}

uint32_t vm_extent_stop(vm_run *r, uint32_t node) {
    struct vm_progress *p = r->flow->progress;
    const hd_vm_far block = {r->counts.lane_accesses - p->first,
                             r->counts.instructions - r->block_start};
    if (reaches(&block, &r->extent->block))
        return stop_block(r);
    while (node != VM_NO_NODE && reaches(&p->most, &p->limit)) {
        const hd_vm_far half = {p->limit.accesses - p->limit.accesses / 2,
                                p->limit.instructions - p->limit.instructions / 2};
        const bool is_first = !p->is_cut;
        if (!stop_active(r, &p->limit))
            return node;
        if (is_first && p->together)
            return stop_block(r);
        if (is_first) {
            p->is_cut = true;
            r->counts.cut_blocks++;
            stop_active(r, &half);
            stop_waiting(r, &half);
        }
        if (r->active.count)
            return node;
        node = vm_next_node(r);
    }
    return node;
}
