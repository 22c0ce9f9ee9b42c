// Several lanes at once, read and written, in any order.
//: laid out k 64 with pos vel: soa da {pos}{vel} {pos.x,vel}{pos.y,pos.z,pos.w}
typedef struct {
    float4 pos, vel;
} body;
kernel void k(global body *p, float dt, global float2 *o) {
    int i = get_global_id(0);
    p[i].pos.yz = p[i].vel.yz * dt;
    p[i].pos.xyz += p[i].vel.zyx;
    p[i].vel.wx = p[i].vel.xw;
    o[i] = p[i].pos.xy + p[i].vel.ww;
    float4 v = (p[i].pos).wzyx;
    p[i].vel = v;
    p[i].vel *= 0.5f;
    p[i].pos.xy = p[i].pos.yx = (float2)(3);
}
