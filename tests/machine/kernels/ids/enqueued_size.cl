// get_enqueued_local_size is the local size: all blocks are full.
// options: -cl-std=CL2.0
// buffer: out int 6
// run: sizes 6/3
// expect: out = 33
__kernel void sizes(__global int *out) {
    out[get_global_id(0)] = get_enqueued_local_size(0) + 10 * get_local_size(0);
}
