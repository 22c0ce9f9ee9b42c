// flags: -g 32 --local 32 -n 4096 -a n=12
// accesses: 13
// access: 16 load p.b 4 12 * ~4 * ~5 52*k0 + 8*k1 - k2 + 12
// access: 16 load p.a 4 12 * ~4 * ~5 128*local(0) + k0
// access: 17 load p.b 4 7 128*local(0)
// access: 18 load p.b 4 29 128*local(0) + 1
// access: 20 load p.b 4 12 128*local(0) - k6 + 11
// access: 21 load p.a 4 6 128*local(0) + 4*k7
// rewrites: aosoa:4
typedef struct { int a, b; } R;
__kernel void k(__global R *p, int n) {
    int g = get_global_id(0);
    for (int i = 0; i < n; i++)
        for (int j = i; j < n; j += 2)
            for (int l = n; l > j; l--)
                p[g * 128 + i].a += p[(i * n + j) * 4 + l].b;
    for (int i = 1; i < 1000; i *= 3) p[g * 128].b += i;
    for (uchar u = 0; u < 200; u += 7) p[g * 128 + 1].b += u;
    for (short s = 30; s-- > 0;) p[g * 128 + s].b ^= s;
    for (unsigned u = n; u-- != 0;) p[g * 128 + u].b ^= 3;
    for (long l = 0; l != 24; l += 4) p[g * 128 + l].a++;
}
