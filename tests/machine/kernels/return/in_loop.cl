// Lanes return from inside a loop, each at another trip.
// buffer: out int 16 = -1
// run: leave 16/16
// expect: out = i % 4 == 3 ? -1 : 10 * (i % 4)
__kernel void leave(__global int *out) {
    int i = get_global_id(0);
    for (int k = 0; k < 3; k++) {
        if (k == i % 4) {
            out[i] = 10 * k;
            return;
        }
    }
    if (i > 100)
        out[i] = 5;
}
