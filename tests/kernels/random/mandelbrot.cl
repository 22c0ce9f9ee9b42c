// flags: -g 64,32 --local 16,4 -n 2048
// accesses: 4
// rewrites: da
typedef struct { float zr, zi; ushort iter; uchar3 rgb; } point_t;
__kernel void mandel(__global point_t *img, float x0, float y0) {
    size_t x = get_global_id(0), y = get_global_id(1);
    size_t i = mad24((int)y, (int)get_global_size(0), (int)x);
    float cr = -2.0f + 3.0f * x / 64, ci = -1.0f + 2.0f * y / 32, zr = 0, zi = 0;
    ushort it;
    for (it = 0; it < 64 && zr * zr + zi * zi <= 4.0f; ++it) {
        float t = zr * zr - zi * zi + cr;
        zi = 2 * zr * zi + ci;
        zr = t;
    }
    img[i].iter = it;
    img[i].rgb = (uchar3)(it, it * 2, it * 3);
    img[i].zr = zr, img[i].zi = zi;
}
