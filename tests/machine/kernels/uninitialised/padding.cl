// A struct is copied with its padding, which nobody writes or reads.
// option: uninitialised
// buffer: out double 8
// run: copy 8/8
// expect: out = i + 0.5
struct pair { char c; double d; };
__kernel void copy(__global double *out) {
    __local struct pair shared[8];
    int i = get_global_id(0);
    struct pair own = {(char)i, 0.5};
    shared[i] = own;
    barrier(CLK_LOCAL_MEM_FENCE);
    struct pair other = shared[7 - i];
    out[7 - i] = other.c + other.d;
}
