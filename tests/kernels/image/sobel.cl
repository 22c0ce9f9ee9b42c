// flags: -g 64,64 --local 8,8 -n 4096 -a w=64 -a h=64
// accesses: 7
// access: 18 load KX (constant) 2 3 * 3 if 3*k0 + k1
// access: 19 load KY (constant) 2 3 * 3 if 3*k0 + k1
// rewrites: da
typedef struct { uchar4 rgba; uchar edge; short gx, gy; } pixel;
constant short KX[3][3] = {{-1, 0, 1}, {-2, 0, 2}, {-1, 0, 1}};
__constant short KY[9] = {-1, -2, -1, 0, 0, 0, 1, 2, 1};
uchar lum(uchar4 c) { return (c.x + c.y * 2 + c.z) / 4; }
kernel void sobel(global pixel *img, const int w, const int h) {
    const short x = get_global_id(0);
    const short y = get_global_id(1);
    if (x == 0 || y == 0 || x == w - 1 || y == h - 1) { img[y * w + x].edge = 0; return; }
    short gx = 0, gy = 0;
    for (int j = -1; j <= 1; j++)
        for (int i = -1; i <= 1; i++) {
            uchar l = lum(img[(y + j) * w + x + i].rgba);
            gx += KX[j + 1][i + 1] * l;
            gy += KY[(j + 1) * 3 + (i + 1)] * l;
        }
    img[y * w + x].gx = gx;
    img[y * w + x].gy = gy;
    img[y * w + x].edge = convert_uchar_sat(abs(gx) + abs(gy));
}
