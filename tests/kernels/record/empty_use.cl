// flags: -g 256 --local 64 -n 256
// accesses: 0
// rewrites: soa
typedef struct { float x, y; } R;
__kernel void k(__global R *r) { }
