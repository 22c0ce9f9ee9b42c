// Methods whose bodies stand behind the class, in a namespace, with a base and members of vector types.
// in: sim::Boid={pos}{vel,state}
#include <cuda_runtime.h>

#include <cstdio>

namespace sim {
struct Boid {
    float3 pos;
    float3 vel;
    int state;

    __device__ void step(float dt = 0.5f);
    __device__ bool collide(Boid &other);
    __device__ float speed2() const;
    __device__ void bounce(float lo, float hi) {
        if (pos.x < lo || pos.x > hi)
            vel.x = -vel.x, state |= 1;
    }
};

__device__ inline float3 operator+(float3 a, float3 b) {
    return make_float3(a.x + b.x, a.y + b.y, a.z + b.z);
}
__device__ inline float3 operator*(float s, float3 a) { return make_float3(s * a.x, s * a.y, s * a.z); }

__device__ void Boid::step(float dt) {
    pos = pos + dt * vel;
    bounce(0, 50);
}

__device__ bool Boid::collide(Boid &other) {
    if (this->state == other.state)
        return false;
    float3 t = vel;
    vel = other.vel;
    other.vel = t;
    other.state++;
    return true;
}

__device__ float Boid::speed2() const { return vel.x * vel.x + vel.y * vel.y + vel.z * vel.z; }

__global__ void fly(Boid *boids, int *hits, int n) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i >= n / 2)
        return;
    Boid *me = &boids[2 * i];
    me->step();
    (*me).step(0.25f);
    if (me->collide(boids[2 * i + 1]))
        atomicAdd(hits, (int)boids[2 * i].speed2());
}
} // namespace sim

int main() {
    const int n = 128;
    sim::Boid h[n], *d;
    int *hits, count = 0;
    for (int i = 0; i < n; i++) {
        h[i].pos = make_float3(i % 51, i, 1);
        h[i].vel = make_float3(i % 4, 1, -2);
        h[i].state = i % 3;
    }
    cudaMalloc(&d, sizeof h);
    cudaMalloc(&hits, sizeof(int));
    cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
    cudaMemcpy(hits, &count, sizeof(int), cudaMemcpyHostToDevice);
    sim::fly<<<2, 32>>>(d, hits, n);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    cudaMemcpy(&count, hits, sizeof(int), cudaMemcpyDeviceToHost);
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += (h[i].pos.x + h[i].pos.z + h[i].vel.x + h[i].state) * (i + 1);
    printf("%.3f %d\n", sum, count);
    cudaFree(d);
    cudaFree(hits);
    return 0;
}
