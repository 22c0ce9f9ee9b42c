// Lanes skip different trips and break at different ones.
// buffer: out int 16
// run: skip 16/16
// expect: out = sum(q, 0, 20, q % 3 == i % 3 || q > i + 4 ? 0 : q)
__kernel void skip(__global int *out) {
    int i = get_global_id(0), sum = 0;
    for (int k = 0; k < 20; k++) {
        if (k % 3 == i % 3)
            continue;
        if (k > i + 4)
            break;
        sum += k;
    }
    out[i] = sum;
}
