// A loop that lanes enter at two places: no block of it dominates the others.
// buffer: out int 16
// run: two_doors 16/16
// expect: out = 11 * (i / 2) + (i % 2 ? 10 : 0)
__kernel void two_doors(__global int *out) {
    int i = get_global_id(0), n = i / 2, v = 0;
    if (i % 2)
        goto second;
first:
    if (n == 0)
        goto done;
    n--;
    v += 1;
second:
    v += 10;
    goto first;
done:
    out[i] = v;
}
