// A sum by halves: a barrier in each trip, and fewer lanes at work each time.
// buffer: in int 64 = i * i
// buffer: out int 4
// run: total 64/16
// expect: out = sum(q, 0, 16, in[16 * i + q])
__kernel void total(__global const int *in, __global int *out) {
    __local int part[16];
    int l = get_local_id(0);
    part[l] = in[get_global_id(0)];
    for (int reach = 8; reach > 0; reach /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < reach)
            part[l] += part[l + reach];
    }
    if (l == 0)
        out[get_group_id(0)] = part[0];
}
