// One of two numbers' bits, where a comparison says so. Before July 2026 LLVM gives the instruction that
// does all of it at once the table of another function (its issue 157929).
// buffer: bits int 128 = i * 5 % 13 - 6
// buffer: real float 128 = i % 3
// buffer: place int 128
// buffer: out int 128
// run: select 128/64 same=0
// expect: out = i % 3 != 1 ? (i * 5 % 13 - 6) & 1 : 0
__kernel void select(__global const int *bits, __global const float *real, __global int *place,
                     __global int *out, int same) {
    int i = get_global_id(0);
    int b = bits[i];
    float x = real[i];
    place[i] = 1;
    float y = real[place[i]];
    out[i] = bitselect(same, b, (int)(uchar)(x != y));
}
