/*
 * LavaMD: potential and force between particles that are no farther apart than
 * a neighbouring box, as in the molecular-dynamics benchmark of that name (part
 * of the Rodinia suite). Space is cut into EDGE x EDGE x EDGE boxes of PARTICLES
 * particles; a particle feels those of its own box and of the up to 26 around it.
 *
 * The v of a position is half its squared length, so that v_a + v_b - a.b is
 * half the squared distance of a and b; the potential is exp(-a2 r2).
 *
 * One work-group per box. Its work-items bring one neighbouring box at a time
 * to local memory, then each adds that box's share for its own particle.
 */
#ifndef EDGE
#define EDGE 10
#endif
#define BOXES (EDGE * EDGE * EDGE)
#define PARTICLES 100
#define NEIGHBOURS 27 /* the box itself among them */

typedef struct particle {
    float rv_v, rv_x, rv_y, rv_z; /* position */
    float charge;
    float fv_v, fv_x, fv_y, fv_z; /* potential and force */
} particle;

/* neighbours[box * NEIGHBOURS + k]: number of the k-th box around it, -1 when
 * that lies outside. One work-item per box. */
__kernel void find_neighbours(__global int *neighbours) {
    int box = get_global_id(0);
    if (box >= BOXES)
        return;

    int x = box % EDGE, y = box / EDGE % EDGE, z = box / (EDGE * EDGE);
    int k = 0;
    for (int dz = -1; dz <= 1; dz++)
        for (int dy = -1; dy <= 1; dy++)
            for (int dx = -1; dx <= 1; dx++) {
                int nx = x + dx, ny = y + dy, nz = z + dz;
                bool inside = nx >= 0 && nx < EDGE && ny >= 0 && ny < EDGE && nz >= 0 && nz < EDGE;
                neighbours[box * NEIGHBOURS + k] = inside ? (nz * EDGE + ny) * EDGE + nx : -1;
                k++;
            }
}

__kernel void forces(__global particle *particles, __global const int *neighbours, float a2) {
    __local float4 position[PARTICLES];
    __local float charge[PARTICLES];

    int box = get_group_id(0);
    int lane = get_local_id(0);
    int own = box * PARTICLES + lane;
    bool works = lane < PARTICLES;

    float v = 0.0f, x = 0.0f, y = 0.0f, z = 0.0f;
    if (works) {
        v = particles[own].rv_v;
        x = particles[own].rv_x;
        y = particles[own].rv_y;
        z = particles[own].rv_z;
    }

    float fv = 0.0f, fx = 0.0f, fy = 0.0f, fz = 0.0f;
    for (int k = 0; k < NEIGHBOURS; k++) {
        int neighbour = neighbours[box * NEIGHBOURS + k];
        if (neighbour < 0)
            continue;

        if (works) {
            int other = neighbour * PARTICLES + lane;
            position[lane] = (float4)(particles[other].rv_x, particles[other].rv_y,
                                      particles[other].rv_z, particles[other].rv_v);
            charge[lane] = particles[other].charge;
        }
        barrier(CLK_LOCAL_MEM_FENCE);

        if (works) {
            for (int j = 0; j < PARTICLES; j++) {
                float4 other = position[j];
                float r2 = v + other.w - (x * other.x + y * other.y + z * other.z);
                float potential = exp(-a2 * r2);
                float scale = 2.0f * potential * charge[j];
                fv += charge[j] * potential;
                fx += scale * (x - other.x);
                fy += scale * (y - other.y);
                fz += scale * (z - other.z);
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    if (works) {
        particles[own].fv_v = fv;
        particles[own].fv_x = fx;
        particles[own].fv_y = fy;
        particles[own].fv_z = fz;
    }
}
