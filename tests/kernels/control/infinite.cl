// flags: -g 64 --local 64 -n 64
// accesses: 3
// rewrites: {a}:16{b}/da
typedef struct { int a, b; } R;
__kernel void k(__global R *p) {
    int i = get_global_id(0);
    while (1) { p[i].a++; if (p[i].a > p[i].b + 40) break; }
}
