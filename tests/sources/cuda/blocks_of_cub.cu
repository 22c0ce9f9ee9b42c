// Collectives of cub within a block and a warp.
//: headers toolkit
//: run k 32: 496 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31
#include <cub/block/block_reduce.cuh>
#include <cub/warp/warp_scan.cuh>
__global__ void k(int *o) {
    __shared__ cub::BlockReduce<int, 32>::TempStorage room;
    int sum = cub::BlockReduce<int, 32>(room).Sum(o[threadIdx.x]);
    if (threadIdx.x == 0)
        o[0] = sum;
}
