// A kernel that does nothing.
// buffer: out int 4 = 5
// run: nothing 4/4
// expect: out = 5
// mis: 0
__kernel void nothing(__global int *out) {}
