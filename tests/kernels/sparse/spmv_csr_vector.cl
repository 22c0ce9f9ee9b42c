// flags: -g 1024 --local 64 -n 4096 -a rows=32
// accesses: 11
// rewrites: aosoa:4
typedef struct entry { int col; float val; } entry;
__kernel void spmv(__global const int *ptr, __global entry *e, __global const float *x,
                   __global float *y, int rows) {
    __local volatile float part[64];
    int t = get_local_id(0), lane = t & 31, row = get_global_id(0) / 32;
    float s = 0;
    if (row < rows)
        for (int j = ptr[row] + lane; j < ptr[row + 1]; j += 32) s += e[j].val * x[e[j].col];
    part[t] = s;
    for (int k = 16; k; k /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < k) part[t] += part[t + k];
    }
    if (!lane && row < rows) y[row] = part[t];
}
