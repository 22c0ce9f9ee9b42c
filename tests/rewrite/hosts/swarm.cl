// Boids: each steers by the neighbours it sees, and is drawn into a grid of counts.
typedef struct {
    float2 position;
    float2 velocity;
    float energy;
    int flock;
    uchar colour[3];
} Boid;

typedef struct {
    float x, y, strength;
} Wind;

kernel void steer(global const Boid *in, global Boid *out, global const Wind *winds, int count,
                  int windCount, float dt) {
    int i = get_global_id(0);
    if (i >= count)
        return;
    Boid b = in[i];
    float2 push = (float2)(0.0f);
    for (int k = 1; k <= 4; k++) {
        int j = (i + k * 7) % count;
        if (in[j].flock == b.flock)
            push += (in[j].position - b.position) * 0.05f;
    }
    for (int w = 0; w < windCount; w++)
        push += (float2)(winds[w].x, winds[w].y) * winds[w].strength;
    b.velocity += push * dt;
    b.position += b.velocity * dt;
    b.energy -= dot(b.velocity, b.velocity) * dt;
    b.colour[i % 3] += 1;
    out[i] = b;
}

kernel void census(global const Boid *boids, global int *cells, local int *scratch, int count) {
    int i = get_global_id(0), l = get_local_id(0);
    scratch[l] = i < count && boids[i].energy > 0.9f;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) {
        int sum = 0;
        for (int k = 0; k < (int)get_local_size(0); k++)
            sum += scratch[k];
        cells[get_group_id(0)] = sum;
    }
}
