// Lanes of vectors that are taken apart, one by one, through pointers and by atomics.
//: laid out k 64 with pos vel rgba: soa aosoa:8 {pos.x,vel.x}{pos.y,pos.z,pos.w,vel.y,vel.z,vel.w,rgba,kind}
//: laid out k 64 with pos: {pos}{vel}{rgba,kind} aos
struct body {
    float4 pos, vel;
    uchar4 rgba;
    int kind;
};
__global__ void k(body *p, float dt) {
    int i = threadIdx.x;
    body *q = &p[i];
    p[i].pos.x += dt * p[i].vel.x;
    q->pos.y = -q->vel.w;
    (*q).rgba.x++;
    atomicAdd(&p[i].vel.z, 1.0f);
    p[i].kind += q->rgba.w;
}
