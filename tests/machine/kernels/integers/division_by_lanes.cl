// Lanes that would divide by zero do not divide; others of the block do.
// buffer: b int 8 = i % 4
// buffer: out int 8
// run: divide 8/8
// expect: out = b[i] ? 60 / max(1, b[i]) : -1
__kernel void divide(__global const int *b, __global int *out) {
    int i = get_global_id(0), d = b[i];
    out[i] = d ? 60 / d : -1;
}
