// flags: -g 128 --local 64
// accesses: 0
// refuses: - there is no record to lay out: no buffer of this kernel hold
__kernel void k(int n, float x) { printf("%d %f\n", n, x); }
