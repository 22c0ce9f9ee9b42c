// flags: -g 256 --local 64 -n 4096
// accesses: 6
// layouts: {x,y,n}:16{v,d}/da
typedef struct R { float x, y; int n; float4 v; float d[4]; } R;
void fill(__global float *d, float v) { for (int k = 0; k < 4; k++) d[k] = v + k; }
float dot4(__global const float d[4]) { return d[0] * d[3]; }
__kernel void k(__global R *p) {
    int i = get_global_id(0);
    fill(p[i].d, i); fill(&p[i].d[0], p[i].y);
    p[i].x = dot4(p[i].d);
}
