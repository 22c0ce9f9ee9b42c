// flags: -g 256 --local 64 -n 4096
// accesses: 1
// rewrites: {x,y,n}:16{v,d}/da
typedef struct R { float x, y; int n; float4 v; float d[4]; } R;
#if 0
this is not C p[i].x
#elif defined(FOO)
__kernel void k(__global R *p) { p[0].nothing = 1; }
#else
__kernel void k(__global R *p) {
#ifdef BAR
    p[1].foo = 2;
#else
    p[get_global_id(0)].x = 2;
#endif
}
#endif
