// A table of two dimensions, walked by a loop.
// buffer: out int 4
// run: rows 4/4
// expect: out = {6 60 600 6000}
__constant short table[4][3] = {{1, 2, 3}, {10, 20, 30}, {100, 200, 300}, {1000, 2000, 3000}};
__kernel void rows(__global int *out) {
    int i = get_global_id(0), sum = 0;
    for (int k = 0; k < 3; k++)
        sum += table[i][k];
    out[i] = sum;
}
