// flags: -g 128 --local 64 -n 1024
// accesses: 2
// layouts: soa aosoa:4 da
typedef struct { float x, y; } R;
__kernel void k(__global R *p) {
    __global R *q = p + get_global_id(0) * 8, *end = q + 8;
    float s = 0;
    while (q != end) { s += q->x; q += 2; }
    p[get_global_id(0) * 8].y = s;
}
