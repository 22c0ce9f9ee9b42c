// Copies by pointers that walk: *to++ = *from++, backwards, by two, over an array of pointers.
// in: Pt={x}{y,z}{tag}
#include <cuda_runtime.h>

#include <stdint.h>
#include <stdio.h>

typedef struct Pt {
    double x;
    float y, z;
    int8_t tag;
} Pt;

static __device__ void copy(Pt *to, const Pt *from, const Pt *end) {
    while (from < end)
        *to++ = *from++;
}

static __device__ void reversed(Pt *dst, const Pt *src, size_t n) {
    const Pt *s = src + n;
    for (Pt *d = dst; n--; ++d) {
        --s;
        d->x = s->x;
        d->y = (*s).y, (*d).z = s[0].z;
        d->tag = s->tag;
    }
}

static __device__ Pt take(const Pt **at) { return *(*at)++; }

__global__ void run(Pt *a, Pt *b, int per) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    Pt *mine = a + (size_t)t * per;
    copy(b + t * per, mine, mine + per / 2);
    reversed(&b[t * per + per / 2], mine + per / 2, per - per / 2);
    const Pt *cursor = mine;
    Pt one = take(&cursor), two = take(&cursor);
    Pt *last = mine + per - 1;
    last->x += one.x + two.y;
    last--;
    (--last)->tag += 1;
    for (Pt *p = mine, *e = p + per; p + 1 < e; p += 2)
        p[0].y += p[1].z;
    if (last - mine > 0 && last != mine)
        mine->z = last - mine;
}

int main() {
    enum { THREADS = 32, PER = 6, N = THREADS * PER };
    static Pt h[N];
    Pt *a, *b;
    for (int i = 0; i < N; i++) {
        Pt p = {0.5 * i, i % 9 * 1.0f, i % 4 * 2.0f, (int8_t)(i % 50)};
        h[i] = p;
    }
    cudaMalloc((void **)&a, sizeof h);
    cudaMalloc((void **)&b, sizeof h);
    cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice);
    run<<<1, THREADS>>>(a, b, PER);
    double sum = 0;
    for (int k = 0; k < 2; k++) {
        cudaMemcpy(h, k ? b : a, sizeof h, cudaMemcpyDeviceToHost);
        for (int i = 0; i < N; i++)
            sum += (h[i].x + h[i].y + h[i].z * 3 + h[i].tag) * (i + k + 1);
    }
    printf("%.3f\n", sum);
    cudaFree(a);
    cudaFree(b);
    return 0;
}
