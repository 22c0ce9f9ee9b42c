// flags: -g 64 --local 64 -n 64
// accesses: 6
// rewrites: da
typedef struct { float x; int y; } R;
typedef struct { float w; int o[2]; } K;
__constant K table[3] = {{1.0f, {1, 2}}, {2.0f, {3, 4}}, {.w = 3.0f, .o = {5, 6}}};
constant const R unit = {1.0f, 2};
__kernel void k(__global R *p, __constant float *coef) {
    int i = get_global_id(0);
    p[i].x = table[i % 3].w * coef[i & 3] + unit.x;
    p[i].y = table[p[i].y & 1].o[i & 1] + unit.y;
}
