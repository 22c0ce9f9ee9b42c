typedef struct {
    float x, y, z;
    float vx, vy, vz;
    float mass;
    int cell;
} particle;

__kernel void forces(__global particle *particles, int n, float dt) {
    int i = get_global_id(0);
    if (i >= n)
        return;
    float fx = 0, fy = 0, fz = 0;
    for (int j = 0; j < n; j++) {
        float dx = particles[j].x - particles[i].x;
        float dy = particles[j].y - particles[i].y;
        float dz = particles[j].z - particles[i].z;
        float r2 = dx * dx + dy * dy + dz * dz + 0.05f;
        float w = particles[j].mass / (r2 * sqrt(r2));
        fx += dx * w;
        fy += dy * w;
        fz += dz * w;
    }
    particles[i].vx += dt * fx;
    particles[i].vy += dt * fy;
    particles[i].vz += dt * fz;
}

__kernel void move(__global const particle *from, __global particle *to, int n, float dt) {
    int i = get_global_id(0);
    if (i >= n)
        return;
    particle p = from[i];
    p.x += p.vx * dt;
    p.y += p.vy * dt;
    p.z += p.vz * dt;
    p.cell = (int)floor(4 * p.x) & 15;
    to[i] = p;
}

__kernel void count_cells(int n, __global const particle *particles, __global int *cells) {
    int i = get_global_id(0);
    if (i < n)
        atomic_add(&cells[particles[i].cell], 1);
}
