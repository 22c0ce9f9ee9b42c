// A histogram and a filter over samples: kernel templates over an operation and a block's size,
// host templates for memory and launches.
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

#define checkCudaErrors(val) check((val), #val, __FILE__, __LINE__)

template <typename T>
void check(T result, char const *const func, const char *const file, int const line) {
    if (result) {
        fprintf(stderr, "CUDA error at %s:%d code=%d \"%s\"\n", file, line,
                static_cast<unsigned int>(result), func);
        exit(EXIT_FAILURE);
    }
}

struct Sample {
    double time;
    float value;
    float weight;
    int channel;
    int flags;
};

struct Scale {
    float factor;
    __host__ __device__ float operator()(float v) const { return factor * v; }
};

struct Clamp {
    float low, high;
    __host__ __device__ float operator()(float v) const {
        return v < low ? low : v > high ? high : v;
    }
};

template <typename Op> __global__ void transform(Sample *samples, int n, Op op) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        samples[i].value = op(samples[i].value);
}

template <typename Real, int BLOCK>
__global__ void weightedSum(const Sample *__restrict__ samples, int n, Real *partial) {
    __shared__ Real cache[BLOCK];
    Real sum = 0;
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK)
        sum += static_cast<Real>(samples[i].value) * static_cast<Real>(samples[i].weight);
    cache[threadIdx.x] = sum;
    __syncthreads();
    for (int half = BLOCK / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            cache[threadIdx.x] += cache[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        partial[blockIdx.x] = cache[0];
}

template <bool MARK> __global__ void histogram(Sample *samples, int n, int *bins, int channels) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    Sample *s = &samples[i];
    if (s->value > 0.0f) {
        atomicAdd(&bins[s->channel % channels], 1);
        if (MARK)
            s->flags |= 1;
    }
}

template <typename T> T *deviceArray(size_t count) {
    T *pointer = nullptr;
    checkCudaErrors(cudaMalloc(&pointer, count * sizeof(T)));
    return pointer;
}

template <typename T> void toDevice(T *device, const std::vector<T> &host) {
    checkCudaErrors(
        cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
}

template <typename T> void toHost(std::vector<T> &host, const T *device) {
    checkCudaErrors(
        cudaMemcpy(host.data(), device, host.size() * sizeof(T), cudaMemcpyDeviceToHost));
}

template <typename Op> void apply(Sample *samples, int n, Op op) {
    transform<<<4, 128>>>(samples, n, op);
    checkCudaErrors(cudaGetLastError());
}

template <typename Real> Real total(const Sample *samples, int n) {
    const int blocks = 4;
    Real *d_partial = deviceArray<Real>(blocks);
    std::vector<Real> partial(blocks);
    weightedSum<Real, 64><<<blocks, 64>>>(samples, n, d_partial);
    checkCudaErrors(cudaGetLastError());
    toHost(partial, d_partial);
    checkCudaErrors(cudaFree(d_partial));
    Real sum = 0;
    for (Real p : partial)
        sum += p;
    return sum;
}

int main(int argc, char **argv) {
    const int n = argc > 1 ? std::atoi(argv[1]) : 2000;
    const int channels = 8;
    std::vector<Sample> samples(n);
    for (int i = 0; i < n; i++) {
        samples[i].time = i * 0.25;
        samples[i].value = ((i * 37) % 101) - 50.0f;
        samples[i].weight = 1.0f / (1 + i % 7);
        samples[i].channel = (i * 5) % 13;
        samples[i].flags = 0;
    }

    Sample *d_samples = deviceArray<Sample>(n);
    int *d_bins = deviceArray<int>(channels);
    toDevice(d_samples, samples);
    checkCudaErrors(cudaMemset(d_bins, 0, channels * sizeof(int)));

    printf("sum as float: %.4f\n", total<float>(d_samples, n));
    apply(d_samples, n, Scale{1.5f});
    printf("sum as double, scaled: %.6f\n", total<double>(d_samples, n));
    apply(d_samples, n, Clamp{-20.0f, 40.0f});
    printf("sum as double, clamped: %.6f\n", total<double>(d_samples, n));

    histogram<true><<<(n + 127) / 128, 128>>>(d_samples, n, d_bins, channels);
    histogram<false><<<(n + 127) / 128, 128>>>(d_samples, n, d_bins, channels);
    checkCudaErrors(cudaGetLastError());

    std::vector<int> bins(channels);
    toHost(bins, d_bins);
    toHost(samples, d_samples);
    int marked = 0;
    double times = 0;
    for (const Sample &s : samples) {
        marked += s.flags;
        times += s.flags ? s.time : 0;
    }
    for (int b = 0; b < channels; b++)
        printf("bin %d: %d\n", b, bins[b]);
    printf("marked: %d, of times %.2f\n", marked, times);

    checkCudaErrors(cudaFree(d_bins));
    checkCudaErrors(cudaFree(d_samples));
    return 0;
}
