// Whole vectors that are loaded, stored and handed on, and copies of whole elements.
//: accesses k: load p.pos 16, store p.vel 16, store p.m 16, store p.pos 16
//: laid out k 64 with pos vel m: soa aos {pos}{vel}{m} {pos.x,pos.y,m}{pos.z,pos.w,vel}:4
//: laid out copies 64 with vel: soa {pos,vel}{m}
struct body {
    float4 pos, vel;
    double2 m;
};
__global__ void k(body *p) {
    int i = threadIdx.x;
    float4 v = p[i].pos;
    v.x = v.y;
    p[i].vel = v;
    p[i].m = make_double2(v.x, v.z);
    p[i].pos = make_float4(v.w, v.z, v.y, v.x);
}
__global__ void copies(body *p) {
    int i = threadIdx.x;
    body b = p[i ^ 1];
    __syncthreads();
    b.vel.y = b.pos.x;
    p[i] = b;
}
