// Operators that the file has for whole vectors: those that change one, and those that take them.
//: laid out k 64 with pos vel: soa da {pos}{vel,n}
struct body {
    float4 pos, vel;
    int n;
};
__device__ float4 operator*(float4 a, float b) {
    return make_float4(a.x * b, a.y * b, a.z * b, a.w * b);
}
__device__ float4 operator+(const float4 &a, const float4 &b) {
    return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}
__device__ void operator+=(float4 &a, float4 b) { a = a + b; }
__device__ float4 &operator*=(float4 &a, float b) { return a = a * b; }
__device__ float dot(const float4 &a, const float4 &b) { return a.x * b.x + a.y * b.y; }
__global__ void k(body *p, float dt) {
    int i = threadIdx.x;
    p[i].pos += p[i].vel * dt;
    p[i].vel *= 0.5f;
    p[i].n += (int)dot(p[i].pos, p[i].pos + p[i].vel);
}
