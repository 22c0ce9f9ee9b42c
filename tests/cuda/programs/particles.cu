// Particles in a box, as structs: templates, structs by value, counts that the host clears between
// launches, and arrays that share an allocation. All numbers are whole, so that no order rounds.
#include <vector>

#include "check.h"
#include "parts/particle.h"

#ifndef BOUNCE
#define BOUNCE 1
#endif

template <typename T, int STEPS>
__global__ void move(Particle *__restrict__ particles, Box box, T time) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= box.n)
        return;
    Particle p = particles[i];
    for (int s = 0; s < STEPS; s++) {
        p.x += p.vx * time;
        if (BOUNCE && (p.x < 0 || p.x > box.width))
            p.vx = -p.vx;
        p.steps++;
    }
    particles[i] = p;
}

__global__ void count(const Particle *particles, const int *weights, int *counts, Box box) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < box.n)
        atomicAdd(&counts[particles[i].cell], weights[i]);
}

namespace {
struct Simulation {
    Particle *particles;
    int *numbers, n; // weights, then counts of cells
    void run() const {
        move<float, 4><<<n / 64, 64>>>(particles, Box{1024, n}, 2);
        count<<<n / 64, 64>>>(particles, numbers, numbers + n, Box{1024, n});
    }
};
} // namespace

int main() {
    const int n = 256, cells = 4;
    Simulation simulation = {nullptr, nullptr, n};
    std::vector<Particle> all(n);
    std::vector<int> numbers(n + cells);
    for (int i = 0; i < n; i++) {
        all[i] = {float(i), 1, float(i % 5 - 2), 0, 0, i % cells};
        numbers[i] = i % 3;
    }
    CUDA(cudaMalloc(&simulation.particles, n * sizeof(Particle)));
    CUDA(cudaMalloc(&simulation.numbers, (n + cells) * sizeof(int)));
    CUDA(cudaMemcpy(simulation.particles, all.data(), n * sizeof(Particle), cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(simulation.numbers, numbers.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    for (int step = 0; step < 3; step++) {
        CUDA(cudaMemset(simulation.numbers + n, 0, cells * sizeof(int)));
        simulation.run();
        CUDA(cudaGetLastError());
    }
    CUDA(cudaMemcpy(all.data(), simulation.particles, n * sizeof(Particle), cudaMemcpyDeviceToHost));
    CUDA(cudaMemcpy(numbers.data(), simulation.numbers, numbers.size() * sizeof(int),
                    cudaMemcpyDeviceToHost));
    int counts[cells] = {};
    for (int i = 0; i < n; i++)
        counts[i % cells] += i % 3;
    for (int c = 0; c < cells; c++)
        CHECK(numbers[n + c] == counts[c]);
    for (int i = 0; i < n; i++)
        CHECK(all[i].steps == 12);
    CHECK(all[102].x == 102 && all[104].x == 104 + 12 * 2 * 2);
    return DONE;
}
