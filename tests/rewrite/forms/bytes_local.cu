// Bytes in a kernel, in shared memory and as arguments, that stay what they are beside laid-out ones.
// in: Job={cost}{from,to}
#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>

struct Job {
    float cost;
    int from, to;
};

extern __shared__ unsigned char scratch[];

__global__ void route(char *jobs_raw, const char *names, int n, float *out) {
    Job *jobs = (Job *)jobs_raw;
    Job *tile = reinterpret_cast<Job *>(scratch);
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        tile[threadIdx.x] = jobs[i];
    __syncthreads();
    if (i < n) {
        int next = (threadIdx.x + 1) % blockDim.x;
        if (blockIdx.x * blockDim.x + next < n)
            jobs[i].cost += tile[next].to;
        out[i] = jobs[i].cost + names[i % 4];
    }
}

int main() {
    const int n = 80;
    char *raw, *names;
    float *out, outs[n];
    Job h[n];
    for (int i = 0; i < n; i++)
        h[i] = {0.5f * i, i, i * 3 % n};
    cudaMalloc(&raw, sizeof(h));
    cudaMalloc(&names, 4);
    cudaMalloc(&out, sizeof(outs));
    cudaMemcpy(raw, h, sizeof(h), cudaMemcpyHostToDevice);
    cudaMemcpy(names, "abcd", 4, cudaMemcpyHostToDevice);
    route<<<3, 32, 32 * sizeof(Job)>>>(raw, names, n, out);
    cudaMemcpy(outs, out, sizeof(outs), cudaMemcpyDeviceToHost);
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += outs[i] * (i + 1);
    printf("%.2f\n", sum);
    cudaFree(raw);
    cudaFree(names);
    cudaFree(out);
    return 0;
}
