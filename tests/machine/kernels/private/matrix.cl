// A private matrix squared, with all indices variable.
// buffer: out int 36
// run: square 4/4
// expect: out = sum(q, 0, 3, (i / 9 + i % 9 / 3 * q) * (i / 9 + q * (i % 3)))
__kernel void square(__global int *out) {
    int i = get_global_id(0), m[3][3], p[3][3];
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            m[r][c] = i + r * c;
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) {
            p[r][c] = 0;
            for (int k = 0; k < 3; k++)
                p[r][c] += m[r][k] * m[k][c];
        }
    for (int k = 0; k < 9; k++)
        out[9 * i + k] = p[k / 3][k % 3];
}
