/*
 * A finite volume solver for the Euler equations of gas dynamics on an unstructured mesh, of the
 * first order, with Rusanov's flux: each cell gathers over its neighbours. The mesh is a list of
 * neighbours in compressed rows, with the area and the normal of the face to each.
 *
 *     impulse   state at rest, denser in the middle of the numbers
 *     limits    the longest time step that a cell allows
 *     residual  sum of the fluxes through its faces
 *     advance   one step of Runge and Kutta's
 */
#include <math.h>

struct vec3 {
    float x, y, z;
};

struct cell_t {
    float density;
    vec3 momentum;
    float energy;
    float step; /* of time, over the volume */
    float r_density;
    vec3 r_momentum;
    float r_energy;
    int kind; /* BOUNDARY: gas flows in and out, too; WALL: it is reflected */
};

struct face_t {
    vec3 normal; /* of the length of the face's area */
    int neighbour;
};

struct gas_t {
    float gamma, cfl;
    int cells;
};

enum { BOUNDARY = 0, WALL = 1 };

/* Far away. */
__constant__ float far_density = 1.2f;
__constant__ float far_speed = 0.3f;
__constant__ float far_energy = 2.6f;

__device__ static inline float dot(const vec3 &a, const vec3 &b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

__device__ static inline float pressure_of(const gas_t &gas, float density, const vec3 &momentum,
                                           float energy) {
    return (gas.gamma - 1.0f) * (energy - 0.5f * dot(momentum, momentum) / density);
}

__device__ static inline float sound_speed(const gas_t &gas, float density, float pressure) {
    return sqrtf(gas.gamma * fmaxf(pressure, 0.0f) / density);
}

extern "C" __global__ void impulse(cell_t *__restrict__ cells, gas_t gas) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= gas.cells)
        return;
    bool inside = i > gas.cells / 3 && i < gas.cells / 2;
    cells[i].density = inside ? 2.0f : far_density;
    cells[i].momentum.x = far_density * far_speed;
    cells[i].momentum.y = 0.0f;
    cells[i].momentum.z = 0.0f;
    cells[i].energy = inside ? 5.0f : far_energy;
}

extern "C" __global__ void limits(cell_t *__restrict__ cells, const float *__restrict__ volumes,
                                  gas_t gas) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= gas.cells)
        return;
    float density = cells[i].density;
    vec3 momentum = cells[i].momentum;
    float pressure = pressure_of(gas, density, momentum, cells[i].energy);
    float speed = sqrtf(dot(momentum, momentum)) / density;
    float sound = sound_speed(gas, density, pressure);
    cells[i].step = gas.cfl / (cbrtf(volumes[i]) * (speed + sound));
}

extern "C" __global__ void residual(cell_t *__restrict__ cells, const int *__restrict__ first,
                                    const face_t *__restrict__ faces, gas_t gas) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= gas.cells)
        return;

    float density = cells[i].density;
    vec3 momentum = cells[i].momentum;
    float energy = cells[i].energy;
    float pressure = pressure_of(gas, density, momentum, energy);
    float sound = sound_speed(gas, density, pressure);

    float r_density = 0.0f, r_energy = 0.0f;
    vec3 r_momentum = {0.0f, 0.0f, 0.0f};
    for (int f = first[i]; f < first[i + 1]; f++) {
        const vec3 normal = faces[f].normal;
        int j = faces[f].neighbour;
        float area = sqrtf(dot(normal, normal));

        float density_j = cells[j].density;
        vec3 momentum_j = cells[j].momentum;
        float energy_j = cells[j].energy;
        float pressure_j = pressure_of(gas, density_j, momentum_j, energy_j);
        float sound_j = sound_speed(gas, density_j, pressure_j);

        float through = dot(momentum, normal) / density;
        float through_j = dot(momentum_j, normal) / density_j;
        float fastest = fmaxf(fabsf(through) + area * sound, fabsf(through_j) + area * sound_j);

        r_density += 0.5f * (density * through + density_j * through_j) -
                     0.5f * fastest * (density_j - density);
        r_momentum.x += 0.5f * (momentum.x * through + momentum_j.x * through_j +
                                (pressure + pressure_j) * normal.x) -
                        0.5f * fastest * (momentum_j.x - momentum.x);
        r_momentum.y += 0.5f * (momentum.y * through + momentum_j.y * through_j +
                                (pressure + pressure_j) * normal.y) -
                        0.5f * fastest * (momentum_j.y - momentum.y);
        r_momentum.z += 0.5f * (momentum.z * through + momentum_j.z * through_j +
                                (pressure + pressure_j) * normal.z) -
                        0.5f * fastest * (momentum_j.z - momentum.z);
        r_energy += 0.5f * ((energy + pressure) * through + (energy_j + pressure_j) * through_j) -
                    0.5f * fastest * (energy_j - energy);
    }

    if (cells[i].kind == BOUNDARY) {
        r_density += far_speed * (density - far_density);
        r_energy += far_speed * (energy - far_energy);
    } else if (cells[i].kind == WALL) {
        r_momentum.z += pressure;
    }
    cells[i].r_density = r_density;
    cells[i].r_momentum = r_momentum;
    cells[i].r_energy = r_energy;
}

extern "C" __global__ void advance(cell_t *__restrict__ cells, float share, gas_t gas) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= gas.cells)
        return;
    cell_t &c = cells[i];
    float factor = share * c.step;
    c.density -= factor * c.r_density;
    c.momentum.x -= factor * c.r_momentum.x;
    c.momentum.y -= factor * c.r_momentum.y;
    c.momentum.z -= factor * c.r_momentum.z;
    c.energy -= factor * c.r_energy;
}
