/* Two kernels with two groups of fields: motion every step, heat now and then. */
typedef struct particle {
    float x, v;
    float heat, loss, mass;
} particle;

__kernel void move(__global particle *particles, float dt) {
    size_t i = get_global_id(0);
    particles[i].x += particles[i].v * dt;
}

__kernel void cool(__global particle *particles, float dt) {
    size_t i = get_global_id(0);
    particles[i].heat -= particles[i].loss * dt / particles[i].mass;
}
