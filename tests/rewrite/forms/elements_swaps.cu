// Elements exchanged, chosen, copied to shared memory and registers, returned by value, taken apart.
// in: Hit=aosoa:32; Hit={t,u}{v,id}
#include <cuda_runtime.h>
#include <cuda/std/utility>

#include <cstdio>
#include <cstring>
#include <utility>

struct Hit {
    float t, u, v;
    int id;
};

#define HITS_A_BLOCK 32

template <class T> __device__ inline void swap(T &a, T &b) {
    T t(a);
    a = b;
    b = t;
}

__device__ Hit closer(const Hit &a, const Hit &b) { return a.t < b.t ? a : b; }
__device__ Hit fetch(const Hit *h, int i) { return h[i]; }
__device__ Hit make(float t, int id) { return {t, t * 0.5f, 0.25f, id}; }

__global__ void nearest(Hit *hits, Hit *best, int n) {
    __shared__ Hit tile[HITS_A_BLOCK];
    int i = blockIdx.x * HITS_A_BLOCK + threadIdx.x;
    tile[threadIdx.x] = i < n ? hits[i] : make(1e6f, -1);
    __syncthreads();
    for (int s = HITS_A_BLOCK / 2; s; s /= 2) {
        if (threadIdx.x < s)
            tile[threadIdx.x] = closer(tile[threadIdx.x], tile[threadIdx.x + s]);
        __syncthreads();
    }
    if (!threadIdx.x)
        best[blockIdx.x] = tile[0];
}

__global__ void shuffle(Hit *hits, const Hit *best, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n / 2)
        return;
    Hit &mine = hits[i];
    Hit &theirs = hits[n - 1 - i];
    const auto &b = best[i % 3];
    if (i % 3 == 0)
        swap(mine, theirs);
    else if (i % 3 == 1)
        cuda::std::swap(hits[i], theirs);
    else
        mine = theirs;
    auto [t, u, v, id] = hits[i];
    const Hit &chosen = id % 2 ? mine : theirs;
    Hit local[2] = {hits[i], fetch(best, 0)};
    memcpy(&local[1], &b, sizeof(Hit));
    (i & 1 ? mine : theirs).v += chosen.t + t + v;
    hits[i].u = local[0].u + local[1].id + closer(local[0], hits[i]).t + u;
    Hit *p = i % 5 ? &hits[i] : &hits[n - 1 - i];
    p->id++;
    memcpy(&hits[n - 1 - i], p, sizeof *p);
    theirs = Hit{theirs.t, theirs.u, 1.5f, theirs.id};
    Hit out = *p;
    out.t += 1;
    *p = out;
}

int main() {
    const int n = 90;
    Hit h[n], *hits, *best, hb[3];
    for (int i = 0; i < n; i++)
        h[i] = Hit{1.0f * (i * 37 % 91), 0.5f * i, 2, i};
    cudaMalloc(&hits, sizeof(h));
    cudaMalloc(&best, sizeof(hb));
    cudaMemcpy(hits, h, sizeof(h), cudaMemcpyHostToDevice);
    nearest<<<3, HITS_A_BLOCK>>>(hits, best, n);
    shuffle<<<2, HITS_A_BLOCK>>>(hits, best, n);
    cudaMemcpy(h, hits, sizeof(h), cudaMemcpyDeviceToHost);
    cudaMemcpy(hb, best, sizeof(hb), cudaMemcpyDeviceToHost);
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += (h[i].t + h[i].u + h[i].v + h[i].id) * (i + 1);
    printf("%.4f %d %d %d\n", sum, hb[0].id, hb[1].id, hb[2].id);
    cudaFree(hits);
    cudaFree(best);
    return 0;
}
