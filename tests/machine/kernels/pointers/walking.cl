// A pointer that is moved in a loop until it meets another.
// buffer: in int 32 = i % 7
// buffer: out int 4
// run: walk 4/2
// expect: out = sum(q, 8 * i, 8 * i + 8, in[q])
__kernel void walk(__global const int *in, __global int *out) {
    int i = get_global_id(0), sum = 0;
    __global const int *end = in + 8 * i + 8;
    for (__global const int *p = end - 8; p != end; p++)
        sum += *p;
    out[i] = sum;
}
