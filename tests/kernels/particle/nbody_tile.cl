// flags: -g 256 --local 64 -n 256
// accesses: 7
// rewrites: da
typedef struct { float4 pm; float4 v; float4 acc; } body_t;
__kernel void nb(__global body_t *restrict b, float eps) {
    __local float4 tile[64];
    const uint gid = get_global_id(0), lid = get_local_id(0), n = get_global_size(0);
    float4 me = b[gid].pm, a = (float4)0.0f;
    for (uint t = 0; t < n / get_local_size(0); t++) {
        tile[lid] = b[t * get_local_size(0) + lid].pm;
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll 4
        for (uint j = 0; j < get_local_size(0); j++) {
            float4 d = tile[j] - me;
            d.w = 0;
            float inv = rsqrt(dot(d, d) + eps);
            a += d * (tile[j].w * inv * inv * inv);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    b[gid].acc = a;
    b[gid].v += a * 0.01f;
}
