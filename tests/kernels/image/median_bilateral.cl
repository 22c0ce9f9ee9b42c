// flags: -g 32,32 --local 8,8 -n 1024 -a w=32 -a h=32
// accesses: 5
// rewrites: soa
typedef struct { half in; float f; float med; float bil; } px;
#define SWAP(a, b) do { float _t = fmin(a, b); b = fmax(a, b); a = _t; } while (0)
__kernel void median(__global px *p, int w, int h) {
    int x = get_global_id(0), y = get_global_id(1);
    float v[9];
    int k = 0;
    for (int j = max(y - 1, 0); j <= y + 1; ++j)
        for (int i = max(x - 1, 0); i <= x + 1; ++i)
            if (k < 9) v[k++] = p[min(j, h - 1) * w + min(i, w - 1)].f;
    while (k < 9) v[k++] = 0.0f;
    for (int a = 0; a < 8; a++)
        for (int b = 0; b < 8 - a; b++) SWAP(v[b], v[b + 1]);
    p[y * w + x].med = v[4];
    float sum = 0, norm = 0, c = p[y * w + x].f;
    for (int j = -2; j <= 2; j++) {
        if (y + j < 0 || y + j >= h) continue;
        for (int i = -2; i <= 2; i++) {
            if (x + i < 0 || x + i >= w) continue;
            float q = p[(y + j) * w + (x + i)].f, d = q - c;
            float wt = native_exp(-(i * i + j * j) * 0.1f) * native_exp(-d * d);
            sum += wt * q, norm += wt;
        }
    }
    p[y * w + x].bil = sum / norm;
}
