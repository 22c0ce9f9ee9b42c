// flags: -g 256 --local 64 -n 256 -a n=200
// accesses: 9
// layouts: aosoa:32
typedef struct { int a, b, c; float f; } R;
__kernel void k(__global R *p, int n) {
    int i = get_global_id(0), t = 0;
    if (i >= n) return;
    if (p[i].a > 3 && p[i].b < 7 || !(p[i].c == 0)) t |= 1;
    t += p[i].a ? p[i].b ? 1 : 2 : p[i].c ? 3 : 4;
    do { t += p[i].a & 1; if (t > 50) goto out; } while (++t % 7);
    for (int a = 0, b = 10; a < b; a++, b--) {
        if (a == 3) continue;
        switch (a & 3) { case 0: t++; break; case 1: case 2: t += p[a].b; default: t ^= 2; }
        if (t > 1000) break;
    }
again:
    t--;
    if (t > 5 && t < 20) goto again;
out:
    p[i].c = (t++, t * 2);
    p[i].f = t > 3 ? (float)t : p[i].f;
}
