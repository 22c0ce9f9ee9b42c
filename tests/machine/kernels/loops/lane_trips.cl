// Every lane leaves the loop at another trip; lane 0 does none.
// buffer: out int 24
// run: trips 24/8
// expect: out = sum(q, 0, i, q * q + i)
__kernel void trips(__global int *out) {
    int i = get_global_id(0), sum = 0;
    for (int k = 0; k < i; k++)
        sum += k * k + i;
    out[i] = sum;
}
