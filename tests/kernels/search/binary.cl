// flags: -g 512 --local 64 -n 1024 -a n=1024
// accesses: 4
// rewrites: soa
struct row { long key; uint begin, end; };
__kernel void lower(__global const struct row *r, __global const long *q, __global uint *o, uint n) {
    size_t i = get_global_id(0);
    uint lo = 0, len = n;
    while (len) {
        uint h = len >> 1;
        if (r[lo + h].key < q[i]) { lo += h + 1; len -= h + 1; } else len = h;
    }
    o[i] = lo < n ? r[lo].begin : 0xffffffffu;
}
