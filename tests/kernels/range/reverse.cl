// flags: -g 256 --local 64 -n 512
// accesses: 5
// access: 11 load p.a 4 -64*group(0) - local(0) + 511
// access: 11 store p.b 4 -64*group(0) - local(0) + 255
// access: 12 load p.a 4 6 64*group(0) + local(0) - 2*k0 + 10
// access: 12 load p.b 4 6 64*group(0) + local(0) + 256
// rewrites: da
typedef struct { float a; float b; } ab;
__kernel void k(__global ab *p) {
    int i = get_global_id(0), n = get_global_size(0);
    p[n - 1 - i].b = p[2 * n - 1 - i].a;
    for (int s = 10; s >= 0; s -= 2) p[n + i].b += p[i + s].a;
}
