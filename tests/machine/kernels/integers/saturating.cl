// add_sat and sub_sat stop at the ends of their type.
// buffer: a int 6 = {2147483647 -2147483648 100 -100 127 -128}
// buffer: b int 6 = {1 -1 100 -100 1 1}
// buffer: sum int 6
// buffer: difference int 6
// buffer: bytes char 6
// buffer: ubytes uchar 6
// run: stop 6/6
// expect: sum = max(-2147483648, min(2147483647, a[i] + b[i]))
// expect: difference = max(-2147483648, min(2147483647, a[i] - b[i]))
// expect: bytes = max(-128, min(127, i8(a[i]) + i8(b[i])))
// expect: ubytes = max(0, u8(a[i]) - u8(b[i]))
__kernel void stop(__global const int *a, __global const int *b, __global int *sum,
                   __global int *difference, __global char *bytes, __global uchar *ubytes) {
    int i = get_global_id(0);
    sum[i] = add_sat(a[i], b[i]);
    difference[i] = sub_sat(a[i], b[i]);
    bytes[i] = add_sat((char)a[i], (char)b[i]);
    ubytes[i] = sub_sat((uchar)a[i], (uchar)b[i]);
}
