// More values alive at once than any device has registers.
// buffer: in int 96 = i * 3 + 1
// buffer: out int 3
// run: many 3/3
// expect: out = sum(q, 0, 32, in[3 * q + i] * (q + 1)) + sum(q, 0, 32, in[3 * q + i] * in[3 * (31 - q) + i])
#define EACH(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15) \
    X(16) X(17) X(18) X(19) X(20) X(21) X(22) X(23) X(24) X(25) X(26) X(27) X(28) X(29) X(30) X(31)
__kernel void many(__global const int *in, __global int *out) {
    int i = get_global_id(0), sum = 0;
#define LOAD(n) int v##n = in[3 * n + i];
    EACH(LOAD)
#define WEIGH(n) sum += v##n * (n + 1);
    EACH(WEIGH)
    int all[32] = {v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11, v12, v13, v14, v15, v16, v17,
                   v18, v19, v20, v21, v22, v23, v24, v25, v26, v27, v28, v29, v30, v31};
#define CROSS(n) sum += v##n * all[31 - n];
    EACH(CROSS)
    out[i] = sum;
}
