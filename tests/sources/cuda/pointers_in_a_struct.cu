//: headers own
//: found gather 64: float v[3], stride n
//: not rewritten gather 64: 'v_element' is kept where it is not followed; index the array itself
// A struct of pointers into the columns of one buffer: no pointer to numbers can be kept there.
struct columns {
    const float *x, *y, *z;
};
__device__ float sum(const columns &c, int i) { return c.x[i] + c.y[i] + c.z[i]; }
__global__ void gather(const float *v, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    columns c = {v, v + n, v + 2 * n};
    out[i] = sum(c, i);
}
