// flags: -g 256 --local 64 -n 4096 --options -cl-std=CL2.0
// accesses: 3
// refuses: 9 'r' holds laid-out records 'R' here, and a record in private
typedef struct R { float x, y; int n; float4 v; float d[4]; } R;
float get(const R *r) { return r->y; }
__kernel void k(__global R *p) {
    int i = get_global_id(0);
    R l = p[i];
    p[i].x = get(&l) + get(&p[i]);
}
