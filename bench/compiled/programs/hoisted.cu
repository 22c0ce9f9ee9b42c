// A field that a loop reads again and again, and two that it sums.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

struct Sample {
    float gain, offset;
    float at[4];
    int channel, flags;
};

__global__ void smooth(Sample *samples, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float sum = 0;
    for (int k = 0; k < 16; k++)
        sum += samples[i].gain * k + samples[i].offset;
    samples[i].at[0] = sum;
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 4096;
    size_t bytes = n * sizeof(Sample);
    Sample *samples = (Sample *)malloc(bytes);
    for (int i = 0; i < n; i++) {
        samples[i].gain = i % 7;
        samples[i].offset = i % 5;
        samples[i].at[0] = samples[i].at[1] = samples[i].at[2] = samples[i].at[3] = 0;
        samples[i].channel = i % 8;
        samples[i].flags = 0;
    }
    Sample *d_samples;
    cudaMalloc(&d_samples, bytes);
    cudaMemcpy(d_samples, samples, bytes, cudaMemcpyHostToDevice);
    for (int s = 0; s < 2; s++)
        smooth<<<(n + 127) / 128, 128>>>(d_samples, n);
    cudaMemcpy(samples, d_samples, bytes, cudaMemcpyDeviceToHost);
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += samples[i].at[0];
    printf("samples: %.6f\n", sum);
    cudaFree(d_samples);
    free(samples);
    return 0;
}
