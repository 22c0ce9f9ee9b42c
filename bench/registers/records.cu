// Kernels over arrays of records and of vectors, as simulations have them.
#include <cuda_runtime.h>

struct particle {
    float4 place; // x, y, z, mass
    float4 velocity;
    int cell, kind, padding[2];
};

struct body {
    double x, y, z, vx, vy, vz, mass;
};

struct box {
    float low[3], high[3];
};

struct spring {
    int a, b;
    float length, stiffness;
};

__global__ void drift(particle *p, float dt, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float4 x = p[i].place, v = p[i].velocity;
    x.x += dt * v.x;
    x.y += dt * v.y;
    x.z += dt * v.z;
    p[i].place = x;
}

__global__ void lennard_jones(const particle *p, const int *starts, const int *neighbours,
                              float4 *forces, float epsilon, float sigma2, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float4 at = p[i].place, f = make_float4(0, 0, 0, 0);
    for (int k = starts[i]; k < starts[i + 1]; k++) {
        float4 other = p[neighbours[k]].place;
        float dx = at.x - other.x, dy = at.y - other.y, dz = at.z - other.z;
        float r2 = dx * dx + dy * dy + dz * dz;
        float s2 = sigma2 / r2, s6 = s2 * s2 * s2;
        float scale = 24 * epsilon * s6 * (2 * s6 - 1) / r2;
        f.x += scale * dx;
        f.y += scale * dy;
        f.z += scale * dz;
        f.w += 4 * epsilon * s6 * (s6 - 1);
    }
    forces[i] = f;
}

__global__ void gravity(body *b, double dt, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double ax = 0, ay = 0, az = 0;
    for (int j = 0; j < n; j++) {
        double dx = b[j].x - b[i].x, dy = b[j].y - b[i].y, dz = b[j].z - b[i].z;
        double inverse = rsqrt(dx * dx + dy * dy + dz * dz + 1e-9);
        double s = b[j].mass * inverse * inverse * inverse;
        ax += s * dx;
        ay += s * dy;
        az += s * dz;
    }
    b[i].vx += dt * ax;
    b[i].vy += dt * ay;
    b[i].vz += dt * az;
}

__global__ void kinetic_energy(const body *b, double *sums, int n) {
    __shared__ double own[256];
    double sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += 0.5 * b[i].mass * (b[i].vx * b[i].vx + b[i].vy * b[i].vy + b[i].vz * b[i].vz);
    own[threadIdx.x] = sum;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s /= 2) {
        if (threadIdx.x < s)
            own[threadIdx.x] += own[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        sums[blockIdx.x] = own[0];
}

__global__ void hit_boxes(const box *boxes, const float *rays, int *hits, int boxes_count, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float origin[3], inverse[3], best = 1e30f;
    int hit = -1;
    for (int d = 0; d < 3; d++) {
        origin[d] = rays[6 * i + d];
        inverse[d] = 1 / rays[6 * i + 3 + d];
    }
    for (int k = 0; k < boxes_count; k++) {
        float near = 0, far = best;
        for (int d = 0; d < 3; d++) {
            float a = (boxes[k].low[d] - origin[d]) * inverse[d];
            float b = (boxes[k].high[d] - origin[d]) * inverse[d];
            near = fmaxf(near, fminf(a, b));
            far = fminf(far, fmaxf(a, b));
        }
        if (near <= far) {
            best = near;
            hit = k;
        }
    }
    hits[i] = hit;
}

__global__ void pull_springs(const spring *springs, const float4 *places, float *forces, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    spring s = springs[i];
    float4 a = places[s.a], b = places[s.b];
    float dx = b.x - a.x, dy = b.y - a.y, dz = b.z - a.z;
    float length = sqrtf(dx * dx + dy * dy + dz * dz);
    float f = s.stiffness * (length - s.length) / length;
    atomicAdd(&forces[3 * s.a], f * dx);
    atomicAdd(&forces[3 * s.a + 1], f * dy);
    atomicAdd(&forces[3 * s.a + 2], f * dz);
    atomicAdd(&forces[3 * s.b], -f * dx);
    atomicAdd(&forces[3 * s.b + 1], -f * dy);
    atomicAdd(&forces[3 * s.b + 2], -f * dz);
}

__global__ void rotate(float4 *quaternions, const float4 *spins, float dt, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float4 q = quaternions[i], w = spins[i];
    float4 r;
    r.x = q.x + 0.5f * dt * (w.x * q.w + w.y * q.z - w.z * q.y);
    r.y = q.y + 0.5f * dt * (w.y * q.w + w.z * q.x - w.x * q.z);
    r.z = q.z + 0.5f * dt * (w.z * q.w + w.x * q.y - w.y * q.x);
    r.w = q.w - 0.5f * dt * (w.x * q.x + w.y * q.y + w.z * q.z);
    float norm = rsqrtf(r.x * r.x + r.y * r.y + r.z * r.z + r.w * r.w);
    quaternions[i] = make_float4(r.x * norm, r.y * norm, r.z * norm, r.w * norm);
}

__global__ void sort_into_cells(const particle *p, int *counts, int *order, float width, int side,
                                int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float4 x = p[i].place;
    int cx = (int)(x.x / width), cy = (int)(x.y / width), cz = (int)(x.z / width);
    int cell = (cz * side + cy) * side + cx;
    order[i] = atomicAdd(&counts[cell], 1);
}

__global__ void nearest_of_four(const float4 *points, const float4 *centres, int *labels, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float4 p = points[i];
    float best = 1e30f;
    int label = 0;
#pragma unroll
    for (int c = 0; c < 4; c++) {
        float4 q = centres[c];
        float dx = p.x - q.x, dy = p.y - q.y, dz = p.z - q.z, dw = p.w - q.w;
        float d = dx * dx + dy * dy + dz * dz + dw * dw;
        if (d < best) {
            best = d;
            label = c;
        }
    }
    labels[i] = label;
}
