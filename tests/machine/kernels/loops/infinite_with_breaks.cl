// for (;;) that only breaks end, one of them for each half of the lanes.
// buffer: out int 16
// run: until 16/16
// expect: out = i < 8 ? 3 * i : 100 + i
__kernel void until(__global int *out) {
    int i = get_global_id(0), v = 0;
    for (;;) {
        if (i < 8) {
            if (v == 3 * i)
                break;
            v++;
        } else {
            v += i;
            if (v > 50)
                break;
        }
    }
    out[i] = i < 8 ? v : 100 + i;
}
