// N-body in one file: two kernels, one array of bodies, copies there and back.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>

#define CUDA_CHECK(call)                                                                           \
    do {                                                                                           \
        cudaError_t err = (call);                                                                  \
        if (err != cudaSuccess) {                                                                  \
            fprintf(stderr, "CUDA error %s:%d: %s\n", __FILE__, __LINE__,                          \
                    cudaGetErrorString(err));                                                      \
            exit(EXIT_FAILURE);                                                                    \
        }                                                                                          \
    } while (0)

#define BLOCK_SIZE 128
#define SOFTENING 0.02f

struct Body {
    float x, y, z;
    float vx, vy, vz;
    float mass;
    int id;
};

__global__ void bodyForce(Body *bodies, int n, float dt) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float fx = 0.0f, fy = 0.0f, fz = 0.0f;
    for (int j = 0; j < n; j++) {
        float dx = bodies[j].x - bodies[i].x;
        float dy = bodies[j].y - bodies[i].y;
        float dz = bodies[j].z - bodies[i].z;
        float dist2 = dx * dx + dy * dy + dz * dz + SOFTENING;
        float inv = rsqrtf(dist2);
        float w = bodies[j].mass * inv * inv * inv;
        fx += dx * w;
        fy += dy * w;
        fz += dz * w;
    }
    bodies[i].vx += dt * fx;
    bodies[i].vy += dt * fy;
    bodies[i].vz += dt * fz;
}

__global__ void integrate(Body *bodies, int n, float dt) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        bodies[i].x += bodies[i].vx * dt;
        bodies[i].y += bodies[i].vy * dt;
        bodies[i].z += bodies[i].vz * dt;
    }
}

static unsigned seed = 12345;
static float uniform() {
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) * (1.0f / 16777216.0f);
}

void randomizeBodies(Body *b, int n) {
    for (int i = 0; i < n; i++) {
        b[i].x = 2.0f * uniform() - 1.0f;
        b[i].y = 2.0f * uniform() - 1.0f;
        b[i].z = 2.0f * uniform() - 1.0f;
        b[i].vx = b[i].vy = b[i].vz = 0.0f;
        b[i].mass = 0.5f + uniform();
        b[i].id = i;
    }
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 300;
    int steps = argc > 2 ? atoi(argv[2]) : 3;
    const float dt = 0.01f;
    size_t bytes = n * sizeof(Body);

    Body *h_bodies = (Body *)malloc(bytes);
    randomizeBodies(h_bodies, n);

    Body *d_bodies;
    CUDA_CHECK(cudaMalloc(&d_bodies, bytes));
    CUDA_CHECK(cudaMemcpy(d_bodies, h_bodies, bytes, cudaMemcpyHostToDevice));

    cudaEvent_t start, stop;
    CUDA_CHECK(cudaEventCreate(&start));
    CUDA_CHECK(cudaEventCreate(&stop));

    int blocks = (n + BLOCK_SIZE - 1) / BLOCK_SIZE;
    CUDA_CHECK(cudaEventRecord(start));
    for (int s = 0; s < steps; s++) {
        bodyForce<<<blocks, BLOCK_SIZE>>>(d_bodies, n, dt);
        integrate<<<blocks, BLOCK_SIZE>>>(d_bodies, n, dt);
    }
    CUDA_CHECK(cudaEventRecord(stop));
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaEventSynchronize(stop));
    float ms = 0.0f;
    CUDA_CHECK(cudaEventElapsedTime(&ms, start, stop));
    fprintf(stderr, "%d steps in %.3f ms\n", steps, ms);

    CUDA_CHECK(cudaMemcpy(h_bodies, d_bodies, bytes, cudaMemcpyDeviceToHost));

    double px = 0, py = 0, pz = 0, energy = 0;
    long ids = 0;
    for (int i = 0; i < n; i++) {
        const Body &b = h_bodies[i];
        px += b.mass * b.vx;
        py += b.mass * b.vy;
        pz += b.mass * b.vz;
        energy += 0.5 * b.mass * (b.vx * b.vx + b.vy * b.vy + b.vz * b.vz);
        ids += b.id;
    }
    printf("bodies: %d, steps: %d\n", n, steps);
    printf("momentum: %.6f %.6f %.6f\n", px, py, pz);
    printf("kinetic energy: %.6f\n", energy);
    printf("ids: %ld\n", ids);
    for (int i = 0; i < n; i += n / 3)
        printf("body %d: %.6f %.6f %.6f\n", h_bodies[i].id, h_bodies[i].x, h_bodies[i].y,
               h_bodies[i].z);

    CUDA_CHECK(cudaEventDestroy(start));
    CUDA_CHECK(cudaEventDestroy(stop));
    CUDA_CHECK(cudaFree(d_bodies));
    free(h_bodies);
    return 0;
}
