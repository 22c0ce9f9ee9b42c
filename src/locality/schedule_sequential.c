/* Blocks in the order of their numbers, as in the document (section 7.2.2). */
#include "locality/schedule.h"

static hd_status fill(hd_arena *arena, const hd_schedule_input *input, uint64_t *order) {
    (void)arena;
    for (uint64_t b = 0; b < input->launch->block_count; b++)
        order[b] = b;
    return HD_OK;
}

const hd_block_order hd_order_sequential = {"sequential", "blocks by their numbers", fill};
