// flags: -g 64 --local 64 -n 1024 -a n=13
// accesses: 16
// rewrites: aosoa:4
typedef struct { int a, b; } R;
__kernel void k(__global R *p, int n) {
    int i = get_global_id(0) * 16, m = (n + 7) / 8;
    switch (n % 8) {
    case 0: do { p[i].a = p[i].b; i++;
    case 7: p[i].a = p[i].b; i++;
    case 6: p[i].a = p[i].b; i++;
    case 5: p[i].a = p[i].b; i++;
    case 4: p[i].a = p[i].b; i++;
    case 3: p[i].a = p[i].b; i++;
    case 2: p[i].a = p[i].b; i++;
    case 1: p[i].a = p[i].b + 1; i++;
            } while (--m > 0);
    }
}
