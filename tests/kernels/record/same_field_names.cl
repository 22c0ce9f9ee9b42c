// flags: -g 128 --local 64 -n 128
// accesses: 10
// rewrites: soa
typedef struct { int at; int ref; int make; int load; uchar store; ulong count; float p; float tile; } R;
__kernel void k(__global R *R_ref, __global int *p_count) {
    int i = get_global_id(0);
    R_ref[i].at = R_ref[i].ref + R_ref[i].make + R_ref[i].load;
    R_ref[i].store = 1; R_ref[i].count += i; R_ref[i].p = R_ref[i].tile;
    p_count[i] = R_ref[i].at;
}
