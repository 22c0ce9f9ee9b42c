// All threads of both blocks store one and the same value: it does not matter who is last.
// option: races
// buffer: found int 2
// run: mark 16/8
// expect: found = {1 7}
__kernel void mark(__global int *found) {
    int i = get_global_id(0);
    found[0] = 1;
    if (i > 3)
        found[1] = i - i + 7;
}
