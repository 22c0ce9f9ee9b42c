// Blocks read what other blocks write: it depends on their order what they see.
// buffer: v int 256 = i
// run: shift 256/8
// mis: 64
// pocl: no order of blocks is right or wrong
__kernel void shift(__global int *v) {
    int i = get_global_id(0);
    v[i] = v[(i + 8) % 256] * 3 + 1;
}
