/* Random programs that use OpenCL. */
#ifndef HD_FUZZ_LAYER_HOST_H
#define HD_FUZZ_LAYER_HOST_H

#include <stdbool.h>
#include <stdint.h>

/* Runs programs [first, first + count) of this seed, and prints for each "NUMBER: HASH" of all bytes that
 * it saw. `show`: and what it does. Returns the exit status. */
int host_main(uint64_t seed, uint32_t first, uint32_t count, bool show);

#endif
