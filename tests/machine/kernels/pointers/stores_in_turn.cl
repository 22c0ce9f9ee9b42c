// Two stores through one address, and between them one through another that may be the same.
// buffer: out int 192
// run: turns 64/64
// expect: out = i % 3 == i / 3 % 3 ? 2 : i % 3 == 0 ? 1 : 0
__kernel void turns(__global int *out) {
    int i = get_global_id(0), k = i % 3;
    __global int *own = out + i * 3;
    own[k] = 0;
    own[0] = 1;
    own[k] = 2;
}
