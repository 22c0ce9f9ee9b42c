#!/bin/bash
# What LLVM makes of bits: rotations, bytes in the other order, sums that saturate or overflow, parts of a
# struct that was just stored. Kernels with them are taken as compiled, and compute what they do as
# written.
source "$(dirname "$0")/lib.sh"

cat >bits.cu <<'END2'
struct alignas(16) H {
    unsigned a, b, c, d;
    unsigned long long e;
    unsigned short s, t;
    unsigned char u, v;
    int x, y;
};
__global__ void bits(H *h, const H *g, int n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, k = i % 32, w = i % 64;
    H o = g[i];
    h[i].a = (o.a << 13) | (o.a >> 19);
    h[i].b = (o.b << k) | (o.b >> (-k & 31));
    h[i].c = (o.c >> k) | (o.c << (-k & 31));
    h[i].d = __funnelshift_r(o.a, o.b, k) ^ __funnelshift_lc(o.a, o.b, i);
    h[i].e = (o.e << w) | (o.e >> (-w & 63));
    h[i].s = (unsigned short)(o.s << 5 | o.s >> 11);
    h[i].t = (unsigned short)(o.t >> 8 | o.t << 8);
    h[i].u = (unsigned char)(o.u << 3 | o.u >> 5);
    h[i].v = o.a + o.b < o.a ? 255 : o.v;
    h[i].x = o.x < 0 ? -o.x : o.x;
    h[i].y = (int)((o.a & 255) << 24 | (o.a & 0xff00) << 8 | (o.a >> 8 & 0xff00) | o.a >> 24);
}
__global__ void limits(H *h, const H *g, int n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned a = g[i].a, b = g[i].b, sum = a + b;
    int x = g[i].x, y = g[i].y, z;
    h[i].a = sum < a ? ~0u : sum;
    h[i].b = a > b ? a - b : 0;
    h[i].c = __builtin_add_overflow(x, y, &z) ? 7 : z;
    h[i].d = __builtin_sub_overflow(x, y, &z) ? 9 : z;
    h[i].e = (unsigned long long)a * b >> 32 ? 11 : a * b;
    h[i].x = (a > b) - (a < b);
    h[i].y = (x > y) - (x < y);
}
__global__ void parts(H *h, const H *g, int n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    h[i] = g[i];
    const unsigned short *p = (const unsigned short *)&h[i].a;
    h[i].s = p[1] + ((const unsigned char *)p)[7];
    h[i].e = *(const unsigned long long *)&h[i].b % 1000003 + p[3];
}
END2
for kernel in bits limits parts; do
    cat >$kernel.yaml <<END2
kernel: bits.cu
buffers:
  - {name: h, type: H, count: 512}
  - {name: g, type: H, count: 512, init: [
      $(i=1; for f in a b c d e s t u v x y; do
          high=$(case $f in s | t) echo 65535 ;; u | v) echo 255 ;; x | y) echo 2147483647 ;; *) echo 4294967295 ;; esac)
          low=$(case $f in x | y) echo -2147483648 ;; *) echo 0 ;; esac)
          echo "{field: $f, generator: uniform, low: $low, high: $high, seed: $((i++))}"
      done | paste -sd ,)]}
launches:
  - {kernel: $kernel, blocks: [4], threads: [128], args: [{name: h, buffer: h}, {name: g, buffer: g}, {name: n, value: 512}]}
END2
    accepts run $kernel.yaml --dump h=compiled
    accepts run --as-written $kernel.yaml --dump h=written
    cmp compiled written || complain "$kernel: compiled and as written differ"
    [ "$(od -An -v -tx4 compiled | tr -s ' ' '\n' | sort -u | wc -l)" -gt 100 ] || complain "$kernel: nothing was computed"
done
finish
