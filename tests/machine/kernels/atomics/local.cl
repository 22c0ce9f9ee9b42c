// A histogram in local memory, added to the one in global memory.
// buffer: in uchar 64 = i * i + i / 3
// buffer: out uint 8
// run: histogram 64/16
// expect: out = sum(q, 0, 64, in[q] % 8 == i)
__kernel void histogram(__global const uchar *in, __global uint *out) {
    __local uint part[8];
    int l = get_local_id(0);
    if (l < 8)
        part[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&part[in[get_global_id(0)] % 8]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 8)
        atomic_add(&out[l], part[l]);
}
