// The dimension is known at run time only, and differs by lane.
// buffer: out int 24
// run: asked 4x3x2/2x3x1
// expect: out = i % 3 == 0 ? i % 4 : i % 3 == 1 ? i / 4 % 3 + 100 : i / 12 + 200
__kernel void asked(__global int *out) {
    int at = (get_global_id(2) * 3 + get_global_id(1)) * 4 + get_global_id(0);
    uint d = at % 3;
    out[at] = get_global_id(d) + 100 * d;
}
