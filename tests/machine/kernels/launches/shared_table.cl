// File-scope constants are shared by two kernels of one file.
// buffer: out int 8
// run: first 4/4
// run: second 4/4
// expect: out = i < 4 ? (i + 1) * (i + 1) : -((i - 3) * (i - 3))
__constant int squares[4] = {1, 4, 9, 16};
__kernel void first(__global int *out) { out[get_global_id(0)] = squares[get_global_id(0)]; }
__kernel void second(__global int *out) {
    out[4 + get_global_id(0)] = -squares[get_global_id(0)];
}
