// flags: -g 128 --local 64 -n 128
// accesses: 5
// layouts: soa
typedef struct { int key, val; } R;
__kernel void k(__global R a[], __global const R *const restrict b, __constant R *c, __global volatile int *d) {
    uint i = get_global_id(0);
    a[i].key = b[i].val + c[3].key + d[i];
    d[i] = 0;
}
