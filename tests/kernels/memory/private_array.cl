// flags: -g 64 --local 64 -n 1024
// accesses: 4
// layouts: aosoa:32
typedef struct { float x, y; } R;
__kernel void k(__global R *p) {
    R tmp[4];
    float hist[16] = {0};
    int i = get_global_id(0);
    for (int j = 0; j < 4; j++) tmp[j] = p[i * 4 + j];
    for (int j = 0; j < 4; j++) hist[(int)fabs(tmp[j].x * 7.0f) & 15] += tmp[3 - j].y;
    R *r = &tmp[i & 3];
    r->y = hist[i & 15];
    p[i * 4] = *r;
}
