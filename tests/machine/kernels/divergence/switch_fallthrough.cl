// Cases run into each other: lanes join others on the way.
// buffer: out int 16
// run: fall 16/16
// expect: out = (i % 5 < 1 ? 1 : 0) + (i % 5 < 2 ? 10 : 0) + (i % 5 < 3 ? 100 : 0) + (i % 5 == 4 ? 5000 : 0) + (i % 5 == 3 ? 7 : 0)
__kernel void fall(__global int *out) {
    int i = get_global_id(0), v = 0;
    switch (i % 5) {
    case 0: v += 1;
    case 1: v += 10;
    case 2: v += 100; break;
    case 3: v = 7; break;
    default: v += 5000;
    }
    out[i] = v;
}
