// flags: -g 64 --local 16 -n 4096 -a n=16 -a w=20
// accesses: 12
// access: 11 store p.y 4 16 -k0 + 15
// access: 12 store p.x 4 if 16*group(0) + local(0)
// access: 14 store p.x 4 16 -k1 + 15
// access: 17 store p.y 4 ~1 16*group(0) + local(0) + k4 - 2
// access: 20 store p.c 4 if 16*group(0) + local(0)
typedef struct { float x, y; int c; } R;
__kernel void k(__global R *p, uint n, int w) {
    int x = get_global_id(0);
    for (uint i = n - 1; i < n; i--) p[i].y = 1;
    if ((uint)(x - 1) < (uint)(w - 2)) p[x].x = 2;
    if ((unsigned)x - 3u <= 7u) p[x].y = 2;
    for (uint i = n; i-- > 0;) p[i].x = 1;
    for (uchar b = 250; b > 3; b++) p[b].x = 3;
    for (ushort b = 3; b < 60000; b -= 1) p[b].x = 3;
    for (int i = x - 2; (uint)i < 10; i++) p[i].y = 3;
    for (char c = 120; c > 0; c++) p[c].y = 3;
    for (size_t q = get_global_id(0) - 2; q < 16; q++) p[q].c = 2;
    if (get_global_id(0) - 1 < get_global_size(0) - 2) p[x].c = 3;
    if (x - 1 >= 0u) p[x].c = 4;
    if (x >= 0 && x < w) p[x].c = 5;
}
