// Copies of elements among the threads of a warp, sorted in registers and shared memory.
// in: KV=soa; KV={key}{val}
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <vector>

struct KV {
    unsigned key;
    float val;
    __host__ __device__ bool operator<(const KV &o) const { return key < o.key; }
    __host__ __device__ bool operator==(const KV &o) const { return key == o.key && val == o.val; }
};

__device__ __forceinline__ KV shfl_xor(KV v, int mask) {
    KV r;
    r.key = __shfl_xor_sync(0xffffffffu, v.key, mask);
    r.val = __shfl_xor_sync(0xffffffffu, v.val, mask);
    return r;
}

__global__ void warp_sort(KV *kv) {
    const int lane = threadIdx.x & 31;
    KV v = kv[blockIdx.x * blockDim.x + threadIdx.x];
    for (int k = 2; k <= 32; k <<= 1)
        for (int j = k >> 1; j > 0; j >>= 1) {
            KV o = shfl_xor(v, j);
            bool up = (lane & k) == 0, low = (lane & j) == 0;
            v = (o < v) == (up == low) ? o : v;
        }
    kv[blockIdx.x * blockDim.x + threadIdx.x] = v;
}

__global__ void merge(const KV *__restrict__ in, KV *__restrict__ out, int half, int n) {
    extern __shared__ KV both[];
    int t = threadIdx.x;
    both[t] = in[t];
    both[t + half] = in[t + half];
    __syncthreads();
    KV mine[2] = {both[t], both[t + half]};
    int rank0 = t, rank1 = t;
    for (int i = 0; i < half; i++) {
        rank0 += both[half + i] < mine[0];
        rank1 += !(mine[1] < both[i]);
    }
    out[rank0] = mine[0];
    out[rank1] = mine[1];
    if (n < 0 && in[0] == out[0])
        out[1] = in[1];
}

int main() {
    const int n = 64;
    std::vector<KV> h(n), sorted;
    for (int i = 0; i < n; i++)
        h[i] = KV{(unsigned)(i * 29 % 64), 0.5f * i};
    sorted = h;
    std::sort(sorted.begin(), sorted.end());
    KV *in, *out;
    cudaMalloc(&in, n * sizeof(KV));
    cudaMalloc(&out, n * sizeof(KV));
    cudaMemcpy(in, h.data(), n * sizeof(KV), cudaMemcpyHostToDevice);
    warp_sort<<<1, n>>>(in);
    merge<<<1, n / 2, n * sizeof(KV)>>>(in, out, n / 2, n);
    cudaMemcpy(&h[0], out, n * sizeof(KV), cudaMemcpyDeviceToHost);
    printf("%d %.2f\n", (int)std::equal(h.begin(), h.end(), sorted.begin()), h[17].val);
    cudaFree(in);
    cudaFree(out);
    return 0;
}
