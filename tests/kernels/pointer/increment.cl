// flags: -g 128 --local 64 -n 1024
// accesses: 2
// layouts: soa aosoa:4 da
typedef struct { float x, y; } R;
__kernel void k(__global R *p) {
    __global R *q = p + get_global_id(0) * 8;
    float s = 0;
    for (int i = 0; i < 8; i++) s += q++->x;
    --q;
    q->y = s;
}
