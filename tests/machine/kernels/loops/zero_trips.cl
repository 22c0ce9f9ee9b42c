// No lane of the second group enters the loop, and some of the first.
// buffer: count int 8 = {0 2 0 1 0 0 -3 0}
// buffer: out int 8 = 9
// run: none 8/4
// expect: out = count[i] > 0 ? count[i] : 9
// mis: 4
__kernel void none(__global const int *count, __global int *out) {
    int i = get_global_id(0), n = count[i];
    for (int k = 0; k < n; k++)
        out[i] = k + 1;
}
