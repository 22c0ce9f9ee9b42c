// Structs in local memory, with an array in them.
// buffer: out int 8
// run: cells 8/8
// expect: out = (7 - i) * 11 + 1 + (i + 1) % 8 + 5
typedef struct cell {
    char kind;
    int value[2];
    short more;
} cell;
__kernel void cells(__global int *out) {
    __local cell shared[8];
    int l = get_local_id(0);
    shared[l].kind = l + 1;
    shared[l].value[0] = l * 10;
    shared[l].value[1] = -1;
    shared[l].more = l + 5;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[l] = shared[7 - l].value[0] + shared[7 - l].kind + shared[(l + 1) % 8].more;
}
