/*
 * N-body with vectors: gravity between all pairs of bodies, one time step at a time.
 *
 * The same sum as in ../nbody, but a body is two vectors of 16 bytes, and a step is one launch
 * that reads the bodies as they are `now` and writes those of the `next` step.
 *
 * One work-item per body.
 */
#ifndef SOFTENING
#define SOFTENING 0.01f /* keeps the pull of very close bodies finite */
#endif

typedef struct body {
    float4 position; /* w: the mass */
    float4 velocity; /* w: unused */
} body;

__kernel void advance(__global const body *now, __global body *next, int count, float dt) {
    int i = get_global_id(0);
    if (i >= count)
        return;

    float4 own = now[i].position;
    float3 pull = (float3)(0.0f);
    for (int j = 0; j < count; j++) {
        float4 other = now[j].position;
        float3 way = other.xyz - own.xyz;
        float inverse = rsqrt(dot(way, way) + SOFTENING);
        pull += other.w * inverse * inverse * inverse * way;
    }

    float4 velocity = now[i].velocity;
    velocity.xyz += pull * dt;
    own.xyz += velocity.xyz * dt;
    next[i].position = own;
    next[i].velocity = velocity;
}
