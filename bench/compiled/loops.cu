// Loops, branches and indices: what is hoisted, unrolled, loaded once or in both arms.
struct particle {
    float x, y, z, mass;
    float vx, vy, vz;
    int kind;
};

__global__ void hoisted(const particle *p, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float sum = 0;
    for (int k = 0; k < 16; k++)
        sum += p[i].x * k;
    out[i] = sum;
}

__global__ void hoisted_past_stores(const particle *p, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < 16; k++)
        out[i * 16 + k] = p[i].x * k;
}

__global__ void hoisted_restrict(const particle *__restrict__ p, float *__restrict__ out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < 16; k++)
        out[i * 16 + k] = p[i].x * k;
}

__global__ void one_of_all(const particle *p, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int j = 0; j < n; j++)
        sum += p[0].y * p[j].z;
    out[i] = sum;
}

__global__ void attract(particle *p, float dt, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float ax = 0, ay = 0, az = 0;
    for (int j = 0; j < n; j++)
        if (i != j) {
            float dx = p[j].x - p[i].x, dy = p[j].y - p[i].y, dz = p[j].z - p[i].z;
            float square = dx * dx + dy * dy + dz * dz + 0.01f;
            float s = p[j].mass / square;
            ax += dx * s;
            ay += dy * s;
            az += dz * s;
        }
    p[i].vx += dt * ax;
    p[i].vy += dt * ay;
    p[i].vz += dt * az;
}

__global__ void move(particle *p, float dt, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    p[i].x += dt * p[i].vx;
    p[i].y += dt * p[i].vy;
    p[i].z += dt * p[i].vz;
}

__global__ void neighbours(const particle *p, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float v = p[i].x;
    if (i > 0)
        v += p[i - 1].x * 0.5f;
    if (i < n - 1)
        v += p[i + 1].x * 0.5f;
    out[i] = v;
}

__global__ void both_arms(const particle *p, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    if (i % 3)
        out[i] = p[i].x + p[i].y;
    else
        out[i] = p[i].x - p[i].z;
}

__global__ void same_in_arms(const particle *p, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float v;
    if (p[i].kind > 3)
        v = p[i].mass * 2;
    else
        v = p[i].mass + 1;
    out[i] = v;
}

__global__ void by_kind(const particle *p, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float v = 0;
    switch (p[i].kind) {
    case 0: v = p[i].x; break;
    case 1: v = p[i].y * 2; break;
    case 2: v = p[i].z * 3; break;
    case 5: v = p[i].vx + p[i].vy; break;
    default: v = p[i].mass;
    }
    out[i] = v;
}

__global__ void unrolled(const particle *p, float *out, int n) {
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 4; k++)
        if (i + k < n)
            sum += p[i + k].x * p[i + k].mass;
    out[i / 4] = sum;
}

__global__ void unrolled_floats(const float *a, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 8; k++)
        sum += a[i * 8 + k];
    out[i] = sum;
}

__global__ void first_heavy(const particle *p, int *found, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int at = -1;
    for (int j = 0; j < 64; j++)
        if (p[(i + j) % n].mass > 1.4f) {
            at = j;
            break;
        }
    found[i] = at;
}

__global__ void early(const particle *p, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    if (p[i].kind == 3)
        return;
    float v = p[i].x;
    if (v < 0)
        return;
    out[i] = v + p[i].y + p[i].z;
}

__global__ void gather(const particle *p, const int *index, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = p[index[i]].x + p[index[i]].vz;
}

__global__ void scatter(particle *p, const int *index, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        p[index[i]].vx = in[i];
        p[index[i]].vy = in[i] * 2;
    }
}

__global__ void strided(const particle *p, float *sums, int n) {
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += p[i].x * p[i].x + p[i].mass;
    sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__global__ void long_indices(const particle *p, float *out, long long n) {
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = p[n - 1 - i].y + p[i].y;
}

__global__ void several_fields(particle *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    p[i].x = p[i].x * 2 + p[i].vx;
    p[i].y = p[i].y * 2 + p[i].x;
    p[i].mass = p[i].mass + p[i].y;
    p[i].kind = p[i].kind + 1;
}

__global__ void columns(const float *__restrict__ x, const float *__restrict__ y, const float *__restrict__ z,
                        float *__restrict__ out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int j = 0; j < n; j++)
        sum += (x[i] - x[j]) * y[j] + z[i];
    out[i] = sum;
}

__global__ void count_kinds(particle *p, int *counts, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    atomicAdd(&counts[p[i].kind & 7], 1);
    atomicAdd(&p[i / 4].kind, 1);
}

__global__ void while_loop(const particle *p, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int at = i, steps = 0;
    while (steps < 10 && p[at].kind != 6) {
        at = (at * 5 + p[at].kind) % n;
        steps++;
    }
    out[i] = p[at].x + steps;
}
