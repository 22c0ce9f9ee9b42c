// flags: -g 1024 --local 128 -n 1024 -a n=1000
// accesses: 10
// rewrites: {value,weight}:16{sum}/da
typedef struct sample { float value; int weight; float sum; } sample;
__kernel void reduce(__global sample *s, __global float *partial, int n, __local float *scratch) {
    uint l = get_local_id(0), i = get_global_id(0);
    float acc = 0;
    while (i < n) { acc += s[i].value * s[i].weight; i += get_global_size(0); }
    scratch[l] = acc;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = get_local_size(0) / 2; k > 0; k >>= 1) {
        if (l < k) scratch[l] += scratch[l + k];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0) { partial[get_group_id(0)] = scratch[0]; s[get_group_id(0)].sum = scratch[0]; }
}
