// flags: -g 256 --local 64 -n 256
// accesses: 2
// rewrites: da
typedef struct { float x; } one;
__kernel void k(__global one *r) { r[get_global_id(0)].x += 1; }
