// A buffer of any type that owns its memory and converts to its pointer, for records and for numbers.
// in: Tick=soa
#include <cuda_runtime.h>

#include <cstdio>
#include <stdexcept>

struct Tick {
    int a;
    float b;
};

template <class T> class Buffer {
    T *p = nullptr;
    size_t n;

public:
    explicit Buffer(size_t n) : n(n) {
        if (cudaMalloc(&p, n * sizeof(T)) != cudaSuccess)
            throw std::runtime_error("no memory");
    }
    ~Buffer() { cudaFree(p); }
    Buffer(const Buffer &) = delete;
    operator T *() { return p; }
    T *get() { return p; }
    size_t size() const { return n; }
    void set(const T *h) { cudaMemcpy(p, h, n * sizeof(T), cudaMemcpyHostToDevice); }
    void get(T *h) const { cudaMemcpy(h, p, n * sizeof(T), cudaMemcpyDeviceToHost); }
};

__global__ void k(Tick *p, float *f, int n) {
    int i = threadIdx.x;
    if (i < n) {
        p[i].a += (int)f[i];
        f[i] = p[i].b;
    }
}

template <class T> __global__ void bump(T *p, size_t n) {
    if (threadIdx.x < n)
        p[threadIdx.x].b += 0.5f;
}

template <class T> void bump_all(Buffer<T> &buffer) {
    bump<T><<<1, 64>>>(buffer, buffer.size());
}

int main() {
    Buffer<Tick> ticks(64);
    Buffer<float> numbers(64);
    Tick h[64];
    float g[64];
    for (int i = 0; i < 64; i++)
        h[i] = Tick{i, 0.5f * i}, g[i] = i;
    ticks.set(h);
    numbers.set(g);
    k<<<1, 64>>>(ticks, numbers, 64);
    bump_all(ticks);
    k<<<1, 32>>>(ticks.get(), numbers.get(), 32);
    ticks.get(h);
    numbers.get(g);
    double sum = 0;
    for (int i = 0; i < 64; i++)
        sum += h[i].a * (i + 1) + g[i] + h[i].b;
    printf("%.2f\n", sum);
    return 0;
}
