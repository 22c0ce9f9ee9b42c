// Every lane copies one element more than the one before: the second writes where the first did.
// option: races
// buffer: out int 4
// run: parts 4/4
// fault: 9:22 race: this writes byte 0 of 'out', which thread 0 of block 0 has written
__kernel void parts(__global int *out) {
    int i = get_global_id(0), t[4];
    t[0] = t[1] = t[2] = t[3] = i;
    __builtin_memcpy(out, t, 4 * i + 4);
}
