// Three values that rotate: a phi needs the old value of another one.
// buffer: out int 9
// run: turn 9/9
// expect: out = i % 3 == 0 ? 123 : i % 3 == 1 ? 231 : 312
__kernel void turn(__global int *out) {
    int i = get_global_id(0), a = 1, b = 2, c = 3;
    for (int k = 0; k < i; k++) {
        int t = a;
        a = b;
        b = c;
        c = t;
    }
    out[i] = a * 100 + b * 10 + c;
}
