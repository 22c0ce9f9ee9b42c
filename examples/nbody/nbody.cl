/*
 * N-body: gravity between all pairs of bodies, one time step at a time.
 *
 * `attract` sums the pull of every body on one and changes its velocity;
 * `move` then changes the positions. They are two kernels because every
 * work-item of the first reads all positions, so none may change under it.
 *
 * One work-item per body in both.
 */
#ifndef SOFTENING
#define SOFTENING 0.01f /* keeps the pull of very close bodies finite */
#endif

typedef struct body {
    float x, y, z, mass;
    float vx, vy, vz;
} body;

__kernel void attract(__global body *bodies, int count, float dt) {
    int i = get_global_id(0);
    if (i >= count)
        return;

    float x = bodies[i].x, y = bodies[i].y, z = bodies[i].z;
    float ax = 0.0f, ay = 0.0f, az = 0.0f;
    for (int j = 0; j < count; j++) {
        float dx = bodies[j].x - x;
        float dy = bodies[j].y - y;
        float dz = bodies[j].z - z;
        float inverse = rsqrt(dx * dx + dy * dy + dz * dz + SOFTENING);
        float pull = bodies[j].mass * inverse * inverse * inverse;
        ax += pull * dx;
        ay += pull * dy;
        az += pull * dz;
    }
    bodies[i].vx += ax * dt;
    bodies[i].vy += ay * dt;
    bodies[i].vz += az * dt;
}

__kernel void move(__global body *bodies, int count, float dt) {
    int i = get_global_id(0);
    if (i >= count)
        return;

    bodies[i].x += bodies[i].vx * dt;
    bodies[i].y += bodies[i].vy * dt;
    bodies[i].z += bodies[i].vz * dt;
}
