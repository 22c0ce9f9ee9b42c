// Operators, static and const methods, and methods that take another element.
// in: Quat=soa; Quat={w}{x,y,z}
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>

#define HD __host__ __device__

class Quat {
public:
    float w, x, y, z;

    HD Quat() : w(1), x(0), y(0), z(0) {}
    HD Quat(float w, float x, float y, float z) : w(w), x(x), y(y), z(z) {}
    HD static Quat identity() { return Quat(); }
    HD static float dot(const Quat &a, const Quat &b) {
        return a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z;
    }
    HD Quat operator+(const Quat &o) const { return Quat(w + o.w, x + o.x, y + o.y, z + o.z); }
    HD Quat operator*(float s) const { return Quat(w * s, x * s, y * s, z * s); }
    HD Quat operator-() const { return Quat(-w, -x, -y, -z); }
    HD bool operator<(const Quat &o) const { return norm2() < o.norm2(); }
    HD float operator[](int i) const { return i == 0 ? w : i == 1 ? x : i == 2 ? y : z; }
    HD float norm2() const { return dot(*this, *this); }
    HD void scale(float s) {
        w *= s, x *= s;
        y *= s;
        z *= s;
    }
    HD Quat &operator*=(float s) {
        scale(s);
        return *this;
    }
    HD void copy_from(const Quat &o) { set(o.w, o.x, o.y, o.z); }
    HD void set(float nw, float nx, float ny, float nz) {
        w = nw;
        x = nx;
        y = ny;
        z = nz;
    }
};

HD inline Quat operator*(float s, const Quat &q) { return q * s; }

__global__ void work(Quat *q, const Quat *r, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    q[i] = q[i] + 2.0f * r[i];
    q[i] *= 0.5f;
    if (r[i] < q[i])
        q[i].copy_from(r[n - 1 - i]);
    Quat neg = -q[i];
    out[i] = Quat::dot(q[i], r[i]) + neg[i % 4] + q[i][1] + Quat::identity().w;
    if (i % 5 == 0)
        q[i] = Quat::identity();
    if (i % 7 == 0)
        q[i] = Quat(1, 2, 3, i);
}

int main() {
    const int n = 96;
    static Quat hq[n], hr[n];
    float ho[n], *out;
    Quat *q, *r;
    for (int i = 0; i < n; i++) {
        hq[i].set(i, 1, 2, 3);
        hr[i] = Quat(2, i % 5, 1, -1);
    }
    cudaMalloc(&q, sizeof(hq));
    cudaMalloc(&r, sizeof(hr));
    cudaMalloc(&out, sizeof(ho));
    cudaMemcpy(q, hq, sizeof(hq), cudaMemcpyHostToDevice);
    cudaMemcpy(r, hr, sizeof(hr), cudaMemcpyHostToDevice);
    work<<<3, 32>>>(q, r, out, n);
    cudaMemcpy(hq, q, sizeof(hq), cudaMemcpyDeviceToHost);
    cudaMemcpy(ho, out, sizeof(ho), cudaMemcpyDeviceToHost);
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += (hq[i].w + hq[i].x - hq[i].y + hq[i].z + ho[i]) * (i + 1);
    printf("%.3f\n", sum);
    cudaFree(q);
    cudaFree(r);
    cudaFree(out);
    return 0;
}
