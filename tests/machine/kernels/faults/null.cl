// A pointer that is null in some lanes.
// buffer: a int 4
// buffer: out int 4
// run: nowhere 4/4
// fault: 9:14 null pointer ... thread 2 of block 0
__kernel void nowhere(__global const int *a, __global int *out) {
    int i = get_global_id(0);
    __global const int *p = i < 2 ? a : 0;
    out[i] = *p;
}
