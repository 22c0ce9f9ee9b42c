// Local memory written as ints and read as bytes.
// buffer: out uchar 16
// run: bytes 4/4
// expect: out = i / 4 * 16 + i % 4
__kernel void bytes(__global uchar *out) {
    __local uint words[4];
    int l = get_local_id(0);
    words[l] = 0x03020100u + 0x10101010u * l;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 4; k++)
        out[4 * l + k] = ((__local uchar *)words)[4 * l + k];
}
