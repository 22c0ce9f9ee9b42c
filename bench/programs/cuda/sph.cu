// A fluid of smoothed particles: records are sorted into cells by counting, then densities and
// forces come from the 27 cells around.
#include <cuda_runtime.h>

#include <utility>

#include "cuda_check.h"
#include "inputs.h"

enum { THREADS = 128, SCAN = 512 };

struct Particle {
    float x, y, z, density;
    float vx, vy, vz, pressure;
    float ax, ay, az;
    int cell;
};

struct World {
    float side, radius, mass, stiffness, rest, viscosity, step;
    int cells; // along each side
};

__constant__ World world;

__device__ int cell_along(float at) {
    return min(max((int)(at / world.radius), 0), world.cells - 1);
}

__global__ void count_cells(Particle *particles, int count, int *counts) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    Particle *p = &particles[i];
    p->cell = (cell_along(p->z) * world.cells + cell_along(p->y)) * world.cells + cell_along(p->x);
    atomicAdd(&counts[p->cell], 1);
}

// One block: where each cell begins, twice.
__global__ void scan_cells(const int *counts, int *starts, int *places, int cells) {
    __shared__ int sums[SCAN];
    int each = (cells + SCAN - 1) / SCAN, from = threadIdx.x * each, to = min(from + each, cells);
    int total = 0;
    for (int c = from; c < to; c++)
        total += counts[c];
    sums[threadIdx.x] = total;
    __syncthreads();
    for (int offset = 1; offset < SCAN; offset *= 2) {
        int other = threadIdx.x >= offset ? sums[threadIdx.x - offset] : 0;
        __syncthreads();
        sums[threadIdx.x] += other;
        __syncthreads();
    }
    int before = sums[threadIdx.x] - total;
    for (int c = from; c < to; c++) {
        starts[c] = places[c] = before;
        before += counts[c];
    }
    if (threadIdx.x == SCAN - 1)
        starts[cells] = before;
}

__global__ void sort_particles(const Particle *particles, Particle *sorted, int count,
                               int *places) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        sorted[atomicAdd(&places[particles[i].cell], 1)] = particles[i];
}

template <typename Each>
__device__ void each_near(const Particle *particles, const int *starts, int cell, Each each) {
    int cx = cell % world.cells, cy = cell / world.cells % world.cells;
    int cz = cell / world.cells / world.cells;
    for (int z = max(cz - 1, 0); z <= min(cz + 1, world.cells - 1); z++)
        for (int y = max(cy - 1, 0); y <= min(cy + 1, world.cells - 1); y++) {
            int row = (z * world.cells + y) * world.cells;
            int first = row + max(cx - 1, 0), last = row + min(cx + 1, world.cells - 1);
            for (int j = starts[first]; j < starts[last + 1]; j++)
                each(particles[j], j);
        }
}

__global__ void find_density(Particle *particles, int count, const int *starts) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    const Particle own = particles[i];
    float h2 = world.radius * world.radius, density = 0;
    each_near(particles, starts, own.cell, [&](const Particle &other, int) {
        float dx = own.x - other.x, dy = own.y - other.y, dz = own.z - other.z;
        float left = h2 - (dx * dx + dy * dy + dz * dz);
        if (left > 0)
            density += left * left * left;
    });
    density *= world.mass * 1.5666815f / (h2 * h2 * h2 * h2 * world.radius);
    particles[i].density = density;
    particles[i].pressure = world.stiffness * fmaxf(density - world.rest, 0);
}

__global__ void find_force(Particle *particles, int count, const int *starts) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    const Particle own = particles[i];
    float h = world.radius, ax = 0, ay = 0, az = 0;
    each_near(particles, starts, own.cell, [&](const Particle &other, int j) {
        float dx = own.x - other.x, dy = own.y - other.y, dz = own.z - other.z;
        float r2 = dx * dx + dy * dy + dz * dz;
        if (j == i || r2 >= h * h || r2 == 0)
            return;
        float r = sqrtf(r2), left = h - r;
        float push = (own.pressure + other.pressure) * 0.5f * left * left / (other.density * r);
        float drag = world.viscosity * left / other.density;
        ax += push * dx + drag * (other.vx - own.vx);
        ay += push * dy + drag * (other.vy - own.vy);
        az += push * dz + drag * (other.vz - own.vz);
    });
    float scale = world.mass * 14.323945f / (h * h * h * h * h * h * own.density);
    particles[i].ax = scale * ax;
    particles[i].ay = scale * ay - 9.81f;
    particles[i].az = scale * az;
}

