// flags: -g 512 --local 64 -a n=512 -a dt=0.01
// writes: b
// record
typedef struct body {
    float x, y, z, vx, vy, vz, mass, pad;
} body;

__kernel void step(__global body *b, int n, float dt) {
    int i = get_global_id(0);
    if (i >= n)
        return;
    float ax = 0, ay = 0, az = 0;
    for (int j = 0; j < n; j++) {
        float dx = b[j].x - b[i].x, dy = b[j].y - b[i].y, dz = b[j].z - b[i].z;
        float r = rsqrt(dx * dx + dy * dy + dz * dz + 0.01f);
        float s = b[j].mass * r * r * r;
        ax += dx * s;
        ay += dy * s;
        az += dz * s;
    }
    b[i].vx += ax * dt;
    b[i].vy += ay * dt;
    b[i].vz += az * dt;
}
