// Records that a compiler may read in one piece: aligned ones, and ones with vectors in them.
struct alignas(16) point {
    float x, y, z, m;
};
struct alignas(8) pairs {
    float a, b;
    int c, d;
};
struct body {
    float4 pos;
    float2 drift;
    float2 spin;
};
struct plain {
    float x, y, z, m;
};
struct alignas(16) longer {
    double at;
    int id, next;
    float w[4];
};

__global__ void whole_point(const point *p, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        point q = p[i];
        out[i] = q.x + q.y * q.z - q.m;
    }
}

__global__ void two_of_point(const point *p, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = p[i].y + p[i].m;
}

__global__ void copy_point(const point *p, point *q, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        q[i] = p[i];
}

__global__ void update_point(point *p, float dt, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    p[i].x += dt * p[i].m;
    p[i].y += dt * p[i].m;
    p[i].z += dt * p[i].m;
}

__global__ void read_pairs(const pairs *p, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = p[i].a * p[i].c + p[i].b * p[i].d;
}

__global__ void write_pairs(pairs *p, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float v = in[i];
        p[i].a = v;
        p[i].b = v + 1;
        p[i].c = (int)v;
        p[i].d = i;
    }
}

__global__ void read_body(const body *p, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        body b = p[i];
        out[i] = b.pos.x + b.pos.w + b.drift.x * b.spin.y;
    }
}

__global__ void move_body(body *p, float dt, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    p[i].pos.x += dt * p[i].drift.x;
    p[i].pos.y += dt * p[i].drift.y;
    p[i].spin.x *= 0.5f;
}

__global__ void whole_plain(const plain *p, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        plain q = p[i];
        out[i] = q.x + q.y * q.z - q.m;
    }
}

__global__ void copy_plain(const plain *p, plain *q, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        q[i] = p[i];
}

__global__ void sum_longer(const longer *p, double *sums, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double sum = p[i].at + p[i].id;
    for (int k = 0; k < 4; k++)
        sum += p[i].w[k];
    sums[i] = sum;
}

__global__ void vectors(const int2 *a, const double2 *b, const float4 *c, float *out, double *sums, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    out[i] = a[i].x * c[i].y + a[i].y * c[i].w;
    sums[i] = b[i].x - b[i].y;
}
