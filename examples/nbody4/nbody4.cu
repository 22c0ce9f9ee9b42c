/* nbody4.cl in CUDA C: the same bodies, and the same sums in the same order. */
#ifndef SOFTENING
#define SOFTENING 0.01f /* keeps the pull of very close bodies finite */
#endif

struct body {
    float4 position; /* w: the mass */
    float4 velocity; /* w: unused */
};

extern "C" __global__ void advance(const body *now, body *next, int count, float dt) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;

    float4 own = now[i].position;
    float x = 0.0f, y = 0.0f, z = 0.0f; /* the pull */
    for (int j = 0; j < count; j++) {
        float4 other = now[j].position;
        float dx = other.x - own.x, dy = other.y - own.y, dz = other.z - own.z;
        float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + SOFTENING);
        float pull = other.w * inverse * inverse * inverse;
        x += pull * dx;
        y += pull * dy;
        z += pull * dz;
    }

    float4 velocity = now[i].velocity;
    velocity.x += x * dt;
    velocity.y += y * dt;
    velocity.z += z * dt;
    own.x += velocity.x * dt;
    own.y += velocity.y * dt;
    own.z += velocity.z * dt;
    next[i].position = own;
    next[i].velocity = velocity;
}
