struct r {
    float a, b, c;
};
__kernel void k(__global struct r *p, float v) {
    p[get_global_id(0)].a = p[get_global_id(0)].a + v;
}
__kernel void load(__global const struct r *p, __local float *s) {
    s[get_local_id(0)] = p[get_global_id(0)].a;
}
