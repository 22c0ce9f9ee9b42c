// Operators of vectors, as samples' headers have them; vectors of three are structs of 12 bytes.
//: headers both
//: run k 3: 11 22 33
//: accesses step: load v.x 4, load v.y 4, load v.z 4, load p.x 4, store p.x 4, load p.y 4, store p.y 4, load p.z 4, store p.z 4
inline __host__ __device__ float3 operator+(float3 a, float3 b) {
    return make_float3(a.x + b.x, a.y + b.y, a.z + b.z);
}
inline __host__ __device__ float3 operator*(float s, float3 a) {
    return make_float3(s * a.x, s * a.y, s * a.z);
}
inline __host__ __device__ void operator+=(float3 &a, float3 b) {
    a.x += b.x;
    a.y += b.y;
    a.z += b.z;
}
inline __host__ __device__ float dot(float4 a, float4 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}
__global__ void k(float *o) {
    float3 sum = make_float3(1, 2, 3) + 2.0f * make_float3(5, 10, 15);
    float parts[] = {sum.x, sum.y, sum.z};
    o[threadIdx.x] = parts[threadIdx.x] + 0 * dot(make_float4(1, 2, 3, 4), float4{1, 1, 1, 1});
}
__global__ void step(float3 *p, const float3 *v, float dt) { p[threadIdx.x] += dt * v[threadIdx.x]; }
