/* Blocks shuffled (Fisher and Yates), the same for the same seed. */
#include "locality/schedule.h"

static hd_status fill(hd_arena *arena, const hd_schedule_input *input, uint64_t *order) {
    (void)arena;
    uint64_t state = input->seed;
    for (uint64_t b = 0; b < input->launch->block_count; b++) {
        uint64_t at = hd_next_random(&state) % (b + 1);
        order[b] = order[at];
        order[at] = b;
    }
    return HD_OK;
}

const hd_block_order hd_order_random = {"random", "blocks shuffled, by --seed", fill};
