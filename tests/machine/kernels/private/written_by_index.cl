// A private histogram of each lane's own data.
// buffer: in int 64 = (i * i + i / 8) % 5
// buffer: out int 40
// run: histogram 8/8
// expect: out = sum(q, 0, 8, in[8 * (i / 5) + q] == i % 5)
__kernel void histogram(__global const int *in, __global int *out) {
    int i = get_global_id(0), count[5] = {0};
    for (int k = 0; k < 8; k++)
        count[in[8 * i + k]]++;
    for (int k = 0; k < 5; k++)
        out[5 * i + k] = count[k];
}
