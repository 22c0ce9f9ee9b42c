// Shifts by lanes' own counts: only the low bits of a count matter, as OpenCL has it.
// buffer: a int 8 = {1 -1 -2147483648 12345 -12345 1 255 7}
// buffer: n int 8 = {0 1 31 5 5 32 35 -1}
// buffer: left int 8
// buffer: right int 8
// buffer: logical uint 8
// buffer: byte uchar 8
// run: shift 8/8
// expect: left = i32(a[i] << (n[i] & 31))
// expect: right = a[i] >> (n[i] & 31)
// expect: logical = u32(a[i]) >> (n[i] & 31)
// expect: byte = u8(a[i]) >> (n[i] & 7)
__kernel void shift(__global const int *a, __global const int *n, __global int *left,
                    __global int *right, __global uint *logical, __global uchar *byte) {
    int i = get_global_id(0);
    left[i] = a[i] << n[i];
    right[i] = a[i] >> n[i];
    logical[i] = (uint)a[i] >> n[i];
    byte[i] = (uchar)a[i] >> (uchar)(n[i] & 7);
}
