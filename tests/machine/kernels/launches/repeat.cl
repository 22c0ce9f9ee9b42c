// One launch ten times in a row on the same buffer.
// buffer: v int 8 = i
// run: grow 8/4 repeat=10 by=3
// expect: v = i * 1024 + 3 * 1023
// mis: 40
__kernel void grow(__global int *v, int by) {
    int i = get_global_id(0);
    v[i] = v[i] * 2 + by;
}