__device__ void bounce(float &at, float &speed) {
    if (at < 0 || at > world.side) {
        at = fminf(fmaxf(at, 0), world.side);
        speed *= -0.5f;
    }
}

__global__ void move(Particle *particles, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    Particle p = particles[i];
    p.vx += world.step * p.ax;
    p.vy += world.step * p.ay;
    p.vz += world.step * p.az;
    p.x += world.step * p.vx;
    p.y += world.step * p.vy;
    p.z += world.step * p.vz;
    bounce(p.x, p.vx);
    bounce(p.y, p.vy);
    bounce(p.z, p.vz);
    particles[i] = p;
}

int main(int argc, char **argv) {
    int along = input_argument(argc, argv, 1, 32), count = along * along * along;
    int steps = input_argument(argc, argv, 2, 90);
    World own = {along * 0.02f * 1.3f, 0.04f, 0.008f, 2, 1000, 0.4f, 0.0005f, 0};
    own.cells = (int)(own.side / own.radius) + 1;
    int cells = own.cells * own.cells * own.cells, blocks = (count + THREADS - 1) / THREADS;
    Particle *particles = (Particle *)calloc(count, sizeof(Particle)), *d_particles, *d_sorted;
    for (int i = 0; i < count; i++) {
        particles[i].x = 0.02f * (i % along + input_unit(130, i) * 0.3f + 0.3f);
        particles[i].y = 0.02f * (i / along % along + input_unit(131, i) * 0.3f + 0.3f);
        particles[i].z = 0.02f * (i / along / along + input_unit(132, i) * 0.3f + 0.3f);
    }
    int *d_counts, *d_starts, *d_places;
    CHECK(cudaMemcpyToSymbol(world, &own, sizeof own));
    CHECK(cudaMalloc(&d_particles, count * sizeof(Particle)));
    CHECK(cudaMalloc(&d_sorted, count * sizeof(Particle)));
    CHECK(cudaMalloc(&d_counts, cells * sizeof(int)));
    CHECK(cudaMalloc(&d_starts, (cells + 1) * sizeof(int)));
    CHECK(cudaMalloc(&d_places, cells * sizeof(int)));
    CHECK(cudaMemcpy(d_particles, particles, count * sizeof(Particle), cudaMemcpyHostToDevice));
    for (int s = 0; s < steps; s++) {
        CHECK(cudaMemset(d_counts, 0, cells * sizeof(int)));
        count_cells<<<blocks, THREADS>>>(d_particles, count, d_counts);
        scan_cells<<<1, SCAN>>>(d_counts, d_starts, d_places, cells);
        sort_particles<<<blocks, THREADS>>>(d_particles, d_sorted, count, d_places);
        std::swap(d_particles, d_sorted);
        find_density<<<blocks, THREADS>>>(d_particles, count, d_starts);
        find_force<<<blocks, THREADS>>>(d_particles, count, d_starts);
        move<<<blocks, THREADS>>>(d_particles, count);
    }
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(particles, d_particles, count * sizeof(Particle), cudaMemcpyDeviceToHost));
    double density = 0, height = 0, energy = 0;
    for (int i = 0; i < count; i++) {
        const Particle *p = &particles[i];
        density += p->density;
        height += p->y;
        energy += p->vx * p->vx + p->vy * p->vy + p->vz * p->vz;
    }
    printf("density %.5e, height %.5e, energy %.5e\n", density, height, energy);
    for (int *p : {d_counts, d_starts, d_places})
        CHECK(cudaFree(p));
    CHECK(cudaFree(d_particles));
    CHECK(cudaFree(d_sorted));
    free(particles);
    return 0;
}
