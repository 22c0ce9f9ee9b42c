// Members smaller than a word, and members in members.
#include <cuda_fp16.h>

struct flags {
    unsigned kind : 3, level : 5, count : 24;
    float weight;
};
struct cell {
    bool is_open;
    char tag;
    short height;
    int hits;
};
struct inner {
    float u, v;
};
struct outer {
    inner first, second;
    int id;
};
struct arrays {
    float c[4];
    int links[3];
    float w;
};
struct tagged {
    int is_real;
    union {
        int whole;
        float real;
    };
};
struct __attribute__((packed)) tight {
    char tag;
    float value;
    short more;
};
struct halves {
    __half2 uv;
    __half a, b;
};

__global__ void set_flags(flags *f, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    f[i].kind = i % 8;
    f[i].level = i / 8 % 32;
    f[i].count = i * 3;
    f[i].weight = in[i];
}

__global__ void read_flags(const flags *f, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = f[i].kind * f[i].weight + f[i].level + f[i].count;
}

__global__ void count_flags(flags *f, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && f[i].kind > 2)
        f[i].count++;
}

__global__ void hit_cells(cell *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && c[i].is_open)
        c[i].hits += c[i].height + c[i].tag;
}

__global__ void open_cells(cell *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    c[i].is_open = c[i].height > 3;
    c[i].tag = (char)(i % 100);
}

__global__ void read_outer(const outer *o, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = o[i].first.u * o[i].second.v + o[i].id;
}

__global__ void swap_inner(outer *o, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    inner t = o[i].first;
    o[i].first = o[i].second;
    o[i].second = t;
}

__global__ void sum_arrays(const arrays *a, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float sum = a[i].w;
    for (int k = 0; k < 4; k++)
        sum += a[i].c[k];
    for (int k = 0; k < 3; k++)
        sum += a[i].links[k];
    out[i] = sum;
}

__global__ void pick_arrays(const arrays *a, const int *index, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = a[i].c[index[i] & 3] + a[i].links[0];
}

__global__ void copy_arrays(const arrays *a, arrays *b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        b[i] = a[n - 1 - i];
}

__global__ void read_tagged(const tagged *t, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = t[i].is_real ? t[i].real : (float)t[i].whole;
}

__global__ void read_tight(const tight *t, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = t[i].value + t[i].tag;
}

__global__ void write_tight(tight *t, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    t[i].value = in[i];
    t[i].more = (short)i;
}

__global__ void add_halves(halves *h, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    halves v = h[i];
    v.uv = __hadd2(v.uv, v.uv);
    v.a = __hadd(v.a, v.b);
    h[i] = v;
}
