// float4 bodies and events around the launches, as benchmarks have them.
#include "check.h"

struct body {
    float4 position;
    float3 velocity;
    float mass;
};

__global__ void accelerate(body *b, int n, float dt) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float3 a = make_float3(0, 0, 0);
    for (int j = 0; j < n; j++) {
        float dx = b[j].position.x - b[i].position.x, dy = b[j].position.y - b[i].position.y,
              dz = b[j].position.z - b[i].position.z;
        float r = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f), s = b[j].mass * r * r * r;
        a.x += s * dx;
        a.y += s * dy;
        a.z += s * dz;
    }
    b[i].velocity.x += a.x * dt;
    b[i].velocity.y += a.y * dt;
    b[i].velocity.z += a.z * dt;
}

int main() {
    const int n = 512;
    body *host = new body[n], *b;
    for (int i = 0; i < n; i++)
        host[i] = {make_float4(i % 8, i / 8 % 8, i / 64, 1), make_float3(0, 0, 0), 1.0f};
    hipEvent_t start, stop;
    HIP_CHECK(hipEventCreate(&start));
    HIP_CHECK(hipEventCreate(&stop));
    HIP_CHECK(hipMalloc(&b, n * sizeof(body)));
    HIP_CHECK(hipMemcpy(b, host, n * sizeof(body), hipMemcpyHostToDevice));
    HIP_CHECK(hipEventRecord(start, 0));
    accelerate<<<n / 64, 64>>>(b, n, 0.01f);
    HIP_CHECK(hipEventRecord(stop, 0));
    HIP_CHECK(hipEventSynchronize(stop));
    float ms;
    HIP_CHECK(hipEventElapsedTime(&ms, start, stop));
    HIP_CHECK(hipMemcpy(host, b, n * sizeof(body), hipMemcpyDeviceToHost));
    HIP_CHECK(hipFree(b));
    delete[] host;
}
