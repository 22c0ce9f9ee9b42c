// What one launch wrote the next one may read: launches come one after the other.
// option: races
// buffer: a int 16 = i
// buffer: b int 16
// run: turn 16/8 from=a to=b
// run: turn 16/8 from=b to=a
// expect: b = 15 - i
__kernel void turn(__global const int *from, __global int *to) {
    int i = get_global_id(0);
    to[i] = from[15 - i];
}
