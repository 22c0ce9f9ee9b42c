// Lanes beyond the count return at once; the last group is not full.
// buffer: out int 10 = -1
// run: fill 16/8 n=10
// expect: out = i * i
// mis: 2
// lanes: 10
__kernel void fill(__global int *out, int n) {
    int i = get_global_id(0);
    if (i >= n)
        return;
    out[i] = i * i;
}
