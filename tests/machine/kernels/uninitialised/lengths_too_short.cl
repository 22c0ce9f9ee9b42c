// The third lane copies a byte less than it reads.
// option: uninitialised
// buffer: out int 4
// run: parts 4/4
// fault: 11:14 load of byte 11 of 'private', which nothing has written; initialise it; thread 2
__kernel void parts(__global int *out) {
    int i = get_global_id(0), t[8], u[8];
    for (int j = 0; j < 8; j++)
        u[j] = j + i;
    __builtin_memcpy(t, u, 4 * i + 4 - (i == 2));
    out[i] = t[i];
}
