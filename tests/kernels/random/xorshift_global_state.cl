// flags: -g 256 --local 64 -n 256
// accesses: 11
// rewrites: aosoa:32
typedef struct { uint x, y, z, w; float out[4]; } gen;
uint draw(__global gen *g) {
    uint t = g->x ^ (g->x << 11);
    g->x = g->y; g->y = g->z; g->z = g->w;
    return g->w = g->w ^ (g->w >> 19) ^ (t ^ (t >> 8));
}
__kernel void fill(__global gen *g) {
    int i = get_global_id(0);
    g[i].x += i + 1;
    for (int k = 0; k < 4; k++) g[i].out[k] = draw(&g[i]) * 0x1p-32f;
}
