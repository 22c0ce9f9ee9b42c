// flags: -g 256 --local 64 -n 256
// accesses: 13
// rewrites: aosoa:32
typedef struct { float a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q,r,s,t,u,v,w,x,y,z; int aa,bb,cc,dd; } wide;
__kernel void k(__global wide *r) {
    int id = get_global_id(0);
    r[id].a = r[id].b + r[id].c; r[id].d = r[id].e; r[id].f = r[id].g * r[id].h;
    r[id].z = r[id].y + r[id].x; r[id].aa = r[id].bb;
}
