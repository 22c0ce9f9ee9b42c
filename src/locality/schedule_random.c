/* Blocks shuffled (Fisher and Yates), the same for the same seed. */
#include "locality/schedule.h"

/* splitmix64 */
static uint64_t next_random(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static hd_status fill(hd_arena *arena, const hd_schedule_input *input, uint64_t *order) {
    (void)arena;
    uint64_t state = input->seed;
    for (uint64_t b = 0; b < input->launch->block_count; b++) {
        uint64_t at = next_random(&state) % (b + 1);
        order[b] = order[at];
        order[at] = b;
    }
    return HD_OK;
}

const hd_block_order hd_order_random = {"random", "blocks shuffled, by --seed", fill};
