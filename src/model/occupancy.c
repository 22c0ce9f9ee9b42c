/* How many blocks an SM holds at once (Peng et al., section IV-E). */
#include "model/cost.h"

uint32_t hd_blocks_per_sm(const hd_device *device, uint64_t block_size, uint32_t registers) {
    uint64_t blocks = device->max_blocks;
    uint64_t by_threads = device->max_threads / block_size;
    uint32_t used = registers > device->max_registers ? device->max_registers : registers;
    uint64_t by_registers = used ? device->registers / used / block_size : blocks;
    if (blocks > by_threads)
        blocks = by_threads;
    if (blocks > by_registers)
        blocks = by_registers;
    return blocks ? (uint32_t)blocks : 1;
}
