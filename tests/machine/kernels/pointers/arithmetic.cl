// Pointers moved forwards and backwards, and how far they are apart.
// buffer: in int 20 = i * i
// buffer: out int 4
// run: walk 4/4
// expect: out = in[4 * i + 3] + in[4 * i + 1] * 10 + 4 * i + 3
__kernel void walk(__global const int *in, __global int *out) {
    int i = get_global_id(0);
    __global const int *p = in + 4 * i;
    p += 3;
    int v = *p;
    v += p[-2] * 10;
    out[i] = v + (int)(p - in);
}
