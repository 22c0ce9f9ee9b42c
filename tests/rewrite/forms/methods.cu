// Methods that change the element that they are called on: by fields, by atomics, by each other, with
// another element or a C struct as argument.
// in: Ball=soa; Ball=aosoa:32; Ball={x,y}{vx,vy}{hits,state}{last}
#include <cuda_runtime.h>

#include <cstdio>

struct Ball {
    enum { WALL = 100 };
    float x, y, vx, vy;
    int hits, last;
    unsigned state;

    __host__ __device__ float energy() const { return vx * vx + vy * vy; }
    __host__ __device__ void step(float dt = 0.5f) {
        x += vx * dt;
        y += vy * dt;
        if (x > WALL) // written by some threads only
            turn();
    }
    __host__ __device__ void turn() {
        vx = -vx;
        this->last = hits++;
    }
    __device__ int count() { return atomicAdd(&hits, 2); }
    __host__ __device__ Ball &operator+=(const Ball &other) {
        x += other.x;
        vx += other.energy() * 0.125f;
        return *this;
    }
    __host__ __device__ void take(Ball &other, float part) {
        float moved = other.vx * part;
        other.vx -= moved;
        vx += moved;
        other.turn();
    }
    __device__ unsigned draw() {
        state = state * 1664525u + 1013904223u;
        return state >> 16;
    }
};

__global__ void step(Ball *balls, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    balls[i].step();
    Ball *b = balls + i;
    b->step(0.25f);
    Ball &same = *b;
    same.turn();
    out[i] = balls[i].draw() % 7 + b->energy();
    if (i < n / 2)
        balls[i].take(balls[i + n / 2], 0.5f);
}

__global__ void meet(Ball *balls, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    balls[0].count();
    Ball own = balls[n - 1];
    own.step();
    if (i > 0 && i < n / 2) {
        balls[i] += balls[i + n / 2];
        balls[i] += own;
        balls[i] += balls[i];
    }
}

int main() {
    const int n = 128;
    Ball host[n], *balls;
    float outs[n], *out;
    for (int i = 0; i < n; i++)
        host[i] = Ball{i * 1.5f, 1.0f * i, i % 5 - 2.0f, i % 3 - 1.0f, i, 0, 17u * i};
    cudaMalloc(&balls, sizeof host);
    cudaMalloc(&out, sizeof outs);
    cudaMemcpy(balls, host, sizeof host, cudaMemcpyHostToDevice);
    step<<<2, 64>>>(balls, out, n);
    meet<<<2, 64>>>(balls, n);
    cudaMemcpy(host, balls, sizeof host, cudaMemcpyDeviceToHost);
    cudaMemcpy(outs, out, sizeof outs, cudaMemcpyDeviceToHost);
    double sum = 0, drawn = 0;
    for (int i = 0; i < n; i++) {
        sum += host[i].x * (i + 1) + host[i].y + host[i].vx * 7 + host[i].vy + host[i].last;
        drawn += outs[i] * (i + 1) + host[i].hits + host[i].state % 1000;
    }
    printf("%.4f %.4f\n", sum, drawn);
    cudaFree(balls);
    cudaFree(out);
    return 0;
}
