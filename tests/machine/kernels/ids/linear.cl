// Linear ids count through all dimensions, without the offset.
// options: -cl-std=CL2.0
// buffer: out int 24
// run: linear 4x3x2/2x3x2 offset=1x0x1
// expect: out = i + 1000 * (i % 4 % 2 + 2 * (i / 4 % 3) + 6 * (i / 12))
__kernel void linear(__global int *out) {
    int x = get_global_id(0) - 1, y = get_global_id(1), z = get_global_id(2) - 1;
    out[(z * 3 + y) * 4 + x] = get_global_linear_id() + 1000 * get_local_linear_id();
}
