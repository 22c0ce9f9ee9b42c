// A union: a float written, one of its bytes changed, and read as an int.
// buffer: in float 8 = i - 2.5
// buffer: out uint 8
// run: bytes 8/8
// expect: out = (bits(in[i]) & 0xffff00ff) | (i + 1) << 8
typedef union word {
    float real;
    uint whole;
    uchar byte[4];
} word;
__kernel void bytes(__global const float *in, __global uint *out) {
    int i = get_global_id(0);
    word w;
    w.real = in[i];
    w.byte[1] = i + 1;
    out[i] = w.whole;
}
