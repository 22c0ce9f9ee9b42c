// Vectors in a struct: their alignment makes padding.
// buffer: p particle 4
// init: p.mass = i + 1
// init: p.at = 10 * i + k
// init: p.v = 0.5 * k
// run: move 4/2
// expect: p.at = 10 * i + k + 0.5 * k * (i + 1)
// expect: p.v = 0.5 * k
typedef struct particle {
    float mass;
    float4 at;
    float2 v;
} particle;
__kernel void move(__global particle *p) {
    int i = get_global_id(0);
    p[i].at.xy += p[i].v * p[i].mass;
    p[i].at.zw += (float2)(1.0f, 1.5f) * p[i].mass;
}
