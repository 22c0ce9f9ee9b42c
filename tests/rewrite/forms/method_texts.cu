// What a method's text may hold: macros, names of the class, what the preprocessor leaves out, calls.
// in: Tree=soa; Tree=aosoa:32; Tree={x}{y,n}
#include <cuda_runtime.h>

#include <cstdio>

#define SQUARE(v) ((v) * (v))
#define ADD_X(v) x += v

struct Tree {
    typedef float real;
    enum kind { BIG = 3 };
    float x, y;
    int n;
    static __device__ float half(float f) { return f / 2; }
    __device__ void grow(float by) { ADD_X(by); }
    __device__ void bend(float by) {
        y += SQUARE(x) * by;
        this->grow(SQUARE(by));
    }
#ifdef NEVER
    __device__ void take(int k) { n = k; }
#else
    __device__ bool take(int k) { /* only more */
        if (k > n)
            return false;
        n = k;
        return true;
    }
#endif
    __device__ real cut() {
        real r = half(x);
        kind of = BIG;
        x = r + BIG;
        return r + of;
    }
};

__device__ float twice(float &v) {
    v *= 2;
    return v;
}

__global__ void k(Tree *trees, float *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    trees[i].grow(1);
    trees[i].bend(0.5f);
    if (trees[i].take(i))
        out[i] = trees[i].cut();
    else
        out[i] = 1 + trees[i].cut() + (trees[i].grow(2), trees[i].x);
    for (int j = 0; j < 2; j++)
        trees[i].grow(j ? trees[i].y : trees[i].x);
    i % 3 ? trees[i].grow(1) : trees[i].bend(0.25f);
    trees[i].grow(twice(trees[i].x));
}

int main() {
    const int n = 128;
    Tree host[n], *trees;
    float outs[n], *out;
    for (int i = 0; i < n; i++)
        host[i] = Tree{1.0f * (i % 9), 0.125f * i, i % 90};
    cudaMalloc(&trees, sizeof host);
    cudaMalloc(&out, sizeof outs);
    cudaMemcpy(trees, host, sizeof host, cudaMemcpyHostToDevice);
    k<<<2, 64>>>(trees, out);
    cudaMemcpy(host, trees, sizeof host, cudaMemcpyDeviceToHost);
    cudaMemcpy(outs, out, sizeof outs, cudaMemcpyDeviceToHost);
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += (host[i].x + host[i].y + outs[i]) * (i % 5 + 1) + host[i].n;
    printf("%.3f\n", sum);
    cudaFree(trees);
    cudaFree(out);
    return 0;
}
