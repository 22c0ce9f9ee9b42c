struct cell {
    float f0, f1, f2, f3, f4, f5, f6, f7, f8, f9;
    float f10, f11, f12, f13, f14, f15, f16, f17, f18, f19;
};

__kernel void move(__global struct cell *p, __global const int *near, int count) {
    int i = get_global_id(0);
    float x = 0, y = 0, z = 0;
    for (int k = 0; k < 8; k++) {
        int j = near[k * count + i];
        x += p[j].f0 * p[j].f3;
        y += p[j].f1 * p[j].f3;
        z += p[j].f2 * p[j].f3;
    }
    p[i].f4 += x;
    p[i].f5 += y;
    p[i].f6 += z;
    p[i].f0 += p[i].f4;
    p[i].f1 += p[i].f5;
    p[i].f2 += p[i].f6;
}

__kernel void react(__global struct cell *p, __global const int *near, int count) {
    int i = get_global_id(0);
    float s = 0;
    for (int k = 0; k < 4; k++) {
        int j = near[k * count + i];
        s += p[j].f7 * p[j].f8 + p[j].f9;
    }
    p[i].f10 = s;
    p[i].f11 = s * p[i].f12;
    for (int k = 0; k < count; k += 256)
        s += p[k].f13 * p[k].f14;
    p[i].f15 = s;
    p[i].f16 += p[i].f17;
    p[i].f18 = p[i].f19;
}
