// Four ways through two levels of ifs; the innermost has lanes of its own.
// buffer: out int 64
// run: nest 64/64
// expect: out = i < 32 ? i % 2 ? i % 4 == 3 ? 111 : 110 : 10 : i % 8 == 0 ? 201 : 200
__kernel void nest(__global int *out) {
    int i = get_global_id(0), v;
    if (i < 32) {
        if (i & 1) {
            v = 110;
            if ((i & 3) == 3)
                v++;
        } else {
            v = 10;
        }
    } else {
        v = 200;
        if (i % 8 == 0)
            v += 1;
    }
    out[i] = v;
}
