/* What a running block knows of its lanes' ways. */
#ifndef HD_VM_FLOW_H
#define HD_VM_FLOW_H

#include "vm/lanes.h"

struct hd_flow_state {
    const hd_lanes *handlers;
    uint32_t words;
    uint64_t *pending;   /* [words] nodes that have waiting lanes, as bits */
    uint32_t *count;     /* [node] how many */
    uint8_t *waiting;    /* [node][padded] which */
    uint32_t *held;      /* [node] lanes held by the barrier at its end */
    uint8_t *at_barrier; /* [padded] all lanes that are held */
    uint8_t *returned;   /* [padded] */
    uint8_t *taken[2];   /* [padded] scratch: lanes that take an edge */
};

struct hd_flow_state *hd_flow_state_new(hd_arena *arena, const hd_program *program);
/* Zeroed bytes on a boundary that vector instructions like. */
void *hd_new_aligned(hd_arena *arena, size_t bytes);
/* Runs all lanes of the block to their ends; leaves through r->escape when it cannot. */
void hd_run_nodes(hd_run *r);
uint32_t hd_first_active(const hd_run *r);

#endif
