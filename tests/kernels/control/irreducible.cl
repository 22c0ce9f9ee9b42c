// flags: -g 64 --local 64 -n 64
// accesses: 3
// rewrites: soa
typedef struct { int a, b; } R;
__kernel void k(__global R *p) {
    int i = get_global_id(0), t = i & 7;
    if (i & 1) goto middle;
top:
    t += 3;
    p[i].a = t;
middle:
    t -= 2;
    p[i].b += t;
    if (t < 20) goto top;
}
