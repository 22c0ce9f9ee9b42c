// Clocks count the instructions that the block has run.
//: headers both
//: run k 2: 1 1
__global__ void k(int *o) {
    long long start = clock64();
    unsigned low = clock();
    __nanosleep(20);
    o[threadIdx.x] = 1 + (clock64() < start) + (clock() == 0 && low == 0);
}
