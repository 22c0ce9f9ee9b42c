// flags: -g 64 --local 64 -n 64
// accesses: 3
// rewrites: aosoa:4
typedef struct { float x; int y; } R;
__kernel void k(__global R *p) {
    int i = get_global_id(0);
    if (p[i].y == 12345) printf("i=%d x=%f v=%v4f\n", i, p[i].x, (float4)(p[i].x));
    p[i].y = i;
}
