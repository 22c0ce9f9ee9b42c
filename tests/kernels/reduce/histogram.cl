// flags: -g 1024 --local 64 -n 1024 -a n=1024
// accesses: 8
// access: 12 store h (local) 4 ~1 local(0) + 64*k0
// access: 16 store p.bin 4 ~1 64*group(0) + local(0) + 1024*k1
// access: 17 atomic h (local) 4 ~1 indirect through p at line 15
// access: 21 atomic hist 4 ~1 if local(0) + 64*k2
// rewrites: aosoa:32
#define BINS 64
typedef struct { uchar r, g, b, a; uint bin; } px;
__kernel void histogram(__global px *p, __global uint *hist, uint n) {
    __local uint h[BINS];
    for (uint b = get_local_id(0); b < BINS; b += get_local_size(0)) h[b] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = get_global_id(0); i < n; i += get_global_size(0)) {
        uint y = (p[i].r * 77u + p[i].g * 150u + p[i].b * 29u) >> 8;
        p[i].bin = y & (BINS - 1);
        atomic_inc(&h[y & (BINS - 1)]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint b = get_local_id(0); b < BINS; b += get_local_size(0))
        if (h[b]) atomic_add(hist + b, h[b]);
}
