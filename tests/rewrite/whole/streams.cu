// Options are priced in chunks, each with copies and a launch in a stream of its own.
#include <stdio.h>
#include <stdlib.h>

#include <cuda_runtime.h>

// Convenience function for checking CUDA runtime API results
inline cudaError_t checkCuda(cudaError_t result) {
    if (result != cudaSuccess) {
        fprintf(stderr, "CUDA Runtime Error: %s\n", cudaGetErrorString(result));
        exit(1);
    }
    return result;
}

struct Option {
    float spot, strike, years;
    float rate, volatility;
    float call, put;
    int iterations;
};

__device__ float cumulative(float d) {
    float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
    float tail = 0.39894228f * expf(-0.5f * d * d) *
                 (k * (0.31938153f +
                       k * (-0.356563782f +
                            k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
    return d > 0 ? 1.0f - tail : tail;
}

__global__ void price(Option *options, int offset, int count) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i >= count)
        return;
    i += offset;
    float root = sqrtf(options[i].years);
    float d1 = (logf(options[i].spot / options[i].strike) +
                (options[i].rate + 0.5f * options[i].volatility * options[i].volatility) *
                    options[i].years) /
               (options[i].volatility * root);
    float d2 = d1 - options[i].volatility * root;
    float discount = options[i].strike * expf(-options[i].rate * options[i].years);
    options[i].call = options[i].spot * cumulative(d1) - discount * cumulative(d2);
    options[i].put = discount * cumulative(-d2) - options[i].spot * cumulative(-d1);
    options[i].iterations++;
}

int main(int argc, char **argv) {
    const int blockSize = 64, nStreams = 4;
    const int n = (argc > 1 ? atoi(argv[1]) : 8) * blockSize * nStreams;
    const int streamSize = n / nStreams;
    const size_t streamBytes = streamSize * sizeof(Option);
    const size_t bytes = n * sizeof(Option);

    int devId = 0;
    cudaDeviceProp prop;
    checkCuda(cudaGetDeviceProperties(&prop, devId));
    fprintf(stderr, "Device : %s\n", prop.name);
    checkCuda(cudaSetDevice(devId));

    // allocate pinned host memory and device memory
    Option *a, *d_a;
    checkCuda(cudaMallocHost((void **)&a, bytes));
    checkCuda(cudaMalloc((void **)&d_a, bytes));
    for (int i = 0; i < n; i++) {
        a[i].spot = 5.0f + (i * 7) % 26;
        a[i].strike = 1.0f + (i * 13) % 100;
        a[i].years = 0.25f + (i % 39) * 0.25f;
        a[i].rate = 0.02f;
        a[i].volatility = 0.3f;
        a[i].call = a[i].put = -1.0f;
        a[i].iterations = 0;
    }

    float ms; // elapsed time in milliseconds
    cudaEvent_t startEvent, stopEvent;
    cudaStream_t stream[nStreams];
    checkCuda(cudaEventCreate(&startEvent));
    checkCuda(cudaEventCreate(&stopEvent));
    for (int i = 0; i < nStreams; ++i)
        checkCuda(cudaStreamCreate(&stream[i]));

    // asynchronous version 1: loop over {copy, kernel, copy}
    checkCuda(cudaEventRecord(startEvent, 0));
    for (int i = 0; i < nStreams; ++i) {
        int offset = i * streamSize;
        checkCuda(cudaMemcpyAsync(&d_a[offset], &a[offset], streamBytes, cudaMemcpyHostToDevice,
                                  stream[i]));
        price<<<streamSize / blockSize, blockSize, 0, stream[i]>>>(d_a, offset, streamSize);
        checkCuda(cudaMemcpyAsync(&a[offset], &d_a[offset], streamBytes, cudaMemcpyDeviceToHost,
                                  stream[i]));
    }
    checkCuda(cudaEventRecord(stopEvent, 0));
    checkCuda(cudaEventSynchronize(stopEvent));
    for (int i = 0; i < nStreams; ++i)
        checkCuda(cudaStreamSynchronize(stream[i]));
    checkCuda(cudaEventElapsedTime(&ms, startEvent, stopEvent));
    fprintf(stderr, "Time for asynchronous V1 transfer and execute (ms): %f\n", ms);

    double call = 0, put = 0;
    int iterations = 0;
    for (int i = 0; i < n; i++) {
        call += a[i].call;
        put += a[i].put;
        iterations += a[i].iterations;
    }
    printf("V1: %d options, %d priced, calls %.4f, puts %.4f\n", n, iterations, call, put);

    // asynchronous version 2: a whole array at once, the market has moved
    for (int i = 0; i < n; i++)
        a[i].spot *= 1.1f;
    checkCuda(cudaMemcpyAsync(d_a, a, bytes, cudaMemcpyHostToDevice, stream[0]));
    checkCuda(cudaStreamSynchronize(stream[0]));
    for (int i = 0; i < nStreams; ++i)
        price<<<streamSize / blockSize, blockSize, 0, stream[i]>>>(d_a, i * streamSize, streamSize);
    checkCuda(cudaDeviceSynchronize());
    checkCuda(cudaMemcpyAsync(a, d_a, bytes, cudaMemcpyDeviceToHost, stream[1]));
    checkCuda(cudaStreamSynchronize(stream[1]));

    call = put = 0;
    for (int i = 0; i < n; i++) {
        call += a[i].call;
        put += a[i].put;
    }
    printf("V2: calls %.4f, puts %.4f\n", call, put);
    for (int i = 0; i < n; i += n / 5)
        printf("option %d: %.4f %.4f after %d\n", i, a[i].call, a[i].put, a[i].iterations);

    // cleanup
    checkCuda(cudaEventDestroy(startEvent));
    checkCuda(cudaEventDestroy(stopEvent));
    for (int i = 0; i < nStreams; ++i)
        checkCuda(cudaStreamDestroy(stream[i]));
    cudaFree(d_a);
    cudaFreeHost(a);
    return 0;
}
