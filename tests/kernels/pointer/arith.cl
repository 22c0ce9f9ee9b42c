// flags: -g 128 --local 64 -n 1024
// accesses: 11
// access: 11 store p.x 4 256*group(0) + 4*local(0)
// access: 11 store p.x 4 256*group(0) + 4*local(0) + 1
// access: 10 load p.x 4 256*group(0) + 4*local(0) + 2
// access: 10 load p.y 4 256*group(0) + 4*local(0) + 3
// access: 18 store p.k 4 256*group(0) + 4*local(0) + 1
// layouts: aosoa:32
typedef struct { float x, y; int k; } R;
float get(__global const R *r) { return r->x + (r + 1)->y; }
void bump(__global R *restrict r, float by) { (*r).x += by; }
__kernel void k(__global R *p) {
    int i = get_global_id(0);
    __global R *q = p + 4 * i;
    bump(&p[4 * i], 1);
    bump(p + 4 * i + 1, 2);
    q->y = get(q + 2);
    q[1].k = i;
    (q + 2)->k = q[-0].k;
    *(&q->k) = 7;
}
