// Two thousand blocks.
// buffer: out int 8000
// run: fill 8000/4
// expect: out = i / 4 * 10 + i % 4
// mis: 2000
__kernel void fill(__global int *out) {
    out[get_global_id(0)] = get_group_id(0) * 10 + get_local_id(0);
}
