/* The threads and blocks of a launch. */
#include "kernel/kernel.h"

hd_grid hd_grid_of(uint32_t dims, const uint64_t global[3], const uint64_t local[3]) {
    hd_grid g = {.block_threads = 1, .block_count = 1};
    for (uint32_t d = 0; d < 3; d++) {
        bool used = d < dims && local[d];
        g.local[d] = used ? local[d] : 1;
        g.groups[d] = used ? global[d] / local[d] : 1;
        g.step[d] = g.block_threads;
        g.block_threads *= g.local[d];
        g.block_count *= g.groups[d];
    }
    return g;
}
