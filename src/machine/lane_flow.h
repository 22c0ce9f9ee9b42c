/* What a running block knows of its lanes' ways. */
#ifndef HD_VM_FLOW_H
#define HD_VM_FLOW_H

#include "machine/lanes/lanes.h"

/* A barrier of PTX by its number: threads come from anywhere in the kernel, in whole warps. */
enum { VM_NAMED_BARRIERS = 16, VM_WARP = 32 };
typedef struct vm_named_barrier {
    uint64_t *here;        /* lanes that have come */
    uint64_t *waiting;     /* those of them that wait */
    uint32_t threads;      /* that it waits for; 0: all of the block */
    uint32_t yes;          /* lanes that have come with a number that is not 0 */
    struct vm_clock *told; /* by lanes that came and did not wait; NULL: nothing */
} vm_named_barrier;
/* What a lane that waited is told: all lanes that came, and those of them that said yes. */
typedef struct vm_poll {
    uint32_t lanes, yes;
} vm_poll;

struct vm_flow_state {
    const vm_lanes *handlers;
    uint32_t words;       /* of `pending` */
    uint64_t *pending;    /* nodes that have waiting lanes, as bits */
    uint32_t *count;      /* [node] how many */
    uint64_t *waiting;    /* [node][words of a mask] which */
    uint64_t *visits;     /* [node] by lanes, that are not in the counts of operations yet */
    uint32_t *held;       /* [node] lanes held by the barrier at its end */
    uint64_t *at_barrier; /* all lanes that are held */
    vm_named_barrier named[VM_NAMED_BARRIERS];
    bool has_named;       /* the kernel comes to some of them */
    uint64_t *yielding;   /* lanes that let others run first */
    bool asked_behind;    /* those have asked again since one of them had what it waits for */
    uint32_t vain_asks;   /* of other lanes, since these have had a turn */
    uint32_t vain_rounds; /* so often nobody else could, since a thread came to an mbarrier */
    uint32_t *stopped;    /* [lane] the node at whose end it waits for a named barrier, or yields */
    vm_poll *polled;      /* [lane] by the one that it has waited for last */
    uint64_t *arrived;    /* lanes that have come to the barrier of the cluster, */
    uint64_t *at_cluster; /* and those of them that wait there; with `stopped` */
    uint64_t *returned;
    uint64_t *taken[2];           /* scratch: lanes that take an edge */
    uint64_t spent;               /* on the lanes at work while others waited, */
    uint64_t patience;            /* that these have */
    bool is_ahead;                /* the lanes at work run ahead of those */
    uint32_t turn;                /* the node whose lanes ran ahead last */
    struct vm_progress *progress; /* of a block that is not run to its end */
};

/* For every active lane l, in order. The body may `continue` and return, but not `break`. */
#define VM_EACH_ACTIVE(r, l)                                                                \
    for (uint32_t w_ = 0; w_ < (r)->words; w_++)                                            \
        for (uint64_t left_ = (r)->bits[w_]; left_; left_ &= left_ - 1)                     \
            for (uint32_t l = w_ * 64 + (uint32_t)__builtin_ctzll(left_), once_ = 1; once_; \
                 once_ = 0)

static inline bool vm_has_lane(const uint64_t *mask, uint32_t lane) {
    return mask[lane / 64] >> lane % 64 & 1;
}

/* Where the bytes of each lane are in one region, worked out once for all lanes. */
typedef struct vm_places {
    uint8_t *host;           /* of address 0 */
    uint64_t own;            /* bytes between two lanes' private memory, else 0 */
    const uint64_t *address; /* or: */
    uint64_t base;
    int64_t stride;
} vm_places;

static inline vm_places vm_places_of(const vm_run *r, const vm_target *t) {
    const vm_region *g = t->region;
    uint64_t own = g->space == KIR_PRIVATE ? r->private_stride : 0;
    return (vm_places){g->host - g->base, own, t->address, t->base, t->stride};
}

#define VM_ALWAYS static inline __attribute__((always_inline))

/* `listed`: there are addresses. A constant, so that nobody asks in a loop. */
VM_ALWAYS uint8_t *vm_place(const vm_places *p, bool listed, uint32_t lane) {
    uint64_t address = listed ? p->address[lane] : p->base + lane * (uint64_t)p->stride;
    return p->host + address + lane * p->own;
}

/* Lanes wait at a node, to run it when it is its turn. */
void vm_wait_at(vm_run *r, uint32_t node, const uint64_t *mask, uint32_t count);

/* Takes the lanes of the first node that has some, and makes them the active ones; VM_NO_NODE: there are
 * none. */
uint32_t vm_next_node(vm_run *r);

/* ---- extent.c */

