// flags: -g 256 --local 64 -n 256
// accesses: 10
// layouts: {position,velocity} da
// A flock: each boid looks at those that a list of neighbours names. Positions and velocities are
// buffers of their own, which are gathered alike.
#define NEAR 8
__kernel void steer(__global const float4 *position, __global const float4 *velocity,
                    __global const int *near, __global float4 *changed, const int n,
                    const float apart) {
    int i = get_global_id(0);
    if (i >= n)
        return;
    float4 middle = 0, along = 0, away = 0, own = position[i];
    for (int k = 0; k < NEAR; k++) {
        int j = near[i * NEAR % n + k % n] % n;
        float4 p = position[j], d = p - own;
        middle += p;
        along += velocity[j];
        if (dot(d, d) < apart)
            away -= d;
    }
    changed[i] = velocity[i] + 0.01f * (middle / NEAR - own) + 0.1f * away + 0.1f * along / NEAR;
}
__kernel void fly(__global float4 *position, __global float4 *velocity, const int n,
                  const float dt) {
    int i = get_global_id(0);
    if (i >= n)
        return;
    velocity[i] = clamp(velocity[i], -1.0f, 1.0f);
    position[i] += dt * velocity[i];
}
