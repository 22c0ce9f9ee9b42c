// Kernels that compute: functions, double precision, formulas with many terms.
#include <cuda_runtime.h>

__device__ double normal(double x) { return 0.5 * erfc(-x * 0.70710678118654752); }

__global__ void options(const double *price, const double *strike, const double *years,
                        double *call, double *put, double rate, double volatility, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double s = price[i], k = strike[i], t = years[i], root = sqrt(t);
    double d1 = (log(s / k) + (rate + 0.5 * volatility * volatility) * t) / (volatility * root);
    double d2 = d1 - volatility * root, discounted = k * exp(-rate * t);
    call[i] = s * normal(d1) - discounted * normal(d2);
    put[i] = discounted * normal(-d2) - s * normal(-d1);
}

__global__ void distances(const float2 *a, const float2 *b, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float2 p = a[i], q = b[i];
    float s = sinf((q.x - p.x) / 2), t = sinf((q.y - p.y) / 2);
    float h = s * s + cosf(p.x) * cosf(q.x) * t * t;
    out[i] = 2 * 6371.0f * asinf(sqrtf(h));
}

__global__ void mandelbrot(int *out, double x0, double y0, double step, int width, int most) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    double cx = x0 + x * step, cy = y0 + y * step, zx = 0, zy = 0;
    int k = 0;
    while (k < most && zx * zx + zy * zy < 4) {
        double t = zx * zx - zy * zy + cx;
        zy = 2 * zx * zy + cy;
        zx = t;
        k++;
    }
    out[y * width + x] = k;
}

__global__ void estimate_pi(unsigned *hits, unsigned seed, int rounds) {
    unsigned state = seed ^ (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u, in = 0;
    for (int r = 0; r < rounds; r++) {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        float x = state * 2.3283064e-10f;
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        float y = state * 2.3283064e-10f;
        in += x * x + y * y < 1;
    }
    atomicAdd(hits, in);
}

__global__ void euler_flux(const double *rho, const double *mx, const double *my, const double *e,
                           double *flux, double gamma, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n - 1)
        return;
    double r[2], u[2], v[2], p[2], h[2], energy[2];
#pragma unroll
    for (int s = 0; s < 2; s++) {
        r[s] = rho[i + s];
        u[s] = mx[i + s] / r[s];
        v[s] = my[i + s] / r[s];
        energy[s] = e[i + s];
        p[s] = (gamma - 1) * (energy[s] - 0.5 * r[s] * (u[s] * u[s] + v[s] * v[s]));
        h[s] = sqrt(gamma * p[s] / r[s]);
    }
    double speed = fmax(fabs(u[0]) + h[0], fabs(u[1]) + h[1]);
    flux[4 * i] = 0.5 * (r[0] * u[0] + r[1] * u[1] - speed * (r[1] - r[0]));
    flux[4 * i + 1] = 0.5 * (r[0] * u[0] * u[0] + p[0] + r[1] * u[1] * u[1] + p[1] -
                             speed * (r[1] * u[1] - r[0] * u[0]));
    flux[4 * i + 2] = 0.5 * (r[0] * u[0] * v[0] + r[1] * u[1] * v[1] -
                             speed * (r[1] * v[1] - r[0] * v[0]));
    flux[4 * i + 3] = 0.5 * (u[0] * (energy[0] + p[0]) + u[1] * (energy[1] + p[1]) -
                             speed * (energy[1] - energy[0]));
}

__global__ void invert3(const double *in, double *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const double *m = in + 9 * i;
    double c0 = m[4] * m[8] - m[5] * m[7], c1 = m[5] * m[6] - m[3] * m[8];
    double c2 = m[3] * m[7] - m[4] * m[6], d = 1 / (m[0] * c0 + m[1] * c1 + m[2] * c2);
    double *r = out + 9 * i;
    r[0] = c0 * d;
    r[1] = (m[2] * m[7] - m[1] * m[8]) * d;
    r[2] = (m[1] * m[5] - m[2] * m[4]) * d;
    r[3] = c1 * d;
    r[4] = (m[0] * m[8] - m[2] * m[6]) * d;
    r[5] = (m[2] * m[3] - m[0] * m[5]) * d;
    r[6] = c2 * d;
    r[7] = (m[1] * m[6] - m[0] * m[7]) * d;
    r[8] = (m[0] * m[4] - m[1] * m[3]) * d;
}

