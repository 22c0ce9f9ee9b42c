// A whole struct is copied: a load and a store for each of its fields.
// buffer: in body 8
// buffer: out body 8
// init: in.x = i + 0.5
// init: in.id = i * 3
// init: in.v = i * 10 + j
// run: copy 8/4
// expect: out.x = in.x[7 - i]
// expect: out.id = in.id[7 - i]
// expect: out.v = in.v[2 * (7 - i) + j]
// mis: 16
// lanes: 64
typedef struct body {
    float x;
    int id;
    short v[2];
} body;
__kernel void copy(__global const body *in, __global body *out) {
    int i = get_global_id(0);
    out[i] = in[7 - i];
}
