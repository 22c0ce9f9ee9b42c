// The first place of a value: lanes break out of two loops at once.
// buffer: in int 16 = (i * 5) % 16
// buffer: out int 16
// run: find 16/8
// expect: out = (i * 13) % 16
__kernel void find(__global const int *in, __global int *out) {
    int i = get_global_id(0), found = -1;
    for (int row = 0; row < 4 && found < 0; row++)
        for (int column = 0; column < 4; column++)
            if (in[row * 4 + column] == i) {
                found = row * 4 + column;
                break;
            }
    out[i] = found;
}
