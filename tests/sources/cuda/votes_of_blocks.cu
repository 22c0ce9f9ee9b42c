// Votes of warps and of blocks, matches, masks of what is active.
//: headers both
//: run warps 4: 10 1 0 3
//: run blocks 4: 2 1 0 2
__global__ void warps(unsigned *o) {
    unsigned i = threadIdx.x, all = __activemask();
    unsigned odd = __ballot_sync(all, i & 1), some = __any_sync(all, i == 2);
    unsigned every = __all_sync(all, i < 3), like = __match_any_sync(all, i / 2);
    o[i] = i == 0 ? odd : i == 1 ? some : i == 2 ? every : like >> 2;
}
__global__ void blocks(int *o) {
    int i = threadIdx.x, count = __syncthreads_count(i & 1);
    int any = __syncthreads_or(i == 3), all = __syncthreads_and(i < 3);
    o[i] = i == 1 ? any : i == 2 ? all : count;
}
