// Local arguments whose sum wraps around.
// buffer: p int 1
// run: sum 1/1 a=local:9223372036854775808 b=local:9223372036854775808
// fault: * needs 18446744073709551615 bytes of local memory
__kernel void sum(__local int *a, __local int *b, __global int *p) {
    a[0] = p[0];
    b[0] = a[0];
}
