// The names of <cstdint> are the scalars that they are, in fields, buffers and the host's header.
//: fields cell: flags unsigned char 0 1, id unsigned int 4 4, next unsigned long 8 8, big long 16 8, small short 24 2
//: header cell: uint32_t id;
//: header cell: unsigned char flags;
//: laid out k 64: soa {flags,id}{next,big,small}:8
//: run levels 4: 1 3 5 7
#include <cstdint>
struct cell {
    uint8_t flags;
    std::uint32_t id;
    size_t next;
    int64_t big;
    std::int16_t small;
};
__global__ void k(cell *c, uint8_t *level) {
    size_t i = threadIdx.x;
    c[i].flags |= level[i];
    c[i].id += c[i].next % 7;
    c[i].big -= c[i].small--;
}
__global__ void levels(uint8_t *level) {
    std::uint16_t i = threadIdx.x;
    level[i] = 2 * level[i] + 1;
}
