// flags: -g 64,64 --local 16,16 -n 4096 -a w=64 -a h=64
// accesses: 8
// rewrites: da
typedef struct { float t, k, q, next; } cell;
__kernel void heat(__global cell *g, int w, int h, float dt) {
    int x = get_global_id(0), y = get_global_id(1);
    if (x <= 0 || y <= 0 || x >= w - 1 || y >= h - 1) return;
    int i = y * w + x;
    float lap = g[i - 1].t + g[i + 1].t + g[i - w].t + g[i + w].t - 4.0f * g[i].t;
    g[i].next = g[i].t + dt * (g[i].k * lap + g[i].q);
}
