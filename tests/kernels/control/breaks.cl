// flags: -g 64 --local 64 -n 1024 -a n=6
// accesses: 6
// access: 16 load p.b 4 7 * 7 local(0) + k1
// access: 18 load p.c 4 7 * 6 local(0) + k1
// access: 20 load p.b 4 7 if local(0) + 2*k0
// access: 22 load p.a 4 6 k0
// rewrites: aosoa:4
typedef struct { float a, b, c; } R;
// Loops that are left in the middle: what stands above the break runs once more.
__kernel void k(__global R *p, int n) {
    int i = get_global_id(0);
    float s = 0;
    for (int k = 0;; k++) {
        s += p[i + k].a;
        for (int j = 0;; j++) {
            s += p[i + j].b;
            if (j == 6) break;
            s += p[i + j].c;
        }
        if (i > 3) s += p[i + 2 * k].b;
        if (k == n) break;
        s += p[k].a;
    }
    p[i].a = s;
}
