struct P {
    float d[3];
    float e;
};
__kernel void k(__global struct P *p, __global int *w) {
    int id = get_global_id(0);
    p[id].e = p[id].d[w[id] & 1];
}
