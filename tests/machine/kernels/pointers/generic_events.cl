// Lanes of one load that point into global and local memory: it is an MI all the same.
// options: -cl-std=CL2.0
// pocl: 3.1 knows no generic pointers
// buffer: p int 32 = 100 + i
// buffer: q int 32
// run: gather 32/32
// expect: q = i % 2 ? 100 + i : i
// mis: 3
// lanes: 96
__kernel void gather(__global int *p, __global int *q) {
    __local int l[32];
    int i = get_local_id(0);
    l[i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    int *from = (i & 1) ? (int *)p : (int *)l;
    q[get_global_id(0)] = from[i];
}
