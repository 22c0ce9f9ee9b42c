// Field by field through an array of structs: a stride of a record's size.
// buffer: p body 16
// buffer: out float 16
// init: p.x = i
// init: p.v = 10 * i
// run: add 16/8
// expect: out = 11 * i
// event: 0.0 L 4 p.x+0 stride 28 lanes 0-7 @21
// event: 0.1 L 4 p.v+20 stride 28 lanes 0-7 @21
// event: 0.2 S 4 out+0 stride 4 lanes 0-7 @21
// event: 1.0 L 4 p.x+224 stride 28 lanes 0-7
// event: 1.1 L 4 p.v+244 stride 28 lanes 0-7
// event: 1.2 S 4 out+32 stride 4 lanes 0-7
typedef struct body {
    float x;
    int a[4];
    float v, w;
} body;
__kernel void add(__global const body *p, __global float *out) {
    int i = get_global_id(0);
    out[i] = p[i].x + p[i].v;
}
