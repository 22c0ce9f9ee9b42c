// HIP in a file that is named for C++, as hipcc takes it; portable between both by the macros.
#include "check.h"

#if defined(__HIP_PLATFORM_AMD__)
#define LANES 64
#else
#define LANES 32
#endif

struct __align__(16) particle {
    float x, y, z, charge;
    float vx, vy, vz, mass;
};

__device__ inline void kick(particle &p, float ax, float dt) { p.vx += ax * dt; }

__global__ void __launch_bounds__(LANES * 4)
    push(particle *p, const float *field, float dt, int n) {
    const int i = hipBlockDim_x * hipBlockIdx_x + hipThreadIdx_x;
    if (i < n) {
        kick(p[i], field[i & 63] * p[i].charge, dt);
        p[i].x += p[i].vx * dt;
    }
}

int main() {
    const int n = 4096;
    particle *host = new particle[n], *p;
    float *field;
    for (int i = 0; i < n; i++)
        host[i] = {(float)i, 0, 0, 1, 0, 0, 0, 1};
    HIP_CHECK(hipMalloc(&p, n * sizeof(particle)));
    HIP_CHECK(hipMalloc(&field, 64 * sizeof(float)));
    HIP_CHECK(hipMemset(field, 0, 64 * sizeof(float)));
    HIP_CHECK(hipMemcpy(p, host, n * sizeof(particle), hipMemcpyHostToDevice));
    push<<<n / (LANES * 4), LANES * 4>>>(p, field, 0.1f, n);
    HIP_CHECK(hipMemcpy(host, p, n * sizeof(particle), hipMemcpyDeviceToHost));
    HIP_CHECK(hipFree(p));
    HIP_CHECK(hipFree(field));
    delete[] host;
}
