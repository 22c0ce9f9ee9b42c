// flags: -g 256 --local 64 -n 256
// accesses: 8
// layouts: soa {boid[0],boid[1],boid[2]}{boid[3],boid[4],boid[5]}:8
// The same flock, six numbers of a boid by hand.
#define NEAR 8
__kernel void steer(__global const float *boid, __global const int *near, __global float *changed,
                    const int n) {
    int i = get_global_id(0);
    if (i >= n)
        return;
    float middle[3] = {0, 0, 0}, along[3] = {0, 0, 0};
    for (int k = 0; k < NEAR; k++) {
        const int j = near[(i + k) % n] % n;
        for (int d = 0; d < 3; d++) {
            middle[d] += boid[6 * j + d];
            along[d] += boid[6 * j + 3 + d];
        }
    }
    for (int d = 0; d < 3; d++) {
        changed[i * 6 + d] = boid[i * 6 + d] + boid[i * 6 + d + 3];
        changed[i * 6 + 3 + d] = 0.1f * along[d] + 0.01f * (middle[d] / NEAR - boid[6 * i + d]);
    }
}
