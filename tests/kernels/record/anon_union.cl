// flags: -g 256 --local 64 -n 256
// accesses: 5
// layouts: soa aosoa:4 da
typedef struct { union { float f; uint u; }; int n; struct { float p, q; }; } rec;
__kernel void un(__global rec *r) {
    int i = get_global_id(0);
    r[i].f = i * 1.5f;
    r[i].n = r[i].u >> 23;
    r[i].q = r[i].p + 1;
}
