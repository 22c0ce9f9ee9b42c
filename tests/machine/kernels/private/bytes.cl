// Private memory written as one type and read as another.
// buffer: out int 8
// run: bytes 8/8
// expect: out = i32(0x00ff0201 & ~(255 << 8 * (i % 4)) | u8(0x11 * i) << 8 * (i % 4))
__kernel void bytes(__global int *out) {
    int i = get_global_id(0);
    uchar four[4] __attribute__((aligned(4))) = {1, 2, 255, 0};
    four[i % 4] = 0x11 * i;
    out[i] = *(int *)four;
}
