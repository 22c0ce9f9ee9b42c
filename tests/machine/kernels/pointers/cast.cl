// One buffer seen as bytes, as shorts and as structs.
// buffer: words uint 8 = 0x11223344 * (i + 1)
// buffer: out uint 8
// run: cast 8/8
// expect: out = (words[i] >> 16 & 255) + (words[i] & 0xffff) * 256 + (words[i] >> 24 << 24)
typedef struct halves {
    ushort low;
    uchar third, top;
} halves;
__kernel void cast(__global const uint *words, __global uint *out) {
    int i = get_global_id(0);
    uint third = ((__global const uchar *)words)[4 * i + 2];
    uint low = ((__global const ushort *)words)[2 * i];
    uint top = ((__global const halves *)(words + i))->top;
    out[i] = third + low * 256 + (top << 24);
}
