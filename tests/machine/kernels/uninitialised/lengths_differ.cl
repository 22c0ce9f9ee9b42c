// Lanes copy and fill so many bytes as they then read.
// option: uninitialised
// buffer: out int 16
// run: parts 16/16
// expect: out = (i % 8 + i) + 0x01010101
__kernel void parts(__global int *out) {
    int i = get_global_id(0), t[8], u[8], v[8];
    for (int j = 0; j < 8; j++)
        u[j] = j + i;
    __builtin_memcpy(t, u, 4 * (i & 7) + 4);
    __builtin_memset(v, 1, 4 * (i & 7) + 4);
    out[i] = t[i & 7] + v[i & 7];
}
