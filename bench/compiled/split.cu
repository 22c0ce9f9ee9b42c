// Loops that ask where their counter stands: nvcc makes two loops of some of them, after which lanes are
// in different iterations.
struct body {
    float x, y, z, m, vx, vy, vz, c;
};

#define THREAD int i = blockIdx.x * blockDim.x + threadIdx.x
#define PULL (p[j].x - p[i].x) * p[j].m

__global__ void all_but_one(body *p, float dt, int n) {
    THREAD;
    if (i >= n)
        return;
    float ax = 0, ay = 0, az = 0;
    for (int j = 0; j < n; j++)
        if (i != j) {
            float dx = p[j].x - p[i].x, dy = p[j].y - p[i].y, dz = p[j].z - p[i].z;
            float r = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-6f);
            float s = p[j].m * r * r * r;
            ax += dx * s;
            ay += dy * s;
            az += dz * s;
        }
    p[i].vx += dt * ax;
    p[i].vy += dt * ay;
    p[i].vz += dt * az;
}

__global__ void unguarded(const body *p, float *out, int n) {
    THREAD;
    float a = 0;
    for (int j = 0; j < n; j++)
        if (i != j)
            a += PULL;
    out[i] = a;
}

__global__ void goes_on(const body *p, float *out, int n) {
    THREAD;
    if (i >= n)
        return;
    float a = 0;
    for (unsigned j = 0; j < (unsigned)n; ++j) {
        if (j == (unsigned)i)
            continue;
        float d = p[j].x - p[i].x;
        if (d * d > 0.5f)
            continue;
        a += d * p[j].m;
    }
    out[i] = a;
}

__global__ void nearest(const body *p, int *found, int n) {
    THREAD;
    if (i < n) {
        int best = -1;
        float least = 1e30f;
        for (int j = 0; j < n; j++) {
            if (j == i)
                continue;
            float dx = p[j].x - p[i].x, dy = p[j].y - p[i].y, d = dx * dx + dy * dy;
            if (d < least) {
                least = d;
                best = j;
            }
        }
        found[i] = best;
    }
}

__global__ void upper(const body *p, float *out, int n) {
    THREAD;
    if (i >= n)
        return;
    float a = 0;
    for (int j = 0; j < n; j++)
        if (j > i)
            a += PULL;
    out[i] = a;
}

__global__ void lower(const body *p, float *out, int n) {
    THREAD;
    if (i >= n)
        return;
    float a = 0;
    for (int j = 0; j < n; j++)
        if (j <= i)
            a += PULL;
    out[i] = a;
}

__global__ void two_sides(const body *p, float *out, int n) {
    THREAD;
    if (i >= n)
        return;
    float a = 0;
    for (int j = 0; j < n; j++) {
        a += p[j].z;
        if (j < i)
            a += PULL;
        else
            a -= p[j].y;
    }
    out[i] = a;
}

__global__ void chosen_by_data(const body *p, const int *index, float *out, int n) {
    THREAD;
    if (i >= n)
        return;
    int k = index[i];
    float a = 0;
    for (int j = 0; j < n; j++)
        if (j != k)
            a += p[j].x * p[j].m;
    out[i] = a;
}

__global__ void asks_first(const body *p, float *out, int n) {
    THREAD;
    if (i >= n)
        return;
    float a = 0;
    for (int j = 0; j < n; j++)
        if (i != j && p[j].m > 1)
            a += PULL;
    out[i] = a;
}

__global__ void asks_second(const body *p, float *out, int n) {
    THREAD;
    if (i >= n)
        return;
    float a = 0;
    for (int j = 0; j < n; j++)
        if (p[j].m > 1 && i != j)
            a += PULL;
    out[i] = a;
}

__global__ void asks_twice(const body *p, float *out, int m, int n) {
    THREAD;
    if (i >= n)
        return;
    float a = 0;
    for (int j = 0; j < n; j++)
        if (i != j && m != j)
            a += PULL;
    out[i] = a;
}

__global__ void from_one(const body *p, float *out, int n) {
    THREAD;
    if (i >= n)
        return;
    float a = 0;
    for (int j = 1; j < n; j++)
        if (i != j)
            a += PULL;
    out[i] = a;
}

__global__ void known_bound(const body *p, float *out, int n) {
    THREAD;
    if (i >= n)
        return;
    float a = 0;
    for (int j = 0; j < 128; j++)
        if (i != j)
            a += PULL;
    out[i] = a;
}

__global__ void leaves(const body *p, float *out, int n) {
    THREAD;
    if (i >= n)
        return;
    float a = 0;
    for (int j = 0; j < n; j++) {
        if (i != j)
            a += PULL;
        if (a > 2)
            break;
    }
    out[i] = a;
}

__global__ void in_steps(const body *p, float *out, int steps, int n) {
    THREAD;
    if (i >= n)
        return;
    float a = 0;
    for (int t = 0; t < steps; t++)
        for (int j = 0; j < n; j++)
            if (i != j)
                a += PULL;
    out[i] = a;
}

__global__ void grid_stride(const body *p, float *out, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float a = 0;
        for (int j = 0; j < n; j++)
            if (i != j)
                a += PULL;
        out[i] = a;
    }
}

__global__ void after_a_loop(const body *p, float *out, int m, int n) {
    THREAD;
    if (i >= n)
        return;
    float a = 0;
    for (int j = 0; j < m; j++)
        a += p[j].y;
    for (int j = 0; j < n; j++)
        if (i != j)
            a += PULL;
    out[i] = a;
}

__global__ void with_atomics(body *p, int n) {
    THREAD;
    if (i >= n)
        return;
    for (int j = 0; j < n; j++)
        if (i != j)
            atomicAdd(&p[j].c, 1.0f);
}

__global__ void from_shared(const body *p, float *out, int n) {
    __shared__ float tile[256];
    THREAD;
    tile[threadIdx.x] = p[i].x;
    __syncthreads();
    if (i >= n)
        return;
    float a = 0;
    for (int j = 0; j < (int)blockDim.x; j++)
        if ((int)threadIdx.x != j)
            a += tile[j] * p[j].m;
    out[i] = a;
}

__device__ float between(body a, body b) {
    float d = a.x - b.x, e = a.y - b.y;
    return d * rsqrtf(d * d + e * e + 0.1f) * b.m;
}

__global__ void by_function(const body *p, float *out, int n) {
    THREAD;
    if (i >= n)
        return;
    body me = p[i];
    float a = 0;
    for (int j = 0; j < n; j++) {
        if (j == i)
            continue;
        a += between(me, p[j]);
    }
    out[i] = a;
}
