// flags: -g 128 --local 64 -n 128
// accesses: 6
// rewrites: da
typedef struct { long a; ulong b; double d; uint hi; } R;
__kernel void k(__global R *p) {
    ulong i = (ulong)get_global_id(0);
    p[i].b = mul_hi(p[i].b + i, 0x9E3779B97F4A7C15ul) ^ (i << 40);
    p[i].a = -(long)i * 0x100000001L / 3;
    p[i].hi = (uint)(p[i].b >> 32) + popcount((uint)i) + clz((uint)i);
    p[i].d = (double)p[i].a / 7.0 + sqrt(p[i].d);
}