/* A block begins; a node has run, before its lanes go on; and the node that runs next in the place of
 * `node`, whose lanes are active. */
void vm_extent_begin(vm_run *r);
void vm_extent_note(vm_run *r, uint32_t instructions);
uint32_t vm_extent_stop(vm_run *r, uint32_t node);

/* ---- barrier.c */

void vm_barriers_new(hd_arena *arena, struct vm_flow_state *flow, const vm_program *program);
void vm_barriers_begin(vm_run *r);
/* The active lanes come to the end of a node at which they let others run first. */
void vm_stop_to_yield(vm_run *r, uint32_t node);
/* These lanes go on: others have had a turn. */
void vm_end_yielding(vm_run *r);
/* The active lanes come to the barrier at the end of a node, and wait. */
void vm_stop_at_barrier(vm_run *r, uint32_t node);
/* The active lanes wait for the barrier of the cluster, which they have come to. */
void vm_stop_at_cluster(vm_run *r, uint32_t node);
/* Lets lanes go on where all of a cluster have come; false: they have not. */
bool vm_pass_cluster(vm_run *r);
/* Nobody can run: lets lanes of barriers go on, or faults. */
void vm_release_barrier(vm_run *r);
/* The active lanes come to the back edge of a loop: whether lanes are set aside in it, which are still in
 * this iteration. */
bool vm_leaves_behind(const vm_run *r, uint32_t node);
/* Those of them that let others run first go on, and the active lanes wait; false: they have done so in
 * vain. */
bool vm_ask_behind(vm_run *r, uint32_t node);
/* Lets lanes go on that let others run first, and those of a numbered barrier that is complete; false:
 * there are none. */
bool vm_wake(vm_run *r);

/* ---- waiting.c */

/* What a node costs in which something asks, in others; and how often lanes may ask in vain. */
enum { VM_ASK_COST = 256, VM_MOST_VAIN = 1 << 13 };
void vm_begin_turns(vm_run *r);
/* The node to run in place of this one, which the active lanes have come to: others have waited long. */
uint32_t vm_choose_others(vm_run *r, uint32_t node);
/* Whether the active lanes have come to a function of warps that not all lanes of their masks are at. */
bool vm_lacks_lanes(vm_run *r, uint32_t node);
/* The node to run where the active lanes have come to a function of warps: those whose fellows have not
 * come wait. */
uint32_t vm_hold_incomplete(vm_run *r, uint32_t node);
/* Values of the program that the block ran so far, the cells of which are at `before`. */
void vm_move_values(vm_run *r, const uint8_t *before);
/* A deadlock: says who waits where. `others`: blocks that wait, too. */
_Noreturn void vm_fault_of_waiting(vm_run *r, uint64_t others, const char *why);

/* " but waits in the loop (line 7)", or "" where that is not known. */
const char *vm_place_of_lane(const vm_run *r, uint32_t lane);

/* ---- warp.c */

/* Of the lanes that are at a node which begins with a function of warps those whose fellows have all come
 * or are gone; how many they are. */
uint32_t vm_complete_lanes(vm_run *r, uint32_t node, const uint64_t *here, uint64_t *complete);

/* ---- lane_flow.c */

struct vm_flow_state *vm_flow_state_new(hd_arena *arena, const vm_program *program);
/* All lanes of the block stand at its beginning. */
void vm_begin_nodes(vm_run *r);
/* How the lanes of a block stop; but for the first two they go on by the next call. */
typedef enum vm_stop {
    VM_ENDED,   /* all have returned */
    VM_STOPPED, /* a fault, or the user has seen enough */
    VM_TURN,    /* other blocks have their turn */
    VM_STARVED, /* all that can go on have asked in vain for long */
    VM_CROWDED /* some go round for long while others wait, or wait for others of their warps, and the
                 * program is not apart */
} vm_stop;
/* Runs all lanes of the block; leaves through r->escape when it cannot. */
vm_stop vm_run_nodes(vm_run *r);
/* The first node that has lanes and is no barrier that holds them, or VM_NO_NODE. */
uint32_t vm_first_pending(const vm_run *r);
/* Makes the lanes that wait at a node the active ones. */
uint32_t vm_take_lanes(vm_run *r, uint32_t node);
/* What the nodes did that lanes have run since the last call goes to r->counts.operations. */
void vm_count_operations(vm_run *r);
uint32_t vm_first_active(const vm_run *r);
/* Makes the first `count` lanes the active ones, or those of a mask, which are so many. */
void vm_activate_first(vm_run *r, uint32_t count);
void vm_activate(vm_run *r, const uint64_t *mask, uint32_t count);
/* Before an operation's handler runs: r->active.lane is as r->bits say. */
void vm_unpack_active(vm_run *r);

#endif
