// A copy of a whole struct from beyond the end.
// buffer: in pair 4
// buffer: out pair 4
// run: copy 4/4
// fault: 12:14 load of ... buffer 'in' ... thread 3 of block 0
typedef struct pair {
    int a[4];
    float b;
} pair;
__kernel void copy(__global const pair *in, __global pair *out) {
    int i = get_global_id(0);
    out[i] = in[i + 1];
}
