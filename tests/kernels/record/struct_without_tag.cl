// flags: -g 256 --local 64 -n 4096
// accesses: 12
// layouts: soa {pos,u}:4{vel}{hist}/da
typedef struct { struct vec { float x, y; } pos, vel; struct vec hist[3]; struct { int a; } u; } R;
__kernel void k(__global R *p) { int i = get_global_id(0); p[i].pos.x += p[i].vel.x; p[i].hist[i % 3] = p[i].pos; struct vec v = p[i].hist[1]; p[i].vel = v; p[i].hist[2].y = p[i].hist[i & 1].x; }
