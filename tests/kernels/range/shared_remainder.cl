// flags: -g 768 --local 64 -n 8192 -a n=5 -a m=3
// accesses: 4
// layouts: soa
// Remainders and quotients of counters and groups: no affine forms, but the same for all lanes of a
// group, and far from being anywhere.
struct cell {
    float x, y;
};
__kernel void wrap(__global struct cell *cells, __global float *out, const int n, const int m) {
    int group = get_group_id(0), lane = get_local_id(0);
    float sum = 0;
    for (int k = 0; k < 8; k++)
        sum += cells[64 * (group / m) + lane + k % n].x;
    cells[64 * (group / m) + 4096 + lane].y = 1;
    for (int k = 0; k < 8; k++)
        sum += out[1024 + 32 * (k % n) + lane];
    out[get_global_id(0)] = sum;
}
