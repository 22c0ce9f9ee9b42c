//: headers own
//: found split 64: float v[3], stride n
//: layouts split 64: aos soa {v[0],v[2]}{v[1]}
// Pointers to where columns begin, kept in variables and given to a helper.
__device__ float weigh(const float *column, int i) { return 0.5f * column[i]; }
__global__ void split(const float *v, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const float *x = v, *y = v + n, *z = v + 2 * n;
    out[i] = x[i] * y[i] + z[i] + weigh(y, i) + weigh(v + 2 * n, i) + weigh(v, i);
}
