// flags: -g 256 --local 64 -n 4096
// accesses: 2
// layouts: da
typedef struct R { float x, y; int n; float4 v; float d[4]; } R;
// A #line of generated code: messages name the other file.
#line 100 "other.cl"
__kernel void k(__global R *p) {
    p[get_global_id(0)].x = p[get_global_id(0)].y;
}
