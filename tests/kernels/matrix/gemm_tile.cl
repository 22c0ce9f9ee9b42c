// flags: -g 64,64 --local 16,16 -n 4096 -a N=64
// accesses: 7
// access: 16 store As (local) 4 4 local(0) + 16*local(1)
// access: 17 store Bs (local) 4 4 local(0) + 16*local(1)
// access: 19 load As (local) 4 4 * 16 16*local(1) + k1
// access: 19 load Bs (local) 4 4 * 16 local(0) + 16*k1
// rewrites: da
typedef struct elem { float a; float b; float c; } elem;
__kernel __attribute__((reqd_work_group_size(16, 16, 1)))
void gemm(__global elem *m, const int N, float alpha) {
    __local float As[16][16], Bs[16][16];
    const int row = get_global_id(1), col = get_global_id(0);
    const int ly = get_local_id(1), lx = get_local_id(0);
    float acc = 0.f;
    for (int t = 0; t < N / 16; ++t) {
        As[ly][lx] = m[row * N + (t * 16 + lx)].a;
        Bs[ly][lx] = m[(t * 16 + ly) * N + col].b;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < 16; ++k) acc = mad(As[ly][k], Bs[k][lx], acc);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    m[row * N + col].c = alpha * acc;
}
