// Shifts of 64 bits by more than 31.
// buffer: in long 4 = {1 -1 0x123456789abcdef -5}
// buffer: left long 4
// buffer: right long 4
// buffer: logical ulong 4
// run: shift 4/4
// expect: left = in[i] << 33 + i
// expect: right = in[i] >> 40 - i
// expect: logical = ushr(in[i], 36)
__kernel void shift(__global const long *in, __global long *left, __global long *right,
                    __global ulong *logical) {
    int i = get_global_id(0);
    left[i] = in[i] << (33 + i);
    right[i] = in[i] >> (40 - i);
    logical[i] = (ulong)in[i] >> 36;
}
