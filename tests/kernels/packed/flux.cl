// flags: -g 256 --local 64 -n 256
// accesses: 15
// layouts: aos aosoa:8 {v[0],v[1],v[2]}{v[3],v[4]}
// Euler fluxes over an unstructured mesh, as codes of fluid dynamics have them: the five variables
// of a cell, its four neighbours and their normals in columns of n numbers.
#define NEIGHBOURS 4
#define DIMENSIONS 3
enum { DENSITY, MOMENTUM, ENERGY = 4, VARIABLES };
static float pressure(float density, float3 momentum, float energy) {
    return 0.4f * (energy - 0.5f * dot(momentum, momentum) / density);
}
__kernel void flux(const int n, __global const int *next, __global const float *normals,
                   __global const float *v, __global float *fluxes) {
    int i = get_global_id(0);
    if (i >= n)
        return;
    float density = v[i + DENSITY * n] + 1, energy = v[i + ENERGY * n] + 2;
    float3 momentum = (float3)(v[i + MOMENTUM * n], v[i + (MOMENTUM + 1) * n],
                               v[i + (MOMENTUM + 2) * n]);
    float p = pressure(density, momentum, energy), sum[VARIABLES] = {0, 0, 0, 0, 0};
    for (int j = 0; j < NEIGHBOURS; j++) {
        int near = next[i + j * n];
        float3 normal = (float3)(normals[i + (j + 0 * NEIGHBOURS) * n],
                                 normals[i + (j + 1 * NEIGHBOURS) * n],
                                 normals[i + (j + 2 * NEIGHBOURS) * n]);
        float near_density = v[near + DENSITY * n] + 1, near_energy = v[near + ENERGY * n] + 2;
        float3 m = (float3)(v[near + MOMENTUM * n], v[near + (MOMENTUM + 1) * n],
                            v[near + (MOMENTUM + 2) * n]);
        float q = pressure(near_density, m, near_energy);
        float through = dot(m, normal) / near_density, before = dot(momentum, normal) / density;
        sum[DENSITY] += 0.5f * (near_density * through + density * before);
        sum[MOMENTUM] += 0.5f * (m.x * through + momentum.x * before + (p + q) * normal.x);
        sum[MOMENTUM + 1] += 0.5f * (m.y * through + momentum.y * before + (p + q) * normal.y);
        sum[MOMENTUM + 2] += 0.5f * (m.z * through + momentum.z * before + (p + q) * normal.z);
        sum[ENERGY] += 0.5f * ((near_energy + q) * through + (energy + p) * before);
    }
    for (int k = 0; k < VARIABLES; k++)
        fluxes[i + k * n] = sum[k];
}
