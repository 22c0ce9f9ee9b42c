// goto jumps over code for some lanes.
// buffer: out int 16
// run: jump 16/8
// expect: out = i % 4 == 0 ? 7 : i * 2 + 7
__kernel void jump(__global int *out) {
    int i = get_global_id(0), v = 0;
    if (i % 4 == 0)
        goto done;
    v = i * 2;
done:
    out[i] = v + 7;
}
