// Blocks with as many threads and other sizes: ids of threads are those of each launch.
// options: -cl-std=CL2.0
// pocl: 3.1 has no functions of work-groups
// buffer: wide int 32
// buffer: high int 32
// run: third 8x4/8x4 out=wide
// run: third 4x8/4x8 out=high
// expect: wide = 17
// expect: high = 9
__kernel void third(__global int *out) {
    int l = (int)get_local_linear_id();
    out[get_global_linear_id()] = work_group_broadcast(l, 1, 2);
}
