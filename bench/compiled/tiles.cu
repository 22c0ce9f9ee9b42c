// Shared memory, functions and templates.
struct body {
    float x, y, z, mass;
};
struct item {
    float key, value;
    int rank;
};
template <typename T> struct pair_of {
    T first, second;
};

constexpr int TILE = 64;

__global__ void tile_vectors(const float4 *p, float4 *out, int n) {
    __shared__ float4 tile[TILE];
    int i = blockIdx.x * TILE + threadIdx.x;
    float4 mine = p[i];
    float4 sum = make_float4(0, 0, 0, 0);
    for (int t = 0; t < n; t += TILE) {
        tile[threadIdx.x] = p[t + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < TILE; k++) {
            float4 other = tile[k];
            float dx = other.x - mine.x, dy = other.y - mine.y, dz = other.z - mine.z;
            float s = other.w / (dx * dx + dy * dy + dz * dz + 0.01f);
            sum.x += dx * s;
            sum.y += dy * s;
            sum.z += dz * s;
        }
        __syncthreads();
    }
    out[i] = sum;
}

__global__ void tile_bodies(const body *p, float *out, int n) {
    __shared__ body tile[TILE];
    int i = blockIdx.x * TILE + threadIdx.x;
    float sum = 0;
    for (int t = 0; t < n; t += TILE) {
        tile[threadIdx.x] = p[t + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < TILE; k++)
            sum += tile[k].mass * (tile[k].x - p[i].x);
        __syncthreads();
    }
    out[i] = sum;
}

__global__ void tile_field(const body *p, float *out, int n) {
    __shared__ float xs[TILE + 2];
    int i = blockIdx.x * TILE + threadIdx.x;
    xs[threadIdx.x + 1] = p[i].x;
    if (threadIdx.x == 0)
        xs[0] = i > 0 ? p[i - 1].x : 0;
    if (threadIdx.x == TILE - 1)
        xs[TILE + 1] = i + 1 < n ? p[i + 1].x : 0;
    __syncthreads();
    out[i] = xs[threadIdx.x] + 2 * xs[threadIdx.x + 1] + xs[threadIdx.x + 2];
}

__global__ void multiply(const float *a, const float *b, float *c, int n) {
    __shared__ float as[8][8], bs[8][8];
    int x = threadIdx.x % 8, y = threadIdx.x / 8;
    int row = blockIdx.x / (n / 8) * 8 + y, column = blockIdx.x % (n / 8) * 8 + x;
    float sum = 0;
    for (int t = 0; t < n; t += 8) {
        as[y][x] = a[row * n + t + x];
        bs[y][x] = b[(t + y) * n + column];
        __syncthreads();
        for (int k = 0; k < 8; k++)
            sum += as[y][k] * bs[k][x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

__global__ void reduce(const body *p, float *sums, int n) {
    __shared__ float part[TILE];
    int i = blockIdx.x * TILE + threadIdx.x;
    part[threadIdx.x] = i < n ? p[i].mass * p[i].x : 0;
    __syncthreads();
    for (int d = TILE / 2; d > 0; d /= 2) {
        if (threadIdx.x < d)
            part[threadIdx.x] += part[threadIdx.x + d];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        sums[blockIdx.x] = part[0];
}

__device__ float length(const body *b) { return sqrtf(b->x * b->x + b->y * b->y + b->z * b->z); }
__device__ __noinline__ void shift(body *b, float by) {
    b->x += by;
    b->z -= by * b->mass;
}
__device__ float weigh(body b) { return b.x * b.mass; }

__global__ void call_inline(const body *p, float *out, int n) {
    int i = blockIdx.x * TILE + threadIdx.x;
    if (i < n)
        out[i] = length(&p[i]) + p[i].x;
}

__global__ void call_apart(body *p, float by, int n) {
    int i = blockIdx.x * TILE + threadIdx.x;
    if (i < n)
        shift(p + i, by);
}

__global__ void call_by_value(const body *p, float *out, int n) {
    int i = blockIdx.x * TILE + threadIdx.x;
    if (i < n)
        out[i] = weigh(p[i]);
}

template <typename T> __global__ void add_pairs(const pair_of<T> *p, T *out, int n) {
    int i = blockIdx.x * TILE + threadIdx.x;
    if (i < n)
        out[i] = p[i].first + p[i].second;
}
template __global__ void add_pairs<float>(const pair_of<float> *, float *, int);
template __global__ void add_pairs<double>(const pair_of<double> *, double *, int);

template <int COUNT> __global__ void powers(const body *p, float *out, int n) {
    int i = blockIdx.x * TILE + threadIdx.x;
    if (i >= n)
        return;
    float product = 1;
    for (int k = 0; k < COUNT; k++)
        product *= p[i].x + p[(i + k) % n].y;
    out[i] = product;
}
template __global__ void powers<5>(const body *, float *, int);

__global__ void insert(item *items, int n) {
    int i = blockIdx.x * TILE + threadIdx.x;
    if (2 * i + 1 >= n)
        return;
    item a = items[2 * i], b = items[2 * i + 1];
    if (a.key > b.key) {
        items[2 * i] = b;
        items[2 * i + 1] = a;
    }
}

__global__ void rank(item *items, int n) {
    int i = blockIdx.x * TILE + threadIdx.x;
    float key = items[i].key;
    int before = 0;
    for (int j = 0; j < n; j++)
        before += items[j].key < key || (items[j].key == key && j < i);
    items[i].rank = before;
}
