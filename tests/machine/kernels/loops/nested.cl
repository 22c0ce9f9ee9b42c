// Three loops in each other, the inner bounds from the outer counters and the lane.
// buffer: out int 12
// run: nest 12/4
// expect: out = sum(a, 0, i % 4 + 1, sum(b, a, i, sum(c, 0, b - a, a * 100 + b * 10 + c)))
__kernel void nest(__global int *out) {
    int i = get_global_id(0), sum = 0;
    for (int a = 0; a < i % 4 + 1; a++)
        for (int b = a; b < i; b++)
            for (int c = 0; c < b - a; c++)
                sum += a * 100 + b * 10 + c;
    out[i] = sum;
}
