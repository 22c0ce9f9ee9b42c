// Narrow values widen with their own sign, whatever they are assigned to.
// buffer: in uchar 6 = {0 1 127 128 200 255}
// buffer: a int 6
// buffer: b uint 6
// buffer: c long 6
// run: widen 6/6
// expect: a = i8(in[i])
// expect: b = u32(i8(in[i]))
// expect: c = u32(i8(in[i])) + in[i]
__kernel void widen(__global const uchar *in, __global int *a, __global uint *b,
                    __global long *c) {
    int i = get_global_id(0);
    char v = in[i];
    a[i] = v;
    b[i] = v;
    c[i] = (uint)v + (long)in[i];
}
