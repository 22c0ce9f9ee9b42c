// Private arrays of many sizes: no lane's reaches into the next one's.
// buffer: out int 64
// run: sizes 64/64 first=0
// expect: out = 100 * i + 49
#define FILL(n)                                                                                    \
    int a##n[n];                                                                                   \
    for (int k = 0; k < n; k++)                                                                    \
        a##n[(k + first) % n] = 100 * i + k;                                                       \
    if (a##n[first] != 100 * i || a##n[(n - 1 + first) % n] != 100 * i + n - 1)                    \
        out[i] = -n;
__kernel void sizes(__global int *out, int first) {
    int i = get_global_id(0);
    {
        FILL(50)
        out[i] = a50[(first + 49) % 50];
    }
}
// run: few 64/64 first=0
__kernel void few(__global int *out, int first) {
    int i = get_global_id(0);
    FILL(5)
}
// run: some 64/64 first=0
__kernel void some(__global int *out, int first) {
    int i = get_global_id(0);
    FILL(19)
}
// run: more 64/64 first=0
__kernel void more(__global int *out, int first) {
    int i = get_global_id(0);
    FILL(25)
}
