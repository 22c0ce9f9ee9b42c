// flags: -g 1024 --local 128 -n 1024 -a n=1024
// accesses: 8
// layouts: soa
typedef struct particle { float3 pos; float3 vel; int cell; float mass; } particle;
int cell_of(float3 p, float inv) {
    int3 c = convert_int3_rtn(p * inv);
    c = clamp(c, (int3)(0), (int3)(7));
    return c.x + 8 * (c.y + 8 * c.z);
}
__kernel void bin(__global particle *p, __global int *counts, uint n, float inv) {
    uint i = get_global_id(0);
    if (i >= n) return;
    int c = cell_of(p[i].pos, inv);
    p[i].cell = c;
    atomic_inc(&counts[c]);
    p[i].pos += p[i].vel * 0.5f;
    p[i].vel.y -= 9.81f * p[i].mass;
    p[i].vel.xz *= 0.5f;
}
