// A helper writes through pointers to its caller's variables.
// buffer: out int 16
// run: divide 8/8
// expect: out = i % 2 ? (i / 2 * 13) % 5 : i / 2 * 13 / 5
void split(int a, int b, int *quotient, int *rest) {
    *quotient = a / b;
    *rest = a % b;
}
__kernel void divide(__global int *out) {
    int i = get_global_id(0), pair[2];
    int which = i % 2;
    split(i * 13, 5, &pair[which], &pair[1 - which]);
    out[2 * i] = pair[which];
    out[2 * i + 1] = pair[1 - which];
}
