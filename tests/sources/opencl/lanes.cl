// Lanes of vectors that are taken apart.
//: laid out k 64 with pos vel: soa aosoa:8 {pos.x,vel.x}{pos.y,pos.z,pos.w,vel.y,vel.z,vel.w,n} {pos}{vel,n} aos
typedef struct {
    float4 pos, vel;
    int n;
} body;
kernel void k(global body *p, float dt) {
    int i = get_global_id(0);
    global body *q = p + i;
    p[i].pos.x += dt * p[i].vel.x;
    q->pos.s1 = -q->vel.w;
    (p[i].pos).z++;
    p[i].n += (int)(*q).vel.y;
}
