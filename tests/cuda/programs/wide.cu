// Vector types, which are loaded and stored at once, and an argument of many bytes.
#include "check.h"

struct coefficients {
    float values[200];
    char4 flags[50];
    double last;
};

__global__ void mix(float4 *x, const int2 *y, uchar4 *z, coefficients c) {
    int i = threadIdx.x;
    float4 v = x[i];
    int2 w = y[i];
    v.x += c.values[i], v.y *= w.x, v.z -= w.y, v.w = (float)c.last;
    x[i] = v;
    z[i] = make_uchar4(c.flags[i % 50].x, c.flags[i % 50].w, (unsigned char)i, 255);
}

int main() {
    const int n = 100;
    float4 x[n], *dx;
    int2 y[n], *dy;
    uchar4 z[n], *dz;
    static coefficients c;
    for (int i = 0; i < 200; i++)
        c.values[i] = 0.5f * i;
    for (int i = 0; i < 50; i++)
        c.flags[i] = make_char4(i, 0, 0, 2 * i);
    c.last = 3.25;
    for (int i = 0; i < n; i++)
        x[i] = make_float4(i, 2, 3, 4), y[i] = make_int2(i, -i);
    CUDA(cudaMalloc(&dx, sizeof x));
    CUDA(cudaMalloc(&dy, sizeof y));
    CUDA(cudaMalloc(&dz, sizeof z));
    CUDA(cudaMemcpy(dx, x, sizeof x, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(dy, y, sizeof y, cudaMemcpyHostToDevice));
    mix<<<1, n>>>(dx, dy, dz, c);
    CUDA(cudaMemcpy(x, dx, sizeof x, cudaMemcpyDeviceToHost));
    CUDA(cudaMemcpy(z, dz, sizeof z, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++) {
        CHECK(x[i].x == 1.5f * i && x[i].y == 2 * i && x[i].z == 3 + i && x[i].w == 3.25f);
        CHECK(z[i].x == i % 50 && z[i].y == 2 * (i % 50) && z[i].z == i && z[i].w == 255);
    }
    return DONE;
}
