// Volatile shared memory, as reductions of a warp had it, with no access merged.
//: headers both
//: accesses k: load o 4, store room 4, load room 4, load room 4, store room 4, load room 4, load room 4, store room 4, load room 4, store o 4
//: run k 4: 6 1 2 3
__global__ void k(int *o) {
    __shared__ volatile int room[64];
    int i = threadIdx.x;
    room[i] = o[i];
    __syncwarp();
    if (i < 2)
        room[i] += room[i + 2];
    if (i < 1)
        room[i] += room[i + 1];
    if (i == 0)
        o[0] = room[0];
}
