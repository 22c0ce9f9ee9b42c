struct tracer {
    double mass;
    float pos[3];
    float vel[3];
    int cell;
};

kernel void advect(global struct tracer *tracers, global const float *field, uint count, float dt,
                   int cells) {
    uint i = get_global_id(0);
    if (i >= count)
        return;
    for (int k = 0; k < 3; k++) {
        tracers[i].vel[k] += field[(tracers[i].cell + k) % cells] * dt;
        tracers[i].pos[k] += tracers[i].vel[k] * dt;
    }
    tracers[i].cell = (int)(tracers[i].pos[0] * 10) % cells;
    if (tracers[i].cell < 0)
        tracers[i].cell += cells;
}

kernel void deposit(global const struct tracer *tracers, global int *grid, uint count) {
    uint i = get_global_id(0);
    if (i < count)
        atomic_add(&grid[tracers[i].cell], (int)(tracers[i].mass * 100));
}

kernel void merge(global struct tracer *all, global const struct tracer *more, uint count) {
    uint i = get_global_id(0);
    if (i < count) {
        all[i].mass += more[i].mass;
        all[i].cell = more[i].cell;
    }
}
