// Kernels and helpers of which a record is a template's parameter.
// in: Star=soa; Star=aosoa:32; Star={mass,seen}{x,y}
#include <cuda_runtime.h>

#include <cstdio>

struct Star {
    float x, y, mass;
    int seen;
    __host__ __device__ float size() const { return x * x + y * y; }
    __host__ __device__ void pull(float by) {
        x *= by;
        seen++;
    }
};

template <class S> __device__ float weight(const S *p, int i) { return p[i].mass * p->size(); }

template <typename S> __device__ void nudge(S &s, float by) {
    s.y += by;
    s.pull(by);
}

template <class S> __device__ S *next(S *p) { return p + 1; }

template <class S, int STEPS> __global__ void move(S *stars, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + 1 >= n)
        return;
    for (int k = 0; k < STEPS; k++) {
        S own = stars[i];
        own.mass += 0.5f;
        stars[i] = own;
        S *at = stars + i;
        nudge(*at, 0.75f);
        at->pull(0.5f);
    }
    out[i] = weight(stars, i) + sizeof(S);
}

template <int BY, class S> __global__ void look(const S *stars, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + BY < n)
        out[i] += next(stars + i)->x + stars[i + BY].y;
}

int main() {
    const int n = 128;
    Star host[n], *stars;
    float outs[n], *out;
    for (int i = 0; i < n; i++)
        host[i] = Star{1.0f * i, 2.0f - i, 0.25f * i, i};
    cudaMalloc(&stars, sizeof host);
    cudaMalloc(&out, sizeof outs);
    cudaMemset(out, 0, sizeof outs);
    cudaMemcpy(stars, host, sizeof host, cudaMemcpyHostToDevice);
    move<Star, 2><<<2, 64>>>(stars, out, n);
    look<3><<<2, 64>>>(stars, out, n);
    cudaMemcpy(host, stars, sizeof host, cudaMemcpyDeviceToHost);
    cudaMemcpy(outs, out, sizeof outs, cudaMemcpyDeviceToHost);
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += (host[i].x + host[i].y + host[i].mass + host[i].seen + outs[i]) * (i + 1);
    printf("%.4f\n", sum);
    cudaFree(stars);
    cudaFree(out);
    return 0;
}
