/* nbody.cl in CUDA C: the same bodies, and the same sums in the same order. */
#ifndef SOFTENING
#define SOFTENING 0.01f /* keeps the pull of very close bodies finite */
#endif

struct body {
    float x, y, z, mass;
    float vx, vy, vz;
};

extern "C" __global__ void attract(body *bodies, int count, float dt) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;

    float x = bodies[i].x, y = bodies[i].y, z = bodies[i].z;
    float ax = 0.0f, ay = 0.0f, az = 0.0f;
    for (int j = 0; j < count; j++) {
        float dx = bodies[j].x - x;
        float dy = bodies[j].y - y;
        float dz = bodies[j].z - z;
        float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + SOFTENING);
        float pull = bodies[j].mass * inverse * inverse * inverse;
        ax += pull * dx;
        ay += pull * dy;
        az += pull * dz;
    }
    bodies[i].vx += ax * dt;
    bodies[i].vy += ay * dt;
    bodies[i].vz += az * dt;
}

extern "C" __global__ void move(body *bodies, int count, float dt) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;

    bodies[i].x += bodies[i].vx * dt;
    bodies[i].y += bodies[i].vy * dt;
    bodies[i].z += bodies[i].vz * dt;
}
