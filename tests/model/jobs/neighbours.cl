struct r {
    float a, b;
};
__kernel void k(__global const struct r *p, __local float *s) {
    int i = get_global_id(0);
    float x = p[i].a;
    s[get_local_id(0)] = x * p[i].b;
}
