// A transposition by tiles with a column more, and a shared array in a function of the device.
//: headers both
//: run last 4: 3 3 3 3
//: accesses transpose: load in 4, store tile 4, load tile 4, store out 4
#define TILE 16
__global__ void transpose(float *out, const float *in, int width) {
    __shared__ float tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = in[y * width + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    out[y * width + x] = tile[threadIdx.x][threadIdx.y];
}
__device__ int last_of(int v) {
    static __shared__ int last;
    if (threadIdx.x == blockDim.x - 1)
        last = v;
    __syncthreads();
    return last;
}
__global__ void last(int *o) { o[threadIdx.x] = last_of(o[threadIdx.x]); }
