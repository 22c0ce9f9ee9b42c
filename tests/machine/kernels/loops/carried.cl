// Values that change places from trip to trip: all are taken before any is set. After i
// trips a is Fibonacci's number i, and x and y have changed places i times.
// buffer: out int 20
// run: carried 20/20
// init: out = {0 1 1 2 3 5 8 13 21 34 55 89 144 233 377 610 987 1597 2584 4181}
// expect: out = 100 * out[i] + (i % 2 ? 21 : 12)
__kernel void carried(__global int *out) {
    int i = get_global_id(0), a = 0, b = 1, x = 1, y = 2;
    for (int k = 0; k < i; k++) {
        int t = x;
        x = y;
        y = t;
        int next = a + b;
        a = b;
        b = next;
    }
    out[i] = a * 100 + x * 10 + y;
}
