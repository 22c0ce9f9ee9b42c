// flags: -g 128 --local 64 -n 128
// accesses: 3
// refuses: 8 the address of field 'x' is stored, compared or cast; read a
typedef struct { float x; float d[4]; int k; } R;
float sum(__global const float *d, int n) { float s = 0; for (int i = 0; i < n; i++) s += *(d + i); return s; }
__kernel void k(__global R *p) {
    int i = get_global_id(0);
    __global float *f = &p[i].x;
    f[1] = 2;
    p[i].x = sum(p[i].d, 4);
}
