// flags: -g 256 --local 64 -n 4096
// accesses: 2
// layouts: soa {y}{x}:2
// café � bad utf8
typedef struct R { float x, y; } R;
__kernel void k(__global R *p) { /* € */ int i = get_global_id(0); p[i].x = /* 😀 */ p[i].y; }
