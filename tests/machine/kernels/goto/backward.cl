// A loop made of goto.
// buffer: out int 10
// run: jump 10/10
// expect: out = i < 1 ? 1 : i * (i + 1) / 2
__kernel void jump(__global int *out) {
    int i = get_global_id(0), k = i, sum = 0;
again:
    sum += k;
    if (--k > 0)
        goto again;
    out[i] = sum + (i < 1);
}
