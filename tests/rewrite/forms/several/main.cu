// Managed memory that one file fills, and another gives to its kernels.
// in: Body=soa; Body=aosoa:32
#include <cstdio>

#include "body.h"

int main() {
    const int n = 200;
    Body *bodies;
    cudaMallocManaged(&bodies, n * sizeof(Body));
    fill(bodies, n);
    advance(bodies, n);
    cudaDeviceSynchronize();
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += bodies[i].x * i + bodies[i].hits;
    printf("%.3f\n", sum);
    cudaFree(bodies);
    return 0;
}
