// && and || keep lanes from an access that would be out of bounds.
// buffer: index int 8 = {0 -1 3 8 2 1000000 -7 1}
// buffer: table int 4 = {0 5 0 7}
// buffer: out int 8
// run: guard 8/8
// expect: out = {10 20 11 20 10 20 20 11}
__kernel void guard(__global const int *index, __global const int *table, __global int *out) {
    int i = get_global_id(0), at = index[i];
    int v;
    if (at < 0 || at >= 4)
        v = 20;
    else
        v = 10;
    if (at >= 0 && at < 4 && table[at] > 0)
        v += 1;
    out[i] = v;
}
