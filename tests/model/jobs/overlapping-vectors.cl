struct r {
    float d[128];
    float x;
};
__kernel void k(__global const struct r *p, __global float *out) {
    int i = get_global_id(0);
    float4 v = vload4(0, &p[get_group_id(0)].d[get_local_id(0)]);
    out[i] = v.x + v.w;
}
