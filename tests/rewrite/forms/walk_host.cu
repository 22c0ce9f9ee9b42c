// Pointers of the host that walk over an array of the device, to launch and copy piece by piece.
// in: Row=aosoa:16
#include <cuda_runtime.h>

#include <cstdio>
#include <memory>

struct Row {
    float v[4];
    int n;
};

__global__ void step(Row *begin, Row *end, int by) {
    Row *r = begin + threadIdx.x;
    if (r >= end)
        return;
    for (float *f = r->v; f != r->v + 4; ++f)
        *f += by;
    r->n += int(end - begin);
}

static void run(Row *rows, Row *end, int chunk) {
    int by = 0;
    for (Row *at = rows; at < end; at += chunk) {
        Row *stop = at + chunk;
        if (stop > end)
            stop = end;
        step<<<1, 32>>>(at, stop, ++by);
    }
}

int main() {
    const int n = 75;
    std::unique_ptr<Row[]> h(new Row[n]);
    for (int i = 0; i < n; i++)
        h[i] = Row{{1.0f * i, 2, 3, 4}, i};
    Row *d;
    cudaMalloc(&d, n * sizeof(Row));
    Row *up = d;
    for (int i = 0; i < n; i += 25, up += 25)
        cudaMemcpy(up, &h[i], 25 * sizeof(Row), cudaMemcpyHostToDevice);
    printf("%d\n", int(up - d));
    run(d, d + n, 20);
    cudaMemcpy(h.get(), d, n * sizeof(Row), cudaMemcpyDeviceToHost);
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += (h[i].v[0] + h[i].v[3] + h[i].n) * (i + 1);
    printf("%.3f\n", sum);
    cudaFree(d);
    return 0;
}
