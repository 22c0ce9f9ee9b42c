// flags: -g 256 --local 256 -n 256
// accesses: 8
// rewrites: {re,im}:16{tag}/da
typedef struct { int re; int im; short tag; } S;
__kernel void walsh(__global S *s) {
    __local int t[256];
    uint l = get_local_id(0), r = 0, x = l;
    for (int b = 0; b < 8; b++) { r = (r << 1) | (x & 1); x >>= 1; }
    t[r] = s[get_group_id(0) * 256 + l].re;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint h = 1; h < 256; h <<= 1) {
        uint p = l ^ h;
        int a = t[l], b = t[p];
        barrier(CLK_LOCAL_MEM_FENCE);
        t[l] = l & h ? b - a : a + b;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    s[get_global_id(0)].im = t[l];
    s[get_global_id(0)].tag = (short)r;
}
