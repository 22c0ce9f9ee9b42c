// Some cases return, some go on.
// buffer: out int 12
// run: leave 12/6
// expect: out = i % 3 == 0 ? 1 : i % 3 == 1 ? 2 : 103
__kernel void leave(__global int *out) {
    int i = get_global_id(0);
    switch (i % 3) {
    case 0: out[i] = 1; return;
    case 1: out[i] = 2; break;
    default: out[i] = 3;
    }
    if (i % 3 == 1)
        return;
    out[i] += 100;
}
