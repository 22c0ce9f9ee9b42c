/*
 * N-body of the evaluation of the static cost estimate (docs/reproduce-static-cost.md):
 * each thread loads its own position, then runs over all bodies, of which all
 * threads read the same one at a time, and adds to its own velocity at the end.
 *
 * One thread per body. The loop's length is a compile-time constant, as there.
 */
#ifndef BODIES
#define BODIES 262144
#endif

typedef struct body {
    float x, y, z;
    float vx, vy, vz;
} body;

__kernel void nbody(__global body *p, float dt, float softening) {
    int i = get_global_id(0);
    float x = p[i].x;
    float y = p[i].y;
    float z = p[i].z;
    float ax = 0.0f, ay = 0.0f, az = 0.0f;
    for (int j = 0; j < BODIES; j++) {
        float dx = p[j].x - x;
        float dy = p[j].y - y;
        float dz = p[j].z - z;
        float inverse = rsqrt(dx * dx + dy * dy + dz * dz + softening);
        float pull = inverse * inverse * inverse;
        ax += dx * pull;
        ay += dy * pull;
        az += dz * pull;
    }
    p[i].vx += ax * dt;
    p[i].vy += ay * dt;
    p[i].vz += az * dt;
}
