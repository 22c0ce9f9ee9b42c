// The body runs once before it asks.
// buffer: out int 8
// run: halve 8/8
// expect: out = {1 1 2 2 3 3 3 3}
__kernel void halve(__global int *out) {
    uint i = get_global_id(0), n = i;
    int steps = 0;
    do {
        steps++;
        n /= 2;
    } while (n > 0);
    out[i] = steps;
}
