// flags: -g 128 --local 64 -n 128
// accesses: 1
// refuses: - there is no record to lay out: no buffer of this kernel hold
typedef struct { } R;
__kernel void k(__global R *r, __global int *o) { o[get_global_id(0)] = sizeof(R); }
