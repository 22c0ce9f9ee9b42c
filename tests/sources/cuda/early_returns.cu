// Threads that have returned count as having come to a barrier; loops that some leave, gotos, switches.
//: headers both
//: run k 8: 1 2 3 0 4 5 6 7
//: run ways 6: 10 21 21 3 44 0
__global__ void k(int *o) {
    __shared__ int room[8];
    int i = threadIdx.x;
    if (i >= 4)
        return;
    room[i] = o[i];
    __syncthreads();
    o[i] = room[(i + 1) % 4];
}
__global__ void ways(int *o) {
    int i = threadIdx.x, r = 0;
    switch (i) {
    case 0: r = 10; break;
    case 1:
    case 2: r = 20; /* falls through */
    case 5: r += i == 5 ? 0 : 1; goto end;
    case 3:
        while (true) {
            if (++r >= i)
                break;
        }
        break;
    default:
        for (int n = 0; n < 100; n++) {
            if (n % 2)
                continue;
            r += n == 44 ? n : 0;
        }
    }
end:
    o[i] = r;
}
