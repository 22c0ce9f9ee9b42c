// A copy of a struct: a load for each field, then a store for each.
// buffer: in item 4
// buffer: out item 4
// init: in.key = i
// init: in.load = i + 0.5
// init: in.tag = j + 1
// run: copy 4/2
// expect: out.load = i + 0.5
// lanes: 32
// mis: 16
// event: 1.0 L 4 in.key+48 stride 24 lanes 0-1
// event: 1.1 L 8 in.load+56 stride 24 lanes 0-1
// event: 1.2 L 1 in.tag+64 stride 24 lanes 0-1
// event: 1.3 L 1 in.tag+65 stride 24 lanes 0-1
// event: 1.4 S 4 out.key+48 stride 24 lanes 0-1
// event: 1.5 S 8 out.load+56 stride 24 lanes 0-1
// event: 1.6 S 1 out.tag+64 stride 24 lanes 0-1
// event: 1.7 S 1 out.tag+65 stride 24 lanes 0-1
typedef struct item {
    int key;
    double load;
    char tag[2];
} item;
__kernel void copy(__global const item *in, __global item *out) {
    int i = get_global_id(0);
    out[i] = in[i];
}