template <typename T, int TERMS>
__global__ void polynomial(const T *__restrict__ x, const T *__restrict__ factors,
                           T *__restrict__ y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    T sum = factors[TERMS - 1], at = x[i];
#pragma unroll
    for (int k = TERMS - 2; k >= 0; k--)
        sum = sum * at + factors[k];
    y[i] = sum;
}
template __global__ void polynomial<float, 8>(const float *, const float *, float *, int);
template __global__ void polynomial<double, 12>(const double *, const double *, double *, int);

__global__ void butterflies(float2 *data, int stride, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n / 4)
        return;
    int k = t % stride, i = (t / stride) * 4 * stride + k;
    float angle = -1.57079632f * k / stride, c, s;
    __sincosf(angle, &s, &c);
    float2 a = data[i], b = data[i + stride], d = data[i + 2 * stride], e = data[i + 3 * stride];
    float c2 = c * c - s * s, s2 = 2 * c * s, c3 = c2 * c - s2 * s, s3 = c2 * s + s2 * c;
    b = make_float2(b.x * c - b.y * s, b.x * s + b.y * c);
    d = make_float2(d.x * c2 - d.y * s2, d.x * s2 + d.y * c2);
    e = make_float2(e.x * c3 - e.y * s3, e.x * s3 + e.y * c3);
    float2 p = make_float2(a.x + d.x, a.y + d.y), q = make_float2(a.x - d.x, a.y - d.y);
    float2 u = make_float2(b.x + e.x, b.y + e.y), v = make_float2(b.y - e.y, e.x - b.x);
    data[i] = make_float2(p.x + u.x, p.y + u.y);
    data[i + stride] = make_float2(q.x + v.x, q.y + v.y);
    data[i + 2 * stride] = make_float2(p.x - u.x, p.y - u.y);
    data[i + 3 * stride] = make_float2(q.x - v.x, q.y - v.y);
}

__global__ void collide(const float *__restrict__ in, float *__restrict__ out, float omega, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const float weights[9] = {4 / 9.f,  1 / 9.f,  1 / 9.f,  1 / 9.f, 1 / 9.f,
                              1 / 36.f, 1 / 36.f, 1 / 36.f, 1 / 36.f};
    const int cx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, cy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
    float f[9], rho = 0, ux = 0, uy = 0;
#pragma unroll
    for (int k = 0; k < 9; k++) {
        f[k] = in[k * n + i];
        rho += f[k];
        ux += cx[k] * f[k];
        uy += cy[k] * f[k];
    }
    ux /= rho;
    uy /= rho;
    float square = 1.5f * (ux * ux + uy * uy);
#pragma unroll
    for (int k = 0; k < 9; k++) {
        float cu = 3 * (cx[k] * ux + cy[k] * uy);
        float equal = weights[k] * rho * (1 + cu + 0.5f * cu * cu - square);
        out[k * n + i] = f[k] + omega * (equal - f[k]);
    }
}

__global__ void gelu(const float4 *in, float4 *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float4 x = in[i];
    x.x *= 0.5f * (1 + tanhf(0.79788456f * (x.x + 0.044715f * x.x * x.x * x.x)));
    x.y *= 0.5f * (1 + tanhf(0.79788456f * (x.y + 0.044715f * x.y * x.y * x.y)));
    x.z *= 0.5f * (1 + tanhf(0.79788456f * (x.z + 0.044715f * x.z * x.z * x.z)));
    x.w *= 0.5f * (1 + tanhf(0.79788456f * (x.w + 0.044715f * x.w * x.w * x.w)));
    out[i] = x;
}

__global__ void wrap_modulo(const long long *keys, int *slots, long long buckets, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        slots[i] = (int)(keys[i] % buckets);
}

__global__ void intersect(const float4 *spheres, const float *directions, float *depths, int count,
                          int width) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    int i = y * width + x;
    float dx = directions[3 * i], dy = directions[3 * i + 1], dz = directions[3 * i + 2];
    float depth = 1e30f;
    for (int k = 0; k < count; k++) {
        float4 s = spheres[k];
        float b = dx * s.x + dy * s.y + dz * s.z;
        float c = s.x * s.x + s.y * s.y + s.z * s.z - s.w * s.w, d = b * b - c;
        if (d > 0) {
            float t = b - sqrtf(d);
            if (t > 0 && t < depth)
                depth = t;
        }
    }
    depths[i] = depth;
}
