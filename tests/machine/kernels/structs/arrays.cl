// Arrays in structs, at constant and variable indices.
// buffer: in box 4
// buffer: out box 4
// init: in.id = i * 11
// init: in.d = 100 * i + j
// init: in.m = 1000 * i + j
// run: turn 4/2
// expect: out.id = in.d[5 * i + 2]
// expect: out.d = in.d[5 * i + (j + i) % 5]
// expect: out.m = in.m[6 * i + j % 3 * 2 + j / 3]
typedef struct box {
    int id;
    int d[5];
    int m[3][2];
} box;
__kernel void turn(__global const box *in, __global box *out) {
    int i = get_global_id(0);
    out[i].id = in[i].d[2];
    for (int k = 0; k < 5; k++)
        out[i].d[k] = in[i].d[(k + i) % 5];
    /* 3 x 2 read as 2 x 3 transposed */
    for (int k = 0; k < 6; k++)
        out[i].m[k / 2][k % 2] = in[i].m[k % 3][k / 3];
}
