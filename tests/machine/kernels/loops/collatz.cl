// A while loop whose trips follow from data.
// buffer: out int 10
// run: collatz 10/5
// expect: out = {0 0 1 7 2 5 8 16 3 19}
__kernel void collatz(__global int *out) {
    int i = get_global_id(0), n = i, steps = 0;
    while (n > 1) {
        n = n % 2 ? 3 * n + 1 : n / 2;
        steps++;
    }
    out[i] = steps;
}
