/* lavamd.cl in CUDA C: the same boxes, and the same sums in the same order. */
#ifndef EDGE
#define EDGE 10
#endif
#define BOXES (EDGE * EDGE * EDGE)
#define PARTICLES 100
#define NEIGHBOURS 27 /* the box itself among them */

struct particle {
    float rv_v, rv_x, rv_y, rv_z; /* position */
    float charge;
    float fv_v, fv_x, fv_y, fv_z; /* potential and force */
};

/* neighbours[box * NEIGHBOURS + k]: number of the k-th box around it, -1 when
 * that lies outside. One thread per box. */
extern "C" __global__ void find_neighbours(int *neighbours) {
    int box = blockIdx.x * blockDim.x + threadIdx.x;
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

extern "C" __global__ void forces(particle *particles, const int *neighbours, float a2) {
    __shared__ float4 position[PARTICLES];
    __shared__ float charge[PARTICLES];

    int box = blockIdx.x;
    int lane = threadIdx.x;
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
            position[lane] = make_float4(particles[other].rv_x, particles[other].rv_y,
                                         particles[other].rv_z, particles[other].rv_v);
            charge[lane] = particles[other].charge;
        }
        __syncthreads();

        if (works) {
            for (int j = 0; j < PARTICLES; j++) {
                float4 other = position[j];
                float r2 = v + other.w - (x * other.x + y * other.y + z * other.z);
                float potential = expf(-a2 * r2);
                float scale = 2.0f * potential * charge[j];
                fv += charge[j] * potential;
                fx += scale * (x - other.x);
                fy += scale * (y - other.y);
                fz += scale * (z - other.z);
            }
        }
        __syncthreads();
    }

    if (works) {
        particles[own].fv_v = fv;
        particles[own].fv_x = fx;
        particles[own].fv_y = fy;
        particles[own].fv_z = fz;
    }
}
