// Every lane takes another case; some take the default.
// buffer: in int 12 = {0 1 2 3 4 5 6 7 -1 99 3 0}
// buffer: out int 12
// run: choose 12/12
// expect: out = {5 11 22 33 44 -1 66 -1 -1 -1 33 5}
__kernel void choose(__global const int *in, __global int *out) {
    int i = get_global_id(0), v;
    switch (in[i]) {
    case 0: v = 5; break;
    case 1: v = 11; break;
    case 2: v = 22; break;
    case 3: v = 33; break;
    case 4: v = 44; break;
    case 6: v = 66; break;
    default: v = -1;
    }
    out[i] = v;
}
