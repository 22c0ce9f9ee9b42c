// A private array at an index that only the lane knows.
// buffer: in int 12 = (i * 7) % 4
// buffer: out int 12
// run: index 12/6
// expect: out = in[i] == 0 ? i : in[i] == 1 ? 2 * i : in[i] == 2 ? i * i : 5
__kernel void index(__global const int *in, __global int *out) {
    int i = get_global_id(0);
    int table[4] = {i, 2 * i, i * i, 5};
    out[i] = table[in[i]];
}
