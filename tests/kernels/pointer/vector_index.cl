// flags: -g 256 --local 64 -n 1024
// accesses: 4
// access: 9 load p.x 4 64*group(0) + local(0) + 1
// access: 10 load p.y 4 64*group(0) + local(0) + 32
// rewrites: soa
typedef struct R { float x, y; int n; float4 v; float d[4]; } R;
__kernel void k(__global R *p) {
    int2 at = (int2)(get_global_id(0), 2), right = at + (int2)(1, 0);
    float a = p[right.x].x;
    float b = p[(at + right.yx * (int2)(16, 1) - (int2)(0, 2)).x].y;
    int2 clamped = clamp(at - (int2)(1, 1), (int2)0, (int2)1023);
    p[at.x].n = a + b + p[clamped.x].n;
}
