// Hillis and Steele's running sum: reads and writes are parted by barriers in the loop.
// buffer: in int 32 = i % 5 - 1
// buffer: out int 32
// run: scan 32/32
// expect: out = sum(q, 0, i + 1, in[q])
__kernel void scan(__global const int *in, __global int *out) {
    __local int sum[32];
    int l = get_local_id(0);
    sum[l] = in[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int reach = 1; reach < 32; reach *= 2) {
        int before = l >= reach ? sum[l - reach] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        sum[l] += before;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[l] = sum[l];
}
