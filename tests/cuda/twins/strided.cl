// flags: -g 512 --local 128 -a n=4096 -n 4096
// writes: out
__kernel void sum(__global const float4 *in, __global float *out, int n) {
    float total = 0;
    for (int i = get_global_id(0); i < n; i += get_global_size(0)) {
        float4 v = in[i];
        total += v.x + v.y + v.z + v.w;
    }
    out[get_group_id(0) * get_local_size(0) + get_local_id(0)] = total;
}
