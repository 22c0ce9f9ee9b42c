// A helper function with several returns, called by lanes that take different ones.
// buffer: out int 20
// run: call 20/10
// expect: out = (i < 3 ? 100 : i % 2 ? i * i : i < 10 ? -i : 0) + (19 - i < 3 ? 100 : (19 - i) % 2 ? (19 - i) * (19 - i) : 19 - i < 10 ? i - 19 : 0)
int way(int x) {
    if (x < 3)
        return 100;
    if (x % 2)
        return x * x;
    for (int k = 0; k < 10; k++)
        if (k == x)
            return -x;
    return 0;
}
__kernel void call(__global int *out) {
    int i = get_global_id(0);
    out[i] = way(i) + way(19 - i);
}
