/*
 * Why a layout costs what it costs, in terms of the hardware: what the accesses to a record move
 * for what they use, and which of its fields come together because they lie together.
 */
#ifndef HD_ADVISE_MOVEMENT_H
#define HD_ADVISE_MOVEMENT_H

#include "model/cost.h"

/* Fields of a cluster that are used together: by the same threads, of the same element. */
typedef struct hd_company {
    uint64_t fields;      /* a set of bits */
    uint64_t bytes;       /* that they span in one element; 0: in runs of a tile */
    uint64_t tile;        /* of their cluster */
    uint32_t first, last; /* lines of the accesses */
} hd_company;

/* Of all accesses to the record, over all launches. */
typedef struct hd_movement {
    const hd_layout *layout;
    double requests;     /* executions by warps */
    double transactions; /* of all of them */
    double moved, used;  /* bytes; one that several lanes of a warp read is used once */
    double l1, l2;       /* shares of the transactions that are served there */
    hd_company *companies;
    uint32_t company_count;
} hd_movement;

/* The same threads use both, of the same element. */
bool hd_lines_go_together(const hd_cost_line *a, const hd_cost_line *b);
/* `lines` is what hd_cost_of_layout() has of this layout. */
hd_movement hd_movement_of(hd_arena *arena, hd_cost_model *model, const hd_layout *layout,
                           const hd_cost_line *lines, size_t count);

#endif
