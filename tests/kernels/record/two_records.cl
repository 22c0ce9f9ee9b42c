// flags: -g 256 --local 64 -n 256 -r cell
// accesses: 7
// layouts: aosoa:4
typedef struct { int first, count; float sum; } cell;
typedef struct { float x; int c; } pt;
__kernel void k(__global cell *c, __global pt *p) {
    int i = get_global_id(0);
    c[i].sum = 0;
    for (int j = c[i].first; j < c[i].first + c[i].count; j++) c[i].sum += p[j].x;
    p[i].c = i;
}
