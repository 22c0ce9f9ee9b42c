// fails: 7 trap
//
// __trap() where a thread gets there.
__global__ void check(int *p) {
    int t = threadIdx.x;
    if (p[t] == 3)
        __trap();
    p[t] = 0;
}
