// flags: -g 16,16 --local 8,8 -n 1024
// accesses: 3
// rewrites: soa
typedef struct { float a; int t; } ab;
__kernel void k(__global ab *p) {
    int x = get_global_id(0), y = get_global_id(1);
    p[(x + y) * 32 + abs(x - y)].t = (x ^ y) < 0 ? 1 : 2;
    p[x * 16 + y].a = (x == y) ? 1.0f : (x > y) ? p[y * 16 + x + 512].a : -1.0f;
}
